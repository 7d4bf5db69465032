"""The running trials and runs: what another process can read of trials before the study holds them, and of how their
run goes.

Beside a study lies the folder `STUDY.unfinished/`; of one in a database it is the user's own (`state_folder`). Each
trial in flight has two files there, named by its id and a number: `.running` says which trial it is and which process
runs it, and lies there only while it runs; `.jsonl` is its journal, a line for each step, the last line with a number
counting, since a step is written again when it gains observations. The runner writes both. A process that is killed
leaves both: its journal is what is left of the trial, and its note is passed over, since nobody of that name lives any
more. A run has a note of its own, which it renews while it lives: one for each process, since several may run one study
in a database. The next run that ends takes the notes of killed ones away. Reading changes nothing.

What agents do is hostile, and whoever can write beside the study can write anything: lines and notes that cannot be
read are passed over, and no more than a window is held. Processes are told apart on one machine only.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple, TypeVar

from honestly.errors import FormatError
from honestly.records import Record, Step, decode, encode
from honestly.scratch import boot_id, start_ticks
from honestly.store._address import StudyAddress, state_folder, study_path

_RUNNING, _JOURNAL, _PACES = "*.running", ".jsonl", "run-*.json"
_MOST_NOTE, _MOST_LINE = 1 << 22, 64 << 20


class Running(Record, frozen=True, kw_only=True):
    """A trial that is being run."""

    id: str
    agent: str
    """Name of the agent."""
    task: str
    """Id of the task."""
    sample: int
    started_at: str
    """ISO 8601, UTC."""
    timeout_s: float | None = None
    """The agent's wall-clock limit, seconds."""
    checks_s: float = 0.0
    """The limits of its checks together, seconds."""
    process: str = ""
    """Which process runs it; see `process_name`."""
    journal: str = ""
    """Name of the file with its steps, which is there from the first step on."""


class AgentPace(Record, frozen=True, kw_only=True):
    """How far one agent is."""

    agent: str
    planned: int
    """Trials of the plan."""
    passed: int = 0
    failed: int = 0
    limit: int = 0
    void: int = 0
    in_flight: int = 0
    ended: int = 0
    """Attempts that ended in this run, void ones included."""
    per_hour: float | None = None
    """Attempts of it that end in an hour of this run; None until one has."""
    usd: float | None = None
    """What its trials cost, attempts that others took the place of included; None where nobody knows."""
    tokens: int | None = None


class RunPace(Record, frozen=True, kw_only=True):
    """How far a run is."""

    process: str = ""
    """Which process it is; see `process_name`."""
    pid: int = 0
    suite: str = ""
    started_at: str = ""
    """ISO 8601, UTC."""
    planned: int = 0
    left: int = 0
    """Trials that are still to begin or in flight, void ones not counted."""
    seconds: float = 0.0
    """Since the run began."""
    eta_s: float | None = None
    """Seconds until the rest has ended at the rate so far; None until a trial has, and where no further one begins."""
    agents: tuple[AgentPace, ...] = ()
    worst: str = ""
    """The reason for which most attempts of this run were void."""
    worst_times: int = 0
    stopped: str = ""
    """Why no further trial begins."""


_Note = TypeVar("_Note", Running, RunPace)


class JournalLine(Record, frozen=True, kw_only=True):
    """A line of a journal."""

    n: int
    """Number of the step, from 0."""
    step: Step


class LiveSteps(NamedTuple):
    """A part of a journal."""

    steps: dict[int, Step]
    """The steps in it by number, each as it was written last. One that was there before has gained observations."""
    offset: int
    """Where to go on reading."""
    more: bool
    """Whether there was more to read at once."""


def unfinished_folder(study: Path) -> Path:
    """Where the journals of a study's trials are."""
    place = study_path(study)
    if isinstance(place, StudyAddress):
        return state_folder(place) / "unfinished"
    return study.with_name(f"{study.name}.unfinished")


def live_trials(study: Path) -> list[Running]:
    """The running trials of a study, oldest first; empty if unknown."""
    found = []
    for path, each in _live_notes(unfinished_folder(study), _RUNNING, Running):
        # Only a note that says what its name says, so that no two trials look like one.
        if each and path.name.startswith(f"{each.id}.") and each.journal == f"{path.stem}{_JOURNAL}":
            found.append(each)
    return sorted(found, key=lambda each: each.started_at)


