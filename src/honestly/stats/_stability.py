"""Does the benchmark separate agents, would half of it rank them alike, and how much is left to gain on it?

These are descriptions of the agents at hand on questions that could have been others. None has an interval of its own:
the highest and the lowest of several scores are too far apart on average, by an amount that depends on how equal the
agents truly are, so that an interval around them would be centred on the wrong value. What can be said instead is said:
what equal agents would show (`Separation.by_chance`), what is left for certain (`Saturation.certain_headroom`).

Not covered: intervals of the ranks themselves (`rank_intervals`) and the quality of single questions (`_health.py`).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._agreement import pearson_correlation, tau_b
from honestly.stats._allpairs import compare_all
from honestly.stats._multiplicity import holm_adjusted
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores
from honestly.stats._score import score_all
from honestly.stats._special import normal_cdf

Floats = NDArray[np.float64]

_CHUNK = 200  # splits at once, so that memory does not grow with their number


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """Agreement of the scores on two random halves of the questions, averaged over splits."""

    tau: float
    """Kendall's tau-b of the two orders: what a benchmark of half the size would do to the ranks."""

    pearson: float
    """Correlation of the two scores over agents."""

    spearman_brown: float
    """`2 r / (1 + r)` of the mean correlation r: reliability of the scores on all questions."""

    splits: int
    seed: int
    estimand: Estimand
    reason: str | None
    """Why something is NaN, or None."""

    notes: tuple[str, ...]


