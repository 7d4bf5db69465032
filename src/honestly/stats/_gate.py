"""Is the new agent worse than the old one? The decision of a gate, which stops people's work where it is wrong.

Two errors are possible, and each has at most the chance `alpha` where the true loss is just the gap: calling worse what
loses no more than the gap, and letting pass what loses the gap or more. Both are one-sided tests of the mean of the
paired differences against `-gap`, and an interval at level `1 - 2 alpha` shows both. What neither test shows is not
known, and the gate says so.

The tests are Gaffke's (`_any_law.py`), which assume only that a difference lies between -1 and 1. The t test would let
losses pass that sit in few questions: of 100 questions, 5 of which are lost for certain and 95 kept, it calls a true
loss of 5 points smaller than 5 points in more than a tenth of runs.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from honestly.errors import StatisticsError
from honestly.stats._any_law import any_law_interval, any_law_shares
from honestly.stats._compare import units_of
from honestly.stats._noise import pair_columns
from honestly.stats._resolved import ResolvedScores
from honestly.stats._score import estimate_mean

GateVerdict = Literal["not worse", "worse", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Gate:
    """What the data show of a loss; scores are fractions of 1."""

    verdict: GateVerdict
    n: int
    """Questions that both have."""
    difference: float
    """Mean over them of new minus old; NaN where there are none."""
    interval: tuple[float, float]
    """Of the difference, at level `1 - 2 alpha`: worse where it ends below `-gap`, not worse where it begins above."""
    p_worse: float
    """Of the null hypothesis that the loss is the gap at most; a small one speaks for worse."""
    p_not_worse: float
    """Of the null hypothesis that the loss is the gap or more; a small one speaks for not worse."""
    gap: float
    alpha: float


def gate(resolved: ResolvedScores, new: str, old: str, gap: float, alpha: float = 0.05) -> Gate:
    """Whether an agent is worse than another by more than a gap, question by question.

    Args:
        resolved: the scores; where they have clusters, a cluster is one unit.
        new: the agent that is judged.
        old: the agent that it is measured by.
        gap: the loss that is put up with, at least 0 and below 1, declared before the data were seen.
        alpha: chance, at most, of either error.

    Raises:
        StatisticsError: an agent is unknown or compared with itself, or gap or alpha make no sense.
    """
    if not 0 <= gap < 1:
        raise StatisticsError(f"a gap is 0 or more and below 1, as scores are; found {gap:g}")
    if not 0 < alpha < 0.5:
        raise StatisticsError(f"a level must lie between 0 and 0.5; found {alpha:g}")
    rows, columns = pair_columns(resolved, new, old)
    differences = resolved.mean[rows[0]] - resolved.mean[rows[1]]
    if not columns.size:
        return Gate("cannot tell", 0, float("nan"), (-1.0, 1.0), 1.0, 1.0, gap, alpha)
    clustered = resolved.clusters is not None
    units = units_of(resolved, columns, differences[columns], clustered=clustered)
    above, below = any_law_shares(units[0], -gap, *units[1:])
    # An end of the interval is right to a millionth only, so that the tests decide and the interval follows.
    low, high = any_law_interval(units[0], 1 - 2 * alpha, *units[1:])
    verdict: GateVerdict = "not worse" if above <= alpha else "worse" if below <= alpha else "cannot tell"
    return Gate(
        verdict=verdict,
        n=int(columns.size),
        difference=float(np.asarray(estimate_mean(resolved, differences, clustered=clustered).mean)),
        interval=(low, high),
        p_worse=below,
        p_not_worse=above,
        gap=gap,
        alpha=alpha,
    )
