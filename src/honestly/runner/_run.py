"""Runs what a plan asks for and a study does not hold yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from honestly.errors import StoreError, TaskError
from honestly.records import DeclaredRule, Outcome, StudyFacts, Trial, encode
from honestly.runner._attempt import Attempted
from honestly.runner._execute import Executor
from honestly.runner._plan import Plan
from honestly.runner._until import Until, Watched
from honestly.store import Store
from honestly.tasks import runnable
from honestly.verify import build_environments

if TYPE_CHECKING:
    from honestly.stats import Decision, StoppingRule


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    done: int
    """Trials of the plan that the study holds."""
    total: int
    """Trials of the plan."""
    latest: Trial | None = None
    void: int = 0
    """Void trials among those that this run added."""
    decision: Decision | None = None
    """State of the stopping rule, where there is one."""


async def run_plan(
    plan: Plan,
    study: Store,
    executor: Executor,
    progress: Callable[[Progress], None] = lambda _: None,
    rule: StoppingRule | None = None,
) -> Progress:
    """Runs the trials of `plan` that are missing in `study`, storing each as it ends.

    Stopping at any moment loses only trials in flight; the same call later finishes the rest and repeats nothing. The
    study learns under which conditions they ran before it gets a trial.

    Args:
        plan: what is to happen; `question_by_question` where there is a rule.
        study: where it is kept.
        executor: where trials run.
        progress: told at the start and after every trial.
        rule: when the run may end early. It is stored, with the order of the questions, before the first trial.

    Raises:
        StoreError: the study was begun with another suite, seed or rule.
        TaskError: tasks of the plan need programs that this machine lacks, or an image that cannot be built.
    """
    _demand_programs(plan)
    await build_environments(plan.suite.tasks, lambda _: None)
    facts = _settle(plan, study, rule)
    held = study.trial_ids()
    missing = [planned for planned in plan.trials if planned.id not in held]
    until = _until(plan, study, rule) if rule is not None else None
    state = Progress(len(plan.trials) - len(missing), len(plan.trials), decision=until.decision if until else None)
    progress(state)
    if until is not None and until.decision.stop:
        return state
    async with executor.submit(missing) as results:
        async for result in results:
            trial = result.trial
            facts = _kept(study, facts, result)
            decision = until.note(Watched(trial.agent, trial.task, trial.sample, trial.outcome)) if until else None
            void = state.void + (trial.outcome is Outcome.VOID)
            state = Progress(state.done + 1, state.total, trial, void, decision)
            progress(state)
            if decision is not None and decision.stop:
                break
    return state


def _kept(study: Store, facts: StudyFacts, result: Attempted) -> StudyFacts:
    """Stores a trial, and before it under which conditions it ran; returns the facts after it."""
    now = facts.after(result.trial.isolation, result.conditions)
    if now != facts:
        study.set_facts(now)
    study.add_trial(result.trial, result.trajectory, {**result.artifacts, "final.json": encode(result.final)})
    study.add(result.findings)
    return now


def _demand_programs(plan: Plan) -> None:
    left_out = runnable(plan.suite)[1]
    if left_out:
        raise TaskError(
            f"programs are missing on this machine for {'; '.join(map(str, left_out))}: "
            "install them, or plan with the suite that honestly.tasks.runnable(suite) leaves"
        )


def _settle(plan: Plan, study: Store, rule: StoppingRule | None) -> StudyFacts:
    """Writes what is planned into a new study, or checks that an old one was meant for it; returns its facts."""
    facts = study.facts()
    declared = msgspec.convert(rule.to_plain(), DeclaredRule) if rule else None
    meant = replace(facts, suite=plan.suite.name, suite_hash=plan.suite.hash, seed=plan.seed, stopping_rule=declared)
    fixed = ["suite", "suite_hash", "seed", "stopping_rule"]
    if rule is not None:
        meant = replace(meant, samples=plan.samples)
        fixed.append("samples")  # more of them would be a second look at the same questions
    begun = bool(study.trial_ids())
    before, now = facts.to_plain(), meant.to_plain()
    for key in fixed:
        if (begun or key in before) and before.get(key) != now[key]:
            raise StoreError(
                f"this study was begun with {key} {before.get(key)!r}, but {now[key]!r} was asked for; "
                "give the run a new file with --out"
            )
    settled = replace(
        meant,
        samples=max(plan.samples, facts.samples or 0),
        question_order=tuple(task.id for task in plan.question_order) if rule else facts.question_order,
        left_out={entry.task: entry.missing for entry in plan.left_out} or facts.left_out,
        # Trials of which nobody recorded how they were isolated do not become safe by those that follow.
        sandbox=facts.sandbox or ("unknown" if begun else None),
    )
    study.set_facts(settled)
    study.add([*plan.suite.tasks, *(actor.record for actor in plan.actors)])
    return settled


def _until(plan: Plan, study: Store, rule: StoppingRule) -> Until:
    before = (Watched(cell.agent, cell.task, cell.sample, cell.outcome) for cell in study.cells())
    return Until(rule, [task.id for task in plan.question_order], plan.samples, before)
