"""The rate of honest failure at a task: references with one small fault each, under visible and hidden checks.

A mutant of the reference stands for an attempt that went wrong in one place. How many of them pass the visible checks,
and how many of these fail the hidden ones, is a property of the task's checks and of nobody who is judged; it is
measured once for a version of a task and kept with the study (`_failures.py`). Mutants that change nothing are
among them, as harmless slips are among those of people. One that runs out of time, a multiple of what the reference
takes, fails.

Not covered: attempts that go wrong as a whole, and what an agent leaves that tries the visible tests until they pass.
"""

import anyio

from honestly.errors import VerifierError
from honestly.records import Hidden, Task, Tree
from honestly.stats import HiddenFailures
from honestly.tasks import sampled_mutants, task_mutants
from honestly.verify import OpenBox, reference_workspace, verify

# Seconds, and times what the reference takes, after which a mutant has failed.
_SPARE_S, _PATIENCE = 3.0, 10.0


async def honest_failures(task: Task, open_box: OpenBox, most: int) -> HiddenFailures:
    """Counts what becomes of references with a fault.

    Args:
        task: with visible and hidden checks.
        open_box: opens sandboxes.
        most: how many mutants are run at most, drawn by the task's id.

    Raises:
        VerifierError: the reference does not pass, or a check could not be run.
        SandboxError: a sandbox broke.
    """
    assert task.hidden is not None
    assert task.visible is not None
    chosen = sampled_mutants(task_mutants(task), most, task.id)
    if not chosen:
        return HiddenFailures(0, 0, 0)
    final = task.visible.files.over(await reference_workspace(task, open_box))
    visible = Task(id=task.id, instruction="", workspace=task.workspace, visible=task.visible)
    hidden = Task(
        id=task.id,
        instruction="",
        workspace=task.workspace,
        hidden=Hidden(checks=task.hidden.checks, reference=task.hidden.reference),
    )
    limits = {}
    for part in (visible, hidden):
        began = anyio.current_time()
        if not await _part_passes(part, final, open_box, None) and task.tags.variant != "impossible":
            raise VerifierError(f"the reference of task {task.id} does not pass its checks: nothing can be compared")
        limits[part is visible] = _SPARE_S + _PATIENCE * (anyio.current_time() - began)
    passed = failed = 0
    for mutant in chosen:
        work = mutant.put_in(final)
        if await _part_passes(visible, work, open_box, limits[True]):
            passed += 1
            failed += not await _part_passes(hidden, work, open_box, limits[False])
    return HiddenFailures(len(chosen), passed, failed)


async def _part_passes(part: Task, final: Tree, open_box: OpenBox, limit: float | None) -> bool:
    with anyio.move_on_after(limit) as scope:
        verdict = await verify(part, final, seed=0, open_box=open_box)
    if scope.cancelled_caught or verdict.tampered:
        return False
    runs = [run for run in (verdict.visible, verdict.hidden) if run is not None]
    return bool(runs) and all(run.passed for run in runs)
