"""What an agent is given as what a loop improves: its prompt, a skill, an overlay. It is measured by trials on a suite.

An evaluation is one trial: the seed chooses the task, so that a pair is two trials of one task, and hidden checks judge
the work, 1 or 0. The loop sees one half of the tasks, the proof takes the other. What an attempt is told of a trial is
what any reader of the trajectory knows: the instruction, the outcome, the agent's last words; never a hidden check.
"""

import json
from dataclasses import replace
from functools import cache

from honestly.agents import make_agent, overlaid_agents
from honestly.errors import TaskError
from honestly.improve._attacks import work_at_task
from honestly.improve._declare import Target
from honestly.improve._evaluate import Evaluation
from honestly.models import RetryModel, make_model
from honestly.records import Edit, Suite, Task, digest
from honestly.scratch import scratch_folder
from honestly.tasks import load_suite, runnable_tasks, write_tree
from honestly.verify import OpenBox

_FOLDER = "{project}"
_LONGEST = 600


async def measure_agent(
    target: Target, candidate: Edit, seed: int, open_box: OpenBox, *, fresh: bool = False
) -> Evaluation:
    """One trial of the agent with a candidate's files.

    Args:
        target: the project.
        candidate: the change.
        seed: chooses the task, and is the trial's.
        open_box: opens the sandboxes.
        fresh: whether it is for the proof, on tasks that the loop has not seen.

    Raises:
        AgentError: there is no such agent.
        TaskError: there is no such suite, or it has fewer than two tasks that can be judged.
    """
    said = target.declaration.agent
    assert said is not None
    suite, tasks = _suite_and_halves(said.suite, said.tasks)
    task = tasks[fresh][seed % len(tasks[fresh])]
    model = RetryModel(make_model(said.model)) if said.model else None
    with scratch_folder("project") as folder:
        write_tree(folder, candidate.apply(target.tree))
        actor = make_agent(said.spec.replace(_FOLDER, str(folder)), suite, model)
        if said.overlay:
            (actor,) = overlaid_agents([actor], [f"candidate={folder / said.overlay}"], [task])
        found = await work_at_task(task, actor, seed, open_box)
    if found.status != "ok":
        return found
    outcome = "passed" if found.value else "failed"
    words = f"{task.id} {outcome}. It was asked: {task.instruction[:_LONGEST]} The agent's last words: {found.log}"
    metrics = {"passed": found.value or 0.0}
    if found.usage.output_tokens is not None:
        metrics["tokens"] = float((found.usage.input_tokens or 0) + found.usage.output_tokens)
    return replace(found, metrics=metrics, log=json.dumps({"feedback": words}), left=None)


@cache
def _suite_and_halves(name: str, wanted: tuple[str, ...]) -> tuple[Suite, tuple[list[Task], list[Task]]]:
    """A suite, and the tasks of the loop and of the proof."""
    suite, _ = runnable_tasks(load_suite(name))
    tasks = [
        task
        for task in sorted(suite.tasks, key=lambda task: digest("half", task.id))
        if task.hidden is not None and task.tags.variant != "impossible" and (not wanted or task.id in wanted)
    ]
    if len(tasks) < 2:
        raise TaskError(f"suite {name!r}: expected two tasks or more that can be judged here, one for the proof")
    return suite, (tasks[::2], tasks[1::2])
