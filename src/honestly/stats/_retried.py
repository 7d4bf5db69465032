"""Did the number of samples depend on results? The trace that retrying until a pass leaves in counts.

Who retries until a sample passes, or a limit is reached, has exactly one pass wherever fewer samples than the most were
taken. Where numbers were fixed before, n samples of a question hold exactly one pass with a chance of at most
`((n-1)/n)^(n-1)`, whatever the question's difficulty: that of the chance 1/n. So questions may differ, and hard ones
may have been given more samples.

Not covered: retrying once (two samples at most), and stopping for other reasons, which counts alone do not show.
"""

import numpy as np
from numpy.typing import NDArray

from honestly.stats._special import binomial_pmf

_RARE = 0.05


def until_passed(passed: NDArray[np.int64], samples: NDArray[np.int64]) -> tuple[int, int, float] | None:
    """Questions with exactly one pass among those with two or more samples and fewer than the most, if that is rare.

    Args:
        passed: passes of one agent, shape (N,).
        samples: its samples, shape (N,).

    Returns:
        Their number, of how many, and the largest chance of so many if numbers were fixed before; None above 5%.
    """
    some = (samples >= 2) & (samples < samples.max(initial=0))
    single, sizes = int((passed[some] == 1).sum()), np.bincount(samples[some])
    # Most agents have a number of samples each, or no more single passes than chance gives.
    if single * 2 <= some.sum():
        return None
    law = np.ones(1)
    for n in np.flatnonzero(sizes).tolist():
        law = np.convolve(law, binomial_pmf(np.arange(sizes[n] + 1), sizes[n], ((n - 1) / n) ** (n - 1)))
    chance = float(law[single:].sum())
    return (single, int(some.sum()), chance) if chance <= _RARE else None
