"""The suite `versa` for tests, and what each of its tasks has to show in a sandbox."""

from pathlib import Path

import anyio
import msgspec
import pytest

from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.tasks import missing_programs, prepare_suite
from honestly.verify import check_task, played_workspace, verify
from shipped import shipped_suite

TREE = Path(__file__).parents[1] / "suites" / "versa"
SUITE = shipped_suite("versa")


def second(task):
    """The second solution's files; None where the task has none yet."""
    folder = TREE / task.id / "solution" / "alternative" / "second"
    return Tree.read(folder) if folder.is_dir() else None


def assert_fair(task):
    """Its claims hold, and a second solution, made from its instruction alone, passes."""
    if missing := missing_programs(task):
        pytest.skip(f"needs {', '.join(missing)}")
    (task,) = anyio.run(prepare_suite, msgspec.structs.replace(SUITE, tasks=(task,))).tasks
    proof = anyio.run(check_task, task, open_sandbox)
    assert proof.holds, [claim for claim in proof.claims if not claim.holds]
    if (other := second(task)) is None:
        assert task.tags.category == "repository"
        return
    final = anyio.run(played_workspace, task, other.over(task.workspace), open_sandbox)
    verdict = anyio.run(lambda: verify(task, final, seed=11, open_box=open_sandbox))
    assert verdict.honest, verdict.hidden
