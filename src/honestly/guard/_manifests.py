"""The packages that files of a project name: manifests, lock files, Dockerfiles, as people and tools write them.

Each file is bounded and read as what it is; nothing is run and nothing resolved. A link is not followed. What cannot be
read is a note. YAML is read by the lines that lock files have.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from honestly.permissions import effects_of

_LARGEST, _MOST_FILES = 8 << 20, 20_000
_SKIPPED = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", "site-packages", "vendor", ".hunt"}
)
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(@\s*\S+|[^;#]*)", re.ASCII)
_GO = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+|[\w.-]+\.\w+)\s+(v\S+)", re.MULTILINE)
_YARN = re.compile(r'^"?(@?[^@\s"]+)@[^\n]*:\n\s+version:? "?([^"\s]+)', re.MULTILINE)
_PNPM = re.compile(r"^  '?/?(@?[^@\s'(]+)[@/](\d[^:'(\s]*)(?:\([^\n]*)?'?:", re.MULTILINE)


class NamedPackage(NamedTuple):
    """A package that a file names."""

    name: str
    ecosystem: str
    version: str
    """The range as it is written, or the version that a lock file or a pin says."""
    where: str
    pinned: bool = False


def found_packages(folder: Path) -> tuple[list[NamedPackage], list[str]]:
    """The packages that the files below a folder name, and what could not be read."""
    found: list[NamedPackage] = []
    notes: list[str] = []
    for number, path in enumerate(_files(folder)):
        if number >= _MOST_FILES:
            notes.append(f"there are more than {_MOST_FILES:,} files; the others were not looked at")
            break
        reader = _reader(path.name)
        if reader is None:
            continue
        where = str(path.relative_to(folder))
        if path.is_symlink():
            notes.append(f"{where}: it is a link, which is not followed")
            continue
        try:
            if path.stat().st_size > _LARGEST:
                notes.append(f"{where}: it has more than {_LARGEST >> 20} MiB, and was not read")
                continue
            found += [each._replace(where=where) for each in reader(path.read_text("utf-8"))]
        except (OSError, ValueError, RecursionError, AttributeError, TypeError, KeyError) as error:
            notes.append(f"{where}: it cannot be read: {str(error)[:120]}")
    return found, notes


def installed_by(command: str, where: str) -> list[NamedPackage]:
    """The packages that a shell command would install."""
    return [written_package(each, ecosystem)._replace(where=where) for ecosystem, each in effects_of(command).packages]


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            yield Path(root, name)


Reader = Callable[[str], list[NamedPackage]]


def _reader(name: str) -> Reader | None:
    if re.fullmatch(r"(?:requirements|constraints)[\w.-]*\.(?:txt|in)", name):
        return _requirements
    if re.fullmatch(r"(?:Dockerfile|Containerfile)(?:\.\S+)?|\S+\.Dockerfile", name):
        return _dockerfile
    return _READERS.get(name)


def _requirement(text: str) -> NamedPackage | None:
    found = _REQUIREMENT.match(text)
    if found is None:
        return None
    version = re.sub(r"\s+", "", found[2]).strip("()")
    return NamedPackage(found[1], "PyPI", version, "", bool(re.fullmatch(r"={2,3}[^,*]+", version)))


def _requirements(text: str) -> list[NamedPackage]:
    lines = re.sub(r"\\\n", " ", text).split("\n")
    plain = [re.sub(r"\s--hash=\S+", "", line) for line in lines if not re.match(r"\s*(?:[-#]|$|\S+://|[./])", line)]
    return [found for line in plain if (found := _requirement(line)) is not None]


def written_package(text: str, ecosystem: str) -> NamedPackage:
    """A package as a command names it: `requests==2`, `left-pad@1.0.0`, `golang.org/x/net@v0.1.0`."""
    if ecosystem == "PyPI":
        return _requirement(text.replace("@latest", "")) or NamedPackage(text, ecosystem, "", "")
    name, at, version = text[1:].partition("@")
    name = text[0] + name
    exact = bool(re.fullmatch(r"[v=]?\d+\.\d+\.\d+\S*", version))
    return NamedPackage(name, ecosystem, version if at else "", "", exact)


def _pyproject(text: str) -> list[NamedPackage]:
    data = tomllib.loads(text)
    project, tool = data.get("project", {}), data.get("tool", {})
    texts = [*project.get("dependencies", []), *data.get("build-system", {}).get("requires", [])]
    for group in (*project.get("optional-dependencies", {}).values(), *data.get("dependency-groups", {}).values()):
        texts += [each for each in group if isinstance(each, str)]
    found = [one for each in texts if (one := _requirement(each)) is not None]
    poetry = tool.get("poetry", {})
    tables = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    tables += [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    for table in tables:
        for name, wanted in table.items():
            version = (
                wanted if isinstance(wanted, str) else wanted.get("version", "") if isinstance(wanted, dict) else ""
            )
            if name != "python":
                found.append(
                    NamedPackage(name, "PyPI", _poetry_range(version), "", bool(re.fullmatch(r"=?=?\d[\w.]*", version)))
                )
    return found


def _poetry_range(text: str) -> str:
    """A range of Poetry's as PEP 440 writes it, for the forms with a caret or a tilde and one version."""
    found = re.fullmatch(r"([\^~])\s*(\d+(?:\.\d+)*)", text)
    if found is None:
        return "" if text == "*" else f"=={text}" if re.fullmatch(r"\d[\w.]*", text) else text
    numbers = [int(each) for each in found[2].split(".")]
    place = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
    place = place if found[1] == "^" else min(1, len(numbers) - 1)
    return f">={found[2]},<{'.'.join(map(str, [*numbers[:place], numbers[place] + 1]))}"


def _toml_lock(ecosystem: str) -> Reader:
    def read(text: str) -> list[NamedPackage]:
        rows = tomllib.loads(text).get("package", [])
        sign = "==" if ecosystem == "PyPI" else ""
        return [
            NamedPackage(row["name"], ecosystem, f"{sign}{row['version']}", "", True)
            for row in rows
            if "version" in row
        ]

    return read


def _pipfile_lock(text: str) -> list[NamedPackage]:
    data = json.loads(text)
    tables = [data.get("default", {}), data.get("develop", {})]
    return [
        NamedPackage(name, "PyPI", row.get("version", ""), "", "version" in row)
        for each in tables
        for name, row in each.items()
    ]


def _package_json(text: str) -> list[NamedPackage]:
    data = json.loads(text)
    found = []
    for key in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
        for name, version in data.get(key, {}).items():
            if re.match(r"(?:file|link|workspace|git\S*|https?|github):|\S+/\S+", version):
                continue
            alias = re.fullmatch(r"npm:(@?[^@]+)@(.+)", version)
            name, version = (alias[1], alias[2]) if alias else (name, version)
            found.append(
                NamedPackage(name, "npm", version, "", bool(re.fullmatch(r"[v=]?\d+\.\d+\.\d+[\w.+-]*", version)))
            )
    return found


def _package_lock(text: str) -> list[NamedPackage]:
    data = json.loads(text)
    found = []
    for path, row in data.get("packages", {}).items():
        if "node_modules/" in path and "version" in row and not row.get("link"):
            found.append(
                NamedPackage(row.get("name", path.rpartition("node_modules/")[2]), "npm", row["version"], "", True)
            )
    waiting: list[dict[str, Any]] = [data.get("dependencies", {})] if not found else []
    while waiting:
        for name, row in waiting.pop().items():
            found.append(NamedPackage(name, "npm", row.get("version", ""), "", True))
            waiting += [row["dependencies"]] if row.get("dependencies") else []
    return found


def _pattern(expression: re.Pattern[str], ecosystem: str) -> Reader:
    return lambda text: [NamedPackage(name, ecosystem, version, "", True) for name, version in expression.findall(text)]


def _go_mod(text: str) -> list[NamedPackage]:
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"^(?:module|replace|exclude|retract)\s+(?:\([^)]*\)|[^\n]*)", "", text, flags=re.MULTILINE)
    return [NamedPackage(name, "Go", version, "", True) for name, version in _GO.findall(text)]


def _cargo(text: str) -> list[NamedPackage]:
    data = tomllib.loads(text)
    tables = [data.get(key, {}) for key in ("dependencies", "dev-dependencies", "build-dependencies")]
    tables += [data.get("workspace", {}).get("dependencies", {})]
    for target in data.get("target", {}).values():
        tables += [target.get(key, {}) for key in ("dependencies", "dev-dependencies", "build-dependencies")]
    found = []
    for table in tables:
        for name, wanted in table.items():
            row = {"version": wanted} if isinstance(wanted, str) else wanted
            if "path" in row or "git" in row or row.get("workspace"):
                continue
            version = str(row.get("version", ""))
            found.append(NamedPackage(row.get("package", name), "crates.io", version, "", version.startswith("=")))
    return found


def _dockerfile(text: str) -> list[NamedPackage]:
    found = []
    for line in re.sub(r"\\\n", " ", text).split("\n"):
        run = re.match(r"\s*RUN\s+(?:--\S+\s+)*(.*)", line, re.IGNORECASE)
        if run:
            command = run[1]
            if command.startswith("["):
                command = " ".join(json.loads(command))
            found += installed_by(command, "")
    return found


_READERS: dict[str, Reader] = {
    "pyproject.toml": _pyproject,
    "uv.lock": _toml_lock("PyPI"),
    "poetry.lock": _toml_lock("PyPI"),
    "pdm.lock": _toml_lock("PyPI"),
    "Pipfile.lock": _pipfile_lock,
    "package.json": _package_json,
    "package-lock.json": _package_lock,
    "npm-shrinkwrap.json": _package_lock,
    "yarn.lock": _pattern(_YARN, "npm"),
    "pnpm-lock.yaml": _pattern(_PNPM, "npm"),
    "go.mod": _go_mod,
    "Cargo.toml": _cargo,
    "Cargo.lock": _toml_lock("crates.io"),
}
