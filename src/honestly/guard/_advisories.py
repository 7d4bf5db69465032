"""Advisories in OSV's format, from a folder or a zip archive: which versions and ranges of a package they speak of.

A pin is vulnerable if an advisory names its version, or if it lies in one of its ranges. A range *admits* a vulnerable
version if some version is in both: each end of either, and one just above it, is tried, beside all versions that the
advisory lists. PEP 440 is read by `packaging`, npm, crates and Go as semver. Ranges of git commits are not read.
"""

import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from honestly.errors import SettingsError
from honestly.guard._semver import SemVersion, admits, semantic_range, semantic_version
from honestly.permissions import package_name

_LARGEST, _MOST = 4 << 20, 500_000
SEMVER = frozenset({"npm", "crates.io", "Go"})
_ECOSYSTEMS = SEMVER | {"PyPI", "RubyGems", "conda", "Debian"}


@dataclass
class Advisories:
    """Advisories by ecosystem and name."""

    rows: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = field(default_factory=lambda: defaultdict(list))
    unread: int = 0
    """Files that are no advisory."""

    def ecosystems(self) -> set[str]:
        """What they speak of."""
        return {ecosystem for ecosystem, _ in self.rows}

    def about(self, ecosystem: str, name: str, version: str, *, pinned: bool) -> tuple[list[str], list[str]]:
        """The advisories that a pin is guaranteed, or a range admits; and versions that could not be compared."""
        hit, unread = [], []
        for identity, affected in self.rows.get((ecosystem, package_name(ecosystem, name)), []):
            try:
                found = (
                    _pypi_hit(affected, version)
                    if ecosystem == "PyPI"
                    else _semver_hit(affected, ecosystem, version, pinned)
                )
            except ValueError:
                unread.append(f"{name[:80]} {version[:80]}: not comparable with {identity}")
                continue
            if found:
                hit.append(identity)
        return hit, unread


def read_advisories(path: Path) -> Advisories:
    """The advisories in a folder, a zip archive or a file.

    Raises:
        SettingsError: There is none.
    """
    found = Advisories()
    try:
        for data in _documents(path):
            _add_advisory(found, data)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise SettingsError(f"{path}: advisories cannot be read: {error}") from error
    if not found.rows:
        raise SettingsError(f"{path}: there is no advisory in OSV's format; expected JSON files with `affected`")
    return found


def _documents(path: Path) -> Iterator[bytes]:
    if path.is_file() and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist()[:_MOST]:
                if entry.filename.endswith(".json") and entry.file_size <= _LARGEST:
                    yield archive.read(entry)
    elif path.is_dir():
        for number, each in enumerate(sorted(path.rglob("*.json"))):
            if number < _MOST and each.is_file() and not each.is_symlink() and each.stat().st_size <= _LARGEST:
                yield each.read_bytes()
    else:
        yield path.read_bytes()


def _add_advisory(found: Advisories, data: bytes) -> None:
    try:
        row = json.loads(data)
        if row.get("withdrawn"):
            return
        for affected in row["affected"]:
            if package := affected.get("package"):
                ecosystem = package["ecosystem"].partition(":")[0]
                found.rows[ecosystem, package_name(ecosystem, package["name"])].append((row["id"], affected))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        found.unread += 1


