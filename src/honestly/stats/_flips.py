"""Which questions really changed between two agents, and how many changes are luck: an exact test for each, and counts.

A question that one of two agents passes and the other fails has flipped. With one sample each that is mostly noise.
Three answers, each for what the samples can say:

- one question: Fisher's exact test of its two counts, with Holm over all questions;
- all together: a permutation test of `sum_i (ȳ_Ai - ȳ_Bi)²`, which sees changes in both directions that cancel out in
  the mean, and of `|sum_i ȳ_Ai - ȳ_Bi|`, which sees small ones in one direction, whichever shows more; samples are
  exchanged within questions (conditional on their passes, so exact up to the number of draws);
- how many: `sum_i p_Ai(1 - p_Bi) + p_Bi(1 - p_Ai)` is how many questions flip between one sample of each, and
  `sum_i s_Ai² + s_Bi²` how many flip between two runs of one and the same agent (the mean of both). Both are unbiased;
  what the first has more than the second is real change, since its expectation is `sum_i (p_Ai - p_Bi)²`.

Where only one of the two has several samples of a question, its variance stands for both. Graded results have means
alone: nothing flips, and no question is tested. Not covered: clusters, which none of the three sees.
"""

import math
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from honestly.stats._multiplicity import holm_adjusted
from honestly.stats._noise import pair_columns
from honestly.stats._resolved import ResolvedScores

Floats = NDArray[np.float64]
_HALF = 0.5
_TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Flips:
    """The changes from one agent to another, question by question; arrays have the shape (questions,)."""

    questions: tuple[str, ...]
    """Those that both have."""
    passed: NDArray[np.int64] | Floats
    """Passes of the two, or sums of their grades, shape (2, questions)."""
    samples: NDArray[np.int64]
    """Samples that count, shape (2, questions)."""
    p_values: Floats
    """Fisher's exact test, two-sided; NaN for grades."""
    p_holm: Floats
    """The same after Holm's correction for all questions."""
    p_any: float
    """That nothing changed anywhere, by permutation; NaN where single samples cannot say so."""
    between: float
    """Questions that flip between one sample of each agent, on average, among those of `known`."""
    by_chance: float
    """Questions that flip between two runs of one agent, on average, among those of `known`; NaN where `known` is 0."""
    known: int
    """Questions of which at least one agent has two samples, so that its noise is known; 0 for grades."""
    graded: bool = False

    @property
    def gained_questions(self) -> NDArray[np.bool_]:
        """Questions of which the second passes more than half of its samples, and the first at most half."""
        before, after = self.passed / self.samples
        return np.asarray((after > _HALF) & (before <= _HALF) & (not self.graded))

    @property
    def lost_questions(self) -> NDArray[np.bool_]:
        """Questions of which the first passes more than half of its samples, and the second at most half."""
        before, after = self.passed / self.samples
        return np.asarray((before > _HALF) & (after <= _HALF) & (not self.graded))


def question_flips(
    resolved: ResolvedScores, before: str, after: str, *, seed: int = 0, resamples: int = 10_000
) -> Flips:
    """The changes between two agents on the questions that both have.

    Args:
        resolved: The scores, yes/no.
        before: The first agent.
        after: The second.
        seed: Of the permutations.
        resamples: How many there are.

    Raises:
        StatisticsError: An agent is unknown or compared with itself.
    """
    rows, columns = pair_columns(resolved, before, after)
    block = np.ix_(rows, columns)
    samples, means = resolved.n[block], resolved.mean[block]
    if not resolved.binary:
        names, unknown = tuple(resolved.questions[column] for column in columns), np.full(columns.size, math.nan)
        return Flips(names, means * samples, samples, unknown, unknown, math.nan, math.nan, math.nan, 0, graded=True)
    passed = np.rint(means * samples).astype(np.int64)
    p_values = np.array([fisher_exact(*p, *n) for p, n in zip(passed.T.tolist(), samples.T.tolist(), strict=True)])
    within = np.where(samples > 1, resolved.within[block], np.nan)
    several = samples > 1
    known = several.any(axis=0)
    one, other = means
    noise = np.where(several, within, 0.0).sum(axis=0)[known] * 2 / several.sum(axis=0)[known]
    between = (one * (1 - other) + other * (1 - one))[known]
    return Flips(
        questions=tuple(resolved.questions[column] for column in columns),
        passed=passed,
        samples=samples,
        p_values=p_values,
        p_holm=holm_adjusted(p_values),
        p_any=_any_change(passed, samples, seed, resamples),
        between=float(between.sum()) if known.any() else math.nan,
        by_chance=float(noise.sum()) if known.any() else math.nan,
        known=int(known.sum()),
    )


def fisher_exact(passed_a: int, passed_b: int, samples_a: int, samples_b: int) -> float:
    """Fisher's exact test, two-sided, of two counts: the probability of all tables that are no likelier than this one.

    Computed with whole numbers. Source: Fisher 1935, JRSS 98:39; Freeman & Halton 1951, Biometrika 38:141.
    """
    total = passed_a + passed_b
    ways = [
        math.comb(samples_a, k) * math.comb(samples_b, total - k)
        for k in range(max(0, total - samples_b), min(samples_a, total) + 1)
    ]
    seen = math.comb(samples_a, passed_a) * math.comb(samples_b, passed_b)
    return sum(way for way in ways if way <= seen) / math.comb(samples_a + samples_b, total)


def samples_for_certainty(questions: int, alpha: float = 0.05) -> int:
    """Samples of each agent with which the flip of one question, from none to all, is significant among so many.

    The smallest `k` with `2 / C(2k, k) <= alpha / questions`: Fisher's test, and Holm's first step.
    """
    return next(k for k in count(1) if 2 * questions <= alpha * math.comb(2 * k, k))


def _any_change(passed: NDArray[np.int64], samples: NDArray[np.int64], seed: int, resamples: int) -> float:
    total, (n_a, n_b) = passed.sum(axis=0), samples
    size = samples.sum(axis=0)
    free = (total > 0) & (total < size)  # elsewhere no permutation changes anything
    total, n_a, n_b, size = total[free], n_a[free], n_b[free], size[free]
    if not np.any((size > 2) & (total > 0)):
        return math.nan

    drawn = np.random.default_rng(seed).hypergeometric(total, size - total, n_a, size=(resamples, total.size))
    of_a = np.vstack([passed[0, free], drawn])
    apart = of_a / n_a - (total - of_a) / n_b
    # The smaller p-value of the two statistics is the statistic, so that their choice is no luck.
    least = np.minimum(*(_share_at_least(each) for each in ((apart**2).sum(axis=1), np.abs(apart.sum(axis=1)))))
    return float(np.mean(least <= least[0]))


def _share_at_least(values: Floats) -> Floats:
    """For each value the share of all that are at least as large, up to rounding."""
    return 1 - np.searchsorted(np.sort(values), values - _TIE) / values.size
