"""A run of test files in which the tested code gets no say in how it is tested.

The task's files lie over the final workspace, in a fresh sandbox where the workspace cannot be written to, unless the
task asks for that: tests and work have `/tmp`. Of the workspace's own, nothing configures the tests: no `conftest.py`,
no settings, no plugin, no compiled file, nothing that Python would import in a test file's place, unless it is the
task's. What the tested code does to the process in which it is tested cannot be prevented; see `_inside.py`.
"""

from honestly.records import Checks, Tree
from honestly.verify._open import OpenBox
from honestly.verify.inside._runs import Report, run_tests

_SETTINGS = {
    "pytest.ini": b"",
    ".pytest.ini": b"",
    "pyproject.toml": b"[tool.pytest",
    "tox.ini": b"[pytest]",
    "setup.cfg": b"[tool:pytest]",
}
"""Files in which pytest looks for its settings, in this order, and what shows that they hold some."""


_IDLE = ("-p", "no:doctest", "-p", "no:junitxml", "-p", "no:pastebin")
"""Plugins of pytest's that take time to import, and do nothing unless settings ask for them."""


async def run_strictly(
    checks: Checks, tests: Tree, final: Tree, open_box: OpenBox, *, backwards: bool = False
) -> Report:
    """Runs the tests of `checks`, with their files as in `tests`, over the final workspace.

    Raises:
        VerifierError: pytest is needed, and not installed.
        SandboxError: the sandbox broke.
    """
    # The final workspace without what pytest or Python would take for a part of the tests.
    modules = {path.removesuffix(".py") for path in checks.files.files if path.endswith(".py")}
    tree = tests.over(final.without(path for path in final.files if _meddles(path, modules)))
    return await run_tests(
        checks, tree, open_box, confined=not checks.writable, arguments=_pytest_arguments(checks), backwards=backwards
    )


def _pytest_arguments(checks: Checks) -> list[str]:
    """pytest's: the task's own settings or none, its own conftest files or none, the files that hold tests."""
    if checks.runner != "pytest":
        return []
    files = checks.files.files
    settings = next((name for name, mark in _SETTINGS.items() if name in files and mark in files[name].data), None)
    conftest = any(path.rpartition("/")[2] == "conftest.py" for path in files)
    return [
        *("-c", settings or "/dev/null", "--rootdir=.", "--maxfail=0"),
        *("-p", "no:cacheprovider", "-p", "no:terminalreporter"),
        *(() if conftest else ("--noconftest",)),
        *(() if settings else _IDLE),
        *sorted({name.partition("::")[0] for name in checks.expected}),
    ]


def _meddles(path: str, modules: set[str]) -> bool:
    """Whether a file configures tests, is compiled, or would be imported in place of one of these modules."""
    parts = path.split("/")
    above = {"/".join(parts[: at + 1]) for at in range(len(parts) - 1)}
    stem = "/".join([*parts[:-1], parts[-1].partition(".")[0]])
    return parts[-1] == "conftest.py" or "__pycache__" in parts or bool(modules & {stem, *above})
