"""The seam of file formats: who reads which file below a place, and what became of everything that was found.

A format is a file of its own with a `FileReader`, and a line in `_seams.py`. Its recogniser sees the first and the last
bytes of a file (`Head`), its function reads the files that are its own and gives what it finds, in any order:
`FoundTrial` trials, `refused_defect` ones, `repaired_defect` or noted oddities, and `UsedFile` files, which belong to
another. Bookkeeping is done here: names of agents, one task for each id, numbers of samples, ids of trials, files that
nobody reads. So what was found is what was kept and what was refused, file by file.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace as replace_field
from functools import cached_property, wraps
from itertools import islice, takewhile
from pathlib import Path
from typing import Literal, NamedTuple
from zipfile import is_zipfile

from msgspec import MsgspecError
from msgspec.structs import replace

from honestly.errors import FormatError, NoResultsError
from honestly.formats._attempts import Attempts
from honestly.formats._files import Tally, files_below, parse_json, storable_name
from honestly.formats._heads import Head
from honestly.formats._imported import (
    Blob,
    Imported,
    ImportProgress,
    first_request,
    free_name,
    number_of,
    storable_text,
)
from honestly.formats._rows import ProblemRow, each_row
from honestly.formats._table_rules import AS_IT_STANDS, TableRules
from honestly.formats._table_shape import cells_of, layout_of, named_columns
from honestly.records import Agent, Defect, Outcome, Task, Trajectory, Trial, Usage, digest

_NOT_IN_IDS = re.compile(r"[^\w.-]+")
# What tells two ids apart and is in none: more than a separator.
_LOST = re.compile(r"[^\w./ :,|@-]")
# Characters of a task's id.
_LONGEST_ID = 200
# What follows the name of the file in a place.
_PLACE = re.compile(r"(?:#.*|:\d+|, item \d+)\Z", re.DOTALL)
# Folders of samples in what we export.
_OUR_SAMPLES = re.compile(r"(?<=/)sample-\d+/")
_BACKUPS = (".bak", ".orig", ".old", "~")
UNKNOWN, EMPTY = "no format that is known by its content", "it is empty"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_SESSION_WORDS = {
    *("transcript", "session", "trajectory", "conversation", "messages", "rollout", "output", "log", "chat", "history"),
    *("claude", "codex", "opencode", "copilot", "aider", "agent", "sessions", "chats", "logs", "transcripts"),
    *("docs", "full"),
}
# What a hostile file may raise in its reader.
_UNREADABLE = (FormatError, MsgspecError, UnicodeError, RecursionError, OSError, OverflowError)


class FoundTrial(NamedTuple):
    """A trial as a reader found it."""

    agent: Agent
    task: Task
    trial: Trial
    """Made by `imported_trial`, with its outcome and the place where it stands: `FILE`, `FILE:LINE` or `FILE#MEMBER`.
    """
    trajectory: Trajectory | None = None
    artifacts: Mapping[str, Blob] = {}
    key: str = ""
    """What the source knows it by, if it has such a name: the second one of a name is a duplicate."""
    file: str = ""
    """Where it was read, if its own source says another place: it came back from an export."""


class UsedFile(NamedTuple):
    """A file that belongs to trials of another file: nobody else reads it, and it is not missing."""

    name: str


@dataclass(frozen=True)
class Source:
    """The files of one format below a place."""

    root: Path
    heads: tuple[Head, ...]
    """Those that the reader recognised, in natural order."""
    names: tuple[str, ...]
    """All files that are there, relative to the root."""
    rules: TableRules = AS_IT_STANDS
    """What the user said of tables."""
    is_beside: bool = False
    """Whether other formats gave trials, and the user said nothing of tables: one that asks is refused."""

    def names_below(self, folder: str) -> Iterator[str]:
        """The names of all files in a folder of the root; none of the root itself."""
        at = bisect_left(self._sorted_names, f"{folder}/") if folder else len(self._sorted_names)
        yield from takewhile(lambda name: name.startswith(f"{folder}/"), islice(self._sorted_names, at, None))

    @cached_property
    def _sorted_names(self) -> list[str]:
        return sorted(self.names)


Item = FoundTrial | UsedFile | Defect
Read = Callable[[Source], Iterator[Item]]


@dataclass(frozen=True)
class FileReader:
    """A format of files; called with a place, it reads all files there that it recognises."""

    name: str
    recognises: Callable[[Head], bool]
    """Whether a file is of this format. It raises nothing."""
    read: Read
    takes: Callable[[Head, TableRules], bool] | None = None
    """Whether a file that it does not recognise is one of those that the user's rules tell of; where it is not None, a
    single file that the user names is read, recognised or not."""
    patches: Literal["", "left", "judged"] = ""
    """Whether its trials left patches that another file judges (`_attempts`), or are such patches."""

    def __call__(
        self, root: Path, progress: ImportProgress | None = None
    ) -> Iterator[Agent | Task | Imported | Defect]:
        """Reads all files at `root` that are of this format, and says of the others that they are not."""
        return read_files([self], root, progress)


def imported_trial(where: str, outcome: Outcome, sample: int = -1, **fields: object) -> Trial:
    """A trial that still lacks its agent, its task and its id; a sample below 0 is the next one of its cell."""
    known = {key: value for key, value in fields.items() if value is not None}
    return Trial(id="", agent="", task="", sample=sample, outcome=outcome, source=where, **known)  # type: ignore[arg-type]


def refused_defect(where: str, kind: str, detail: str = "", count: int = 1) -> Defect:
    """Something that was found and not taken."""
    return Defect(kind=kind, where=where, detail=storable_text(detail)[:500], count=count, effect="refused")


def repaired_defect(where: str, kind: str, detail: str = "", count: int = 1) -> Defect:
    """Something that was taken otherwise than it stood there."""
    return Defect(kind=kind, where=where, detail=storable_text(detail)[:500], count=count, effect="repaired")


def noted_defect(where: str, kind: str, detail: str = "", count: int = 1) -> Defect:
    """Something odd that changed nothing."""
    return Defect(kind=kind, where=where, detail=storable_text(detail)[:500], count=count)


def refused_line(where: str, row: object) -> Defect:
    """A line of a session that is no object, or the error that says why it is no JSON."""
    return refused_defect(where, "message refused", str(row) if isinstance(row, Exception) else "no object")


def patch_file(patch: object) -> dict[str, bytes]:
    """A patch as the artifact that is kept of it; none of an empty one."""
    return {"patch.diff": storable_text(patch).encode()} if isinstance(patch, str) and patch.strip() else {}


def per_file(read_one: Callable[[Head], Iterator[Item]]) -> Read:
    """A reader of files that have nothing to do with each other; one that cannot be read is refused, and no other."""

    @wraps(read_one)
    def read(source: Source) -> Iterator[Item]:
        for head in source.heads:
            try:
                yield from read_one(head)
            except _UNREADABLE as error:
                reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
                yield refused_defect(recorded_place(head), "unreadable file", reason)

    return read


def rows_of(head: Head) -> Iterator[tuple[str, ProblemRow | Defect]]:
    """Each row of a file of JSON objects with its place; what is none is given as refused, and those after it are read.

    Raises:
        FormatError: The file cannot be read.
    """
    for at, row in each_row(head.path):
        where = f"{recorded_place(head)}{at.removeprefix(str(head.path))}"
        yield where, refused_defect(where, "line refused", str(row)) if isinstance(row, FormatError) else row


def recorded_place(head: Head) -> str:
    """How a file is named in records: relative to what was imported, or by its own name."""
    return storable_name(head.name or head.root.name)


_WHOLE = 16 << 10
"""Bytes that a head shows: a file with fewer is seen whole."""


def unread_reason(head: Head) -> str:
    """Why nobody reads a file."""
    if not head.start.strip():
        return EMPTY
    if head.name.endswith(_BACKUPS):
        return "it is a copy that was kept of another file"
    if head.start.startswith(_UTF_16):
        return "it is text in UTF-16; expected UTF-8: iconv -f UTF-16 -t UTF-8"
    if head.path.suffix.lower() in {".eval", ".zip"} and not head.start.startswith(b"PK") and not _is_text(head.start):
        return f"it is no zip archive, which a {head.path.suffix} is; get it anew"
    if not _CONTROLS.search(head.start) and not _is_text(head.start):
        return "it is no text in UTF-8; if it is another encoding: iconv -f LATIN1 -t UTF-8"
    if head.start.startswith(b"PK\x03\x04") and not is_zipfile(head.path):
        return "it is a damaged zip archive"
    if b"\0" in head.start and head.path.suffix.lower() in {".csv", ".tsv", ".json", ".jsonl", ".txt"}:
        return "it has bytes of value 0, as text never has"
    if head.start[:1] in b"[{" and head.path.suffix.lower() == ".json" and len(head.start) < _WHOLE:
        try:
            parse_json(head.start)
        except FormatError as error:
            return str(error)
    return _no_table_reason(head) or f"{UNKNOWN}: {_likeness(head)}"


_WORDS_OF_A_NAME = 5


def _no_table_reason(head: Head) -> str:
    """Why a text is no table, where it seems to be meant as one."""
    layout = layout_of(head)
    lines = head.start.decode("utf-8", "replace").split("\n", layout.above + 2)[layout.above :]
    first = lines[0] if lines else ""
    is_alone = not any(map(str.strip, lines[1:])) and len(head.start) < _WHOLE
    cells = re.split(r"[,\t;|]", first) if is_alone and not first.startswith(("[", "{", '"[', '"{')) else []
    if len(cells) > 1 and all(len(each.split()) < _WORDS_OF_A_NAME for each in cells):  # else it is a sentence
        return f"it has a row of names, {first.strip()[:200]}, and no row below it"
    if head.path.suffix.lower() in {".csv", ".tsv"}:
        try:
            named_columns(cells_of(io.StringIO(head.start.decode("utf-8", "replace"), newline=""), layout))
        except FormatError as error:
            return str(error)
        except csv.Error:
            # The first bytes break off in a cell.
            return ""
    return ""


def _likeness(head: Head) -> str:
    """What a file of no known format looks like."""
    start = head.start.lstrip()
    if _CONTROLS.search(start):
        return "it looks binary"
    if re.match(rb"(?i)<!doctype html|<html", start):
        return "it is a page of HTML, perhaps an error in place of a download"
    if start.startswith(b"<"):
        root = re.search(rb"<([A-Za-z_][\w:.-]*)", start)
        return f"it looks like XML with the root {root[1].decode()[:40]}" if root else "it looks like XML"
    if head.is_json:
        keys = ", ".join(sorted(head.keys)[:8])[:200]
        return f"it looks like JSON with the keys {keys}" if keys else "it looks like JSON without an object at its top"
    return "it looks like text"


_CONTROLS = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""Characters that no text has, whatever its encoding."""


