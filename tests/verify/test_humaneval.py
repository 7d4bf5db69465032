"""HumanEval's own solutions: all 164 pass, and none does once its first `return` gives something else."""

from pathlib import Path

import anyio
import pytest

from honestly.formats import problem_name, read_problems
from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.verify import Slots, verify
from sampled import sampled

PROBLEMS = Path(__file__).parents[2].parent / "shared" / "data" / "humaneval" / "HumanEval.jsonl.gz"

BROKEN = "return 'broken'; return "
NOT_REACHED = {"HumanEval/46", "HumanEval/59"}
"""Problems whose own tests never reach the first `return` of the reference (small n; a prime test of numbers below 2)."""

pytestmark = pytest.mark.skipif(not PROBLEMS.exists(), reason="HumanEval.jsonl.gz is not at ../shared/data/humaneval")


def judged(change, only=(), every=1):
    """Outcome and messages of the reference of each problem, or of one in `every`, after a change of its body."""
    wanted = [task for task in read_problems(PROBLEMS, seconds=30).tasks if not only or problem_name(task.id) in only]
    assert len(wanted) == (len(only) or 164)
    wanted = wanted[::every]
    found = {}

    async def work(tasks, slots):
        for task in tasks:
            prompt = task.workspace.text("solution.py")
            body = task.hidden.reference.write.text("solution.py").removeprefix(prompt)
            verdict = await verify(task, Tree.of({"solution.py": prompt + change(body)}), seed=1, open_box=slots)
            found[problem_name(task.id)] = (verdict.honest, [(c.status, c.message) for c in verdict.hidden.checks])

    async def go():
        tasks = iter(wanted)
        async with Slots(open_sandbox) as slots, anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(work, tasks, slots)

    anyio.run(go)
    assert len(found) == len(wanted)
    return found


@pytest.mark.parametrize("every", sampled([8, 1]))
def test_every_reference_solution_passes(every):
    assert {name: said for name, (passed, said) in judged(lambda body: body, every=every).items() if not passed} == {}


@pytest.mark.parametrize("every", sampled([8, 1]))
def test_every_reference_solution_with_its_first_return_broken_fails(every):
    found = judged(lambda body: body.replace("return ", BROKEN, 1), every=every)
    assert {name for name, (passed, _) in found.items() if passed} == NOT_REACHED & set(found)
    assert {status for _, said in found.values() for status, _ in said} <= {"failed", "passed"}


def test_the_two_whose_first_return_is_never_reached_fail_with_their_last_one_broken():
    found = judged(lambda body: BROKEN.join(body.rsplit("return ", 1)), only=NOT_REACHED)
    assert [passed for passed, _ in found.values()] == [False, False]
