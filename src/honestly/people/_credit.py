"""Where a trial was lost: the first of its states from which it cannot be won, and what each step was worth.

The value of a state is the share of continuations from it that succeed. A state counts as recoverable if that share is
at least `recoverable`; states after one that is not are not either, since every state is reached through those before
it. One success proves a state, and all before it. Failures never prove the contrary: they are weighed as if a
recoverable state succeeded as rarely as is allowed, which makes the stated confidence hold for every larger share.

Each continuation goes to the state that is expected to tell most about where the border lies; the search ends when one
step has the confidence that was asked for. Intervals of values hold whenever one stops (Beta mixture, Robbins 1970),
which those for a fixed number of runs would not. A state with a value above 0 and below `recoverable` is neither:
the border may be found on either side of it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.errors import StatisticsError
from honestly.show import Shown, as_json, dim_line, interval_text, numbers_table, percent_text, plural_text

START, NEVER = -1, -2
"""The step number of the start of a trial, and of a trial that was never lost."""


@dataclass
class FatalSearch:
    """Chooses states to continue from, until it is clear where the trial was lost."""

    states: int
    """State 0 is the start, state n that after n steps."""
    level: float = 0.95
    recoverable: float = 0.2
    successes: list[int] = field(init=False)
    failures: list[int] = field(init=False)

    def __post_init__(self) -> None:
        if self.states < 1 or not 0 < self.recoverable < 1 or not 0 < self.level < 1:
            raise StatisticsError("a search needs a state, and a level and a least share between 0 and 1")
        self.successes, self.failures = [0] * self.states, [0] * self.states

    def add(self, state: int, *, success: bool) -> None:
        """Count one continuation."""
        (self.successes if success else self.failures)[state] += 1

    def probabilities(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """How probable it is that the first irrecoverable state is 0, 1, ...; the last entry is that there is none."""
        weights = np.concatenate([[0.0], np.cumsum(self.failures)]) * math.log1p(-self.recoverable)
        proved = max((n for n, count in enumerate(self.successes) if count), default=-1)
        weights[: proved + 1] = -np.inf
        weights -= weights.max()
        found: np.ndarray[Any, np.dtype[np.float64]] = np.exp(weights - np.log(np.exp(weights).sum()))
        return found

    def next_state(self) -> int | None:
        """From where to continue next; None if the answer is as sure as was asked for."""
        p = self.probabilities()
        if p.max() >= self.level:
            return None
        beyond = 1 - np.cumsum(p)[:-1]  # of each state, the probability that it is recoverable
        seen = [n for n, count in enumerate(self.successes) if count]
        last = seen[-1] + 1 if seen else 0
        wins, tries = sum(self.successes[:last]), sum(self.successes[:last]) + sum(self.failures[:last])
        share = min(0.98, max(self.recoverable, (wins + 1) / (tries + 2)))
        told = _entropy(share * beyond) - beyond * _entropy(np.asarray(share))
        return int(np.argmax(told))

    @property
    def fatal(self) -> "Fatal":
        """The most probable answer, and the states among which it is with the confidence that was asked for."""
        p = self.probabilities()
        order, kept, mass = np.argsort(-p, kind="stable"), [], 0.0
        for each in order:
            kept.append(int(each))
            mass += float(p[each])
            if mass >= self.level:
                break
        best = int(order[0])
        named = [NEVER if each == self.states else each for each in kept]
        return Fatal(NEVER if best == self.states else best, float(p[best]), tuple(sorted(named)))


@dataclass(frozen=True, slots=True)
class Fatal:
    """The first state from which a trial could no longer succeed."""

    step: int
    """The number of the state, or `NEVER`; of a report, the trajectory's step that led to it, `START` or `NEVER`."""
    confidence: float
    among: tuple[int, ...]
    """The fewest that together have the confidence that was asked for."""

    def in_steps(self, places: Sequence[int]) -> "Fatal":
        """Name the steps of the trajectory in the place of states."""
        step, *among = (NEVER if each == NEVER else places[each] for each in (self.step, *self.among))
        return Fatal(step, self.confidence, tuple(among))


@dataclass(frozen=True, slots=True)
class StepCredit:
    """One step with the state after it."""

    step: int
    """Of the trajectory, from 0 on; -1 is the start."""
    value: float | None
    """Share of continuations from there that succeeded; None where none was run."""
    low: float
    high: float
    runs: int
    credit: float | None
    """The value less that of the state before; None where one of them is not known."""
    words: str = ""
    """What was done in the step."""


