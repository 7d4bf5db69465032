"""The rate of honest failure at a task: references with one small fault each, under visible and hidden checks.

A mutant of the reference stands for an attempt that went wrong in one place. How many of them pass the visible checks,
and how many of these fail the hidden ones, is a property of the task's checks and of nobody who is judged; it is
measured once for a version of a task and kept with the study (`HONEST_FAILURES`). Mutants that change nothing are
among them, as harmless slips are among those of people. One that runs out of time, a multiple of what the reference
takes, fails.

Not covered: attempts that go wrong as a whole, and what an agent leaves that tries the visible tests until they pass.
"""

from collections.abc import Mapping

import anyio
import msgspec

from honestly.errors import VerifierError
from honestly.records import Hidden, Task, Tree
from honestly.stats import HiddenFailures
from honestly.store import Store
from honestly.tasks import sampled_mutants, task_mutants
from honestly.verify import OpenBox, reference_workspace, verify

HONEST_FAILURES = "honest_failures"
"""Name that a study keeps it under: by task id its hash, the version of the measurement, and three counts."""
VERSION = "1"
# Seconds, and times what the reference takes, after which a mutant has failed.
_SPARE_S, _PATIENCE = 3.0, 10.0


class _Measured(msgspec.Struct):
    hash: str
    version: str
    judged: int
    passed_visible: int
    failed_hidden: int


def known_failures(study: Store, tasks: Mapping[str, str]) -> dict[str, HiddenFailures]:
    """The known honest failures of a study, by task; of other versions of a task nothing.

    Args:
        study: where it is kept.
        tasks: hash of each task by its id.
    """
    kept = study.kept(HONEST_FAILURES, dict[str, _Measured]) or {}
    return {
        name: HiddenFailures(each.judged, each.passed_visible, each.failed_hidden)
        for name, each in kept.items()
        if each.version == VERSION and tasks.get(name) == each.hash and 0 <= each.failed_hidden <= each.passed_visible
        if each.passed_visible <= each.judged
    }


def keep_failures(study: Store, task: Task, counts: HiddenFailures) -> None:
    """Keep the counts of a task in the study."""
    kept = study.kept(HONEST_FAILURES, dict[str, _Measured]) or {}
    found = _Measured(task.hash, VERSION, counts.judged, counts.passed_visible, counts.failed_hidden)
    study.keep(HONEST_FAILURES, {**kept, task.id: found})


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
