"""How far a study is, as others see it: counted right, alive only while its process lives, and safe whatever lies there."""

import json
import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from functools import partial

import anyio
import pytest
from click.testing import CliRunner

from honestly.errors import StoreError, StudyDamagedError
from honestly.records import Outcome, Usage, encode
from honestly.runner import Oversight, Plan, Redo, RunCount, RunLog, run_plan
from honestly.store import (
    AgentPace,
    Running,
    RunPace,
    create_study,
    live_trials,
    open_study,
    process_name,
    read_paces,
    remove_pace,
    unfinished_folder,
    write_pace,
)
from honestly.studies import study_status
from honestly.studies._cli._status import status
from honestly.tasks import load_suite
from honestly.work import writer_of
from instant import Instant, Priced

TASKS = load_suite("embedded", only=["split-bill", "stock-holds", "config-layers"])
HOLDS = "import sys; from honestly.store import open_study\nwith open_study(sys.argv[1], 'write'): print('open', flush=True); input()"


def run(plan, study, executor=None, **over):
    return anyio.run(
        partial(
            run_plan, plan, study, executor or Instant(), redo=Redo(waits_s=(), breaker=2), oversight=Oversight(**over)
        )
    )


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.honestly"
    with create_study(path) as study:
        run(Plan(TASKS, [Priced("a")], 2), study, Instant(Usage(usd=0.5)))
        run(Plan(TASKS, [Priced("b")], 1), study, Instant(outcome=Outcome.VOID))
    return path


def announce(path, began, timeout_s, checks_s=0.0, trial="a" * 32, process=None):
    folder = unfinished_folder(path)
    folder.mkdir(exist_ok=True)
    running = Running(
        id=trial, agent="x", task="t", sample=0, started_at=began, timeout_s=timeout_s, checks_s=checks_s,
        process=process_name() if process is None else process, journal=f"{trial}.0.jsonl",
    )  # fmt: skip
    (folder / f"{trial}.0.running").write_bytes(encode(running))


def ago(seconds):
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat()


def test_what_the_study_holds_is_counted_by_agent(path):
    found = study_status(path)
    assert (found.trials, found.planned, found.usd, found.writer, found.runs) == (8, 12, 3.0, None, ())
    rows = {each.agent: (each.planned, each.passed, each.void, each.usd) for each in found.agents}
    assert rows == {"a": (6, 6, 0, 3.0), "b": (6, 0, 2, None)}
    assert (found.in_flight, found.left_behind, found.stale) == ((), 0, ())


def test_who_writes_is_known_in_this_process_and_in_others(path):
    assert writer_of(path) is None
    with open_study(path, "write"):
        assert study_status(path).writer == os.getpid()
        assert writer_of(path) == os.getpid(), "to look must not give the lock away"
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDS, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "open\n"
        assert study_status(path).writer == child.pid
    finally:
        child.kill()
        child.communicate()
    assert study_status(path).writer is None, "a lock that a killed writer left is no writer"


def rate(agent, **more):
    return AgentPace(agent=agent, planned=6, **more)


def other_run(path, pid, process, *agents, **more):
    """The note of a run in another process."""
    note = unfinished_folder(path) / f"run-{pid}.json"
    note.parent.mkdir(exist_ok=True)
    note.write_bytes(encode(RunPace(process=process, pid=pid, planned=12, agents=agents, **more)))
    return note


def test_a_run_is_alive_while_its_process_is(path):
    folder = unfinished_folder(path)
    pace = RunPace(process=process_name(), pid=1, planned=9, agents=(rate("b", in_flight=2, usd=9.0, tokens=7),))
    write_pace(folder, pace)
    found = study_status(path)
    assert (found.runs, found.planned, found.trials) == ((pace,), 12, 8), "the study is larger than what it runs"
    assert [(each.passed, each.in_flight, each.usd, each.tokens) for each in found.agents] == [
        (6, 0, 3.0, None),
        (0, 2, 9.0, 7),
    ]
    assert "0 of the 9 trials that it is for" in CliRunner().invoke(status, [str(path)]).output
    write_pace(folder, RunPace(process=process_name().rsplit(" ", 1)[0] + " 1"))
    assert read_paces(path) == [], "another process has the number now"
    remove_pace(folder)
    assert not folder.exists()


