"""The promise that follows from a plan."""

from honestly.errors import StatisticsError
from honestly.plans._study_plan import StudyPlan
from honestly.plans.registration._registration import DEFAULT_GUARDS, Registration, Stopping
from honestly.records import Suite
from honestly.runner import rule_for
from honestly.scores import DEFAULT_POLICY
from honestly.stats import Policy, parse_claim


def registration_of_plan(
    plan: StudyPlan, claim: str, *, hypothesis: str = "", suite: Suite | None = None, policy: Policy = DEFAULT_POLICY
) -> Registration:
    """A registration of the planned size: the questions at hand, or as many as the gap needs.

    Args:
        plan: For which at least one number of samples was asked; the first is promised.
        claim: `A>B`, the agent that is claimed to be better first.
        hypothesis: The claim in words, and why it is expected.
        suite: What will be run, if that is to be promised too.
        policy: What trials without a plain pass or fail will count as.

    Raises:
        StatisticsError: The plan gives no number of questions, or too few for a run that may stop early.
    """
    gap: float | None = plan.first_sizes[0].gap
    questions, samples = plan.first_sizes[0].questions, plan.first_sizes[0].samples
    if plan.at_hand:
        gap, questions = plan.at_hand[0].gap, plan.at_hand[0].questions
    if questions is None:
        raise StatisticsError("no number of questions follows from these variances; say how many there are")
    first, second = parse_claim(claim)
    stopping = Stopping()
    if plan.early:
        stopping = Stopping(rule_for(first, second, questions, samples, plan.alpha).method)
    return Registration(
        claim=f"{first}>{second}",
        questions=questions,
        samples=samples,
        hypothesis=hypothesis,
        suite=suite.name if suite else "",
        suite_hash=suite.hash if suite else "",
        alpha=plan.alpha,
        comparisons=plan.comparisons,
        gap=round(gap, 6) if gap is not None and 0 < gap < 1 else None,
        power=plan.power,
        basis=plan.basis_words,
        policy=policy,
        stopping=stopping,
        guards=DEFAULT_GUARDS,
    )
