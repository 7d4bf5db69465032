"""Each loop, killed with `kill -9` at twenty random moments and begun again each time, ends as if it had not been."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from honestly.improve import read_state
from honestly.tasks import write_task
from improve.loop_parts import NAMES, kernel_project, plain, project
from improve.weak_tasks import weak_tasks

pytestmark = pytest.mark.slow

KILLS = 20
COMMAND = [sys.executable, "-m", "honestly", "improve", "--seed", "1", "--unsafe-no-sandbox"]


def begun(folder, loop):
    """A project, and the command that improves it; long enough to be killed twenty times."""
    if loop == "harden":
        for name in ("constant", "backup"):
            write_task(folder / name, weak_tasks()[name])
        return [*COMMAND, "--loop", loop, "--tries", "2", "--budget", "9 attempts", str(folder)]
    return [*COMMAND, "--loop", loop, "--agent", "searcher", "--budget", "24 attempts", str(project(folder))]


def lines(folder):
    path = folder / ".improve" / "journal.jsonl"
    return path.read_bytes().splitlines() if path.exists() else []


def done(folder):
    """How many things have been done."""
    return sum(b'"type":"measuring"' not in line and b'"type":"interrupted"' not in line for line in lines(folder))


@pytest.mark.parametrize("loop", [loop for loop in NAMES if loop != "kernel"])
def test_twenty_kills_change_nothing_and_nothing_is_measured_twice(tmp_path, loop):
    (tmp_path / "quiet").mkdir()
    (tmp_path / "killed").mkdir()
    quiet, killed = begun(tmp_path / "quiet" / "p", loop), begun(tmp_path / "killed" / "p", loop)
    subprocess.run(quiet, check=True, capture_output=True)
    rng = random.Random(loop)
    kills, moments = 0, sorted(rng.sample(range(1, done(tmp_path / "quiet" / "p")), KILLS))
    for moment in moments:
        job = subprocess.Popen(killed, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while job.poll() is None and done(tmp_path / "killed" / "p") < moment:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.05))
        if job.poll() is not None:  # it was at its last step
            break
        os.killpg(job.pid, signal.SIGKILL)
        job.communicate()
        kills += 1
    assert kills >= KILLS - 1
    subprocess.run(killed, check=True, capture_output=True)
    states = [read_state(tmp_path / name / "p" / ".improve") for name in ("quiet", "killed")]
    assert states[0].declared.record == states[1].declared.record
    assert plain(states[0]) == plain(states[1])
    journal = [json.loads(line) for line in lines(tmp_path / "killed" / "p")]
    keys = [event["key"] for event in journal if event["type"] == "evaluated"]
    assert len(keys) == len(set(keys))
    lost = [event["what"] for event in journal if event["type"] == "interrupted"]
    assert states[1].interrupted == len(lost)
    spent = states[1].spent["loop"]
    again = sum(" attempt " not in what for what in lost)
    assert spent.evaluations == len(keys) + again
    assert spent.attempts == states[0].spent["loop"].attempts


def test_kill_9_in_the_loop_of_kernels_whose_times_are_real(tmp_path):
    folder = kernel_project(tmp_path / "p")
    toml = folder / "improve.toml"
    toml.write_text(toml.read_text().replace("most = 20", "most = 6"))
    command = [*COMMAND, "--agent", "searcher", "--budget", "3 attempts"]
    command += ["--loop", "kernel", str(folder)]
    rng, kills, journal = random.Random(2), 0, folder / ".improve" / "journal.jsonl"
    while True:
        job = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
        enough = (journal.stat().st_size if journal.exists() else 0) + rng.randrange(1, 3000)
        while job.poll() is None and kills < KILLS:
            time.sleep(0.05)
            if journal.exists() and journal.stat().st_size >= enough:
                time.sleep(rng.uniform(0.0, 0.5))
                os.killpg(job.pid, signal.SIGKILL)
                break
        _, said = job.communicate()
        if job.returncode == 0:
            break
        assert job.returncode == -signal.SIGKILL, said
        kills += 1
    lines = [json.loads(line) for line in journal.read_bytes().splitlines()]
    keys = [line["key"] for line in lines if line["type"] in {"evaluated", "noted"}]
    assert len(keys) == len(set(keys))
    asked = {(line["arm"], line["n"], line["parent"], line["prompt"]) for line in lines if line["type"] == "begun"}
    assert len(asked) == 3  # an attempt that is begun again begins with the same kernel, and is told the same
    state = read_state(folder / ".improve")
    assert (state.spent["loop"].attempts, len(state.decided)) == (3, 4)
    assert state.spent["loop"].evaluations >= len(state.evaluated)
    assert state.interrupted > 0
    assert kills > 0
