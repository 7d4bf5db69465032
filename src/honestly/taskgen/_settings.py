"""pytest's settings of a project, less the options that are for who runs the tests: coverage, processes, reports.

Those are the project's own way to look at its tests, and need plug-ins that are not loaded. Everything else stays:
how tests are imported and selected, warnings, modes of plug-ins.
"""

import configparser
import shlex
from collections.abc import Sequence
from typing import Any

from honestly._toml import toml_table
from honestly.records import Tree

_SECTIONS = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
_OURS = frozenset((
    "--cov", "--no-cov", "-n", "--numprocesses", "--maxprocesses", "--dist", "--reruns", "--random-order",
    "--splits", "--group", "--cache", "--lf", "--last-failed", "--ff", "--failed-first", "--sw", "--stepwise",
    "--basetemp", "--maxfail", "--exitfirst", "-x", "--junit-xml", "--junitxml", "--html", "--self-contained-html",
    "--no-cov-on-fail", "--pep8", "--flakes", "--flake8", "--black", "--isort", "--mypy", "--pylint", "--ruff",
    "--codestyle", "--pycodestyle", "--pydocstyle", "--instafail", "--testmon", "--picked",
))  # fmt: skip
_VALUED = frozenset((
    "--cov", "-n", "--numprocesses", "--maxprocesses", "--dist", "--maxfail", "--basetemp", "--junitxml",
    "--cov-report",
))  # fmt: skip


def bare_settings(files: Tree, more: Sequence[str] = ()) -> Tree:
    """Test files with a minimal `pytest.ini` in place of settings that do more than configure tests.

    Args:
        files: the files.
        more: options beside the project's own.
    """
    found = _options(files)
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


def _options(files: Tree) -> dict[str, str]:
    """Settings as texts, of the first file that pytest would read."""
    for name in ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
        file = files.files.get(name)
        if file is None or file.mode == "link":
            continue
        text = file.data.decode("utf-8", "replace")
        found = _of_toml(text) if name == "pyproject.toml" else _of_ini(text, _SECTIONS[name])
        if found is not None:
            return found
    return {}


def _of_toml(text: str) -> dict[str, str] | None:
    try:
        table: Any = toml_table(text).get("tool", {}).get("pytest", {}).get("ini_options")
    except (ValueError, AttributeError):
        return None
    return None if not isinstance(table, dict) else {key: _text_of(key, value) for key, value in table.items()}


def _text_of(key: str, value: object) -> str:
    if isinstance(value, list):
        return shlex.join(map(str, value)) if key == "addopts" else "\n".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _of_ini(text: str, section: str) -> dict[str, str] | None:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    return dict(parser.items(section)) if parser.has_section(section) else None
