"""Ranks with their uncertainty: simultaneous rank intervals and the probability of being best.

A leaderboard's order is a statement about all pairs at once. The simultaneous intervals cover all true ranks together
with the stated probability: they follow from those pairs whose difference exceeds what the largest of all differences
would reach by chance. The marginal intervals (quantiles of bootstrapped ranks) are narrower and are shown by other
programs; they hold for one agent chosen beforehand, not for the table.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._intervals import check_coverage
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_TIE = 1e-12  # scores are means, and rounding makes equal ones differ in the last digits


@dataclass(frozen=True, slots=True, eq=False)
class RankIntervals:
    """Ranks of all agents, 1 is best. Arrays have one entry per agent."""

    agents: tuple[str, ...]
    mean: Floats
    """Scores."""

    rank: Integers
    """Rank by score; agents with equal scores share the better rank."""

    low: Integers
    """Best rank in the simultaneous interval: one more than the number of agents that are significantly better."""

    high: Integers
    """Worst rank in the simultaneous interval."""

    marginal_low: Integers
    """Lower quantile of the bootstrapped ranks; for one agent chosen beforehand."""

    marginal_high: Integers
    """Upper quantile of the bootstrapped ranks."""

    p_top: Floats
    """Share of bootstraps in which the agent is best; ties are split. Not a posterior probability."""

    level: float
    """Coverage of all intervals."""

    bootstraps: int
    seed: int
    method: str
    estimand: Estimand
    notes: tuple[str, ...]


def rank_intervals(
    resolved: ResolvedScores, *, seed: int, bootstraps: int = 2_000, level: float = 0.95
) -> RankIntervals:
    """Rank all agents, with simultaneous intervals and the share of bootstraps that each one leads.

    The critical value is the `level` quantile over bootstraps of `max_{a<b} |Δ*_ab - Δ_ab| / SE_ab`, with `SE_ab` the
    bootstrap standard error of the difference (times `sqrt(N/(N-1))`). Agent a is better than b when
    `Δ_ab > critical · SE_ab`.

    Args:
        resolved: The scores of at least two agents. With missing questions each agent is scored on its own.
        seed: Seed of the bootstrap.
        bootstraps: Number of draws of questions.
        level: Coverage.

    Raises:
        StatisticsError: An agent has no questions, or there are fewer than two questions (clusters).

    Source: Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91:476.
    """
    check_coverage(level)
    has = resolved.n > 0
    empty = [resolved.agents[row] for row in np.flatnonzero(~np.any(has, axis=1)).tolist()]
    if empty:
        raise StatisticsError(f"no question counts for {', '.join(empty[:5])}: without a score there is no rank")
    correction = variance_correction(resolved)
    if math.isnan(correction):
        raise StatisticsError("ranks need at least two questions (and two clusters) to have an uncertainty")
    weights = np.ones(len(resolved.questions)) if resolved.weights is None else resolved.weights
    mean = (np.where(has, resolved.mean, 0.0) * weights).sum(axis=1) / (has * weights).sum(axis=1)
    drawn = bootstrap_means(resolved, bootstraps, seed)
    better = _significantly_better(mean, (drawn - mean) * math.sqrt(correction), level)
    marginal_low, marginal_high = _marginal(drawn, level)
    notes = list(resolved.notes)
    if not has.all():
        notes.append("the agents answered different questions; each is ranked by the score on its own")
    unit = "clusters" if resolved.clusters is not None else "questions"
    return RankIntervals(
        agents=resolved.agents,
        mean=mean,
        rank=_ranks(mean[None, :])[0],
        low=1 + better.sum(axis=0),
        high=len(mean) - better.sum(axis=1),
        marginal_low=marginal_low,
        marginal_high=marginal_high,
        p_top=_share_leading(drawn),
        level=level,
        bootstraps=bootstraps,
        seed=seed,
        method=f"max-t bootstrap over {unit}",
        estimand=Estimand.NEW_QUESTIONS,
        notes=tuple(notes),
    )


def _significantly_better(mean: Floats, deviation: Floats, level: float) -> NDArray[np.bool_]:
    """Entry (a, b): a is better than b, with all pairs' errors bounded together."""
    known = np.where(np.isnan(deviation), 0.0, deviation)
    centred = known - known.mean(axis=0)
    covariance = centred.T @ centred / max(1, len(centred) - 1)
    spread = np.diag(covariance)
    variance = spread[:, None] + spread[None, :] - 2.0 * covariance
    # Agents that always move together, as two names for one run do, are never told apart; nor are constant ones.
    moves = variance > np.maximum(_TIE * np.maximum(spread[:, None], spread[None, :]), _TIE**2)
    se = np.sqrt(np.where(moves, variance, np.inf))
    largest = np.zeros(len(known))
    for a in range(len(mean) - 1):
        apart = np.abs(known[:, a, None] - known[:, a + 1 :]) / se[a, a + 1 :]
        np.maximum(largest, apart.max(axis=1), out=largest)
    position = min(len(largest), math.ceil((len(largest) + 1) * level)) - 1
    critical = float(np.sort(largest)[position])
    return np.asarray(moves & (mean[:, None] - mean[None, :] > critical * np.where(moves, se, 1.0)), dtype=np.bool_)


def _ranks(scores: Floats) -> Integers:
    """Rank of each column within its row, 1 for the highest; ties share the better rank."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    ordered = np.sort(filled, axis=1)
    ranks = [scores.shape[1] - np.searchsorted(row, value + _TIE) for row, value in zip(ordered, filled, strict=True)]
    return np.array(ranks, dtype=np.int64) + 1


def _marginal(drawn: Floats, level: float) -> tuple[Integers, Integers]:
    ranks = np.sort(_ranks(drawn), axis=0)
    tail = (1.0 - level) / 2.0
    first = math.floor(tail * (len(ranks) - 1))
    return ranks[first], ranks[len(ranks) - 1 - first]


def _share_leading(drawn: Floats) -> Floats:
    filled = np.where(np.isnan(drawn), -np.inf, drawn)
    leads = filled >= filled.max(axis=1, keepdims=True) - _TIE
    return np.asarray((leads / leads.sum(axis=1, keepdims=True)).mean(axis=0), dtype=np.float64)


_CHUNK = 2_000_000  # numbers held at once: 16 MB


def bootstrap_means(resolved: ResolvedScores, bootstraps: int, seed: int) -> Floats:
    """Scores of all agents under redrawn questions, for what has no formula (ranks, ratios, quantiles).

    A draw carries all samples of a question, for all agents at once, so that the agents stay paired and prediction
    noise is not counted twice. With clusters, whole clusters are drawn. A draw is a vector of weights (how often each
    question was drawn), so that a thousand bootstraps of all agents are one matrix product.

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
