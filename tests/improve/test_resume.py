"""A loop that is killed goes on: nothing that is journalled is done again, what was in flight is charged."""

import json
import random

import pytest

from honestly.errors import StoreError, StudyBusyError
from honestly.improve import LoopJournal, open_run, read_state
from improve.loop_parts import (
    NAMES,
    begun,
    kernel_project,
    kernel_times,
    machine_box,
    memory_box,
    plain,
    project,
    scored,
    worked,
)


def noisy(log):
    async def measure(target, edit, seed):
        log.append(seed)
        level = float(target.workspace(edit).text("knobs.py").split()[2])
        return scored(level**2 + random.Random(f"{seed}{edit}").gauss(0, 1))

    return measure


@pytest.mark.slow
@pytest.mark.parametrize("loop", [loop for loop in NAMES if loop != "harden"])
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
    torn = read_state(run)
    worked(run, memory_box, noisy([]))
    assert read_state(run) == torn
    journal.write_bytes(b"nonsense\n" + whole)
    with pytest.raises(StoreError, match="line 1 is damaged"):
        read_state(run)


def test_two_cannot_work_on_one_run(tmp_path):
    run = begun(project(tmp_path / "p"))
    with open_run(run, memory_box):
        with pytest.raises(StudyBusyError):
            LoopJournal(run)
        assert read_state(run).declared.agent == "searcher"
