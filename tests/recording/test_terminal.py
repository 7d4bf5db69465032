"""A recording in a real terminal: passwords, editors, Ctrl-C, another size, wide characters, a killed terminal."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import which

import anyio
import pytest
from msgspec.structs import replace as replace_record

from honestly.records import Edit, Observation, Trajectory, encode
from honestly.runner import read_original, replay_trial
from honestly.sandbox import open_sandbox
from honestly.store import open_study

pytestmark = pytest.mark.slow
PATIENCE_S = 60


class Terminal:
    """A person's terminal with `honestly record` in it."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder, self.shown = folder, b""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(folder / "work")
            os.environ |= {"XDG_STATE_HOME": str(folder / "state"), "HOME": str(folder), "THE_TOKEN": "env-secret-1"}
            out = [] if "--finish" in words else ["-o", str(folder / "o.honestly")]  # it remembers where
            os.execv(sys.executable, [sys.executable, "-m", "honestly", "record", *out, *words])
        self.resize(100, 30)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def until(self, text: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while text.encode() not in self.shown:
            assert time.monotonic() < end, f"{text!r} did not come: {self.shown[-2000:]!r}"
            if select.select([self.master], [], [], 0.2)[0]:
                self.shown += os.read(self.master, 65536)
        self.shown = self.shown.partition(text.encode())[2]

    def type(self, keys: str, until: str = "") -> None:
        os.write(self.master, keys.encode())
        if until:
            self.until(until)

    def ends(self) -> int:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                if select.select([self.master], [], [], 0.2)[0]:
                    self.shown += os.read(self.master, 65536)
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def keep(self) -> None:
        self.type("exit\r", until="[d]iscard")
        self.type("k\r")
        assert self.ends() == 0, self.shown


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.py").write_text("print(1)\n")
    (tmp_path / ".bashrc").write_text("PS1='READY> '\n")
    made: list[Terminal] = []

    def make(*words: str) -> Terminal:
        made.append(Terminal(tmp_path, *words))
        return made[-1]

    yield make
    for each in made:
        os.close(each.master)


def kept(folder: Path) -> tuple[Trajectory, list[list[object]], bytes]:
    with open_study(folder / "o.honestly") as store:
        (trial,) = store.trials()
        trajectory = store.trajectory(trial.id)
        artifacts = {name: store.artifact(trial.id, name) for name in store.artifacts(trial.id)}
        assert trajectory is not None
    (cast,) = folder.glob("o-*.cast")
    assert cast.read_bytes() == artifacts["session.cast"]
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return (
        trajectory,
        [json.loads(line) for line in cast.read_text().splitlines()[1:]],
        written + b"".join(artifacts.values()),
    )


def test_commands_a_password_wide_characters_ctrl_c_and_another_size(
    terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    person = terminal("--task", "look around")
    person.until("READY> ")
    person.type("echo 日本 🎉\r", until="READY> ")
    person.type("(exit 7)\r", until="READY> ")
    person.type("read -s -p 'Which? ' X\r", until="\rWhich? ")
    person.type("hunter2x\r", until="READY> ")
    person.type("echo got $X $THE_TOKEN\r", until="READY> ")
    person.type("sh -c 'echo be''gun; exec sleep 500'\r", until="begun")  # it runs, so that it gets the Ctrl-C
    person.type("\x03", until="READY> ")
    person.resize(132, 50)
    person.type("echo $(tput cols)\r", until="132")  # a prompt may come twice: bash draws it anew after the resize
    person.until("READY> ")
    person.type("echo 'x = 2' >b.py; rm a.py\r", until="READY> ")
    person.keep()
    trajectory, events, written = kept(tmp_path)
    assert b"hunter2x" not in written
    assert b"env-secret-1" not in written
    commands = [(str(step.calls[0].argument("command")), step.observations[0].code) for step in trajectory.steps[1:-1]]
    assert commands == [
        ("echo 日本 🎉", 0),
        ("(exit 7)", 7),
        ("read -s -p 'Which? ' X", 0),
        ("echo got $X $THE_TOKEN", 0),
        ("sh -c 'echo be''gun; exec sleep 500'", 130),
        ("echo $(tput cols)", 0),
        ("echo 'x = 2' >b.py; rm a.py", 0),
    ]
    said = [step.observations[0].text for step in trajectory.steps[1:]]
    assert said[0] == "日本 🎉"
    assert said[3] == "got [secret] [secret]"
    assert said[5] == "132"
    assert "+x = 2" in trajectory.steps[7].observations[1].text
    assert ["r", "132x50"] in [event[1:] for event in events]
    assert trajectory.steps[0].message == "look around"


@pytest.mark.skipif(which("vim") is None, reason="there is no vim")
def test_an_editor_is_in_the_cast_and_its_edit_in_the_trajectory(
    terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    person = terminal()
    person.until("READY> ")
    person.type("vim -u NONE a.py\r", until="print(1)")
    time.sleep(3)
    person.type("ox = 5\x1b")
    time.sleep(3)
    person.type(":wq\r", until="READY> ")
    person.keep()
    trajectory, events, _ = kept(tmp_path)
    editor, edit = trajectory.steps[0], trajectory.steps[1]
    assert editor.calls[0].name == "terminal"
    assert "full-screen" in editor.observations[0].text
    assert "print" not in editor.observations[0].text
    assert edit.calls[0].argument("content") == "print(1)\nx = 5\n"
    assert "+x = 5" in edit.observations[0].text
    assert any("\x1b[?1049h" in str(event[2]) for event in events)


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_lost_when_the_terminal_is_killed(
    how: signal.Signals, terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    person = terminal()
    person.until("READY> ")
    person.type("echo one >c.txt\r", until="READY> ")
    person.type("echo two; sleep 500\r", until="two\r\n")
    time.sleep(1)
    os.kill(person.pid, how)
    os.waitpid(person.pid, 0)
    again = terminal("--finish")
    again.until("[d]iscard")
    again.type("k\r")
    assert again.ends() == 0
    trajectory, _, _ = kept(tmp_path)
    assert trajectory.stop == "cut off"
    assert [step.calls[0].argument("command") for step in trajectory.steps] == [
        "echo one >c.txt",
        "echo two; sleep 500",
    ]
    assert "+one" in trajectory.steps[0].observations[1].text
    assert trajectory.steps[1].observations[0].text == "two"
    assert not list((tmp_path / "state").rglob("journal.cast"))


def test_a_shell_to_which_nobody_types_ends(tmp_path: Path) -> None:
    words = (sys.executable, "-m", "honestly", "record", "--yes", "-o", "none.honestly")
    env = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
    done = subprocess.run(
        words, cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_command_is_recorded_and_discarded(terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    person = terminal("--", "bash", "-c", "echo hi; exit 3")
    person.until("[d]iscard")
    person.type("s\r", until="hi")
    person.type("d\r")
    assert person.ends() == 3
    assert not (tmp_path / "o.honestly").exists()
    assert not list((tmp_path / "state").rglob("journal.cast"))


def test_what_was_done_in_a_terminal_is_played_again(terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    person = terminal()
    person.until("READY> ")
    for line in ("mkdir sub && cd sub", "echo two > two.txt", "false", "cat ../a.py"):
        person.type(f"{line}\r", until="READY> ")
    person.keep()
    with open_study(tmp_path / "o.honestly") as store:
        (trial,) = store.trials()
        original = read_original(store, trial.id)
    found = anyio.run(replay_trial, original, open_sandbox)
    assert found.is_same, found.compared.differences
    assert found.again.final.write.text("sub/two.txt") == "two\n"
    other = replace(original, artifacts={**original.artifacts, "final.json": encode(Edit())})
    assert anyio.run(replay_trial, other, open_sandbox).files == ("sub/two.txt",)
    steps = [
        *original.trajectory.steps[:-1],
        replace_record(
            original.trajectory.steps[-1],
            observations=(Observation(text="", call_id=original.trajectory.steps[-1].calls[0].id, code=1),),
        ),
    ]
    lied = replace(original, trajectory=replace_record(original.trajectory, steps=tuple(steps)))
    assert not anyio.run(replay_trial, lied, open_sandbox).is_same
