"""Do neighbouring questions differ alike? The trace of families that nobody declared, where they stand together.

Variants of one task, tests of one question and tasks of one repository mostly have names that sort together. Where the
differences of two agents on neighbours agree more than chance explains, a test that takes questions for independent is
too sure. Blocks of neighbours, as many as are in one, say by how much.

Questions that are listed by difficulty have differences that rise and fall over the whole list, and are no families:
a cubic curve over the list is taken away before neighbours are asked.

Not covered: families whose questions stand apart, which nothing shows, and those that fill a third of the list.
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
_CURVE = 4
"""Numbers that a cubic curve has."""
_HIGH = 2.33  # standard errors: by chance in 1 of 100 for each of two looks


def alike_neighbours(differences: Floats) -> tuple[str, float] | None:
    """A sentence where differences, shape (N,) in the order of the questions, agree with their neighbours'.

    Beside it the p-value of "the mean is 0" with blocks of neighbours as clusters; NaN where there is none.

    Looks at the correlation with the next question, and at the mean of those with the next five; of independent
    questions 2 to 3% show one.
    """
    n = differences.size
    if n < _LEAST or np.ptp(differences) <= _SAME:
        return None
    curve = np.linalg.qr(np.vander(np.linspace(-1, 1, n), _CURVE))[0]
    centred = differences - curve @ (curve.T @ differences)
    square = float(centred @ centred)
    if square <= _SAME:
        return None
    # Of independent questions a correlation is -k/N about, after k numbers, with a standard error of 1/sqrt(N).
    near = [float(centred[lag:] @ centred[:-lag]) / square + _CURVE / n for lag in range(1, _LAGS + 1)]
    if max(near[0] * math.sqrt(n), sum(near) * math.sqrt(n / _LAGS)) < _HIGH or near[0] <= 0:
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
    return f"{said}. Declare which belong together, if any do", p_value
