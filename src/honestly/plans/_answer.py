"""From variances and wishes to a plan: the numbers of `StudyPlan`.

Sizes are those of the ordinary paired test (`stats.headline_questions`), or, where the run may stop early, the largest
that such a run may need (`stats.early_questions`). Every size comes with the range that the basis leaves open.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from honestly.plans._basis import PlanBasis
from honestly.plans._question import PlanBudget, PlanQuestion, Size, smallest_gap
from honestly.plans._study_plan import AtHand, Bought, StudyPlan, Variance
from honestly.scores import granted_words
from honestly.show import all_of, finite_or_none, gap_text, level_text, number_text, percent_text, plural_text
from honestly.stats import Demands, DesignVariance, assumptions, best_purchase, early_questions, headline_questions

_ASSUMED = {"pilot": "new tasks that vary as those of the pilot do", "prior": "the variances that are guessed"}
_GAPS = (0.05, 0.10, 0.02)
_SAMPLES = (1, 2, 5, 10)


def study_plan(basis: PlanBasis, asked: PlanQuestion) -> StudyPlan:
    """The plan for a question.

    Args:
        basis: variances, from `pilot_basis` or `prior_basis`.
        asked: gaps, questions, budget, and what is demanded of the test.

    Raises:
        StatisticsError: the prices do not belong to two agents, or the budget is not positive.
    """
    demands, samples = asked.demands, asked.samples or _SAMPLES
    gaps = tuple(dict.fromkeys(asked.gaps)) or _GAPS
    parts = tuple(finite_or_none(part) for part in basis.variance.prediction)
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
        variance=Variance(finite_or_none(basis.variance.total), finite_or_none(basis.variance.data), parts),
        sizes=tuple(_planned_size(basis, asked, gap, count) for gap in gaps for count in samples),
        at_hand=tuple(_at_hand(basis, asked, asked.questions, count) for count in samples) if asked.questions else (),
        purchase=_bought(basis.variance, asked.budget, demands) if asked.budget else None,
        warnings=(),
        notes=tuple(note for note in basis.variance.notes if note != basis.variance.basis),
        assumed=(*granted_words(assumptions(is_law_free=False), clustered=bool(basis.clusters)), _ASSUMED[basis.kind]),
        asked=asked,
        variances=basis,
    )
    return replace(plan, sentence=plan_sentence(plan), warnings=plan_warnings(plan, basis))


def _planned_size(basis: PlanBasis, asked: PlanQuestion, gap: float, samples: int) -> Size:
    def needed(variance: DesignVariance) -> float:
        found = headline_questions(variance, gap=gap, samples=(samples, samples), demands=asked.demands)
        early = early_questions(variance, gap, samples, asked.demands) if asked.early else found
        return math.nan if math.isnan(early) else max(early, found)

    exact = needed(basis.variance)
    low, high = basis.answer_range(needed)
    return Size(
        gap, samples, _whole_questions(exact), finite_or_none(exact), _whole_questions(low), _whole_questions(high)
    )


def _whole_questions(questions: float | None) -> int | None:
    """Questions to buy: rounded up, at least the two that any test needs."""
    if questions is None or not math.isfinite(questions):
        return None
    return max(2, math.ceil(questions - 1e-9))


def _at_hand(basis: PlanBasis, asked: PlanQuestion, questions: int, samples: int) -> AtHand:
    found = smallest_gap(asked, questions, samples)
    low, high = basis.answer_range(found)
    gap = finite_or_none(found(basis.variance))
    # No two scores differ by more than 1.
    return AtHand(questions, samples, *(None if end is None or end > 1 else end for end in (gap, low, high)))


def _bought(variance: DesignVariance, budget: PlanBudget, demands: Demands) -> Bought:
    found = best_purchase(variance, budget.prices, budget.total, caps=budget.caps, demands=demands)
    bought = found.bought
    notes = tuple(note for note in found.notes if note not in variance.notes)
    if math.isnan(bought.questions):
        return Bought(budget.total, None, (), None, None, None, notes)
    samples = tuple(int(count) for count in bought.samples)
    gap = finite_or_none(found.detectable_gap)
    return Bought(budget.total, int(bought.questions), samples, bought.cost, finite_or_none(bought.se), gap, notes)


def plan_sentence(plan: StudyPlan) -> str:
    """Advice in two to four sentences; a guess says that it is one."""
    parts = [_needed_words(plan.first_sizes, plan)]
    if plan.at_hand:
        known = [size for size in plan.at_hand if size.gap is not None]
        questions = plural_text(plan.at_hand[0].questions, "question")
        if not known:
            found_sentence = f"No gap can be counted on with {questions}."
        else:
            gaps = [f"{percent_text(size.gap)} at {size.samples}" for size in known[1:]]
            gaps.insert(0, f"{percent_text(known[0].gap)} points at {plural_text(known[0].samples, 'sample')}")
            found_sentence = f"With {questions} the smallest gap that you can count on is {all_of(gaps)}."
        parts.append(found_sentence)
    if plan.purchase:
        parts.append(_bought_words(plan.purchase))
    return ("A GUESS, not from data: " if plan.basis == "prior" else "") + " ".join(parts)


def _needed_words(sizes: Sequence[Size], plan: StudyPlan) -> str:
    gap, power = gap_text(sizes[0].gap), f"{percent_text(plan.power, 0)}% power"
    known = [size for size in sizes if size.questions is not None]
    if not known:
        return f"How many questions it takes to see a gap of {gap} points cannot be said from these data."
    counts = [f"{size.questions:,} at {size.samples}" for size in known[1:]]
    if plan.early:
        text = f"To see a gap of {gap} points with {power}, a run that may stop early must be allowed up to"
    else:
        text = f"To see a gap of {gap} points with {power} you need"
    first, last = known[0], known[-1]
    text += f" {first.questions:,} questions at {plural_text(first.samples, 'sample')} of each agent"
    text += f", {all_of(counts, 'or')}." if counts else "."
    if last.low is not None and last.high is not None and last.low < last.high:
        where = f"At {plural_text(last.samples, 'sample')} it" if counts else "It"
        text += f" {where} may as well be {last.low:,} to {last.high:,} ({plan.bounds_are})."
    return text


def _bought_words(bought: Bought) -> str:
    budget = number_text(bought.budget, 2 if bought.budget % 1 else 0)
    if bought.questions is None:
        return f"A budget of {budget} does not pay for one sample of each agent."
    first, second = bought.samples
    samples = f"{plural_text(first, 'sample')} of each agent"
    if first != second:
        samples = f"{plural_text(first, 'sample')} of the first and {second} of the second agent"
    text = f"A budget of {budget} is best spent on {plural_text(bought.questions, 'question')} with {samples}"
    return (
        f"{text}, which finds gaps from {percent_text(bought.gap)} points on."
        if bought.gap is not None and bought.gap < 1
        else f"{text}."
    )


def plan_warnings(plan: StudyPlan, basis: PlanBasis) -> tuple[str, ...]:
    """The warnings before relying on the plan."""
    found = [basis.warning] if basis.warning else []
    if plan.variance.total is not None and plan.variance.data is None:
        found.append(
            "With one sample per question the pilot does not show how much more samples would help; only that column "
            "is known."
        )
    elif plan.variance.data is not None and plan.variance.data < 0:
        found.append("The data variance cannot be told from zero; it is planned as zero, so take the upper ends.")
    needed = [size.questions for size in plan.first_sizes if size.questions is not None]
    if plan.at_hand and needed and plan.at_hand[0].questions < min(needed):
        found.append(
            f"The {plan.at_hand[0].questions:,} questions at hand are too few for a gap of "
            f"{gap_text(plan.first_sizes[0].gap)} points."
        )
    if plan.comparisons > 1:
        found.append(
            f"One of {plan.comparisons} comparisons: each is planned at level {level_text(plan.alpha_each)}, Holm's "
            "first step."
        )
    if plan.early:
        found.append(
            "Stopping early costs size where it cannot stop: these are the largest numbers that the run may need. If "
            "the true gap is larger than planned for, it stops much sooner."
        )
        if basis.clusters:
            found.append("Such a run makes a cluster one bet, which these sizes do not allow for: it may need more.")
        if plan.purchase:
            found.append("The purchase is planned for the ordinary test, without early stopping.")
    if plan.theory == "normal" and any(size.questions is not None and size.questions < 20 for size in plan.sizes):
        found.append("Below 20 questions the normal theory is too hopeful; use --theory t.")
    return tuple(found)
