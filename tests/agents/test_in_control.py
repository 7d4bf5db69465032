"""Who is in control: how far an agent goes unasked, changed while it works; and a person who takes over."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from honestly.agents._autonomy import AUTONOMY, autonomy_ruling
from honestly.permissions import ShellState
from honestly.records import Trajectory, decode

LOOKS = [
    ("bash", {"command": "ls -l && grep -n x a.py | head"}),
    ("edit", {"action": "view", "path": "a.py"}),
    ("finish", {}),
]
EDITS = [("edit", {"action": "create", "path": "a.py", "text": "x"}), ("bash", {"command": "ls > f"})]
RUNS = [("bash", {"command": "rm a.py"}), ("python", {"code": "1"}), ("bash", {"command": "ls; $X"})]


def test_each_level_permits_what_it_says() -> None:
    words = {"plan": ("deny", "deny"), "ask": ("ask", "ask"), "edit": ("allow", "ask"), "full": ("allow", "allow")}
    for level in AUTONOMY:
        for uses, word in zip((LOOKS, EDITS, RUNS), ("allow", *words[level]), strict=True):
            for name, arguments in uses:
                assert autonomy_ruling(level, name, arguments, ShellState()).word == word, (level, name, arguments)


class Terminal:
    """`honestly agent do` in a terminal."""

    def __init__(self, folder: Path, script: list[dict[str, object]], *words: str) -> None:
        lines = "".join(json.dumps(line) + "\n" for line in script)
        (folder / "script.jsonl").write_text(lines)
        (folder / "work").mkdir()
        (folder / "work" / "a.txt").write_text("a\n")
        self.master, slave = pty.openpty()
        command = [sys.executable, "-m", "honestly", "agent", "do", "Look.", "--in", str(folder / "work"), "--no-stars"]
        command += ["--model", f"script:{folder / 'script.jsonl'}", "--save", str(folder / "saved.json"), *words]
        env = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "TERM": "xterm", "COLUMNS": "160"}
        self.child = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True)
        os.close(slave)
        self.seen = b""

    def until(self, text: str) -> None:
        end = time.monotonic() + 120
        while text.encode() not in self.seen:
            assert time.monotonic() < end, self.seen[-3000:]
            if select.select([self.master], [], [], 0.2)[0]:
                self.seen += os.read(self.master, 65536)
        self.seen = self.seen.partition(text.encode())[2]

    def types(self, line: str) -> None:
        os.write(self.master, line.encode() + b"\r")
        self.until(f"› {line}")


def call(name: str, **arguments: object) -> dict[str, object]:
    return {"calls": [{"name": name, "arguments": arguments}]}


@pytest.mark.slow
def test_autonomy_is_changed_a_person_takes_over_and_hands_back(tmp_path: Path) -> None:
    person = Terminal(
        tmp_path,
        [
            call("bash", command="ls"),
            call("bash", command="echo one > one.txt"),
            call("edit", action="create", path="two.txt", text="two\n"),
            call("bash", command="rm one.txt"),
            call("finish", outcome="done", summary="Fine."),
        ],
        "--autonomy",
        "ask",
    )
    person.until("May I use bash for this? command='echo one")
    person.types("y")
    person.until("May I use edit")
    person.types("/edit")
    person.types("y")
    person.until("May I use bash for this? command='rm one.txt'")
    person.types("/take")
    person.types("not there, keep it")
    person.until("you are in the sandbox")
    person.types("cat one.txt; echo three > three.txt")
    person.until("you are in the sandbox")
    person.types("/back")
    person.until("Apply to")
    os.write(person.master, b"y\n")
    assert person.child.wait(60) == 0
    work = {path.name: path.read_text() for path in (tmp_path / "work").iterdir()}
    assert work == {"a.txt": "a\n", "one.txt": "one\n", "two.txt": "two\n", "three.txt": "three\n"}
    saved = decode((tmp_path / "saved.json").read_bytes(), Trajectory)
    said = [step.message for step in saved.steps if step.source == "user"]
    assert [each.partition(" ")[0] for each in said[1:]] == [
        "[approved",
        "[autonomy:",
        "[approved",
        "[rejected",
        "[took",
        "[handed",
        "The",
    ]
    assert "$ cat one.txt; echo three > three.txt\none" in said[-1]
    (own,) = [step for step in saved.steps if step.thread == "person"]
    assert own.observations[0].text == "one"
    counts = json.loads(saved.notes)
    expected = {
        "approved": 2,
        "rejected": 1,
        "changes": 1,
        "take_overs": 1,
        "steers": 0,
        "interrupts": 0,
        "interventions": 3,
    }
    assert {name: counts[name] for name in expected} == expected
    assert counts["first_output_s"] > 0
    assert counts["words_shown"] > 0


@pytest.mark.slow
def test_a_plan_changes_nothing(tmp_path: Path) -> None:
    script = [
        call("edit", action="create", path="b.txt", text="b"),
        call("finish", outcome="done", summary="I would add b."),
    ]
    person = Terminal(tmp_path, script, "--autonomy", "plan")
    person.until("only look for now")
    person.until("It changed no file.")
    assert person.child.wait(60) == 0
