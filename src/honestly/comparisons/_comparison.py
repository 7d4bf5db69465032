"""Two agents compared: the paired difference, what it is worth, what it depends on, and what it would take to know.

Where clusters are known (`Declared`), the test is the cluster-robust one, and what it would say of independent
questions stands beside it; else it is a paired t test, or mid-p McNemar for single samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from honestly.comparisons._early import judged_by_rule, stopping_state
from honestly.comparisons._lead import IF_EXCLUDED, SAME, lead_of, leading_words
from honestly.comparisons._pair import (
    Deciding,
    OtherPolicy,
    PairReport,
    Robust,
    SaidAnswer,
    SaidClaim,
    margin_test,
    needed_sizes,
)
from honestly.comparisons._sides import JoinedSides, Pair, Sides, pair_of, void_policies
from honestly.records import Agent
from honestly.scores import (
    DEFAULT_POLICY,
    UNDECLARED,
    Declared,
    Independent,
    StudyData,
    find_agent,
    granted_words,
    interval_of,
    noise_of,
    other_policies,
    policy_words,
    question_means,
    void_caution,
)
from honestly.show import (
    all_of,
    finite_or_none,
    if_independent,
    level_text,
    p_is,
    plural_text,
    points_text,
    printable_text_line,
    short_names,
    whole_sentence,
)
from honestly.stats import CONDITIONAL, Comparison, MeanAnswer, Policy, ResolvedScores, Scores, compare

if TYPE_CHECKING:
    from honestly.store import Store

_LONGEST_NAME = 60


def learnt_words(agents: Iterable[Agent]) -> str:
    """A warning that trials of learning agents depend on each other; empty if no agent learns."""
    names = [printable_text_line(agent.name) for agent in agents if "memory" in agent.settings]
    if not names:
        return ""
    return (
        f"{all_of(names)} learnt from trial to trial, so that trials are not independent, and on tasks that taught it "
        "an agent may remember: `honestly agent memory gain` compares on families that taught nothing."
    )


def comparison(
    study: StudyData,
    a: str,
    b: str,
    policy: Policy = DEFAULT_POLICY,
    alpha: float = 0.05,
    declared: Declared = UNDECLARED,
    margin: float | None = None,
) -> PairReport:
    """Compare two agents of a study on the questions that both have.

    Args:
        study: any store of trials.
        a: name of the one, or a part of it that no other agent's name contains.
        b: the other.
        policy: what trials at a limit, spoilt by the harness, or missing count as.
        alpha: level of significance; intervals cover `1 - alpha`.
        declared: what is known of the tasks beyond their tags and ids: clusters, weights; and what does not stop the
            comparison although it makes it unfair.
        margin: also test whether the two are less than this apart, or one is not worse by it; in units of the score, so
            0.02 for two points, and declared before the data were seen.

    Raises:
        AgentError: a name is unknown, or fits several agents.
        UnfairComparisonError: the two differ in more than the agents (`honestly.scores.UNFAIR`).
        StatisticsError: the agents are the same, the study has no standard task, the policy refuses its trials, or what
            is declared does not fit the tasks.
        StoreError: the study cannot be read.
    """
    names = [agent.name for agent in study.agents()]
    return compared(pair_of(study, (find_agent(names, a), find_agent(names, b)), declared), policy, alpha, margin)


def comparison_of_studies(
    first: Store,
    second: Store,
    names: tuple[str, str],
    how: tuple[Policy, float] = (DEFAULT_POLICY, 0.05),
    declared: Declared = UNDECLARED,
    margin: float | None = None,
) -> PairReport:
    """Compare an agent of one study with an agent of another, on the tasks that are the same in both.

    Tasks that are left out are named in the caution. Arguments and errors are those of `comparison`; `how` is policy
    and level.
    """
    sides = Sides(first, second, *names, ("first", "second"))
    data = JoinedSides(sides, changed="task-hashes" in declared.despite)
    found = compared(pair_of(data, sides.names, declared), *how, margin)
    return replace(found, caution=" ".join(filter(None, (found.caution, *map(whole_sentence, sides.notes)))))


def compared(pair: Pair, policy: Policy, alpha: float, margin: float | None = None) -> PairReport:
    """What the paired difference of two agents is worth; by the study's own rule, where it could stop early.

    Raises:
        StatisticsError: the agents are the same, or the policy refuses their trials.
    """
    evaluation, scores, names = pair.evaluation, pair.scores, pair.names
    resolved = scores.resolve(policy).select(names)
    result = compare(resolved, *names, level=1 - alpha)
    alone = result if result.clusters is None else compare(resolved.ignoring_clusters(), *names, level=1 - alpha)
    others = other_answers(scores, policy, names, 1 - alpha)
    counted = () if margin is None else void_policies(scores, names, policy)
    spoilt = [compare(scores.resolve(each), *names, level=1 - alpha) for each in counted]
    answer = result.claim.answer if result.claim else MeanAnswer("", (math.nan, math.nan))
    verdict = _comparison_verdict(result)
    shown = result.claim is not None and result.claim.verdict != "cannot tell"
    learnt = learnt_words(agent for agent in evaluation.agents if agent.name in names)
    both = np.all(resolved.n > 0, axis=0)
    first, second = question_means(resolved.select(questions=both)) if both.any() else (None, None)
    report = PairReport(
        a=result.a,
        b=result.b,
        n=result.n,
        difference=finite_or_none(result.difference),
        se=finite_or_none(result.se),
        interval=interval_of(*answer.interval),
        p_value=None if verdict == "not estimable" else finite_or_none(answer.p_value),
        df=finite_or_none(result.df),
        independent=_independent(alone),
        verdict=verdict,
        sentence=_result_sentence(result, alone, verdict),
        caution=" ".join(
            filter(
                None,
                (_void_words(scores, policy, result, others, found=shown), learnt, *_doubts(result, resolved, scores)),
            )
        ),
        chance=_chance(result),
        score_a=first,
        score_b=second,
        method=answer.method or result.method,
        alpha=alpha,
        estimand=str(result.estimand),
        policy=policy_words(policy),
        se_fixed=finite_or_none(result.se_fixed),
        wins=result.wins,
        losses=result.losses,
        ties=result.ties,
        noise=noise_of(result.noise),
        robust=_robust(result, evaluation.known.dependence),
        dependence=evaluation.known.dependence,
        other_policies=others,
        deciding=_deciding_questions(resolved),
        needs=needed_sizes(
            resolved, alpha, _chance(result) if result.claim and result.claim.headline == "approximate" else None
        ),
        notes=result.notes,
        reasons=_reasons(result),
        data=evaluation.data,
        unfair=pair.unfair,
        claim=_said_claim(result),
        margin=None if margin is None else margin_test(names, result, margin, alpha, spoilt),
    )
    state = stopping_state(pair.study)
    return report if state is None else judged_by_rule(report, state)


def _void_words(
    scores: Scores, policy: Policy, result: Comparison, others: Sequence[OtherPolicy], *, found: bool
) -> str:
    """What turns on trials without a verdict; else that there are many void ones, and the difference without them."""
    if turned := policy_caution(result.difference, others, found=found):
        return turned
    said = void_caution(scores, (result.a, result.b), policy)
    without = next((each for each in others if each.name == "left out" and each.difference is not None), None)
    if said and without is not None and without.difference is not None:
        return (
            f"{said[:-1]}; without them the difference is {points_text(without.difference)} points "
            f"({p_is(without.p_value)})."
        )
    return said


def _reasons(result: Comparison) -> dict[str, str]:
    absent = [name for name in ("difference", "se", "p_value") if not math.isfinite(getattr(result, name))]
    absent += ["chance"] if _chance(result) is None else []
    absent += ["p_value"] if _comparison_verdict(result) == "not estimable" and "p_value" not in absent else []
    absent += [] if math.isfinite(result.interval[0]) else ["interval"]
    reasons = dict.fromkeys(absent, result.reason or "not estimable")
    return reasons | ({"noise": result.noise.reason} if result.noise.reason else {})


def _robust(result: Comparison, note: str) -> Robust | None:
    if result.clusters is None:
        return None
    return Robust(
        clusters=result.clusters.clusters,
        effective=result.clusters.effective,
        note=note,
        se=finite_or_none(result.se),
        interval=None if result.claim is None else interval_of(*result.claim.answer.interval),
        p_value=None if result.claim is None else finite_or_none(result.claim.answer.p_value),
    )


def _independent(alone: Comparison) -> Independent:
    if alone.claim is None:
        return Independent()
    answer = alone.claim.answer
    return Independent(finite_or_none(alone.se), interval_of(*answer.interval), finite_or_none(answer.p_value))


def _said_claim(result: Comparison) -> SaidClaim | None:
    claim = result.claim
    if claim is None:
        return None
    by_t, roomy, law = (
        SaidAnswer(each.method, interval_of(*each.interval), finite_or_none(each.p_value))
        for each in (claim.approximate, claim.with_room, claim.guaranteed)
    )
    assumed = list(granted_words(claim.assumed, clustered=result.clusters is not None))
    if len(assumed) > 2 and claim.verdict != "cannot tell":
        assumed[-1] += f" (for any distribution {p_is(law.p_value)})"
    return SaidClaim(claim.verdict, claim.headline, by_t, roomy, law, tuple(assumed))


def _comparison_verdict(result: Comparison) -> str:
    units = result.n if result.clusters is None else result.clusters.clusters
    if result.claim is None or units < 2:
        return "not estimable"
    lead = lead_of(result)
    if lead is None or result.claim.verdict == "cannot tell":
        return "cannot tell"
    ahead = "a is ahead" if lead.ahead == result.a else "b is ahead"
    return ahead if result.claim.verdict == "shown" else f"{ahead}, {IF_EXCLUDED}"


def _chance(result: Comparison) -> float | None:
    if result.claim is None or math.isnan(result.se):
        return None
    low, high = result.claim.answer.interval
    reach = max(result.difference - low, high - result.difference)
    return reach if reach < 1 else None


def _result_sentence(result: Comparison, alone: Comparison, verdict: str) -> str:
    found, claim = lead_of(result), result.claim
    names = short_names((result.a, result.b), _LONGEST_NAME, len)
    ahead, behind = (names[each] for each in ((found.ahead, found.behind) if found else sorted(names)))
    if verdict == "not estimable" or claim is None:
        same = f"{ahead} and {behind}: " if result.n else f"{ahead} and {behind} have no task in common: "
        return f"{same}{result.reason or 'the difference cannot be estimated'}."
    low, high = (
        claim.answer.interval
        if not found or found.ahead == result.a
        else (-1 * end for end in claim.answer.interval[::-1])
    )
    ends = (
        f"{level_text(claim.level)} interval {points_text(low)} to {points_text(high)}, {plural_text(result.n, 'task')}"
    )
    if found is None:
        return f"{ahead} and {behind} have the same score ({ends}): the data cannot tell the two apart."
    lead = leading_words(ahead, behind, found.gap)
    if claim.verdict == CONDITIONAL:
        under = f"{p_is(claim.approximate.p_value)}, but {p_is(claim.guaranteed.p_value)} if they cannot"
        return f"{lead}, {IF_EXCLUDED} ({under}; {ends})."
    other = (
        "" if alone.claim is None else if_independent(claim.answer.p_value, alone.claim.answer.p_value, 1 - claim.level)
    )
    tail = f"({p_is(claim.answer.p_value)}{other}; {ends})"
    return f"{lead}{'' if verdict != 'cannot tell' else ', but the data cannot tell the two apart'} {tail}."


def policy_caution(difference: float, others: Sequence[OtherPolicy], *, found: bool) -> str:
    """Which policies change who is ahead; empty if none does.

    Args:
        difference: as declared.
        others: the same under other policies.
        found: whether the two differ as declared, with a condition or without.
    """
    turned, against = [], False
    for other in others:
        opposite = other.difference is not None and other.difference * difference < -SAME
        if opposite or (found and not other.is_shown):
            against |= opposite
            gap = "no difference" if other.difference is None else points_text(other.difference)
            turned.append(f"{gap} ({p_is(other.p_value)}) if {other.name}")
    if not turned:
        return ""
    text = f"{'Who' if against else 'Whether one'} is ahead turns on how trials without a verdict count"
    return f"{text}: {points_text(difference)} as declared, {all_of(turned)}."


def _doubts(result: Comparison, resolved: ResolvedScores, scores: Scores) -> list[str]:
    """Doubts about a result, from the test itself and from the samples of the two."""
    shown = {*resolved.notes, result.clusters and result.clusters.cluster_warning}
    said = [whole_sentence(printable_text_line(note)) for note in result.notes if note not in shown]
    return [
        *said,
        *(f"{printable_text_line(one.message)}." for one in scores.warnings if one.agent in {result.a, result.b}),
    ]


def other_answers(scores: Scores, policy: Policy, pair: tuple[str, str], level: float) -> tuple[OtherPolicy, ...]:
    """The comparison under each other policy that changes its tasks, its difference or its error."""
    rows = [scores.agents.index(name) for name in pair]
    if not any(counts[rows].any() for counts in (scores.limit, scores.void, scores.missing)):
        return ()
    found: list[OtherPolicy] = []
    seen: list[Comparison] = [compare(scores.resolve(policy), *pair, level=level)]
    for name, variant in other_policies(policy):
        other = compare(scores.resolve(variant), *pair, level=level)
        if any(each.n == other.n and _same_difference(each, other) for each in seen):
            continue
        seen.append(other)
        p_value = None if other.claim is None else finite_or_none(other.claim.answer.p_value)
        shown = other.claim is not None and other.claim.verdict != "cannot tell"
        found.append(OtherPolicy(name, policy_words(variant), finite_or_none(other.difference), p_value, shown))
    return tuple(found)


def _same_difference(one: Comparison, other: Comparison) -> bool:
    pairs = ((one.difference, other.difference), (one.se, other.se))
    return all(abs(x - y) < SAME or (math.isnan(x) and math.isnan(y)) for x, y in pairs)


def _deciding_questions(resolved: ResolvedScores) -> tuple[Deciding, ...]:
    both = np.flatnonzero(np.all(resolved.n > 0, axis=0)).tolist()
    questions: Sequence[Deciding] = [
        Deciding(
            task=resolved.questions[j],
            a=float(resolved.mean[0, j]),
            b=float(resolved.mean[1, j]),
            difference=float(resolved.mean[0, j] - resolved.mean[1, j]),
            a_samples=int(resolved.n[0, j]),
            b_samples=int(resolved.n[1, j]),
        )
        for j in both
    ]
    return tuple(sorted((q for q in questions if q.difference), key=lambda q: (-abs(q.difference), q.task)))
