"""The embedded suite in real sandboxes: the first task of each category and of each language is proved, with its twin.

All tasks are proved by `make tasks-check`, which takes minutes.
"""

import anyio
import pytest

from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite, missing_programs
from honestly.verify import prove

TASKS = load_suite("embedded").tasks
FIRST = {
    next(task.id for task in TASKS if getattr(task.tags, what) == value)
    for what in ("category", "language")
    for value in {getattr(task.tags, what) for task in TASKS}
}
CHOSEN = [task for task in TASKS if task.id in FIRST or task.tags.twin in FIRST]


@pytest.mark.slow
@pytest.mark.parametrize("task", CHOSEN, ids=lambda task: task.id)
def test_the_task_is_fair(task):
    if missing := missing_programs(task):
        pytest.skip(f"needs {', '.join(missing)}")
    proof = anyio.run(prove, task, open_sandbox)
    assert proof.holds, [claim for claim in proof.claims if not claim.holds]
