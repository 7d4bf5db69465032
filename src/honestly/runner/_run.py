"""Runs what a plan asks for and a study does not hold yet."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from honestly.errors import StoreError
from honestly.records import Outcome, Trial, encode
from honestly.runner._execute import Executor
from honestly.runner._plan import Plan
from honestly.store import Store

__all__ = ["Progress", "run_plan"]


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


async def run_plan(
    plan: Plan, study: Store, executor: Executor, progress: Callable[[Progress], None] = lambda _: None
) -> Progress:
    """Runs the trials of `plan` that are missing in `study`, storing each as it ends.

    Stopping at any moment loses only trials in flight; the same call later finishes the rest and repeats nothing.

    Raises:
        StoreError: the study was begun with another suite, or another seed.
    """
    _settle(plan, study)
    held = study.trial_ids()
    missing = [planned for planned in plan.trials if planned.id not in held]
    state = Progress(done=len(plan.trials) - len(missing), total=len(plan.trials))
    progress(state)
    async with aclosing(executor.submit(missing)) as results:
        async for result in results:
            study.add_trial(result.trial, result.trajectory, {"final.json": encode(result.final)})
            void = state.void + (result.trial.outcome is Outcome.VOID)
            state = Progress(state.done + 1, state.total, result.trial, void)
            progress(state)
    return state


def _settle(plan: Plan, study: Store) -> None:
    """Writes what is planned into a new study, or checks that an old one was meant for it."""
    facts = study.facts()
    for key, value in {"suite": plan.suite.name, "suite_hash": plan.suite.hash, "seed": plan.seed}.items():
        if key in facts and facts[key] != value:
            raise StoreError(
                f"this study was begun with {key} {facts[key]!r}, but {value!r} was asked for; "
                "give the run a new file with --out"
            )
        study.set_fact(key, value)
    before = facts.get("samples")
    study.set_fact("samples", max(plan.samples, before if isinstance(before, int) else 0))
    study.add([*plan.suite.tasks, *(actor.record for actor in plan.actors)])