def _is_text(start: bytes) -> bool:
    """Whether bytes are UTF-8, of which the last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def stem_of(head: Head) -> str:
    """The name of a file without folders and without what says only how it is written: an agent that nobody names."""
    stem = recorded_place(head).rpartition("/")[2]
    for ending in (".gz", ".zst", ".jsonl", ".json", ".traj", ".csv", ".tsv", ".parquet", ".md"):
        stem = stem.removesuffix(ending)
    return stem or "unknown"


def file_of(where: str) -> str:
    """The file of a place such as `results.csv:12` or `log.eval#samples/1_epoch_1.json`."""
    return _PLACE.sub("", where)


def classified_files(
    readers: Sequence[FileReader], root: Path, tally: Tally, only: Sequence[str] = ()
) -> tuple[dict[str, list[Head]], list[Head]]:
    """The files at `root`, or at these places below it, by the first reader that recognises them, and those that nobody
    does.
    """
    claimed: dict[str, list[Head]] = defaultdict(list)
    rest: list[Head] = []
    for name in dict.fromkeys(_names_at(root, tally, only)):
        head = Head(root, name)
        asked = () if name.endswith(_BACKUPS) else readers
        mine = next((reader.name for reader in asked if reader.recognises(head)), None)
        (rest if mine is None else claimed[mine]).append(head)
    return claimed, rest


def _names_at(root: Path, tally: Tally, only: Sequence[str]) -> Iterator[str]:
    for place in only or ("",):
        if (root / place).is_file():
            yield place
        else:
            yield from files_below(root, tally, prefix=f"{place}/" if place else "")


def read_files(
    readers: Sequence[FileReader],
    root: Path,
    progress: ImportProgress | None = None,
    rules: TableRules = AS_IT_STANDS,
    only: Sequence[str] = (),
) -> Iterator[Agent | Task | Imported | Defect]:
    """Reads every file at `root`, or at these places below it, with the first of these readers that recognises it.

    Raises:
        FormatError: There is nothing.
        NoResultsError: No trial could be kept; the message names the first reasons.
    """
    if not root.exists():
        raise FormatError(f"there is nothing at {root}; check the spelling")
    tally = Tally()
    claimed, rest = classified_files(readers, root, tally, only)
    if rest and len(readers) == 1 and (takes := readers[0].takes):
        mine = [head for head in rest if root.is_file() or takes(head, rules)]
        claimed[readers[0].name] += mine
        rest = [head for head in rest if head not in mine]
    names = tuple(head.name for heads in (*claimed.values(), rest) for head in heads)
    book, used, at = _Book(tally), set[str](), ""
    attempts = _known_attempts(readers, claimed, Source(root, (), names, rules), tally)
    for reader in readers:
        heads = tuple(head for head in claimed.get(reader.name, ()) if head.name not in used)
        source = Source(root, heads, names, rules, bool(book.trials) and rules == AS_IT_STANDS)
        for item in _read_trials(reader, source, used, tally):
            found = item if attempts is None else _as_one_attempt(attempts, reader, item)
            if found is None:
                continue
            yield from book.take_found(found, reader.name)
            if progress is not None and (now := file_of(item.trial.source)) != at:
                at = now
                progress(at, book.trials)
    for head in rest:
        if head.name not in used:
            tally.count_refused("unknown format", recorded_place(head), unread_reason(head))
    if attempts is not None:
        attempts.note_dropped()
    book.note_unbalanced()
    defects = list(tally.defects())
    if not book.trials:
        raise NoResultsError(f"{root} contains no result that can be read: {_reasons(defects) or 'it is empty'}"[:2000])
    yield from defects


def _known_attempts(
    readers: Sequence[FileReader], claimed: Mapping[str, list[Head]], source: Source, tally: Tally
) -> Attempts | None:
    """The predictions that are there, if trajectories are, too, which may have left the same patches."""
    if not any(claimed.get(reader.name) for reader in readers if reader.patches == "left"):
        return None
    attempts = Attempts(tally.add)
    for reader in readers:
        if reader.patches == "judged" and claimed.get(reader.name):
            for item in reader.read(replace_field(source, heads=tuple(claimed[reader.name]))):
                if isinstance(item, FoundTrial):
                    attempts.add_prediction(item.agent, item.task.id, item.trial, item.artifacts)
    return attempts


def _as_one_attempt(attempts: Attempts, reader: FileReader, found: FoundTrial) -> FoundTrial | None:
    """A trial with the verdict of its patch, or of the agent who left it; None if its trajectory is a trial already."""
    said = found.agent, found.task.id, found.trial
    if reader.patches == "left":
        return found._replace(trial=attempts.judged(*said, found.artifacts))
    if reader.patches == "judged":
        own = attempts.own_agent(*said)
        return None if own is None else found._replace(agent=own)
    return found


def _reasons(defects: Sequence[Defect]) -> str:
    """Why nothing could be kept, each reason once with the places that have it."""
    places: dict[str, list[str]] = defaultdict(list)
    for each in [each for each in defects if each.effect == "refused"] or defects:
        places[f"{each.kind}: {each.detail}"].append(each.where)
    each_reason = (
        f"{', '.join(where[:2])}{f' and {len(where) - 2} more' if len(where) > 2 else ''}: {reason}"
        for reason, where in places.items()
    )
    return "; ".join(each_reason)


def _read_trials(reader: FileReader, source: Source, used: set[str], tally: Tally) -> Iterator[FoundTrial]:
    """The trials that a reader finds; what else it says is counted, and so is a file of which it says nothing."""
    told: set[str] = set()
    for item in reader.read(source) if source.heads else ():
        if isinstance(item, UsedFile):
            used.add(item.name)
        elif isinstance(item, Defect):
            told.add(file_of(item.where))
            tally.count_defect(item)
        else:
            told.add(item.file or file_of(item.trial.source))
            yield item
    for head in source.heads:
        if head.name not in used and recorded_place(head) not in told:
            tally.count_refused("no results", recorded_place(head), f"{reader.name} found nothing in it")


class _Book:
    """The record of what the store was given so far."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        # Names by the hash of the configuration.
        self._agents: dict[str, str] = {}
        # By a name, what was asked under it: sessions of one file name may be of several tasks.
        self._tasks: dict[str, list[Task]] = defaultdict(list)
        # Ids of tasks by what a source calls them.
        self._ids: dict[str, str] = {}
        self._taken: set[str] = set()
        self._next: dict[tuple[str, str], int] = defaultdict(int)
        # Samples that the source numbered itself, and the file of each.
        self._given: dict[tuple[str, str, int], str] = {}
        # Outcomes by what a source calls a trial, in its cell, and by id.
        self._ended: dict[tuple[str, str, str] | str, tuple[Outcome, float | None]] = {}
        self._sizes: dict[str, Counter[str]] = defaultdict(Counter)
        # The file of the first sample of a cell, and by agent the tasks that another file has, too, with both files.
        self._files: dict[tuple[str, str], str] = {}
        self._several: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
        self.trials = 0

    def take_found(self, found: FoundTrial, format_name: str) -> Iterator[Agent | Task | Imported]:
        """The records of a trial, unless it is there already."""
        said = found.trial
        if found.agent.hash not in self._agents:
            self._agents[found.agent.hash] = free_name(found.agent, self._agents.values())
            yield replace(found.agent, name=self._agents[found.agent.hash])
        agent = self._agents[found.agent.hash]
        task = replace(found.task, id=self._task_id(found.task.id))
        asked = self._tasks[task.id]
        apart = said.reason == "not judged"
        known = next((each for each in asked if not (apart and _asks_other(each.instruction, task.instruction))), None)
        if known is None:
            file = file_of(said.source)
            place = f"{file.rpartition('.')[0]}{said.source.removeprefix(file)}"
            known = replace(task, id=self._task_id(place)) if asked else task
            asked.append(known)
            yield known
        elif known != replace(task, id=known.id):
            self._tally.add("task varies", f"task {known.id}", "what was met first is kept")
        task = known
        key = (agent, task.id, found.key)
        ended = (said.outcome, said.score)
        before = (self._ended.get(key) if found.key else None) or (self._ended.get(said.id) if said.id else None)
        if before is not None:
            self._tally.count_refused("duplicate trial", said.source, found.key or said.id)
            if before != ended:
                self._tally.add("duplicate differs", said.source, "another outcome of the same trial; the first counts")
            return
        if found.key:
            self._ended[key] = ended
        sample = self._next_sample(agent, task.id, said)
        if said.sample < 0 and format_name != "table":  # whose rows are samples
            file = _OUR_SAMPLES.sub("", file_of(said.source))
            first = self._files.setdefault((agent, task.id), file)
            if first != file:
                self._several[agent].setdefault(task.id, (first, file))
        made = said.id or digest("import", format_name, said.source, agent, task.id, sample)
        if said.id:
            self._ended[made] = ended
        self._sizes[agent][task.id] += 1
        self.trials += 1
        yield Imported(
            replace(said, id=made, agent=agent, task=task.id, sample=sample), found.trajectory, found.artifacts
        )

    def _task_id(self, said: str) -> str:
        """The id of a task in a study, from what a source calls it: letters, digits, `.`, `_` and `-`; of no other."""
        if said not in self._ids:
            plain = _NOT_IN_IDS.sub("-", said)
            own = f"{plain[: _LONGEST_ID - 9]}-{digest('task', said)[:8]}"
            taken = plain in self._taken
            if taken:
                self._tally.add("task ids alike", f"task {plain}", f"{said!r} is another task: {own}")
            made = own if taken or not plain or len(plain) > _LONGEST_ID or _LOST.search(said) else plain
            self._ids[said] = made
            self._taken.add(made)
        return self._ids[said]

    def _next_sample(self, agent: str, task: str, said: Trial) -> int:
        if said.sample >= 0:
            key, file = (agent, task, said.sample), file_of(said.source)
            if key not in self._given and said.sample >= self._next[agent, task]:
                self._given[key] = file
                return said.sample
            if self._given.get(key) == file:
                detail = f"{task}, sample {said.sample}: twice in the file; kept as another sample"
                self._tally.count_defect(repaired_defect(file, "duplicate sample", detail))
            else:
                self._tally.add("several runs", f"agent {agent}", f"{file} has further samples of its tasks")
        sample = self._next[agent, task]
        while (agent, task, sample) in self._given:
            sample += 1
        self._next[agent, task] = sample + 1
        return sample

    def note_unbalanced(self) -> None:
        """Notes agents whose tasks have different numbers of samples, since K is counted, not believed, or samples from
        several files.
        """
        for agent, tasks in self._several.items():
            first, other = next(iter(tasks.values()))
            detail = f"{len(tasks)} tasks have samples in several files, such as {first} and {other}"
            self._tally.add("samples of several files", f"agent {agent}", detail, len(tasks))
        for agent, sizes in self._sizes.items():
            usual = Counter(sizes.values()).most_common(1)[0][0]
            odd = [task for task, size in sizes.items() if size != usual]
            if odd:
                detail = f"{usual} samples are usual; " + ", ".join(f"{task} has {sizes[task]}" for task in odd[:5])
                self._tally.add("uneven samples", f"agent {agent}", detail, len(odd))


