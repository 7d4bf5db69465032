"""`honestly agent` in a real terminal, and what it does to a checkout: nothing that was not approved."""

import io
import json
import os
import pty
import socket
import subprocess
import sys
import termios

import pytest
from rich.console import Console
from terminal import Terminal

from honestly.agents import Copy, copy_of, without_clutter, write_back, write_objections
from honestly.agents._cli._agent import _offer_changes
from honestly.command import Typed, quiet_keys
from honestly.errors import TaskError
from honestly.records import Edit, File, Tree
from honestly.trials import diff_lines

WRONG, RIGHT = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
FIX = {"name": "edit", "arguments": {"action": "replace", "path": "calc.py", "old": "a - b", "new": "a + b"}}


def bash(command):
    return {"name": "bash", "arguments": {"command": command}}


def finish(outcome, summary, **rest):
    return {"name": "finish", "arguments": {"outcome": outcome, "summary": summary, **rest}}


@pytest.fixture
def repo(tmp_path):
    root = tmp_path / "repo"
    root.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    (root / "calc.py").write_text(WRONG)
    (root / ".env").write_text("KEY=canary-4711\n")
    (root / ".gitignore").write_text("built/\n")
    (root / "built").mkdir()
    (root / "built" / "x.o").write_text("x")
    return root


def begun(repo, *turns, options=()):
    script = repo.parent / "script.jsonl"
    script.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    arguments = [
        "-m",
        "honestly",
        "agent",
        "fix add",
        "--in",
        str(repo),
        "--model",
        f"script:{script}",
        "--no-stars",
        *options,
    ]
    return arguments, Terminal(*arguments, cwd=repo.parent)


def state(repo):
    return {
        p.relative_to(repo).as_posix(): p.read_bytes() for p in repo.rglob("*") if p.is_file() and ".git/" not in str(p)
    }


@pytest.mark.slow
def test_it_shows_asks_is_steered_and_applies_what_is_approved(repo):
    before = state(repo)
    evil = "I look.\x1b]0;owned\x07\x1b[2J\u202e"
    saved = repo.parent / "trajectory.json"
    _, terminal = begun(
        repo,
        {"text": evil, "calls": [bash("printf '\\033]0;owned\\007here'; ls -a; sleep 1.5")]},
        {"calls": [finish("asks", "Which sign?")]},
        {"calls": [FIX]},
        {"calls": [finish("done", "It adds.", not_done="No tests.")]},
        options=["--save", str(saved)],
    )
    terminal.until("not copied: .env (looks like a secret)")
    terminal.until("sleep 1.5")
    terminal.press("wrogn\x7f\x7fng\x15be quick\n")
    terminal.until("› be quick")
    terminal.until("? Which sign?")
    terminal.press("plus\n")
    terminal.until("It adds.")
    terminal.until("Not done: No tests.")
    terminal.until("+    return a + b")
    terminal.until("[d]iff")
    assert state(repo) == before
    terminal.press("y\n")
    terminal.until("Applied.")
    assert terminal.ended() == 0
    assert state(repo) == before | {"calc.py": RIGHT.encode()}
    for bad in ("\x1b]0;", "\x1b[2J\u202e", "\u202e"):
        assert bad not in terminal.shown
    steps = json.loads(saved.read_text())["steps"]
    assert [step["message"] for step in steps if step["source"] == "user"] == ["fix add", "be quick"]
    assert "plus" in [seen["text"] for step in steps for seen in step.get("observations", [])]
    assert "canary-4711" not in saved.read_text()
    assert "x.o" not in saved.read_text()


@pytest.mark.slow
def test_ctrl_c_once_shows_what_there_is_and_a_file_that_changed_meanwhile_is_not_overwritten(repo):
    _, terminal = begun(repo, {"calls": [FIX]}, {"calls": [bash("sleep 1.5")]}, {"calls": [finish("done", "x")]})
    terminal.until("bash sleep 1.5")
    terminal.press("\x03")
    terminal.until("stopping after this step")
    terminal.until("Stopped.")
    terminal.until("[d]iff")
    (repo / "calc.py").write_text("mine\n")
    terminal.press("y\n")
    terminal.until("calc.py: has changed since the agent got its copy")
    terminal.until("The patch is in")
    assert terminal.ended() == 1
    assert (repo / "calc.py").read_text() == "mine\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turns", "shown", "then"),
    [
        ([{"calls": [FIX]}, {"calls": [bash("trap '' INT TERM; sleep 600")]}], "trap", "Ctrl-C again leaves at once"),
        ([{"calls": [FIX]}, {"calls": [finish("asks", "Which?")]}], "answer ›", "[d]iff"),
        ([{"calls": [FIX]}, {"calls": [finish("done", "x")]}], "[d]iff", None),
    ],
    ids=["a command", "a question", "the approval"],
)
def test_ctrl_c_twice_gets_the_person_out_with_nothing_changed(repo, turns, shown, then):
    before = state(repo)
    _, terminal = begun(repo, *turns)
    terminal.until(shown)
    terminal.press("\x03")
    if then is not None:
        terminal.until(then)
        terminal.press("\x03")
    assert terminal.ended() == 130
    assert state(repo) == before


