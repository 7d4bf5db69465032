"""What it would take to know: from what two agents already did, the gap that a study like this finds, and its size.

Gaps are round numbers chosen beforehand, never the one that was observed: the power to find the observed gap is its
p-value in other words, and answers nothing.
"""

import math
from dataclasses import dataclass

import numpy as np

from honestly.report._text import finite
from honestly.stats import Demands, ResolvedScores, detectable_gap, pilot_variance, questions_needed

_GAPS = (0.10, 0.05, 0.02)


@dataclass(frozen=True, slots=True)
class Need:
    """The size of a study that finds a gap."""

    gap: float
    """True difference of the two scores, fraction of 1."""
    questions: int | None
    """Questions at the present number of samples."""
    questions_at_one: int | None
    """Questions at one sample each."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a study of these two agents can find."""

    power: float
    """Probability with which a gap shall be found."""
    samples: tuple[float, float]
    """Samples per question that the agents have now, on average."""
    detectable: float | None
    """Smallest true gap that a study of the present size finds."""
    detectable_at_most_samples: float | None
    """The same with any number of samples of the present questions; None where noise cannot be divided."""
    sizes: tuple[Need, ...]
    reason: str
    """Why something is None, or empty."""


def needs(resolved: ResolvedScores, alpha: float) -> Needs:
    """What it takes to tell the two agents of `resolved` apart, at level `alpha` and a power of 80%.

    Clusters, where the scores have them, are carried over: questions bought later come in clusters of the same shape.
    """
    both = np.all(resolved.n > 0, axis=0)
    counts, demands = resolved.n[:, both], Demands(alpha=alpha)
    if counts.shape[1] < 2:
        return Needs(demands.power, (0, 0), None, None, (), "two common questions are needed to plan")
    pilot = pilot_variance(resolved, *resolved.agents)
    # With unequal numbers of samples the noise is that of their harmonic mean.
    first, second = (float(1 / np.mean(1 / row)) for row in counts)
    now, one, most = (first, second), (1.0, 1.0), (math.inf, math.inf)
    questions = counts.shape[1]
    found, best = (
        finite(detectable_gap(pilot, questions=questions, samples=samples, demands=demands).gap)
        for samples in (now, most)
    )
    sizes = tuple(
        Need(
            gap,
            questions_needed(pilot, gap=gap, samples=now, demands=demands).questions_to_buy,
            questions_needed(pilot, gap=gap, samples=one, demands=demands).questions_to_buy,
        )
        for gap in _GAPS
    )
    reason = "single samples do not show how much more samples would help" if best is None else ""
    return Needs(demands.power, now, found or None, best, sizes, reason)
