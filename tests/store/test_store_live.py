"""Trials that run now, as another process reads them: which ones, their steps in parts, and what is no such file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from honestly.records import Step, encode
from honestly.store import JournalLine, Running, live_steps, live_trials, process_name, remove_stale, unfinished_folder


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "s.honestly"
    unfinished_folder(path).mkdir()
    return path


def announce(study, trial="a" * 32, process=None, **fields):
    running = Running(
        id=trial, agent="x", task="t", sample=0, started_at="2026", process=process_name() if process is None else process,
        journal=f"{trial}.0.jsonl",
    )  # fmt: skip
    path = unfinished_folder(study) / f"{trial}.0.running"
    path.write_bytes(encode({**{name: getattr(running, name) for name in running.__struct_fields__}, **fields}))
    return running


def write(study, running, *steps, first=0, mode="ab"):
    with (unfinished_folder(study) / running.journal).open(mode) as file:
        for n, step in enumerate(steps, first):
            file.write(encode(JournalLine(n=n, step=step)) + b"\n")


def said(part):
    return {n: step.message for n, step in part.steps.items()}


def step(text):
    return Step(source="agent", message=text)


def test_where_nothing_runs_there_is_nothing(tmp_path):
    assert live_trials(tmp_path / "none.honestly") == []
    gone = Running(id="a", agent="x", task="t", sample=0, started_at="", journal="a.0.jsonl")
    assert live_steps(tmp_path / "none.honestly", gone, 7) == ({}, 7, False)


def test_a_trial_is_live_while_its_process_lives(study):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    running = announce(study, process=process_name(child.pid))
    assert live_trials(study) == [running]
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert live_trials(study) == []  # dead, though nobody has noticed yet
    child.wait()
    assert live_trials(study) == []
    child.stdin.close()


def test_another_process_of_the_same_number_is_not_it(study):
    boot, pid, start = process_name().split(" ")
    for name in (f"{boot} {pid} {int(start) + 1}", f"other {pid} {start}", "", "x", f"{boot} ../1 {start}"):
        announce(study, process=name)
        assert live_trials(study) == []
    assert process_name(2**31) == ""


def test_what_is_no_note_or_says_another_name_is_passed_over(study):
    running = announce(study)
    folder = unfinished_folder(study)
    announce(study, "b" * 32, id="a" * 32)
    announce(study, "c" * 32, journal="../../etc/passwd")
    announce(study, "d" * 32, more="than is known")
    (folder / "e.0.running").write_bytes(b"\xff\x00[[[[")
    (folder / "f.0.running").mkdir()
    (folder / "g.0.running").symlink_to("/dev/zero")
    os.mkfifo(folder / "h.0.running")
    os.mkfifo(folder / running.journal)
    assert live_steps(study, running).steps == {}
    assert live_trials(study) == [running]


def test_the_next_run_removes_what_a_killed_one_announced_and_keeps_what_it_had_done(study):
    stale = announce(study, "b" * 32, process="x 1 1")
    write(study, stale, step("done"))
    running = announce(study)
    (unfinished_folder(study) / "broken.running").write_text("{")
    remove_stale(unfinished_folder(study))
    assert {path.name for path in unfinished_folder(study).iterdir()} == {
        stale.journal, f"{running.id}.0.running",
    }  # fmt: skip
    assert said(live_steps(study, stale)) == {0: "done"}


def test_a_note_that_cannot_be_opened_now_is_not_taken_for_a_dead_one(study, monkeypatch):
    announce(study)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", lambda *_, **__: os.open("/", os.O_WRONLY))  # raises OSError
        remove_stale(unfinished_folder(study))
    assert len(live_trials(study)) == 1


def test_steps_are_read_on_from_where_the_last_part_ended(study):
    running = announce(study)
    assert live_steps(study, running) == ({}, 0, False)
    write(study, running, step("one"), step("two"))
    first = live_steps(study, running)
    assert said(first) == {0: "one", 1: "two"}
    assert live_steps(study, running, first.offset) == ({}, first.offset, False)
    write(study, running, step("two, answered"), step("three"), first=1)
    assert said(live_steps(study, running, first.offset)) == {1: "two, answered", 2: "three"}
    assert said(live_steps(study, running)) == {0: "one", 1: "two, answered", 2: "three"}


def test_a_line_that_is_being_written_is_read_when_it_is_whole(study):
    running = announce(study)
    line = encode(JournalLine(n=0, step=step("x"))) + b"\n"
    path = unfinished_folder(study) / running.journal
    path.write_bytes(line[:20])
    part = live_steps(study, running)
    assert part == ({}, 0, False)
    path.write_bytes(line)
    assert said(live_steps(study, running, part.offset)) == {0: "x"}


def test_a_part_ends_where_enough_is_read_and_the_end_can_be_read_first(study):
    running = announce(study)
    write(study, running, *(step(f"{n} " + "x" * 1000) for n in range(100)))
    part = live_steps(study, running, most=10_000)
    assert part.more
    assert list(part.steps) == list(range(10))
    seen = dict(part.steps)
    while part.more:
        part = live_steps(study, running, part.offset, most=10_000)
        seen |= part.steps
    assert list(seen) == list(range(100))
    last = live_steps(study, running, -5_000)
    assert list(last.steps) == [96, 97, 98, 99]
    assert last.offset == part.offset
    assert list(live_steps(study, running, -(10**9)).steps) == list(range(100))


def test_the_end_of_one_long_line_is_that_line(study):
    running = announce(study)
    write(study, running, step("y" * 200_000), step("x" * 100_000))
    assert list(live_steps(study, running, -10).steps) == [1]


def test_offsets_and_lines_that_make_no_sense_do_no_harm(study):
    running = announce(study)
    write(study, running, step("one"), step("two"))
    with (unfinished_folder(study) / running.journal).open("ab") as file:
        file.write(b'\xff\xfe\n{"n": 1}\n[]\n\n' + b"[" * 100_000 + b"\n")
    write(study, running, step("three"), first=2)
    assert said(live_steps(study, running, 5)) == {1: "two", 2: "three"}
    assert live_steps(study, running, 10**15).steps == {}
