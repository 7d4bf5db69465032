"""The interval of a paired difference of two shares, also where one of them is rare or nothing differs.

Both arms answer the same questions. The paired t interval is right in the middle; where a share is a few percent it
covers 86 to 93% when it says 95%, and where all differences are equal it does not exist. Here each share has an
interval that respects its bounds (`bounded_interval`), and the two are put together as distances from the estimates,
with the correlation of the two means: Zou & Donner 2008, Stat. Med. 27:1693; Newcombe 1998, Stat. Med. 17:2635, method
10, with correlation.

Coverage at 95%, 20 to 100 questions of 1 to 5 samples, shares from 1 to 90%, alike or unlike tasks: 93 to 97% where
each share rests on ten hits or more, up to 100% where it rests on fewer, never below 91.5%. See
docs/methods/prompt-differentials.md.

Not covered: values outside [0, 1], and questions that only one of the two answered; leave those out before.
"""

import math

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._intervals import bounded_interval, difference_of_intervals
from honestly.stats._means import MeanEstimate, clustered_mean, mean_of_questions

Floats = NDArray[np.float64]


def share_difference_interval(
    first: Floats, second: Floats, *, clusters: NDArray[np.int64] | None = None, level: float = 0.95
) -> tuple[float, float]:
    """Interval of the mean of `first - second`, inside [-1, 1].

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
