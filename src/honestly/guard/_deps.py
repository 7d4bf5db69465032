"""What a project, or the agents of a study, pull in: which packages, at which versions, and what is known against them.

A package has one status, the first of these that holds: `missing` (its registry has no such name, as the given list
says), `lookalike`, `vulnerable` (the pin guarantees an advisory), `admits-vulnerable` (the range lets one in),
`yanked`, `abandoned` (its newest release is three years older than the index), `unpinned` (nothing bounds the version,
and no lock file says one), `undeclared` (a source file imports it, and no file or command names it), `unknown` (whether
it exists could not be looked up, and nothing else speaks against it), `fine`. Nothing is asked of a registry: what was
not given is unknown. Dependencies of dependencies are those that lock files name, and those that an index leads to,
where one is given.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table

from honestly.errors import HonestlyError
from honestly.guard._advisories import SEMVER, Advisories
from honestly.guard._downloads import RegistryCost, registry_cost
from honestly.guard._index import Index, IndexedVersion, admitted, pulled_in, without_yanked
from honestly.guard._manifests import NamedPackage, installed_by, named_packages, tree_texts, undeclared_packages
from honestly.permissions import joined_of, looks_like, package_name, popular_names
from honestly.records import Edit, Tree, Trial, decode
from honestly.show import Shown, as_json, plural_text
from honestly.store import Store

STATUSES = (
    "missing",
    "lookalike",
    "vulnerable",
    "admits-vulnerable",
    "yanked",
    "abandoned",
    "unpinned",
    "undeclared",
    "unknown",
    "fine",
)
_OPEN = re.compile(r"(?:>=?|!=)[^,<|~^ ]*(?:,\s*(?:>=?|!=)[^,<|~^ ]*)*")
_SHOWN = 200
_FINAL = "final.json"
_LOOKALIKE = "looks like {}"
_SYNCS = re.compile(r"\b(?:install|sync|ci|fetch|download|build|get)\b")


@dataclass(frozen=True, slots=True)
class JudgedPackage:
    """A package, and what is known of it."""

    name: str
    ecosystem: str
    version: str
    """As it is written: a range, a pin, or nothing."""
    status: str
    advisories: tuple[str, ...]
    where: tuple[str, ...]
    """Files, or trials with the number of the step."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Dependencies(Shown):
    """The packages that a project or a study pulls in."""

    packages: tuple[JudgedPackage, ...]
    unknown: tuple[str, ...]
    """What could not be looked up or read, one line each."""
    registries: RegistryCost | None = None
    """Of a study: what its trials fetched."""

    main_table = "packages"

    def to_plain(self) -> dict[str, Any]:
        """A row for each package, and what could not be looked up."""
        keys = ("name", "ecosystem", "version", "status", "note")
        rows = [
            {
                **{key: getattr(each, key) for key in keys},
                "advisories": list(each.advisories),
                "where": list(each.where),
            }
            for each in self.packages
        ]
        cost = {"registries": as_json(self.registries)} if self.registries else {}
        return {"packages": rows, "unknown": list(self.unknown), **cost}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Counts by status, a table of all that is not fine, and what could not be looked up."""
        counts = Counter(each.status for each in self.packages)
        said = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        yield f"{plural_text(len(self.packages), 'package')}: {said or 'none'}."
        table = Table("package", "version", "status", "why", "where", box=None)
        shown = sorted(self.packages, key=lambda each: STATUSES.index(each.status))
        told = [one for one in shown if one.status not in {"fine", "unknown"}]
        for each in told[:_SHOWN]:
            why = ", ".join((*each.advisories[:3], *([each.note] if each.note else [])))
            places = ", ".join(each.where[:2]) + (f" and {len(each.where) - 2} more" if len(each.where) > 2 else "")
            table.add_row(f"{each.ecosystem}: {each.name[:80]}", each.version[:80], each.status, why, places)
        if table.row_count:
            yield table
        if len(told) > _SHOWN:
            yield f"And {len(told) - _SHOWN} more; --json has them all."
        if (cost := self.registries) is not None:
            yield (
                f"Fetched from registries, as far as it was printed: {plural_text(cost.requests, 'file')}, "
                f"{cost.bytes:,} bytes; {cost.cached} from a cache, {cost.repeats} again by another trial."
            )
        for line in self.unknown[:_SHOWN]:
            yield f"Not known: {line[:300]}"


def judge_packages(
    found: Iterable[NamedPackage],
    *,
    advisories: Advisories | None = None,
    names: Mapping[str, frozenset[str]] | None = None,
    yanked: frozenset[str] = frozenset(),
    index: Index | None = None,
    notes: Sequence[str] = (),
) -> Dependencies:
    """Judge packages by what is given of advisories, names and yanked versions.

    Args:
        found: the packages, as files and commands name them.
        advisories: in OSV's format; none where nobody has looked.
        names: the names that exist, by ecosystem.
        yanked: `NAME==VERSION` or `NAME@VERSION`, with the name as its registry compares it.
        index: the versions of each package and what they need: what is pulled in at second hand is judged, too.
        notes: what could not be read.
    """
    found = list(found)
    if index is not None:
        more, unresolved = pulled_in([each for each in found if not each.imported], without_yanked(index, yanked))
        found += more
        notes = (*notes, *unresolved)
    newest = max((row.released for rows in (index or {}).values() for row in rows), default="")
    places: dict[tuple[str, str, str, bool, bool], list[str]] = defaultdict(list)
    needed = {(each.ecosystem, each.name) for each in found if not each.optional}
    for each in found:
        key = each.ecosystem, each.name, each.version, each.pinned, each.imported
        if each.where not in places[key]:
            places[key].append(each.where)
    locked = {(e, package_name(e, n)) for e, n, _, pinned, _ in places if pinned}
    unknown = list(notes)
    packages = []
    for (ecosystem, name, version, pinned, imported), where in places.items():
        plain = package_name(ecosystem, name)
        hit: list[str] = []
        if advisories is not None and not imported:
            hit, unread = advisories.about(ecosystem, name, version, pinned=pinned)
            unknown += unread
        known = (names or {}).get(ecosystem)
        like = looks_like(plain, popular_names(ecosystem))
        joined = joined_of(plain, popular_names(ecosystem))
        if known is not None and plain not in known:
            other = "imported; its package may have another name" if imported else ""
            status, note = "missing", _LOOKALIKE.format(like) if like else f"joins {joined}" if joined else other
        elif like and (known is None or not pinned):
            status, note = "lookalike", _LOOKALIKE.format(like)
        elif imported and (ecosystem, name) not in needed:
            continue
        elif imported:
            status, note = "undeclared", "imported; its package may have another name"
        elif hit and advisories is not None:
            rows = _let_in(index or {}, ecosystem, name, version)
            pins = [f"=={row.version}" if ecosystem == "PyPI" else row.version for row in rows]
            all_hit = bool(pins) and all(advisories.about(ecosystem, name, each, pinned=True)[0] for each in pins)
            status = "vulnerable" if pinned or all_hit else "admits-vulnerable"
            note = "so is every version that its range lets in" if all_hit and not pinned else ""
        else:
            of_index = max((row.released for row in (index or {}).get((ecosystem, plain), ())), default="")
            bounded = pinned or not _open_ended(version) or (ecosystem, plain) in locked
            exact = re.sub(r"^[=v]+", "", version)
            lacks = (ecosystem, plain) in (index or {}) and not _let_in(index or {}, ecosystem, name, version)
            note = f"joins {joined}" if joined and known is None and not pinned else ""
            status = (
                "yanked" if {f"{plain}=={exact}", f"{plain}@{exact}"} & yanked
                else "abandoned" if _years_before(of_index, newest)
                else "unpinned" if not bounded
                else "fine" if known is not None and advisories is not None and not lacks
                else "unknown"
            )  # fmt: skip
            note = note or ("the index has no such version" if lacks else "")
        packages.append(JudgedPackage(name, ecosystem, version, status, tuple(hit), tuple(where), note))
    unknown += _not_looked_up({each.ecosystem for each in packages}, advisories, names or {})
    unknown += [] if yanked else ["which versions are yanked; give them with --yanked FILE, as NAME==VERSION"]
    return Dependencies(tuple(packages), tuple(dict.fromkeys(unknown)))


def _let_in(index: Index, ecosystem: str, name: str, version: str) -> Sequence[IndexedVersion]:
    try:
        return admitted(index, ecosystem, name, [version])
    except ValueError:
        return ()


def _years_before(date: str, newest: str) -> bool:
    """Whether a date lies three years before another; not where one is missing or no date."""
    dates = [re.match(r"(\d{4})(-\d\d-\d\d)", each) for each in (date, newest)]
    return all(dates) and f"{int(dates[0][1]) + 3}{dates[0][2]}" < newest[:10]  # type: ignore[index]


def installed_in(study: Store) -> tuple[list[NamedPackage], RegistryCost, list[str]]:
    """The packages that trials install, declare and import; what they fetched from registries; what was not read."""
    found: list[NamedPackage] = []
    outputs: list[tuple[str, str]] = []
    notes: list[str] = []
    given: dict[str, _Given] = {}
    for trial in study.trials():
        steps = study.trajectory(trial.id)
        if steps is None:
            notes.append(f"trial {trial.id}: it has no trajectory")
            continue
        first = len(found)
        for number, step in enumerate(steps.steps, 1):
            before = len(found)
            for call in step.calls:
                command = call.argument("command") or call.argument("cmd")
                text = shlex.join(map(str, command)) if isinstance(command, list) else command
                if isinstance(text, str):
                    found += installed_by(text, f"{trial.id} step {number}")
            if len(found) > before or any(_SYNCS.search(each) for each in map(str, step.calls)):
                outputs += [(trial.id, each.text) for each in step.observations]
        if _FINAL not in study.artifacts(trial.id):
            notes.append(f"trial {trial.id}: what files it wrote is not on record, so what those name is not known")
        else:
            more, unread = _written_in(study, trial, given, found[first:])
            found, notes = found + more, notes + unread
    return found, registry_cost(outputs), notes


class _Given(NamedTuple):
    """What a task's files say before a trial."""

    tree: Tree
    named: frozenset[NamedPackage]
    """Without their places."""
    imported: frozenset[tuple[str, str]]
    """Names and ecosystems that its files import, and nothing declares."""


