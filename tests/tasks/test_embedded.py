"""The embedded suite, proved in real sandboxes: every claim about every task is run."""

import anyio
import pytest

from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite
from honestly.verify import prove

TASKS = load_suite("embedded").tasks


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_task_is_fair(task):
    proof = anyio.run(prove, task, open_sandbox)
    assert proof.holds, [claim for claim in proof.claims if not claim.holds]
