"""The knowledge of a task so far, how it is measured, and the record that follows from both."""

import getpass
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from honestly._version import program_version
from honestly.records import Task
from honestly.taskgen._record import Alternative, Cheats, Checked, Flake, Kills, Leaks, Runs, ValidityRecord

PARTS = ("leaks", "alternatives", "wrong", "cheats", "guesses", "mutants")
"""What is measured beside reference, nothing and flake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """The terms by which tasks are certified."""

    runs: int = 5
    """Runs of the hidden checks over the reference, and over nothing; with none only leaks are looked for."""
    limit: int | None = 20
    """The most mutants that are tried of each task; None for all."""
    by: str = ""
    """Who certifies; the user's name where empty."""
    parts: Sequence[str] = PARTS
    """What is measured beside the runs of the reference and of nothing."""


@dataclass
class MeasuredTask:
    """The measurements of a task so far."""

    reference: Runs | None = None
    nothing: Runs | None = None
    flake: Flake | None = None
    mutants: Kills = field(default_factory=lambda: Kills(why="not reached"))
    near: Kills = field(default_factory=lambda: Kills(why="not reached"))
    wrong: Kills = field(default_factory=Kills)
    cheats: Cheats = field(default_factory=lambda: Cheats(agents={}, guesses_why="not reached"))
    leaks: Leaks = field(default_factory=lambda: Leaks(unread=("not reached",)))
    alternatives: list[Alternative] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    weak: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """What was not measured that a sound task needs."""
    not_measured: list[str] = field(default_factory=list)


def unmeasured_record(task: Task, task_hash: str, suite: str, why: str, how: How) -> ValidityRecord:
    """The record of a task that cannot be run here: never clean."""
    found = MeasuredTask(missing=[why])
    found.leaks = Leaks(unread=(why,))
    return record_of(task, task_hash, suite, found, how, 0.0, "")


def record_of(
    task: Task, task_hash: str, suite: str, found: MeasuredTask, how: How, seconds: float, sandbox: str
) -> ValidityRecord:
    unread = [f"not read, and may hold the answer: {each}" for each in found.leaks.unread]
    missing = list(dict.fromkeys((*found.missing, *(unread if not found.missing else ()))))
    verdict = "broken" if found.broken else "weak" if found.weak else "not measured" if missing else "sound"
    reasons: Sequence[str] = [*found.broken, *found.weak, *missing]
    checked = Checked(
        program=f"honestly {program_version()}",
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}",
        sandbox=sandbox,
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        by=how.by or getpass.getuser(),
        runs=how.runs,
        limit=how.limit,
        seconds=round(seconds, 1),
    )
    return ValidityRecord(
        task=task.id, hash=task_hash, suite=suite, verdict=verdict,  # type: ignore[arg-type]
        reasons=tuple(reasons), not_measured=tuple(found.not_measured), reference=found.reference,
        nothing=found.nothing, flake=found.flake, mutants=found.mutants, near_misses=found.near, wrong=found.wrong,
        cheats=found.cheats, leaks=found.leaks, alternatives=tuple(found.alternatives), checked=checked,
    )  # fmt: skip
