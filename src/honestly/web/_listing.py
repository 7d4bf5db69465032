"""The trials of a study as a small table in memory, which SQLite filters, sorts and cuts into windows.

A row holds what `honestly show` lists and what people filter by beside it. It is made from the study's records once,
so that a window of a hundred thousand trials costs some milliseconds.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from honestly.records import Agent, Tags, Trial
from honestly.report import impossible_tasks
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


class Listing:
    """The table; any thread may ask it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    @classmethod
    def of(cls, store: SqliteStore) -> "Listing":
        """The trials of a study."""
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        columns = ", ".join(f"{column.name} {column.kind}" for column in COLUMNS)
        connection.execute(f"CREATE TABLE trials (number INTEGER PRIMARY KEY, {columns})")
        marks = ", ".join("?" * len(COLUMNS))
        connection.executemany(f"INSERT INTO trials VALUES (NULL, {marks})", _rows(store))
        connection.execute("CREATE UNIQUE INDEX by_id ON trials (id)")
        connection.commit()
        return cls(connection)

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
        where, values = _where(conditions)
        rows = self._ask(
            f"SELECT {', '.join(NAMES)} FROM trials{where} ORDER BY {_order(order)} LIMIT ? OFFSET ?",
            (*values, most, start),
        )
        return [dict(zip(NAMES, row, strict=True)) for row in rows]

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
        where, values = _where(conditions)
        rows = self._ask(
            "SELECT place, before, after FROM (SELECT id, row_number() OVER w - 1 AS place, lag(id) OVER w AS before,"
            f" lead(id) OVER w AS after FROM trials{where} WINDOW w AS (ORDER BY {_order(order)})) WHERE id = ?",
            (*values, trial),
        )
        return (rows[0][0], rows[0][1] or "", rows[0][2] or "") if rows else None

    def _ask(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(query, tuple(values)).fetchall()


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


def _rows(store: SqliteStore) -> Iterator[tuple[object, ...]]:
    agents = {agent.name: agent for agent in store.agents()}
    tags = {task.id: task.tags for task in store.tasks()}  # never all tasks at once: they hold workspaces
    twins = impossible_tasks(store)
    flags: dict[str, int] = {}
    for finding in store.findings():
        if finding.state == "flagged":
            flags[finding.trial] = flags.get(finding.trial, 0) + 1
    for trial in store.trials():
        row = TrialRow.of(trial, impossible=trial.task in twins)
        yield tuple(_values(row, trial, agents.get(trial.agent), tags.get(trial.task), flags.get(trial.id, 0)))


def _values(row: TrialRow, trial: Trial, agent: Agent | None, tags: Tags | None, flags: int) -> Iterator[object]:
    yield from (row.id, row.agent, row.task, row.sample, row.outcome.value, row.reason)
    yield from (row.visible, row.hidden, row.tampered, row.score, row.checks, row.seconds, row.usd)
    yield from (row.input_tokens, row.output_tokens, row.attempts, trial.started_at)
    yield from (agent.program, agent.model) if agent else ("", "")
    yield from (tags.category, tags.language, tags.difficulty) if tags else ("", "", "")
    yield flags