@pytest.mark.slow
def test_ctrl_c_does_not_wait_for_a_model_that_never_answers(repo):
    before = state(repo)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1#m"
        arguments = ["-m", "honestly", "agent", "do", "x", "--in", str(repo), "--model", url]
        terminal = Terminal(*arguments, cwd=repo.parent, env={"HONESTLY_MODEL_KEY": "canary-4712"})
        terminal.until("thinking")
        terminal.press("\x03")
        terminal.until("Stopped.", "It changed no file.", "stars")
        terminal.press(" ")
        assert terminal.ended() == 1
    assert state(repo) == before
    assert "canary-4712" not in terminal.shown


@pytest.mark.slow
def test_a_model_that_fails_does_not_take_the_work_along(repo):
    error = {"error": "no such model", "status": 404}
    _, terminal = begun(repo, {"calls": [FIX]}, error, options=["--yes"])
    terminal.until("ModelError: no such model")
    terminal.until("[d]iff")  # --yes is for work that is done
    terminal.press("y\n")
    terminal.until("Applied.")
    assert terminal.ended() == 1
    assert (repo / "calc.py").read_text() == RIGHT


@pytest.mark.slow
def test_without_a_terminal_changes_are_made_only_with_yes(repo):
    script = repo.parent / "script.jsonl"
    script.write_text("\n".join(map(json.dumps, [{"calls": [FIX]}, {"calls": [finish("done", "x")]}])))
    command = [sys.executable, "-m", "honestly", "agent", "do", "fix", "--in", str(repo), "-m", f"script:{script}"]
    said = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert said.returncode == 1
    assert "--yes applies" in said.stderr
    assert (repo / "calc.py").read_text() == WRONG
    done = subprocess.run([*command, "--yes"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert (repo / "calc.py").read_text() == RIGHT


def test_what_must_not_come_back_is_refused(tmp_path):
    root = tmp_path / "r"
    (root / "deep").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "kept").write_text("1")
    given = copy_of(root).tree
    (root / "new-here").write_text("mine")
    write = {
        ".git/hooks/pre-commit": File(data=b"x", mode="exec"),
        "sub/.GIT/config": File(data=b"x"),
        "out/file": File(data=b"x"),
        "away": File(data=b"/etc/passwd", mode="link"),
        "up": File(data=b"../../x", mode="link"),
        "new-here": File(data=b"theirs"),
        "deep": File(data=b"x"),
        "fine/link": File(data=b"../kept", mode="link"),
        "fine/file": File(data=b"x"),
    }
    found = write_objections(root, given, Edit(write=Tree(files=write)))
    assert {line.partition(":")[0] for line in found} == set(list(write)[:7])


def test_a_change_is_made_whole_or_not_at_all(tmp_path):
    root = tmp_path / "r"
    root.mkdir()
    (root / "a").write_text("1")
    (root / "run").write_text("#!/bin/sh\n")
    (root / "run").chmod(0o755)
    (root / "old").mkdir()
    (root / "old" / "b").write_text("2")
    given = copy_of(root).tree
    after = Tree(files={"a": File(data=b"3"), "run": File(data=b"#!/bin/bash\n", mode="exec"), "x/y": File(data=b"4")})
    edit = Edit.between(given, after)
    bad = Edit(write=Tree(files={"a": File(data=b"9"), "run/under": File(data=b"x")}), delete=("old/b",))
    with pytest.raises(TaskError, match="was undone"):
        write_back(root, bad)
    assert copy_of(root).tree == given
    assert write_objections(root, given, edit) == []
    write_back(root, edit)
    assert copy_of(root).tree == after
    assert not (root / "old").exists()
    assert (root / "run").stat().st_mode & 0o111


def test_where_git_does_not_say_what_it_ignores_nothing_is_copied(repo):
    inner = repo / "inner"
    inner.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=inner, check=True)
    (inner / "x").write_text("x")
    assert [line for line in copy_of(repo).left_out if "inner" in line] == ["inner/ (a repository of its own)"]
    (repo / ".git" / "index").write_bytes(b"no index")
    with pytest.raises(TaskError, match=r"cannot find out what git ignores .*, so nothing"):
        copy_of(repo)


def test_caches_and_what_git_ignores_stay_behind(repo):
    given = copy_of(repo).tree
    new = {
        "built/new.o": "x",
        "a/__pycache__/b.pyc": "x",
        ".pytest_cache/.gitignore": "*",
        "c.pyc": "x",
        "kept.py": "x",
    }
    edit = Edit(write=Tree.of({**new, "calc.py": RIGHT, ".git/hooks/x": "x"}))
    left, count = without_clutter(repo, given, edit)
    assert (set(left.write.files), count) == ({"kept.py", "calc.py", ".git/hooks/x"}, 4)


def test_no_name_and_no_line_of_a_change_is_shown_as_another(tmp_path):
    (tmp_path / "calc.py").write_text(WRONG)
    fake = "a\nnew      calc.py  +1 -0"
    hostile = [
        fake,
        "b\x1b[2K\rchanged  calc.py",
        "c\u202eyp.clac",
        "d\x1b]0;evil\x07",
        "e\x85f\u2028g",
        "  ",
        f"{'h' * 150} new calc.py  +1 -0",
    ]
    lines = "ls \x1b]; rm -rf ~ ;\x07\nrm -rf ~ \r# harmless\n\tx = 1\n"
    edit = Edit(write=Tree.of(dict.fromkeys(hostile, lines)))
    console = Console(file=io.StringIO(), width=200)
    assert _offer_changes(console, tmp_path, copy_of(tmp_path), edit, yes=True)
    shown = console.file.getvalue()
    assert not set("\x1b\r\x07\x85\u202e\u2028") & set(shown)
    assert sum(line.startswith("new ") and "+" in line for line in shown.split("\n")) == len(hostile)
    assert r"new      a\x0anew      calc.py  +1 -0  +3 -0" in shown
    assert r"new      c\u202eyp.clac  +3 -0" in shown
    assert r'diff --git "a/a\012new      calc.py  +1 -0" "b/a' in shown
    assert r"+ls \x1b]; rm -rf ~ ;\x07" in shown
    assert r"+rm -rf ~ \x0d# harmless" in shown
    assert "+   x = 1" in shown
    (tmp_path / fake).write_text("mine")
    assert not _offer_changes(console, tmp_path, Copy(Tree(), ()), edit, yes=True)
    assert r"a\x0anew      calc.py  +1 -0: has changed" in console.file.getvalue()


def test_git_takes_the_diff(tmp_path):
    odd = 'o\n\x1b\u202e"\\é'
    before = Tree.of({"a": "1\n2\n3", "gone": "x\n", "s p": "a\x0cb\r\nc\n", odd: "1\n"})
    after = Tree(
        files={
            **Tree.of({odd: "2\n", "a": "1\n2\n4\n", "s p": "a\x0cb\r\nd\n", "new/é": "n"}).files,
            "e": File(data=b"#!\n", mode="exec"),
        }
    )
    for path, file in before.files.items():
        (tmp_path / path).write_bytes(file.data)
    patch = "\n".join(diff_lines(before, Edit.between(before, after))) + "\n"
    subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=tmp_path, check=True)
    assert copy_of(tmp_path).tree == after


def test_a_line_is_edited_as_people_expect():
    typed = Typed()
    assert typed.keys("ab\x7fc \x1b[A\x1b[1;5Cd é\n\n".encode()[:-3]) == []
    assert typed.keys("é\n\n".encode()[-3:]) == ["ac d é"]
    assert typed.keys(b"one two\x17three\r") == ["one three"]
    assert typed.keys(b"x\x15\x07y\n") == ["y"]


def test_the_terminal_is_as_it_was_after_a_crash():
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    stdin = sys.stdin
    sys.stdin = os.fdopen(slave)
    try:
        crash = pytest.raises(ZeroDivisionError)
        with crash, quiet_keys():
            assert termios.tcgetattr(slave) != before
            raise ZeroDivisionError
        assert termios.tcgetattr(slave) == before
    finally:
        sys.stdin.close()
        sys.stdin = stdin
        os.close(master)
