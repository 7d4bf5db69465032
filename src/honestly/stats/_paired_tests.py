"""Paired differences beside the t test: McNemar for single samples, sign flips for any scores, intervals of shares.

All tests are two-sided and symmetric: exchanging the agents gives the same p-value to the last bit.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.errors import StatisticsError
from honestly.stats._intervals import bounded_interval, difference_of_intervals
from honestly.stats._means import MeanEstimate, clustered_mean, mean_of_questions
from honestly.stats._special import binomial_cdf, binomial_pmf

Floats = NDArray[np.float64]

_LARGEST_LATTICE = 2_000_000
_LARGEST_UNIT = 1_000  # a finer common fraction makes the convolution longer than random signs
_TIE = 1e-9
_CHUNK = 2_000_000


def mcnemar_exact(wins: ArrayLike, losses: ArrayLike) -> Floats:
    """Exact McNemar test of the questions that only one of two agents passed, one sample each.

    `p = min(1, 2 P(X <= min(wins, losses)))` with X binomial(wins + losses, 1/2). Conservative: its true size at 5% is
    1.4 to 4.2%. Source: McNemar 1947, Psychometrika 12:153.
    """
    few, disagreements = _discordant_pairs(wins, losses)
    return np.minimum(1.0, 2.0 * binomial_cdf(few, disagreements))


def mcnemar_mid(wins: ArrayLike, losses: ArrayLike) -> Floats:
    """Mid-p McNemar test: half the probability of the observed table does not count against the null.

    `p = 2 P(X <= m) - P(X = m)` for `m = min(wins, losses)`. Its true size at 5% depends on the expected number of
    disagreements: 0.2% at 2, 1.7% at 4, 3.1% at 6, 3.7 to 5% from 8 on, but up to 7.7% where the agents never agree;
    `compare` takes the exact test there. Fewer than 5 can never be significant.
    Source: Fagerland, Lydersen & Laake 2013, BMC Med. Res. Methodol. 13:91.
    """
    few, disagreements = _discordant_pairs(wins, losses)
    return np.minimum(1.0, 2.0 * binomial_cdf(few, disagreements) - binomial_pmf(few, disagreements))


def _discordant_pairs(wins: ArrayLike, losses: ArrayLike) -> tuple[Floats, Floats]:
    b, c = np.asarray(wins, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    if not (np.all(b >= 0) and np.all(c >= 0) and np.all(b == np.floor(b)) and np.all(c == np.floor(c))):
        raise StatisticsError(
            "McNemar's test counts questions that one agent passed and the other failed; found negative or fractional "
            "counts. With several samples per question use the t test or sign flips"
        )
    return np.minimum(b, c), b + c


def sign_flip(differences: ArrayLike, *, seed: int | None = None, resamples: int = 20_000) -> float:
    """Permutation test that the differences are symmetric about zero: how often do random signs give as large a sum?

    When the differences are multiples of a common fraction (means of counts are) the whole permutation distribution is
    computed by convolution, for any number of questions, and the p-value is exact. Otherwise random signs are drawn:
    `p = (1 + #{|S*| >= |S|}) / (1 + resamples)`.

    Args:
        differences: Question differences, shape (N,), none missing.
        seed: Seed for random signs; only needed where the exact distribution is out of reach.
        resamples: Number of random sign vectors.

    Raises:
        StatisticsError: Differences are missing, or random signs are needed and no seed is given.

    Source: Fisher 1935, The Design of Experiments §21; Phipson & Smyth 2010 for the added one.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or bool(np.isnan(values).any()):
        raise StatisticsError("sign flips need one difference per question and none missing; select common questions")
    values = values[values != 0.0]
    if (steps := _lattice(values)) is not None:
        return _exact_flips(steps)
    if seed is None:
        raise StatisticsError("the differences have no small common denominator; give a seed for random signs")
    rng = np.random.default_rng(seed)
    observed = abs(math.fsum(values.tolist()))
    # Signs are drawn for the absolute values, so that exchanging the agents changes nothing.
    sizes = np.sort(np.abs(values))
    reached = 0
    for start in range(0, resamples, max(1, _CHUNK // sizes.size)):
        count = min(max(1, _CHUNK // sizes.size), resamples - start)
        signs = rng.integers(0, 2, size=(count, sizes.size), dtype=np.int8).astype(np.float64) * 2.0 - 1.0
        reached += int((np.abs(signs @ sizes) >= observed - _TIE).sum())
    return (1 + reached) / (1 + resamples)


def _lattice(values: Floats) -> NDArray[np.int64] | None:
    """The values as whole multiples of a common unit 1/L, or None when there is no small L."""
    for unit in range(1, _LARGEST_UNIT + 1):
        steps = np.rint(values * unit)
        if np.all(np.abs(values * unit - steps) < _TIE):
            whole = np.abs(steps).astype(np.int64) * np.sign(steps).astype(np.int64)
            return whole if int(np.abs(whole).sum()) * max(1, whole.size) <= 400 * _LARGEST_LATTICE else None
    return None


def _exact_flips(steps: NDArray[np.int64]) -> float:
    sizes = np.abs(steps)
    total = int(sizes.sum())
    # Probability of each subset sum; a flipped sum is total minus twice it.
    chances = np.zeros(total + 1)
    chances[0], reach = 1.0, 0
    for size in sizes.tolist():
        moved = chances[: reach + 1].copy()
        chances[: reach + 1] *= 0.5
        chances[size : reach + size + 1] += 0.5 * moved
        reach += size
    sums = np.abs(total - 2 * np.arange(total + 1))
    return min(1.0, math.fsum(chances[sums >= abs(int(steps.sum()))].tolist()))


def share_difference_interval(
    first: Floats, second: Floats, *, clusters: NDArray[np.int64] | None = None, level: float = 0.95
) -> tuple[float, float]:
    """Interval of the mean of `first - second`, inside [-1, 1], also where a share is rare or nothing differs.

    Both arms answer the same questions. The paired t interval is right in the middle; where a share is a few percent it
    covers 86 to 93% when it says 95%, and where all differences are equal it does not exist. Here each share has an
    interval that respects its bounds (`bounded_interval`), and the two are put together as distances from the
    estimates, with the correlation of the two means: Zou & Donner 2008, Stat. Med. 27:1693; Newcombe 1998, Stat. Med.
    17:2635, method 10, with correlation.

    Coverage at 95%, 20 to 100 questions of 1 to 5 samples, shares from 1 to 90%, alike or unlike tasks: 93 to 97% where
    each share rests on ten hits or more, up to 100% where it rests on fewer, never below 91.5%. See
    docs/methods/prompt-differentials.md. Not covered: values outside [0, 1], and questions that only one of the two
    answered; leave those out before.

    Args:
        first: question means of the first arm, in [0, 1], none missing, shape (N,).
        second: those of the second, for the same questions.
        clusters: cluster of each question, integers from 0; None for independent questions.
        level: coverage.

    Returns:
        NaN twice with fewer than two questions, or clusters.

    Raises:
        StatisticsError: values are missing or no shares, or the shapes differ.
    """
    if first.shape != second.shape or first.ndim != 1:
        raise StatisticsError(f"expected the same questions twice, found values of shape {first.shape}, {second.shape}")
    values = np.stack([first, second, first - second])
    if not (np.all(values[:2] >= 0) and np.all(values[:2] <= 1)):
        raise StatisticsError("expected shares between 0 and 1, one for each question and none missing")
    units = first.size if clusters is None else np.unique(clusters).size
    if units < 2:
        return math.nan, math.nan
    found = mean_of_questions(values) if clusters is None else clustered_mean(values, clusters)
    lows, highs = bounded_interval(found.mean[:2], found.se[:2], found.df[:2], np.ones(2), units, level)
    (a, b, _), (of_a, of_b) = found.mean.tolist(), np.stack([lows, highs], axis=1).tolist()
    return difference_of_intervals(a, of_a, b, of_b, _correlation(found))


def _correlation(found: MeanEstimate) -> float:
    """Correlation of the two means; 0 where one of them does not vary."""
    a, b, d = (float(se) for se in found.se)
    if math.isnan(a) or math.isnan(b):
        return 0.0
    return 1.0 if math.isnan(d) else min(1.0, max(-1.0, (a * a + b * b - d * d) / (2 * a * b)))
