"""A study held against its pre-registration: each promise, and whether it was kept.

Sizes and the stopping rule are recomputed from the stored trials, never believed; so is the claim, under the registered
policy and level, whatever the report itself was asked for. The fixed design is tested once, when it is complete; a rule
that may stop early is replayed over the questions in their declared order, and its own decision counts.

Not covered: whether somebody looked at the trials without leaving a trace, and whether facts of the study were forged;
the hash of the document, published before, protects against the latter (`_report.py`).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from honestly.comparisons import comparison
from honestly.errors import StatisticsError
from honestly.plans.registration._guards import Checked, Status, check_guards
from honestly.plans.registration._registration import Registration
from honestly.records import DeclaredRule, StudyFacts
from honestly.runner import Until, is_settled
from honestly.scores import DEFAULT_POLICY, UNFAIR, Declared, StudyCounts, StudyData, count_study
from honestly.show import all_of, level_text, p_is, percent_text, plural_text, points_text, printable_text_line
from honestly.stats import Decision, Policy, RuleVerdict, StoppingRule
from honestly.store import Store


def check_registration(
    study: Store, registration: Registration, policy: Policy = DEFAULT_POLICY, alpha: float = 0.05
) -> tuple[Checked, ...]:
    """Check a study and its report against a registration.

    Args:
        study: any store of trials.
        registration: what was promised.
        policy: the report's.
        alpha: the report's.

    Raises:
        StoreError: the study cannot be read.
        StatisticsError: a trial names an unknown agent or task.
    """
    evaluation = count_study(study)
    pair = (registration.first, registration.other_agent)
    standard = {task.id for task in evaluation.tasks if not task.impossible}
    cells = [cell for cell in study.cells() if cell.agent in pair and cell.task in standard]
    settled = [cell for cell in cells if is_settled(cell, evaluation.facts)]
    taken: dict[tuple[str, str], set[int]] = defaultdict(set)
    for trial in settled if registration.stops_early else cells:
        taken[trial.agent, trial.task].add(trial.sample)
    begun, most = frozenset(task for _, task in taken), max(map(len, taken.values()), default=0)
    planned = set(range(registration.samples))
    complete = frozenset(task for task in standard if all(planned <= taken[name, task] for name in pair))
    decision, problem = None, ""
    if registration.stops_early:
        try:
            # The rule on the questions in the declared order, up to the first that is not complete.
            order = evaluation.facts.question_order
            if order is None:
                raise StatisticsError("the study does not say in which order its questions were to be asked")
            if len(set(order)) != len(order) or len(order) != registration.questions:
                raise StatisticsError(
                    f"the declared order contains {plural_text(len(set(order)), 'different question')} in {len(order)} "
                    "places; "
                    f"{registration.questions:,} are registered"
                )
            decision = Until(registration.rule, order, registration.samples).take_cells(settled, evaluation.facts)
        except StatisticsError as error:
            problem = str(error)
    ledger = _Ledger(complete, begun, most, decision, problem)
    return (
        _registered_before(study, evaluation.facts),
        _agents_check(evaluation, registration),
        *_suite_check(evaluation.facts, registration),
        _samples(ledger, registration),
        (_stopping_check if registration.stops_early else _fixed)(ledger, evaluation.facts, registration),
        _same_policy(registration, policy),
        _same_alpha(registration, alpha),
        *check_guards(evaluation, registration),
        _claim_check(study, ledger, registration),
    )


@dataclass(frozen=True, slots=True)
class _Ledger:
    """The trials of the claim's two agents at standard tasks."""

    complete: frozenset[str]
    """Questions at which both have all registered samples."""
    begun: frozenset[str]
    """Questions at which either has a trial."""
    most: int
    """Largest number of samples of a cell."""
    decision: Decision | None
    """State of the registered rule, replayed; None where there is none, or it cannot be replayed."""
    problem: str
    """Why it cannot be replayed."""


