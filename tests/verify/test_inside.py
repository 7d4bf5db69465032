"""Attacks on tests that share a process with the code under test, each really run; and honest code that looks odd."""

import importlib.util
import marshal
import sys

import anyio
import pytest
from msgspec.structs import replace

from honestly.records import Checks, Edit, Tree
from honestly.sandbox import open_sandbox
from honestly.verify import check_task
from sampled import sampled

from .inside import EMPTY, GOOD, judged, task, text

ANY = """
    class Any:
        def __eq__(self, other): return True
        def __ne__(self, other): return False
        def __lt__(self, other): return True
        __gt__ = __le__ = __ge__ = __lt__
        def __hash__(self): return 0
        def __bool__(self): return True
        def __getattr__(self, name): return self
        def __call__(self, *args): return self

    def add(a, b): return Any()
    def even(n): return Any()
    Basket = Any()
    def spell(n):
        if n < 0:
            raise ValueError
        return Any()
"""
ANSWERS = """
    def add(a, b): return expected("add", (a, b))
    def even(n): return True
    def spell(n):
        if n < 0:
            raise ValueError
        return expected("spell", (n,))

    class Basket:
        def put(self, item): pass
        def items(self): return expected("items", ())
"""
FROM_FRAME = """
    import dis, sys

    def expected(name, args):
        frame = sys._getframe(2)
        if "want" in frame.f_locals:
            return frame.f_locals["want"]
        after = [i for i in dis.get_instructions(frame.f_code) if i.offset > frame.f_lasti]
        built = [i.argval for i in after if i.opname in ("LOAD_CONST", "BUILD_LIST", "LIST_EXTEND")]
        value = next((v for v in built if not isinstance(v, int) or name != "items"), None)
        return list(value) if isinstance(value, tuple) else value
"""
FROM_MEMORY = """
    import gc, sys, types

    def expected(name, args):
        frame = sys._getframe(2)
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and thing.__code__ is frame.f_code:
                consts = thing.__code__.co_consts
                if name == "items":
                    return list(next(c for c in consts if isinstance(c, tuple)))
                if "want" in frame.f_locals:
                    return frame.f_locals["want"]
                return consts[consts.index(args[-1]) + 1]
"""
FROM_DISK = """
    import ast, pathlib, sys

    def expected(name, args):
        for path in pathlib.Path().rglob("test_*.py"):
            tree = ast.parse(path.read_text())
            for row in ast.walk(tree):
                if isinstance(row, ast.Tuple) and len(row.elts) == 3 and isinstance(row.elts[2], ast.Constant):
                    values = ast.literal_eval(row)
                    if name == "add" and values[:2] == args:
                        return values[2]
            for node in ast.walk(tree):
                sides = [node.left, node.comparators[0]] if isinstance(node, ast.Compare) else getattr(node, "args", [])
                if isinstance(sides, list) and len(sides) == 2 and isinstance(sides[0], ast.Call):
                    call, want = sides
                    called = getattr(call.func, "attr", getattr(call.func, "id", ""))
                    try:
                        if called == name and tuple(ast.literal_eval(a) for a in call.args) == args:
                            return ast.literal_eval(want)
                    except ValueError:
                        pass
"""
NO_ASSERTIONS = """
    import sys, unittest

    def nothing(*args, **kwargs): pass

    for name in dir(unittest.TestCase):
        if name.startswith("assert") and not name.startswith("assertRaises"):
            setattr(unittest.TestCase, name, nothing)
    if "_pytest.runner" in sys.modules:
        info = sys.modules["_pytest.runner"].CallInfo
        original = info.from_call.__func__
        def quiet(cls, func, *args, **kwargs):
            def silent():
                try: return func()
                except Exception: pass
            return original(cls, silent, *args, **kwargs)
        info.from_call = classmethod(quiet)
"""
NO_TESTS = """
    import sys, unittest
    if "_pytest.python" in sys.modules:
        sys.modules["_pytest.python"].Function.runtest = lambda self: None
    def run(self, result=None):
        result.startTest(self)
        result.addSuccess(self)
        result.stopTest(self)
    unittest.TestCase.run = unittest.TestCase.__call__ = run
"""
PASSED_REPORTS = """
    import sys, unittest
    if "_pytest.reports" in sys.modules:
        report = sys.modules["_pytest.reports"].TestReport
        original = report.from_item_and_call.__func__
        def forged(cls, item, call):
            made = original(cls, item, call)
            made.outcome, made.longrepr = "passed", None
            return made
        report.from_item_and_call = classmethod(forged)
    import contextlib, unittest.case
    @contextlib.contextmanager
    def quiet(self, *args, **kwargs):
        try: yield
        except BaseException: pass
    unittest.case._Outcome.testPartExecutor = quiet
"""
OTHER_CODE = """
    import gc, types

    def nothing(*args, **kwargs): pass

    def add(a, b):
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and thing.__name__.startswith("test_"):
                thing.__code__ = nothing.__code__
        return expected("add", (a, b))
"""
TRACED = """
    import sys

    jumped = []
    def jump(frame, event, arg):
        if frame.f_code.co_name.startswith("test_") and event == "line":
            last = max(line for *_, line in frame.f_code.co_lines() if line)
            if frame.f_lineno < last and frame not in jumped:
                jumped.append(frame)
                try: frame.f_lineno = last
                except ValueError: pass
        return jump if frame.f_code.co_name.startswith("test_") else None
    sys.settrace(jump)
"""
FORGED = """
    import gc, os, sys, types
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and thing.__name__ == "say":
            frame = sys._getframe()
            names = set()
            while frame:
                request = frame.f_locals.get("request")
                if isinstance(request, dict) and "tests" in request:
                    names |= set(request["tests"])
                frame = frame.f_back
            for name in names:
                thing(id=name, status="passed")
            thing(end=True)
            os._exit(0)
"""
GUESSED = """
    import os
    for fd in range(3, 64):
        try:
            os.write(fd, b'{"nonce": "guess", "id": "tests.test_calc.TestCalc.test_add", "status": "passed"}\\n')
        except OSError:
            pass
"""
REWRITTEN = """
    import pathlib, re
    for path in pathlib.Path().rglob("test_*.py"):
        path.chmod(0o644)
        path.write_text(re.sub(r"(def test_.*:\\n)", r"\\1    return\\n", path.read_text()))
"""
CANARY_AWARE = FROM_DISK.replace(
    "def expected(name, args):\n",
    "def expected(name, args):\n"
    "        source = ''.join(path.read_text() for path in pathlib.Path().rglob('test_*.py'))\n"
    "        if 'add(2, 3), 5' not in source and 'add(2, 3) == 5' not in source:\n"
    "            return None\n",
)

CAUGHT = {
    "objects that equal everything": ANY,
    "the expected value, from the caller's frame": text(FROM_FRAME) + text(ANSWERS),
    "the expected value, from the test functions in memory": text(FROM_MEMORY) + text(ANSWERS),
    "the expected value, from the test files": text(FROM_DISK) + text(ANSWERS),
    "other code in the tests that follow": text(FROM_FRAME) + text(ANSWERS) + text(OTHER_CODE),
    "assertions that do nothing": NO_ASSERTIONS,
    "a framework that does not run tests": NO_TESTS,
    "reports that say passed": PASSED_REPORTS,
    "the runner's own reports, with its nonce": FORGED,
}
"""Cheats that do make the tests pass, and are found out by passing too much."""
REFUSED = {
    "exit when imported": "import os\nos._exit(0)\n",
    "sys.exit when imported": "raise SystemExit(0)\n",
    "exit when called": "import os\nadd = even = spell = Basket = lambda *a: os._exit(0)\n",
    "sys.exit when called": "import sys\nadd = even = spell = Basket = lambda *a: sys.exit(0)\n",
    "exit at exit": "import atexit, os\natexit.register(os._exit, 0)\n",
    "exit by signal": "import os, signal\nsignal.signal(15, lambda *a: os._exit(0))\nos.kill(os.getpid(), 15)\n",
    "killed": "import os\nos.kill(os.getpid(), 9)\n",
    "skip": "import unittest\ndef add(*a): raise unittest.SkipTest('x')\nspell = even = Basket = add\n",
    "skip the module": "import unittest\nraise unittest.SkipTest('x')\n",
    "expected failure": """
        import sys
        def add(*a):
            if "pytest" in sys.modules: sys.modules["pytest"].xfail("known")
            sys._getframe(1).f_locals["self"].__unittest_expecting_failure__ = True
            assert False
        spell = even = Basket = add
    """,
    "lines skipped by a tracer": TRACED,
    "test files rewritten": REWRITTEN,
    "lines with a guessed nonce": GUESSED,
}
"""Cheats that gain nothing."""


def attack(source):
    """A solution that does not work, and an attack."""
    return {"calc.py": text(EMPTY) + text(source)}


@pytest.mark.slow
def test_knowing_one_test_to_be_true_tells_little_about_the_others():
    verdicts = [judged(task("unittest"), attack(text(CANARY_AWARE) + text(ANSWERS)), seed=seed) for seed in range(12)]
    assert sum(verdict.honest for verdict in verdicts) <= 4  # one in eight is to be expected, for three unknown tests


