"""How many questions and samples it takes to see a difference, before any of them is run.

Four functions solve `gap = effect(alpha, power) * sqrt(variance(samples) / questions)` for one unknown each.
`DesignVariance` (`_design.py`) gives the variance, `Demands` says what is asked of the test.

A plan by a pilot takes account of what the pilot's variance may be off by (`DesignVariance.freedom`).

Not covered: prices (`_budget.py`), early stopping (`_sequential.py`), and *post-hoc* power. No function here takes an
observed gap: the power at the gap that was seen is a restatement of its p-value (Hoenig & Heisey 2001, The American
Statistician 55:19) and answers nothing; the interval of the comparison does.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._design import DesignVariance
from honestly.stats._inference import room_gap, room_units
from honestly.stats._policy import Estimand
from honestly.stats._special import gauss_legendre, normal_cdf, normal_ppf, t_ppf

Floats = NDArray[np.float64]

_MOST_QUESTIONS = 10**9
_MOST_SAMPLES = 10**6
_ALL_PLAIN = 1.5
"""Times `plain_units`: from there on no study is expected to look skewed."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What a test must achieve: two-sided level, power, number of comparisons, theory."""

    alpha: float = 0.05
    """Two-sided level of the whole family."""
    power: float = 0.8
    """Probability of finding the gap, in the right direction."""
    comparisons: int = 1
    """Declared comparisons. Each is planned at `alpha / comparisons`, Holm's first and hardest step."""
    method: Literal["normal", "t"] = "normal"
    """`normal`: the closed form `z_{1-alpha/2} + z_power`; `t`: the paired t-test's own (noncentral t, df = N - 1)."""

    def __post_init__(self) -> None:
        if not (0 < self.alpha < 1 and 0 < self.power < 1 and self.comparisons >= 1):
            raise StatisticsError(
                f"expected 0 < alpha < 1, 0 < power < 1 and comparisons >= 1, "
                f"not {self.alpha}, {self.power} and {self.comparisons}"
            )
        if self.alpha_each / 2 >= self.power:
            raise StatisticsError(f"a power of {self.power} is reached without any effect at level {self.alpha}")

    @property
    def alpha_each(self) -> float:
        """Two-sided level of one comparison."""
        return self.alpha / self.comparisons

    def detectable_effect(self, questions: float, freedom: float = math.inf) -> float:
        """Gap over standard error that reaches `design_power` with so many questions; NaN for t with fewer than two.

        With finite `freedom` the error is an estimate, and its power is that on average over what it may be.
        """
        normal = float(normal_ppf(1 - self.alpha_each / 2) + normal_ppf(self.power))
        if math.isfinite(freedom):
            low, high = normal, 8 * normal
            for _ in range(50):
                middle = 0.5 * (low + high)
                enough = self.power_at(middle, math.inf, freedom) >= self.power
                low, high = (low, middle) if enough else (middle, high)
            return high / normal * self.detectable_effect(questions)
        if self.method == "normal":
            return normal
        if not questions >= 2:
            return math.nan
        critical = float(t_ppf(1 - self.alpha_each / 2, questions - 1))
        low, high = 0.0, critical + 40.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if _t_power(middle, critical, questions - 1) < self.power else (low, middle)
        return 0.5 * (low + high)

    def power_at(self, effect: float, questions: float, freedom: float = math.inf) -> float:
        """Probability of a significant result in the right direction, at an effect of so many standard errors."""
        if math.isfinite(freedom) and math.isfinite(effect):
            return _mean_over_s(lambda s: normal_cdf(effect * s - normal_ppf(1 - self.alpha_each / 2)), freedom)
        if math.isnan(effect) or (self.method == "t" and not questions >= 2):
            return math.nan
        if self.method == "normal":
            return float(normal_cdf(effect - normal_ppf(1 - self.alpha_each / 2)))
        return _t_power(effect, float(t_ppf(1 - self.alpha_each / 2, questions - 1)), questions - 1)


def _t_power(effect: float, critical: float, freedom: float) -> float:
    """Upper tail of the noncentral t: mean of `Phi(effect - critical s)` over `s² ~ chi²_df / df`."""
    return 1.0 if math.isinf(effect) else _mean_over_s(lambda s: normal_cdf(effect - critical * s), freedom)


