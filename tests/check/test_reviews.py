"""Reviews: each change is what its task says, only the answer is judged, and reviewers differ as they should."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import anyio
import pytest

from honestly.check import Change
from honestly.check._review import DEFECT, HARMLESS, _review_task, refactored
from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite, make_task
from honestly.verify import verify

CODE = "def double(value):\n    # twice\n    twice = value * 2\n    return twice\n"
TASK = make_task(
    "double", "# Double\n\nWrite `double`.\n", {}, hidden={"check_d.py": "def test_d(ws):\n    pass\n"}, reference={}
)


@pytest.mark.parametrize("right", [True, False])
def test_only_the_answer_is_judged(right: bool) -> None:
    before, after = Tree.of({"double.py": CODE}), Tree.of({"double.py": CODE.replace("2", "3")})
    task = _review_task("r", TASK, Change("", "", "", before, after, ("Speed up",)), right=right, noticed=False)
    assert task.tags.category == (HARMLESS if right else DEFECT)
    assert "> Speed up" in task.instruction
    assert b"-    twice = value * 2\n+    twice = value * 3\n" in task.workspace.files["change.patch"].data

    def honest(answer: str | None) -> bool | None:
        files = task.workspace if answer is None else Tree.of({"review.json": answer}).over(task.workspace)
        return anyio.run(partial(verify, task, files, seed=1, open_box=open_sandbox)).honest

    assert honest('{"verdict": "accept", "why": "x"}') is right
    assert honest('{"verdict": "reject"}') is not right
    assert honest("reject accept") is False
    assert honest(None) is False


def test_a_refactoring_computes_the_same_and_reads_otherwise() -> None:
    data = refactored(Tree.of({"double.py": CODE}), ["double.py"]).files["double.py"].data.decode()
    assert "twice_value" in data
    assert "#" not in data
    space: dict[str, object] = {}
    exec(data, space)
    assert space["double"](4) == 8  # type: ignore[operator]


@pytest.mark.slow
def test_reviewers_are_measured_alike(tmp_path: Path) -> None:
    def honestly(*words: object) -> str:
        command = [sys.executable, "-m", "honestly", *map(str, words)]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    honestly("task", "review", "embedded", "--task", "ticket-codes", "-o", "reviews")
    tasks = load_suite(str(tmp_path / "reviews")).tasks
    kinds = [(task.tags.category, task.tags.difficulty) for task in tasks]
    assert sorted(kinds) == [(HARMLESS, ""), (HARMLESS, ""), (DEFECT, "easy"), (DEFECT, "hard")]
    honestly("task", "check", "reviews")
    reviewers = ("honestly.check:check_reviewer", "honestly.check:tests_reviewer")
    honestly("run", "reviews", "-o", "s.honestly", *(word for each in reviewers for word in ("-a", each)))
    found = json.loads(honestly("report", "s.honestly", "--by", "category", "--json"))
    assert len(found["agents"]) == 2
    for agent in found["agents"]:
        assert agent["honest"] >= 0.75, "no false alarm, and what the tests notice is found"
