"""The long tasks of versa: a clerk who errs at a known rate in each order is found out by the report."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from honestly.length import length_report, measured_lengths
from honestly.records import Agent, Outcome, Step
from honestly.runner import LocalExecutor, Plan, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import create_study, open_study
from shipped import shipped_suite

SUITES = Path(__file__).parents[2] / "suites"
RATE = 0.02
VERSA = shipped_suite("versa")
LONG = replace(VERSA, tasks=tuple(task for task in VERSA.tasks if task.tags.category == "long"))


class Clerk:
    """Carries out one order a step, and one in fifty wrongly."""

    record = Agent(name="clerk")

    async def __call__(self, run, box):
        (task,) = [each for each in LONG.tasks if each.id == run.task.id]
        answer = {path: file.data for path, file in task.hidden.reference.write.files.items()}
        rng = random.Random(f"{run.task.id} {run.seed}")
        for path in sorted(path for path in run.task.workspace.files if path.startswith("orders/")):
            run.steps.append(Step(source="agent", message=path))
            if rng.random() < RATE:
                answer["log.json"] = b"[]"
        for path, data in answer.items():
            await box.write(path, data)


def test_the_tasks_are_what_their_maker_makes(tmp_path):
    tree = {path: path.read_bytes() for path in (SUITES / "versa").glob("orders-*/**/*") if path.is_file()}
    (tmp_path / "long_orders.py").write_bytes((SUITES / "long_orders.py").read_bytes())
    subprocess.run([sys.executable, tmp_path / "long_orders.py"], check=True)
    made = {path: path.read_bytes() for path in (tmp_path / "versa").rglob("*") if path.is_file()}
    assert {path.relative_to(tmp_path): data for path, data in made.items()} == {
        path.relative_to(SUITES): data
        for path, data in tree.items()
        if "validity" not in path.name and "pyc" not in path.name
    }
    assert len(LONG.tasks) == 6


@pytest.mark.slow
def test_the_report_of_a_real_run_recovers_the_rate_at_which_a_clerk_errs(tmp_path):
    path = tmp_path / "s.honestly"
    with create_study(path) as study:
        anyio.run(run_plan, Plan(LONG, [Clerk()], 20), study, LocalExecutor(open_sandbox, 2))
    with open_study(path) as study:
        assert {trial.outcome for trial in study.trials()} == {Outcome.PASSED, Outcome.FAILED}
        (found,) = length_report(measured_lengths(study, "steps"), "steps").agents
    print(found)
    assert (found.n, found.tasks) == (120, 6)
    assert found.rate_interval[0] < RATE < found.rate_interval[1]
    assert found.rate_interval[1] < 3 * RATE, "an interval that holds everything says nothing"
    assert found.shape_interval[0] < 1 < found.shape_interval[1]