def _asks_other(known: str, asked: str) -> bool:
    """Whether two requests have less than half of their words in common, so that they are two tasks."""
    one, other = set(known.split()), set(asked.split())
    return 2 * len(one & other) < len(one | other)


def outcome_of(score: float) -> tuple[Outcome, float | None]:
    """The outcome of a trial that was given a share of 1, and its score where that is neither 0 nor 1."""
    if score in {0, 1}:
        return (Outcome.PASSED if score else Outcome.FAILED), None
    return Outcome.FAILED, float(score)


def share_of(value: object) -> float | None:
    """A number from 0 to 1; None for anything else."""
    number = number_of(value)
    return number if number is not None and number <= 1 else None


def reward_share(value: object) -> float | None:
    """A number from 0 to 1, or true or false as 1 or 0; None for anything else."""
    return share_of(float(value) if isinstance(value, bool) else value)


def only_rate(
    where: str, agent: Agent, task: str, score: float, detail: str, figures: Mapping[str, object] = {}
) -> Iterator[Item]:
    """A figure over many cases, of which nothing says which were passed: one graded trial of the whole benchmark.

    All figures that the source has are kept beside it, as `figures.json`.
    """
    outcome, share = outcome_of(score)
    yield noted_defect(file_of(where), "only a rate", f"{detail}; which cases were passed is not in the file")
    files = {"figures.json": json.dumps(figures, indent=1).encode()} if figures else {}
    yield FoundTrial(agent, Task(id=task, instruction=""), imported_trial(where, outcome, score=share), artifacts=files)


