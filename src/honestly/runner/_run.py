"""Runs what a plan asks for and a study does not hold yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace as replace_settings
from typing import TYPE_CHECKING

import anyio.to_thread
import msgspec
from msgspec.structs import replace

from honestly.errors import StoreError, StudyBusyError, TaskError
from honestly.records import DeclaredRule, Outcome, StudyFacts, Trial, encode
from honestly.runner._attempt import TrialResult
from honestly.runner._execute import Executor, result_groups
from honestly.runner._oversight import Oversight
from honestly.runner._plan import Plan, Planned
from honestly.runner._progress import Progress
from honestly.runner._queue import Queue
from honestly.runner._redo import USUAL_REDO, Redo
from honestly.runner._stale import refuse_stale, stale_results
from honestly.runner._until import Until
from honestly.store import RULE, Cell, ClaimResult, Item, Store
from honestly.tasks import runnable_tasks
from honestly.verify import buildable_tasks

if TYPE_CHECKING:
    from honestly.stats import StoppingRule


async def run_plan(
    plan: Plan,
    study: Store,
    executor: Executor,
    progress: Callable[[Progress], None] = lambda _: None,
    rule: StoppingRule | None = None,
    redo: Redo = USUAL_REDO,
    oversight: Oversight | None = None,
) -> Progress:
    """Runs the trials of `plan` that are missing in `study`, or void, storing each as it ends.

    Stopping at any moment loses only trials in flight; the same call later finishes the rest and repeats nothing. The
    study learns under which conditions they ran before it gets a trial.

    Args:
        plan: what is to happen; `question_by_question` where there is a rule.
        study: where it is kept.
        executor: where trials run.
        progress: told at the start and after every attempt.
        rule: when the run may end early. It is stored, with the order of the questions, before the first trial.
        redo: which trials are done again, and how often.
        oversight: looks on, before the first trial and at each, and may let no more begin.

    Raises:
        StoreError: the study was begun with another suite, seed or rule, or with other versions of tasks or agents; or
            there is a rule, and trials that are not void would be done again.
        TaskError: tasks of the plan need programs that this machine lacks, or none has an image that can be used.
    """
    plan = await _runnable_plan(plan)
    if rule is not None and redo.redoes_any:
        raise StoreError(
            "with --until or --plan, only void trials can be rerun; others would be a second look at the data"
        )
    held = {cell.id: cell for cell in await anyio.to_thread.run_sync(study.cells)}
    oversight = oversight or Oversight()
    if oversight.before is not None and (first := _first_trials(plan, held, redo)):
        await oversight.before(first)
    facts = await anyio.to_thread.run_sync(_settle_facts, plan, study, rule, redo)
    redo = redo if rule is None else replace_settings(redo, attempts=facts.attempts or 1)
    until = None
    if rule is not None:
        until = Until(rule, facts.question_order or (), plan.samples)
        until.take_cells(held.values(), facts)
    counts = _Counts(plan, held)
    tries = {name: cell.attempts for name, cell in held.items() if redo.redoes_cell(cell)}
    if rule is not None and await anyio.to_thread.run_sync(study.claim, RULE, 0) is not ClaimResult.OURS:
        raise StudyBusyError("another run of this study may stop early, and is under way; wait until it has ended")
    queue = Queue(trials_to_do(plan, held, redo), tries, redo, oversight, _claims_of(study))
    del held  # of trials that are not done again only the ids are needed
    oversight.run_began(plan, study)

    def state(latest: Trial | None = None) -> Progress:
        given_up, stopped = dict(queue.breaker.open), oversight.stopped or oversight.full
        return Progress(*counts.now(latest), until.decision if until else None, counts.redone, given_up, stopped)

    progress(now := state())
    try:
        while not _decided_to_stop(now) and await queue.more():
            async with executor.submit(queue) as results:
                async for several in result_groups(results):
                    queue.note_outcomes(several)
                    async with oversight.storing:
                        facts = await anyio.to_thread.run_sync(_store_attempts, study, facts, several, queue)
                        for result in several:
                            trial = result.trial.counted_trial(strict=facts.strict)
                            counts.note(trial, again=queue.holds_attempt(trial.id))
                            tried = queue.end_attempt(result)
                            if until and (trial.outcome is not Outcome.VOID or tried >= redo.attempts):
                                until.take_trial(trial)
                            progress(now := state(trial))
                    if _decided_to_stop(now):
                        break
        await anyio.to_thread.run_sync(study.flush)
        if queue.elsewhere or study.lost:
            held = {cell.id: cell for cell in await anyio.to_thread.run_sync(study.cells)}
            counts.recount_held(plan, held)
            progress(now := replace_settings(state(), elsewhere=queue.unfinished_elsewhere(held)))
    finally:
        now = replace_settings(now, stopped=oversight.stopped or oversight.full)
        oversight.run_ended(now)
    return now


def _claims_of(study: Store) -> Callable[[Mapping[str, int], int | None], Awaitable[list[ClaimResult]]] | None:
    """What claims trials of a study that may have several runners."""

    async def claim(attempts: Mapping[str, int], most: int | None) -> list[ClaimResult]:
        return await anyio.to_thread.run_sync(study.claim_all, attempts, most)

    return claim if study.shared else None


def _decided_to_stop(state: Progress) -> bool:
    return state.decision is not None and state.decision.stop


class _Counts:
    """How many trials of the plan ended how, as the study holds them."""

    def __init__(self, plan: Plan, held: Mapping[str, Cell]) -> None:
        known = (held[planned.id].outcome for planned in plan.trials if planned.id in held) if held else ()
        self._total, self._outcomes = len(plan.trials), Counter(known)
        self._latest = {name: cell.outcome for name, cell in held.items() if cell.outcome is not Outcome.VOID}
        self._redone: set[str] = set()

    def note(self, trial: Trial, *, again: bool) -> None:
        if again:
            self._outcomes[self._latest.pop(trial.id, Outcome.VOID)] -= 1
            self._redone.add(trial.id)
        self._outcomes[trial.outcome] += 1

    def recount_held(self, plan: Plan, held: Mapping[str, Cell]) -> None:
        """Takes in what other runners have done meanwhile."""
        self._outcomes = Counter(held[planned.id].outcome for planned in plan.trials if planned.id in held)

    def now(self, latest: Trial | None) -> tuple[int, int, Trial | None, int]:
        """The first fields of `Progress`."""
        void = self._outcomes[Outcome.VOID]
        return self._outcomes.total() - void, self._total, latest, void

    @property
    def redone(self) -> int:
        return len(self._redone)


def trials_to_do(plan: Plan, held: Mapping[str, Cell], redo: Redo) -> Iterator[Planned]:
    """The trials to begin, in their order."""
    settled = {name for name, cell in held.items() if not redo.redoes_cell(cell)}
    todo = (planned for planned in plan.trials if planned.id not in settled)
    return iter(sorted(todo, key=plan.turn)) if plan.first else todo


def _first_trials(plan: Plan, held: Mapping[str, Cell], redo: Redo) -> list[Planned]:
    """The first trial of each agent that has one to begin."""
    found: dict[int, Planned] = {}
    for planned in trials_to_do(plan, held, redo):
        found.setdefault(id(planned.actor), planned)
        if len(found) == len(plan.actors):
            break
    return list(found.values())


def _store_attempts(study: Store, facts: StudyFacts, results: Sequence[TrialResult], queue: Queue) -> StudyFacts:
    """Stores attempts, and before them under which conditions they ran; returns the facts after them."""
    now = facts
    for result in results:
        now = now if result.lost else now.after(result.trial.isolation, result.conditions)
    if now != facts:
        for result in results:
            if not result.lost:
                study.learn(result.trial.isolation, result.conditions)
    new = [result for result in results if not queue.holds_attempt(result.trial.id)]
    try:
        _store_trials(study, new)
    except StoreError:
        if len(new) < 2:
            raise
        refused: StoreError | None = None
        for result in new:  # one that cannot be stored must not take the others with it
            try:
                _store_trials(study, [result])
            except StoreError as error:
                refused = refused or error
        if refused is not None:
            raise refused from None
    for result in results:
        if queue.holds_attempt(result.trial.id):
            study.redo_trial(result.trial, result.trajectory, _result_artifacts(result), result.findings)
    return now


def _store_trials(study: Store, results: Sequence[TrialResult]) -> None:
    """Stores new trials, all of them or none."""
    items: list[Item] = []
    for result in results:
        items += [(result.trial, result.trajectory, _result_artifacts(result)), *result.findings]
    if items:
        study.add(items, every=len(items) + 1)


def _result_artifacts(result: TrialResult) -> dict[str, bytes]:
    return {**result.artifacts, "final.json": encode(result.final)}


async def _runnable_plan(plan: Plan) -> Plan:
    """The plan less the tasks whose image cannot be used; the images of the others are built.

    Raises:
        TaskError: tasks of it need programs that this machine lacks, or none is left.
    """
    if left_out := runnable_tasks(plan.suite)[1]:
        raise TaskError(
            f"programs are missing on this machine for {'; '.join(map(str, left_out))}: "
            "install them, or plan with the suite that honestly.tasks.runnable(suite) leaves"
        )
    suite, unbuilt = await buildable_tasks(plan.suite, lambda _: None)
    return replace_settings(plan, suite=suite, left_out=(*plan.left_out, *unbuilt)) if unbuilt else plan


def _settle_facts(plan: Plan, study: Store, rule: StoppingRule | None, redo: Redo) -> StudyFacts:
    """Writes what is planned into a new study, or checks that an old one was meant for it; returns its facts."""
    facts = study.facts()
    declared = msgspec.convert(rule.to_plain(), DeclaredRule) if rule else None
    meant = replace(facts, suite=plan.suite.name, suite_hash=plan.suite.hash, seed=plan.seed, stopping_rule=declared)
    fixed = ["suite", "suite_hash", "seed", "stopping_rule"]
    begun = bool(study.trial_ids())
    if rule is not None:
        # An older program gave each trial one attempt, and took it as it was.
        attempts = None if begun and facts.attempts is None else redo.attempts
        meant = replace(meant, samples=plan.samples, attempts=attempts)
        fixed += ["samples", "attempts"]  # more of either would be a second look at the same questions
    elif facts.suite_hash is not None and not facts.stopping_rule and not facts.registration:
        refuse_stale(stale_results(plan, study))
        # Hash of the suite that a study has once it holds these tasks, too.
        suite = plan.suite
        planned, held = {task.id for task in suite.tasks}, {task.id: task for task in study.tasks()}
        if planned <= held.keys():
            suite_of_both = facts.suite_hash
        elif planned >= held.keys():
            suite_of_both = suite.hash
        else:
            both = held | {task.id: task for task in suite.tasks}
            suite_of_both = replace(suite, tasks=tuple(both[name] for name in sorted(both))).hash
        meant = replace(meant, suite_hash=suite_of_both)
        fixed.remove("suite_hash")  # no task is another one, so there may be more of them, or fewer this time
    demand_same(facts, meant, fixed, begun=begun)
    settled = replace(
        meant,
        samples=max(plan.samples, facts.samples or 0),
        question_order=tuple(task.id for task in plan.question_order) if rule else facts.question_order,
        headline=plan.suite.headline or facts.headline,
        left_out={entry.task: entry.missing for entry in plan.left_out} or facts.left_out,
        validity=dict(plan.validity) or facts.validity,
        # Trials of which nobody recorded how they were isolated do not become safe by those that follow.
        sandbox=facts.sandbox or ("unknown" if begun else None),
    )
    try:
        study.set_facts(settled, was=facts)
    except StudyBusyError:  # another run of it has just begun, too
        return _settle_facts(plan, study, rule, redo)
    study.add([*plan.suite.tasks, *(actor.record for actor in plan.actors)])
    return settled


def demand_same(facts: StudyFacts, meant: StudyFacts, fixed: Sequence[str], *, begun: bool) -> None:
    """Refuses a plan that differs from what a study was begun with.

    Raises:
        StoreError: it does, in one of the fixed facts.
    """
    before, now = facts.to_plain(), meant.to_plain()
    for key in fixed:
        if (begun or key in before) and before.get(key) != now[key]:
            raise StoreError(
                f"this study was started with {key} {before.get(key)!r}, but {now[key]!r} was asked for; "
                "give the run a new file with --out"
            )
