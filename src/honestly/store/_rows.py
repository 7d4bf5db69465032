"""Records as rows: how each kind is inserted, and read back with its check sum verified.

Inserting happens inside the caller's transaction. What is there already with the same content is skipped for
everything but trials: a trial that is planned twice is a mistake that must be heard of.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

import msgspec

from honestly.errors import FormatError, StoreError, StudyDamagedError
from honestly.records import (
    Agent,
    Attempt,
    Defect,
    Finding,
    Outcome,
    Record,
    Review,
    StudyFacts,
    Task,
    Trial,
    Verdict,
    decode,
    digest,
    encode,
)
from honestly.store._database import Database, Rows
from honestly.store._payloads import unpacked_frame, write_artifact, write_steps, zstd_frame
from honestly.store._schema import intact_columns, row_sum, write_row
from honestly.store._types import Blob, Cell, Item, Steps

R = TypeVar("R", bound=Record)
T = TypeVar("T")

FACTS = StudyFacts.__struct_fields__
"""Names in the table of facts that are not what somebody keeps there."""


def insert_item(db: Database, item: Item) -> int:
    """Insert one item; 1 if it was new, else 0.

    Raises:
        StoreError: it contradicts what is there, or refers to what is not.
    """
    match item:
        case Agent():
            return _named_record(db, "agents", "name", item.name, item.hash, _record_json(item))
        case Task():
            record = _record_json(item).encode()
            return _named_record(db, "tasks", "id", item.id, item.hash, len(record), zstd_frame(record))
        case Finding():
            return _insert_record(db, "findings", (item.trial, item.detector, item.state), item)
        case Review():
            return _insert_record(db, "reviews", (item.trial,), item)
        case Defect():
            return _insert_record(db, "defects", (), item)
        case (trial, _, _):
            return _insert_trial(db, item, _ask_before(db, trial).fetchone())
        case _:
            raise StoreError(f"a study contains records and trials with their payloads, not {type(item).__name__}")


def insert_together(db: Database, items: Sequence[Item]) -> list[int]:
    """As `insert` for each; where they are trials and their findings, in two round trips, however many they are."""
    trials = [item for item in items if isinstance(item, tuple)]
    cells = {(trial.agent, trial.task, trial.sample) for trial, *_ in trials}
    if len(cells) < len(trials) or not all(isinstance(item, tuple | Finding) for item in items):
        return [insert_item(db, item) for item in items]
    asked = [_ask_before(db, trial) for trial, *_ in trials]
    files = 0
    for at, (item, rows) in enumerate(zip(trials, asked, strict=True)):
        *there, number, artifact = rows.fetchone()
        _insert_trial(db, item, (*there, number + at, artifact + files))
        files += len(item[-1])
    return [1 if isinstance(item, tuple) else insert_item(db, item) for item in items]


def read_trial(row: tuple[object, ...]) -> Trial:
    """Trial of a whole row of `trials`."""
    return read_record(intact_columns("a trial", row)[-1], Trial)


class _Score(msgspec.Struct, frozen=True):
    """The score in a trial's record beyond the row's columns."""

    score: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    earlier: tuple[Attempt, ...] = ()
    verdict: Verdict = Verdict()


ENDED = (
    "SELECT outcome, agent, CASE WHEN outcome = 'void' THEN reason ELSE '' END, count(*), sum(usd)"
    " FROM trials GROUP BY 1, 2, 3"
)
"""How trials ended. Grouped by the outcome first, so that the table is read from end to end, not by way of an index."""


_TOLD = ('"score":', '"earlier":', '"undecided":')
"""One of which is in a record that tells more."""


def read_cell(row: tuple[Any, ...]) -> Cell:
    """Cell of a whole row of `trials`."""
    _, *columns, record = intact_columns("a trial", row)
    name, agent, task, sample, outcome, reason, visible, hidden, tampered, usd = columns
    try:
        more = msgspec.json.decode(record, type=_Score) if any(map(record.__contains__, _TOLD)) else _Score()
        return Cell(
            *(name, agent, task, sample, Outcome(outcome), reason),
            *(_flag_or_none(visible), _flag_or_none(hidden), bool(tampered), usd, more.score),
            doubt=more.verdict.doubt,
            earlier=more.earlier,
        )
    except (msgspec.DecodeError, ValueError) as error:
        raise StudyDamagedError(f"trial {name} of the study contains what is none: {error}") from error


def read_task(row: tuple[object, ...]) -> Task:
    """Task of a whole row of `tasks`."""
    _, _, size, packed = intact_columns("a task", row)
    if not isinstance(size, int) or not isinstance(packed, bytes):
        raise StudyDamagedError("a task of the study is not stored as a task; restore the study from a copy")
    return read_record(unpacked_frame(packed, size), Task)


def read_record(data: object, kind: type[R]) -> R:
    """Record from its JSON."""
    if not isinstance(data, str | bytes):
        raise StudyDamagedError(f"a {kind.__name__} of the study is not JSON; restore the study from a copy")
    try:
        return decode(data, kind)
    except FormatError as error:
        raise StudyDamagedError(f"the study contains what is {error}; restore it from a copy") from error


def _record_json(record: Record) -> str:
    try:
        return encode(record).decode()
    except UnicodeEncodeError as error:
        raise StoreError(
            f"a {type(record).__name__} cannot be stored: {error}; decode its text with errors='replace'"
        ) from error


def _named_record(db: Database, table: str, key: str, name: str, content: str, *rest: object) -> int:
    """Insert an agent or a task, unless it is there; its name belongs to one content for ever."""
    found = db.execute(f"SELECT hash FROM {table} WHERE {key} = ?", (name,)).fetchone()  # noqa: S608 (names are ours)
    if found is not None:
        if found[0] != content:
            raise StoreError(
                f"the study has another of the {table} named {name!r} (hash {found[0]}, not {content}); "
                "rename it, or start a new study"
            )
        return 0
    write_row(db, table, name, content, *rest)
    return 1


def _insert_record(db: Database, table: str, columns: tuple[str, ...], record: Record) -> int:
    if columns and db.execute("SELECT 1 FROM trials WHERE id = ?", columns[:1]).fetchone() is None:
        raise StoreError(f"the study has no trial {columns[0]!r}, so nothing can be noted about it")
    row = (*columns, digest(table, record), _record_json(record))
    (number,) = db.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {table}").fetchone()  # noqa: S608
    marks = "?, " * (len(row) + 1)
    added = db.execute(
        f"INSERT INTO {table} VALUES ({marks}?) ON CONFLICT (hash) DO NOTHING",  # noqa: S608
        (number, *row, row_sum(number, *row)),
    )
    return added.rowcount


_BEFORE = """SELECT (SELECT 1 FROM agents WHERE name = ?), (SELECT 1 FROM tasks WHERE id = ?),
    (SELECT id FROM trials WHERE id = ? OR (agent, task, sample) = (?, ?, ?) ORDER BY number LIMIT 1),
    (SELECT coalesce(max(number), 0) + 1 FROM trials), (SELECT coalesce(max(number), 0) + 1 FROM artifacts)"""
"""What must be known before a trial is added, in one question."""


def _ask_before(db: Database, trial: Trial) -> Rows:
    return db.execute(_BEFORE, (trial.agent, trial.task, trial.id, trial.agent, trial.task, trial.sample))


def _insert_trial(
    db: Database, item: tuple[Trial, Steps, Mapping[str, Blob]], before: tuple[object, object, object, int, int]
) -> int:
    trial, trajectory, artifacts = item
    agent, task, found, number, first = before
    for there, table, value in ((agent, "agents", trial.agent), (task, "tasks", trial.task)):
        if there is None:
            raise StoreError(f"trial {trial.id} names {value!r}, which is not among the study's {table}; add it first")
    if found is not None:
        what = "itself" if found == trial.id else f"sample {trial.sample} of its cell as {found}"
        raise StoreError(f"trial {trial.id} is not new: the study has {what} already")
    write_trial(db, number, trial)
    write_steps(db, number, trajectory)
    for at, (name, content) in enumerate(artifacts.items(), first):
        write_artifact(db, number, name, content, at)
    return 1


def write_trial(db: Database, number: int, trial: Trial, *, again: bool = False) -> None:
    """Write the row of a trial; `again`: in place of the one with this number."""
    verdict = trial.verdict
    write_row(
        db,
        "trials",
        number,
        trial.id,
        trial.agent,
        trial.task,
        trial.sample,
        trial.outcome.value,
        trial.reason,
        None if verdict.visible is None else int(verdict.visible.passed),
        None if verdict.hidden is None else int(verdict.hidden.passed),
        int(bool(verdict.tampered)),
        None if trial.usage.usd is None else float(trial.usage.usd),
        _record_json(trial),
        again=again,
    )


def _flag_or_none(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def write_facts(db: Database, facts: StudyFacts) -> None:
    """Put facts into their table, in place of all that were there."""
    plain = facts.to_plain()
    for name in FACTS:
        if name in plain:
            put_fact(db, name, plain[name])
        else:
            db.execute("DELETE FROM facts WHERE name = ?", (name,))


def as_kind(kind: type[T], value: object, name: str) -> T:
    """The value kept under a name."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise StoreError(f"what the study keeps as {name!r} is no {kind.__name__} of this honestly: {error}") from error


def put_fact(db: Database, name: str, value: object) -> None:
    """Keep something under a name, in place of what was there."""
    write_row(db, "facts", name, encode(value).decode(), again=True)
