"""Tasks whose programs are not on this machine are left out, and said to be."""

import sys

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import make_agent
from honestly.errors import TaskError
from honestly.records import Checks, Edit, Hidden, Preparation, Task, Tree
from honestly.runner import LocalExecutor, Plan, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import create_study
from honestly.tasks import LeftOut, load_suite, missing_programs, runnable_tasks

HERE = load_suite("embedded", only=["split-bill"])
ABSENT = replace(HERE.tasks[0], id="absent", requires=("sh", "no-such-program"))
MIXED = replace(HERE, tasks=(*HERE.tasks, ABSENT))


def test_what_is_missing_is_named():
    assert missing_programs(HERE.tasks[0]) == ()
    assert missing_programs(ABSENT) == ("no-such-program",)
    assert ABSENT.public().requires == ABSENT.requires


def test_a_task_that_needs_more_memory_than_the_machine_has_is_left_out():
    huge = replace(HERE.tasks[0], id="huge", preparation=Preparation(memory_mb=99_999_999))
    (said,) = missing_programs(huge)
    assert said.startswith("99999999 MiB of memory, where this machine has")
    kept, left_out = runnable_tasks(replace(HERE, tasks=(*HERE.tasks, huge)))
    assert (kept.tasks, [each.task for each in left_out]) == (HERE.tasks, ["huge"])


@pytest.mark.parametrize("part", ["visible", "hidden"])
def test_pytest_is_needed_where_checks_are_its_files(part, monkeypatch):
    checks = Checks(runner="pytest", files=Tree.of({"test_it.py": ""}), expected=("test_it.py::test_it",))
    task = Task(
        id="one",
        instruction="",
        visible=checks if part == "visible" else None,
        hidden=Hidden(checks=checks, reference=Edit()) if part == "hidden" else None,
    )
    assert missing_programs(task) == ()
    monkeypatch.setitem(sys.modules, "pytest", None)  # as Python remembers a module that cannot be imported
    assert missing_programs(task) == ("pytest",)
    assert missing_programs(HERE.tasks[0]) == ()


def test_a_suite_without_missing_programs_stays_the_same():
    assert runnable_tasks(HERE) == (HERE, ())


def test_the_rest_of_a_suite_can_be_run():
    kept, left_out = runnable_tasks(MIXED)
    assert kept == HERE
    assert left_out == (LeftOut("absent", ("no-such-program",)),)
    assert str(left_out[0]) == "absent (needs no-such-program)"


def test_a_plan_with_missing_programs_is_refused_before_anything_is_stored(tmp_path):
    plan = Plan(MIXED, [make_agent("nop", MIXED)], 1)
    with create_study(tmp_path / "s.honestly") as study:
        with pytest.raises(TaskError, match=r"absent \(needs no-such-program\)"):
            anyio.run(run_plan, plan, study, LocalExecutor(open_sandbox, 1))
        assert study.trial_ids() == frozenset()
        assert study.facts().suite is None
