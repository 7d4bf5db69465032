"""Least squares with errors that take groups of rows as independent (CR1 sandwich, t with one degree less than groups).

Not covered: weights, rows that lack a value.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._special import t_quantile, t_two_sided

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LeastSquares:
    """What was fitted; arrays have one entry for each column. Where no row differs from it, errors are NaN."""

    slopes: Floats
    se: Floats
    low: Floats
    high: Floats
    p_value: Floats
    """Of a slope of zero, two-sided."""
    groups: int


def least_squares(x: Floats, y: Floats, groups: Sequence[Hashable], *, level: float = 0.95) -> LeastSquares:
    """Fit the values of `y` as sums over the columns of `x`, which holds the constant, too.

    Args:
        x: shape (n, d); of columns that say the same, the least slopes are taken.
        y: shape (n,).
        groups: of each row, the group; as many groups as rows give the errors of unlike variances (HC1).
        level: coverage of each interval.

    Raises:
        StatisticsError: there are no more rows than columns, or fewer than two groups.

    Source: Liang & Zeger 1986, Biometrika 73:13; the correction is Stata's (G/(G-1) (n-1)/(n-d)).
    """
    n, d = x.shape
    names = {group: at for at, group in enumerate(dict.fromkeys(groups))}
    codes = np.array([names[group] for group in groups])
    if n <= d or len(names) < 2:
        raise StatisticsError(f"{n} rows in {len(names)} groups cannot tell {d} columns apart")
    bread = np.linalg.pinv(x.T @ x)
    slopes = bread @ x.T @ y
    sums = np.zeros((len(names), d))
    left = y - x @ slopes
    np.add.at(sums, codes, x * left[:, None])
    scale = len(names) / (len(names) - 1) * (n - 1) / (n - d)
    se = np.sqrt(np.maximum(np.diag(bread @ (sums.T @ sums) @ bread) * scale, 0.0))
    if np.abs(left).max() <= 1e-9 * max(np.abs(y).max(), 1e-300):
        se[:] = np.nan
    half = t_quantile(level, len(names) - 1) * se
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = t_two_sided(slopes / se, len(names) - 1)
    return LeastSquares(slopes, se, slopes - half, slopes + half, np.asarray(p_value), len(names))
