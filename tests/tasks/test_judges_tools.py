"""What the checks of shipped suites start, and that nothing in a workspace speaks for a tool that they believe.

A program is started in one of two ways. `ws.run` starts it beside the work: whatever it is, its word is the work's, and
the check compares it with what the work cannot know. `ws.tool` starts it away from the work, and its word is believed.
"""

import ast
import sys
from pathlib import Path

import anyio
import msgspec
import pytest

from decoys import DECOYS
from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.tasks import missing_programs, prepare_suite, task_weaknesses
from honestly.verify import verify
from shipped import shipped_suite

SUITES = Path(__file__).parents[2] / "suites"
BESIDE_THE_WORK = {
    "/tmp/alerts", "/tmp/book", "/tmp/frames", "/tmp/hidden_driver", "/tmp/routes", "/tmp/sessions",
    "awk", "bash", "bc", "cat", "g++", "gcc", "go", "jq", "node", "perl", "rm", "sed", "sh", "stat", "tclsh", "touch",
    "python3 -c", "python3 -m punch", "python3 -m weblog", "python3 report.py",
    "python3 hooks/commit_message.py", "python3 hooks/no_debug.py", "python3 hooks/trailing.py",
    "cp", "mkdir", "mktemp", "printenv", "pwd", "tail", "test",
}  # fmt: skip
"""Programs of `ws.run`: the work's own, compilers of its sources, and a few that say what became of its files."""
JUDGES = {"python3 -m mypy", "python3 -m mypy.stubtest", "python3 -m", "sh", "bash"}
"""Programs of `ws.tool`. `python3 -m` goes on with ruff or mypy; `sh` with git and pre-commit, `bash` with tests that are the work."""


def started(source: str) -> set[tuple[str, str]]:
    """The programs that a check file starts: the way, `run` or `tool`, and the program."""
    tree = ast.parse(source)
    lists = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            way = {"run": "run", "tool": "tool", "_said": "run"}.get(node.func.attr)
            owner = ast.unparse(node.func.value)
            handed_on = owner == "self._ws" and ast.unparse(node.args[0]) == "command"  # by `_said`, which is looked at
            if way and (owner.split(".")[-1] in {"ws", "_ws"} or node.func.attr == "_said") and not handed_on:
                found.add((way, program(words(node.args[0], lists))))
    return found


def words(node: ast.expr, lists: dict[str, ast.expr]) -> list[str]:
    """The constant words of a command up to what is not one."""
    if isinstance(node, ast.Name):
        node = lists.get(node.id, node)
    if isinstance(node, ast.List) and node.elts and isinstance(node.elts[0], ast.Starred):
        return words(node.elts[0].value, lists)
    assert isinstance(node, ast.List), f"a command that is no list here: {ast.unparse(node)}"
    said = []
    for each in node.elts:
        if not isinstance(each, ast.Constant):
            said.append("sh" if ast.unparse(each) == "shell" else "")  # env-file: sh or bash
            break
        said.append(str(each.value))
    return said


def program(command: list[str]) -> str:
    """The first word of a command; of Python's with what it is to run."""
    if command[0] != "python3":
        return command[0]
    rest = [word for word in command[1:] if word not in {"-S", "-B", "-I", "-P"}]
    return " ".join(["python3", *rest[: 2 if rest[0] == "-m" else 1]]).strip()


def check_files() -> list[Path]:
    """All check files of shipped suites, with what they import."""
    return sorted(path for path in SUITES.glob("*/*/tests/*.py") if not path.name.startswith("test_"))


@pytest.mark.slow
def test_each_program_that_the_checks_of_shipped_suites_start_is_listed() -> None:
    found: dict[str, set[str]] = {"run": set(), "tool": set()}
    for path in check_files():
        for way, name in started(path.read_text("utf-8")):
            found[way].add(name)
    assert len(check_files()) > 100
    assert found["run"] <= BESIDE_THE_WORK, sorted(found["run"] - BESIDE_THE_WORK)
    assert found["tool"] == JUDGES, sorted(found["tool"] ^ JUDGES)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["versa", "embedded"])
def test_no_tool_whose_word_is_believed_runs_beside_the_work(name: str) -> None:
    assert [
        each for task in shipped_suite(name).tasks for each in task_weaknesses(task) if each.rule == "tool-beside-work"
    ] == []


@pytest.mark.parametrize(
    ("ask", "tool"),
    [
        ('ws.run(["python3", "-m", "mypy", "src"])', "mypy"),
        ('command = f"cd gate && python3 -m mypy.stubtest {1}"\n    ws.run(["sh", "-c", command])', "mypy"),
        ('words = ["npx", "tsc", "--noEmit"]\n    ws.run([*words, "a.ts"], timeout=60)', "tsc"),
        ('ws.run(["/usr/bin/shellcheck", "a.sh"])', "shellcheck"),
        ('ws.run(["sh", "-c", "cd repo && pre-commit run"])', "pre-commit"),
        ('ws.tool(["python3", "-m", "mypy", "src"], {})', ""),
        ('ws.run(["python3", "-B", "-m", "unittest", "tests.test_a"])', "unittest"),
        ('ws.run(["python3", "-m", "rufflog"])', ""),
        ('ws.run(["cat", "mypy_report"])', ""),
    ],
)
def test_a_check_that_believes_a_tool_beside_the_work_is_found(ask: str, tool: str) -> None:
    checks = Checks(
        runner="grader", files=Tree.of({"check_a.py": f"def test_a(ws):\n    {ask}\n"}), expected=("check_a.test_a",)
    )
    found = task_weaknesses(Task(id="t", instruction="", hidden=Hidden(checks=checks, reference=Edit())))
    assert [(each.rule, each.severity, each.why.partition(" ")[0]) for each in found] == (
        [("tool-beside-work", "high", tool)] if tool else []
    )


def passed(task, final: Tree) -> set[str]:
    """The hidden checks that pass over a workspace."""
    verdict = anyio.run(lambda: verify(task, final, seed=11, open_box=open_sandbox))
    assert verdict.honest is False, (task.id, verdict)
    return {check.id for check in verdict.hidden.checks if check.status == "passed"}


def ready(name: str, task):
    """A task whose packages are there."""
    if missing := missing_programs(task):
        pytest.skip(f"needs {', '.join(missing)}")
    suite = msgspec.structs.replace(shipped_suite(name), tasks=(task,))
    return anyio.run(prepare_suite, suite).tasks[0]


TASKS = [
    pytest.param(name, task, id=f"{name}-{task.id}", marks=() if task.id == "sheet-refs" else pytest.mark.slow)
    for name in ("versa", "embedded")
    for task in shipped_suite(name).tasks
    if task.hidden.checks.runner == "grader"
]


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_decoys_in_an_untouched_workspace_make_no_check_pass(name, task):
    task = ready(name, task)
    with_decoys = passed(task, DECOYS.over(task.workspace))
    assert with_decoys <= (passed(task, task.workspace) if with_decoys else set())


FORGED = """
import os, sys
for place in ("", "src/"):
    try:
        first = open(place + "uses.py").read().count("\\n") + 1
        for n in range(first, open(place + "misuses.py").read().count("\\n") + 1):
            print('{"file": "%smisuses.py", "line": %d, "severity": "error"}' % (place, n))
            print(f"{place}misuses.py:{n}: error: no")
    except OSError:
        pass
sys.stdout.flush()
os._exit(0)
"""
"""What a type checker would say of wrong uses, said by whoever is started in its place."""


@pytest.mark.slow
@pytest.mark.parametrize("module", ["orjson", "sitecustomize", "usercustomize", "mypy", "typing_extensions"])
def test_a_type_checker_is_not_spoken_for_by_a_module_of_the_workspace(module):
    task = ready("versa", next(task for task in shipped_suite("versa").tasks if task.id == "stub-gate"))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    places = ("", "stubs/", "src/", "vendor/", f".local/lib/{version}/site-packages/")
    files = {f"{place}{module}.py": FORGED for place in places if place != "stubs/"}
    work = Tree.of({**files, "stubs/tinyq/__init__.pyi": "\n"}).over(task.workspace)
    assert passed(task, work) == {"check_stub_gate.test_nothing_is_left_open"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "path", "start", "end"),
    [
        ("till-gate", "src/tillroll/shop.py", "", "\nfrom typing import \uff43\uff41\uff53\uff54 as _as\n"),
        ("till-gate", "src/tillroll/shop.py", "", "\nimport typing as _t\n\n_as = _t.ca\U0001d42c\U0001d42d\n"),
        ("till-gate", "src/tillroll/shop.py", "", '\n_loose: "\\x41ny" = 1\n'),
        ("till-gate", "src/tillroll/shop.py", "", '\nimport typing as _t\n\n_as = getattr(_t, "ca" + "st")\n'),
        ("till-gate", "src/tillroll/shop.py", "# coding: latin-1\n", ""),
        ("stub-gate", "stubs/tinyq/__init__.pyi", "", "\nfrom typing import \uff21ny as _L\n_loose: _L\n"),
        ("stub-gate", "stubs/tinyq/__init__.pyi", "# coding: utf-7\n", ""),
    ],
)
def test_words_that_are_not_allowed_are_found_in_any_writing(name, path, start, end):
    task = ready("versa", next(task for task in shipped_suite("versa").tasks if task.id == name))
    reference = task.hidden.reference.write
    text = start + reference.files[path].data.decode() + end
    found = passed(task, Tree.of({path: text}).over(reference).over(task.workspace))
    assert not {each for each in found if each.endswith(("is_left_open", "is_switched_off"))}
