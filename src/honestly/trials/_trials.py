"""The trials of a study as a table that can be filtered and sorted.

A condition is a column, a sign and a value: `seconds>60`, `reason~connection`, `hidden=no`, `usd=none`. What is not
known fulfils no comparison but `=none`. Conditions, agents, tasks and outcomes all must hold.
"""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType

from honestly.errors import StoreError
from honestly.records import Outcome
from honestly.scores import fitting_names
from honestly.seams import did_you_mean
from honestly.show import Shown, printable_text_line
from honestly.store import Store
from honestly.trials._reasons import Reasons, impossible_tasks, reasons_of
from honestly.trials._row import PLAIN_FIELDS, TrialRow
from honestly.trials._trials_table import trials_table

Value = str | float | bool | None
_COLUMNS: dict[str, Callable[[TrialRow], Value]] = {
    **{name: operator.attrgetter(name) for name in (*PLAIN_FIELDS, "score", "undecided")},
    "outcome": lambda row: row.outcome.value,
    "grade": operator.attrgetter("score"),
    "why": lambda row: row.why.id or None,
    "checks": operator.attrgetter("share"),
    "tokens": operator.attrgetter("tokens"),
}
"""What a condition may ask and a table may be sorted by."""
_TRUTHS = {"visible", "hidden", "tampered"}
_NUMBERS = {
    *("sample", "seconds", "usd", "input_tokens", "output_tokens", "attempts", "score", "checks", "tokens", "grade")
}


