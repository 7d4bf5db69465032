"""Logs of Inspect: `.eval` archives, and `.json`.

A sample of an epoch is a trial. Values are Inspect's: C, yes and true are 1, P one half, I, N, no and false 0, a number
from 0 to 1 is a grade, NaN or another value is void; a value of several parts is several scores. Of several scores the
first that has a metric in the results decides; those that are 0 or 1 are checks. A sample with an error is void,
whatever the log's own accuracy says, so is one that somebody has invalidated, and one that met a limit is at its limit
unless it passed; a run that crashed before its header was written has the samples that are there. The log's own means
are taken again, and where they differ it is said. An agent is a solver with its model, arguments and limits, which are
part of its name where others differ in them alone; a task is a sample of an Inspect task. What was expected and
answered, and metadata, store and all scores of a sample are its artifact `sample.json`.

Logs of one run of a task (`eval-retry` writes another one) are one: a sample in the newest log supersedes the earlier.

What we wrote ourselves (`_inspect_out`) comes back as it was, but for scores that somebody changed since.

Only what is needed of a sample is decoded: events are skipped, unless a sample has no messages. The archive is read
member by member, so that memory does not grow with it; members that overlap, or unpack to far more than they take, are
refused. A shape that is not known here (a newer version, a sample in
pieces) is read by Inspect's own reader where that is installed, and refused elsewhere (`_inspect_api`).
"""

import dataclasses
import json
import math
import re
import struct
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import replace

from honestly._loose import count_of, items_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._agent_names import names_by_settings
from honestly.formats._chat import chat_steps
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import Settings, cached_usage, first_request, number_of, storable_text, time_said
from honestly.formats._inspect_api import TheirReader, odd_log, odd_sample
from honestly.formats._inspect_messages import (
    KEY,
    Own,
    last_exchange,
    own_agent,
    own_sample,
    share_said,
    with_attachments,
)
from honestly.formats._inspect_metrics import is_beyond_shares, odd_metrics, own_metrics
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    imported_trial,
    noted_defect,
    outcome_of,
    per_file,
    recorded_place,
    refused_defect,
    repaired_defect,
    share_of,
)
from honestly.formats._table_cells import finite_number
from honestly.formats._zip import zip_member
from honestly.records import Agent, Check, CheckRun, Defect, Outcome, Task, Trajectory, Usage, Verdict, digest

# What the folder of a sample in pieces ends with; an id may have slashes, too: `HumanEval/0`.
_PIECES = re.compile(r"_epoch_\d+$").search
# A member, or a `.json` log, with more bytes is refused, unpacked.
_LARGEST = 512 << 20
_MOST_MEMBERS = 1_000_000
# Values of scores, as Inspect turns them into numbers.
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
# A member with more bytes than the first, unpacked, and more than so many times what it takes, is refused.
_UNPACKED, _RATIO = 64 << 20, 300
_HEADER = ("version", "status", "eval", "plan", "results", "error")
_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit")


class _Sample(msgspec.Struct):
    """The parts of a sample that are read; all else of it is skipped without being decoded."""

    id: Any = None
    epoch: Any = 1
    input: Any = None
    messages: Any = None
    scores: Any = None
    score: Any = None
    """In logs of early 2024, of the one scorer."""
    error: Any = None
    limit: Any = None
    model_usage: Any = None
    started_at: Any = None
    total_time: Any = None
    working_time: Any = None
    attachments: Any = None
    uuid: Any = None
    target: Any = None
    metadata: Any = None
    store: Any = None
    invalidation: Any = None


class _Events(msgspec.Struct):
    events: Any = None
    events_data: Any = None
    attachments: Any = None


class _Said(msgspec.Struct):
    """What a log says of itself; all else is skipped."""

    eval: Any = None
    plan: Any = None


class _Log(msgspec.Struct):
    """A log in one document; samples are decoded one by one."""

    samples: list[msgspec.Raw] | None = None
    version: Any = None
    status: Any = None
    eval: Any = None
    plan: Any = None
    results: Any = None
    error: Any = None


