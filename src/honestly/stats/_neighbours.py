"""Do neighbouring questions differ alike? The trace of families that nobody declared, where they stand together.

Variants of one task, tests of one question and tasks of one repository mostly have names that sort together. Where the
differences of two agents on neighbours agree more than chance explains, a test that takes questions for independent is
too sure. Blocks of neighbours, as many as are in one, say by how much.

Not covered: families whose questions stand apart, which nothing shows; the order of difficulty, which is no family, so
that scores are not asked.
"""

import math

import numpy as np
from numpy.typing import NDArray

from honestly.stats._inference import MeanQuestion
from honestly.stats._means import clustered_mean

Floats = NDArray[np.float64]

_SAME = 1e-12  # differences closer than this differ by rounding only
_LEAST = 20
_LAGS = 5
_HIGH = 2.33  # standard errors: by chance in 1 of 100 for each of two looks


def alike_neighbours(differences: Floats) -> str | None:
    """A sentence where differences, shape (N,) in the order of the questions, agree with their neighbours'.

    Looks at the correlation with the next question, and at the mean of those with the next five; of independent
    questions 2 to 3% show one.
    """
    n = differences.size
    if n < _LEAST or np.ptp(differences) <= _SAME:
        return None
    centred = differences - differences.mean()
    square = float(centred @ centred)
    # Of independent questions a correlation is -1/N on average, with a standard error of 1/sqrt(N).
    near = [float(centred[lag:] @ centred[:-lag]) / square + 1 / n for lag in range(1, _LAGS + 1)]
    if max(near[0] * math.sqrt(n), sum(near) * math.sqrt(n / _LAGS)) < _HIGH:
        return None
    size = round(math.sqrt(n))
    blocks = np.arange(n) // size
    found = clustered_mean(differences, blocks)
    alike = f"correlation {near[0]:.2f}, of the next five {sum(near) / _LAGS:.2f}"
    said = f"neighbouring questions differ alike ({alike}), as those of one family do"
    asked = MeanQuestion(float(found.mean), float(found.se), float(found.df), differences, None, blocks)
    p_value = asked.claim(0.95, 0.0).answer.p_value
    if not math.isnan(p_value):
        said = f"{said}; with blocks of {size} as clusters p = {p_value:.2g}"
    return f"{said}. Declare which belong together, if any do"
