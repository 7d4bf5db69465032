"""Installed packages of the interpreter that runs this program, shown inside a sandbox by name, with what they need.

A sandbox hides installed packages; `packages_layout(("numpy",))` shows the files of one distribution, and of those that
it requires, read-only in a directory of their own, which `PYTHONPATH` names. The libraries that wheels bring along
(`numpy.libs`) come too. Only what is installed file by file can be shown: no editable installs, no zip files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from honestly.errors import SandboxUnavailableError
from honestly.sandbox._layout import Layout

if TYPE_CHECKING:
    from importlib import metadata

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RUNS_OF_MARKS = re.compile(r"[-_.]+")


def packages_layout(names: Iterable[str]) -> Layout:
    """A layout that shows these packages, and those that they require, as `pip install` knows them.

    Raises:
        SandboxUnavailableError: One is not installed, or not as files.
    """
    return Layout(packages={name: path for found in _with_required(names) for name, path in _top_files(found)})


def package_versions(names: Iterable[str]) -> tuple[str, ...]:
    """The versions that `packages_layout` would show, in order: `numpy==2.1.3`.

    Raises:
        SandboxUnavailableError: A package is not installed.
    """
    return tuple(sorted(f"{_normal_name(found.metadata['Name'])}=={found.version}" for found in _with_required(names)))


def package_variables(folder: str) -> dict[str, str]:
    """The variables with which the packages in a directory are found.

    One thread for each process: more would not have the cores that they see, and a fork takes none of them along.
    """
    return {"PYTHONPATH": folder, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def layout_variables(layout: Layout, workspace: str, folder: str) -> dict[str, str]:
    """The variables with which Python finds what a layout offers, packages in `folder`."""
    own = [workspace if name == "." else f"{workspace}/{name}" for name in layout.pythonpath]
    variables = package_variables(folder) if layout.packages else {}
    return variables | ({"PYTHONPATH": ":".join([*own, *([folder] if layout.packages else [])])} if own else {})


def _with_required(names: Iterable[str]) -> list[metadata.Distribution]:
    """The distributions of these names, and of all that they require here."""
    found: dict[str, metadata.Distribution] = {}
    for name in names:
        if (one := _installed_package(name)) is None:
            raise SandboxUnavailableError(
                f"there is no package {name!r} installed next to honestly; install it there, or check its name "
                "(as `pip install` takes it)"
            )
        _collect(one, found)
    return list(found.values())


def _collect(one: metadata.Distribution, found: dict[str, metadata.Distribution]) -> None:
    key = _normal_name(one.metadata["Name"])
    if key in found:
        return
    found[key] = one
    for requirement in one.requires or ():
        wanted, _, marker = requirement.partition(";")
        name = _NAME.match(wanted)
        # What only an extra asks for is not needed; what another condition rules out is rarely installed, and harmless.
        other = _installed_package(name[0]) if name and "extra" not in marker else None
        if other is not None:
            _collect(other, found)


def _installed_package(name: str) -> metadata.Distribution | None:
    from importlib import metadata  # it brings along what reads mail

    try:
        return metadata.distribution(name) if _NAME.fullmatch(name) else None
    except metadata.PackageNotFoundError:
        return None


def _top_files(one: metadata.Distribution) -> Iterator[tuple[str, Path]]:
    """The files of a distribution at the top of the directory that it is installed in."""
    tops = {file.parts[0] for file in one.files or () if file.parts[0] not in {"..", "/", "__pycache__"}}
    shown = [(top, Path(str(one.locate_file(top)))) for top in sorted(tops) if not top.endswith((".pth", ".egg-link"))]
    shown = [(top, path) for top, path in shown if path.exists()]
    if all(top.endswith((".dist-info", ".egg-info")) for top, _ in shown):
        raise SandboxUnavailableError(
            f"the package {one.metadata['Name']!r} is not installed as files of its own (an editable install, "
            "perhaps); install it with pip into the environment of honestly"
        )
    yield from shown


def _normal_name(name: str) -> str:
    """A name as package indexes compare it."""
    return _RUNS_OF_MARKS.sub("-", name).lower()