def test_several_runs_of_a_study_are_each_shown_while_they_live(path):
    sleeping = [subprocess.Popen(["sleep", "60"]) for _ in range(2)]
    try:
        for n, child in enumerate(sleeping):
            agents = rate("a", in_flight=3, ended=10, per_hour=100.0, usd=50.0), rate("b", in_flight=1)
            began = f"2026-01-0{n + 1}T00:00:00+00:00"
            other_run(path, child.pid, process_name(child.pid), *agents, seconds=360.0, started_at=began)
        write_pace(unfinished_folder(path), RunPace(process=process_name(), pid=os.getpid(), planned=12))
        found = study_status(path)
        assert [run.pid for run in found.runs] == [os.getpid(), *(child.pid for child in sleeping)]
        rows = {each.agent: (each.in_flight, each.per_hour, each.passed, each.usd) for each in found.agents}
        assert rows == {"a": (6, 200.0, 6, 3.0), "b": (2, None, 0, None)}, "what they hold together is counted once"
        shown = CliRunner().invoke(status, [str(path)]).output
        assert "3 runs go on: 8 in flight, 200 an hour, 72 s left." in shown
        assert f"  process {sleeping[0].pid}, for 6 min, 4 in flight, 100 an hour" in shown
        sleeping[0].kill()
        sleeping[0].wait()
        assert [run.pid for run in study_status(path).runs] == [os.getpid(), sleeping[1].pid]
        remove_pace(unfinished_folder(path))
        assert [each.name for each in unfinished_folder(path).iterdir()] == [f"run-{sleeping[1].pid}.json"]
    finally:
        for child in sleeping:
            child.kill()
            child.wait()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"planned": "many"}', b"\xff" * 100, b'{"process": 5}'])
def test_what_is_no_note_is_no_run(path, content):
    unfinished_folder(path).mkdir()
    (unfinished_folder(path) / "run-1.json").write_bytes(content)
    assert study_status(path).runs == ()


def test_what_keeps_a_reader_waiting_is_not_read(path):
    unfinished_folder(path).mkdir()
    os.mkfifo(unfinished_folder(path) / "run-1.json")
    os.mkfifo(path.with_name(path.name + "-lock"))
    found = study_status(path)
    assert (found.runs, found.writer) == ((), None)


@pytest.mark.parametrize(
    ("seconds", "limit", "checks", "state"),
    [(5, 60, 10, "working"), (61, 60, 10, "judged"), (231, 60, 10, "stuck"), (9, None, 0, "unknown")],
)
def test_a_trial_in_flight_has_an_age_and_is_stuck_when_it_is_too_old(path, seconds, limit, checks, state):
    announce(path, ago(seconds), limit, checks)
    (found,) = study_status(path).in_flight
    assert found.state == state
    assert seconds <= found.seconds < seconds + 30


def test_trials_of_killed_runs_are_left_behind_and_not_in_flight(path):
    announce(path, ago(5), 60.0, process="")
    (unfinished_folder(path) / f"{'a' * 32}.0.jsonl").write_text("")
    found = study_status(path)
    assert (found.in_flight, found.left_behind) == ((), 1)


def test_times_that_are_none_and_names_that_act_do_no_harm(path):
    announce(path, "soon", 60.0)
    write_pace(
        unfinished_folder(path), RunPace(process=process_name(), suite="\x1b[2J", worst="\x1b]0;x\x07", stopped="\x1b")
    )
    shown = CliRunner().invoke(status, [str(path)])
    assert shown.exit_code == 0, shown.output
    assert "\x1b" not in shown.output


def test_it_is_shown_to_people_and_programs(path):
    announce(path, ago(500), 60.0)
    shown = CliRunner().invoke(status, [str(path)]).output
    assert "8 of 12 trials, 2 of them void" in shown
    assert "No run is writing it." in shown
    assert "1 in flight, 1 STUCK" in shown
    told = json.loads(CliRunner().invoke(status, [str(path), "--json"]).output)
    assert told["trials"] == 8
    assert [each["state"] for each in told["in_flight"]] == ["stuck"]
    counts = [[each[name] for name in ("passed", "failed", "limit", "void", "in_flight")] for each in told["agents"]]
    assert counts == [[6, 0, 0, 0, 0], [0, 0, 0, 2, 0]], "what is 0 is there, too"
    assert CliRunner().invoke(status, [str(path), "--json", "--watch"]).exit_code == 2
    with pytest.raises(StoreError, match="no study"):
        study_status(path.with_name("none.honestly"))


