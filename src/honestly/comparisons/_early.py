"""Studies whose run could stop early: what their declared rule says, and what must not be said of them otherwise.

Looking after every question until a difference is significant makes false alarms certain. A run with a rule that was
declared before may be looked at all the time, but then the rule's own decision, interval and p-value count, and not
those of a study of fixed size. The rule is replayed from what the study stored; nobody's word is taken for it.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from honestly.comparisons._lead import leading_words
from honestly.comparisons._pair import PairReport, margin_test
from honestly.runner import Until
from honestly.scores import Independent, StudyData, interval_of
from honestly.show import finite_or_none, plural_text, points_text, printable_text_line
from honestly.stats import Decision, RuleVerdict as Says, StoppingRule


@dataclass(frozen=True, slots=True)
class Early:
    """A declared rule and its state."""

    rule: StoppingRule
    decision: Decision | None
    """None where the study does not say in which order its questions were to be asked."""


def stopping_state(study: StudyData) -> Early | None:
    """The state of the study's stopping rule; None where it has none.

    Raises:
        StatisticsError: the rule that the study stored makes no sense.
    """
    facts = study.facts()
    if not facts.stopping_rule:
        return None
    rule = StoppingRule.from_plain(facts.stopping_rule.to_plain())
    if facts.question_order is None or facts.samples is None:
        return Early(rule, None)
    return Early(rule, Until(rule, facts.question_order, facts.samples).take_cells(study.cells(), facts))


class RuleDifference(NamedTuple):
    """The difference that a stopping rule leaves for a margin: an interval that holds at any look."""

    interval: tuple[float, float]
    question: None = None


def _cluster_sentence(rule: StoppingRule, *, clusters: bool) -> str:
    """A sentence on what the rule makes of clusters, where there are any; a sentence with a space before it."""
    if rule.clusters:
        return f" Each of {plural_text(len(rule.clusters), 'cluster')} was one bet."
    return " The rule takes tasks as independent, although they form clusters." if clusters else ""


def early_warning(state: Early, *, clusters: bool = False) -> str:
    """A warning for readers of a leaderboard, whose tasks form clusters or not."""
    rule, decision = state.rule, state.decision
    pair = f"{printable_text_line(rule.first)} > {printable_text_line(rule.second)}"
    says = "which cannot be checked, because the study does not say in which order its questions were to be asked"
    if decision is not None:
        asked = f"{plural_text(decision.questions, 'question')} of at most {rule.questions}"
        says = f"which says after {asked}: {decision.verdict}"
    return (
        f"This run could stop early by the rule {pair} (level {rule.alpha:g} over the whole run), {says}."
        f"{_cluster_sentence(rule, clusters=clusters)} "
        "Intervals and p-values here are those of a study of fixed size and do not allow for that; honestly compare "
        "gives the rule's."
    )


def judged_by_rule(report: PairReport, state: Early) -> PairReport:
    """A comparison in a study with a rule: of the rule's own pair the rule's result, of others with a caution."""
    rule, decision = state.rule, state.decision
    if decision is None or {report.a, report.b} != {rule.first, rule.second}:
        text = f"The run could stop early on {printable_text_line(rule.first)} > {printable_text_line(rule.second)}"
        return replace(
            report, caution=" ".join(filter(None, (report.caution, f"{text}; this test does not allow for it.")))
        )
    sign = 1 if report.a == rule.first else -1
    low, high = sorted(sign * end for end in decision.interval)
    difference = finite_or_none(sign * decision.difference)
    ahead = {Says.FIRST: rule.first, Says.SECOND: rule.second}.get(decision.verdict)
    verdict = "cannot tell" if ahead is None else "a is ahead" if ahead == report.a else "b is ahead"
    return replace(
        report,
        n=decision.questions,
        difference=difference,
        se=None,
        interval=interval_of(low, high),
        p_value=finite_or_none(decision.p_value),
        verdict=verdict,
        sentence=_decision_sentence(rule, decision, ahead),
        caution=(report.caution + _cluster_sentence(rule, clusters=report.robust is not None)).strip(),
        method=f"{rule.method} rule, declared before the run; valid whenever it is looked at",
        alpha=rule.alpha,
        chance=None,
        df=None,
        independent=Independent(),
        robust=None,
        claim=None,
        margin=report.margin
        and margin_test((report.a, report.b), RuleDifference((low, high)), report.margin.margin, rule.alpha),
        reasons={**report.reasons, "se": "a run that may stop early has no standard error of a fixed size"},
    )


def _decision_sentence(rule: StoppingRule, decision: Decision, ahead: str | None) -> str:
    asked = f"after {plural_text(decision.questions, 'question')} of at most {rule.questions}"
    if ahead is None:
        return f"The data cannot tell the two apart {asked}, says the rule declared before the run: {decision.reason}."
    other = rule.second if ahead == rule.first else rule.first
    return (
        f"{leading_words(printable_text_line(ahead), printable_text_line(other))}, says the rule declared before "
        f"the run, {asked}: "
        f"{decision.reason}. The gap of {points_text(abs(decision.difference))} points that was seen overstates "
        "the true "
        "one, as it does after any early stop."
    )
