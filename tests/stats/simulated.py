"""Simulated evaluations whose truth is known in closed form.

A question's success probability is p_A ~ Beta(2, 3) for agent A; for agent B it is p_A on a share of the questions
(`SAME`) and an own Beta(2, 2) draw on the others (Beta(2, 3), as A's, under the null). With clusters, a question takes
its cluster's (p_A, p_B) with probability `COPIES` and draws afresh otherwise, which gives questions of a cluster a
correlation of COPIES squared. Every replicate is one row, so that an estimator sees all of them at once.
"""

from dataclasses import dataclass

import numpy as np

SAME = 0.5
COPIES = 0.5
MEAN_A, MEAN_B_OWN = 2 / 5, 1 / 2
VARIANCE_A, VARIANCE_B_OWN = 2 * 3 / (25 * 6), 1 / 20

MEAN_B = SAME * MEAN_A + (1 - SAME) * MEAN_B_OWN
DIFFERENCE = MEAN_A - MEAN_B

PREDICTION_A = MEAN_A - (VARIANCE_A + MEAN_A**2)
PREDICTION_B = SAME * PREDICTION_A + (1 - SAME) * (MEAN_B_OWN - (VARIANCE_B_OWN + MEAN_B_OWN**2))
DATA_A = VARIANCE_A
DATA_DIFFERENCE = (1 - SAME) * (VARIANCE_A + VARIANCE_B_OWN + (MEAN_A - MEAN_B_OWN) ** 2) - DIFFERENCE**2

# Under the null B's own questions are Beta(2, 3), too: the share of questions that differ has twice A's variance.
UNDER_NULL = {
    "paired data": (1 - SAME) * 2 * VARIANCE_A,
    "paired prediction": 2 * PREDICTION_A,
    "paired total": (1 - SAME) * 2 * VARIANCE_A + 2 * PREDICTION_A,
}

# Sizes of SWE-bench's 12 repositories; other N share their proportions.
REPOSITORIES = np.array([231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1])


@dataclass(frozen=True)
class Cells:
    """Samples n and means of both agents, shape (replicates, N); NaN mean where nothing was observed."""

    n: np.ndarray
    mean: np.ndarray

    @property
    def within(self):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.n > 1, self.n / (self.n - 1) * self.mean * (1 - self.mean), np.nan)


def probabilities(rng, shape, codes=None, null=False):
    """Success probabilities of A and B, each of this shape (replicates, N)."""

    def draw(size):
        a = rng.beta(2, 3, size)
        return a, np.where(rng.random(size) < SAME, a, rng.beta(2, 3 if null else 2, size))

    a, b = draw(shape)
    if codes is not None:
        of_cluster_a, of_cluster_b = draw((shape[0], codes.max() + 1))
        copied = rng.random(shape) < COPIES
        a, b = np.where(copied, of_cluster_a[:, codes], a), np.where(copied, of_cluster_b[:, codes], b)
    return a, b


def sample(rng, probability, samples, missing=0.0):
    """Run each question `samples` times (a number, or one per question); whole cells go missing at random."""
    n = np.broadcast_to(samples, probability.shape) * (rng.random(probability.shape) >= missing)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Cells(n, rng.binomial(n, probability) / n)


def samples_of(kind, questions):
    """K per question: 1, 5, or 2 and 5 by turns."""
    return np.where(np.arange(questions) % 2, 5, 2) if kind == "mixed" else np.full(questions, kind)


def unequal_clusters(questions):
    """Codes of 12 clusters with the proportions of SWE-bench's repositories, none empty."""
    sizes = np.maximum(1, np.floor(REPOSITORIES / REPOSITORIES.sum() * questions)).astype(int)
    sizes[0] += questions - sizes.sum()
    return np.repeat(np.arange(12), sizes)
