"""Bootstrap over questions: which scores another draw of questions would have given.

A draw carries all samples of a question, for all agents at once, so that the agents stay paired and prediction noise is
not counted twice. With clusters, whole clusters are drawn. Only for what has no formula (ranks, ratios, quantiles).

A draw is a vector of weights (how often each question was drawn), so that a thousand bootstraps of all agents are one
matrix product.
"""

import math

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._resolved import ResolvedScores

Floats = NDArray[np.float64]

_CHUNK = 2_000_000  # numbers held at once: 16 MB


def bootstrap_means(resolved: ResolvedScores, bootstraps: int, seed: int) -> Floats:
    """Scores of all agents under redrawn questions.

    Args:
        resolved: Scores of A agents on N questions.
        bootstraps: Number of draws B.
        seed: Seed of the draws.

    Returns:
        Array of shape (B, A); NaN where a draw has no question of the agent.

    Raises:
        StatisticsError: `bootstraps` is below 1.
    """
    if bootstraps < 1:
        raise StatisticsError(f"{bootstraps} bootstraps; expected at least 1")
    rng = np.random.default_rng(seed)
    codes = resolved.cluster_codes
    columns = len(resolved.questions)
    units = columns if codes is None else int(codes.max()) + 1
    weights = np.ones(columns) if resolved.weights is None else resolved.weights
    has = resolved.n > 0
    weighted_sum = (np.where(has, resolved.mean, 0.0) * weights).T
    weighted_count = (has * weights).T
    means = np.empty((bootstraps, len(resolved.agents)))
    step = max(1, _CHUNK // columns)
    for start in range(0, bootstraps, step):
        count = min(step, bootstraps - start)
        drawn = rng.integers(0, units, size=(count, units)) + np.arange(count)[:, None] * units
        times = np.bincount(drawn.ravel(), minlength=count * units).reshape(count, units).astype(np.float64)
        if codes is not None:
            times = times[:, codes]
        with np.errstate(divide="ignore", invalid="ignore"):
            means[start : start + count] = (times @ weighted_sum) / (times @ weighted_count)
    return means


def variance_correction(resolved: ResolvedScores) -> float:
    """`n / (n - 1)` for n questions or clusters: a bootstrap variance is too small by the inverse of it."""
    units = len(resolved.questions) if resolved.clusters is None else len(set(resolved.clusters))
    return units / (units - 1) if units > 1 else math.nan
