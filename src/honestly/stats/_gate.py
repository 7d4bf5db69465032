"""Is an agent worse than a baseline by more than a gap? A decision with two errors, each made with a small chance only.

One threshold parts the true difference `d` (agent less baseline): `d < -gap` is worse, `d > -gap` is not. "Worse" is
said where the upper end of a one-sided interval lies below the threshold, "not worse" where the lower end of another
one lies above it, and "cannot tell" in between: each of the two is wrong with probability alpha at most, also where
`d = -gap`. Both ends must be found twice: by Student's t over the questions (CR2 over clusters), which feels how much
the differences vary, and by Gaffke's test (`_any_law.py`), which assumes nothing but their bounds, so that neither few
questions, nor rare large losses, nor differences that are all alike give a certainty that is not there.

Where exactly these questions count, pairs of samples at a question are what varies, and Gaffke's test alone decides;
for single samples without a gap it is the exact sign test. Which sample goes with which is not known, so that they are
put together as disagreeing as their counts allow, the cautious way.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._compare import compare
from honestly.stats._design import DesignVariance, pilot_variance
from honestly.stats._inference import MeanQuestion
from honestly.stats._noise import pair_columns
from honestly.stats._plan import Demands
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores
from honestly.stats._special import normal_ppf

GateVerdict = Literal["not worse", "worse", "cannot tell"]
Floats = NDArray[np.float64]

_POWER = 0.8
_MOST = 10**6


@dataclass(frozen=True, slots=True)
class Regression:
    """The verdict of two agents' results on a loss."""

    n: int
    """Questions that both have."""
    gap: float
    """The loss that is tolerated, in units of the score."""
    alpha: float
    """Level of each of the two one-sided tests."""
    difference: float
    """Agent less baseline, mean over these questions."""
    interval: tuple[float, float]
    """Each end one-sided at level `alpha`, so that both cover `1 - 2 alpha`; the verdict is what it shows."""
    p_worse: float
    """Of the null hypothesis that the agent is not worse by more than the gap; small: it is."""
    p_not_worse: float
    """Of the null hypothesis that it is worse by the gap or more; small: it is not."""
    verdict: GateVerdict
    method: str
    detectable: float
    """The smallest gap for which two equal agents would be found so with a power of 80%, about; NaN if unknown."""
    questions_needed: int | None
    """Questions at the present samples for that power at `gap`; None where no number is known to be enough."""
    samples_needed: int | None
    """Samples of the present questions for it; None where no number is enough, or known."""


def regression_test(
    resolved: ResolvedScores,
    agent: str,
    baseline: str,
    *,
    gap: float = 0.0,
    alpha: float = 0.05,
    estimand: Estimand = Estimand.NEW_QUESTIONS,
) -> Regression:
    """Decide whether an agent is worse than a baseline by more than a gap; see the module.

    Args:
        resolved: scores of both.
        agent: who may be worse.
        baseline: than whom.
        gap: the loss that is tolerated, declared before the data were seen; 0 tolerates none.
        alpha: chance of each of the two errors.
        estimand: whether the questions stand for more of their kind, or are all that counts.

    Raises:
        StatisticsError: the gap is not in [0, 1), alpha not in (0, 0.5), or the agents are unknown or the same; or,
            where these questions alone count, results are graded, or an agent has more samples of a question.

    Source: Wellek 2010, Testing Statistical Hypotheses of Equivalence and Noninferiority, §1; Gaffke 2005.
    """
    if not 0 <= gap < 1:
        raise StatisticsError(f"a gap must lie between 0 and 1, as scores do; found {gap:g}")
    if not 0 < alpha < 0.5:
        raise StatisticsError(f"a level must lie between 0 and 0.5; found {alpha:g}")
    rows, columns = pair_columns(resolved, agent, baseline)
    if not columns.size:
        raise StatisticsError(f"{agent!r} and {baseline!r} have no question in common; nothing can be decided")
    is_driven = not resolved.result_driven.keys().isdisjoint((agent, baseline))
    found = compare(replace(resolved, result_driven={}), agent, baseline, level=1 - 2 * alpha)
    plain = "paired t test over questions" if resolved.clusters is None else found.method
    question, over = found.question, ""
    if question is None or estimand is Estimand.THESE_QUESTIONS:
        pairs = _sample_pairs(resolved, rows, columns)
        question, over = MeanQuestion(found.difference, math.nan, math.nan, *pairs), " over pairs of samples"
    answer = question.claim(1 - 2 * alpha, -gap, name=plain).guaranteed
    p_not_worse, p_worse = answer.p_above, answer.p_below
    verdict: GateVerdict = "cannot tell"
    if p_worse <= alpha and not is_driven:
        verdict = "worse"
    elif p_not_worse <= alpha and not is_driven:
        verdict = "not worse"
    below = found.difference - answer.interval[0]
    size = _Size.from_scores(resolved, (agent, baseline), columns, (question.units, below), (alpha, estimand))
    return Regression(
        n=int(columns.size),
        gap=gap,
        alpha=alpha,
        difference=found.difference,
        interval=answer.interval,
        p_worse=p_worse,
        p_not_worse=p_not_worse,
        verdict=verdict,
        method=answer.method + over,
        detectable=size.gap(1.0, size.samples),
        questions_needed=size.questions_for(gap),
        samples_needed=size.samples_for(gap),
    )


