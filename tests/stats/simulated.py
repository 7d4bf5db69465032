"""Simulated evaluations whose truth is known in closed form.

A question's success probability is p_A ~ Beta(2, 3) for agent A; for agent B it is p_A on a share of the questions
(`SAME`) and an own Beta(2, 2) draw on the others (Beta(2, 3), as A's, under the null). With clusters, a question takes
its cluster's (p_A, p_B) with probability `COPIES` and draws afresh otherwise, which gives questions of a cluster a
correlation of COPIES squared. Every replicate is one row, so that an estimator sees all of them at once.

The three judges at the end hold a simulation to what the project promises: bias within 1%, coverage from 93 to 97% at
nominal 95%, size from 3.5 to 6% at nominal 5%, give or take two Monte-Carlo standard errors (three for a bias, of which
there are some hundred). They print what they found: `pytest tests/stats -k simulations -rP` shows it.
"""

from dataclasses import dataclass

import numpy as np

from honestly.stats import Scores, t_two_sided

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

# Twelve unequal clusters: the largest has twelve times as many questions as the smallest.
STEPS = np.arange(12, 0, -1)
# Sizes of SWE-bench's 12 repositories, of which one has nearly half of the questions. Other N share their proportions.
REPOSITORIES = np.array([231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1])


@dataclass(frozen=True)
class Cells:
    """Samples n and means of both agents, shape (replicates, N); NaN mean where nothing was observed."""

    n: np.ndarray
    mean: np.ndarray

    @property
    def passed(self):
        return np.rint(np.nan_to_num(self.mean) * self.n).astype(int)

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


def unequal_clusters(questions, proportions=STEPS):
    """Codes of 12 clusters with these proportions, none empty; what rounding leaves goes to the largest."""
    sizes = np.maximum(1, np.floor(proportions / proportions.sum() * questions)).astype(int)
    sizes[0] += questions - sizes.sum()
    return np.repeat(np.arange(12), sizes)


REPLICATES = {20: 12_000, 80: 6_000, 500: 3_000}
KINDS = (1, 5, "mixed")
DESIGNS = ("plain", "missing", "clustered", "dominated")
MISSING = 0.15


def study(questions, kind, design, *, null=False, replicates=None):
    """Cells of A and B and the cluster codes; one seed per case.

    `kind`: samples per question. `design`: independent questions; 15% of the cells missing; 12 unequal clusters; or 12
    clusters of which one has nearly half of the questions.
    """
    rng = np.random.default_rng([questions, KINDS.index(kind), DESIGNS.index(design), null])
    codes = {"clustered": STEPS, "dominated": REPOSITORIES}.get(design)
    codes = None if codes is None else unequal_clusters(questions, codes)
    missing = MISSING if design == "missing" else 0.0
    chances = probabilities(rng, (replicates or REPLICATES[questions], questions), codes, null)
    return *(sample(rng, chance, samples_of(kind, questions), missing) for chance in chances), codes


def scores_of(passed, samples, codes=None):
    """Every replicate as one agent: `passed` of shape (replicates, N), `samples` a number, per question or per cell."""
    passed = np.asarray(passed)
    names = [f"r{i}" for i in range(len(passed))], [f"q{i}" for i in range(passed.shape[1])]
    scores = Scores.from_counts(*names, passed, np.broadcast_to(samples, passed.shape) - passed)
    return scores if codes is None else scores.with_clusters([f"c{code}" for code in codes])


def covers(intervals, truth, name="", low=0.93, high=0.97):
    """Judge the coverage of intervals, a pair of arrays or a list of pairs."""
    lower, upper = intervals if isinstance(intervals, tuple) else np.array(intervals).T
    return contained((lower <= truth) & (truth <= upper), name, low, high)


def t_covers(found, truth, name="", low=0.93, high=0.97):
    """Judge the coverage of t intervals, which clipping to a range cannot change; without a variance they miss."""
    return contained(t_two_sided((found.mean - truth) / found.se, found.df) >= 0.05, name, low, high)


def contained(inside, name="", low=0.93, high=0.97):
    return _judge(f"{name} coverage", np.mean(inside), np.size(inside), low, high)


def size(p_values, name="", low=0.035, high=0.06):
    """Judge how often a test at 5% rejects a true null; a test that could not be made does not reject."""
    p_values = np.asarray(p_values)
    return _judge(f"{name} size", np.mean(p_values <= 0.05), p_values.size, low, high)


def unbiased(values, truth, name="", bias=0.01):
    """Judge the mean of estimates."""
    values = np.asarray(values)
    monte_carlo = np.std(values) / np.sqrt(values.size)
    found = np.mean(values)
    print(f"{name} mean {found:.5f}, truth {truth:.5f}, Monte-Carlo error {monte_carlo:.5f}")
    return abs(found - truth) <= bias * abs(truth) + 3 * monte_carlo


def _judge(name, share, runs, low, high):
    print(f"{name} {share:.4f} of {runs}")
    errors = [2 * np.sqrt(bound * (1 - bound) / runs) for bound in (low, high)]
    return low - errors[0] <= share <= high + errors[1]
