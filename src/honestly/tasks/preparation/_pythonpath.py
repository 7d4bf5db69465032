"""Where the packages of a workspace lie, as its own settings say, or its folders show."""

import configparser
import shlex
from collections.abc import Iterator
from posixpath import normpath
from typing import Any

from honestly._toml import toml_table
from honestly.records import Tree

_PROJECT = frozenset(("pyproject.toml", "setup.cfg", "setup.py"))
_SECTIONS = {"setup.cfg": "tool:pytest"}


def pythonpath_of(workspace: Tree) -> tuple[str, ...]:
    """Folders of a workspace in which its tests find modules.

    What pytest's settings say (`pythonpath` in pytest.ini, pyproject.toml, tox.ini or setup.cfg); where they say
    nothing, `src` of a project that keeps its packages there. Folders outside of the workspace are left out.
    """
    said = next((each["pythonpath"].split() for each in pytest_settings(workspace) if "pythonpath" in each), None)
    if said is not None:
        inside = (normpath(path) for path in said)
        return tuple(dict.fromkeys(path for path in inside if not path.startswith(("/", "..")) and ":" not in path))
    in_src = [path.split("/") for path in workspace.files if path.startswith("src/") and path.endswith(".py")]
    packages = any(len(parts) == 3 and parts[2] == "__init__.py" for parts in in_src)
    modules = any(len(parts) == 2 for parts in in_src)
    if ["src", "__init__.py"] in in_src or not _PROJECT & workspace.files.keys():
        return ()
    return ("src",) if packages or modules else ()


def pytest_settings(files: Tree) -> Iterator[dict[str, str]]:
    """Settings as texts, of each file that has any, the one that pytest would read first."""
    for name in ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
        file = files.files.get(name)
        if file is not None and file.mode != "link":
            text = file.data.decode("utf-8", "replace")
            found = _of_toml(text) if name == "pyproject.toml" else _of_ini(text, _SECTIONS.get(name, "pytest"))
            yield from () if found is None else (found,)


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