def _sample_pairs(
    resolved: ResolvedScores, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> tuple[Floats, Floats, None]:
    """Differences of single samples and their weights, as disagreeing as the counts allow."""
    block = np.ix_(rows, columns)
    samples = resolved.n[block]
    if not resolved.binary:
        raise StatisticsError(
            "exactly these questions are judged by passes and failures, and these results are graded; new questions of "
            "their kind can be judged (--about new)"
        )
    if bool((samples[0] != samples[1]).any()):
        raise StatisticsError(
            "exactly these questions are judged by pairs of samples, and an agent has more samples of some than the "
            "other; run both as often, or count void and missing trials as failed"
        )
    first, second = np.rint(resolved.mean[block] * samples).astype(np.int64)
    wins, losses = np.minimum(first, samples[0] - second), np.minimum(second, samples[0] - first)
    counts = np.stack([wins, losses, samples[0] - wins - losses], axis=1).ravel()
    weight = np.ones(columns.size) if resolved.weights is None else resolved.weights[columns]
    return (
        np.repeat(np.tile([1.0, -1.0, 0.0], columns.size), counts),
        np.repeat(np.repeat(weight / samples[0], 3), counts),
        None,
    )


@dataclass(frozen=True, slots=True)
class _Size:
    """The abilities of a study of some size: the t test's reach, and what the guaranteed answer costs more."""

    variance: DesignVariance
    questions: int
    samples: tuple[float, float]
    units: float
    """Independent units of equal weight that there are now."""
    below: float
    """How far the interval reaches below the difference."""
    by_sample: bool
    """Whether more samples make more units."""
    alpha: float

    @classmethod
    def from_scores(
        cls,
        resolved: ResolvedScores,
        pair: tuple[str, str],
        columns: NDArray[np.int64],
        now: tuple[float, float],
        how: tuple[float, Estimand],
    ) -> "_Size":
        alpha, estimand = how
        counts = resolved.select(pair).n[:, columns]
        first, second = (float(1 / np.mean(1 / row)) for row in counts)
        variance = pilot_variance(resolved, *pair, estimand=estimand)
        if resolved.weights is not None:
            variance = DesignVariance(math.nan, variance.prediction, estimand)
        return cls(variance, columns.size, (first, second), *now, estimand is Estimand.THESE_QUESTIONS, alpha)

    def gap(self, times: float, samples: tuple[float, float]) -> float:
        """The gap that is shown with so many times the questions."""
        units = self.units * times * (samples[0] / self.samples[0] if self.by_sample else 1.0)
        per_question = self.variance.per_question(samples)
        effect = Demands(alpha=2 * self.alpha, power=_POWER).detectable_effect(math.inf)
        reach = effect * math.sqrt(per_question / (self.questions * times)) + self._cost() / (units + 1)
        return float(max(reach, 1 - self.alpha ** (1 / units)))

    def _cost(self) -> float:
        """Differences at a bound that the guaranteed answer adds: one, or more where they are skewed."""
        error = math.sqrt(self.variance.per_question(self.samples) / self.questions)
        more = self.below - float(normal_ppf(1 - self.alpha)) * error
        return max(1.0, more * (self.units + 1)) if math.isfinite(more) else 1.0

    def questions_for(self, gap: float) -> int | None:
        """Questions at the present samples."""
        return _first_enough(lambda n: self.gap(n / self.questions, self.samples) <= gap)

    def samples_for(self, gap: float) -> int | None:
        """Samples of the present questions."""
        return _first_enough(lambda k: self.gap(1.0, (k, k)) <= gap)


def _first_enough(enough: Callable[[int], bool]) -> int | None:
    """The smallest number that is enough, for a condition that stays true once it is true; None where none is."""
    return 1 + bisect_left(range(1, _MOST), True, key=enough) if enough(_MOST) else None
