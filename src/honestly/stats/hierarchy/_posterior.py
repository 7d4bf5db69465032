"""What draws from a posterior say: means with intervals, and the probability of every rank, jointly."""

from dataclasses import dataclass

import numpy as np

from honestly.stats.hierarchy._design import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """What is known of some quantities; arrays have one entry for each."""

    mean: Floats
    sd: Floats
    """Posterior standard deviation: what a standard error is in the design-based estimates."""
    low: Floats
    """Lower end of the central interval."""
    high: Floats


def summarise(draws: Floats, level: float) -> Posterior:
    """Summary of draws of shape (draws, ...)."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Posterior(draws.mean(axis=0), draws.std(axis=0, ddof=1), low, high)


@dataclass(frozen=True, slots=True, eq=False)
class PosteriorRanks:
    """Ranks of agents, 1 is best."""

    probability: Floats
    """Of each rank, shape (agents, ranks); column 0 is the probability of being best."""
    expected: Floats
    """Mean rank, shape (agents,)."""
    low: Integers
    """Best rank of the simultaneous set: with probability `level` all agents' ranks lie in their sets together."""
    high: Integers
    """Worst rank of the simultaneous set."""


def rank_draws(draws: Floats, level: float) -> PosteriorRanks:
    """Ranks in every draw of shape (draws, agents), together.

    The set keeps, of each agent, the ranks whose smaller tail probability is at least some limit; the limit is the
    largest at which `level` of the draws lie inside with all their ranks.
    """
    count = draws.shape[1]
    rank = np.argsort(np.argsort(-draws, axis=1), axis=1)
    agents = np.arange(count)
    probability = np.stack([(rank == place).mean(axis=0) for place in range(count)], axis=1)
    tail = np.minimum(np.cumsum(probability, axis=1), np.cumsum(probability[:, ::-1], axis=1)[:, ::-1])
    limit = np.sort(tail[agents, rank].min(axis=1))[int((1 - level) * len(draws))]
    inside = tail >= limit
    low, high = inside.argmax(axis=1) + 1, count - inside[:, ::-1].argmax(axis=1)
    return PosteriorRanks(probability, probability @ (agents + 1.0), low, high)
