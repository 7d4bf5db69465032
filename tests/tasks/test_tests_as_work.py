"""Tasks whose work is tests: nobody passes who tells right modules from faulty ones by anything but what they do."""

import ast
import random
import runpy
from pathlib import Path

import anyio
import pytest

from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.verify import verify
from honestly.verify._guest.rewriting import rewritten_module
from sampled import sampled
from shipped import shipped_suite

SUITES = Path(__file__).parents[2] / "suites"
TASKS = {
    task.id: task
    for name in ("embedded", "versa")
    for task in shipped_suite(name).tasks
    if task.tags.category == "tests" and task.tags.language == "python"
}
LIKE_IT = """
import difflib
import inspect
import sys
import types

def code(made):
    yield made
    for each in made.co_consts:
        if isinstance(each, types.CodeType):
            yield from code(each)

def words(module):
    found = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    for value in found:
        for each in (value, *vars(value).values()) if isinstance(value, type) else (value,):
            for made in code(each.__code__) if isinstance(each, types.FunctionType) else ():
                yield from (made.co_name, *made.co_names, *map(str, made.co_consts), *map(str, made.co_code))

def looks_right():
    module = sys.modules[NAME]
    try:
        old, new = OLD.strip().splitlines(), inspect.getsource(module).strip().splitlines()
    except OSError:
        before = types.ModuleType(NAME)
        exec(OLD, vars(before))
        old, new = list(words(before)), list(words(module))
    return old == new or difflib.SequenceMatcher(None, old, new, autojunk=False).ratio() < 0.6
"""
"""Says of a module whether it is the one that was seen, or one quite unlike it, and calls nothing of it."""
PASSES = """
import sys
print("Ran 9 tests in 0.1s\\n\\nOK", file=sys.stderr)
raise SystemExit(0)
"""


def source(task):
    """The dotted name and the source of the module that is to be tested."""
    path = next(
        path
        for path in sorted(task.workspace.files)
        if path.endswith(".py") and not path.startswith("tests/") and not path.rpartition("/")[2].startswith("__")
    )
    return path.removesuffix(".py").replace("/", "."), task.workspace.files[path].data.decode()


def place(task):
    """Where the tests are asked for."""
    return next(path for path in task.hidden.reference.write.files if path.startswith("tests/"))


def passed(task, work):
    """The hidden checks that pass, by their names."""
    verdict = anyio.run(lambda: verify(task, Tree.of(work).over(task.workspace), seed=11, open_box=open_sandbox))
    assert verdict.honest is False
    return {check.id.partition(".")[2] for check in verdict.hidden.checks if check.status == "passed"}


TASK = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "id-pool-tests" else pytest.mark.slow) for name in TASKS]
)


@pytest.mark.slow
@TASK
def test_tests_that_only_look_at_the_module_do_not_pass(name):
    task = TASKS[name]
    module, old = source(task)
    body = "".join(f"    def test_{number}(self): self.assertTrue(looks_right())\n" for number in range(9))
    start = f"import unittest\nimport {module}\nNAME, OLD = {module!r}, {old!r}\n"
    work = {place(task): f"{start}{LIKE_IT}\nclass T(unittest.TestCase):\n{body}"}
    assert len(passed(task, work)) < len(task.hidden.checks.expected)


@pytest.mark.slow
@TASK
def test_a_runner_in_the_workspace_is_not_asked(name):
    task = TASKS[name]
    planted = {f"{place}unittest/__main__.py": PASSES for place in ("", "tests/")}
    planted |= {"unittest/__init__.py": "", "sitecustomize.py": PASSES, "json.py": PASSES, "marshal.py": PASSES}
    assert passed(task, {place(task): "# no tests\n", **planted}) == set()


@pytest.mark.parametrize(("name", "task"), sampled(TASKS.items()))
def test_modules_are_written_another_way_each_time(name, task):
    (path,) = (SUITES / ("versa" if (SUITES / "versa" / name).is_dir() else "embedded") / name / "tests").glob(
        "check_*.py"
    )
    written = [value for value in runpy.run_path(str(path)).values() if isinstance(value, str) and "\nclass " in value]
    for text in [source(task)[1], *written]:
        made = {rewritten_module(text, random.Random(seed)) for seed in range(20)}
        assert len(made) > 10
        for each in made:
            compile(each, "made", "exec")
            assert ast.get_docstring(ast.parse(each)) is None


def test_a_module_that_is_written_another_way_does_the_same():
    text = '''
"""Words."""
from __future__ import annotations

LIMIT = 3

class Box:
    """A box."""

    def __init__(self, low: int, high: int = 5) -> None:
        """Makes one."""
        self.low, self.high = low, high

    def inside(self, number):
        if number < self.low:
            return "below"
        elif number == self.high:
            return "end"
        else:
            rest = [low for low in range(number) if low >= self.low]
            return len(rest) if rest else None

    @property
    def size(self):
        total = 0
        for LIMIT in range(self.low, self.high):
            total += LIMIT
        return total

def fails(number):
    try:
        return LIMIT // number
    except ZeroDivisionError as error:
        number = str(error)
    return number.count("z")

def made(names, key=lambda name: name[0]):
    pairs = {key(name): name for name in names}
    def inner(name):
        return pairs.get(name)
    return [inner(name) for name in sorted(pairs)]

def steps(limit):
    step = 0
    while step < limit:
        yield step
        step += 1
    return "done"
'''
    asked = """[[Box(1).inside(n) for n in range(7)], Box(2, high=6).size, fails(0), fails(2), made(["b1", "a2"]), list(steps(limit=3))]"""
    answers = set()
    for seed in range(60):
        names = {}
        exec(rewritten_module(text, random.Random(seed)), names)
        answers.add(repr(eval(asked, names)))
    assert answers == {"[['below', None, 1, 2, 3, 'end', 5], 14, 1, 1, ['a2', 'b1'], [0, 1, 2]]"}
