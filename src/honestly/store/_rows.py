"""Records as rows: how each kind is inserted, and read back with its check sum verified.

Inserting happens inside the caller's transaction. What is there already with the same content is skipped for
everything but trials: a trial that is planned twice is a mistake that must be heard of.
"""

import sqlite3
from typing import Any, TypeVar

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
    Task,
    Trial,
    decode,
    digest,
    encode,
)
from honestly.store._payloads import pack, unpack, write_artifact, write_steps
from honestly.store._protocol import Cell, Item
from honestly.store._schema import row_sum, write_row

R = TypeVar("R", bound=Record)


def insert(db: sqlite3.Connection, item: Item) -> int:
    """Insert one item; 1 if it was new, else 0.

    Raises:
        StoreError: it contradicts what is there, or refers to what is not.
    """
    match item:
        case Agent():
            return _named(db, "agents", "name", item.name, item.hash, _json(item))
        case Task():
            record = _json(item).encode()
            return _named(db, "tasks", "id", item.id, item.hash, len(record), pack(record))
        case Finding():
            return _note(db, "findings", (item.trial, item.detector, item.state), item)
        case Review():
            return _note(db, "reviews", (item.trial,), item)
        case Defect():
            return _note(db, "defects", (), item)
        case (trial, trajectory, artifacts):
            number = _trial(db, trial)
            write_steps(db, number, trajectory)
            for name, content in artifacts.items():
                write_artifact(db, number, name, content)
            return 1
        case _:
            raise StoreError(f"a study holds records and trials with their payloads, not {type(item).__name__}")


def read_trial(row: tuple[object, ...]) -> Trial:
    """Trial of a whole row of `trials`."""
    return read_record(intact("a trial", row)[-1], Trial)


CELLS = (
    "SELECT id, agent, task, sample, outcome, reason, visible, hidden, tampered, usd,"
    " CASE WHEN instr(record, '\"score\":') THEN record ->> '$.score' END,"
    " CASE WHEN instr(record, '\"earlier\":') THEN record -> '$.earlier' END"
    " FROM trials ORDER BY agent, task, sample"
)
"""The columns that a cell is made of, of all trials."""


ENDED = (
    "SELECT outcome, agent, CASE WHEN outcome = 'void' THEN reason ELSE '' END, count(*), sum(usd)"
    " FROM trials GROUP BY 1, 2, 3"
)
"""How trials ended. Grouped by the outcome first, so that the table is read from end to end, not by way of an index."""


def read_cell(row: tuple[Any, ...]) -> Cell:
    """Cell of the columns of `CELLS`."""
    name, agent, task, sample, outcome, reason, visible, hidden, tampered, usd, score, earlier = row
    return Cell(
        *(name, agent, task, sample, Outcome(outcome), reason),
        *(_flag(visible), _flag(hidden), bool(tampered), usd, _score(score), _attempts(earlier)),
    )


def read_task(row: tuple[object, ...]) -> Task:
    """Task of a whole row of `tasks`."""
    _, _, size, packed = intact("a task", row)
    if not isinstance(size, int) or not isinstance(packed, bytes):
        raise StudyDamagedError("a task of the study is not stored as a task; restore the study from a copy")
    return read_record(unpack(packed, size), Task)


def read_record(data: object, kind: type[R]) -> R:
    """Record from its JSON."""
    if not isinstance(data, str | bytes):
        raise StudyDamagedError(f"a {kind.__name__} of the study is not JSON; restore the study from a copy")
    try:
        return decode(data, kind)
    except FormatError as error:
        raise StudyDamagedError(f"the study holds what is {error}; restore it from a copy") from error


def intact(what: str, row: tuple[object, ...]) -> tuple[object, ...]:
    """The columns of a row without its check sum.

    Raises:
        StudyDamagedError: they are not what was written.
    """
    *columns, total = row
    if row_sum(*columns) != total:
        raise StudyDamagedError(f"{what} in the study does not match its check sum; restore the study from a copy")
    return tuple(columns)


def _json(record: Record) -> str:
    try:
        return encode(record).decode()
    except UnicodeEncodeError as error:
        raise StoreError(
            f"a {type(record).__name__} cannot be stored: {error}; decode its text with errors='replace'"
        ) from error


def _named(db: sqlite3.Connection, table: str, key: str, name: str, content: str, *rest: object) -> int:
    """Insert an agent or a task, unless it is there; its name belongs to one content for ever."""
    found = db.execute(f"SELECT hash FROM {table} WHERE {key} = ?", (name,)).fetchone()  # noqa: S608 (names are ours)
    if found is not None:
        if found[0] != content:
            raise StoreError(
                f"the study has another of the {table} named {name!r} (hash {found[0]}, not {content}); "
                "rename it, or begin a new study"
            )
        return 0
    write_row(db, table, name, content, *rest)
    return 1


def _note(db: sqlite3.Connection, table: str, columns: tuple[str, ...], record: Record) -> int:
    if columns and db.execute("SELECT 1 FROM trials WHERE id = ?", columns[:1]).fetchone() is None:
        raise StoreError(f"the study has no trial {columns[0]!r}, so nothing can be noted about it")
    row = (*columns, digest(table, record), _json(record))
    (number,) = db.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {table}").fetchone()  # noqa: S608
    marks = "?, " * (len(row) + 1)
    added = db.execute(
        f"INSERT INTO {table} VALUES ({marks}?) ON CONFLICT (hash) DO NOTHING",  # noqa: S608
        (number, *row, row_sum(number, *row)),
    )
    return added.rowcount


def _trial(db: sqlite3.Connection, trial: Trial) -> int:
    for table, key, value in (("agents", "name", trial.agent), ("tasks", "id", trial.task)):
        if db.execute(f"SELECT 1 FROM {table} WHERE {key} = ?", (value,)).fetchone() is None:  # noqa: S608
            raise StoreError(f"trial {trial.id} names {value!r}, which is not among the study's {table}; add it first")
    found = db.execute(
        "SELECT id FROM trials WHERE id = ?1 OR (agent, task, sample) = (?2, ?3, ?4)",
        (trial.id, trial.agent, trial.task, trial.sample),
    ).fetchone()
    if found is not None:
        what = "itself" if found[0] == trial.id else f"sample {trial.sample} of its cell as {found[0]}"
        raise StoreError(f"trial {trial.id} is not new: the study has {what} already")
    (number,) = db.execute("SELECT coalesce(max(number), 0) + 1 FROM trials").fetchone()
    write_trial(db, int(number), trial)
    return int(number)


def write_trial(db: sqlite3.Connection, number: int, trial: Trial, verb: str = "INSERT") -> None:
    """Write the row of a trial; `REPLACE` in place of the one with this number."""
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
        _json(trial),
        verb=verb,
    )


def _score(value: object) -> float | None:
    if value is None or (isinstance(value, int | float) and 0 <= value <= 1):
        return value
    raise StudyDamagedError(f"a trial's score is {value!r}; expected a number from 0 to 1")


def _attempts(value: str | None) -> tuple[Attempt, ...]:
    try:
        return () if value is None else msgspec.json.decode(value, type=tuple[Attempt, ...])
    except msgspec.DecodeError as error:
        raise StudyDamagedError(f"the earlier attempts at a trial cannot be read: {error}") from error


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)
