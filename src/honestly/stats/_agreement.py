"""How far orders agree: ranks, Kendall's tau-b and Kendall's W, with ties, over many columns at once.

They compare the orders that they are given. For agents drawn at random tau is unbiased for its population value and W
for `(1 + (m - 1) mean Spearman) / m`; but scores with noise in them agree less than the abilities behind them, and from
scores alone nobody can tell by how much. So there are no intervals here.

Not covered: p-values of these coefficients; the errors of ranks come from resampling questions (`_ranks.py`).
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TIE = 1e-12  # scores are means, and rounding makes equal ones differ in the last digits


def average_ranks(scores: Floats) -> Floats:
    """Ranks along the first axis, 1 for the highest score; tied scores share the mean of their ranks."""
    ranks = np.empty_like(scores, dtype=np.float64)
    for row in range(scores.shape[0]):
        gap = scores - scores[row]
        ranks[row] = (gap > _TIE).sum(axis=0) + 0.5 * ((np.abs(gap) <= _TIE).sum(axis=0) + 1)
    return ranks


def tau_b(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b (1945, Biometrika 33:239) along the first axis, for arrays that broadcast; NaN cells are skipped.

    `(concordant - discordant) / sqrt(pairs not tied in x * pairs not tied in y)`; NaN where a column is constant.
    Differences below 1e-12 are ties. Time grows with the square of the length.
    """
    left, right = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    all_known = bool(np.isfinite(left).all() and np.isfinite(right).all())
    balance, open_x, open_y = (np.zeros(np.broadcast_shapes(left.shape[1:], right.shape[1:])) for _ in range(3))
    for row in range(left.shape[0] - 1):
        gaps = [values[row + 1 :] - values[row] for values in (left, right)]
        sign_x, sign_y = ((gap > _TIE).view(np.int8) - (gap < -_TIE).view(np.int8) for gap in gaps)
        both = None if all_known else np.isfinite(gaps[0]) & np.isfinite(gaps[1])
        balance += (sign_x * sign_y).sum(axis=0, dtype=np.int32)
        for is_open, sign in ((open_x, sign_x), (open_y, sign_y)):
            is_open += np.count_nonzero(sign if both is None else both & (sign != 0), axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(balance / np.sqrt(open_x * open_y))


def pearson_correlation(x: Floats, y: Floats) -> Floats:
    """Pearson's correlation along the first axis; cells that are not finite are skipped, constant columns give NaN."""
    used = np.isfinite(x) & np.isfinite(y)
    number = np.maximum(used.sum(axis=0), 1)
    dx, dy = (np.where(used, values - np.where(used, values, 0.0).sum(axis=0) / number, 0.0) for values in (x, y))
    scale = np.sqrt((dx**2).sum(axis=0) * (dy**2).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(scale > 1e-12, (dx * dy).sum(axis=0) / scale, np.nan)


def kendall_w(scores: Floats) -> float:
    """Kendall's W of the orders that the columns of `scores`, shape (agents, judges), put the agents in.

    `W = 12 sum_i (R_i - mean R)² / (m² (n³ - n) - m sum_j T_j)` for n agents, m columns, rank sums `R_i` and the tie
    corrections `T_j = sum (t³ - t)` (Kendall & Smith 1939). 1 when all columns agree, 0 when they cancel; NaN for fewer
    than two agents, or when every column is constant.
    """
    agents, judges = scores.shape
    sums = average_ranks(scores).sum(axis=1)
    spread = 12.0 * float(((sums - sums.mean()) ** 2).sum())
    # sum over groups of t tied agents of t³ - t equals the sum over agents of (t² - 1).
    group = (np.abs(scores[:, None, :] - scores[None, :, :]) <= _TIE).sum(axis=0)
    possible = judges**2 * (agents**3 - agents) - judges * float((group.astype(np.float64) ** 2 - 1.0).sum())
    return spread / possible if possible > 0 else float("nan")
