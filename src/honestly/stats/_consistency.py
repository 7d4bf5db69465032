"""Does an agent give the same result when it is asked again?

Outcome consistency is the probability that two runs of a question agree, rescaled so that a fair coin on every question
gives 0 and an agent that always repeats itself 1. The estimator `1 - 4 mean_i s_i²` is unbiased for any number of
samples; the published `mean_i (2 p̂_i - 1)²` (HAL) is too high by `4 E[p(1-p)]/K` and is given for comparison only.
"""

import math
from dataclasses import dataclass

import numpy as np

from honestly.errors import StatisticsError
from honestly.stats._estimand import Estimand
from honestly.stats._intervals import t_interval
from honestly.stats._noise import noise
from honestly.stats._resolved import ResolvedScores
from honestly.stats._score import estimate_mean

__all__ = ["Consistency", "consistency"]


@dataclass(frozen=True, slots=True)
class Consistency:
    """How repeatable an agent's results are."""

    agent: str
    n: int
    """Questions that entered."""

    outcome: float
    """`1 - 4 mean_i s_i²`, unbiased; 1 is perfectly repeatable."""

    se: float
    """Standard error for new questions."""

    interval: tuple[float, float]
    """t interval, at most 1."""

    inflated: float
    """`mean_i (2 p̂_i - 1)²`, the biased estimator in use elsewhere."""

    flaky: float
    """Share of questions on which the agent both passed and failed; grows with the number of samples."""

    intraclass_correlation: float
    """`V_data / V_total`: share of the variance of single results that is due to the question."""

    level: float
    estimand: Estimand
    reason: str | None
    """Why something is NaN, or None."""


def consistency(resolved: ResolvedScores, agent: str, *, level: float = 0.95) -> Consistency:
    """Measure how repeatable an agent's yes/no results are.

    Raises:
        StatisticsError: The agent is unknown, or the scores are graded.
    """
    row = resolved.row(agent)
    if not resolved.binary:
        raise StatisticsError("outcome consistency is about passing and failing; these scores are graded")
    used = resolved.n[row] > 0
    n, single = int(used.sum()), int((resolved.n[row, used] < 2).sum())
    if single or not n:
        reason = f"{single} of {n} questions have a single sample; agreement needs two" if n else "no question counts"
        absent = (math.nan,) * 3
        return Consistency(
            agent, n, math.nan, math.nan, (math.nan, math.nan), *absent, level, Estimand.NEW_QUESTIONS, reason
        )
    mean = resolved.mean[row, used]
    values = np.where(used, 1.0 - 4.0 * resolved.within[row], np.nan)
    estimate = estimate_mean(resolved, values, clustered=resolved.clusters is not None)
    outcome, se = float(estimate.mean), float(estimate.se)
    return Consistency(
        agent=agent,
        n=n,
        outcome=outcome,
        se=se,
        # The estimate can be negative: chance agreement may fall below that of a fair coin.
        interval=t_interval(outcome, se, float(estimate.df), level, -math.inf),
        inflated=float(((2.0 * mean - 1.0) ** 2).mean()),
        flaky=float(((mean > 0) & (mean < 1)).mean()),
        intraclass_correlation=noise(resolved, agent).intraclass_correlation,
        level=level,
        estimand=Estimand.NEW_QUESTIONS,
        reason=None if not math.isnan(se) else "all questions are equally repeatable; the error cannot be estimated",
    )
