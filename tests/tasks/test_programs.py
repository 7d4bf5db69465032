"""Tasks whose programs are not on this machine are left out, and said to be."""

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import make_agent
from honestly.errors import TaskError
from honestly.runner import LocalExecutor, Plan, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import create_study
from honestly.tasks import LeftOut, load_suite, missing_programs, runnable

HERE = load_suite("embedded", only=["split-bill"])
ABSENT = replace(HERE.tasks[0], id="absent", requires=("sh", "no-such-program"))
MIXED = replace(HERE, tasks=(*HERE.tasks, ABSENT))


def test_what_is_missing_is_named():
    assert missing_programs(HERE.tasks[0]) == ()
    assert missing_programs(ABSENT) == ("no-such-program",)
    assert ABSENT.public().requires == ABSENT.requires


def test_a_suite_without_missing_programs_stays_the_same():
    assert runnable(HERE) == (HERE, ())


def test_the_rest_of_a_suite_can_be_run():
    kept, left_out = runnable(MIXED)
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
