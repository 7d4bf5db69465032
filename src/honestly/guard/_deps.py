"""What a project, or the agents of a study, pull in: which packages, at which versions, and what is known against them.

A package has one status, the first of these that holds: `missing` (its registry has no such name, as the given list
says), `lookalike`, `vulnerable` (the pin guarantees an advisory), `admits-vulnerable` (the range lets one in),
`yanked`, `abandoned` (its newest release is three years older than the index), `unpinned` (nothing bounds the version,
and no lock file says one), `undeclared` (a source file imports it, and no file or command names it), `unknown` (whether
it exists could not be looked up, and nothing else speaks against it), `fine`. Nothing is asked of a registry: what was
not given is unknown. Dependencies of dependencies are those that lock files name, and those that an index leads to,
where one is given.
"""

import posixpath
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult

from honestly.errors import HonestlyError
from honestly.guard._advisories import SEMVER, Advisories
from honestly.guard._downloads import RegistryCost, registry_cost
from honestly.guard._imports import is_source
from honestly.guard._index import Index, admitted, pulled_in
from honestly.guard._manifests import installed_by, is_below, named_packages, tree_texts, undeclared_packages
from honestly.guard._readers import INSTALLS, NamedPackage, lists_of, reader_of
from honestly.permissions import Effects, ShellState, effects_of, joined_of, looks_like, package_name, popular_names
from honestly.records import Edit, ToolCall, Tree, Trial, decode
from honestly.show import FittingTable, Shown, as_json, plural_text
from honestly.store import Store

STATUSES = (
    "missing", "lookalike", "vulnerable", "admits-vulnerable", "yanked",
    "abandoned", "unpinned", "undeclared", "unknown", "fine",
)  # fmt: skip
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
        yield f"{plural_text(len(self.packages), 'package')}: {said or 'no manifest, import or install was found'}."
        table = FittingTable("package", "version", "status", "why", "where", box=None)
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
    yanked: frozenset[str] | None = None,
    index: Index | None = None,
    notes: Sequence[str] = (),
) -> Dependencies:
    """Judge packages by the given advisories, names and yanked versions.

    Args:
        found: the packages, as files and commands name them.
        advisories: in OSV's format; none where nobody has looked.
        names: the names that exist, by ecosystem.
        yanked: `NAME==VERSION` or `NAME@VERSION`, with the name as its registry compares it; none where nobody looked.
        index: the versions of each package and what they need: what is pulled in at second hand is judged, too.
        notes: what could not be read.
    """
    found = list(found)
    taken_back = yanked or frozenset()
    if index is not None:
        more, unresolved = pulled_in([each for each in found if not each.imported], index, taken_back)
        found += more
        notes = (*notes, *unresolved)
    newest = max((row.released for rows in (index or {}).values() for row in rows), default="")
    places: dict[tuple[str, str, str, bool, bool], list[str]] = defaultdict(list)
    needed = {(each.ecosystem, each.name) for each in found if not each.optional}
    for each in found:
        key = each.ecosystem, each.name, each.version, each.pinned, each.imported
        if each.where not in places[key]:
            places[key].append(each.where)
    locked = _pin_folders(places)
    unknown = list(notes)
    packages = []
    for (ecosystem, name, version, pinned, imported), where in places.items():
        plain = package_name(ecosystem, name)
        known_hits = advisories if advisories is not None and not imported else Advisories()
        hit, unread = known_hits.about(ecosystem, name, version, pinned=pinned)
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
        elif not imported and _lacks(index or {}, ecosystem, name, version):
            status, note = "missing", "the index has no such version"
        elif imported:
            status, note = "undeclared", "imported; its package may have another name"
        elif hit:
            all_hit = not pinned and _all_hit(known_hits, index or {}, taken_back, (ecosystem, name, version))
            status = "vulnerable" if pinned or all_hit else "admits-vulnerable"
            note = "so is every version that its range lets in" if all_hit else ""
        else:
            of_index = max((row.released for row in (index or {}).get((ecosystem, plain), ())), default="")
            bounded = pinned or not _open_ended(version) or _is_locked(where, locked[ecosystem, plain])
            exact = re.sub(r"^[=v]+", "", version)
            note = f"joins {joined}" if joined and known is None and not pinned else ""
            status = (
                "yanked" if {f"{plain}=={exact}", f"{plain}@{exact}"} & taken_back
                else "abandoned" if _years_before(of_index, newest)
                else "unpinned" if not bounded
                else "fine" if known is not None and advisories is not None and not unread
                else "unknown"
            )  # fmt: skip
        packages.append(JudgedPackage(name, ecosystem, version, status, tuple(hit), tuple(where), note))
    unknown += _not_looked_up({each.ecosystem for each in packages}, advisories, names or {})
    if yanked is None:
        unknown.append("which versions are yanked; give them with --yanked FILE, as NAME==VERSION")
    return Dependencies(tuple(packages), tuple(dict.fromkeys(unknown)))


