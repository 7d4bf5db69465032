"""The trials of a study as a small table in memory, which SQLite filters, sorts and cuts into windows.

A row holds what `honestly show` lists and what people filter by beside it. It is made from the study's records once,
so that a window of a hundred thousand trials costs some milliseconds.
"""

import sqlite3
import threading
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

from honestly.errors import StoreError
from honestly.seams import did_you_mean
from honestly.show import printable_text_line
from honestly.store import Store
from honestly.trials import TrialCondition
from honestly.web._columns import BETWEEN, BY_NAME, COLUMNS, Column, trial_values

NAMES = tuple(column.name for column in COLUMNS)
_KINDS = {"TRUTH": "INTEGER"}
_TRUTHS = {1: "yes", 0: "no", None: ""}
_PASSED = "outcome = 'passed'"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on rows: SQL that this program wrote, and values that somebody else did."""

    sql: str
    values: tuple[str | int | float, ...] = ()


class GridCell(NamedTuple):
    """An agent's trials at a task, counted; what was tampered with counts as nothing else."""

    trials: int
    passed: int
    limit: int
    void: int
    tampered: int
    example: str
    """Id of one of them."""


class AgentUsage(NamedTuple):
    """The usage of an agent's trials, each with how many trials say so."""

    agent: str
    trials: int
    usd: float | None
    usd_of: int
    tokens: int | None
    tokens_of: int
    seconds: float | None
    seconds_of: int


Ask = Callable[..., list[tuple[Any, ...]]]


class Listing:
    """The table; any thread may ask it."""

    def __init__(self, connection: sqlite3.Connection, *, whole: bool = True) -> None:
        self.whole = whole
        """Whether all trials are in it."""
        lock = threading.Lock()

        def query_rows(query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
            with lock:
                return connection.execute(query, tuple(values)).fetchall()

        self._ask = query_rows
        self._known = lru_cache(32)(self._ask)
        """What takes all rows and says little, such as counts."""
        self._sorted = lru_cache(8)(partial(_sorted, self._ask))

    @classmethod
    def from_store(cls, store: Store) -> "Listing":
        """The trials of a study."""
        return cls(_trial_table(trial_values(store)))

    @classmethod
    def first(cls, store: Store, most: int = 100) -> "Listing":
        """The first trials of a study, which are there at once."""
        return cls(_trial_table(trial_values(store, most)), whole=False)

    def count(self, conditions: Sequence[Condition] = ()) -> int:
        """How many trials fulfil all conditions."""
        where, values = _where_clause(conditions)
        return int(self._known(f"SELECT count(*) FROM trials{where}", values)[0][0])

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

    def ids(self, conditions: Sequence[Condition] = ()) -> frozenset[str]:
        """The ids of all trials that fulfil all conditions."""
        where, values = _where_clause(conditions)
        return frozenset(row[0] for row in self._ask(f"SELECT id FROM trials{where}", values))

    def facets(self, name: str, conditions: Sequence[Condition] = (), most: int = 50) -> list[tuple[str, int]]:
        """The commonest values of a column, with how many trials have each; empty for none.

        Raises:
            StoreError: there is no such column.
        """
        column = column_of(name)
        where, values = _where_clause(conditions)
        counts: Counter[str] = Counter()
        for value, count in self._ask(f"SELECT {name}, count(*) FROM trials{where} GROUP BY 1", values):
            shown = _TRUTHS[value] if column.kind == "TRUTH" else "" if value is None else str(value)
            for part in shown.split(BETWEEN) if column.many else (shown,):
                counts[part] += count
        return sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:most]

    def ranked(self, column: str) -> list[str]:
        """Agents or tasks by the share of their trials that passed, the best or easiest first."""
        name = column_of(column).name
        return [row[0] for row in self._known(f"SELECT {name} FROM trials GROUP BY 1 ORDER BY avg({_PASSED}) DESC, 1")]

    def grid(
        self, *, tasks: Sequence[str] | None = None, agents: Sequence[str] | None = None
    ) -> dict[tuple[str, str], GridCell]:
        """Trials by task and agent; at these tasks or of these agents alone, where given."""
        asked = [is_one_of(name, given) for name, given in (("task", tasks), ("agent", agents)) if given is not None]
        where, values = _where_clause(asked)
        rows = self._ask(
            f"SELECT task, agent, count(*), sum({_PASSED}), sum(outcome = 'limit' AND NOT tampered), "
            f"sum(outcome = 'void' AND NOT tampered), sum(tampered > 0), min(id) FROM trials{where} GROUP BY 1, 2",
            values,
        )
        return {(task, agent): GridCell(*counts) for task, agent, *counts in rows}

    def most_samples(self) -> int:
        """The most trials that any agent has at one task; 0 where there are none."""
        return int(self._known("SELECT max(n) FROM (SELECT count(*) n FROM trials GROUP BY agent, task)")[0][0] or 0)

    def spent(self) -> list[AgentUsage]:
        """The usage of each agent, in sum."""
        return [
            AgentUsage(*row)
            for row in self._known(
                "SELECT agent, count(*), sum(usd), count(usd), sum(input_tokens) + sum(output_tokens), "
                "count(input_tokens), sum(seconds), count(seconds) FROM trials GROUP BY 1 ORDER BY 1"
            )
        ]

    def place_of_trial(
        self, trial: str, conditions: Sequence[Condition] = (), order: str = ""
    ) -> tuple[int, str, str] | None:
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


