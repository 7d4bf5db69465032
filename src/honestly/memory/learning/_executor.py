"""Runs trials so that every agent with memory has one at a time, and learns between them.

The state of a memory is an artifact of the trial that it was learnt from, stored with it in one go: whatever ends the
program, the study holds either both or neither, and the same command goes on from the last one. Agents without memory,
and other agents with one, run beside it: a worker whose trial has to wait for its agent waits with it.
"""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import anyio

from honestly.memory._answers import Answers
from honestly.memory._library import TrialLesson
from honestly.memory.learning._agent import Remembering
from honestly.memory.learning._bench import SkillBench
from honestly.memory.learning._lesson import learn_from_trial
from honestly.memory.learning._plan import MemoryPlan, settle_design
from honestly.records import Outcome, decode, encode
from honestly.runner import LocalExecutor, Planned, TrialResult
from honestly.store import Store
from honestly.verify import OpenBox, Slots

MEMORY = "memory.json"
"""Name of the artifact that holds what was learnt from a trial, and the whole library after it."""


class LearningExecutor(LocalExecutor):
    """An executor on this machine for a plan with memory."""

    def __init__(
        self,
        plan: MemoryPlan,
        open_box: OpenBox,
        jobs: int | None = None,
        unfinished: Path | None = None,
        provider: str = "",
    ) -> None:
        """An executor; what is not said of the plan, as `LocalExecutor` takes it."""
        super().__init__(open_box, jobs, unfinished, provider)
        self._design = plan.design
        self._answers = {task.id: Answers(task) for task in plan.suite.tasks}
        self._turns: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)

    async def attempt(self, planned: Planned, slots: Slots) -> TrialResult:
        """Runs one trial; those of an agent with memory come in the order in which they were taken."""
        if not isinstance(planned.actor, Remembering):
            return await super().attempt(planned, slots)
        async with self._turns[planned.actor.record.name]:
            result = await super().attempt(planned, slots)
            trial = result.trial
            if trial.outcome is Outcome.VOID:
                return result
            if not self._design.teaches(trial.task):
                planned.actor.mind.closed = True
                return result
            if planned.actor.mind.closed:  # a void trial that was done again after the library was closed
                return result
            own = self._answers[trial.task]
            answers = [own, *(each for each in self._answers.values() if each is not own)]
            bench = SkillBench(planned.task, self.open_box, planned.check_seed, planned.actor.spec.judge == "hidden")
            learnt = await learn_from_trial(planned.actor, trial, result.trajectory.steps, bench, answers)
            planned.actor.mind.library, planned.actor.mind.step = learnt.library, learnt.step
            return replace(result, artifacts={**result.artifacts, MEMORY: encode(learnt)})


def restore_design(plan: MemoryPlan, study: Store) -> None:
    """Settles the design with its study, and gives every agent the memory that the study has of it.

    Raises:
        StoreError: the study was begun with another design.
        FormatError: what it holds of a memory cannot be read.
    """
    settle_design(plan.design, study)
    for actor in plan.actors:
        if isinstance(actor, Remembering):
            for learnt in learnt_lessons(study, actor.record.name)[-1:]:
                actor.mind.library, actor.mind.step = learnt.library, learnt.step
            actor.mind.closed = any(
                not plan.design.teaches(trial.task) and trial.outcome is not Outcome.VOID
                for trial in study.trials(agent=actor.record.name)
            )


def learnt_lessons(study: Store, agent: str) -> list[TrialLesson]:
    """The lessons of an agent from its trials, in the order in which it learnt.

    Raises:
        FormatError: what the study holds cannot be read.
    """
    ids = [trial.id for trial in study.trials(agent=agent)]
    found = [decode(study.artifact(each, MEMORY), TrialLesson) for each in ids if MEMORY in study.artifacts(each)]
    return sorted(found, key=lambda learnt: learnt.step)