def _pin_folders(
    places: Mapping[tuple[str, str, str, bool, bool], Sequence[str]],
) -> defaultdict[tuple[str, str], set[str]]:
    """The folders in which each package is pinned."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for (ecosystem, name, _, pinned, _), where in places.items():
        found[ecosystem, package_name(ecosystem, name)] |= {posixpath.dirname(each) for each in where if pinned}
    return found


def _is_locked(where: Iterable[str], folders: Iterable[str]) -> bool:
    """Whether each of these files has a pin in its folder, or in one above it."""
    return all(any(is_below(posixpath.dirname(each), folder) for folder in folders) for each in where)


def _all_hit(advisories: Advisories, index: Index, yanked: frozenset[str], package: tuple[str, str, str]) -> bool:
    """Whether advisories speak of every version of an index that a range lets in."""
    ecosystem, name, version = package
    try:
        rows = admitted(index, ecosystem, name, [version], yanked)
    except ValueError:
        return False
    pins = [f"=={row.version}" if ecosystem == "PyPI" else row.version for row in rows]
    return bool(pins) and all(advisories.about(ecosystem, name, each, pinned=True)[0] for each in pins)


def _lacks(index: Index, ecosystem: str, name: str, version: str) -> bool:
    """Whether an index has a name, and no version that a range lets in."""
    try:
        return (ecosystem, package_name(ecosystem, name)) in index and not admitted(index, ecosystem, name, [version])
    except ValueError:
        return False


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
        first, shell, texts, lists = len(found), ShellState(), dict[str, str](), dict[str, str]()
        for number, step in enumerate(steps.steps, 1):
            before, where = len(found), f"{trial.id} step {number}"
            for call in step.calls:
                command = call.argument("command") or call.argument("cmd")
                text = shlex.join(map(str, command)) if isinstance(command, list) else command
                if isinstance(text, str):
                    effects = effects_of(text, state=shell)
                    shell.commit()
                    found += installed_by(effects, where)
                    notes += _unread_of(text, effects, where)
                    lists |= {posixpath.basename(each): where for each in lists_of(effects)}
                elif (said := _edited(call, texts)) is not None:
                    notes.append(f"{where}: an edit of {said}, whose text is not known")
            if len(found) > before or any(_SYNCS.search(each) for each in map(str, step.calls)):
                outputs += [(trial.id, each.text) for each in step.observations]
        if _FINAL in study.artifacts(trial.id):
            more, unread = _written_in(study, trial, given, found[first:])
        else:
            texts = _kept_by(shell) | texts
            more, unread = _written_by(trial.id, texts, found[first:])
            known = set(map(posixpath.basename, texts))
            unread += [
                f"{where}: {each}, a list that is installed, is not known"
                for each, where in lists.items()
                if each not in known
            ]
        found, notes = found + more, notes + unread
    return found, registry_cost(outputs), notes


def _unread_of(command: str, effects: Effects, where: str) -> list[str]:
    """Where a command may install what could not be read."""
    if effects.doubts and not effects.packages and INSTALLS.search(command):
        return [f"{where}: {' '.join(command.split())[:60]}: {effects.doubts[0]}"]
    return []


_WRITTEN = (("file_path", "path", "filename"), ("content", "contents", "file_text", "text", "new_source"))
"""Where calls of tools name a file, and the whole text that it gets."""


def _edited(call: ToolCall, texts: dict[str, str]) -> str | None:
    """Keeps the text of a file that a call writes; the file, where it is a manifest whose text is not known then."""
    path, content = (
        next((given for key in keys if isinstance(given := call.argument(key), str)), None) for keys in _WRITTEN
    )
    if path is None:
        return None
    plain = path.removeprefix("/")
    old, new = (
        call.argument("old_string") or call.argument("old_str"),
        call.argument("new_string") or call.argument("new_str"),
    )
    if isinstance(content, str):
        texts[plain] = content
    elif isinstance(old, str) and isinstance(new, str):
        if old not in texts.get(plain, ""):
            return path if reader_of(plain) or is_source(plain) else None
        texts[plain] = texts[plain].replace(old, new, 1)
    return None


def _kept_by(shell: ShellState) -> dict[str, str]:
    """The texts of files that commands wrote, as far as they can be worked out."""
    files = shell.known.get("files")
    return {path.lstrip("/"): text for path, text in files.items()} if isinstance(files, dict) else {}


def _written_by(
    trial: str, texts: Mapping[str, str], installed: Sequence[NamedPackage]
) -> tuple[list[NamedPackage], list[str]]:
    """What files that calls wrote declare, or import and nothing declares, where nobody kept the trial's files."""
    named, unread = named_packages(texts)
    imported, unparsed = undeclared_packages(texts, texts, [*named, *installed])
    placed = [each._replace(where=f"{trial} {each.where}") for each in [*named, *imported]]
    return placed, [f"trial {trial}: {each}" for each in [*unread, *unparsed]]


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
