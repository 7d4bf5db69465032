"""pytest's settings of a project, less the options that are for who runs the tests: coverage, processes, reports.

Those are the project's own way to look at its tests, and need plug-ins that are not loaded. Everything else stays:
how tests are imported and selected, warnings, modes of plug-ins.
"""

import shlex
from collections.abc import Sequence

from honestly.records import Tree
from honestly.tasks import pytest_settings

_OURS = frozenset(
    (
        *("--cov", "--no-cov", "-n", "--numprocesses", "--maxprocesses", "--dist", "--reruns", "--random-order"),
        *("--splits", "--group", "--cache", "--lf", "--last-failed", "--ff", "--failed-first", "--sw"),
        *("--stepwise", "--basetemp", "--maxfail", "--exitfirst", "-x", "--junit-xml", "--junitxml", "--html"),
        *("--self-contained-html", "--no-cov-on-fail", "--pep8", "--flakes", "--flake8", "--black", "--isort"),
        *("--mypy", "--pylint", "--ruff", "--codestyle", "--pycodestyle", "--pydocstyle", "--instafail"),
        *("--testmon", "--picked"),
    )
)
_VALUED = frozenset(
    (
        *("--cov", "-n", "--numprocesses", "--maxprocesses", "--dist", "--maxfail", "--basetemp", "--junitxml"),
        "--cov-report",
    )
)


def bare_settings(files: Tree, more: Sequence[str] = ()) -> Tree:
    """Test files with a minimal `pytest.ini` in place of settings that do more than configure tests.

    Args:
        files: the files.
        more: options beside the project's own.
    """
    found = next(pytest_settings(files), {})
    if not more and not {"addopts", "required_plugins", "minversion"} & found.keys():
        return files
    kept = {key: value for key, value in found.items() if key not in ("required_plugins", "minversion", "addopts")}
    if words := [*_kept_words(found.get("addopts", "")), *more]:
        kept["addopts"] = shlex.join(words)
    lines = [f"{key} = {value.strip().replace(chr(10), chr(10) + '    ')}" for key, value in kept.items()]
    return Tree.of({"pytest.ini": "\n".join(["[pytest]", *lines, ""])}).over(files)


def _kept_words(options: str) -> list[str]:
    try:
        words = shlex.split(options)
    except ValueError:
        return []
    kept: list[str] = []
    before = ""
    for word in words:
        name = word.partition("=")[0]
        ours = name in _OURS or name.startswith(("--cov-", "--random-order-", "--cache-")) or name[:2] == "-n"
        if not ours and not (before in _VALUED and not word.startswith("-")):
            kept.append(word)
        before = word
    return kept