def live_steps(study: Path, running: Running, offset: int = 0, most: int = 1 << 20) -> LiveSteps:
    """The steps of a running trial, from `offset` on; empty if it has no journal.

    Args:
        study: the study's file.
        running: which trial, as `live_trials` gives it.
        offset: the one of the part before; 0 for the beginning, less for so many bytes before the end.
        most: bytes after which the part ends.
    """
    file = _opened_regular(unfinished_folder(study) / Path(running.journal).name)
    if file is None:
        return LiveSteps({}, max(offset, 0), more=False)
    with file:
        size = file.seek(0, 2)
        back = -offset
        part = _journal_part(file, size, max(0, size + offset) if offset < 0 else min(offset, size), most)
        while offset < 0 and not part.steps and back < size:  # all of that was one long line
            back *= 4
            part = _journal_part(file, size, max(0, size - back), max(most, back))
        return part


def remove_stale(folder: Path) -> None:
    """Removes the notes of trials whose process has ended; keeps their journals."""
    for path, running in _live_notes(folder, _RUNNING, Running):
        if running is None:
            with suppress(OSError):
                path.unlink()


def write_pace(folder: Path, pace: RunPace) -> None:
    """Replaces this process's progress note; writes none if the disk refuses."""
    note = _own_note(folder)
    partial = note.with_suffix(".partial")
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(encode(pace))
        partial.replace(note)


def remove_pace(folder: Path) -> None:
    """Removes the progress notes of this process and of dead ones."""
    dead = [note for note, pace in _live_notes(folder, _PACES, RunPace) if pace is None]
    for note in (_own_note(folder), *dead):
        with suppress(OSError):
            note.unlink(missing_ok=True)
            note.with_suffix(".partial").unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def read_paces(study: Path) -> list[RunPace]:
    """The progress of the runs that write this study on this machine, oldest first."""
    living = _live_notes(unfinished_folder(study), _PACES, RunPace)
    return sorted((pace for _, pace in living if pace is not None), key=lambda pace: (pace.started_at, pace.pid))


def _own_note(folder: Path) -> Path:
    return folder / _PACES.replace("*", str(os.getpid()))


def process_name(pid: int | str = "self") -> str:
    """A unique name of a process: boot id, number, start time; empty if it is dead."""
    if pid == "self":
        return _own_name(os.getpid())
    began = start_ticks(pid)
    return f"{boot_id()} {pid} {began}" if began else ""


@cache
def _own_name(pid: int) -> str:
    began = start_ticks("self")
    return f"{boot_id()} {pid} {began}" if began else ""


def process_lives(process: str) -> bool:
    """Whether the process of this name lives, on this machine."""
    pid = process.split(" ")[1:2]
    return bool(pid) and pid[0].isdecimal() and process_name(pid[0]) == process


def _live_notes(folder: Path, pattern: str, kind: type[_Note]) -> Iterator[tuple[Path, _Note | None]]:
    """The notes in a folder; None for those of dead processes, and for what is no note."""
    paths: list[Path] = []
    with suppress(OSError):
        paths += sorted(folder.glob(pattern))
    for path in paths:
        if (file := _opened_regular(path)) is not None:
            found = None
            with file, suppress(OSError, FormatError):
                found = decode(file.read(_MOST_NOTE), kind)
            yield path, found if found is not None and process_lives(found.process) else None


def _opened_regular(path: Path) -> BufferedReader | None:
    """An ordinary file; None where there is none, or something that would keep us waiting."""
    try:
        return path.open("rb") if path.is_file() else None
    except (OSError, ValueError):
        return None


def _journal_part(file: BufferedReader, size: int, start: int, most: int) -> LiveSteps:
    """The lines of a journal that begin at `start` or later; half a line at the start is passed over by itself."""
    file.seek(start)
    at, steps = start, dict[int, Step]()
    while at - start < most:
        line = file.readline(_MOST_LINE)
        if not line.endswith(b"\n"):
            if len(line) < _MOST_LINE:  # it is being written
                return LiveSteps(steps, at, more=False)
            while line and not line.endswith(b"\n"):
                line = file.readline(_MOST_LINE)
            line = b""
        at = file.tell()
        with suppress(FormatError):
            read = decode(line, JournalLine)
            steps[read.n] = read.step
    return LiveSteps(steps, at, more=at < size)