@dataclass(frozen=True, slots=True, repr=False)
class TrialTable(Shown):
    """One row for each trial; `study.trial(id)` has the rest of it."""

    main_table: ClassVar[str] = "trials"

    study: str
    """Its file."""
    trials: tuple[TrialRow, ...]
    most: int | None = None
    """Trials that a terminal shows; None for all."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        return {"study": self.study, "trials": [each.to_plain() for each in self.trials]}

    def __iter__(self) -> Iterator[TrialRow]:
        return iter(self.trials)

    def __len__(self) -> int:
        return len(self.trials)

    def only_of(
        self, agents: Collection[str] = (), tasks: Collection[str] = (), outcomes: Collection[Outcome | str] = ()
    ) -> "TrialTable":
        """Only the trials of these agents and tasks, by name or by a part of it, that ended in one of these ways.

        Raises:
            AgentError: no agent of the trials has such a name.
            TaskError: no task has.
        """
        kept: Iterable[TrialRow] = self.trials
        if agents:
            known = {name for each in agents for name in fitting_names(self._column_values("agent"), each, "agent")}
            kept = [row for row in kept if row.agent in known]
        if tasks:
            known = {name for each in tasks for name in fitting_names(self._column_values("task"), each, "task")}
            kept = [row for row in kept if row.task in known]
        return replace(
            self, trials=tuple(row for row in kept if not outcomes or {row.outcome, row.ending} & {*outcomes})
        )

    def where(self, *conditions: str) -> "TrialTable":
        """Only the trials that fulfil every condition, such as `seconds>60`.

        Raises:
            StoreError: a condition cannot be understood.
        """
        tests = [_condition(each) for each in conditions]
        return replace(self, trials=tuple(row for row in self.trials if all(test(row) for test in tests)))

    def sorted(self, column: str) -> "TrialTable":
        """By a column, ascending; `-column` descends. What is not known comes last.

        Raises:
            StoreError: there is no such column.
        """
        down = column.startswith("-")
        value = _column_reader(column.removeprefix("-"))
        known = sorted((row for row in self.trials if value(row) is not None), key=value, reverse=down)  # type: ignore[arg-type]
        return replace(self, trials=(*known, *(row for row in self.trials if value(row) is None)))

    def first(self, most: int) -> "TrialTable":
        """At most so many of them."""
        return replace(self, trials=self.trials[:most])

    def limited_to(self, most: int) -> "TrialTable":
        """All of them, of which a terminal shows so many."""
        return replace(self, most=most)

    def reasons(self) -> Reasons:
        """Why they ended as they did: those that did not pass, or all, where all passed."""
        bad = [row for row in self.trials if row.outcome is not Outcome.PASSED]
        return reasons_of(
            ((row.outcome, row.agent, row.task, row.id, row.why) for row in bad or self.trials), self.study
        )

    def _column_values(self, column: str) -> list[str]:
        return sorted({getattr(row, column) for row in self.trials})

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield from trials_table(self.trials[: self.most], len(self.trials), options.max_width)


def trial_table(store: Store, name: str) -> TrialTable:
    """The trials of an open study, by agent, task and sample."""
    twins, strict = impossible_tasks(store), store.facts().strict
    trials = (trial.counted_trial(strict=strict) for trial in store.trials())
    return TrialTable(name, tuple(TrialRow.from_trial(trial, impossible=trial.task in twins) for trial in trials))


_CONDITION = re.compile(r"\s*([a-z_]+)\s*(!=|!~|<=|>=|=|<|>|~)\s*(.*?)\s*", re.DOTALL)
_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_WORDS: dict[str, Value] = {
    **dict.fromkeys(("none", ""), None),
    **dict.fromkeys(("yes", "true", "pass", "passed"), True),
    **dict.fromkeys(("no", "false", "fail", "failed"), False),
}


class TrialCondition(NamedTuple):
    """A condition that trials must fulfil, as written: `seconds>60`."""

    column: str
    sign: str
    wanted: str

    @classmethod
    def from_text(cls, text: str) -> "TrialCondition":
        """The parts of a condition.

        Raises:
            StoreError: it cannot be understood.
        """
        if (parts := _CONDITION.fullmatch(text)) is None:
            raise StoreError(
                f"{printable_text_line(text)!r} is not a condition: expected COLUMN, one of = != < <= > >= ~ !~, and "
                "a value, "
                "such as seconds>60 or reason~timeout"
            )
        return cls(*parts.groups())

    @property
    def truth_value(self) -> Value:
        """The truth value that is wanted, or None for what is not known; the text itself where it is no such word."""
        return _WORDS.get(self.wanted.casefold(), self.wanted)

    @property
    def number(self) -> float:
        """The number that is wanted.

        Raises:
            StoreError: it is none.
        """
        try:
            return float(self.wanted)
        except ValueError:
            raise StoreError(
                f"{printable_text_line(''.join(self))!r}: expected a number, found {printable_text_line(self.wanted)!r}"
            ) from None


def _condition(text: str) -> Callable[[TrialRow], bool]:
    asked = TrialCondition.from_text(text)
    name, sign, wanted = asked
    value = _column_reader(name)
    if sign in {"~", "!~"}:
        part = wanted.casefold()
        return lambda row: (part in _condition_text(value(row)).casefold()) == (sign == "~")
    if sign in _ORDERS:
        limit, order = asked.number, _ORDERS[sign]
        return lambda row: isinstance(found := value(row), int | float) and order(found, limit)
    if name == "outcome" and wanted.casefold() not in {each.value for each in Outcome}:
        raise StoreError(f"{printable_text_line(text)!r}: expected one of {', '.join(Outcome)}")
    if name in _NUMBERS and wanted.casefold() not in {"none", ""}:
        _ = asked.number
    if name in _TRUTHS and wanted.casefold() not in _WORDS:
        raise StoreError(f"{printable_text_line(text)!r}: expected yes, no or none")
    return lambda row: _same_text(value(row), wanted) == (sign == "=")


def _column_reader(name: str) -> Callable[[TrialRow], Value]:
    if name not in _COLUMNS:
        hint = did_you_mean(name, _COLUMNS)
        raise StoreError(f"trials have no column {printable_text_line(name)!r}{hint}; they have: {', '.join(_COLUMNS)}")
    return _COLUMNS[name]


def _same_text(found: Value, wanted: str) -> bool:
    if isinstance(found, bool) or found is None:
        return wanted.casefold() in _WORDS and _WORDS[wanted.casefold()] is found
    if isinstance(found, str):
        return found.casefold() == wanted.casefold() or (not found and wanted.casefold() == "none")
    try:
        return found == float(wanted)
    except ValueError:
        return False


def _condition_text(found: Value) -> str:
    return "" if found is None else {True: "yes", False: "no"}[found] if isinstance(found, bool) else str(found)