def _intervals(affected: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Where each range of an advisory begins, where it is fixed (or empty), and the last affected (or empty)."""
    for each in affected.get("ranges", []):
        if each.get("type") == "GIT":
            continue
        begin = None
        for event in each.get("events", []):
            if "introduced" in event:
                begin = event["introduced"]
            elif begin is not None and ("fixed" in event or "last_affected" in event):
                yield begin, event.get("fixed", ""), event.get("last_affected", "")
                begin = None
        if begin is not None:
            yield begin, "", ""


def _pypi_hit(affected: dict[str, Any], text: str) -> bool:
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    wanted = SpecifierSet(text if not text.startswith("@") else "")
    tried: set[Version] = set()
    listed: set[Version] = set()
    for each in affected.get("versions", []):
        try:
            listed.add(Version(each))
        except InvalidVersion:
            continue
    spans = []
    for begin, fixed, last in _intervals(affected):
        spans.append((Version(begin), Version(fixed) if fixed else None, Version(last) if last else None))
        tried |= {Version(end) for end in (begin, last) if end}
    tried |= {Version(each.version.removesuffix(".*")) for each in wanted}
    tried |= {Version(f"{each.base_version}.0.1") for each in tried}

    def is_affected(version: Version) -> bool:
        inside = any(a <= version and (f is None or version < f) and (z is None or version <= z) for a, f, z in spans)
        return inside or version in listed

    exact = any(each.operator in {"==", "==="} and not each.version.endswith("*") for each in wanted)
    early = bool(exact or wanted.prereleases)
    return any(wanted.contains(each, prereleases=early) and is_affected(each) for each in listed | tried)


def _semver_hit(affected: dict[str, Any], ecosystem: str, text: str, pinned: bool) -> bool:
    wanted_text = f"^{text}" if ecosystem == "crates.io" and not pinned and text[:1].isdigit() else text
    alternatives = semantic_range(wanted_text.removeprefix("v").replace(",", " ") or "*")
    if alternatives is None:
        raise ValueError(text)
    listed = {version for each in affected.get("versions", []) if (version := semantic_version(each)) is not None}
    spans = [(_semver(begin), _semver(fixed), _semver(last)) for begin, fixed, last in _intervals(affected)]
    ends = {end for span in spans for end in (span[0], span[2]) if end is not None}
    tried = ends | {bound for each in alternatives for _, bound in each} | {_semver("0")}
    tried |= {SemVersion((*each.numbers[:2], each.numbers[2] + 1)) for each in tried if each is not None}

    def is_affected(version: SemVersion) -> bool:
        for begin, fixed, last in spans:
            after = begin is not None and begin.order_key() <= version.order_key()
            before = (fixed is None or version.order_key() < fixed.order_key()) and (
                last is None or version.order_key() <= last.order_key()
            )
            if after and before:
                return True
        return version in listed

    return any(each is not None and admits(alternatives, each) and is_affected(each) for each in listed | tried)


def _semver(text: str) -> SemVersion | None:
    if not text:
        return None
    found = semantic_version(text if text.count(".") > 1 else f"{text}{'.0' * (2 - text.count('.'))}")
    if found is None:
        raise ValueError(text)
    return found


def known_names(given: Iterable[tuple[str, Path]]) -> dict[str, frozenset[str]]:
    """The names that exist, by ecosystem, from files with one a line.

    Raises:
        SettingsError: A file cannot be read.
    """
    found: dict[str, frozenset[str]] = {}
    for ecosystem, path in given:
        try:
            lines = path.read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{path}: names cannot be read: {error}") from error
        names = frozenset(package_name(ecosystem, line.strip()) for line in lines if line.strip())
        found[ecosystem] = found.get(ecosystem, frozenset()) | names
    return found


def read_yanked(path: Path) -> frozenset[str]:
    """The yanked versions in a file, `NAME==VERSION` or `NAME@VERSION`, one per line; names in any spelling of PyPI's.

    Raises:
        SettingsError: The file cannot be read, or a line lacks a version.
    """
    found = set[str]()
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: yanked versions cannot be read: {error}") from error
    for number, line in enumerate(map(str.strip, lines), 1):
        if said := re.fullmatch(r"(.+?)(==|@)([^\s=@]+)", line):
            found |= {line, f"{package_name('PyPI', said[1])}{said[2]}{said[3]}"}
        elif line:
            raise SettingsError(f"{path}, line {number}: expected NAME==VERSION or NAME@VERSION, found {line[:80]!r}")
    return frozenset(found)


def named_files(given: Iterable[str]) -> dict[str, frozenset[str]]:
    """The names that exist, by ecosystem, from texts such as `PyPI=names.txt`.

    Raises:
        SettingsError: One is no such text, or its file cannot be read.
    """
    pairs = [each.partition("=") for each in given]
    for each in pairs:
        if not each[2]:
            raise SettingsError(f"names are given as ECOSYSTEM=FILE, such as PyPI=names.txt, not {each[0]!r}")
        if each[0] not in _ECOSYSTEMS:
            raise SettingsError(f"--names: found {each[0]!r}; expected one of {', '.join(sorted(_ECOSYSTEMS))}")
    return known_names((ecosystem, Path(file)) for ecosystem, _, file in pairs)