@dataclass(frozen=True, slots=True, repr=False)
class CreditReport(Shown):
    """What each step of a trial was worth."""

    main_table: ClassVar[str] = "steps"

    trial: str
    level: float
    recoverable: float
    runs: int
    sure: bool
    """Whether the answer is as sure as was asked for; the budget ended it otherwise."""
    found: Fatal
    steps: tuple[StepCredit, ...]
    differs: tuple[str, ...] = ()
    """Files that were another way at the end when the steps were done again."""

    @property
    def fatal(self) -> int | None:
        """The first step after which the trial could not be won any more; None if there is none, or it is not known."""
        return self.found.step if self.sure and self.found.step != NEVER else None

    def to_plain(self) -> dict[str, Any]:
        """The steps, `fatal`, and how sure that is."""
        return as_json(self) | {"fatal": self.fatal}

    @property
    def sentence(self) -> str:
        """The answer in words."""
        sure = f"{percent_text(self.found.confidence, 0)}% sure, {plural_text(self.runs, 'continuation')}"
        if not self.sure:
            named = {NEVER: "never", START: "the start"}
            among = ", ".join(named.get(each, str(each)) for each in self.found.among)
            return f"Where it was lost is not known ({plural_text(self.runs, 'continuation')}); one of steps: {among}."
        if self.found.step == NEVER:
            return f"It was never lost: its last state still succeeds ({sure})."
        if self.found.step == START:
            return f"It was lost from the start: this agent does not succeed there ({sure})."
        return f"It was lost in step {self.found.step} ({sure})."

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(self.sentence, style="bold")
        rows = [
            (
                each.words or ("the start" if each.step == START else ""),
                "" if each.step == START else f"{each.step}",
                "" if each.value is None else percent_text(each.value, 0),
                interval_text(each.low, each.high) if each.runs else "",
                "" if each.credit is None else f"{100 * each.credit:+.0f}",
                f"{each.runs}",
            )
            for each in self.steps
        ]
        yield numbers_table(
            "what each step was worth",
            {"done": 20, "step": 4, "value": 5, "interval": 14, "credit": 6, "runs": 4},
            rows,
            options.max_width,
        )
        yield dim_line(
            f"Recoverable is what succeeds in {percent_text(self.recoverable, 0)}% or more of continuations."
        )
        if self.differs:
            yield dim_line(f"Done again, the steps left other files: {', '.join(self.differs[:5])}")


def value_interval(successes: int, failures: int, level: float = 0.95) -> tuple[float, float]:
    """An interval for a share that is valid at every number of runs.

    All shares against which the uniform mixture of all shares has not gathered evidence of 1 / (1 - level) (Ville's
    inequality).
    """
    n = successes + failures
    if not n:
        return 0.0, 1.0
    mixture = math.lgamma(successes + 1) + math.lgamma(failures + 1) - math.lgamma(n + 2)
    bound = mixture + math.log(1 - level)

    def inside(share: float) -> bool:
        log = successes * math.log(share) if successes else 0.0
        return log + (failures * math.log1p(-share) if failures else 0.0) >= bound

    middle, ends = min(max(successes / n, 1e-12), 1 - 1e-12), []
    for end in (0.0, 1.0):
        outer, inner = end, middle
        if (end == 0.0 and not successes) or (end == 1.0 and not failures):
            ends.append(end)
            continue
        for _ in range(60):
            half = (outer + inner) / 2
            outer, inner = (outer, half) if inside(half) else (half, inner)
        ends.append(outer)
    return ends[0], ends[1]


def credited_steps(search: FatalSearch, places: Sequence[int], words: Sequence[str] = ()) -> tuple[StepCredit, ...]:
    """The value of each state, and what each step added; `places` has the step that led to each."""
    found: list[StepCredit] = []
    for state, (won, lost) in enumerate(zip(search.successes, search.failures, strict=True)):
        value = won / (won + lost) if won + lost else None
        before = found[-1].value if found else None
        credit = None if value is None or before is None else value - before
        low, high = value_interval(won, lost, search.level)
        text = words[state - 1] if 0 < state <= len(words) else ""
        found.append(StepCredit(places[state], value, low, high, won + lost, credit, text))
    return tuple(found)


def _entropy(p: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    p = np.clip(p, 1e-12, 1 - 1e-12)
    found: np.ndarray[Any, np.dtype[np.float64]] = -(p * np.log(p) + (1 - p) * np.log1p(-p))
    return found
