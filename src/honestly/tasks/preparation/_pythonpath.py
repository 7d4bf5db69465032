"""Where the packages of a workspace lie, as its own settings say, or its folders show."""

import configparser
from collections.abc import Mapping
from posixpath import normpath
from typing import Any

from honestly._toml import toml_table
from honestly.records import Tree

_PROJECT = frozenset(("pyproject.toml", "setup.cfg", "setup.py"))
_INI = (("pytest.ini", "pytest"), (".pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))


def pythonpath_of(workspace: Tree) -> tuple[str, ...]:
    """Folders of a workspace in which its tests find modules.

    What pytest's settings say (`pythonpath` in pytest.ini, pyproject.toml, tox.ini or setup.cfg); where they say
    nothing, `src` of a project that keeps its packages there. Folders outside of the workspace are left out.
    """
    if (said := _pytest_paths(workspace)) is not None:
        inside = (normpath(path) for path in said)
        return tuple(dict.fromkeys(path for path in inside if not path.startswith(("/", "..")) and ":" not in path))
    in_src = [path.split("/") for path in workspace.files if path.startswith("src/") and path.endswith(".py")]
    packages = any(len(parts) == 3 and parts[2] == "__init__.py" for parts in in_src)
    modules = any(len(parts) == 2 for parts in in_src)
    if ["src", "__init__.py"] in in_src or not _PROJECT & workspace.files.keys():
        return ()
    return ("src",) if packages or modules else ()


def _pytest_paths(workspace: Tree) -> list[str] | None:
    """The paths in the settings that pytest would read; None where none of them names a path."""
    for name in ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"):
        file = workspace.files.get(name)
        if file is None or file.mode == "link":
            continue
        text = file.data.decode("utf-8", "replace")
        given = _of_toml(text) if name == "pyproject.toml" else _of_ini(text, dict(_INI)[name])
        if given is not None:
            return given
    return None


def _of_toml(text: str) -> list[str] | None:
    try:
        table: Any = toml_table(text).get("tool", {})
    except ValueError:
        return None
    for key in ("pytest", "ini_options"):
        table = table.get(key) if isinstance(table, Mapping) else None
    given = table.get("pythonpath") if isinstance(table, Mapping) else None
    if isinstance(given, str):
        return given.split()
    return [str(each) for each in given] if isinstance(given, list) else None


def _of_ini(text: str, section: str) -> list[str] | None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    given = parser.get(section, "pythonpath", fallback=None)
    return given.split() if given is not None else None
