"""Studies drawn from the hierarchical model's own prior, all fitted at once: simulation-based calibration.

If truth and data come from the model, the rank of the truth among posterior draws is uniform (Talts et al. 2018,
arXiv:1804.06788); a sampler or a density that is wrong anywhere makes some of them uneven. Chains start at another draw
from the prior, so that what does not find its way shows, too.
"""

import time
from dataclasses import dataclass

import numpy as np

from honestly.stats.hierarchy._design import Design, draw_prior, pass_logits
from honestly.stats.hierarchy._sampler import Sampler

KEPT, BINS = 99, 20


@dataclass(frozen=True)
class Shape:
    """A kind of study; a tenth of the cells is missing, and samples are 1, 3 or 5."""

    agents: int = 5
    questions: int = 12
    suites: int = 1
    covariates: int = 0
    two_parameter: bool = False
    interaction: bool = False


SHAPES = {
    "Rasch": Shape(),
    "2PL": Shape(two_parameter=True),
    "Rasch, interaction": Shape(interaction=True),
    "three suites, covariate": Shape(suites=3, covariates=1),
    "2PL, two suites, covariate, interaction": Shape(suites=2, covariates=1, two_parameter=True, interaction=True),
}


def quantities(shape, at):
    """What is calibrated, by name, each of shape (fits, values)."""
    found = {"theta": at.theta, "b": at.b, "mu": at.coefficients[:, : shape.suites], "sigma": at.sigma}
    found["sd of theta"] = at.s_theta
    if shape.covariates:
        found["effect"] = at.coefficients[:, shape.suites :]
    if shape.suites > 1:
        found |= {"ability in a suite": at.u, "agent-by-suite sd": at.omega}
    if shape.two_parameter:
        found |= {"log discrimination": at.log_alpha, "sd of discrimination": at.tau}
    if shape.interaction:
        found |= {"interaction": at.e[:, :, :1], "sd of interaction": at.phi}
    return {name: value.reshape(len(at.theta), -1) for name, value in found.items()}


def calibration(shape, fits, *, seed, warm_up=200, thin=10, log_odds=pass_logits):
    """Ranks of the truth among KEPT draws by quantity, each of shape (fits, values), and the seconds it took.

    `log_odds` are those of the data; a sampler that assumes others is found out.
    """
    rng = np.random.default_rng(seed)
    suite = np.sort(np.arange(shape.questions) % shape.suites)
    covariates = rng.standard_normal((shape.questions, shape.covariates))
    design = Design(suite, covariates, shape.two_parameter, shape.interaction)
    truth = draw_prior(design, shape.agents, fits, rng)
    trials = rng.choice([1, 3, 5], (1, shape.agents, shape.questions)) * (
        rng.random((1, shape.agents, shape.questions)) < 0.9
    )
    trials[:, 0, 0] = 3
    with np.errstate(over="ignore"):
        chance = 1 / (1 + np.exp(-log_odds(design, truth)))
    passed = rng.binomial(np.broadcast_to(trials, chance.shape), chance)
    start = draw_prior(design, shape.agents, fits, rng)
    true = quantities(shape, truth)
    began = time.perf_counter()
    sampler = Sampler(design, passed.astype(float), trials.astype(float), start, rng)
    for _ in range(warm_up):
        sampler.sweep()
    ranks = {name: np.zeros(value.shape, dtype=int) for name, value in true.items()}
    for _ in range(KEPT):
        for _ in range(thin):
            sampler.sweep()
        for name, value in quantities(shape, sampler.at).items():
            ranks[name] += value < true[name]
    return ranks, time.perf_counter() - began


def evenness(ranks):
    """Chi-square statistic of the ranks of one quantity, with BINS - 1 degrees of freedom."""
    counts = np.bincount(ranks * BINS // (KEPT + 1), minlength=BINS)
    expected = len(ranks) / BINS
    return float(((counts - expected) ** 2 / expected).sum())