def unjudged_session(head: Head, agent: Agent, trajectory: Trajectory, **more: object) -> FoundTrial:
    """A session of an agent that nobody judged: its task is what the user asked first, named after file or folder."""
    names = [*reversed(head.name.split("/")[:-1]), stem_of(head)]
    vague = [set(filter(None, re.split(r"[\W_]+", each.lower()))) <= _SESSION_WORDS for each in names]
    name = (
        stem_of(head)
        if not vague.pop()
        else next((name for name, each in zip(names, vague, strict=False) if not each), stem_of(head))
    )
    instruction = first_request(trajectory.steps)
    started = next((step.at for step in trajectory.steps if step.at), None)
    usage = total_usage(step.usage for step in trajectory.steps)
    made = imported_trial(recorded_place(head), Outcome.VOID, reason="not judged", usage=usage, started_at=started)
    return FoundTrial(agent, Task(id=name, instruction=instruction), replace(made, **more), trajectory)


def total_usage(usages: Iterable[Usage]) -> Usage:
    """Tokens and cost of all that say theirs; unknown where none does."""
    each = tuple(usages)

    def known_total(name: str) -> int | None:
        known = [value for usage in each if (value := getattr(usage, name)) is not None]
        return sum(known) if known else None

    names = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens")
    spent = [usage.usd for usage in each if usage.usd is not None]
    return Usage(**{name: known_total(name) for name in names}, usd=math.fsum(spent) if spent else None)
