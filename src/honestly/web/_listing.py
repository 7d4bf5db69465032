"""The trials of a study as a small table in memory, which SQLite filters, sorts and cuts into windows.

A row holds what `honestly show` lists and what people filter by beside it. It is made from the study's records once,
so that a window of a hundred thousand trials costs some milliseconds.
"""

import sqlite3
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

from honestly.records import Agent, Tags, Trial
from honestly.store import SqliteStore
from honestly.studies import TrialRow


class Column(NamedTuple):
    """One column of the table."""

    name: str
    kind: str
    """`TEXT`, `INTEGER` or `REAL`."""
    title: str
    """What stands above it."""


COLUMNS = (
    Column("id", "TEXT", "id"),
    Column("agent", "TEXT", "agent"),
    Column("task", "TEXT", "task"),
    Column("sample", "INTEGER", "sample"),
    Column("outcome", "TEXT", "outcome"),
    Column("reason", "TEXT", "reason"),
    Column("visible", "INTEGER", "visible"),
    Column("hidden", "INTEGER", "hidden"),
    Column("tampered", "INTEGER", "tampered"),
    Column("score", "REAL", "score"),
    Column("checks", "TEXT", "checks"),
    Column("seconds", "REAL", "seconds"),
    Column("usd", "REAL", "cost"),
    Column("input_tokens", "INTEGER", "tokens read"),
    Column("output_tokens", "INTEGER", "tokens written"),
    Column("attempts", "INTEGER", "attempts"),
    Column("started_at", "TEXT", "started"),
    Column("program", "TEXT", "harness"),
    Column("model", "TEXT", "model"),
    Column("category", "TEXT", "category"),
    Column("language", "TEXT", "language"),
    Column("difficulty", "TEXT", "difficulty"),
    Column("flags", "INTEGER", "findings"),
)
NAMES = tuple(column.name for column in COLUMNS)
_TITLES = {column.name: column.title for column in COLUMNS}


@dataclass(frozen=True, slots=True)
class Condition:
    """What a row must fulfil: SQL that this program wrote, and values that somebody else did."""

    sql: str
    values: tuple[str | int | float, ...] = ()


Ask = Callable[..., list[tuple[Any, ...]]]


class Listing:
    """The table; any thread may ask it."""

    def __init__(self, connection: sqlite3.Connection, *, whole: bool = True) -> None:
        self.whole = whole
        """Whether all trials are in it."""
        self._ask = _asker(connection)
        self._sorted = lru_cache(8)(partial(_sorted, self._ask))

    @classmethod
    def of(cls, store: SqliteStore) -> "Listing":
        """The trials of a study."""
        return cls(_table(_rows(store)))

    @classmethod
    def first(cls, store: SqliteStore, most: int = 100) -> "Listing":
        """The first trials of a study, which are there at once."""
        return cls(_table(islice(_rows(store), most)), whole=False)

    def count(self, conditions: Sequence[Condition] = ()) -> int:
        """How many trials fulfil all conditions."""
        where, values = _where(conditions)
        return int(self._ask(f"SELECT count(*) FROM trials{where}", values)[0][0])

    def rows(
        self, conditions: Sequence[Condition] = (), order: str = "", start: int = 0, most: int = 100
    ) -> list[dict[str, object]]:
        """A window of the trials that fulfil all conditions.

        Args:
            conditions: all must hold.
            order: a column; `-column` descends; what is not known comes last.
            start: of the window.
            most: of rows.
        """
        numbers = self._sorted(tuple(conditions), order)[start : start + most].tolist()
        query = f"SELECT number, {', '.join(NAMES)} FROM trials WHERE number IN ({', '.join('?' * len(numbers))})"
        rows = {row[0]: dict(zip(NAMES, row[1:], strict=True)) for row in self._ask(query, numbers)}
        return [rows[number] for number in numbers]

    def facets(self, column: str, conditions: Sequence[Condition] = (), most: int = 50) -> list[tuple[str, int]]:
        """The commonest values of a column, with how many trials have each."""
        where, values = _where(conditions)
        rows = self._ask(
            f"SELECT {_known(column)}, count(*) FROM trials{where} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
            (*values, most),
        )
        return [("" if value is None else str(value), count) for value, count in rows]

    def place(self, trial: str, conditions: Sequence[Condition] = (), order: str = "") -> tuple[int, str, str] | None:
        """Where a trial stands in the list, from 0, and the ids before and after it; None where it is not in it."""
        numbers = self._sorted(tuple(conditions), order)
        found = self._ask("SELECT number FROM trials WHERE id = ?", (trial,))
        if not found or found[0][0] not in numbers:
            return None
        at = numbers.index(found[0][0])
        near = numbers[max(at - 1, 0) : at + 2].tolist()
        ids: dict[int, str] = dict(
            self._ask(f"SELECT number, id FROM trials WHERE number IN ({', '.join('?' * len(near))})", near)
        )
        return at, ids[near[0]] if at else "", ids[near[-1]] if at + 1 < len(numbers) else ""