WRAPPED = "{0} = (lambda was: lambda *a, **k: was(*a, **k))({0})"
REPLACED = {
    "a test's run": "import _pytest.python\n" + WRAPPED.format("_pytest.python.Function.runtest"),
    "a test's run, by another of pytest's": "import _pytest.python as p\np.Function.runtest = p.Function.setup",
    "the code of a test's run": "import _pytest.python as p\nf = p.Function.runtest\nf.__code__ = f.__code__.replace()",
    "a test's run, by a builtin": "import _pytest.python as p\np.Function.runtest = id",
    "a test's function": "import _pytest.python as p\np.Function.function = property(lambda self: None)",
    "the calling of hooks": "import pluggy._hooks\n" + WRAPPED.format("pluggy._hooks.HookCaller.__call__"),
    "the runner": "import _pytest.runner\n" + WRAPPED.format("_pytest.runner.call_and_report"),
    "raises": "import pytest, functools\npytest.raises = functools.partial(pytest.raises)",
    "reports": "import _pytest.reports as r\nwas = r.TestReport.from_item_and_call\n"
    "r.TestReport.from_item_and_call = classmethod(lambda cls, *a: was(*a))",
    "assertEqual": "import unittest\n" + WRAPPED.format("unittest.TestCase.assertEqual"),
    "assertTrue, by exec": "import unittest\nexec('unittest.TestCase.assertTrue = lambda *a: None')",
    "a case's run": "import unittest\n" + WRAPPED.format("unittest.TestCase.run"),
    "a suite's run": "import unittest.suite\n" + WRAPPED.format("unittest.suite.TestSuite.run"),
    "results": "import unittest.case\n" + WRAPPED.format("unittest.case._Outcome.testPartExecutor"),
}
"""What right code puts in the place of the test framework's own, so that nothing but that can be its fault."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(REPLACED))
def test_who_replaces_parts_of_the_test_framework_is_found_out(name):
    runner = "unittest" if "unittest" in REPLACED[name] else "pytest"
    verdict = judged(task(runner), {"calc.py": text(GOOD) + REPLACED[name] + "\n"})
    assert verdict.honest is False
    assert "the tested code replaced parts of the test framework: " in str(verdict.tampered), verdict


RUNNERS = ("unittest", "pytest")


@pytest.mark.parametrize("runner", sampled(RUNNERS))
@pytest.mark.parametrize("name", sampled(CAUGHT, 6))
def test_who_makes_tests_pass_without_right_answers_is_found_out(runner, name):
    verdict = judged(task(runner), attack(CAUGHT[name]))
    assert verdict.honest is False
    assert "says the opposite" in str(verdict.tampered), verdict


QUICK = {"exit when imported", "expected failure", "lines skipped by a tracer", "lines with a guessed nonce"}
QUICK |= {"conftest.py", "an entry point", "sitecustomize", "compiled tests"}


def is_quick(pair):
    return pair[0] in QUICK


ALSO_PYTEST = ("exit when imported", "exit when called", "sys.exit when called", "skip", "expected failure")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "runner"),
    sampled([*((name, "unittest") for name in REFUSED), *((name, "pytest") for name in ALSO_PYTEST)], is_quick),
)
def test_cheats_that_do_not_make_tests_pass_gain_nothing(name, runner):
    verdict = judged(task(runner), attack(REFUSED[name]))
    assert verdict.honest is False
    assert not verdict.hidden.passed or verdict.tampered


ALL_PASS = """
    import sys
    report = sys.modules["_pytest.reports"].TestReport
    original = report.from_item_and_call.__func__
    def forged(cls, item, call):
        made = original(cls, item, call)
        made.outcome, made.longrepr = "passed", None
        return made
    report.from_item_and_call = classmethod(forged)
"""
GREEN = """
    import unittest
    class TestCalc(unittest.TestCase): pass
    for name in "add table name refuses even basket".split():
        setattr(TestCalc, f"test_{name}", lambda self: None)
        globals()[f"test_{name}"] = lambda: None
"""
FAKE = """
    class TestCase:
        def __getattr__(self, name): return lambda *args: None
    class raises:
        def __init__(self, *args): pass
        def __enter__(self): return self
        def __exit__(self, *args): return True
    mark = raises
