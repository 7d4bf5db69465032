"""From variances and wishes to a plan: the numbers of `StudyPlan`.

Sizes are those of the ordinary paired test (`stats.questions_needed`), or, where the run may stop early, the largest
that such a run may need (`stats.early_questions`). Every size comes with the range that the basis leaves open.
"""

import math
from collections.abc import Callable
from dataclasses import replace

from honestly.report._text import finite
from honestly.report.plan._basis import PlanBasis
from honestly.report.plan._study_plan import AtHand, Bought, PlanBudget, PlanQuestion, Size, StudyPlan, Variance
from honestly.report.plan._words import plan_sentence, plan_warnings
from honestly.stats import (
    Demands,
    DesignVariance,
    best_purchase,
    detectable_gap,
    early_gap,
    early_questions,
    questions_needed,
)

_GAPS = (0.05, 0.10, 0.02)
_SAMPLES = (1, 2, 5, 10)


def study_plan(basis: PlanBasis, asked: PlanQuestion) -> StudyPlan:
    """Answer what was asked.

    Args:
        basis: variances, from `pilot_basis` or `prior_basis`.
        asked: gaps, questions, budget, and what is demanded of the test.

    Raises:
        StatisticsError: the prices do not belong to two agents, or the budget is not positive.
    """
    demands, samples = asked.demands, asked.samples or _SAMPLES
    gaps = tuple(dict.fromkeys(asked.gaps)) or _GAPS
    plan = StudyPlan(
        sentence="",
        basis=basis.kind,
        basis_words=basis.words,
        bounds_are=basis.bounds_are,
        agents=basis.agents,
        estimand=basis.variance.estimand.value,
        alpha=demands.alpha,
        power=demands.power,
        comparisons=demands.comparisons,
        alpha_each=demands.alpha_each,
        theory=demands.method,
        early=asked.early,
        variance=_variance(basis.variance),
        sizes=tuple(_size(basis, asked, gap, count) for gap in gaps for count in samples),
        at_hand=tuple(_at_hand(basis, asked, asked.questions, count) for count in samples) if asked.questions else (),
        purchase=_bought(basis.variance, asked.budget, demands) if asked.budget else None,
        warnings=(),
        notes=tuple(note for note in basis.variance.notes if note != basis.variance.basis),
    )
    return replace(plan, sentence=plan_sentence(plan), warnings=plan_warnings(plan, basis))


def _variance(variance: DesignVariance) -> Variance:
    parts = tuple(finite(part) for part in variance.prediction)
    return Variance(finite(variance.total), finite(variance.data), parts)


def _size(basis: PlanBasis, asked: PlanQuestion, gap: float, samples: int) -> Size:
    def needed(variance: DesignVariance) -> float:
        if asked.early:
            return early_questions(variance, gap, samples, asked.demands)
        return questions_needed(variance, gap=gap, samples=(samples, samples), demands=asked.demands).questions

    exact = needed(basis.variance)
    low, high = basis.spread(needed)
    return Size(gap, samples, _whole(exact), finite(exact), _whole(low), _whole(high))


def _whole(questions: float | None) -> int | None:
    """Questions to buy: rounded up, at least the two that any test needs."""
    if questions is None or not math.isfinite(questions):
        return None
    return max(2, math.ceil(questions - 1e-9))


def _at_hand(basis: PlanBasis, asked: PlanQuestion, questions: int, samples: int) -> AtHand:
    found = smallest_gap(asked, questions, samples)
    low, high = basis.spread(found)
    gap = finite(found(basis.variance))
    # No two scores differ by more than 1.
    return AtHand(questions, samples, *(None if end is None or end > 1 else end for end in (gap, low, high)))


def smallest_gap(asked: PlanQuestion, questions: float, samples: float) -> Callable[[DesignVariance], float]:
    """The smallest true gap that such a study finds, as a function of the variance."""

    def gap(variance: DesignVariance) -> float:
        if asked.early:
            return early_gap(variance, questions, samples, asked.demands)
        both = (samples, samples)
        return detectable_gap(variance, questions=questions, samples=both, demands=asked.demands).gap

    return gap


def _bought(variance: DesignVariance, budget: PlanBudget, demands: Demands) -> Bought:
    found = best_purchase(variance, budget.prices, budget.total, caps=budget.caps, demands=demands)
    bought = found.bought
    notes = tuple(note for note in found.notes if note not in variance.notes)
    if math.isnan(bought.questions):
        return Bought(budget.total, None, (), None, None, None, notes)
    samples = tuple(int(count) for count in bought.samples)
    gap = finite(found.detectable_gap)
    return Bought(budget.total, int(bought.questions), samples, bought.cost, finite(bought.se), gap, notes)
