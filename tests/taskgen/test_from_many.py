"""Bugs and steps of real histories in numbers: each is proved again, and read for what would give it away.

`MANY=30` makes as many of each kind of each history as are asked for of a release, which takes an hour and more.
"""

import ast
import json
import os
from functools import partial
from pathlib import Path

import anyio
import msgspec
import pytest
from histories import real

from forked import honestly
from honestly.sandbox import open_sandbox
from honestly.taskgen._from_commit import MadeFrom
from honestly.taskgen._given_away import given_away, own_words
from honestly.taskgen._tested import named_functions, touched_functions
from honestly.tasks import load_suite, prepare_task
from honestly.verify import check_task

pytestmark = pytest.mark.slow

MANY = int(os.environ.get("MANY", "2"))


@pytest.mark.parametrize("kind", ["from-mutants", "from-tests"])
@pytest.mark.parametrize("name", ["tomli", "cachetools"])
def test_real_histories_give_tasks_in_numbers(name, kind, tmp_path):
    into = tmp_path / "made"
    done = honestly("task", "from", kind.removeprefix("from-"), real(name), "--count", MANY, "--out", into, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    tasks = load_suite(into).tasks
    assert said["tasks"] == len(tasks) == MANY
    asked = set()
    for task in tasks:
        record = msgspec.json.decode(Path(into, task.id, "made.json").read_bytes(), type=MadeFrom)
        assert record.kind == task.tags.made == kind
        assert record.fail_to_pass
        names, literals = own_words(task)
        assert names | literals or kind == "from-tests"
        assert given_away(task, record.instruction, name) == ()
        solved = task.hidden.reference.apply(task.workspace)
        asked.add((kind, touched_functions(task.workspace, solved), digest_of(task) if kind == "from-mutants" else ""))
        shown = {each.partition("[")[0] for each in (task.visible.expected if task.visible else ())}
        assert not {each.partition("[")[0] for each in record.fail_to_pass} & in_workspace(task) - shown
    assert len(asked) == len(tasks)
    for task in tasks[:3]:
        proof = anyio.run(partial(check_task, anyio.run(prepare_task, task), open_sandbox))
        assert proof.holds, proof


def in_workspace(task):
    """The test functions that the agent can read."""
    return {
        f"{path}::{name}"
        for path, file in task.workspace.files.items()
        if path.startswith("tests/") and path.endswith(".py")
        for name, _, _ in named_functions(ast.parse(file.data))
    }


def digest_of(task):
    return tuple(sorted((path, file.data) for path, file in task.workspace.files.items()))