def recognises(head: Head) -> bool:
    """Whether it is an archive with a header or a journal of Inspect, or a log in JSON."""
    if head.start.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(head.path) as archive:
                names = archive.namelist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return b"_journal/start.json" in head.start or b"header.json" in head.start
        return "header.json" in names or "_journal/start.json" in names
    return head.has_keys("eval", "status") or (head.has_keys("version", "status") and b'"eval"' in head.start)


def read(source: Source) -> Iterator[Item]:
    """The trials of logs: of those of one run of a task, the newest first."""
    said = {head: _said_first(head) if len(source.heads) > 1 else {} for head in source.heads}
    runs: dict[str, list[Head]] = defaultdict(list)
    for head, header in said.items():
        of = nested_dict(header, "eval")
        run = "\0".join(storable_text(of.get(each) or "") for each in ("task_id", "model", "task"))
        runs[run if of.get("task_id") else recorded_place(head)].append(head)
    names = names_by_settings(
        _inspect_agent(nested_dict(header, "eval"), nested_dict(header, "plan"))
        for header in said.values()
        if header and own_agent(nested_dict(nested_dict(header, "eval"), "metadata")) is None
    )
    asked: dict[str, str] | None = {} if len(source.heads) > 1 else None
    for heads in runs.values():
        newest_first = sorted(
            heads, key=lambda head: storable_text(nested_dict(said[head], "eval").get("created") or ""), reverse=True
        )
        taken: set[tuple[str, int]] | None = set() if len(heads) > 1 else None
        for head in newest_first:
            read_one = per_file(partial(_read_log, names=names, taken=taken, asked=asked))
            yield from read_one(dataclasses.replace(source, heads=(head,)))


def _said_first(head: Head) -> Mapping[str, object]:
    """What a log says of itself; nothing where it cannot be read."""
    try:
        if not head.start.startswith(b"PK\x03\x04"):
            found = _decoded_document(head.whole_file(_LARGEST), _Said)
            return {"eval": found.eval, "plan": found.plan}
        with head.path.open("rb") as file, zipfile.ZipFile(file) as archive:
            return _header(file, {info.filename: info for info in archive.infolist()})
    except (FormatError, zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error):
        return {}


def _read_log(
    head: Head, names: Mapping[str, str], taken: set[tuple[str, int]] | None, asked: dict[str, str] | None
) -> Iterator[Item]:
    """The trials of a log.

    Raises:
        FormatError: It cannot be read.
    """
    if head.start.startswith(b"PK\x03\x04"):
        yield from _archive_samples(head, names, taken, asked)
    else:
        data = head.whole_file(_LARGEST)
        log = _decoded_document(data, _Log)
        header = {name: getattr(log, name) for name in _HEADER}
        reader = _Reader(head, header, TheirReader(head.path), names, taken, asked)
        for number, raw in enumerate(log.samples or ()):
            yield from reader.sample(bytes(raw), f"{recorded_place(head)}#{number}", number)
        yield from reader.log_defects()


