"""A loop that is killed goes on: nothing that is journalled is done again, what was in flight is charged."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from msgspec.structs import replace

from honestly.errors import StoreError, StudyBusyError
from honestly.loops import LoopJournal, open_run, read_state
from loops.loop_parts import (
    begun,
    kernel_project,
    kernel_times,
    machine_box,
    memory_box,
    project,
    scored,
    worked,
)


def plain(state):
    """What a journal says, apart from times and from what was interrupted."""
    still = {name: replace(each, seconds=0.0) for name, each in state.proposed.items()}
    looks = {name: replace(each, seconds=0.0, metrics={}) for name, each in state.evaluated.items()}
    begun = {name: replace(each, at=0.0) for name, each in state.begun.items()}
    return begun, still, looks, state.decided, state.sealed, state.best, state.score, state.edits, state.notes


def noisy(log):
    async def measure(target, edit, seed):
        log.append(seed)
        level = float(target.workspace(edit).text("knobs.py").split()[2])
        return scored(level**2 + random.Random(f"{seed}{edit}").gauss(0, 1))

    return measure


@pytest.mark.parametrize("loop", ["autoresearch", "best-of", "evolve", "kernel"])
def test_cut_off_anywhere_it_comes_to_the_same_end_and_measures_nothing_twice(tmp_path, loop):
    is_kernel = loop == "kernel"
    folder = (kernel_project if is_kernel else project)(tmp_path / "p")
    box, measures = (machine_box, kernel_times) if is_kernel else (memory_box, noisy)
    run = begun(folder, loop=loop)
    whole = plain(worked(run, box, measures([])))
    journal = run / "journal.jsonl"
    text = journal.read_bytes()
    rng = random.Random(3)
    first = text.index(b"\n") + 1
    for _ in range(20):
        journal.write_bytes(text[: rng.randrange(first, len(text))])
        held, again = read_state(run), []
        state = worked(run, box, measures(again))
        assert plain(state) == whole
        assert len(again) == len(state.evaluated) - len(held.evaluated)
        assert state.interrupted == len(held.in_flight)
        spent = state.spent["loop"]
        assert spent.attempts == 10
        lost = sum(" attempt " not in what for what in held.in_flight)
        assert spent.evaluations == len(state.evaluated) + lost


def test_what_was_in_flight_is_charged_for_the_time_since_it_began_and_its_limit_at_most(tmp_path):
    run = begun(project(tmp_path / "p"))
    worked(run, memory_box, noisy([]))
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    at = max(n for n, line in enumerate(lines) if b'"type":"measuring"' in line)
    (run / "journal.jsonl").write_bytes(b"".join(lines[: at + 1]))
    with open_run(run, memory_box, noisy([])) as opened:
        assert opened.state.interrupted == 1
        assert 0 <= opened.state.spent["loop"].seconds < 30
        began = json.loads(lines[at])
    (run / "journal.jsonl").write_bytes(
        b"".join(lines[:at]) + json.dumps({**began, "at": began["at"] - 9999}).encode() + b"\n"
    )
    with open_run(run, memory_box, noisy([])) as opened:
        assert 30 <= opened.state.spent["loop"].seconds < 31


def test_a_torn_line_is_cut_off_and_a_damaged_one_is_said(tmp_path):
    run = begun(project(tmp_path / "p"), budget="2 attempts")
    worked(run, memory_box, noisy([]))
    journal = run / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"type":"begun","arm"')
    LoopJournal(run).close()
    assert journal.read_bytes() == whole
    journal.write_bytes(b"nonsense\n" + whole)
    with pytest.raises(StoreError, match="line 1 is damaged"):
        read_state(run)


def test_two_cannot_work_on_one_run(tmp_path):
    run = begun(project(tmp_path / "p"))
    with open_run(run, memory_box):
        with pytest.raises(StudyBusyError):
            LoopJournal(run)
        assert read_state(run).declared.agent == "searcher"


@pytest.mark.slow
def test_kill_9_at_random_moments_then_the_same_command(tmp_path):
    quiet, killed = project(tmp_path / "quiet"), project(tmp_path / "killed")
    command = [sys.executable, "-m", "honestly", "improve", "--agent", "searcher", "--budget", "12 attempts"]
    command += ["--seed", "1", "--unsafe-no-sandbox"]
    subprocess.run([*command, str(quiet)], check=True, capture_output=True)
    rng, kills = random.Random(1), 0
    while True:
        job = subprocess.Popen([*command, str(killed)], start_new_session=True, stderr=subprocess.PIPE)
        if kills < 20:
            time.sleep(rng.uniform(0.4, 1.2))
            os.killpg(job.pid, signal.SIGKILL)
        _, said = job.communicate()
        if job.returncode == 0:
            break
        assert job.returncode == -signal.SIGKILL, said
        kills += 1
    states = [read_state(folder / ".improve") for folder in (quiet, killed)]
    assert kills > 0
    names = [state.declared for state in states]
    assert names[0].record == names[1].record
    assert plain(states[0]) == plain(states[1])
    lines = (killed / ".improve" / "journal.jsonl").read_bytes().splitlines()
    keys = [json.loads(line)["key"] for line in lines if b'"type":"evaluated"' in line]
    assert len(keys) == len(set(keys))


@pytest.mark.slow
def test_kill_9_in_the_loop_of_kernels_whose_times_are_real(tmp_path):
    folder = kernel_project(tmp_path / "p")
    toml = folder / "improve.toml"
    toml.write_text(toml.read_text().replace("most = 20", "most = 6"))
    command = [sys.executable, "-m", "honestly", "improve", "--agent", "searcher", "--budget", "3 attempts"]
    command += ["--seed", "1", "--loop", "kernel", "--unsafe-no-sandbox", str(folder)]
    rng, kills, journal = random.Random(2), 0, folder / ".improve" / "journal.jsonl"
    while True:
        job = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
        enough = (journal.stat().st_size if journal.exists() else 0) + rng.randrange(1, 3000)
        while job.poll() is None and kills < 10:
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
