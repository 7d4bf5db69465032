"""A plan in sentences: the answer first, and what a reader must know before relying on it."""

from collections.abc import Sequence

from honestly.report._text import all_of, gap_text, level_text, number, percent, plural
from honestly.report.plan._basis import PlanBasis
from honestly.report.plan._study_plan import AtHand, Bought, Size, StudyPlan


def plan_sentence(plan: StudyPlan) -> str:
    """What to do, in two to four sentences; a guess says that it is one."""
    parts = [_needed(plan.headline, plan)]
    if plan.at_hand:
        parts.append(_found(plan.at_hand))
    if plan.purchase:
        parts.append(_bought(plan.purchase))
    return ("A GUESS, not from data: " if plan.basis == "prior" else "") + " ".join(parts)


def _needed(sizes: Sequence[Size], plan: StudyPlan) -> str:
    gap, power = gap_text(sizes[0].gap), f"{percent(plan.power, 0)}% power"
    known = [size for size in sizes if size.questions is not None]
    if not known:
        return f"How many questions it takes to see a gap of {gap} points cannot be said from these data."
    counts = [f"{size.questions:,} at {size.samples}" for size in known[1:]]
    if plan.early:
        text = f"To see a gap of {gap} points with {power}, a run that may stop early must be allowed up to"
    else:
        text = f"To see a gap of {gap} points with {power} you need"
    first, last = known[0], known[-1]
    text += f" {first.questions:,} questions at {plural(first.samples, 'sample')} of each agent"
    text += f", {all_of(counts, 'or')}." if counts else "."
    if last.low is not None and last.high is not None and last.low < last.high:
        where = f"At {plural(last.samples, 'sample')} it" if counts else "It"
        text += f" {where} may as well be {last.low:,} to {last.high:,} ({plan.bounds_are})."
    return text


def _found(sizes: Sequence[AtHand]) -> str:
    known = [size for size in sizes if size.gap is not None]
    questions = plural(sizes[0].questions, "question")
    if not known:
        return f"No gap can be counted on with {questions}."
    gaps = [f"{percent(size.gap)} at {size.samples}" for size in known[1:]]
    gaps.insert(0, f"{percent(known[0].gap)} points at {plural(known[0].samples, 'sample')}")
    return f"With {questions} the smallest gap that you can count on is {all_of(gaps)}."


def _bought(bought: Bought) -> str:
    budget = number(bought.budget, 2 if bought.budget % 1 else 0)
    if bought.questions is None:
        return f"A budget of {budget} does not pay for one sample of each agent."
    first, second = bought.samples
    samples = f"{plural(first, 'sample')} of each agent"
    if first != second:
        samples = f"{plural(first, 'sample')} of the first and {second} of the second agent"
    text = f"A budget of {budget} is best spent on {plural(bought.questions, 'question')} with {samples}"
    return f"{text}, which finds gaps from {percent(bought.gap)} points on." if bought.gap is not None else f"{text}."


def plan_warnings(plan: StudyPlan, basis: PlanBasis) -> tuple[str, ...]:
    """What a reader must know before relying on the plan."""
    found = [basis.warning] if basis.warning else []
    if plan.variance.total is not None and plan.variance.data is None:
        found.append(
            "With one sample per question the pilot does not show how much more samples would help; only that column "
            "is known."
        )
    elif plan.variance.data is not None and plan.variance.data < 0:
        found.append("The data variance cannot be told from zero; it is planned as zero, so take the upper ends.")
    needed = [size.questions for size in plan.headline if size.questions is not None]
    if plan.at_hand and needed and plan.at_hand[0].questions < min(needed):
        found.append(
            f"The {plan.at_hand[0].questions:,} questions at hand are too few for a gap of "
            f"{gap_text(plan.headline[0].gap)} points."
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
        if plan.purchase:
            found.append("The purchase is planned for the ordinary test, without early stopping.")
    if plan.theory == "normal" and any(size.questions is not None and size.questions < 20 for size in plan.sizes):
        found.append("Below 20 questions the normal theory is too hopeful; use --theory t.")
    return tuple(found)