def _decoded_document(data: bytes, kind: Any) -> Any:  # noqa: ANN401 - an instance of the type that is given
    """A document as a struct; also one with NaN, which is no JSON but what Inspect writes.

    Raises:
        FormatError: It is no JSON, or no object.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = parse_json(data)
    if not isinstance(found, dict):
        raise FormatError(f"expected a JSON object, found {type(found).__name__}")
    if kind is _Log:
        raws = [msgspec.Raw(json.dumps(each).encode()) for each in items_of(found.get("samples"))]
        return _Log(raws, *(found.get(name) for name in _HEADER))
    return kind(**{name: found[name] for name in kind.__struct_fields__ if name in found})


def _archive_samples(
    head: Head, names: Mapping[str, str], taken: set[tuple[str, int]] | None, asked: dict[str, str] | None
) -> Iterator[Item]:
    try:
        with head.path.open("rb") as file, zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
            if len(infos) > _MOST_MEMBERS:
                raise FormatError(f"it has {len(infos):,} members; at most {_MOST_MEMBERS:,} are read")
            by_name = {info.filename: info for info in infos}
            header = _header(file, by_name)
            theirs = TheirReader(head.path, unpacked=sum(info.file_size for info in infos))
            reader = _Reader(head, header, theirs, names, taken, asked)
            twice = _overlapping(infos)
            if "header.json" not in by_name:
                yield noted_defect(
                    recorded_place(head), "crashed run", "it has no header; the samples that are there are read"
                )
            for info in infos:
                parts = info.filename.split("/")
                if parts[0] != "samples" or not info.filename.endswith(".json"):
                    continue
                where = f"{recorded_place(head)}#{storable_text(info.filename)}"
                if any(map(_PIECES, parts[1:-1])):
                    if parts[-1] == "sample.json":
                        yield from reader.sample_by_inspect(where, "/".join(parts[1:-1]), "a sample in pieces")
                    continue
                try:
                    if info.header_offset in twice:
                        raise FormatError("its bytes are another member's, too, or its name is")
                    data = zip_member(file, info, min(_LARGEST, max(_UNPACKED, _RATIO * info.compress_size)))
                except FormatError as error:
                    yield reader.unreadable_sample(where, "unreadable sample", error)
                    continue
                yield from reader.sample(data, where, "/".join(parts[1:]).removesuffix(".json"))
            yield from reader.log_defects()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
        raise FormatError(f"not an archive that can be read: {error}; fetch it again") from error


def _overlapping(infos: Sequence[zipfile.ZipInfo]) -> set[int]:
    """Where members begin that share bytes with one before them, or their name with one after."""
    found, end, last = set[int](), 0, dict[str, int]()
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            found.add(info.header_offset)
        end = max(end, info.header_offset + 30 + info.compress_size)
        # As in any archive, the last one of a name counts.
        if info.filename in last:
            found.add(last[info.filename])
        last[info.filename] = info.header_offset
    return found


def _header(file: BinaryIO, members: Mapping[str, zipfile.ZipInfo]) -> Mapping[str, object]:
    name = "header.json" if "header.json" in members else "_journal/start.json"
    if name not in members:
        raise FormatError("neither header.json nor _journal/start.json is in it; expected a log that Inspect wrote")
    return nested_dict(parse_json(zip_member(file, members[name], _LARGEST)))


class _Reader:
    """One log: who acted, and what its samples come to."""

    def __init__(
        self,
        head: Head,
        header: Mapping[str, object],
        theirs: TheirReader,
        names: Mapping[str, str],
        taken: set[tuple[str, int]] | None,
        asked: dict[str, str] | None,
    ) -> None:
        """`taken`: samples that newer logs of the same run hold; None where there are none. `asked`: what earlier logs
        asked, by task; None where there are none.
        """
        self._taken, self._superseded, self._asked = taken, 0, asked
        self._theirs, self._odd = theirs, odd_log(header)
        if self._odd:
            header = theirs.read_header(self._odd)
        said = nested_dict(header, "eval")
        self._head, self._said = head, said
        self._task = storable_text(said.get("task") or "task")
        self._version = storable_text(said.get("task_version") or "1")
        self._own = own_agent(nested_dict(said, "metadata"))
        agent = self._own or _inspect_agent(said, nested_dict(header, "plan"))
        self._agent = agent if self._own else replace(agent, name=names.get(agent.hash, agent.name))
        results = nested_dict(header, "results")
        self._scores = objects_of(results.get("scores"))
        listed = [storable_text(each.get("name") or "") for each in self._scores]
        measured = [name for name, each in zip(listed, self._scores, strict=True) if nested_dict(each, "metrics")]
        # What has no metric is no verdict of the log: it only keeps a diff, or a note.
        self._measured, self._first = measured, next(iter(measured), "")
        self._beyond = {name for name, each in zip(listed, self._scores, strict=True) if is_beyond_shares(each)}
        self._passed_over = listed[: listed.index(self._first) if measured else len(listed)]
        self._total = count_of(results.get("total_samples"))
        self._values: dict[str, list[tuple[str, float | None]]] = defaultdict(list)
        self._counts: Counter[str] = Counter()
        self._lost = 0
        self._status = storable_text(header.get("status") or "started")

    def unreadable_sample(self, where: str, kind: str, error: FormatError) -> Defect:
        """A sample that cannot be read."""
        self._lost += 1
        return refused_defect(where, kind, str(error))

    def sample_by_inspect(self, where: str, which: str | int, why: str) -> Iterator[Item]:
        """The trial of a sample whose shape is not known here, as Inspect reads it."""
        try:
            data = self._theirs.sample(which, why)
        except FormatError as error:
            yield self.unreadable_sample(where, "unknown shape", error)
            return
        yield noted_defect(recorded_place(self._head), "read by Inspect", f"{why}: Inspect's own reader was asked")
        yield from self._take_sample(_decoded_document(data, _Sample), data, where)

    def sample(self, data: bytes, where: str, which: str | int) -> Iterator[Item]:
        """The trial of a sample."""
        try:
            found = _decoded_document(data, _Sample)
        except FormatError as error:
            yield self.unreadable_sample(where, "unreadable sample", error)
            return
        if why := self._odd or odd_sample(found):
            yield from self.sample_by_inspect(where, which, why)
        else:
            yield from self._take_sample(found, data, where)

    def _take_sample(self, found: _Sample, data: bytes, where: str) -> Iterator[Item]:
        if self._own is not None and (again := own_sample(data)) is not None:
            yield from self._reread_own(again, found, where)
            return
        messages = objects_of(found.messages)
        if not messages:
            more = _decoded_document(data, _Events)
            messages = last_exchange(more.events, more.events_data, more.attachments)
        steps = chat_steps(with_attachments(messages, nested_dict(found.attachments)))
        scores = self._named_scores(found)
        values = {name: _score_share(score.get("value")) for name, score in scores.items()}
        failed = found.error
        for name, value in values.items():
            is_share = name == self._first and name not in self._beyond
            said = value if is_share else _metric_value(scores[name].get("value"), value)
            self._values[name].append((storable_text(found.id), None if failed else said))
        if self._first in self._beyond and self._first in values:
            values[self._first] = None
        epoch = count_of(found.epoch)
        if self._taken is not None:
            key = (storable_text(found.id), epoch or 1)
            if key in self._taken:
                self._superseded += 1
                self._counts["error" if failed else "sample"] += 1
                yield refused_defect(where, "superseded", "a newer log of the same run has the sample")
                return
            self._taken.add(key)
        if isinstance(nested_dict(nested_dict(found.scores).get(self._first)).get("value"), dict):
            # A figure of all parts: one of them decides.
            self._first = next((name for name in self._measured if name in scores), self._first)
        first = self._first
        known = any(storable_text(each.get("name") or "") in scores for each in self._scores)
        if first not in scores and not known and bool(first) is bool(self._scores):
            # A log without results, or with other names in them.
            first = next(iter(scores), "")
        score, limit = values.get(first), nested_dict(found.limit)
        outcome, share, reason = _sample_outcome(score, limit, failed, first in scores)
        if found.invalidation:
            why = storable_text(nested_dict(found.invalidation).get("reason") or "no reason is given")[:500]
            outcome, share, reason = Outcome.VOID, None, f"invalidated: {why}"
        self._counts["error" if failed else "limit" if limit else "sample"] += 1
        checks = tuple(
            Check(
                id=name,
                status="passed" if values[name] == 1 else "failed",
                message=storable_text(each.get("explanation") or storable_text(each.get("value")))[:1000],
            )
            for name, each in scores.items()
            if values[name] in (0, 1) or name == first
        )
        made = imported_trial(
            where,
            outcome,
            epoch - 1 if epoch else -1,
            score=share,
            reason=reason,
            verdict=Verdict(hidden=CheckRun(checks=checks)) if checks and outcome is not Outcome.VOID else Verdict(),
            usage=_model_usage(nested_dict(found.model_usage)),
            started_at=time_said(found.started_at),
            seconds=number_of(found.total_time),
            agent_seconds=number_of(found.working_time),
        )
        instruction = _user_instruction(found.input)
        task = Task(id=self._task_id(found.id, instruction), version=self._version, instruction=instruction)
        stop = storable_text(limit.get("type") or "") if limit else "error" if failed else ""
        more = {name: getattr(found, name) for name in ("target", "scores", "metadata", "store", "invalidation")}
        kept = {name: value for name, value in more.items() if value not in (None, "", [], {})}
        files = {"sample.json": json.dumps(kept, indent=1).encode()} if kept else {}
        yield FoundTrial(
            self._agent, task, made, Trajectory(steps=steps, stop=stop), files, key=storable_text(found.uuid or "")
        )

    def _task_id(self, sample: object, instruction: str) -> str:
        """The id of a sample's task: of another one where another log asked something else under this id."""
        name = f"{self._task}.{storable_text(sample)}"
        if self._asked is None:
            return name
        said = digest(instruction)[:8]
        return name if self._asked.setdefault(name, said) == said else f"{name}-{said}"

    def _named_scores(self, found: _Sample) -> dict[str, Mapping[str, object]]:
        """The scores of a sample by the names that the results have for them; of a value of several parts each one."""
        said = nested_dict(found.scores) or ({self._first or "score": found.score} if found.score is not None else {})
        scores: dict[str, Mapping[str, object]] = {}
        for name, score in said.items():
            parts = nested_dict(score).get("value")
            if isinstance(parts, list):
                parts = {str(number): each for number, each in enumerate(parts)}
            if not isinstance(parts, dict):
                scores[storable_text(name)] = nested_dict(score)
                continue
            known = {storable_text(each.get("name") or "") for each in self._scores if each.get("scorer") == name}
            for part, value in parts.items():
                label = storable_text(part)
                scores[label if label in known else f"{storable_text(name)}.{label}"] = {
                    **nested_dict(score),
                    "value": value,
                }
        return scores

    def _reread_own(self, own: Own, found: _Sample, where: str) -> Iterator[Item]:
        """A trial that we wrote, with the score that it has now."""
        made, score = own.trial, _score_share(nested_dict(nested_dict(found.scores).get(KEY)).get("value"))
        if score != share_said(made):
            share = None if score is None else outcome_of(score)
            outcome, grade = share or (Outcome.VOID, None)
            made = replace(made, outcome=outcome, score=grade)
            yield repaired_defect(
                where, "score changed", f"it is {score} now, and was {share_said(own.trial)} when written"
            )
        self._counts["sample"] += 1
        task = replace(own.task, instruction=_user_instruction(found.input))
        yield FoundTrial(self._agent, task, made, own.trajectory, file=recorded_place(self._head))

    def log_defects(self) -> Iterator[Item]:
        """The defects of the log as a whole, after its samples."""
        where, seen = recorded_place(self._head), sum(self._counts.values())
        if not seen and self._lost:
            # Each of the samples is refused.
            return
        if not seen:
            total = f" of {self._total}" if self._total else ""
            yield refused_defect(where, "no samples", f"its status is {self._status}; none{total} is in the file")
            return
        if self._status not in {"success", "None"}:
            yield noted_defect(where, "unfinished run", f"its status is {self._status}")
        if self._total is not None and self._total != seen + self._lost:
            yield noted_defect(
                where, "samples missing", f"{seen + self._lost} of {self._total} samples are in the file"
            )
        if self._superseded:
            # What it says of its samples, the newer log says.
            return
        if self._counts["error"]:
            detail = f"{self._counts['error']} of {seen} samples have an error, and are void here; the log drops them"
            yield noted_defect(where, "errors in the log", detail, self._counts["error"])
        if self._passed_over:
            said = f"{self._first} decides" if self._first else "nothing decides, and its samples are void"
            yield noted_defect(where, "scorer without a metric", f"{', '.join(self._passed_over)[:200]}: {said}")
        if self._own is None:
            yield from own_metrics(where, self._first, self._scores, self._values[self._first])
        for score in self._scores:
            yield from odd_metrics(where, score, self._values[storable_text(score.get("name") or "")], seen)


