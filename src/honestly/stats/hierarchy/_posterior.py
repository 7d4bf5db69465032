"""Summaries of draws from a posterior: means with intervals, and the probability of every rank, jointly."""

from dataclasses import dataclass

import numpy as np

from honestly.stats._inference import MeanQuestion
from honestly.stats._multiplicity import holm_adjusted
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
        held, codes = np.unique(units[asked], return_inverse=True)
        groups = codes if held.size < asked.size else None
        share = None if np.ptp(weights[asked, suite]) == 0 else weights[asked, suite]
        for agent in range(len(predicted)):
            mean, sd = float(found.mean[agent, suite]), float(found.sd[agent, suite])
            values = predicted[agent, asked]
            question = MeanQuestion(mean, sd, held.size - 1.0, values, share, groups, (0.0, 1.0))
            ends = question.claim(level).answer.interval
            low[agent, suite], high[agent, suite] = min(low[agent, suite], ends[0]), max(high[agent, suite], ends[1])
    return Posterior(found.mean, found.sd, low, high)


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
    with confidence `level`, also where agents are equal: a pair differs when its mean difference over its standard
    deviation, as Student's t, does so after Holm's correction over all pairs."""
    high: Integers
    """Worst rank, accordingly."""


def rank_draws(draws: Floats, freedom: float, level: float) -> PosteriorRanks:
    """Ranks by draws of scores of shape (draws, agents).

    Probabilities of ranks are as sure of an order between equal agents as chance happens to be, so that the intervals
    go by differences (as `rank_intervals`), with `freedom` degrees of freedom.
    """
    count = draws.shape[1]
    rank = np.argsort(np.argsort(-draws, axis=1), axis=1)
    probability = np.stack([(rank == place).mean(axis=0) for place in range(count)], axis=1)
    mean, covariance = draws.mean(axis=0), np.atleast_2d(np.cov(draws.T))
    first, second = np.triu_indices(count, 1)
    variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
    gap = mean[first] - mean[second]
    apart = holm_adjusted(t_two_sided(gap / np.sqrt(variance), freedom)) <= 1 - level
    better = np.zeros((count, count), dtype=bool)
    better[first, second], better[second, first] = apart & (gap > 0), apart & (gap < 0)
    expected = probability @ (np.arange(count) + 1.0)
    return PosteriorRanks(probability, expected, 1 + better.sum(axis=0), count - better.sum(axis=1))