def _mean_over_s(values: Callable[[Floats], Floats], freedom: float) -> float:
    """Mean over `s² ~ chi²_df / df`, by quadrature."""
    nodes, weights = gauss_legendre(120)
    reach = 10.0 / math.sqrt(2.0 * freedom)  # ten standard deviations of s
    low, high = max(0.0, 1.0 - reach), 1.0 + reach
    s = 0.5 * (high - low) * nodes + 0.5 * (high + low)
    log_density = (freedom - 1) * np.log(s) - 0.5 * freedom * (s * s - 1.0)
    mass = weights * np.exp(log_density)
    return float(np.sum(mass * values(s)) / np.sum(mass))


@dataclass(frozen=True, slots=True)
class Sizing:
    """One consistent set of gap, power, questions and samples; three were given, the fourth was computed."""

    gap: float
    """True difference, in the units of the score."""
    power: float
    """Probability that the test finds it, in the right direction."""
    questions: float
    """Number of questions; fractional where it was computed (`questions_to_buy` rounds up)."""
    samples: tuple[float, ...]
    """Samples per question, per arm."""
    se: float
    """Standard error of the estimate at this size."""
    demands: Demands
    """Level, multiplicity and theory."""
    estimand: Estimand
    """What the estimate generalises to."""
    notes: tuple[str, ...]
    """Why a value is NaN, and what the variances rest on."""

    @property
    def questions_to_buy(self) -> int | None:
        """Whole number of questions, or None if none is enough."""
        return math.ceil(self.questions - 1e-9) if math.isfinite(self.questions) else None


def design_power(
    variance: DesignVariance,
    *,
    gap: float,
    questions: float,
    samples: tuple[float, ...],
    demands: Demands | None = None,
) -> Sizing:
    """Probability that a design finds a true gap that was fixed *in advance* (never the observed one).

    `Phi(gap / SE - z_{1-alpha/2})`, or its noncentral-t counterpart; only the right direction counts as found.
    """
    wanted = demands or Demands()
    error = _standard_error(variance, questions, samples)
    reached = wanted.power_at(_effect_size(gap, error), questions, variance.freedom)
    return _made_sizing(variance, wanted, abs(gap), reached, questions, samples)


def detectable_gap(
    variance: DesignVariance, *, questions: float, samples: tuple[float, ...], demands: Demands | None = None
) -> Sizing:
    """Minimal detectable effect: `(z_{1-alpha/2} + z_power) sqrt((V_data + sum_j V_j / K_j) / N)`.

    The formula is that of Miller (2024, arXiv:2411.00640, power analysis); see `Demands` for the t version and for
    several comparisons.
    """
    wanted = demands or Demands()
    return _made_sizing(
        variance, wanted, _least_gap(variance, wanted, questions, samples), wanted.power, questions, samples
    )


def _least_gap(variance: DesignVariance, wanted: Demands, questions: float, samples: tuple[float, ...]) -> float:
    return wanted.detectable_effect(questions, variance.freedom) * _standard_error(variance, questions, samples)


def questions_needed(
    variance: DesignVariance, *, gap: float, samples: tuple[float, ...], demands: Demands | None = None
) -> Sizing:
    """Questions to buy so that a true `gap` is found; the closed form gives a fraction, the t version an integer.

    Raises:
        StatisticsError: if the gap is not positive.
    """
    wanted = demands or Demands()
    if not gap > 0:
        raise StatisticsError(f"the gap to plan for must be positive, not {gap}")
    per_question = variance.per_question(samples)
    ratio = replace(wanted, method="normal").detectable_effect(math.inf, variance.freedom) / gap
    closed = ratio * ratio * per_question
    if math.isinf(closed) and math.isfinite(per_question):
        raise StatisticsError(f"a gap of {gap} is too small to plan for")
    questions = closed
    if wanted.method == "t" and math.isfinite(closed):
        questions = float(_smallest(lambda n: _least_gap(variance, wanted, n, samples) <= gap, max(2, int(closed))))
    return _made_sizing(variance, wanted, gap, wanted.power, questions, samples)