def _inspect_agent(said: Mapping[str, object], plan: Mapping[str, object]) -> Agent:
    steps = [storable_text(step.get("solver") or "") for step in objects_of(plan.get("steps"))]
    solver = storable_text(said.get("solver") or "") or "+".join(filter(None, steps))
    model = storable_text(said.get("model") or "")
    config, generate = nested_dict(said, "config"), nested_dict(said, "model_generate_config")
    settings: Settings = {"solver": solver}
    for name in _LIMITS:
        if isinstance(config.get(name), int | float):
            settings[name] = config[name]
    given = {"task_args": said.get("task_args"), "model_args": said.get("model_args"), "generate": generate}
    settings |= {name: storable_text(json.dumps(found))[:2000] for name, found in given.items() if found}
    version = storable_text(nested_dict(said, "packages").get("inspect_ai") or "")
    name = " ".join(filter(None, (model, f"({solver})" if solver and solver != "generate" else "")))
    return Agent(name=name or "inspect", program="inspect", version=version, model=model, settings=settings)


def _score_share(value: object) -> float | None:
    """A score as a share of 1; None where it is none."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        if value in _LETTERS:
            return _LETTERS[value]
        if value.lower() in _WORDS:
            return _WORDS[value.lower()]
        try:
            value = float(value)
        except ValueError:
            return None
    return share_of(value)


def _metric_value(value: object, share: float | None) -> float | None:
    """What a score is in a metric: any number, not only a share of 1."""
    return share if share is not None or isinstance(value, dict | list) else finite_number(str(value))


def _sample_outcome(
    score: float | None, limit: Mapping[str, object], error: object, scored: bool
) -> tuple[Outcome, float | None, str]:
    why = storable_text(nested_dict(error).get("message") or "error")[:500] if error else ""
    if error and score is None:
        return Outcome.VOID, None, why
    ran_out = f"{storable_text(limit.get('type') or 'limit')} limit" if limit else ""
    if score is None and limit:
        return Outcome.LIMIT, None, ran_out
    if score is None:
        return Outcome.VOID, None, "no share of 1" if scored else "not judged"
    outcome, share = outcome_of(score)
    if limit and outcome is Outcome.FAILED and share is None:
        outcome = Outcome.LIMIT
    return outcome, share, ran_out or why


def _model_usage(found: Mapping[str, object]) -> Usage:
    each = [nested_dict(said) for said in found.values()]

    def known_total(name: str) -> int | None:
        known = [count for said in each if (count := count_of(said.get(name))) is not None]
        return sum(known) if known else None

    read, written, fresh = (
        known_total(name) for name in ("input_tokens_cache_read", "input_tokens_cache_write", "input_tokens")
    )
    costs = [cost for said in each if (cost := number_of(said.get("total_cost"))) is not None]
    usd = math.fsum(costs) if costs else None
    return cached_usage(fresh, read, written, output_tokens=known_total("output_tokens"), usd=usd)


def _user_instruction(found: object) -> str:
    if isinstance(found, str):
        return storable_text(found)
    # Of a conversation the last one.
    return first_request(reversed(chat_steps(objects_of(found))))


READER = FileReader("inspect", recognises, read)
