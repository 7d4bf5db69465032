"""The leaderboard's rows: one agent each, first what is merely counted, then what is estimated."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from honestly.leaderboards._board import AgentRow, Hacks
from honestly.scores import Independent, StudyCounts, granted_words, interval_of, noise_of, question_means, score_ranks
from honestly.show import finite_or_none
from honestly.stats import (
    Policy,
    ResolvedScores,
    ScoreEstimate,
    Scores,
    noise_components,
    rank_intervals,
    score_all,
    score_validity,
)

_SEED = 0
_NO_TASKS = "the study has no standard task"
_NOT_MEASURED = "visible checks were not measured"
_GIVEN = "visible checks that pass before any work show no hack"


def agent_rows(
    evaluation: StudyCounts, policy: Policy, level: float, apart: NDArray[np.bool_] | None = None
) -> list[AgentRow]:
    """One row for each agent, in the study's order; `apart`: pairs that cannot be compared, shape (agents, agents).

    Raises:
        StatisticsError: the policy refuses trials that the study holds.
    """
    impossible = evaluation.impossible
    rows = [_unscored_row(evaluation, i, impossible) for i in range(len(evaluation.agents))]
    scores = evaluation.scores
    if scores is None:
        return rows
    resolved = scores.resolve(policy)
    found = score_all(resolved, level=level)
    alone = found if resolved.clusters is None else score_all(resolved.ignoring_clusters(), level=level)
    visible = _visible(evaluation, policy)
    rows = [
        _estimated_row(row, resolved, estimate, visible[i], alone[i])
        for i, (row, estimate) in enumerate(zip(rows, found, strict=True))
    ]
    return _with_rank_intervals(_ranked_rows(rows, scores, policy), resolved, level, apart)


def _unscored_row(evaluation: StudyCounts, i: int, impossible: NDArray[np.bool_]) -> AgentRow:
    """The row of an agent without scores; which tasks are impossible."""
    scores, hacks = evaluation.scores, _hack_counts(evaluation, i, impossible)
    reasons = dict.fromkeys(("honest", "se", "interval", "visible", "rank", "bounds", "noise"), _NO_TASKS)
    if not hacks.passers:
        seen = evaluation.visible is not None and np.any(evaluation.visible.passed[i] + evaluation.visible.failed[i])
        unmeasured = _GIVEN if seen else _NOT_MEASURED
        reasons["hack_rate"] = "no trial passed the visible checks" if hacks.measured else unmeasured
    if not evaluation.priced[i]:
        reasons["usd"] = "no trial reports its cost"
    passes = int(scores.passed[i].sum()) if scores else 0
    all_priced = evaluation.priced[i] == evaluation.trials[i].sum()
    if not passes or not all_priced:
        reasons["usd_per_pass"] = "no trial passed" if all_priced else "not all trials report their cost"
    return AgentRow(
        name=evaluation.agents[i].name,
        hack_rate=hacks.hacks / hacks.passers if hacks.passers else None,
        limit=int(scores.limit[i].sum()) if scores else 0,
        void=int(scores.void[i].sum()) if scores else 0,
        missing=int(scores.missing[i].sum()) if scores else 0,
        tampered=int(evaluation.tampered[i].sum()),
        undecided=evaluation.undecided.get(evaluation.agents[i].name, {}),
        stored=int(evaluation.trials[i].sum()),
        usd=float(evaluation.usd[i]) if evaluation.priced[i] else None,
        usd_trials=int(evaluation.priced[i]),
        usd_per_pass=float(evaluation.usd[i]) / passes if passes and all_priced else None,
        hacks=hacks,
        reasons=reasons,
    )


def _hack_counts(evaluation: StudyCounts, i: int, impossible: NDArray[np.bool_]) -> Hacks:
    return Hacks(
        hacks=int(evaluation.hacks[i].sum()),
        passers=int(evaluation.passers[i].sum()),
        measured=int(evaluation.measured[i].sum()),
        impossible_passed=int(evaluation.hacks[i, impossible].sum()),
        impossible=int(evaluation.measured[i, impossible].sum()),
    )


def _visible(evaluation: StudyCounts, policy: Policy) -> list[float | None]:
    """Visible score of each agent; None where none of its trials' visible checks was run."""
    scores = evaluation.visible
    if scores is None:
        return [None] * len(evaluation.agents)
    measured = np.any(scores.passed + scores.failed > 0, axis=1)
    means = question_means(scores.resolve(policy))
    return [mean if known else None for mean, known in zip(means, measured.tolist(), strict=True)]


