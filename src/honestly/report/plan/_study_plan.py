"""What `honestly plan` says, as plain data: what was asked, the sizes, the gap at hand, the purchase.

Everything is about two agents at the same questions, before any of them is run. There is no post-hoc power here: gaps
are chosen, never observed. `_plan_answer.py` computes it.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from honestly.errors import StatisticsError
from honestly.stats import Caps, Demands, Prices

__all__ = ["AtHand", "Bought", "Budget", "PlanQuestion", "Size", "StudyPlan", "Variance"]


@dataclass(frozen=True, slots=True)
class Budget:
    """Money and prices, in any one currency."""

    total: float
    prices: Prices
    """Of a question, and of a trial of each of the two."""
    caps: Caps
    """How many questions there are, and how many samples are sensible."""


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """What somebody wants to know.

    Raises:
        StatisticsError: a gap or a number makes no sense.
    """

    gaps: tuple[float, ...] = ()
    """True differences to be found, fractions of 1; the first is the headline. Empty for 10, 5 and 2 points."""
    samples: tuple[int, ...] = ()
    """Samples of each agent at each question; empty for 1, 2, 5 and 10."""
    questions: int | None = None
    """Questions at hand."""
    demands: Demands = field(default_factory=Demands)
    """Level, power, number of comparisons, and theory."""
    early: bool = False
    """Whether the run may stop as soon as the answer is known."""
    budget: Budget | None = None

    def __post_init__(self) -> None:
        wrong = [gap for gap in self.gaps if not 0 < gap < 1]
        if wrong:
            raise StatisticsError(f"a gap lies between 0 and 100 points, not at {100 * wrong[0]:g}")
        if any(count < 1 for count in self.samples) or (self.questions is not None and self.questions < 2):
            raise StatisticsError("a study needs at least one sample of each agent, and two questions")


@dataclass(frozen=True, slots=True)
class Size:
    """A study that finds a gap."""

    gap: float
    """Fraction of 1."""
    samples: int
    """Of each agent at each question."""
    questions: int | None
    """To buy; with early stopping, to allow for. None where no number is known."""
    exact: float | None
    """The same before rounding up."""
    low: int | None
    """At the smallest of the variances that the basis allows."""
    high: int | None
    """At the largest."""


@dataclass(frozen=True, slots=True)
class AtHand:
    """What the questions at hand can find."""

    questions: int
    samples: int
    gap: float | None
    """Smallest true gap that is found with the wanted power; None where it is not known, or no gap is large enough."""
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Bought:
    """The best purchase for a budget."""

    budget: float
    questions: int | None
    """None where the budget does not pay for one sample of each agent."""
    samples: tuple[int, ...]
    """Of each of the two."""
    cost: float | None
    se: float | None
    gap: float | None
    """Smallest true gap that it finds."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variance:
    """Of the difference of one sample each, at one question."""

    total: float | None
    data: float | None
    """What more samples cannot remove."""
    prediction: tuple[float | None, ...]
    """What they can, for each of the two."""


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """Everything that `honestly plan` says. Shares and gaps are fractions of 1."""

    sentence: str
    basis: str
    """`pilot` or `prior`."""
    basis_words: str
    bounds_are: str
    """What `low` and `high` are."""
    agents: tuple[str, ...]
    """The pair of the pilot, where there is one."""
    estimand: str
    alpha: float
    power: float
    comparisons: int
    alpha_each: float
    """Level of each comparison, after Holm's first step."""
    theory: str
    """`normal` or `t`."""
    early: bool
    """Whether the run may stop early."""
    variance: Variance
    sizes: tuple[Size, ...]
    """Every gap with every number of samples; the headline's gap first."""
    at_hand: tuple[AtHand, ...]
    purchase: Bought | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def headline(self) -> tuple[Size, ...]:
        """The sizes for the first gap."""
        return tuple(size for size in self.sizes if size.gap == self.sizes[0].gap)

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain
