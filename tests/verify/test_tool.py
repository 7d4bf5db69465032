"""A judge's tool does its work as if the work were not there, whatever the work has left for it."""

import shutil

import anyio
import pytest

from decoys import DECOYS, MARK
from honestly.records import Checks, Edit, Hidden, Preparation, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.verify import verify

from .conftest import text

TOOLS = {
    "python3": (["python3", "-c", "import json, re, typing; print('fine')"], "fine\n"),
    "python3 -m": (["python3", "-m", "json.tool", "data.json"], "[]\n"),
    "a program in Python": (["python3", "check.py"], "fine\n"),
    "unittest": (["python3", "-m", "unittest", "--help"], None),
    "sh": (["sh", "-c", "echo fine"], "fine\n"),
    "bash": (["bash", "-c", "echo fine"], "fine\n"),
    "bash as at a log-in": (["bash", "-lc", "echo fine"], "fine\n"),
    "git": (["sh", "-c", "git init -q . && git add -A && git status --short | wc -l"], "2\n"),
    "node": (["node", "-e", "require('assert'); console.log('fine')"], "fine\n"),
    "perl": (["perl", "-e", "print 'fine'"], "fine"),
    "awk": (["awk", "BEGIN { print 1 }"], "1\n"),
    "jq": (["jq", "-c", "map(.)", "data.json"], "[]\n"),
    "make": (["sh", "-c", "printf 'all:\\n\\t@echo fine\\n' | make -f -"], "fine\n"),
    "gcc": (["sh", "-c", "echo 'int main(void){return 0;}' | gcc -x c -o /tmp/x - && /tmp/x && echo fine"], "fine\n"),
}


def task_with(source: str) -> Task:
    checks = Checks(runner="grader", files=Tree.of({"check_it.py": text(source)}), expected=("check_it.test_it",))
    return Task(
        id="tool",
        instruction="Do nothing.",
        workspace=Tree.of({"answer.txt": "no\n"}),
        preparation=Preparation(pythonpath=(".", "src")),
        hidden=Hidden(checks=checks, reference=Edit(write=Tree.of({"answer.txt": "yes\n"}))),
    )


def judged(source: str, work: Tree):
    task = task_with(source)
    final = work.over(task.workspace)
    return anyio.run(lambda: verify(task, final, seed=1, open_box=open_sandbox)).hidden.checks[0]


def python_tools(files: str, ask: str) -> str:
    """A check that asks for each of Python's tools and compares what it says."""
    tools = [tool for name, tool in TOOLS.items() if "ython" in name]
    return f"""
        FILES = {{"data.json": "[]", "check.py": "import ast, json, typing\\nprint('fine')\\n"}}

        def test_it(ws):
            for words, wanted in {tools!r}:
                done = ws.{ask}(words{files})
                assert (done.code, done.stdout) == (0, wanted), done
        """


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_not_led_astray_by_what_lies_in_the_workspace(name):
    words, wanted = TOOLS[name]
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not here")
    check = judged(
        f"""
        FILES = {{"data.json": "[]", "check.py": "import ast, json, typing\\nprint('fine')\\n"}}

        def test_it(ws):
            done = ws.tool({words!r}, FILES)
            assert {MARK!r} not in done.stdout + done.stderr, done
            assert done.code == 0 and {wanted!r} in (done.stdout, None), done
        """,
        DECOYS,
    )
    assert check.status == "passed", check


def test_beside_the_work_each_of_pythons_tools_would_be():
    source = python_tools("", "run").replace(
        "assert (done.code, done.stdout) == (0, wanted)", f"assert {MARK!r} in done.stdout"
    )
    files = Tree.of({"data.json": "[]", "check.py": "import ast, json, typing\nprint('fine')\n"})
    assert judged(source, files.over(DECOYS)).status == "passed"


@pytest.mark.slow
def test_pythons_tools_take_no_module_from_the_files_that_they_are_given():
    check = judged(python_tools(", {**{path: ws.read_bytes(path) for path in ws.files()}, **FILES}", "tool"), DECOYS)
    assert check.status == "passed", check


def test_a_tool_finds_the_files_that_it_is_given_an_empty_home_and_nothing_of_another_one():
    check = judged(
        """
        LOOK = "import os; print(sorted(os.listdir()), os.listdir(os.environ['HOME']), os.listdir('/tmp'), open('a/b').read())"

        def test_it(ws):
            for _ in range(2):
                done = ws.tool(["python3", "-c", LOOK + "; open('/tmp/x', 'w'); open('y', 'w')"], {"a/b": ws.read("answer.txt")})
                assert done.stdout == "['a'] ['of-the-work'] [] no\\n\\n", done
            assert ws.tool(["cat"], {}, stdin="x").stdout == "x"
            assert ws.tool(["sh", "-c", "echo $A"], {}, env={"A": "b"}).stdout == "b\\n"
            assert ws.tool(["no-such-program"], {}).code == 127
        """,
        Tree.of({"b": "x"}),
    )
    assert check.status == "passed", check


@pytest.mark.parametrize(
    ("ask", "status"),
    [
        ("assert ws.tool(['sleep', '9'], {}, timeout=0.3).timed_out", "passed"),
        ("ws.tool(['true'], {'../x': ''})", "error"),
        ("ws.tool([], {})", "error"),
        ("ws.tool(['true'], {'x': 5})", "error"),
        ("ws.tool(['true'], ['x'])", "error"),
    ],
)
def test_what_goes_wrong_with_a_tool_is_an_answer_or_the_checks_error(ask, status):
    check = judged(f"def test_it(ws):\n    {ask}\n", Tree())
    assert check.status == status, check
