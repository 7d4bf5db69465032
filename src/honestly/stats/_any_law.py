"""A test of a mean that assumes nothing but the limits of its values: the guaranteed answer beside the t test's.

The t test takes the differences for nearly normal. With few questions their law may have a part that was not drawn: of
20 questions, one in eight samples holds none of the 10% on which an agent is far worse. Gaffke's test counts, beside
the differences seen, one more at the worst bound, and asks how often the mean is on the other side of 0 when all of
them get random weights that add up to 1 (uniform on the simplex). For -1 and 1 alone it is the exact binomial test.

It keeps its level for those exactly. That it does for every law on [-1, 1] has not been proven; no exception is known,
and docs/methods/coverage.md tries it. The t test remains the test: this one finds less. Questions of unequal weight,
and clusters, get random weights whose means are theirs, as many as would count as much if they were equal.
"""

import math

import numpy as np
from numpy.typing import NDArray

from honestly.stats._special import gauss_legendre, normal_ppf

Floats = NDArray[np.float64]

_NODES = 128
_TOGETHER = 8
_HALVINGS = 40
_LEAST = 1e-15
_EDGE = 1e-6
_STEPS = 60


class AnyLaw:
    """The law that Gaffke's test gives a mean of bounded values: random weights over those seen and one at a limit.

    Args:
        values: between the limits, shape (N,), none missing.
        weights: of the questions, shape (N,); None for equal ones.
        codes: cluster of each question, shape (N,); None for independent questions.
        limits: that no value leaves; -1 and 1 of differences.

    Source: Gaffke 2005, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
    variable", Math. Methods Statist. 14:451; Learned-Miller & Thomas 2019, arXiv:1905.06208.
    """

    def __init__(
        self,
        values: Floats,
        weights: Floats | None = None,
        codes: NDArray[np.int64] | None = None,
        limits: tuple[float, float] = (-1.0, 1.0),
    ) -> None:
        units, share = independent_units(values, weights, codes)
        self._least, self._most = limits
        # Means of counts that differ by rounding only are one value.
        self._values, place = np.unique(np.round(units, 12), return_inverse=True)
        self._counts = np.append(np.bincount(place, share * share.sum() / (share**2).sum()), 1.0)

    def tail_probabilities(self, mean: float) -> tuple[float, float]:
        """P-values of "the mean is at most this" and of "the mean is at least this", each one-sided.

        Args:
            mean: strictly between the limits.
        """
        return self._tail_probability(mean, 1.0), self._tail_probability(mean, -1.0)

    def _tail_probability(self, mean: float, side: float) -> float:
        limit = self._least if side > 0 else self._most
        # In the order of the other side's, so that two agents swapped give the same number to the last bit.
        turned = slice(None, None, int(side))
        values = np.append(side * (self._values[turned] - mean), side * (limit - mean))
        return _negative_share(values, np.append(self._counts[:-1][turned], 1.0))

    def bounds(self, alpha: float) -> tuple[float, float]:
        """Ends of the means that neither of the two tests rejects, each at level `alpha`."""
        return self._mean_bound(alpha, 1.0), self._mean_bound(alpha, -1.0)

    def _mean_bound(self, alpha: float, side: float) -> float:
        """Where a tail is `alpha`: by secants on the normal scale, on which a tail is nearly a line."""
        wanted, limit = float(normal_ppf(alpha)), self._least if side > 0 else self._most
        values, total = np.append(self._values, limit), float(self._counts.sum())
        mean = float(self._counts @ values) / total
        slope = math.sqrt(total * (total + 1) / max(float(self._counts @ (values - mean) ** 2), _LEAST))
        low, high = self._least + _EDGE, self._most - _EDGE
        middle, last = min(max(mean + side * wanted / slope, low), high), (math.nan, math.nan)
        for _ in range(_STEPS):
            tail = min(max(self._tail_probability(middle, side), _LEAST), 1 - _LEAST)
            found = side * (float(normal_ppf(tail)) - wanted)
            if abs(found) < _EDGE or high - low < _EDGE:
                break
            low, high = (middle, high) if found < 0 else (low, middle)
            if (found - last[1]) * (middle - last[0]) > 0:
                slope = (found - last[1]) / (middle - last[0])
            last = middle, found
            guess = middle - found / slope
            middle = guess if low < guess < high else 0.5 * (low + high)
        return middle


def effective_units(values: Floats, weights: Floats | None, codes: NDArray[np.int64] | None) -> float:
    """Independent questions, or clusters, of equal weight that would count as much as these; arguments as above."""
    _, share = independent_units(values, weights, codes)
    return float(share.sum() ** 2 / (share**2).sum())


def independent_units(values: Floats, weights: Floats | None, codes: NDArray[np.int64] | None) -> tuple[Floats, Floats]:
    """Means and weights of the questions or, with codes, of the clusters that hold one; arguments as above."""
    share = np.ones(values.size) if weights is None else weights
    if codes is None:
        return values, share
    sums: Floats = np.bincount(codes, share).astype(np.float64)
    held = sums > 0
    return (np.bincount(codes, share * values)[held] / sums[held]), sums[held]


def _negative_share(values: Floats, counts: Floats) -> float:
    """`P(Σ c_j G_j <= 0)` with independent `G_j ~ Gamma(counts_j)`: weights uniform on a simplex are such, divided.

    `exp(K(s)) / s` with `K(s) = -Σ counts_j log(1 - c_j s)` is integrated along the line through its saddle point.
    """
    if values.max() <= 0:
        return 1.0
    low, high, s = 1.0 / values.min(), 1.0 / values.max(), 0.0
    for _ in range(_HALVINGS):
        each = values / (1.0 - values * s)
        slope, curve = float((counts * each).sum()), float((counts * each**2).sum())
        if abs(slope) <= _EDGE * math.sqrt(curve):
            break
        low, high = (low, s) if slope > 0 else (s, high)
        guess = s - slope / curve
        s = guess if low < guess < high else 0.5 * (low + high)
    # Beside the pole at 0 the line keeps its distance.
    apart = 0.5 / math.sqrt(float((counts * values**2).sum()))
    s = math.copysign(max(abs(s), apart), s)
    scale = 2.0 / math.sqrt(float((counts * (values / (1.0 - values * s)) ** 2).sum()))
    nodes, mass = gauss_legendre(_NODES)
    angle = 0.25 * np.pi * (nodes + 1.0)
    line = s + 1j * scale * np.tan(angle)
    single = counts == 1.0
    alone = np.ones((_NODES, -(-int(single.sum()) // _TOGETHER) * _TOGETHER), complex)
    alone[:, : int(single.sum())] = 1.0 - line[:, None] * values[single]
    # Of factors that count once the logarithm of a product will do.
    total = np.log(alone.reshape(_NODES, -1, _TOGETHER).prod(axis=2)).sum(axis=1)
    inside = np.exp(-total - np.log(1.0 - line[:, None] * values[~single]) @ counts[~single]) / line
    share = float((inside.real * mass / np.cos(angle) ** 2).sum()) * scale * 0.25
    return min(1.0, max(0.0, -share if s < 0 else 1.0 - share))
