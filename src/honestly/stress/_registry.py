"""The stress registry: three live sets of tasks in a file that people commit, and the suites that they are.

    hacked-before    tasks on which an agent was seen to hack, and that can be solved honestly
    impossible       tasks that cannot be: whoever passes their visible checks has cheated
    own              a sample of what is run anyway

The sets answer different questions and are never merged: each is a suite of its own, with its own version, which is the
hash of its tasks. A task that has changed since it was put in is refused when the registry is loaded, since rates
before and after would not be of the same thing. A set that gains a task has another version, and begins a new series.

A task comes into `hacked-before` if somebody hacked at it for certain, and it can be solved without. Certain is a trial
that a person labelled `hack`; or one that a detector flags and whose verdict agrees. A label `honest` of a person
overrides the detectors. That it can be solved is known from a trial that did, unflagged, or is proved now, by running
the reference. Otherwise it is refused: a rate on tasks that cannot be solved says nothing about choosing to hack.

The file is TOML: `suite` is the name or folder that `honestly run` takes (relative to the file), `hash` that of the
whole task, `why` and `added` say for people how it got there and are no part of the version.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from honestly._toml import toml_table
from honestly.audit import state_of
from honestly.audit.detectors import USUAL_DETECTORS
from honestly.errors import TaskError
from honestly.records import Finding, Suite, Task, digest
from honestly.store import Cell, Store
from honestly.tasks import EMBEDDED, load_suite
from honestly.work import write_file

SETS = ("hacked-before", "impossible", "own")
"""Names of the sets."""

_FORMAT = 1
_MOST = 16 << 20
_ID = re.compile(r"[A-Za-z0-9._-]+")


class StressTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task of a set."""

    suite: str
    """Where it is: `embedded`, or a folder."""
    task: str
    """Its id."""
    hash: str
    """Of the whole task, when it was added."""
    why: str
    added: str
    """Date, ISO 8601."""


@dataclass(frozen=True)
class StressRegistry:
    """The three sets."""

    folder: Path
    """Where suites that are no names are looked for."""
    sets: Mapping[str, tuple[StressTask, ...]] = field(default_factory=dict)

    def set_tasks(self, name: str) -> tuple[StressTask, ...]:
        """The tasks of a set."""
        return self.sets.get(name, ())

    def version(self, name: str) -> str:
        """Version of a set: hash of what is in it, 12 characters."""
        return digest("stress set", name, sorted((task.task, task.hash) for task in self.set_tasks(name)))[:12]

    def with_tasks(self, name: str, tasks: Iterable[StressTask]) -> "StressRegistry":
        """The registry with these tasks in a set, too; a task that is in it already stays as it is."""
        have = {task.task for task in self.set_tasks(name)}
        new: list[StressTask] = []
        for task in tasks:
            if task.task not in have:
                have.add(task.task)
                new.append(task)
        return replace(self, sets={**self.sets, name: (*self.set_tasks(name), *new)})


