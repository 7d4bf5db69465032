"""What the pictures of the methods pages are drawn from: made-up evaluations with a seed, and exact binomials.

Only `random()` is asked of the generator: it depends on no sampling algorithm that a version of numpy might change.
"""

import numpy as np
from numpy.typing import NDArray

from honestly.stats import Scores
from honestly.stats._special import log_beta

__all__ = ["binomial", "made_up", "unscored"]

Floats = NDArray[np.float64]


def made_up(abilities: list[float], questions: int, samples: int, seed: int) -> Scores:
    """Agents of these abilities on questions of evenly spread difficulty, `P = 1 / (1 + exp(difficulty - ability))`."""
    difficulty = np.linspace(-3.5, 3.5, questions)
    chance = 1 / (1 + np.exp(difficulty - np.array(abilities)[:, None]))
    passed = (np.random.default_rng(seed).random((*chance.shape, samples)) < chance[..., None]).sum(axis=2)
    names = [f"agent {chr(65 + i)}" for i in range(len(abilities))]
    return Scores.from_counts(names, [f"q{i:03}" for i in range(questions)], passed, samples - passed)


def binomial(n: int, p: Floats) -> Floats:
    """Probabilities of 0..n successes for each p strictly between 0 and 1, shape (n + 1, len(p))."""
    k = np.arange(n + 1.0)[:, None]
    ways = -np.log(n + 1.0) - log_beta(k + 1, n - k + 1)
    return np.asarray(np.exp(ways + k * np.log(p) + (n - k) * np.log1p(-p)), dtype=np.float64)


def unscored() -> Scores:
    """Six made-up agents, some of whose failures are void or limit instead."""
    base, rng = made_up([1.0, 0.8, 0.7, 0.3, 0.1, -0.5], 60, 5, 15), np.random.default_rng(15)
    shares = np.array([0.05, 0.45, 0.1, 0.4, 0.0, 0.1])[:, None, None]
    lost = (rng.random((*base.failed.shape, 5)) < shares).sum(axis=2)
    void = np.minimum(lost, base.failed)
    return Scores.from_counts(base.agents, base.questions, base.passed, base.failed - void, void=void)