def is_one_of(name: str, wanted: Sequence[str]) -> Condition:
    """The column has one of these values; of a column that has many, among others. Empty: it has none.

    Raises:
        StoreError: there is no such column.
    """
    column = column_of(name)
    if column.many:
        part = f"(coalesce({name}, '') = '' AND ? = '' OR instr('{BETWEEN}' || {name} || '{BETWEEN}', ?))"
        both = (value for each in wanted for value in (each, f"{BETWEEN}{each}{BETWEEN}"))
        return Condition(" OR ".join([part] * len(wanted)), tuple(both))
    found = {text: value for value, text in _TRUTHS.items()}
    known = [found.get(each, each) for each in wanted] if column.kind == "TRUTH" else wanted
    return Condition(
        f"coalesce({name}, '') IN ({', '.join('?' * len(known))})",
        tuple("" if each is None else each for each in known),
    )


def where_condition(text: str) -> Condition:
    """A condition as `honestly show --where` takes them: `seconds>60`.

    Raises:
        StoreError: it cannot be understood.
    """
    asked = TrialCondition.from_text(text)
    column = column_of(asked.column)
    name = column.by or column.name
    if asked.sign in {"~", "!~"}:
        shown = f"CASE {name} WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END" if column.kind == "TRUTH" else name
        return Condition(
            f"instr(casefold(coalesce({shown}, '')), ?) {'>' if asked.sign == '~' else '='} 0",
            (asked.wanted.casefold(),),
        )
    if asked.sign in {"<", "<=", ">", ">="}:
        return Condition(f"typeof({name}) <> 'text' AND {name} {asked.sign} ?", (asked.number,))
    same = _same_condition(column, name, asked)
    return same if asked.sign == "=" else Condition(f"NOT ({same.sql})", same.values)


def column_of(name: str) -> Column:
    """The column of this name.

    Raises:
        StoreError: there is none.
    """
    if name not in BY_NAME:
        hint = did_you_mean(name, BY_NAME)
        raise StoreError(f"trials have no column {printable_text_line(name)!r}{hint}; they have: {', '.join(BY_NAME)}")
    return BY_NAME[name]


def _same_condition(column: Column, name: str, asked: TrialCondition) -> Condition:
    """Of the same value, whatever its case; text that is none is empty."""
    if asked.truth_value is None:
        return Condition(f"coalesce({name}, '') = ''")
    if column.kind == "TRUTH":
        return (
            Condition(f"{name} IS ?", (int(asked.truth_value),))
            if isinstance(asked.truth_value, bool)
            else Condition("0")
        )
    if column.kind == "TEXT" and not column.by:
        return Condition(f"casefold(coalesce({name}, '')) = ?", (asked.wanted.casefold(),))
    try:
        return Condition(f"{name} IS ?", (asked.number,))
    except StoreError:
        return Condition("0")


def _where_clause(conditions: Sequence[Condition]) -> tuple[str, tuple[object, ...]]:
    if not conditions:
        return "", ()
    values = tuple(value for each in conditions for value in each.values)
    return " WHERE " + " AND ".join(f"({each.sql})" for each in conditions), values


def _order(order: str) -> str:
    if not (name := order.removeprefix("-")):
        return "number"
    name = column_of(name).by or name
    return f"{name} IS NULL, {name} {'DESC' if order.startswith('-') else 'ASC'}, number"


def _sorted(ask: Ask, conditions: tuple[Condition, ...], order: str) -> "array[int]":
    """The numbers of all that fulfil the conditions, in order: few bytes, kept, to cut windows from."""
    where, values = _where_clause(conditions)
    return array("l", (row[0] for row in ask(f"SELECT number FROM trials{where} ORDER BY {_order(order)}", values)))


def _trial_table(rows: Iterator[tuple[object, ...]]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.create_function("casefold", 1, lambda value: str(value).casefold(), deterministic=True)
    columns = ", ".join(f"{column.name} {_KINDS.get(column.kind, column.kind)}" for column in COLUMNS)
    connection.execute(f"CREATE TABLE trials (number INTEGER PRIMARY KEY, {columns})")
    connection.executemany(f"INSERT INTO trials VALUES (NULL{', ?' * len(COLUMNS)})", rows)
    connection.execute("CREATE UNIQUE INDEX by_id ON trials (id)")
    connection.commit()
    return connection
