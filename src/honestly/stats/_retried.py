"""Did the number of samples depend on results? The trace that this leaves in counts, and in the order of samples.

Who retries until a sample passes, or a limit is reached, has exactly one pass wherever fewer samples than the most were
taken. Where numbers were fixed before, n samples of a question hold exactly one pass with a chance of at most
`((n-1)/n)^(n-1)`, whatever the question's difficulty: that of the chance 1/n. So questions may differ, and hard ones
may have been given more samples.

Where the order is known, it shows more: retrying once, and stopping at the first failure. Where numbers were fixed
before, any sample of a question may be the last: one with c passes of n ends with a pass with a chance of c/n.

And where every question is as one of the two rules would have left it, that is seen with fewer of them. Numbers that
were fixed before, whatever the results, fit a rule with a chance of at most one in the ways to give them to the
questions.

Of grades the last sample tells most: that of a question with n samples is the best of them with a chance of 1/n, if
their number was fixed before; whoever stops at a grade that is good enough ends each with its best.

Samples that are left out because of their result leave fewer of them where an agent fails more. So numbers that rise
with the scores are seen, unless another agent has the same ones, which no result of one of the two can have made.

Each of several agents is asked at a level that is as much smaller (`among`), so that one of many is seldom suspected.

Not covered: agents that get better or worse from sample to sample, whose order speaks for other reasons; and rules that
leave the last sample as it would have been. Hard questions that were given fewer samples before look like failures left
out.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honestly.stats._special import binomial_pmf, normal_cdf

_RARE = 0.05
_RARE_ORDER = 0.01
"""Of each of two sides."""


def until_passed(
    passed: NDArray[np.int64], samples: NDArray[np.int64], among: int = 1
) -> tuple[int, int, float] | None:
    """Questions with exactly one pass among those with two or more samples and fewer than the most, if that is rare.

    Args:
        passed: passes of one agent, shape (N,).
        samples: its samples, shape (N,).
        among: how many agents are asked.

    Returns:
        Their number, of how many, and the largest chance of so many if numbers were fixed before; None above 5% of all.
    """
    some = (samples >= 2) & (samples < samples.max(initial=0))
    single, sizes = int((passed[some] == 1).sum()), np.bincount(samples[some])
    # Most agents have a number of samples each, or no more single passes than chance gives.
    if single * 2 <= some.sum():
        return None
    law = np.ones(1)
    for n in np.flatnonzero(sizes).tolist():
        law = np.convolve(law, binomial_pmf(np.arange(sizes[n] + 1), sizes[n], ((n - 1) / n) ** (n - 1)))
    chance = float(law[single:].sum())
    return (single, int(some.sum()), chance) if chance <= _RARE / among else None


def last_samples(
    passed: NDArray[np.int64], samples: NDArray[np.int64], last: NDArray[np.int64], among: int = 1
) -> tuple[int, int, float] | None:
    """Questions whose last sample passed among those with passes and failures, if that is rare by chance.

    Asked only of agents whose questions have unequal numbers of samples.

    Args:
        passed: passes of one agent, shape (N,).
        samples: its samples, shape (N,).
        last: whether the last one passed, 1 or 0; -1 where the order is not known, shape (N,).
        among: how many agents are asked.

    Returns:
        Their number, of how many, and the chance of so many, or so few, if numbers were fixed before; None above 1% of
        all.
    """
    mixed = (passed > 0) & (passed < samples) & (last >= 0)
    if np.unique(samples[samples > 0]).size < 2 or not mixed.any():
        return None
    seen = int(last[mixed].sum())
    law = _law_of_count(passed[mixed] / samples[mixed])
    chance = min(float(law[seen:].sum()), float(law[: seen + 1].sum()))
    return (seen, int(mixed.sum()), chance) if chance <= _RARE_ORDER / among else None


def extreme_last(
    samples: NDArray[np.int64], extreme: NDArray[np.int64], among: int = 1
) -> tuple[int, int, float, bool] | None:
    """Questions whose last sample has the best grade, or the worst, among those with two or more and fewer than most.

    Args:
        samples: those of one agent, shape (N,).
        extreme: whether the last one is better than all others, 1, or worse, 0; -1 for neither, shape (N,).
        among: how many agents are asked.

    Returns:
        Their number, of how many, the chance of so many if numbers were fixed before, and whether it is the best; None
        above 1% of all.
    """
    some = (samples >= 2) & (samples < samples.max(initial=0))
    law = _law_of_count(1 / samples[some]) if (extreme[some] >= 0).any() else np.ones(1)
    for best in (True, False):
        seen = int((extreme[some] == best).sum())
        chance = float(law[seen:].sum())
        if chance <= _RARE_ORDER / among:
            return seen, int(some.sum()), chance, best
    return None


def fewer_where_failed(
    means: NDArray[np.float64], samples: NDArray[np.int64], among: int = 1
) -> tuple[float, float] | None:
    """Correlation of numbers of samples with means, if so high a one is rare.

    Args:
        means: of one agent, shape (N,), none missing.
        samples: its samples, shape (N,).
        among: how many agents are asked.

    Returns:
        The correlation, and the chance of one at least as high if every number could have been that of every question
        (moments of the permutations, as of a normal law); None above 1% of all.
    """
    if samples.size < 2:
        return None
    more, better = samples - samples.mean(), means - means.mean()
    spread = math.sqrt(float((more**2).sum() * (better**2).sum()))
    if not spread:
        return None
    found = float((more * better).sum()) / spread
    chance = float(normal_cdf(-found * math.sqrt(samples.size - 1)))
    return (found, chance) if chance <= _RARE_ORDER / among else None


def _law_of_count(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chances of 0, 1, 2, ... events of these chances each."""
    law = np.ones(1)
    for chance in chances.tolist():
        law = np.convolve(law, [1 - chance, chance])
    return law


def by_rule(
    passed: NDArray[np.int64], samples: NDArray[np.int64], last: NDArray[np.int64], among: int = 1
) -> Literal["until one passed", "until one failed"] | None:
    """The rule that every question of an agent follows, if so many seldom do by chance; None above 5% of all.

    Some question must have both a pass and a failure: without one no rule has moved a mean.

    Args:
        passed: passes of one agent, shape (N,).
        samples: its samples, shape (N,).
        last: whether the last one passed, 1 or 0; -1 where the order is not known, shape (N,).
        among: how many agents are asked.
    """
    some = samples > 0
    passed, samples, last = passed[some], samples[some], last[some]
    log_ways = math.lgamma(samples.size + 1) - sum(math.lgamma(each + 1) for each in np.bincount(samples).tolist())
    if log_ways < -math.log(_RARE / among) or not ((passed > 0) & (passed < samples)).any():
        return None
    # The last one of a single sample is known.
    last = np.where(samples == 1, passed, last)
    most = samples == samples.max()
    if (((passed == 1) & (last == 1)) | (most & (passed == 0))).all():
        return "until one passed"
    return (
        "until one failed" if (((passed == samples - 1) & (last == 0)) | (most & (passed == samples))).all() else None
    )
