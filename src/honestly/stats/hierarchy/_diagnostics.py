"""Have the chains converged, and how many independent draws are they worth? Rank-normalised split R-hat, bulk ESS.

Source: Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, Bayesian Analysis 16:667.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honestly.stats._special import normal_ppf

Floats = NDArray[np.float64]

R_HAT_LIMIT, ESS_LIMIT = 1.01, 400.0
"""The source's, for what is printed: agents, suites, scales."""
ITEM_R_HAT_LIMIT, ITEM_ESS_LIMIT = 1.05, 100.0
"""For single questions, of which there are hundreds, and the worst of them counts."""


@dataclass(frozen=True, slots=True)
class Convergence:
    """Whether the draws can be used, judged by the worst parameter."""

    r_hat: float
    """Largest rank-normalised split R-hat, of locations or tails, of agents, suites and scales; 1: the chains agree."""
    ess: float
    """Smallest effective number of draws of those."""
    worst: str
    """Which of them is worst."""
    items_r_hat: float
    """Largest R-hat of single questions."""
    items_ess: float
    chains: int
    draws: int
    """Kept draws of each chain."""

    @property
    def has_converged(self) -> bool:
        """Whether R-hat is at most 1.01 and the effective number at least 400; of single questions, 1.05 and 100."""
        whole = self.r_hat <= R_HAT_LIMIT and self.ess >= ESS_LIMIT
        return whole and self.items_r_hat <= ITEM_R_HAT_LIMIT and self.items_ess >= ITEM_ESS_LIMIT


def split_r_hat(draws: Floats) -> Floats:
    """Split R-hat of draws of shape (chains, draws, quantities); a quantity that never changes has 1."""
    within = draws.var(axis=1, ddof=1).mean(axis=0)
    between = draws.mean(axis=1).var(axis=0, ddof=1)
    size = draws.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.sqrt((size - 1) / size + between / within)
    return np.where(within > 0, found, np.where(between > 0, np.inf, 1.0))


def rank_r_hat(draws: Floats) -> Floats:
    """The larger of the R-hats of locations and of tails, each of the normal scores of ranks over all chains."""
    halves = _split_halves(draws)
    # The two draws around the median are equally far from it: rounded, their order is the same on every machine.
    folded = np.abs(halves - np.median(halves, axis=(0, 1))).round(12)
    return np.maximum(split_r_hat(_normal_scores(halves)), split_r_hat(_normal_scores(folded)))


def bulk_ess(draws: Floats) -> Floats:
    """Effective number of draws, of shape (quantities,), from draws of shape (chains, draws, quantities)."""
    scores = _normal_scores(_split_halves(draws))
    chains, size, _ = scores.shape
    centred = scores - scores.mean(axis=1, keepdims=True)
    length = 1 << (2 * size - 1).bit_length()
    spectrum = np.fft.rfft(centred, length, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, length, axis=1)[:, :size].mean(axis=0) / size
    within = covariance[0] * size / (size - 1)
    total = covariance[0] + scores.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = 1 - (within - covariance * size / (size - 1)) / total
    correlation[0] = 1.0
    pairs = correlation[: size // 2 * 2].reshape(size // 2, 2, -1).sum(axis=1)
    # Geyer's initial monotone sequence: sums of neighbours, as long as they are positive, never rising.
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    steady = np.minimum.accumulate(np.where(positive, pairs, 0.0), axis=0)
    time = np.maximum(2 * steady.sum(axis=0) - 1, 1 / np.log10(chains * size))
    return np.where(within > 0, chains * size / time, np.nan)


def _split_halves(draws: Floats) -> Floats:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _normal_scores(draws: Floats) -> Floats:
    """Normal quantiles of ranks over all chains; ties keep the order in which they came, which changes nothing here."""
    flat = draws.reshape(-1, draws.shape[2])
    ranks = np.argsort(np.argsort(flat, axis=0, kind="stable"), axis=0, kind="stable")
    quantiles = normal_ppf((np.arange(len(flat)) + 1 - 0.375) / (len(flat) + 0.25))
    return np.asarray(quantiles[ranks].reshape(draws.shape))


def judge_convergence(draws: Mapping[str, Floats], items: Collection[str]) -> Convergence:
    """Judge draws by name, each of shape (chains, draws, values); `items` are those of single questions."""
    shape = next(iter(draws.values())).shape
    agreement = {name: float(np.max(rank_r_hat(values))) for name, values in draws.items()}
    sizes = {name: float(np.nanmin(bulk_ess(values), initial=np.inf)) for name, values in draws.items()}
    main = [name for name in draws if name not in items]
    worst = min(main, key=lambda name: min(sizes[name] / ESS_LIMIT, (R_HAT_LIMIT - 1) / max(agreement[name] - 1, 1e-9)))
    return Convergence(
        r_hat=max(agreement[name] for name in main),
        ess=min(sizes[name] for name in main),
        worst=worst,
        items_r_hat=max(agreement[name] for name in items),
        items_ess=min(sizes[name] for name in items),
        chains=shape[0],
        draws=shape[1],
    )
