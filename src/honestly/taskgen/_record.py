"""A validity record: what was measured of a task, by whom, with what; and what follows for its verdicts.

It is one JSON file, bound to the task's hash, and no part of the task: `validity.json` in the folder of a task that has
a `task.toml`; for every other one a file in the suite's folder `validity/`, where it was exported with its record, or
in the user's cache. A record of another hash is stale, and says nothing.

What was not measured is null, or has a `why`, and stands in `not_measured`; it never counts as clean.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from honestly.errors import TaskError
from honestly.records import Suite, Tree
from honestly.tasks import EMBEDDED, named_suite
from honestly.work import user_folder, write_file

FORMAT = 1
NAME = "validity.json"
_LARGEST = 1 << 22
_ORIGINAL = " (its original)"
_Verdict = Literal["sound", "weak", "broken", "not measured"]


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a record."""


class Runs(_Part, frozen=True):
    """Runs of the hidden checks over one final workspace."""

    passed: int
    runs: int


class Flake(_Part, frozen=True):
    """How often the verdict on unchanged work was another one than most of the time."""

    changed: int
    runs: int
    rate: float
    low: float
    high: float
    """The rate's 95% interval, Clopper and Pearson's."""
    checks: dict[str, tuple[int, int]]
    """Checks that passed in some runs of one workspace and not in others: how often, of how many."""


class Kills(_Part, frozen=True):
    """Almost right solutions, and how many the hidden checks refused."""

    tried: int = 0
    killed: int = 0
    of: int = 0
    """How many there are; fewer may have been tried."""
    survivors: tuple[str, ...] = ()
    why: str = ""
    """Why none was tried, if so."""


class Cheats(_Part, frozen=True):
    """The results of agents who do not do the work."""

    agents: dict[str, str]
    """Each cheat agent: `refused`, `passed`, or why it was not tried."""
    guesses: tuple[str, ...] = ()
    """Answers without knowledge that pass every hidden check."""
    weak_checks: dict[str, tuple[str, ...]] = {}
    """Checks that a guess passes, and which."""
    guesses_why: str = ""
    """Why none was tried, if so."""
    canaries: tuple[int, int] | None = None
    """Of tests that run inside: how many have a contradiction that the reference fails, of how many."""


Kind = Literal["reference", "tests", "future", "built", "compiled", "outside", "image"]
"""What a leak is of, or where it lies."""


class Leak(_Part, frozen=True):
    """A place within the agent's reach that holds the answer, or what came after."""

    kind: Kind
    path: str
    what: str


class Leaks(_Part, frozen=True):
    """The places searched for the answer."""

    found: tuple[Leak, ...] = ()
    read: tuple[str, ...] = ()
    """Kinds of places that were read."""
    unread: tuple[str, ...] = ()
    """What could not be, and why."""


class Alternative(_Part, frozen=True):
    """Another correct solution, and whether the hidden checks took it."""

    name: str
    given: bool
    """Whether somebody wrote it; otherwise it is the reference, transformed."""
    passed: bool
    refused_by: tuple[str, ...] = ()


class Checked(_Part, frozen=True):
    """Who measured, with what, when."""

    program: str
    python: str
    machine: str
    sandbox: str
    when: str
    """ISO 8601, UTC."""
    by: str
    runs: int
    limit: int | None
    """The most mutants that were tried."""
    seconds: float


class ValidityRecord(_Part, frozen=True):
    """The validity record of one task."""

    task: str
    hash: str
    suite: str
    verdict: _Verdict
    reasons: tuple[str, ...]
    """Why it is not sound; what was measured, where it is."""
    not_measured: tuple[str, ...]
    reference: Runs | None
    nothing: Runs | None
    flake: Flake | None
    mutants: Kills
    near_misses: Kills
    wrong: Kills
    """The wrong solutions that the task itself lists."""
    cheats: Cheats
    leaks: Leaks
    alternatives: tuple[Alternative, ...]
    checked: Checked
    exported: str = ""
    """Hash of the task in another layout, beside which this record of its original lies."""
    format: int = FORMAT

    def dated_verdict(self, task_hash: str) -> str:
        """The verdict with its day: `sound 2026-01-31`; `stale` where it is about another version of the task.

        Of a task that was exported it is said that its original is meant: there checks may be run otherwise.
        """
        if task_hash not in (self.hash, self.exported):
            return "stale"
        return f"{self.verdict} {self.checked.when[:10]}{'' if self.hash == task_hash else _ORIGINAL}"