def split_half(resolved: ResolvedScores, *, splits: int = 1000, seed: int) -> SplitHalf:
    """Split the questions at random into halves and correlate the agents' scores on them.

    Uses the questions that every agent has. Both coefficients depend on which agents are compared: similar agents are
    harder to keep in order. Source: Spearman 1910, Brown 1910 (Brit. J. Psych. 3).

    Args:
        resolved: at least three agents (two for nothing but a sign).
        splits: random splits to average.
        seed: of the splits.

    Raises:
        StatisticsError: with fewer than three agents, four common questions, or one split.
    """
    common = resolved.on_common_questions()
    agents, questions = common.mean.shape
    if agents < 3 or questions < 4 or splits < 1:
        raise StatisticsError(
            f"split halves need 3 agents, 4 common questions and 1 split; found {agents}, {questions} and {splits}"
        )
    rng = np.random.default_rng(seed)
    taus, correlations = [], []
    for start in range(0, splits, _CHUNK):
        draws = rng.random((min(_CHUNK, splits - start), questions))
        first = (np.argsort(draws, axis=1) < questions // 2).astype(np.float64)
        one = common.mean @ first.T / (questions // 2)
        other = common.mean @ (1.0 - first).T / (questions - questions // 2)
        taus.append(tau_b(one, other))
        correlations.append(pearson_correlation(one, other))
    tau, r = (_mean_of_finite(np.concatenate(values)) for values in (taus, correlations))
    reason = "agents have equal scores on every half" if math.isnan(tau) or math.isnan(r) else None
    notes = common.notes
    if common.clusters is not None:
        notes = (*notes, "questions of one cluster fall into both halves, which makes them agree more than new ones")
    whole = 2 * r / (1 + r) if r > -1 else math.nan
    if r <= -1:
        reason = "the halves order the agents in reverse, so that the scores have no reliability"
    return SplitHalf(tau, r, whole, splits, seed, Estimand.NEW_QUESTIONS, reason, notes)


def _mean_of_finite(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else math.nan


@dataclass(frozen=True, slots=True)
class Separation:
    """How far the agents spread, measured in the error of a difference."""

    spread: float
    """Highest minus lowest score; too large on average, because luck parts even equal agents."""

    error: float
    """Root of the median over pairs of the squared standard error of their difference."""

    ratio: float
    """`spread / error`; NaN when there is no error to divide by."""

    by_chance: float
    """What `ratio` is on average for as many agents that are truly equal; a ratio near it separates nobody."""

    estimand: Estimand
    notes: tuple[str, ...]


def score_separation(resolved: ResolvedScores) -> Separation:
    """Spread of the scores over the typical standard error of a paired difference (independent questions).

    Depends on the agents at hand: adding a very weak one widens the spread. Compare `ratio` with `by_chance`, the
    expected range of M independent standard normals over sqrt(2) (Tippett 1925, Biometrika 17:364): 0.8 for two agents,
    2.1 for nine, 3.1 for forty.

    Raises:
        StatisticsError: with fewer than two agents.
    """
    if len(resolved.agents) < 2:
        raise StatisticsError("separation needs two agents at least")
    pairs = compare_all(resolved, method="t")
    squares = pairs.upper(pairs.se) ** 2
    squares = squares[np.isfinite(squares)]
    means = np.array([estimate.mean for estimate in score_all(resolved)])
    spread = float(np.nanmax(means) - np.nanmin(means))
    error = math.sqrt(float(np.median(squares))) if squares.size else math.nan
    # Mean of the largest minus the smallest of so many standard normals: `∫ 1 - Φ(x)^M - (1 - Φ(x))^M dx`.
    agents = len(resolved.agents)
    x = np.linspace(-9.0, 9.0, 2001)
    below = normal_cdf(x)
    by_chance = float((1.0 - below**agents - (1.0 - below) ** agents).sum() * (x[1] - x[0])) / math.sqrt(2.0)
    return Separation(spread, error, spread / error, by_chance, Estimand.NEW_QUESTIONS, resolved.notes)


@dataclass(frozen=True, slots=True)
class Saturation:
    """The room left to gain, and whether the best agents can still be told apart."""

    best: str
    """Agent with the highest score."""

    best_score: float
    headroom: float
    """`1 - best score`; too small on average when several agents are about equally good."""

    certain_headroom: float
    """1 minus the upper end of the best score's confidence interval: what is left even if it was unlucky. The best of
    several was probably lucky, so that more is left than this in at least `(1 + level) / 2` of studies."""

    never: float
    """Share of questions that no agent ever solved: hard, or broken; the rest is what was shown to be possible."""

    always: float
    """Share that every sample of every agent solved."""

    informative: float
    """Share on which at least two agents have different scores."""

    top: tuple[str, ...]
    """The best agents that were compared with one another."""

    separable: float
    """Share of the pairs among them that differ significantly after Holm; NaN for a single agent."""

    level: float
    estimand: Estimand
    notes: tuple[str, ...]


def score_saturation(resolved: ResolvedScores, *, top: int = 5, level: float = 0.95) -> Saturation:
    """Ask whether the benchmark is used up: little headroom, and leaders that it cannot tell apart.

    `never`, `always` and `informative` are shares of N questions, unbiased for these agents and numbers of samples on
    new questions; `wilson_interval(share * N, N)` is their interval if the questions are independent.

    Args:
        resolved: the scores.
        top: how many of the best agents to compare with one another.
        level: coverage of the best score's interval; the comparisons are made at `1 - level`.

    Raises:
        StatisticsError: if `top` is below 1.
    """
    if top < 1:
        raise StatisticsError(f"the number of leading agents must be at least 1, not {top}")
    estimates = score_all(resolved, level=level)
    ranked = sorted(estimates, key=lambda estimate: -estimate.mean if math.isfinite(estimate.mean) else math.inf)
    leaders = tuple(estimate.agent for estimate in ranked[:top])
    separable = math.nan
    if len(leaders) > 1:
        pairs = compare_all(resolved.select(agents=leaders))
        separable = float((holm_adjusted(pairs.upper(pairs.p_value)) < 1 - level).mean())
    present = resolved.n > 0
    low = np.where(present, resolved.mean, np.inf).min(axis=0)
    high = np.where(present, resolved.mean, -np.inf).max(axis=0)
    seen = present.any(axis=0)
    first = ranked[0]
    return Saturation(
        best=first.agent,
        best_score=first.mean,
        headroom=1 - first.mean,
        certain_headroom=1 - first.interval[1],
        never=float((high[seen] <= 0).mean()) if seen.any() else math.nan,
        always=float((low[seen] >= 1).mean()) if seen.any() else math.nan,
        informative=float((high[seen] - low[seen] > 1e-12).mean()) if seen.any() else math.nan,
        top=leaders,
        separable=separable,
        level=level,
        estimand=Estimand.NEW_QUESTIONS,
        notes=resolved.notes,
    )
