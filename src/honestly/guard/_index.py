"""What a project pulls in at second hand: resolution over an index that is given, and nothing else.

An index is a file with a JSON object a line: `name`, `version`, `requires` (requirements as their ecosystem writes
them), `ecosystem` (PyPI where it is not said), `released` (a date). Of each name the newest version is taken that all
requirements on the way allow, and its requirements follow, until nothing changes; nothing is tried again with an older
version of its parent, as `pip` would: where no version fits all, that is said. Markers that name an extra are left out.
"""

import json
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honestly.errors import SettingsError
from honestly.guard._advisories import SEMVER
from honestly.guard._readers import NamedPackage, written_package
from honestly.guard._semver import admits, semantic_range, semantic_version
from honestly.permissions import package_name

_LARGEST, _ROUNDS, _MOST, _LONGEST_WAY = 512 << 20, 50, 20_000, 400


@dataclass(frozen=True, slots=True)
class IndexedVersion:
    """One version of a package."""

    version: str
    requires: tuple[str, ...]
    released: str = ""


Index = Mapping[tuple[str, str], Sequence[IndexedVersion]]
"""The versions of each ecosystem's names."""


def read_index(path: Path) -> Index:
    """The index in a file.

    Raises:
        SettingsError: It cannot be read, or a line is none.
    """
    found: dict[tuple[str, str], list[IndexedVersion]] = defaultdict(list)
    number = 0
    try:
        if path.stat().st_size > _LARGEST:
            raise SettingsError(f"{path}: it has more than {_LARGEST >> 20} MiB")
        for line in path.read_text("utf-8").split("\n"):
            number += 1
            if line.strip():
                row = json.loads(line)
                ecosystem = row.get("ecosystem", "PyPI")
                needed = tuple(map(str, row.get("requires") or ()))
                key = ecosystem, package_name(ecosystem, row["name"])
                found[key].append(IndexedVersion(str(row["version"]), needed, str(row.get("released") or "")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise SettingsError(
            f"{path}, line {number}: not read ({error}); expected JSON with name, version and requires"
        ) from error
    return found


def admitted(
    index: Index, ecosystem: str, name: str, ranges: Iterable[str], yanked: frozenset[str] = frozenset()
) -> list[IndexedVersion]:
    """The versions of a package that all these ranges let in, oldest first; early ones and those that were taken back
    only where there are no others.

    Raises:
        ValueError: A range or a version cannot be compared.
    """
    plain = package_name(ecosystem, name)
    rows = index.get((ecosystem, plain), ())
    version_key, fits, early = _pypi(ranges) if ecosystem == "PyPI" else _semver(ecosystem, ranges)
    fitting = sorted((row for row in rows if fits(row.version)), key=lambda row: version_key(row.version))
    final = [row for row in fitting if not early(row.version)] or fitting
    return [row for row in final if not {f"{plain}=={row.version}", f"{plain}@{row.version}"} & yanked] or final


_Compared = tuple[Callable[[str], Any], Callable[[str], bool], Callable[[str], bool]]
"""What versions of an ecosystem are ordered by, whether a range lets one in, and whether it is an early one."""


def _pypi(ranges: Iterable[str]) -> _Compared:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    wanted = SpecifierSet(",".join(each for each in ranges if each.strip() and not each.startswith("@")))
    told = bool(wanted.prereleases)
    return (
        Version,
        lambda text: wanted.contains(text, prereleases=True),
        lambda text: not told and Version(text).is_prerelease,
    )


def _semver(ecosystem: str, ranges: Iterable[str]) -> _Compared:
    if ecosystem not in SEMVER:
        raise ValueError(f"versions of {ecosystem} are not compared")
    wanted = [
        semantic_range(f"^{each}" if ecosystem != "npm" and each[:1].isdigit() else each or "*") for each in ranges
    ]
    if None in wanted:
        raise ValueError("a range is not understood")

    def version_key(text: str) -> Any:  # noqa: ANN401 - what versions of an ecosystem are ordered by
        found = semantic_version(text.removeprefix("v"))
        return () if found is None else found.order_key()

    def fits(text: str) -> bool:
        found = semantic_version(text.removeprefix("v"))
        return found is not None and all(each is not None and admits(each, found) for each in wanted)

    return version_key, fits, lambda _: False


def pulled_in(
    found: Sequence[NamedPackage], index: Index, yanked: frozenset[str] = frozenset()
) -> tuple[list[NamedPackage], list[str]]:
    """The indirect dependencies of packages, each with its range and path; and what was not resolved."""
    roots = [(each.ecosystem, each.name, each.version, each.where) for each in found]
    needed: list[tuple[str, str, str, str]] = []
    chosen: dict[tuple[str, str], str] = {}
    notes: list[str] = []
    for _ in range(_ROUNDS):
        ranges: dict[tuple[str, str], list[str]] = defaultdict(list)
        for ecosystem, name, version, _where in (*roots, *needed):
            ranges[ecosystem, package_name(ecosystem, name)].append(version)
        before, notes = chosen, []
        chosen, needed = {}, []
        waiting = deque(dict.fromkeys((e, package_name(e, n), f"{w}: {n}") for e, n, _, w in roots))
        while waiting and len(needed) < _MOST:
            ecosystem, name, way = waiting.popleft()
            if (ecosystem, name) in chosen:
                continue
            row, note = _newest(index, ecosystem, name, ranges[ecosystem, name], yanked)
            chosen[ecosystem, name] = row.version if row else ""
            notes += [f"{way}: {note}"] if note else []
            for each in _requirements(ecosystem, row) if row else ():
                step = f"{way} {row.version}" if row else way
                step = step if len(step) < _LONGEST_WAY else f"{step[:80]} … {step[-80:]}"
                needed.append((ecosystem, each.name, each.version, step))
                waiting.append((ecosystem, package_name(ecosystem, each.name), f"{step} > {each.name}"))
        notes += [f"there are more than {_MOST:,} requirements; the others were not followed"] if waiting else []
        if chosen == before:
            break
    else:
        notes.append(f"resolution did not settle in {_ROUNDS} rounds")
    return [
        NamedPackage(name, ecosystem, version, way, pinned=bool(re.fullmatch(r"={2,3}[^*,]+", version)))
        for ecosystem, name, version, way in dict.fromkeys(needed)
    ], notes


def _newest(
    index: Index, ecosystem: str, name: str, ranges: Sequence[str], yanked: frozenset[str]
) -> tuple[IndexedVersion | None, str]:
    if (ecosystem, name) not in index:
        return None, "the index does not have it"
    try:
        rows = admitted(index, ecosystem, name, ranges, yanked)
    except ValueError as error:
        return None, str(error)
    wanted = " and ".join(dict.fromkeys(each or "any" for each in ranges))
    return (rows[-1], "") if rows else (None, f"no version in the index fits {wanted}")


def _requirements(ecosystem: str, row: IndexedVersion) -> Iterator[NamedPackage]:
    for text in row.requires:
        if re.search(r";.*\bextra\b", text):
            continue
        yield written_package(text.strip(), ecosystem)