def _registered_before(study: Store, facts: StudyFacts) -> Checked:
    promised = "registered before the first trial"
    if (stored := _parsed_time(facts.registered_at)) is None:
        return Checked("registered", "not measurable", promised, "the study does not say when it was registered")
    trials = 0
    first: datetime | None = None
    for trial in study.trials():
        trials += 1
        started = _parsed_time(trial.started_at)
        if started is not None and (first is None or started < first):
            first = started
    at = f"registered {stored:%Y-%m-%d %H:%M:%S} UTC"
    if not trials:
        return Checked("registered", "kept", promised, f"{at}; there is no trial yet")
    if first is None:
        return Checked("registered", "not measurable", promised, f"{at}, but no trial says when it started")
    status: Status = "kept" if stored <= first else "broken"
    return Checked("registered", status, promised, f"{at}, the first trial started {first:%Y-%m-%d %H:%M:%S} UTC")


def _parsed_time(text: str | None) -> datetime | None:
    """A moment in ISO 8601 with its zone, or None."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def _agents_check(evaluation: StudyCounts, registration: Registration) -> Checked:
    promised = f"agents {_quoted_names(registration.agents)}"
    tried = evaluation.trials.sum(axis=1).tolist()
    there = [agent.name for agent in evaluation.agents]
    acted = [name for name, trials in zip(there, tried, strict=True) if trials]
    extra = [name for name in there if name not in registration.agents]
    if extra:
        return Checked("agents", "broken", promised, f"the study also holds {_quoted_names(extra)}")
    absent = [name for name in registration.agents if name not in acted]
    if absent:
        return Checked("agents", "not yet", promised, f"no trial of {_quoted_names(absent)}")
    return Checked("agents", "kept", promised, "these and nobody else")


def _quoted_names(names: Sequence[str]) -> str:
    return all_of([printable_text_line(name) for name in names])


def _suite_check(facts: StudyFacts, registration: Registration) -> list[Checked]:
    wanted = {"suite": registration.suite, "suite_hash": registration.suite_hash}
    wanted = {key: value for key, value in wanted.items() if value}
    if not wanted:
        return []
    promised = " ".join(["suite", *map(printable_text_line, wanted.values())])
    kept = {"suite": facts.suite, "suite_hash": facts.suite_hash}
    there = {key: kept[key] for key in wanted}
    found = " ".join(printable_text_line(str(value)) for value in there.values() if value is not None)
    if None in there.values():
        return [Checked("suite", "not measurable", promised, "the study does not say which suite it used")]
    return [Checked("suite", "kept" if there == wanted else "broken", promised, f"suite {found}")]


def _samples(ledger: _Ledger, registration: Registration) -> Checked:
    promised = f"{plural_text(registration.samples, 'sample')} of each of the two at each question"
    if ledger.most > registration.samples:
        return Checked("samples", "broken", promised, f"up to {ledger.most} were taken")
    partial = len(ledger.begun - ledger.complete)
    if partial or not ledger.begun:
        return Checked("samples", "not yet", promised, f"{plural_text(partial, 'question')} started and not complete")
    return Checked("samples", "kept", promised, f"all there, at {plural_text(len(ledger.complete), 'question')}")


def _fixed(ledger: _Ledger, facts: StudyFacts, registration: Registration) -> Checked:
    promised = f"exactly {plural_text(registration.questions, 'question')}, and no look before"
    done = len(ledger.complete)
    if facts.stopping_rule and not _same_rule(facts.stopping_rule, registration.rule):
        return Checked("size", "broken", promised, "the run had another rule for when to stop")
    if len(ledger.begun) > registration.questions:
        return Checked("size", "broken", promised, f"{plural_text(len(ledger.begun), 'question')} were asked")
    if done < registration.questions:
        found = f"{done:,} complete; this is a look before the end, so let nothing in the study depend on it"
        return Checked("size", "not yet", promised, found)
    return Checked("size", "kept", promised, f"{plural_text(done, 'question')} complete")


def _stopping_check(ledger: _Ledger, facts: StudyFacts, registration: Registration) -> Checked:
    rule = registration.rule
    promised = f"at most {plural_text(rule.questions, 'question')}, until the {rule.method} rule says stop"
    stored = facts.stopping_rule
    if not stored and ledger.begun:
        return Checked("stopping", "broken", promised, "the run had no stopping rule")
    if stored and not _same_rule(stored, rule):
        return Checked("stopping", "broken", promised, "the run had another rule than the registered one")
    if ledger.decision is None:
        return Checked("stopping", "not measurable" if ledger.begun else "not yet", promised, ledger.problem)
    decision = ledger.decision
    seen = f"{plural_text(decision.questions, 'question')} of the declared order"
    if not decision.stop:
        return Checked("stopping", "not yet", promised, f"after {seen} the rule says go on: {decision.reason}")
    after = len(ledger.complete) - decision.questions
    unused = f"; {plural_text(after, 'later question')} not used" if after > 0 else ""
    return Checked("stopping", "kept", promised, f"it said stop after {seen}: {decision.reason}{unused}")


def _same_rule(stored: DeclaredRule, rule: StoppingRule) -> bool:
    try:
        return StoppingRule.from_plain(stored.to_plain()) == rule
    except StatisticsError:
        return False


def _same_policy(registration: Registration, policy: Policy) -> Checked:
    same = policy == registration.policy
    found = (
        "so does this report" if same else f"in this report {policy}; the claim below is under the registered policy"
    )
    return Checked("policy", "kept" if same else "broken", str(registration.policy), found)


def _same_alpha(registration: Registration, alpha: float) -> Checked:
    same = alpha == registration.alpha
    found = (
        "so in this report" if same else f"{level_text(alpha)} in this report; the claim below is at the registered one"
    )
    promised = f"level {level_text(registration.alpha)}"
    if registration.comparisons > 1:
        promised += f" over {registration.comparisons} claims, {level_text(registration.alpha_each)} for this one"
    return Checked("alpha", "kept" if same else "broken", promised, found)


def _claim_check(study: StudyData, ledger: _Ledger, registration: Registration) -> Checked:
    promised = (
        f"{printable_text_line(registration.first)} is better than {printable_text_line(registration.other_agent)}"
    )
    if registration.stops_early:
        return _sequential_claim(ledger, registration.stopping.method, promised)
    if len(ledger.complete) < registration.questions:
        return Checked("claim", "not yet", promised, "the size is locked: no verdict before all questions are complete")
    pair = comparison(
        study,
        registration.first,
        registration.other_agent,
        registration.policy,
        registration.alpha_each,
        Declared(despite=UNFAIR),
    )
    statuses: dict[str, Status] = {"a is ahead": "kept", "b is ahead": "broken", "cannot tell": "undecided"}
    found = f"{points_text(pair.difference)} points"
    if pair.interval:
        found += (
            f", {level_text(1 - pair.alpha)} interval [{points_text(pair.interval[0])}, "
            f"{points_text(pair.interval[1])}]"
        )
    verdict, condition, _ = pair.verdict.partition(", if ")
    status = "undecided" if condition else statuses.get(verdict, "not measurable")
    tests = f"{p_is(pair.p_value)}, {pair.method}"
    alone = pair.independent.p_value
    if pair.robust is not None and alone is not None:
        # What is registered is the test of independent questions, and that the one of clusters agrees.
        tests += f"; {p_is(alone)} if questions were independent"
        status = "undecided" if alone > pair.alpha else status
    return Checked("claim", status, promised, f"{found} ({tests})")


def _sequential_claim(ledger: _Ledger, method: str, promised: str) -> Checked:
    decision = ledger.decision
    if decision is None:
        return Checked("claim", "not measurable" if ledger.begun else "not yet", promised, ledger.problem)
    if not decision.stop:
        return Checked("claim", "not yet", promised, f"the rule says go on: {decision.reason}")
    statuses: dict[RuleVerdict, Status] = {RuleVerdict.FIRST: "kept", RuleVerdict.SECOND: "broken"}
    low, high = decision.interval
    share = decision.interval_is != "mean difference"
    ends = [f"{percent_text(end)}%" if share else points_text(end) for end in (low, high)]
    holds = "at this look" if method == "planned-looks" else "valid at any stop"
    found = (
        f"{points_text(decision.difference)} points over {plural_text(decision.questions, 'question')}; "
        f"{decision.interval_is} "
        f"[{', '.join(ends)}] ({p_is(decision.p_value)}, {holds})"
    )
    if decision.verdict is not RuleVerdict.UNDECIDED:
        found += "; after a stop the difference looks larger than it is, so quote the interval"
    return Checked("claim", statuses.get(decision.verdict, "undecided"), promised, found)
