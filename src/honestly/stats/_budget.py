"""The purchase for a budget: how many questions, and how many samples of each arm for every one of them.

Minimises the variance `(V_data + sum_j V_j / K_j) / N` subject to `N (c_q + sum_j c_j K_j) <= budget`. The closed form
comes from Cauchy-Schwarz (the classical optimum of two-stage sampling, Cochran 1977, *Sampling Techniques*, §10.6);
then the sample counts are rounded, the number of questions follows, and money that is left over, because the questions
ran out or the division did not come out even, buys further samples where they remove the most variance.

Not covered: questions with different prices, and spending more samples on the noisier questions.
"""

import itertools
import math
from dataclasses import dataclass

from honestly.errors import StatisticsError
from honestly.stats._design import DesignVariance
from honestly.stats._plan import Demands
from honestly.stats._policy import Estimand


@dataclass(frozen=True, slots=True)
class DesignPrices:
    """The prices of a design, in any one currency (dollars, hours, tokens)."""

    question: float
    """Price of one more question: writing it, its container, its review. Zero if the questions exist."""
    samples: tuple[float, ...]
    """Price of one sample of each arm."""

    def __post_init__(self) -> None:
        if not (self.question >= 0 and all(price > 0 for price in self.samples) and self.samples):
            raise StatisticsError(f"a question may cost nothing, but a sample must cost something; found {self}")

    def per_question(self, samples: tuple[float, ...]) -> float:
        """Price of one question with its samples."""
        return self.question + math.fsum(c * k for c, k in zip(self.samples, samples, strict=True))


@dataclass(frozen=True, slots=True)
class Allocation:
    """A number of questions and samples, with what they cost and yield."""

    questions: float
    """Questions."""
    samples: tuple[float, ...]
    """Samples per question, per arm."""
    cost: float
    """What all of it costs, in the currency of the prices."""
    se: float
    """Standard error of the estimate."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """The design to buy, and the two unrounded optima."""

    bought: Allocation
    """Whole questions and samples within the budget and the caps; NaN throughout if not even one can be bought."""
    rounded: Allocation
    """Best whole sample counts, with a fractional number of questions and no cap on them."""
    ideal: Allocation
    """The closed form: `K_j = sqrt((V_j / c_j)(c_q / V_data))`, `SE² = (sqrt(V_data c_q) + sum_j sqrt(V_j c_j))² / B`.

    Where it says less than one sample it cannot be bought, and is only a bound. NaN where it does not apply.
    """
    detectable_gap: float
    """Smallest true difference that what is bought can find, under `demands`."""
    demands: Demands
    """Level and power for the detectable gap."""
    estimand: Estimand
    """What the estimate generalises to."""
    notes: tuple[str, ...]
    """Which constraint binds, and why a value is NaN."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits in addition to the budget."""

    questions: int | None = None
    """How many questions there are, or None for as many as can be paid."""
    samples: int = 1000
    """Never plan more samples of one arm per question than this."""

    def __post_init__(self) -> None:
        if self.samples < 1 or (self.questions is not None and self.questions < 1):
            raise StatisticsError(f"caps must be at least 1, not {self}")


def best_purchase(
    variance: DesignVariance,
    prices: DesignPrices,
    budget: float,
    *,
    caps: Caps | None = None,
    demands: Demands | None = None,
) -> Purchase:
    """The design with the smallest standard error for a budget.

    Free questions and arms of one price give one sample each: a new question is always worth more than a second sample
    of an old one. A cap on the questions sends the rest of the money into samples. With the estimand "exactly these
    questions" the cap *is* the number of questions, and all money beyond the first samples buys samples.

    Args:
        variance: from a pilot or a prior.
        prices: of a question and of one sample per arm.
        budget: in the same currency.
        caps: how many questions there are, and how many samples are sensible.
        demands: level and power for the detectable gap.

    Raises:
        StatisticsError: if prices and variance have different arms, the budget is not positive, or "exactly these
            questions" comes without their number.
    """
    limit, wanted = caps or Caps(), demands or Demands()
    if len(prices.samples) != len(variance.prediction):
        raise StatisticsError(f"{len(prices.samples)} sample prices for {len(variance.prediction)} arms; give one each")
    if not budget > 0:
        raise StatisticsError(f"the budget must be positive, not {budget}")
    ones = (1.0,) * len(prices.samples)
    fixed = variance.estimand is Estimand.THESE_QUESTIONS
    if fixed and limit.questions is None:
        raise StatisticsError("a plan for exactly these questions needs their number: set caps.questions")
    notes = list(variance.notes)
    ideal, rounded = (
        _unknown_allocation(len(ones)),
        _design_allocation(variance, prices, ones, budget / prices.per_question(ones)),
    )
    starts = [ones]
    if not fixed and variance.data > 0:
        ideal = _closed_form(variance, prices, budget)
        starts = _whole_designs(_best_real_samples(variance, prices, limit.samples), limit.samples)
        designs = [_design_allocation(variance, prices, start, budget / prices.per_question(start)) for start in starts]
        rounded = min(designs, key=lambda design: design.se)
        most = limit.questions or math.inf
        for questions in {min(math.floor(rounded.questions), most), min(math.ceil(rounded.questions), most)}:
            starts += _whole_designs(
                _samples_for_the_rest(variance, prices, budget / max(questions, 1), limit), limit.samples
            )
    elif not fixed:
        notes.append("data variance is not known to be above zero, so samples are not traded for questions")
    designs = [_buy_samples(variance, prices, budget, start, limit) for start in [ones, *starts]]
    bought = min(designs, key=lambda design: (math.isnan(design.se), design.se))  # a NaN only if there is nothing else
    if fixed and bought.questions != limit.questions:
        bought = _unknown_allocation(len(ones))
    notes += _bindings(bought, budget, limit)
    gap = wanted.detectable_effect(bought.questions, variance.freedom) * bought.se
    return Purchase(bought, rounded, ideal, gap, wanted, variance.estimand, tuple(notes))


