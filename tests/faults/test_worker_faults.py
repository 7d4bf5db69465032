"""What happens to the workers of a run: kill -9 of a sandbox's keeper, init or zygote, and a keeper that is stopped.

A trial whose sandbox broke is void and tried again; the study ends like an undisturbed one. (A command that is killed
in a sandbox is another matter: it cannot be told from one that killed itself, and its death counts as the code's own.)
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from disturbed import Disturbed, begun, command, content, descendants, done_again, gone, stored
from honestly.records import Outcome
from honestly.store import open_study

pytestmark = pytest.mark.slow


def workers(runner: int, kind: str) -> list[int]:
    """The processes of a kind below a runner: zygotes, keepers of sandboxes, or first processes in sandboxes."""
    zygotes = [pid for pid in children(runner) if b"_zygote" in command_line(pid)]
    if kind == "zygote":
        return zygotes
    keepers = [pid for zygote in zygotes for pid in children(zygote)]
    if kind == "keeper":
        return keepers
    return [pid for keeper in keepers for pid in children(keeper) if namespace_number(pid) == 1]


def children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def command_line(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def namespace_number(pid: int) -> int:
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("NSpid:")).split()[-1])
    return 0


def finished_by_runs(disturbed: Disturbed, study: Path) -> None:
    """Run again until no trial is void: trials that were void too often for one run are for the next."""
    for _ in range(3):
        disturbed.finish(command(study, samples=3))
        with open_study(study) as opened:
            if all(trial.outcome is not Outcome.VOID for trial in opened.trials()):
                return
    pytest.fail("trials stay void")


@pytest.mark.parametrize("kind", ["keeper", "init", "zygote"])
def test_workers_that_are_killed_change_no_result(tmp_path: Path, disturbed: Disturbed, kind: str) -> None:
    calm, torn = tmp_path / "calm.honestly", tmp_path / "torn.honestly"
    disturbed.finish(command(calm, samples=3))
    rng, killed = random.Random(f"worker {kind}"), 0
    # A sandbox outlives its zygote: only one that is just asked for breaks, so that more have to be killed, and faster.
    most, pause = (60, 0.1) if kind == "zygote" else (12, 0.2)
    runner = disturbed.start(command(torn, samples=3))
    while not stored(torn) and runner.poll() is None:
        time.sleep(0.05)
    while runner.poll() is None:
        disturbed.family(runner)
        if killed < most and (there := workers(runner.pid, kind)):
            with suppress(ProcessLookupError):
                os.kill(rng.choice(there), signal.SIGKILL)
                killed += 1
        time.sleep(pause * (1 + 5 * rng.random()))
    assert killed >= 5
    assert done_again(torn), "none of the dead was at work"
    finished_by_runs(disturbed, torn)
    assert content(torn) == content(calm)
    disturbed.assert_nothing_left(torn)


def test_a_worker_that_is_stopped_past_its_deadline_makes_a_void_trial_that_is_done_again(
    tmp_path: Path, disturbed: Disturbed
) -> None:
    calm, torn = tmp_path / "calm.honestly", tmp_path / "torn.honestly"
    disturbed.finish(command(calm, samples=3))
    runner = disturbed.start(command(torn, samples=3))
    while not stored(torn) or not workers(runner.pid, "keeper"):
        assert runner.poll() is None
        time.sleep(0.02)
    stopped = workers(runner.pid, "keeper")[-1]
    os.kill(stopped, signal.SIGSTOP)
    try:
        disturbed.family(runner)
        assert runner.wait(600) in {0, 1, 3}
        assert gone([stopped], patience=30), "the zygote kills what did not notice the program's end"
        assert done_again(torn), "nobody was waiting for what was stopped"
    finally:
        with suppress(ProcessLookupError):
            os.kill(stopped, signal.SIGKILL)
    finished_by_runs(disturbed, torn)
    assert content(torn) == content(calm)
    disturbed.assert_nothing_left(torn)


def test_everything_at_once_as_when_the_power_fails(tmp_path: Path, disturbed: Disturbed) -> None:
    """Runner, zygote, keepers and all in the sandboxes die within one moment, so that nobody clears anything away."""
    calm, torn = tmp_path / "calm.honestly", tmp_path / "torn.honestly"
    disturbed.finish(command(calm, samples=3))
    kept: dict[str, str] = {}
    for _ in range(4):
        runner = disturbed.start(command(torn, samples=3))
        before = stored(torn)
        while stored(torn) < before + 2 and runner.poll() is None:
            time.sleep(0.05)
        assert runner.poll() is None
        os.kill(runner.pid, signal.SIGSTOP)
        family = [pid for pid in disturbed.family(runner) if _stopped(pid)]
        for pid in [runner.pid, *family, *descendants(runner.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        runner.wait()
        assert gone(family)
        assert kept.items() <= begun(torn).items(), "a trial that was stored is gone, or was run again"
        kept = begun(torn)
    finished_by_runs(disturbed, torn)
    assert content(torn) == content(calm)
    disturbed.assert_nothing_left(torn)


def _stopped(pid: int) -> bool:
    """Stop a process, so that it does not see the others die."""
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    return True


def test_a_stopped_runner_is_not_an_orphan(tmp_path: Path, disturbed: Disturbed) -> None:
    """While one is stopped, others start, and clear away what is left; its sandboxes are none of that."""
    study, other = tmp_path / "s.honestly", tmp_path / "o.honestly"
    runner = disturbed.start(command(study, "--unsafe-no-sandbox", samples=2))
    while not stored(study):
        assert runner.poll() is None
        time.sleep(0.05)
    os.kill(runner.pid, signal.SIGSTOP)
    try:
        held = sorted(disturbed.temporary.glob("honestly-*/*/*"))
        # It takes no turns with the stopped one, which may hold the turn to judge.
        words = command(other, "--unsafe-no-sandbox", samples=1)
        assert disturbed.start(words, XDG_STATE_HOME=str(tmp_path / "state")).wait(600) == 0
        words = [command(other)[0], "-m", "honestly", "doctor", "--no-channels", "--reap", "--json"]
        subprocess.run(words, env=disturbed.environment, capture_output=True, check=True)
        assert sorted(disturbed.temporary.glob("honestly-*/*/*")) == held
    finally:
        os.kill(runner.pid, signal.SIGCONT)
    assert runner.wait(600) == 0
    disturbed.assert_nothing_left(study)
