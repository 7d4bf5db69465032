"""Are two agents as good as each other, or is one at least no worse? Shown for a margin that is declared.

A difference that is not significant shows nothing: a small study finds none between any two agents. Two one-sided tests
turn the question around: the null hypothesis is that the agents are a margin or more apart.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from honestly.errors import StatisticsError
from honestly.stats._inference import MeanQuestion

EquivalenceVerdict = Literal["equivalent", "a is not worse", "b is not worse", "cannot tell"]


class ComparedAgents(Protocol):
    """The paired difference of two agents; see `Comparison`."""

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the interval of the difference."""

    @property
    def question(self) -> MeanQuestion | None:
        """The question of the difference, at any level; None where nothing can be said."""


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The verdict of a comparison on a margin."""

    margin: float
    """In units of the score, above 0."""

    alpha: float
    """Level of each of the two one-sided tests."""

    p_a_not_worse: float
    """Of the null hypothesis that a is worse than b by the margin or more; NaN without questions."""

    p_b_not_worse: float
    """Of the null hypothesis that b is worse than a by the margin or more; NaN without questions."""

    p_equivalent: float
    """The larger of the two: of the null hypothesis that the agents are the margin or more apart."""

    interval: tuple[float, float]
    """Of the difference `a - b`, at level `1 - 2 alpha`, with which the verdict agrees."""

    verdict: EquivalenceVerdict


def equivalence_test(
    comparison: ComparedAgents, margin: float, alpha: float = 0.05, *, others: Sequence[ComparedAgents] = ()
) -> Equivalence:
    """Test whether two agents are less than a margin apart (equivalence), or one is not worse by it (non-inferiority).

    Two one-sided tests, each at level `alpha`: the guaranteed answer of `_inference.py`, which both Student's t, with
    the clusters of the comparison, and Gaffke's test must find, as in `regression_test`. Without a question, as after a
    stopping rule, the comparison's own interval decides.

    Args:
        comparison: of the two agents.
        margin: the smallest difference that would matter, declared before the data were seen.
        alpha: level of each test.
        others: of the same two, where spoilt trials count as something else; what is shown is shown by all.

    Raises:
        StatisticsError: the margin is not between 0 and 1, or the level not between 0 and 0.5.

    Source: Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657; Lakens 2017, Soc. Psychol. Personal. Sci. 8:355.
    """
    if not 0 < margin < 1:
        raise StatisticsError(f"a margin must lie between 0 and 1, as scores do; found {margin:g}")
    if not 0 < alpha < 0.5:
        raise StatisticsError(f"a level must lie between 0 and 0.5; found {alpha:g}")
    interval, not_worse = comparison.interval, (math.nan, math.nan)
    asked = [each.question for each in (comparison, *others) if each.question is not None]
    if asked:
        above, below = ([each.claim(1 - 2 * alpha, about).guaranteed for each in asked] for about in (-margin, margin))
        interval = min(each.interval[0] for each in above), max(each.interval[1] for each in above)
        not_worse = max(each.p_above for each in above), max(each.p_below for each in below)
    return Equivalence(
        margin=margin,
        alpha=alpha,
        p_a_not_worse=not_worse[0],
        p_b_not_worse=not_worse[1],
        p_equivalent=max(not_worse),
        interval=interval,
        verdict=within_margin(interval, margin),
    )


def within_margin(interval: tuple[float, float], margin: float) -> EquivalenceVerdict:
    """The verdict of an interval of the difference `a - b` on a margin; `cannot tell` where it is NaN."""
    a_not_worse, b_not_worse = interval[0] > -margin, interval[1] < margin
    if a_not_worse and b_not_worse:
        return "equivalent"
    return "a is not worse" if a_not_worse else "b is not worse" if b_not_worse else "cannot tell"
