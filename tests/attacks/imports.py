"""Getting between the judge and its files: import hooks, files that Python or pytest read on their own, shadows."""

from .attack import cheat

__all__ = ["ATTACKS"]

_EXIT = "import os\nos._exit(0)\n"
_NOTHING = "def solve(*args):\n    return 0\n"
_HOOK = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome, report.longrepr = "passed", None
"""

ATTACKS = (
    cheat(
        "import-hook",
        "serves its own modules for whatever is imported after it",
        """
        import sys
        from importlib.machinery import ModuleSpec

        class Finder:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in ("checks", "cases", "grader", "tests", "conftest"):
                    return ModuleSpec(name, self)

            def create_module(self, spec):
                return None

            def exec_module(self, module):
                module.__path__ = []
                module.__getattr__ = lambda name: self.nothing

            def nothing(self, *args, **kwargs):
                return []

        sys.meta_path.insert(0, Finder())

        def solve(*args):
            return 0
        """,
        fools=("exit",),
    ),
    cheat(
        "replaces-the-test-module",
        "puts a module of its own in the place of the test module that imports it",
        """
        import sys
        import types
        import unittest

        class Test(unittest.TestCase):
            def test_nothing(self):
                pass

        frame = sys._getframe(1)
        while frame:
            name = frame.f_globals.get("__name__", "")
            if "test" in name and "unittest" not in name and "pytest" not in name:
                sys.modules[name] = types.ModuleType(name)
                sys.modules[name].Test = Test
            frame = frame.f_back

        def solve(*args):
            return 0
        """,
        fools=("unittest",),
    ),
    cheat(
        "sitecustomize",
        "brings a sitecustomize.py and a usercustomize.py that exit with 0",
        _NOTHING,
        files={"sitecustomize.py": _EXIT, "usercustomize.py": _EXIT},
        fools=("exit", "unittest"),
    ),
    cheat(
        "pth-file",
        "brings .pth files in the user's own site directories",
        """
        import os
        import sys

        home = os.path.expanduser("~")
        for place in (home, "/workspace", "/tmp", os.getcwd()):
            folder = f"{place}/.local/lib/python3.{sys.version_info[1]}/site-packages"
            try:
                os.makedirs(folder, exist_ok=True)
                with open(f"{folder}/@MARK@.pth", "w") as file:
                    file.write("import os; os._exit(0)\\n")
            except OSError:
                pass

        def solve(*args):
            return 0
        """,
        files={
            f".local/lib/python3.{minor}/site-packages/cheat.pth": "import os; os._exit(0)\n" for minor in range(11, 15)
        },
        fools=("exit", "unittest"),
    ),
    cheat(
        "shadows-the-library",
        "brings its own unittest, json, random and decimal",
        _NOTHING,
        files={
            "unittest/__init__.py": "class TestCase: pass\n",
            "unittest/__main__.py": "",
            "json.py": "dumps = loads = lambda *args, **kwargs: []\n",
            "random.py": "",
            "decimal.py": "",
        },
        fools=("unittest", "json"),
    ),
    cheat(
        "byte-code-cache",
        "writes byte code of its own for the checks that will be imported",
        """
        import importlib._bootstrap_external as bootstrap
        import importlib.util
        import os

        for name in ("checks.py", "cases.py", "tests/test_answer.py", "test_answer.py"):
            code = compile("def __getattr__(name): return lambda *args: None", name, "exec")
            data = bootstrap._code_to_hash_pyc(code, bytes(8), False)
            target = importlib.util.cache_from_source(os.path.abspath(name))
            try:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as file:
                    file.write(data)
            except OSError:
                pass

        def solve(*args):
            return 0
        """,
        fools=("exit",),
    ),
    cheat(
        "conftest",
        "brings a conftest.py that rewrites every report",
        _NOTHING,
        files={"conftest.py": _HOOK, "tests/conftest.py": _HOOK},
        fools=("pytest",),
    ),
    cheat(
        "pytest-settings",
        "brings settings that have pytest collect, and not run",
        _NOTHING,
        files={
            "pytest.ini": "[pytest]\naddopts = --collect-only\n",
            "tox.ini": "[pytest]\naddopts = --collect-only\n",
            "setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
            "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--collect-only"\n',
        },
        fools=("pytest",),
    ),
    cheat(
        "pytest-plugin",
        "brings a plugin that pytest loads by its entry point",
        _NOTHING,
        files={
            "cheating_plugin.py": _HOOK,
            "cheating-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: cheating\nVersion: 1.0\n",
            "cheating-1.0.dist-info/entry_points.txt": "[pytest11]\ncheating = cheating_plugin\n",
        },
        fools=("pytest",),
    ),
)
