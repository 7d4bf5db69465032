"""What an agent is given as what a loop improves: its prompt, a skill, an overlay. It is measured by trials on a suite.

An evaluation is one trial: the seed chooses the task, so that a pair is two trials of one task, and hidden checks judge
the work, 1 or 0. The loop sees one half of the tasks, the proof takes the other. What an attempt is told of a trial is
what any reader of the trajectory knows: the instruction, the outcome, the agent's last words; never a hidden check.

Whose work it is the user says (`--solver`), never the project: an agent of one's own is code on this machine. Not
covered: tasks with an image, which are left out.
"""

import json
from dataclasses import replace

from honestly.agents import make_agent, overlaid_agents
from honestly.errors import HonestlyError, StoreError, TaskError
from honestly.improve._attacks import work_at_task
from honestly.improve._declare import Target
from honestly.improve._evaluate import Evaluation
from honestly.records import Edit, Suite, Task, digest
from honestly.scratch import scratch_folder
from honestly.tasks import load_suite, prepare_suite, runnable_tasks, write_tree
from honestly.verify import OpenBox

PROJECT_FOLDER = "{project}"
"""Stands for a folder with the candidate's files, in the name of an agent."""
_LONGEST = 600


class AgentTarget:
    """A suite on which an agent is measured that gets a candidate's files."""

    def __init__(self, target: Target, solver: str, suite_hash: str, open_box: OpenBox) -> None:
        """Where nothing is read yet.

        Args:
            target: the project.
            solver: the agent, as `run --agent` takes it.
            suite_hash: of the suite when the run began.
            open_box: opens the sandboxes.
        """
        self._target, self._solver, self._hash, self._open_box = target, solver, suite_hash, open_box
        self._ready: Suite | None = None

    async def measure(self, _target: Target, candidate: Edit, seed: int, *, fresh: bool = False) -> Evaluation:
        """One trial of the agent with a candidate's files.

        Args:
            candidate: the change.
            seed: chooses the task, and is the trial's.
            fresh: whether it is for the proof, on tasks that the loop has not seen.

        Raises:
            AgentError: there is no such agent; with files of an attempt, that is its failure.
            StoreError: the suite has changed since the run began.
            TaskError: there is no such suite, or it has fewer than two tasks that can be judged.
        """
        said = self._target.declaration.agent
        assert said is not None
        if self._ready is None:
            suite = tuned_suite(self._target)
            if suite.hash != self._hash:
                raise StoreError(
                    f"the suite {said.suite!r} has changed since the run started; start another with --out"
                )
            self._ready = await prepare_suite(suite)
        tasks = self._ready.tasks[bool(fresh) :: 2]
        task: Task = tasks[seed % len(tasks)]
        with scratch_folder("project") as folder:
            write_tree(folder, candidate.apply(self._target.tree))
            try:
                actor = make_agent(self._solver.replace(PROJECT_FOLDER, str(folder)), self._ready)
                if said.overlay:
                    (actor,) = overlaid_agents([actor], [f"candidate={folder / said.overlay}"], [task])
            except HonestlyError as error:
                if candidate == Edit():  # not what an attempt made of it
                    raise
                return Evaluation("crash", None, {}, f"{error}".replace(f"{folder}/", ""), 0.0)
            found = await work_at_task(task, actor, seed, self._open_box)
        if found.status != "ok":
            return found
        outcome = "passed" if found.value else "failed"
        words = f"{task.id} {outcome}. It was asked: {task.instruction[:_LONGEST]} The agent's last words: {found.log}"
        metrics = {"passed": found.value or 0.0}
        if found.usage.output_tokens is not None:
            metrics["tokens"] = float((found.usage.input_tokens or 0) + found.usage.output_tokens)
        return replace(found, metrics=metrics, log=json.dumps({"feedback": words}), left=None)


def tuned_suite(target: Target) -> Suite:
    """The tasks that an agent is measured on: those of the loop and of the proof in turn.

    Raises:
        TaskError: there is no such suite, or it has fewer than two tasks that can be judged.
    """
    said = target.declaration.agent
    assert said is not None
    suite, _ = runnable_tasks(load_suite(said.suite, only=said.tasks))
    tasks = [
        task
        for task in suite.tasks
        if task.hidden is not None and task.environment is None and task.tags.variant != "impossible"
    ]
    if len(tasks) < 2:
        raise TaskError(f"suite {said.suite!r}: expected two tasks or more that can be judged here, one for the proof")
    return Suite(
        name=suite.name, version=suite.version, tasks=tuple(sorted(tasks, key=lambda task: digest("half", task.id)))
    )