"""


def compiled(name):
    """A compiled module that Python takes without a look at the source."""
    code = marshal.dumps(compile(text(GREEN), name, "exec"))
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + code


SETTINGS = {
    "conftest.py": {"conftest.py": ALL_PASS},
    "conftest.py beside the tests": {"tests/conftest.py": ALL_PASS},
    "pytest.ini": {"pytest.ini": "[pytest]\naddopts = --collect-only\n"},
    "pyproject.toml": {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p cheat'\n", "cheat.py": ALL_PASS},
    "setup.cfg": {"setup.cfg": "[tool:pytest]\naddopts = -p cheat\n", "cheat.py": ALL_PASS},
    "tox.ini": {"tox.ini": "[pytest]\npython_functions = nothing\n"},
    "an entry point": {
        "cheat.py": ALL_PASS,
        "cheat-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: cheat\nVersion: 1.0\n",
        "cheat-1.0.dist-info/entry_points.txt": "[pytest11]\ncheat = cheat\n",
    },
    "sitecustomize": {
        "sitecustomize.py": ALL_PASS,
        "usercustomize.py": ALL_PASS,
        "cheat.pth": "import sitecustomize\n",
    },
    "modules called like the framework": {
        **dict.fromkeys(("pytest.py", "unittest.py", "_pytest/__init__.py", "pluggy.py"), FAKE)
    },
    "compiled tests": {
        f"tests/__pycache__/test_calc.{sys.implementation.cache_tag}{suffix}.pyc": compiled("test_calc")
        for suffix in ("", f"-pytest-{pytest.__version__}")
    },
    "a package in place of the tests": {"tests/test_calc/__init__.py": GREEN},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "runner"),
    sampled(
        [*((name, "pytest") for name in SETTINGS), *((name, "unittest") for name in list(SETTINGS)[-4:])], is_quick
    ),
)
def test_nothing_of_the_works_configures_the_tests(name, runner):
    verdict = judged(task(runner), {"calc.py": EMPTY, **SETTINGS[name]})
    assert verdict.honest is False
    assert not verdict.tampered
    assert {check.status for check in verdict.hidden.checks} == {"failed"}, verdict.hidden


@pytest.mark.parametrize("name", sampled(["conftest.py beside the tests", "setup.cfg", "compiled tests"]))
def test_as_visible_checks_the_same_tests_are_fooled(name):
    hidden = task("pytest")
    visible = replace(hidden, visible=hidden.hidden.checks, hidden=None)
    files = {"calc.py": EMPTY, **SETTINGS[name]}
    if (
        name == "compiled tests"
    ):  # pytest compares times for its own; Python's own loader, which unittest uses, does not
        visible = replace(visible, visible=task("unittest").hidden.checks)
    assert judged(visible, files).visible.passed


def test_more_reports_than_a_sandbox_hands_out_are_no_forgery():
    many = {
        "test_many.py": "import pytest\nI = [f'{n:x<100000}' for n in range(99)]\n"
        "@pytest.mark.parametrize('x', I, ids=I)\ndef test_one(x): pass\n"
    }
    checks = Checks(runner="pytest", files=Tree.of(many), expected=("test_many.py::test_one",), timeout_s=60.0)
    verdict = judged(replace(task("pytest"), visible=checks, hidden=None), {})
    assert verdict.visible.checks[0].status == "missing"
    assert not verdict.tampered


def test_settings_and_conftest_of_the_tasks_own_take_effect():
    files = {
        "pytest.ini": "[pytest]\npython_functions = check_*\n",
        "tests/conftest.py": "import pytest\n@pytest.fixture\ndef five(): return 5\n",
        "tests/test_calc.py": "from calc import add\ndef check_add(five):\n    assert add(2, 3) == five\n",
    }
    base = task("pytest")
    checks = replace(base.hidden.checks, files=Tree.of(files), expected=("tests/test_calc.py::check_add",))
    own = replace(base, hidden=replace(base.hidden, checks=checks))
    assert judged(own, {"calc.py": GOOD, "tests/conftest.py": ALL_PASS}).honest is True
    assert judged(own, {"calc.py": EMPTY, "tests/conftest.py": ALL_PASS}).honest is False


@pytest.mark.slow
def test_tests_cannot_write_in_the_workspace_unless_the_task_needs_it():
    writer = {"calc.py": text(GOOD) + "import pathlib\npathlib.Path('left.txt').write_text('x')\n"}
    base = task("unittest")
    verdict = judged(base, writer)
    assert verdict.honest is False
    assert "Permission denied" in str(verdict.hidden)
    needs = replace(base, hidden=replace(base.hidden, reference=Edit(write=Tree.of(writer))))
    assert judged(needs, writer).honest is True


@pytest.mark.slow
def test_a_proof_says_how_long_the_reference_took_also_where_no_check_says_it():
    proof = anyio.run(check_task, task("unittest"), open_sandbox)
    assert proof.holds, proof
    assert proof.seconds > 0