def headline_gap(
    variance: DesignVariance, *, questions: float, samples: tuple[float, ...], demands: Demands | None = None
) -> float:
    """The smallest true gap that the headline finds: `detectable_gap`, or more where differences vary little.

    What so few units may have missed must end above 0 (`_inference.room`) with the power that is demanded. The
    guaranteed answer allows for that at each end, and costs as much as two differences more at the limit, about. From
    `plain_units` on fewer and fewer studies have it as their headline.
    """
    wanted = demands or Demands()
    error = _standard_error(variance, questions, samples)
    units, alpha = questions * variance.units, wanted.alpha_each
    least, reached = _least_gap(variance, wanted, questions, samples), float(normal_ppf(wanted.power)) * error
    plain = max(least, room_gap(units, alpha) + reached)
    if units >= _ALL_PLAIN * variance.plain_units:
        return plain
    guaranteed = max(least + 2 / (units + 1), room_gap(units, alpha / 2) + reached)
    share = min(1.0, (_ALL_PLAIN - units / variance.plain_units) / (_ALL_PLAIN - 1))
    return share * guaranteed + (1 - share) * plain


def headline_questions(
    variance: DesignVariance, *, gap: float, samples: tuple[float, ...], demands: Demands | None = None
) -> float:
    """Questions with which the headline finds a true `gap`: `questions_needed`, and what `headline_gap` adds."""
    wanted = demands or Demands()
    found = questions_needed(variance, gap=gap, samples=samples, demands=wanted).questions
    least = max(found, room_units(gap, wanted.alpha_each) / variance.units)

    def enough(questions: float) -> bool:
        return headline_gap(variance, questions=questions, samples=samples, demands=wanted) <= gap

    if math.isnan(found) or enough(least):
        return found if math.isnan(found) else least
    return float(_smallest(enough, max(2, math.ceil(least))))


def samples_needed(variance: DesignVariance, *, gap: float, questions: float, demands: Demands | None = None) -> Sizing:
    """Samples per question (the same for every arm) so that a true `gap` is found with the questions at hand.

    NaN with the reason where no number of samples is enough, because the questions themselves differ too much.

    Raises:
        StatisticsError: if the gap is not positive.
    """
    wanted = demands or Demands()
    if not gap > 0:
        raise StatisticsError(f"the gap to plan for must be positive, not {gap}")
    allowed = questions * (gap / wanted.detectable_effect(questions, variance.freedom)) ** 2
    inner = math.fsum(variance.prediction)
    room = allowed - max(variance.data, 0.0)
    arms = len(variance.prediction)
    if math.isnan(room):
        return _made_sizing(variance, wanted, gap, wanted.power, questions, (math.nan,) * arms)
    count = float(max(1, math.ceil(inner / room - 1e-9))) if room > 0 else math.inf
    if count > _MOST_SAMPLES:
        note = f"even endless samples leave a gap of {gap:g} undetected with {questions:g} questions; buy questions"
        bought = _made_sizing(variance, wanted, gap, math.nan, questions, (math.nan,) * arms)
        return replace(bought, notes=(*bought.notes, note))
    return _made_sizing(variance, wanted, gap, wanted.power, questions, (count,) * arms)


def _standard_error(variance: DesignVariance, questions: float, samples: tuple[float, ...]) -> float:
    if not questions > 0:
        raise StatisticsError(f"the number of questions must be positive, not {questions}")
    return math.sqrt(variance.per_question(samples) / questions)


def _effect_size(gap: float, error: float) -> float:
    """Gap over standard error; endless where the error is zero, not defined where both are."""
    if error > 0:
        return abs(gap) / error
    return math.inf if error == 0 and gap != 0 else math.nan


def _made_sizing(
    variance: DesignVariance, demands: Demands, gap: float, reached: float, questions: float, samples: tuple[float, ...]
) -> Sizing:
    known = all(not math.isnan(count) for count in samples)
    per_question = variance.per_question(samples) if known else math.nan
    notes = list(variance.notes)
    if known and math.isnan(per_question):
        notes.append(f"the variance at {samples} samples is not identified by one sample per question")
    if demands.method == "normal" and questions < 20:
        notes.append("fewer than 20 questions: the normal theory is too hopeful, use method='t'")
    error = math.sqrt(per_question / questions) if questions > 0 else math.nan
    return Sizing(gap, reached, questions, samples, error, demands, variance.estimand, tuple(notes))


def _smallest(enough: Callable[[int], bool], start: int) -> int:
    """Smallest integer from 2 on that is enough, for a condition that stays true once it is true."""
    high = start
    while not enough(high) and high < _MOST_QUESTIONS:
        high *= 2
    return 2 + bisect_left(range(2, high), True, key=enough)