def is_one_of(column: str, values: Sequence[str]) -> Condition:
    """The column has one of these values."""
    return Condition(f"{_known(column)} IN ({', '.join('?' * len(values))})", tuple(values))


def title_of(column: str) -> str:
    """What stands above a column."""
    return _TITLES[column]


def _where(conditions: Sequence[Condition]) -> tuple[str, list[object]]:
    if not conditions:
        return "", []
    return " WHERE " + " AND ".join(f"({each.sql})" for each in conditions), [v for c in conditions for v in c.values]


def _order(order: str) -> str:
    name = order.removeprefix("-")
    if not name:
        return "number"
    return f"{_known(name)} IS NULL, {name} {'DESC' if order.startswith('-') else 'ASC'}, number"


def _known(column: str) -> str:
    if column not in _TITLES:
        raise KeyError(column)
    return column


def _asker(connection: sqlite3.Connection) -> Ask:
    lock = threading.Lock()

    def ask(query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with lock:
            return connection.execute(query, tuple(values)).fetchall()

    return ask


def _sorted(ask: Ask, conditions: tuple[Condition, ...], order: str) -> "array[int]":
    """The numbers of all that fulfil the conditions, in order: few bytes, kept, to cut windows from."""
    where, values = _where(conditions)
    return array("l", (row[0] for row in ask(f"SELECT number FROM trials{where} ORDER BY {_order(order)}", values)))


def _table(rows: Iterator[tuple[object, ...]]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    columns = ", ".join(f"{column.name} {column.kind}" for column in COLUMNS)
    connection.execute(f"CREATE TABLE trials (number INTEGER PRIMARY KEY, {columns})")
    connection.executemany(f"INSERT INTO trials VALUES (NULL{', ?' * len(COLUMNS)})", rows)
    connection.execute("CREATE UNIQUE INDEX by_id ON trials (id)")
    connection.commit()
    return connection


def _rows(store: SqliteStore) -> Iterator[tuple[object, ...]]:
    agents = {agent.name: agent for agent in store.agents()}
    tags = {task.id: task.tags for task in store.tasks()}  # never all tasks at once: they hold workspaces
    flags = store.flags()
    for trial in store.trials():
        row = TrialRow.of(trial, impossible=trial.task in tags and tags[trial.task].variant == "impossible")
        yield tuple(_values(row, trial, agents.get(trial.agent), tags.get(trial.task), flags.get(trial.id, 0)))


def _values(row: TrialRow, trial: Trial, agent: Agent | None, tags: Tags | None, flags: int) -> Iterator[object]:
    yield from (row.id, row.agent, row.task, row.sample, row.outcome.value, row.reason)
    yield from (row.visible, row.hidden, row.tampered, row.score, row.checks, row.seconds, row.usd)
    yield from (row.input_tokens, row.output_tokens, row.attempts, trial.started_at)
    yield from (agent.program, agent.model) if agent else ("", "")
    yield from (tags.category, tags.language, tags.difficulty) if tags else ("", "", "")
    yield flags
