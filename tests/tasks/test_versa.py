"""The suite `versa`: what each task must have."""

import json
import re
from collections import Counter
from difflib import SequenceMatcher

import pytest

from shipped import shipped_suite
from versa import SUITE, TREE, second

CATEGORIES = {
    "issue", "front-end", "languages", "ci", "information", "library", "company", "tests", "understanding", "design",
    "debugging", "data", "sql", "repository", "long",
}  # fmt: skip
AUTHORED = [task for task in SUITE.tasks if task.tags.category != "repository"]
"""The tasks that were written for the suite; the others are commits of public repositories."""
REPOSITORIES = [task for task in SUITE.tasks if task.tags.category == "repository"]
FIRST_TRIES = json.loads((TREE / "first-tries.json").read_text())


_DECLARED = (".json", ".yml", ".yaml", ".pyi")
"""Values, settings and declarations that are asked for, which two right solutions share."""


def tokens(task, files):
    """What is new in files, as words and signs."""
    new = []
    for path, file in sorted(files.items()):
        if path.endswith(_DECLARED):
            continue
        old = task.workspace.files.get(path)
        lines = set(old.data.decode("utf-8", "replace").splitlines()) if old else set()
        new += [line for line in file.data.decode("utf-8", "replace").splitlines() if line not in lines]
    return re.findall(r"\w+|[^\w\s]", "\n".join(new))


def is_declared(task):
    """Whether nothing else is asked for."""
    return all(path.endswith(_DECLARED) for path in task.hidden.reference.write.files)


def test_it_is_fifteen_categories_of_several_tasks_each_and_none_is_a_task_of_the_embedded_suite():
    counts = Counter(task.tags.category for task in SUITE.tasks)
    assert set(counts) == CATEGORIES
    assert min(counts.values()) >= 4
    assert sum(counts.values()) >= 60
    assert SUITE.headline == "category"
    assert counts["repository"] >= 15
    assert not {task.id for task in SUITE.tasks} & {task.id for task in shipped_suite("embedded").tasks}


def test_repository_tasks_are_large_and_say_where_they_come_from_and_who_may_have_them():
    for task in REPOSITORIES:
        folder, files = TREE / task.id, task.workspace.files
        assert (folder / "LICENSE").read_bytes() in [
            files[name].data for name in files if name.startswith(("LIC", "COP"))
        ]
        made = json.loads((folder / "made.json").read_text())
        assert made["revision"].startswith(task.id.rpartition("-")[2])
        assert made["parent"] == files[".git/refs/heads/main"].data.decode().strip()
        lines = sum(file.data.count(b"\n") for name, file in files.items() if name.endswith(".py"))
        assert lines > 2000, task.id
    assert sum(path.stat().st_size for task in REPOSITORIES for path in (TREE / task.id).rglob("*")) < 10 << 20


@pytest.mark.slow
@pytest.mark.parametrize("task", AUTHORED, ids=lambda task: task.id)
def test_each_task_lists_three_wrong_solutions_and_a_second_right_one_that_is_unlike_the_first(task):
    assert len(task.hidden.wrong) >= 3
    assert task.tags.difficulty
    assert FIRST_TRIES[task.id].keys() == {"passed", "unclear", "changed"}
    other = second(task)
    assert other is not None
    if not is_declared(task):
        first = tokens(task, dict((task.hidden.reference.write or task.hidden.solution).files))
        assert SequenceMatcher(None, first, tokens(task, dict(other.files)), autojunk=False).ratio() < 0.6


def test_first_tries_are_told_of_every_task_and_failures_say_what_was_unclear():
    assert FIRST_TRIES.keys() == {task.id for task in SUITE.tasks}
    for name, told in FIRST_TRIES.items():
        assert told["passed"] or told["unclear"], name
