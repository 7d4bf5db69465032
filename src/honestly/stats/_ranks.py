"""Ranks with their uncertainty: simultaneous rank intervals and the probability of being best.

A leaderboard's order is a statement about all pairs at once. The simultaneous intervals cover all true ranks together
with the stated probability: they follow from the pairs that differ after Holm's correction, by the tests of
`compare_all`, so that a table of ranks and one of pairs never contradict each other. The marginal intervals (quantiles
of bootstrapped ranks) are narrower and are shown by other programs; they hold for one agent chosen beforehand, not for
the table.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._allpairs import AllPairs, compare_all
from honestly.stats._inference import CONDITIONAL, ClaimVerdict, assumptions
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

    verdict: tuple[ClaimVerdict, ...]
    """How strongly it is shown that the agent is above or below others, all pairs together."""

    assumed: tuple[str, ...]
    """What the pairs that part ranks take for granted."""

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
    resolved: ResolvedScores,
    *,
    seed: int,
    bootstraps: int = 2_000,
    level: float = 0.95,
    apart: NDArray[np.bool_] | None = None,
) -> RankIntervals:
    """Rank all agents, with simultaneous intervals and the share of bootstraps that each one leads.

    Agent a is better than b when its mean difference is above 0 and the p-value that is said of the pair, after Holm
    over all pairs (`AllPairs.headline_holm`), is at most `1 - level`. The bootstrap serves the marginal intervals and
    `p_top` alone: the quantile of its largest difference, for all its use of the correlations, separated 15% of
    families of ten equal agents at 30 questions of 5 samples, because it takes the standard errors for known.

    Args:
        resolved: The scores of at least two agents. With missing questions each agent is scored on its own.
        seed: Seed of the bootstrap.
        bootstraps: Number of draws of questions.
        level: Coverage.
        apart: Pairs, shape (agents, agents), of which nothing can be said whatever they scored.

    Raises:
        StatisticsError: An agent has no questions, or there are fewer than two questions (clusters).

    Source: Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91:476; Holm 1979, Scandinavian Journal
    of Statistics 6:65.
    """
    check_coverage(level)
    has = resolved.n > 0
    empty = [resolved.agents[row] for row in np.flatnonzero(~np.any(has, axis=1)).tolist()]
    if empty:
        raise StatisticsError(f"no question counts for {', '.join(empty[:5])}: without a score there is no rank")
    if min(len(resolved.questions), len(set(resolved.clusters or "two"))) < 2:
        raise StatisticsError("ranks need at least two questions (and two clusters) to have an uncertainty")
    weights = np.ones(len(resolved.questions)) if resolved.weights is None else resolved.weights
    mean = (np.where(has, resolved.mean, 0.0) * weights).sum(axis=1) / (has * weights).sum(axis=1)
    drawn = bootstrap_means(resolved, bootstraps, seed)
    pairs = replace(compare_all(resolved), apart=apart)
    better = _significantly_better(pairs, mean, level)
    low, high = 1 + better.sum(axis=0), len(mean) - better.sum(axis=1)
    verdicts = pairs.verdicts(1 - level, family=True)
    ranks = np.sort(_row_ranks(drawn), axis=0)
    tail = (1.0 - level) / 2.0
    first = math.floor(tail * (len(ranks) - 1))
    marginal_low, marginal_high = ranks[first], ranks[len(ranks) - 1 - first]
    notes = [*resolved.notes]
    if not has.all():
        notes.append("the agents answered different questions; each is ranked by the score on its own")
    unit = "clusters" if resolved.clusters is not None else "questions"
    return RankIntervals(
        agents=resolved.agents,
        mean=mean,
        rank=_row_ranks(mean[None, :])[0],
        low=low,
        high=high,
        verdict=tuple(rank_verdict(better[i] | better[:, i], verdicts[i]) for i in range(len(mean))),
        assumed=assumptions(is_law_free=bool(pairs.is_law_free[better].all())),
        marginal_low=marginal_low,
        marginal_high=marginal_high,
        p_top=_share_leading(drawn),
        level=level,
        bootstraps=bootstraps,
        seed=seed,
        method=f"Holm over all pairs; bootstrap over {unit} for the rest",
        estimand=Estimand.NEW_QUESTIONS,
        notes=tuple(notes),
    )


def _significantly_better(pairs: AllPairs, mean: Floats, level: float) -> NDArray[np.bool_]:
    """Entry (a, b): a is better than b, with all pairs' errors bounded together."""
    with np.errstate(invalid="ignore"):
        # Agents that answered different questions must also be ordered by the scores that are ranked.
        return np.asarray(
            (pairs.headline_holm <= 1 - level) & (pairs.difference > 0) & (mean[:, None] > mean), dtype=np.bool_
        )


def rank_verdict(parted: NDArray[np.bool_], verdicts: NDArray[np.object_]) -> ClaimVerdict:
    """Of an agent: the weakest of its pairs that part ranks; without any, whether rare differences hide some."""
    parts = set(verdicts[parted])
    if parts == {"shown"}:
        return "shown"
    return CONDITIONAL if parts or CONDITIONAL in verdicts else "cannot tell"


def _row_ranks(scores: Floats) -> Integers:
    """Rank of each column within its row, 1 for the highest; ties share the better rank."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    ordered = np.sort(filled, axis=1)
    ranks = [scores.shape[1] - np.searchsorted(row, value + _TIE) for row, value in zip(ordered, filled, strict=True)]
    return np.array(ranks, dtype=np.int64) + 1


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