class Records:
    """Where the records of a suite are, and those that are there."""

    def __init__(self, source: str | Path, suite: str, out: Path | None = None) -> None:
        """Finds the place.

        Args:
            source: the suite as `load_suite` takes it.
            suite: its name.
            out: a folder for all records, instead of beside the tasks.
        """
        place = Path(source) if Path(source).exists() else named_suite(str(source))
        self._root = place if place is not None and place.is_dir() and source != EMBEDDED else None
        self._suite, self._out = suite, out
        if out is not None:
            out.resolve().with_name("x")  # a place without a name is refused before anything is judged

    def record_path(self, task: str) -> Path:
        """Where a task's record lies, or would."""
        if self._out is not None:
            return self._out / f"{task}.json"
        root = self._root
        if root is not None:
            for folder in (root / task, root):
                if folder.resolve().name == task and (folder / "task.toml").is_file() and os.access(folder, os.W_OK):
                    return folder / NAME
            if (beside := root / "validity" / f"{task}.json").is_file():
                return beside
        return records_home() / self._suite.replace("/", "-").lstrip(".") / f"{task}.json"

    def alternatives(self, task: str) -> dict[str, Tree]:
        """Other right solutions that somebody wrote, as files over the reference's final workspace, by name.

        They lie in `solution/alternative/NAME/` of its folder, or in `TASK.alternatives/NAME/` beside its record.
        """
        place = self.record_path(task).with_name(f"{task}.alternatives")
        for folder in (self._root / task, self._root) if self._root is not None else ():
            if folder.resolve().name == task and (folder / "task.toml").is_file():
                place = folder / "solution" / "alternative"
        if place.is_symlink() or not place.is_dir():
            return {}
        return {
            path.name: Tree.read(path) for path in sorted(place.iterdir()) if path.is_dir() and not path.is_symlink()
        }

    def read(self, task: str) -> ValidityRecord | None:
        """A task's record; None where there is none.

        Raises:
            TaskError: what lies there is none.
        """
        path = self.record_path(task)
        if path.is_symlink() or not path.is_file():
            return None
        try:
            with path.open("rb") as file:
                data = file.read(_LARGEST + 1)
            if len(data) > _LARGEST:
                raise TaskError(f"{path} is larger than {_LARGEST} bytes, too large for a validity record")
            return msgspec.json.decode(data, type=ValidityRecord)
        except (OSError, msgspec.DecodeError) as error:
            why = f"{path} is no validity record: {error}; remove it, or measure anew: honestly task certify --again"
            raise TaskError(why) from error

    def write(self, found: ValidityRecord) -> Path:
        """Puts a record in its place, whole or not at all.

        Raises:
            TaskError: it cannot be written.
        """
        path = self.record_path(found.task)
        write_file(path, msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n", TaskError, folders=True)
        return path

    def verdicts_by_task(self, suite: Suite) -> Mapping[str, str]:
        """The dated verdict of each task that has a record; `unreadable` where that cannot be read."""
        found = {}
        for task in suite.tasks:
            try:
                record = self.read(task.tags.twin or task.id)
            except TaskError:
                found[task.id] = "unreadable"
                continue
            if record is not None and not task.tags.twin:
                found[task.id] = record.dated_verdict(task.hash)
        return found


def records_home() -> Path:
    """The folder of records whose tasks have no folder of their own."""
    return user_folder("cache") / "validity"
