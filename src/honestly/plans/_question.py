"""What is asked of a plan, and the two numbers that answer it: the size for a gap, and the gap for a size."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from honestly.errors import StatisticsError
from honestly.stats import Caps, Demands, DesignPrices, DesignVariance, early_gap, headline_gap


@dataclass(frozen=True, slots=True)
class PlanBudget:
    """Money and prices, in any one currency."""

    total: float
    prices: DesignPrices
    """Of a question, and of a trial of each of the two."""
    caps: Caps
    """How many questions there are, and how many samples are sensible."""


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """What a plan has to answer.

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
    budget: PlanBudget | None = None

    def __post_init__(self) -> None:
        wrong = [gap for gap in self.gaps if not 0 < gap < 1]
        if wrong:
            raise StatisticsError(f"a gap must be between 0 and 100 points, not {100 * wrong[0]:g}")
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
    """The number of questions before rounding up."""
    low: int | None
    """At the smallest of the variances that the basis allows."""
    high: int | None
    """At the largest."""


def smallest_gap(asked: PlanQuestion, questions: float, samples: float) -> Callable[[DesignVariance], float]:
    """The smallest true gap that such a study finds, as a function of the variance."""

    def gap(variance: DesignVariance) -> float:
        both = (samples, samples)
        found = headline_gap(variance, questions=questions, samples=both, demands=asked.demands)
        early = early_gap(variance, questions, samples, asked.demands) if asked.early else found
        return math.nan if math.isnan(early) else max(early, found)

    return gap
