"""A table of results as a study: CSV, TSV or JSON, one row for each trial, or for each cell with a number of samples.

Columns are known by their names (`COLUMNS`); those that nobody knows are left out, and counted as a defect. A row says
`passed`, `failed`, `limit` or `void`, or true or false, or a score from 0 to 1; with a column `count` the share of so
many samples that passed, as eval-arena writes it. What a row says of its task (cluster, weight, category, language,
difficulty, date) becomes the task's tags; the first row of a task counts.

Not covered: a task's text.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from honestly.errors import FormatError
from honestly.formats._files import Tally, read_bytes
from honestly.formats._imported import Imported, storable
from honestly.formats._rows import ProblemRow, rows
from honestly.records import Agent, Defect, Outcome, Tags, Task, Trial, Usage, digest

COLUMNS = {
    "agent": ("agent", "model"),
    "task": ("task", "question", "example_id", "instance_id", "task_id"),
    "outcome": ("outcome", "passed", "resolved", "pass1", "correct", "score", "reward"),
    "count": ("count",),
    "condition": ("condition",),
    "usd": ("usd", "cost"),
    **{name: (name,) for name in ("cluster", "weight", "category", "language", "difficulty", "date")},
}
"""What a column is, and the names that it may have; the first that is there counts."""

_TAGS = ("cluster", "weight", "category", "language", "difficulty", "date")
_MAX_CSV = 256 << 20
_MOST_SAMPLES = 100_000
_WORDS = {"true": Outcome.PASSED, "false": Outcome.FAILED} | {str(outcome): outcome for outcome in Outcome}


def table_rows(path: Path) -> Iterator[tuple[str, ProblemRow]]:
    """Each row of a table with its place; by its name a file is CSV, TSV or JSON.

    Raises:
        FormatError: the file cannot be read, or holds something else.
    """
    kind = path.suffix.lower()
    if kind not in {".csv", ".tsv"}:
        yield from rows(path)
        return
    try:
        text = read_bytes(path, _MAX_CSV).decode("utf-8-sig")
        for number, row in enumerate(csv.DictReader(io.StringIO(text), delimiter="," if kind == ".csv" else "\t"), 2):
            yield f"{path}:{number}", {name: value for name, value in row.items() if name}
    except (FormatError, UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"{path} cannot be read as a table: {error}") from error


def read_trial_table(
    root: Path, progress: Callable[[str, int], None] | None = None
) -> Iterator[Agent | Task | Imported | Defect]:
    """Read the trials of a table, agents and tasks before the trials that name them.

    Raises:
        FormatError: a row has no agent, task or outcome, or one that makes no sense; the message begins with its place.
    """
    tally = Tally()
    agents: set[str] = set()
    tasks: dict[str, Tags] = {}
    samples: Counter[tuple[str, str]] = Counter()
    for where, row in table_rows(root):
        known = _known(row, root, tally)
        agent, task = _text(known, "agent", where), _text(known, "task", where)
        if known.get("condition"):
            agent = f"{agent}|{storable(known['condition'])}"
        if agent not in agents:
            agents.add(agent)
            yield Agent(name=agent)
        tags = _tags(known, where)
        if task not in tasks:
            tasks[task] = tags
            yield Task(id=task, instruction="", tags=tags)
        elif tags != tasks[task]:
            tally.add("tags vary", f"task {task}", "those of the first row count")
        outcomes = _outcomes(known, where)
        usd = _number(known, "usd", where) if len(outcomes) == 1 and known.get("usd") not in {None, ""} else None
        for outcome, score in outcomes:
            sample = samples[agent, task]
            samples[agent, task] += 1
            trial = Trial(
                id=digest(agent, task, sample),
                agent=agent,
                task=task,
                sample=sample,
                outcome=outcome,
                score=score,
                usage=Usage(usd=usd),
                source=where,
            )
            yield Imported(trial, None, {})
        if progress is not None:
            progress(agent, samples.total())
    if not samples:
        raise FormatError(f"{root} holds no row; expected columns agent, task and outcome")
    yield from tally.defects()


def recognises(root: Path) -> bool:
    """Whether `root` is a file whose first row has an agent, a task and an outcome."""
    try:
        _, row = next(table_rows(root), ("", {}))
    except FormatError:
        return False
    return all(any(name in row for name in COLUMNS[what]) for what in ("agent", "task", "outcome"))


def _known(row: ProblemRow, root: Path, tally: Tally) -> ProblemRow:
    found = {what: next((name for name in names if name in row), None) for what, names in COLUMNS.items()}
    for name in row.keys() - set(found.values()):
        tally.add("column left out", root.name, str(name))
    return {what: row[name] for what, name in found.items() if name is not None}


def _text(known: ProblemRow, what: str, where: str) -> str:
    value = known.get(what)
    if value is None or not str(value).strip():
        raise FormatError(f"{where}: no {what}; expected a column {' or '.join(COLUMNS[what])}")
    return storable(value)


def _number(known: ProblemRow, what: str, where: str) -> float:
    try:
        value = float(str(known[what]))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(f"{where}: {what} {known[what]!r} is no number")
    return value


def _outcomes(known: ProblemRow, where: str) -> list[tuple[Outcome, float | None]]:
    """The outcome of each sample, and its score where that is neither 0 nor 1."""
    said = _text(known, "outcome", where).strip().lower()
    if said in _WORDS:
        return [(_WORDS[said], None)]
    count = _number(known, "count", where) if known.get("count") not in {None, ""} else 1.0
    share = _number(known, "outcome", where)
    passed = round(share * count)
    if not (1 <= count <= _MOST_SAMPLES and count.is_integer() and 0 <= share <= 1):
        raise FormatError(f"{where}: {share:g} of {count:g} samples; expected a share from 0 to 1 of a whole number")
    if abs(share * count - passed) > 1e-6 * count:
        if count == 1:
            return [(Outcome.FAILED, share)]
        raise FormatError(f"{where}: {share:g} of {count:g} samples is no whole number; a row for each graded sample")
    outcomes = [Outcome.PASSED] * passed + [Outcome.FAILED] * (int(count) - passed)
    return [(outcome, None) for outcome in outcomes]


def _tags(known: ProblemRow, where: str) -> Tags:
    said = {name: known[name] for name in _TAGS if known.get(name) not in {None, ""}}
    if "weight" in said:
        said["weight"] = _number(known, "weight", where)
    if "date" in said:
        said["date"] = _day(said["date"])
    said |= {name: storable(said[name]).lower() for name in ("difficulty", "language") if name in said}
    said |= {name: storable(said[name]) for name in ("cluster", "category") if name in said}
    try:
        return msgspec.convert(said, Tags)
    except msgspec.ValidationError as error:
        raise FormatError(f"{where}: {error}") from error


def _day(value: object) -> object:
    """A day from ISO's form, or from seconds or milliseconds since 1970."""
    if isinstance(value, int | float) and 0 <= value < 1e14:
        return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC).date().isoformat()
    return str(value)[:10]
