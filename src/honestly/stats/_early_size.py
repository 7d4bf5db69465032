"""How large a run must be allowed to grow that may stop early, so that it still finds a gap.

Looking after every question costs size: at its last question the test demands a larger |z| than an ordinary test (about
3.1 for the confidence sequence, 3.2 to 3.8 for the win-loss test, instead of 1.96). A size at which that z is reached
with the wanted power is enough, because the test may only have stopped before: sizes are rather too large than too
small. What such a run takes on average is less, and depends on the true gap.

Not covered: planned looks, and the average size.
"""

import math
from bisect import bisect_left
from dataclasses import replace

import numpy as np

from honestly.stats._anytime import sequence_radius, win_loss_evidence
from honestly.stats._design import DesignVariance
from honestly.stats._plan import Demands

_LEAST = 20  # the confidence sequence gives no verdict before
_MOST = 10**9  # a gap that needs more questions counts as one that cannot be found
_GRID, _ROUNDS = 65, 5


def early_questions(variance: DesignVariance, gap: float, samples: float, demands: Demands) -> float:
    """Questions after which a run with `--until` has found a true `gap` with the wanted power; NaN if not known.

    Args:
        variance: from a pilot or a prior.
        gap: true difference, fraction of 1, above 0.
        samples: of each agent at each question; 1 means the win-loss test, more the confidence sequence.
        demands: level and power.
    """
    if math.isnan(early_gap(variance, _MOST, samples, demands)):
        return math.nan
    low, high = _LEAST - 1, _LEAST
    while early_gap(variance, high, samples, demands) > gap:
        if high >= _MOST:
            return math.nan
        low, high = high, high * 2
    sizes = range(low + 1, high)
    enough = bisect_left(sizes, True, key=lambda questions: early_gap(variance, questions, samples, demands) <= gap)
    return float(low + 1 + enough)


def early_gap(variance: DesignVariance, questions: float, samples: float, demands: Demands) -> float:
    """Smallest true gap that a run with `--until` finds within so many questions; NaN if not known.

    Args:
        variance: from a pilot or a prior.
        questions: the most that the run may take.
        samples: of each agent at each question.
        demands: level and power.
    """
    per_question = variance.per_question((samples, samples))
    if not per_question > 0:
        return math.nan if math.isnan(per_question) else 0.0
    level = demands.alpha_each
    critical = _win_loss_z(questions * per_question, level) if samples == 1 else _sequence_z(questions, level)
    normal = replace(demands, method="normal")
    beyond = normal.effect(math.inf) - replace(normal, power=0.5).effect(math.inf)
    return (critical + beyond) * math.sqrt(per_question / questions)


def _sequence_z(questions: float, alpha: float) -> float:
    """|z| that the confidence sequence demands at its last question, tuned for half of them as the rule has it."""
    return float(sequence_radius(questions, questions, alpha, questions / 2))


def _win_loss_z(decided: float, alpha: float) -> float:
    """|z| that the win-loss test demands when so many questions were decided; for single samples that number is about
    the variance of the difference times the number of questions.
    """
    ends = np.array([0.0, math.sqrt(decided)])
    for _ in range(_ROUNDS):
        z = np.linspace(ends[0], ends[1], _GRID)
        wins = np.minimum((decided + z * math.sqrt(decided)) / 2, decided)
        enough = win_loss_evidence(wins, decided - wins) >= -math.log(alpha)
        if not enough[-1]:
            return math.inf
        first = int(np.argmax(enough))
        ends = z[max(first - 1, 0) : first + 1]
    return float(ends[-1])
