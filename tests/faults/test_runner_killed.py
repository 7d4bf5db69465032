"""kill -9 of the runner at random moments, and two runners at once: nothing is lost, nothing happens twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from disturbed import Disturbed, begun, command, content, done_again, gone, stored

pytestmark = pytest.mark.slow

KILLS = 50
INTERRUPTS = 25
SAMPLES = 14


def wait_for_a_moment(process: subprocess.Popen[bytes], study: Path, rng: random.Random) -> None:
    """A fifth of the kills comes as the program starts, the others when it has stored a few trials more."""
    if rng.random() < 0.2:
        time.sleep(rng.random() * 1.5)
        return
    until = stored(study) + rng.randint(0, 2)
    while stored(study) < until and process.poll() is None:
        time.sleep(0.05)
    time.sleep(rng.random() * 0.6)


@pytest.mark.parametrize(("kind", "kills"), [("namespaces", KILLS), ("none", 8)])
def test_kills_at_random_moments_and_a_last_run_equal_an_undisturbed_one(
    tmp_path: Path, disturbed: Disturbed, kind: str, kills: int
) -> None:
    calm, torn = tmp_path / "calm.honestly", tmp_path / "torn.honestly"
    more = ["--unsafe-no-sandbox"] if kind == "none" else []
    samples = SAMPLES if kind == "namespaces" else 4
    rng, kept, killed = random.Random(7), {}, 0
    for _ in range(kills):
        process = disturbed.start(command(torn, *more, samples=samples))
        wait_for_a_moment(process, torn, rng)
        killed += process.poll() is None
        below = disturbed.kill(process)
        assert kind == "none" or gone(below), "a process outlived its run"
        now = begun(torn)
        assert kept.items() <= now.items(), "a trial that was stored is gone, or was run again"
        kept = now
    assert killed == kills, "the run was over before it could be killed so often; give it more trials"
    disturbed.finish(command(torn, *more, samples=samples))
    assert kept.items() <= begun(torn).items()
    disturbed.assert_nothing_left(torn)
    disturbed.finish(command(calm, *more, samples=samples))
    assert content(torn) == content(calm)
    assert len(content(calm)) == 9 * samples


def test_ctrl_c_at_random_moments_loses_nothing_and_says_no_traceback(tmp_path: Path, disturbed: Disturbed) -> None:
    """It comes as from a terminal: to every process of the group."""
    calm, torn = tmp_path / "calm.honestly", tmp_path / "torn.honestly"
    rng, kept, stopped = random.Random(11), {}, 0
    for _ in range(INTERRUPTS):
        with TemporaryFile() as out:
            process = disturbed.start(command(torn, samples=SAMPLES), said=out.fileno())
            wait_for_a_moment(process, torn, rng)
            disturbed.family(process)
            os.killpg(process.pid, signal.SIGINT)
            stopped += process.wait(60) in {130, -signal.SIGINT}
            out.seek(0)
            said = out.read().decode()
        importing = "in main" not in said  # then Python itself says it, and nothing has begun
        assert importing or "Traceback" not in said, said
        now = begun(torn)
        assert kept.items() <= now.items()
        assert not torn.exists() or not done_again(torn), "a signal to the group ended what a trial needs"
        kept = now
    assert stopped == INTERRUPTS, "the run was over before it could be stopped so often; give it more trials"
    disturbed.finish(command(torn, samples=SAMPLES))
    disturbed.assert_nothing_left(torn)
    disturbed.finish(command(calm, samples=SAMPLES))
    assert content(torn) == content(calm)


def test_runners_that_start_at_once_on_one_study_do_its_trials_once(tmp_path: Path, disturbed: Disturbed) -> None:
    calm, shared = tmp_path / "calm.honestly", tmp_path / "shared.honestly"
    disturbed.finish(command(calm, samples=1))
    refused = 0
    for _ in range(5):
        shared.unlink(missing_ok=True)
        runners = [disturbed.start(command(shared, samples=1)) for _ in range(3)]
        codes = sorted(runner.wait(600) for runner in runners)
        assert codes[0] == 0
        assert set(codes) <= {0, 2}, codes
        assert content(shared) == content(calm)
        refused += codes.count(2)
    assert refused >= 5, "they ran one after the other"
    disturbed.assert_nothing_left(shared)


def test_the_lock_of_a_killed_runner_holds_nobody_up(tmp_path: Path, disturbed: Disturbed) -> None:
    study = tmp_path / "s.honestly"
    first = disturbed.start(command(study, samples=8))
    while not stored(study):
        assert first.poll() is None
        time.sleep(0.05)
    said = disturbed.finish(command(study, samples=8), fails=True)
    assert "another process" in said
    assert "Traceback" not in said
    disturbed.kill(first)
    kept = begun(study)
    assert 0 < len(kept) < 72
    disturbed.finish(command(study, samples=8))
    assert len(content(study)) == 72
    assert kept.items() <= begun(study).items()
    disturbed.assert_nothing_left(study)