def _given_by(study: Store, task: str) -> _Given:
    tree = study.task(task).workspace
    texts = tree_texts(tree)
    named, _ = named_packages(texts)
    imported, _ = undeclared_packages(texts, texts, named)
    return _Given(
        tree, frozenset(each._replace(where="") for each in named), frozenset((e.name, e.ecosystem) for e in imported)
    )


def _written_in(
    study: Store, trial: Trial, given: dict[str, _Given], installed: Sequence[NamedPackage]
) -> tuple[list[NamedPackage], list[str]]:
    """What files that a trial wrote declare anew, or import and nothing declares."""
    try:
        edit = decode(study.artifact(trial.id, _FINAL), Edit)
        before = given[trial.task] = given.get(trial.task) or _given_by(study, trial.task)
    except HonestlyError as error:
        return [], [f"trial {trial.id}: {error}"]
    after = tree_texts(edit.apply(before.tree))
    written = [path for path in edit.write.files if path in after]
    named, unread = named_packages({path: after[path] for path in written})
    declared, _ = named_packages(after)
    found = [each for each in named if each._replace(where="") not in before.named]
    imported, unparsed = undeclared_packages(after, written, [*declared, *installed])
    found += [each for each in imported if each[:2] not in before.imported]
    placed = [each._replace(where=f"{trial.id} {each.where}") for each in found]
    return placed, [f"trial {trial.id}: {each}" for each in [*unread, *unparsed]]


def _not_looked_up(
    ecosystems: set[str], advisories: Advisories | None, names: Mapping[str, frozenset[str]]
) -> list[str]:
    lines = []
    for ecosystem in sorted(ecosystems):
        if ecosystem not in names:
            lines.append(f"which {ecosystem} names exist; give them with --names {ecosystem}=FILE, one a line")
        if advisories is None or ecosystem not in advisories.ecosystems():
            lines.append(f"advisories on {ecosystem}; give them with --advisories DIR or ARCHIVE, in OSV's format")
        if ecosystem != "PyPI" and ecosystem not in SEMVER:
            lines.append(f"ranges of {ecosystem}, whose versions are not compared")
    if advisories is not None and advisories.unread:
        lines.append(f"{plural_text(advisories.unread, 'file')} among the advisories that hold none")
    return lines


def _open_ended(version: str) -> bool:
    """Whether nothing bounds a version from above."""
    text = version.strip()
    return text in {"", "*", "x", "latest"} or bool(_OPEN.fullmatch(text))