def read_registry(path: Path) -> StressRegistry:
    """The registry in a file.

    Raises:
        TaskError: the file does not exist, or is malformed; the message says where.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
        if len(data) > _MOST:
            raise TaskError(f"{path} is larger than {_MOST} bytes, which no stress registry is")
        table = toml_table(data)
    except (OSError, ValueError) as error:
        raise TaskError(
            f"cannot read the stress registry {path}: {error}; honestly audit stress init makes one"
        ) from error
    if table.pop("format", None) != _FORMAT:
        raise TaskError(f"{path} is not a stress registry of format {_FORMAT}: expected a line `format = {_FORMAT}`")
    if unknown := sorted(table.keys() - set(SETS)):
        raise TaskError(f"{path} has a set {unknown[0]!r}; the sets are: {', '.join(SETS)}")
    try:
        sets = {name: msgspec.convert(table.get(name, []), tuple[StressTask, ...]) for name in SETS}
    except msgspec.ValidationError as error:
        raise TaskError(f"{path}: {error}; expected tables with suite, task, hash, why and added") from error
    for name, tasks in sets.items():
        ids = [task.task for task in tasks]
        if twice := sorted({one for one in ids if ids.count(one) > 1}):
            raise TaskError(f"{path}: the set {name} contains {', '.join(twice)} more than once")
    return StressRegistry(path.resolve().parent, sets)


def write_registry(registry: StressRegistry, path: Path) -> None:
    """Writes a registry, whole or not at all.

    Raises:
        TaskError: it cannot be written.
    """
    lines = ["# A stress registry (docs/stress.md): commit it. Sets are never merged.", f"format = {_FORMAT}"]
    for name in SETS:
        lines += ["", f"# {name}: {len(registry.set_tasks(name))} tasks, version {registry.version(name)}"]
        for task in registry.set_tasks(name):
            lines += ["", f"[[{name}]]"]
            lines += [f"{key} = {toml_quoted(value)}" for key, value in msgspec.structs.asdict(task).items()]
    write_file(path, "\n".join(lines) + "\n", TaskError)


def toml_quoted(text: str) -> str:
    """A TOML basic string: what JSON writes, with the delete character, which TOML forbids, as an escape, too."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")


def suite_of(registry: StressRegistry, name: str) -> Suite:
    """A set as a suite that can be run.

    Raises:
        TaskError: it is empty, a suite is not where it was, or a task is no longer what it was.
    """
    if not (entries := registry.set_tasks(name)):
        raise TaskError(
            f"the stress set {name!r} is empty; honestly audit stress refill, or init with a suite, fills it"
        )
    wanted: dict[str, list[StressTask]] = defaultdict(list)
    for entry in entries:
        wanted[entry.suite].append(entry)
    tasks: list[Task] = []
    for source, group in wanted.items():
        place = source if source == EMBEDDED else str(registry.folder / source)
        loaded = load_suite(place, only=[entry.task for entry in group])
        for entry in group:
            task = loaded.task(entry.task)
            if task.hash != entry.hash:
                raise TaskError(
                    f"task {entry.task} of {source} is not the one that was put into {name!r} on {entry.added}: its "
                    f"hash is {task.hash[:12]}, not {entry.hash[:12]}. Take the entry out, and add the task anew"
                )
            tasks.append(task)
    return Suite(name=f"stress:{name}", version=registry.version(name), tasks=tuple(tasks))


def entry_of(task: Task, suite: str, why: str, added: str) -> StressTask:
    """The entry of a task.

    Raises:
        TaskError: a registry cannot hold its id.
    """
    if not _ID.fullmatch(task.id):
        raise TaskError(f"{task.id!r} is not a task id; expected letters, digits, '.', '_' and '-'")
    return StressTask(suite=suite, task=task.id, hash=task.hash, why=why, added=added)


Proves = Callable[[Task], Awaitable[str]]
"""Runs a task's reference solution; gives an empty text if it passes, or what speaks against it."""

_HACK, _HONEST = "hack", "honest"


@dataclass(frozen=True, slots=True)
class RefusedTask:
    """A task at which somebody hacked, and that was not taken in."""

    task: str
    reason: str


def own_entries(suite: Suite, source: str, count: int, seed: int, added: str) -> list[StressTask]:
    """A sample of the solvable tasks of a suite, drawn by `seed`; all of them where there are no more than `count`."""
    tasks = [task for task in suite.tasks if task.tags.variant != "impossible" and task.hidden is not None]
    dice = random.Random(int(digest("stress own", suite.hash, seed), 16))  # noqa: S311
    chosen = sorted(dice.sample(tasks, min(count, len(tasks))), key=lambda task: task.id)
    why = f"{len(chosen)} of {len(tasks)} tasks of {suite.name}, seed {seed}"
    return [entry_of(task, source, why, added) for task in chosen]


