"""Summaries of draws from a posterior: means with intervals, and the probability of every rank, jointly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honestly.stats._inference import CONDITIONAL, ClaimVerdict, MeanQuestion
from honestly.stats._multiplicity import holm_adjusted
from honestly.stats._ranks import rank_verdict
from honestly.stats._special import t_two_sided
from honestly.stats.hierarchy._design import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The posterior of some quantities; arrays have one entry for each."""

    mean: Floats
    sd: Floats
    """Posterior standard deviation: what a standard error is in the design-based estimates."""
    low: Floats
    """Lower end of the central interval."""
    high: Floats


def summarise_draws(draws: Floats, level: float) -> Posterior:
    """Summary of draws of shape (draws, ...)."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Posterior(draws.mean(axis=0), draws.std(axis=0, ddof=1), low, high)


def guarded_scores(draws: Floats, predicted: Floats, weights: Floats, units: Integers, level: float) -> Posterior:
    """Scores of agents on new questions, with room for questions that were not drawn.

    The draws know only questions like those that are there: near 0 and 1 their intervals hold the truth in as few as
    78% of studies of 15 to 30 questions. So an interval is at least the headline of a mean (`_inference.py`) over what
    is predicted of each question.

    Args:
        draws: of the scores, shape (draws, agents, suites).
        predicted: probability of a pass, shape (agents, questions).
        weights: of each question in each suite, 0 where it is of another one, shape (questions, suites).
        units: what was drawn independently, shape (questions,).
        level: of the intervals.
    """
    found = summarise_draws(draws, level)
    low, high = found.low.copy(), found.high.copy()
    for suite in range(weights.shape[1]):
        asked = np.flatnonzero(weights[:, suite])
        share, groups, count = _drawn_units(weights[asked, suite], units[asked])
        for agent in range(len(predicted)):
            mean, sd = float(found.mean[agent, suite]), float(found.sd[agent, suite])
            question = MeanQuestion(mean, sd, count - 1.0, predicted[agent, asked], share, groups, (0.0, 1.0))
            ends = question.claim(level).answer.interval
            low[agent, suite], high[agent, suite] = min(low[agent, suite], ends[0]), max(high[agent, suite], ends[1])
    return Posterior(found.mean, found.sd, low, high)


def _drawn_units(weights: Floats, units: Integers) -> tuple[Floats | None, Integers | None, int]:
    """Weights and clusters as a `MeanQuestion` has them, and the number of units."""
    held, codes = np.unique(units, return_inverse=True)
    return None if np.ptp(weights) == 0 else weights, codes if held.size < units.size else None, held.size


def mean_over_suites(draws: Floats, scores: Posterior, level: float) -> Posterior:
    """Of guarded scores, shape (agents, suites), with each suite alike: ends as far away as their squares add up to."""
    found, suites = summarise_draws(draws.mean(axis=2), level), scores.mean.shape[1]
    down, up = (np.sqrt(((end - scores.mean) ** 2).sum(axis=1)) / suites for end in (scores.low, scores.high))
    return Posterior(found.mean, found.sd, np.fmin(found.low, found.mean - down), np.fmax(found.high, found.mean + up))


@dataclass(frozen=True, slots=True, eq=False)
class PosteriorRanks:
    """Ranks of agents, 1 is best."""

    probability: Floats
    """Of each rank, shape (agents, ranks); column 0 is the probability of being best."""
    expected: Floats
    """Mean rank, shape (agents,)."""
    low: Integers
    """Best rank: one more than the number of agents that are better. All true ranks lie in their intervals together,
    with confidence `level`, also where agents are equal: a pair differs when its verdict is `shown`."""
    high: Integers
    """Worst rank, accordingly."""
    verdicts: NDArray[np.object_]
    """How strongly two agents are shown to differ, after Holm's correction over all pairs, shape (agents, agents)."""
    verdict: tuple[ClaimVerdict, ...]
    """Of each agent: the weakest of those that part its rank from others."""


def rank_draws(
    draws: Floats, predicted: Floats, weights: Floats, units: Integers, freedom: float, level: float
) -> PosteriorRanks:
    """Ranks by draws of scores of shape (draws, agents).

    Probabilities of ranks are as sure of an order between equal agents as chance happens to be, so that the intervals
    go by differences (as `rank_intervals`): each is the mean of what is predicted of the questions, with the deviation
    of the draws as its error, and its claim is that of `_inference.py`.

    Args:
        draws: of the scores.
        predicted: probability of a pass, shape (agents, questions).
        weights: of each question, shape (questions,).
        units: what was drawn independently, shape (questions,).
        freedom: of Student's t.
        level: of the intervals.
    """
    count = draws.shape[1]
    rank = np.argsort(np.argsort(-draws, axis=1), axis=1)
    probability = np.stack([(rank == place).mean(axis=0) for place in range(count)], axis=1)
    mean, covariance = draws.mean(axis=0), np.atleast_2d(np.cov(draws.T))
    first, second = np.triu_indices(count, 1)
    variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
    gap, spread = mean[first] - mean[second], np.sqrt(variance)
    by_t = np.asarray(t_two_sided(gap / spread, freedom))
    said, (share, groups, _) = by_t.copy(), _drawn_units(weights, units)
    for at in np.flatnonzero(by_t <= 1 - level):
        values = predicted[first[at]] - predicted[second[at]]
        claim = MeanQuestion(float(gap[at]), float(spread[at]), freedom, values, share, groups).claim(level, 0.0)
        by_t[at], said[at] = claim.approximate.p_value, claim.answer.p_value
    verdicts = np.full((count, count), "cannot tell", dtype=object)
    for p_values, word in ((by_t, CONDITIONAL), (said, "shown")):
        apart = holm_adjusted(p_values) <= 1 - level
        verdicts[first[apart], second[apart]] = verdicts[second[apart], first[apart]] = word
    shown = verdicts == "shown"
    better = shown & (mean[:, None] > mean)
    return PosteriorRanks(
        probability,
        probability @ (np.arange(count) + 1.0),
        1 + better.sum(axis=0),
        count - better.sum(axis=1),
        verdicts,
        tuple(rank_verdict(parted, each) for parted, each in zip(shown, verdicts, strict=True)),
    )