def test_damage_that_it_meets_is_said(path):
    """It looks for none; whatever page is gone, it gives counts or says so."""
    data = path.read_bytes()
    with sqlite3.connect(path) as study:
        study.execute("PRAGMA ignore_check_constraints = ON")
        study.execute("UPDATE trials SET outcome = 'pbssed' WHERE agent = 'a'")
    with pytest.raises(StudyDamagedError, match="no trial ends as 'pbssed'"):
        study_status(path)
    said = 0
    for page in range(1, len(data) // 4096):
        path.write_bytes(data[: 4096 * page] + bytes(100) + data[4096 * page + 100 :])
        try:
            study_status(path)
        except StudyDamagedError:
            said += 1
    assert said > 0


@pytest.mark.slow
def test_it_can_be_watched_through_a_pipe(path):
    command = [sys.executable, "-m", "honestly", "status", "--watch", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        told = [watching.stdout.readline() for _ in range(10)]
        watching.terminate()
    assert sum("8 of 12 trials" in line for line in told) >= 2


def test_looking_changes_nothing(path):
    before = {each.name: (each.stat().st_mtime_ns, each.read_bytes()) for each in path.parent.iterdir()}
    study_status(path)
    assert {each.name: (each.stat().st_mtime_ns, each.read_bytes()) for each in path.parent.iterdir()} == before


def test_a_run_counts_as_it_goes_what_the_study_holds_in_the_end(path):
    plan = Plan(TASKS, [Priced("a"), Priced("b")], 3)
    with open_study(path, "write") as study:
        pace = RunCount(plan, study.cells())
        begun = pace.now()
        assert (begun.planned, begun.left, begun.eta_s) == (18, 10, None)
        assert {each.agent: (each.passed, each.void, each.usd) for each in begun.agents} == {
            "a": (6, 0, 3.0),
            "b": (0, 2, None),
        }
        run(plan, study, Instant(Usage(usd=0.25, input_tokens=3), outcome=Outcome.FAILED), lookers=[pace])
        held = {(cell.agent, cell.outcome) for cell in study.cells()}
    now = pace.now()
    assert (now.left, now.eta_s, pace.now("interrupted").eta_s) == (0, 0.0, None)
    rows = {each.agent: (each.passed, each.failed, each.void, each.in_flight, each.ended) for each in now.agents}
    assert rows == {"a": (6, 3, 0, 0, 3), "b": (0, 9, 0, 0, 9)}
    assert held == {("a", Outcome.PASSED), ("a", Outcome.FAILED), ("b", Outcome.FAILED)}
    assert [each.usd for each in now.agents] == [3.75, 2.25]
    assert [each.tokens for each in now.agents] == [9, 27]
    assert all(each.per_hour > 0 for each in now.agents)


def test_what_happens_is_written_down_a_line_for_each_event(path, tmp_path):
    log = tmp_path / "run.log"
    log.write_text('{"event": "mine"}\n')
    with open_study(path, "write") as study:
        run(Plan(TASKS, [Priced("a"), Priced("b")], 2), study, Instant(outcome=Outcome.VOID), lookers=[RunLog(log)])
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines[0] == {"event": "mine"}, "it is appended to"
    events = [each["event"] for each in lines[1:]]
    assert (events[0], events[-2:], len(events)) == ("run-began", ["agent-given-up", "run-ended"], 3 + 2 * 2)
    assert {(each["agent"], each["outcome"]) for each in lines if each["event"] == "trial-ended"} == {("b", "void")}
    assert lines[-1]["missing"] == 4
    assert all(datetime.fromisoformat(each["time"]).tzinfo for each in lines[1:])
    assert live_trials(path) == []


def test_a_log_that_cannot_be_written_stops_before_the_first_trial_or_nothing(tmp_path, caplog):
    with pytest.raises(StoreError, match="cannot be written"):
        RunLog(tmp_path / "none" / "run.log")
    with create_study(tmp_path / "s.honestly") as study:
        state = run(Plan(TASKS, [Priced("a")], 1), study, lookers=[RunLog("/dev/full")])
    assert state.done == 3
    assert caplog.text.count("cannot be written") == 1


def test_looking_loads_neither_agents_nor_numpy(path):
    program = (
        "import sys\nfrom honestly.cli import main\ntry: main()\nfinally: print(sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, "status", path], capture_output=True, text=True, check=True)
    loaded = done.stderr
    assert "honestly.store" in loaded
    assert not [name for name in ("honestly.agents", "'numpy'", "'httpx2'", "'anyio'") if name in loaded]
