"""A run is asked to stop by real signals, and by budgets: what is in flight, what is kept, what goes on later."""

import ast
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import honestly
from honestly.records import Outcome
from honestly.store import live_trials, open_study, read_paces, unfinished_folder

WAITING = """
from honestly.agents import Hands
from honestly.records import Agent


class Waiting:
    def __init__(self, seconds: float = 1.5, name: str = "waiting") -> None:
        self.seconds, self.name = seconds, name

    @property
    def record(self):
        return Agent(name=self.name, program="waiting")

    async def __call__(self, run, box):
        hands = Hands(run, box)
        await hands.bash(f"sleep {self.seconds}")
        hands.finish("Done.", claimed=True)
"""
TASKS = ("split-bill", "stock-holds", "config-layers")


def begin(tmp_path, *more, agent="waiting:Waiting", jobs=2):
    """A run of three tasks with one agent that waits, in a process group of its own."""
    (tmp_path / "waiting.py").write_text(WAITING)
    out = tmp_path / "s.honestly"
    words = [sys.executable, "-m", "honestly", "run", "embedded", "--out", str(out), "--jobs", str(jobs), *more]
    words += [word for task in TASKS for word in ("--task", task)] + ["--agent", agent]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environ = os.environ | {"PYTHONPATH": path}
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environ, start_new_session=True)
    return process, out


def in_flight(process, out, least=2):
    """Waits until so many agents work; gives them."""
    while len(found := live_trials(out)) < least:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    return {each.id for each in found}


def ended(process):
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    return said


def held(out):
    if not out.exists():
        return {}
    with open_study(out) as study:
        return {cell.id: cell.outcome for cell in study.cells()}


@pytest.mark.slow
def test_ctrl_c_lets_those_in_flight_end_and_begins_no_more(tmp_path):
    process, out = begin(tmp_path, "-k", "2")
    flying = in_flight(process, out)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it, to everything that runs there
    said = ended(process)
    assert process.returncode == 130
    assert "finishing the 2 in flight" in said
    assert "Ctrl-C once more stops at once" in said
    kept = held(out)
    assert kept.keys() == flying
    assert Outcome.VOID not in kept.values(), "their sandboxes were killed by the signal"
    assert not unfinished_folder(out).exists()


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_twice_and_other_signals_stop_at_once_and_the_same_command_goes_on(tmp_path, blow):
    process, out = begin(tmp_path, agent="waiting:Waiting,seconds=60")
    in_flight(process, out)
    began = time.monotonic()
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    said = ended(process)
    assert process.returncode == 130
    assert "kept 0 of 3 trials" in said

    process, out = begin(tmp_path, agent="waiting:Waiting,seconds=60")
    in_flight(process, out)
    assert [run.planned for run in read_paces(out)] == [3]
    process.send_signal(blow)
    said = ended(process)
    assert process.returncode == 128 + blow
    assert "kept 0 of 3 trials" in said
    assert time.monotonic() - began < 60
    assert held(out) == {}
    assert read_paces(out) == []
    assert not list(Path(tmp_path).glob("*-wal"))

    process, out = begin(tmp_path, agent="waiting:Waiting,seconds=0.1")
    ended(process)
    assert process.returncode == 0
    assert len(held(out)) == 3


@pytest.mark.slow
def test_under_nohup_a_hangup_is_not_heard(tmp_path):
    ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process, out = begin(tmp_path)
    finally:
        signal.signal(signal.SIGHUP, ignored)
    in_flight(process, out)
    process.send_signal(signal.SIGHUP)
    ended(process)
    assert process.returncode == 0
    assert len(held(out)) == 3


@pytest.mark.slow
def test_a_budget_of_trials_is_never_passed_and_more_goes_on(tmp_path):
    for most, code, kept in (("1 trial", 5, 1), ("3 trials", 5, 3), ("3 trials", 5, 3), ("9 trials, 2h", 0, 6)):
        process, out = begin(tmp_path, "-k", "2", "--budget", most, agent="honest", jobs=3)
        said = ended(process)
        assert process.returncode == code, said
        assert len(held(out)) == kept
        assert ("the budget is used up" in said) == (code == 5)


@pytest.mark.slow
def test_a_budget_of_time_counts_what_earlier_commands_took(tmp_path):
    process, out = begin(tmp_path, "-k", "4", "--budget", "2 s", jobs=1)
    said = ended(process)
    assert process.returncode == 5
    assert "2 s are over" in said
    kept = held(out)
    assert 0 < len(kept) < 12
    process, out = begin(tmp_path, "-k", "4", "--budget", "2 s", jobs=1)
    assert "2 s are over" in ended(process)
    assert held(out) == kept


APART = {"web", "_guest", "covert", "_bundle.py"}
"""What may start programs that Ctrl-C ends: pages, what runs in sandboxes, and a signature, which asks for a passphrase."""
STARTS = {"run": "subprocess", "Popen": "subprocess", "open_process": "anyio", "run_process": "anyio"}


@pytest.mark.slow
def test_no_program_that_a_run_starts_is_in_the_terminals_group():
    """Ctrl-C comes to the whole group at any moment: a probe of 10 ms that died of it ended the run with a traceback."""
    source, seen = Path(honestly.__file__).parent, 0
    for path in source.rglob("*.py"):
        if APART & set(path.relative_to(source).parts):
            continue
        for call in ast.walk(ast.parse(path.read_text())):
            match call:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if STARTS.get(name) == module:
                    own = any(each.arg == "start_new_session" for each in call.keywords)
                case ast.Call(func=ast.Attribute(attr="posix_spawn")):
                    own = any(each.arg == "setsid" for each in call.keywords)
                case ast.Call(func=ast.Name(id="run_owned")):
                    own = True  # in a session of its own: see the call above
                case _:
                    continue
            seen += 1
            assert own, f"{path.relative_to(source)}:{call.lineno}"
    assert seen > 10


def test_a_second_sigterm_does_not_end_the_clean_up():
    """`timeout` sends one to its child and one to the group, and both come to the child."""
    code = """
import os, signal, sys, anyio
from honestly.command._signals import heeding_signals
from honestly.runner import Oversight

async def work():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        await anyio.sleep(60)
    finally:
        with anyio.CancelScope(shield=True):
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGTERM)
                await anyio.sleep(0.05)
        print("closed", flush=True)

anyio.run(heeding_signals, work, Oversight(), lambda: None)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "closed\n"), done.stderr
