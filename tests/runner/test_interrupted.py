"""Runs that are killed or interrupted: nothing is lost, nothing happens twice, nothing is left behind."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from honestly.store import open_study

TASKS = ("split-bill", "stock-holds", "config-layers")
AGENTS = ("honest:name=h,easy=0.5,medium=0.5,hard=0.5", "special-case:name=s,rate=0.5", "tamper-runner:name=t")
TRIALS = len(TASKS) * len(AGENTS) * 6


def command(out, *more):
    words = [sys.executable, "-m", "honestly", "run", "embedded", "--out", str(out), "-k", "6", "--jobs", "3", *more]
    for task in TASKS:
        words += ["--task", task]
    for agent in AGENTS:
        words += ["--agent", agent]
    return words


def content(path):
    """Everything of a study that must not depend on when and how it was run."""
    with open_study(path) as study:
        return {
            trial.id: (
                trial.agent,
                trial.task,
                trial.sample,
                trial.outcome,
                trial.truth,
                trial.claimed,
                trial.verdict.tampered,
                [(c.id, c.status) for part in (trial.verdict.visible, trial.verdict.hidden) for c in part.checks],
                [step.message for step in study.trajectory(trial.id).steps],
            )
            for trial in study.trials()
        }


def begun(path):
    """When each trial began: tells a trial that was kept from one that was run again."""
    if not path.exists():
        return {}
    with open_study(path) as study:
        return {trial.id: trial.started_at for trial in study.trials()}


def descendants(pid):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                found += [int(entry.name), *descendants(int(entry.name))]
    return found


def gone(pids, patience=10.0):
    """Whether all of these processes end within `patience` seconds."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.slow
def test_twenty_kills_and_a_resume_equal_an_undisturbed_run(tmp_path):
    calm, torn = tmp_path / "calm.honestly", tmp_path / "torn.honestly"
    subprocess.run(command(calm), check=True, capture_output=True)
    rng, kept, kills = random.Random(7), {}, 0
    for _ in range(20):
        process = subprocess.Popen(command(torn), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=0.4 + rng.random())
        except subprocess.TimeoutExpired:
            children = descendants(process.pid)
            process.kill()
            process.wait()
            kills += 1
            assert gone(children), "a process outlived its run"
        now = begun(torn)
        assert kept.items() <= now.items(), "a trial that was stored is gone, or was run again"
        kept = now
    assert kills == 20, "the run was over before it could be killed 20 times; give it more trials"
    subprocess.run(command(torn), check=True, capture_output=True)
    assert kept.items() <= begun(torn).items()
    assert content(torn) == content(calm)
    assert len(content(calm)) == TRIALS
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(("-wal", "-shm", "-journal"))]


def test_ctrl_c_twice_ends_cleanly_and_says_what_is_kept(tmp_path):
    out = tmp_path / "s.honestly"
    process = subprocess.Popen(command(out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while len(begun(out)) < 2:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    children = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    time.sleep(0.05)  # two at once would be one
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert f"of {TRIALS} trials are kept" in errors
    assert gone(children)
    assert 2 <= len(begun(out)) < TRIALS


@pytest.mark.slow
def test_two_runs_at_once_on_one_study_are_refused(tmp_path):
    out = tmp_path / "s.honestly"
    first = subprocess.Popen(command(out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not begun(out):
            assert first.poll() is None
            time.sleep(0.05)
        second = subprocess.run(command(out), capture_output=True, text=True)
        assert second.returncode == 2
        assert "another process" in second.stderr
    finally:
        first.kill()
        first.wait()