def _design_allocation(
    variance: DesignVariance, prices: DesignPrices, samples: tuple[float, ...], questions: float
) -> Allocation:
    error = math.sqrt(variance.per_question(samples) / questions)
    return Allocation(questions, samples, questions * prices.per_question(samples), error)


def _unknown_allocation(arms: int) -> Allocation:
    return Allocation(math.nan, (math.nan,) * arms, math.nan, math.nan)


def _closed_form(variance: DesignVariance, prices: DesignPrices, budget: float) -> Allocation:
    pairs = list(zip(variance.prediction, prices.samples, strict=True))
    samples = tuple(math.sqrt(v / c * prices.question / variance.data) for v, c in pairs)
    root = math.sqrt(variance.data * prices.question) + math.fsum(math.sqrt(v * c) for v, c in pairs)
    per_question = prices.per_question(samples)
    questions = budget / per_question if per_question > 0 else math.inf
    return Allocation(questions, samples, budget, root / math.sqrt(budget))


def _best_real_samples(variance: DesignVariance, prices: DesignPrices, most: int) -> list[float]:
    """Real sample counts of at least one that minimise variance times price of one question.

    The product is convex in the logarithms of the counts, so descending along one arm at a time finds its minimum.
    """
    real = [1.0] * len(prices.samples)
    for _ in range(200):
        before = list(real)
        for arm, (v, c) in enumerate(zip(variance.prediction, prices.samples, strict=True)):
            one = (*real[:arm], 1.0, *real[arm + 1 :])
            others_cost, others_variance = prices.per_question(one) - c, variance.per_question(one) - v
            real[arm] = min(max(1.0, math.sqrt(v / c * others_cost / others_variance)), float(most))
        if max(abs(a - b) for a, b in zip(before, real, strict=True)) < 1e-9:
            break
    return real


def _samples_for_the_rest(variance: DesignVariance, prices: DesignPrices, share: float, caps: Caps) -> list[float]:
    """Real sample counts that spend one question's share of the budget best (Neyman's rule)."""
    rest = max(share - prices.question, 0.0)
    pairs = list(zip(variance.prediction, prices.samples, strict=True))
    total = math.fsum(math.sqrt(v * c) for v, c in pairs)
    return [min(max(1.0, rest * math.sqrt(v / c) / total if total > 0 else 1.0), float(caps.samples)) for v, c in pairs]


def _whole_designs(real: list[float], most: int) -> list[tuple[float, ...]]:
    """Every combination of whole numbers close to real ones, from 1 to `most`; and each of them beside single samples.

    With few questions one sample more of a dear arm may cost a question, unless a cheap arm gives up several.
    """
    beside = [range(max(1, math.floor(value) - 1), min(most, math.ceil(value) + 1) + 1) for value in real]
    alone = [
        (1,) * arm + (count,) + (1,) * (len(real) - arm - 1) for arm, counts in enumerate(beside) for count in counts
    ]
    return [tuple(map(float, combination)) for combination in (*itertools.product(*beside), *alone)]


def _buy_samples(
    variance: DesignVariance, prices: DesignPrices, budget: float, samples: tuple[float, ...], caps: Caps
) -> Allocation:
    """Whole questions at these samples, then further samples one by one, the one that removes most per price first."""
    wanted = list(samples)
    affordable = budget * (1 + 1e-12)  # a budget that pays exactly must not fail by rounding
    count = math.floor(affordable / prices.per_question(samples))
    questions = float(count if caps.questions is None else min(count, caps.questions))
    if questions < 1:
        return _unknown_allocation(len(wanted))
    left = affordable - questions * prices.per_question(samples)
    known = [0.0 if math.isnan(v) else v for v in variance.prediction]
    while True:
        gains = {
            arm: known[arm] / (wanted[arm] * (wanted[arm] + 1)) / price
            for arm, price in enumerate(prices.samples)
            if questions * price <= left and wanted[arm] < caps.samples and known[arm] > 0
        }
        if not gains:
            return _design_allocation(variance, prices, tuple(wanted), questions)
        arm = max(gains, key=lambda candidate: gains[candidate])
        wanted[arm] += 1
        left -= questions * prices.samples[arm]


def _bindings(bought: Allocation, budget: float, caps: Caps) -> list[str]:
    if math.isnan(bought.questions):
        return [f"a budget of {budget:g} does not pay for one sample of every arm on the questions"]
    notes = []
    if caps.questions is not None and bought.questions == caps.questions:
        notes.append(f"all {caps.questions} questions are used; the rest of the money went into samples")
    if any(count == caps.samples for count in bought.samples):
        notes.append(f"samples stop at the cap of {caps.samples}; money is left over")
    if bought.questions < 20:
        notes.append("fewer than 20 questions: the interval will rest on few degrees of freedom")
    return notes