def _estimated_row(
    row: AgentRow, resolved: ResolvedScores, estimate: ScoreEstimate, visible: float | None, alone: ScoreEstimate
) -> AgentRow:
    """The row with scores, but without what depends on the other agents."""
    parts = noise_components(resolved, row.name)
    reasons = {name: text for name, text in row.reasons.items() if text != _NO_TASKS}
    filled = replace(
        row,
        n=estimate.n,
        trials=estimate.trials,
        honest=finite_or_none(estimate.mean),
        se=finite_or_none(estimate.se),
        interval=interval_of(*estimate.interval),
        assumed=score_granted(estimate),
        independent=Independent(finite_or_none(alone.se), interval_of(*alone.interval), None),
        visible=visible,
        se_fixed=finite_or_none(estimate.se_fixed),
        noise=noise_of(parts),
        reasons=reasons,
    )
    absent = [name for name in ("honest", "se", "interval") if getattr(filled, name) is None]
    reasons |= dict.fromkeys(absent, estimate.reason or "not estimable")
    if visible is None:
        reasons["visible"] = _NOT_MEASURED
    if parts.reason:
        reasons["noise"] = parts.reason
    return filled


def score_granted(estimate: ScoreEstimate) -> tuple[str, ...]:
    """What a score's interval takes for granted; empty without one."""
    claim = estimate.claim
    return () if claim is None else granted_words(claim.assumed, "scores", clustered=estimate.clusters is not None)


def _ranked_rows(rows: list[AgentRow], scores: Scores, policy: Policy) -> list[AgentRow]:
    """The rows with ranks, and with what the trials that were not scored could change."""
    found = score_validity(scores, limit="unscored" if policy.limit == "drop" else "fail")
    filled = []
    for i, (row, rank) in enumerate(zip(rows, score_ranks([row.honest for row in rows]), strict=True)):
        bounds = interval_of(found.strict[i], found.upper[i])
        filled.append(
            replace(
                row,
                rank=rank,
                bounds=bounds,
                rank_bounds=(int(found.rank_best[i]), int(found.rank_worst[i])) if bounds else None,
                scorable=finite_or_none(found.scorable[i]),
                correct_if_scorable=finite_or_none(found.correct_if_scorable[i]),
            )
        )
    return filled


def _with_rank_intervals(
    rows: list[AgentRow], resolved: ResolvedScores, level: float, apart: NDArray[np.bool_] | None
) -> list[AgentRow]:
    """Simultaneous rank intervals of the agents that have a score."""
    names = [row.name for row in rows if row.n]
    units = len(set(resolved.clusters)) if resolved.clusters else len(resolved.questions)
    if len(names) < 2 or units < 2:
        reason = "a rank needs two agents with scores, and an interval two questions"
        return [replace(row, reasons=row.reasons | {"rank_interval": reason}) for row in rows]
    scored = np.flatnonzero([row.n > 0 for row in rows])
    unfair = None if apart is None else apart[np.ix_(scored, scored)]
    found = rank_intervals(resolved.select(names), seed=_SEED, level=level, apart=unfair)
    place = {name: i for i, name in enumerate(names)}
    granted = granted_words(found.assumed, clustered=resolved.clusters is not None)
    return [
        replace(
            row,
            rank_interval=(int(found.low[place[row.name]]), int(found.high[place[row.name]])),
            rank_verdict=found.verdict[place[row.name]],
            rank_assumed=granted,
            p_top=float(found.p_top[place[row.name]]),
        )
        if row.n
        else row
        for row in rows
    ]
