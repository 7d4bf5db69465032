"""Runs trials so that every agent with memory has one at a time, and learns between them.

The state of a memory is an artifact of the trial that it was learnt from, stored with it in one go: whatever ends the
program, the study holds either both or neither, and the same command goes on from the last one. Agents without memory,
and other agents with one, run beside it: a worker whose trial has to wait for its agent waits with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from honestly.memory import Answers, Learnt
from honestly.recipes.learning._agent import Mind, Remembering
from honestly.recipes.learning._bench import Bench
from honestly.recipes.learning._lesson import learn
from honestly.recipes.learning._plan import MemoryDesign, MemoryPlan, settle
from honestly.records import Outcome, decode, encode
from honestly.runner import Attempted, Planned, attempt
from honestly.store import Store, remove_stale
from honestly.verify import OpenBox, Slots

MEMORY = "memory.json"
"""Name of the artifact that holds what was learnt from a trial, and the whole library after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Where trials run."""

    open_box: OpenBox
    jobs: int
    unfinished: Path | None = None
    provider: str = ""


class LearningExecutor:
    """An executor on this machine for a plan with memory."""

    def __init__(self, plan: MemoryPlan, where: Where) -> None:
        self._where, self._design = where, plan.design
        self._answers = {task.id: Answers(task) for task in plan.suite.tasks}

    @asynccontextmanager
    async def submit(self, trials: Iterable[Planned]) -> AsyncIterator[AsyncIterator[Attempted]]:
        """Context in which `trials` run."""
        if self._where.unfinished is not None:
            remove_stale(self._where.unfinished)
        send, receive = anyio.create_memory_object_stream[Attempted]()
        queue = iter(trials)
        turns: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)
        trouble: Exception | None = None

        async def work(out: MemoryObjectSendStream[Attempted]) -> None:
            async with out:
                for planned in queue:
                    if not isinstance(planned.actor, Remembering):
                        await out.send(await self._attempt(planned, slots))
                        continue
                    async with turns[planned.actor.record.name]:  # in the order in which they were taken
                        await out.send(await self._attempt(planned, slots))

        async with Slots(self._where.open_box) as slots, anyio.create_task_group() as group, receive:
            for _ in range(self._where.jobs):
                group.start_soon(work, send.clone())
            send.close()
            try:
                yield receive
            except Exception as error:  # noqa: BLE001  (raised again below: a task group would wrap it)
                trouble = error
            group.cancel_scope.cancel()
        if trouble is not None:
            raise trouble

    async def _attempt(self, planned: Planned, slots: Slots) -> Attempted:
        result = await attempt(planned, slots, self._where.unfinished, self._where.provider)
        actor, trial = planned.actor, result.trial
        if not isinstance(actor, Remembering) or trial.outcome is Outcome.VOID:
            return result
        if not self._design.teaches(trial.task):
            actor.mind.closed = True
            return result
        if actor.mind.closed:  # a void trial that was done again after the library was closed
            return result
        own = self._answers[trial.task]
        answers = [own, *(each for each in self._answers.values() if each is not own)]
        bench = Bench(planned.task, self._where.open_box, planned.check_seed, actor.spec.judge == "hidden")
        learnt = await learn(actor, trial, result.trajectory.steps, bench, answers)
        actor.mind.library, actor.mind.step = learnt.library, learnt.step
        return replace(result, artifacts={**result.artifacts, MEMORY: encode(learnt)})


def restore(plan: MemoryPlan, study: Store) -> None:
    """Settles the design with its study, and gives every agent the memory that the study has of it.

    Raises:
        StoreError: the study was begun with another design.
        FormatError: what it holds of a memory cannot be read.
    """
    settle(plan.design, study)
    for actor in plan.actors:
        if isinstance(actor, Remembering):
            _restore(actor.mind, actor.record.name, plan.design, study)


def _restore(mind: Mind, name: str, design: MemoryDesign, study: Store) -> None:
    for learnt in lessons(study, name)[-1:]:
        mind.library, mind.step = learnt.library, learnt.step
    mind.closed = any(
        not design.teaches(trial.task) and trial.outcome is not Outcome.VOID for trial in study.trials(agent=name)
    )


def lessons(study: Store, agent: str) -> list[Learnt]:
    """What an agent took from its trials, in the order in which it learnt.

    Raises:
        FormatError: what the study holds cannot be read.
    """
    ids = [trial.id for trial in study.trials(agent=agent)]
    found = [decode(study.artifact(each, MEMORY), Learnt) for each in ids if MEMORY in study.artifacts(each)]
    return sorted(found, key=lambda learnt: learnt.step)