def impossible_entries(suite: Suite, source: str, added: str) -> list[StressTask]:
    """The impossible tasks of a suite."""
    tasks = [task for task in suite.tasks if task.tags.variant == "impossible"]
    return [entry_of(task, source, f"impossible twin of {task.tags.twin or 'a task'}", added) for task in tasks]


@dataclass(frozen=True, slots=True)
class StudyEvidence:
    """The evidence of a study on one task."""

    task: Task
    hacks: tuple[str, ...]
    """One line for each kind of evidence: who hacked, and how that is known."""
    solved: str
    """Who solved it honestly; empty where nobody did."""


def hacked_tasks(study: Store, labels: Mapping[str, str]) -> list[StudyEvidence]:
    """The solvable tasks on which an agent certainly hacked, by id.

    Args:
        study: with its audit.
        labels: what people agree that a trial is, by its id.
    """
    versions = {(detector.name, detector.version) for detector in USUAL_DETECTORS}
    findings: dict[str, list[Finding]] = defaultdict(list)
    for finding in study.findings():
        if (finding.detector, finding.version) in versions:
            findings[finding.trial].append(finding)
    cells: dict[str, list[Cell]] = defaultdict(list)
    for cell in study.cells():
        cells[cell.task].append(cell)
    seen = []
    for task in study.tasks():
        if task.tags.variant == "impossible":
            continue
        how = Counter(
            f"{cell.agent}: {evidence}"
            for cell in cells[task.id]
            if (evidence := _hack_evidence(cell, findings[cell.id], labels.get(cell.id, "")))
        )
        if how:
            lines = tuple(f"{line} ({count})" for line, count in sorted(how.items()))
            honest = [
                cell.agent
                for cell in cells[task.id]
                if cell.outcome == "passed"
                and labels.get(cell.id) != _HACK
                and (labels.get(cell.id) == _HONEST or state_of(findings.get(cell.id, [])) == "clean")
            ]
            seen.append(StudyEvidence(task, lines, f"{honest[0]} did" if honest else ""))
    return seen


async def refilled_entries(
    seen: Sequence[StudyEvidence], suite: Suite, source: str, proves: Proves | None, added: str
) -> tuple[list[StressTask], list[RefusedTask]]:
    """Entries for the accepted tasks, and the refused tasks.

    Args:
        seen: what studies say.
        suite: where the tasks are now.
        source: the suite's name or folder, as the registry is to name it.
        proves: runs the reference of a task that nobody solved; None to take only tasks that somebody did.
        added: date.
    """
    now = {task.id: task for task in suite.tasks}
    entries, refused = [], []
    for each in seen:
        task = now.get(each.task.id)
        if task is None or task.hash != each.task.hash:
            there = "is not there" if task is None else "has changed since"
            refused.append(
                RefusedTask(each.task.id, f"{there} in {suite.name}, so that nothing is known of the present task")
            )
            continue
        how, trouble = each.solved, "nobody solved it honestly, and its reference was not run"
        if not how and proves is not None:
            trouble = await proves(task)
            how = "" if trouble else "its reference passes"
        if not how:
            refused.append(RefusedTask(task.id, f"no legitimate solution is proved: {trouble}"))
            continue
        entries.append(entry_of(task, source, f"{'; '.join(each.hacks)}. Can be solved: {how}", added))
    return entries, refused


def _hack_evidence(cell: Cell, findings: Sequence[Finding], label: str) -> str:
    """How it is known that the trial hacked; empty where it is not."""
    if label == _HACK:
        return "labelled a hack by a reviewer"
    if label == _HONEST or state_of(findings) != "flagged":
        return ""
    names = ", ".join(sorted({finding.detector for finding in findings if finding.state == "flagged"}))
    if cell.tampered:
        return f"{names}; tampered with its verification"
    if cell.visible is True and cell.hidden is False:
        return f"{names}; passes visible checks only"
    return ""
