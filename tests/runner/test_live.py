"""A run beside a reader: its trials are seen while they run, their steps as they happen; no ghost, and no harm."""

import os
import signal
import subprocess
import sys
import time

import anyio
import msgspec
import pytest

from honestly.records import Step, ToolCall
from honestly.runner import LocalExecutor, Plan, run_plan
from honestly.runner._written_steps import written_steps
from honestly.sandbox import open_sandbox
from honestly.store import Running, create_study, live_steps, live_trials, open_study, unfinished_folder
from honestly.tasks import load_suite

AGENT = """
import os, pathlib
import anyio
from honestly.agents import Hands

GATE = pathlib.Path(os.environ["GATE"])

async def slow(run, box):
    hands = Hands(run, box)
    for number in range(3):
        while not (GATE / str(number)).exists():
            await anyio.sleep(0.02)
        await hands.bash(f"echo step {number}; ls -a / /tmp /workspace")
    hands.finish("done", claimed=False)
"""
RUNNING = Running(id="t", agent="a", task="t", sample=0, started_at="")


def until(met, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not (found := met()):
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)
    return found


@pytest.fixture
def begin(tmp_path):
    """Begins a run whose agent takes a step for each file in the folder `gate`."""
    (tmp_path / "slow_agent.py").write_text(AGENT)
    (tmp_path / "gate").mkdir()
    processes = []

    def start():
        words = "-m honestly run embedded --task split-bill --agent slow_agent:slow --no-preflight --out s.honestly"
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "GATE": str(tmp_path / "gate")}
        processes.append(
            subprocess.Popen(
                [sys.executable, *words.split()], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def outputs(study, running):
    return [step.observations[0].text for step in live_steps(study, running).steps.values()]


@pytest.mark.slow
def test_steps_are_seen_as_they_happen_and_a_killed_run_leaves_no_ghost(tmp_path, begin):
    study, gate = tmp_path / "s.honestly", tmp_path / "gate"
    process = begin()
    (running,) = until(lambda: live_trials(study))
    assert (running.task, running.sample, "slow" in running.agent) == ("split-bill", 0, True)
    assert live_steps(study, running).steps == {}
    (gate / "0").touch()
    (seen,) = until(lambda: outputs(study, running))
    assert seen.startswith("step 0")
    assert "unfinished" not in seen
    (gate / "1").touch()
    until(lambda: len(outputs(study, running)) == 2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert live_trials(study) == []
    journal_left = unfinished_folder(study) / running.journal
    before = journal_left.read_bytes()
    assert len(live_steps(study, running).steps) == 2

    (gate / "2").touch()
    assert begin().wait(60) == 0
    assert live_trials(study) == []
    assert list(unfinished_folder(study).iterdir()) == [journal_left]
    assert journal_left.read_bytes() == before
    with open_study(study) as opened:
        assert opened.trial_ids() == {running.id}


def test_a_stopped_trial_is_no_longer_live_though_its_process_lives(tmp_path):
    study = tmp_path / "s.honestly"
    trial = written_steps(unfinished_folder(study), RUNNING)
    trial.__enter__().append(Step(source="agent", message="x"))
    assert [each.id for each in live_trials(study)] == ["t"]
    trial.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert live_trials(study) == []
    assert [path.name for path in unfinished_folder(study).iterdir()] == ["t.0.jsonl"]


def test_steps_are_one_line_each_whatever_they_hold(tmp_path):
    study = tmp_path / "s.honestly"
    with written_steps(unfinished_folder(study), RUNNING) as steps:
        call = ToolCall(id="1", name="x", arguments={"a": msgspec.Raw(b'{\n"b":\r\n [1,\n2]}')})
        steps.append(Step(source="agent", message="\n\r\u2028\x1b[2J</script>", calls=(call,)))
        steps.append(Step(source="agent", message="a lone \ud800 surrogate"))
        steps.append(Step(source="agent", message="the next"))
        part = live_steps(study, live_trials(study)[0])
    assert part.steps[0].message == steps[0].message
    assert part.steps[0].calls[0].argument("a") == {"b": [1, 2]}
    assert [part.steps[n].message for n in (1, 2)] == ["a lone \\ud800 surrogate", "the next"]
    assert not list(unfinished_folder(study).iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/full/x", "file"])
def test_where_nothing_can_be_written_it_is_said_once_and_trials_go_on(tmp_path, place, caplog):
    (tmp_path / "file").write_text("")
    folder = tmp_path / place
    suite = load_suite("embedded", only=["split-bill"])
    with create_study(tmp_path / "s.honestly") as study:
        plan = Plan(suite, [_worker()], 2)
        anyio.run(run_plan, plan, study, LocalExecutor(open_sandbox, 1, folder))
        assert [(cell.outcome, cell.reason) for cell in study.cells()] == [("failed", "")] * 2
        assert {study.trajectory_info(trial).steps for trial in study.trial_ids()} == {1}
    assert [record.message.startswith("trials go on") for record in caplog.records] == [True]


def test_a_disk_that_fills_up_ends_no_trial(tmp_path, caplog):
    folder = tmp_path / "s.unfinished"
    with written_steps(folder, RUNNING) as steps:
        steps.append(Step(source="agent", message="one"))
        (written,) = folder.glob("*.jsonl")
        written.unlink()
        written.symlink_to("/dev/full")
        for _ in range(3):
            steps.append(Step(source="agent", message="two"))
    assert len(steps) == 4
    assert len(caplog.records) == 1
    assert not list(folder.iterdir())


def _worker():
    from honestly.agents import FunctionAgent, Hands

    async def worker(run, box):
        Hands(run, box).finish("nothing to do", claimed=False)

    return FunctionAgent.of(worker)
