"""How a run goes, as it says itself: a small note that the runner renews beside the study, and others read.

It lies in the folder of the trials in flight (`_live.py`) while the run lives, one note for each process, since several
may run one study in a database. A run that is killed leaves its note behind. It is passed over, since no process of
that name lives any more, and the next run that ends takes it away. Like all in that folder it may be anybody's: what
cannot be read is no note.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from honestly.errors import FormatError
from honestly.records import Record, decode, encode
from honestly.store._live import process_lives, unfinished_folder

_NOTES, _MOST = "run-*.json", 1 << 22


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


def write_pace(folder: Path, pace: RunPace) -> None:
    """Puts the note in place of this process's one before, whole; where nothing can be written there is none."""
    note = _own_note(folder)
    partial = note.with_suffix(".partial")
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(encode(pace))
        partial.replace(note)


def remove_pace(folder: Path) -> None:
    """Takes the note of this process away, those of dead ones, and the folder where nothing else lies in it."""
    dead = [note for note, pace in _notes(folder) if pace is None]
    for note in (_own_note(folder), *dead):
        with suppress(OSError):
            note.unlink(missing_ok=True)
            note.with_suffix(".partial").unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def read_paces(study: Path) -> list[RunPace]:
    """The notes of the runs that write this study now, on this machine, the oldest run first."""
    living = [pace for _, pace in _notes(unfinished_folder(study)) if pace is not None]
    return sorted(living, key=lambda pace: (pace.started_at, pace.pid))


def _own_note(folder: Path) -> Path:
    return folder / _NOTES.replace("*", str(os.getpid()))


def _notes(folder: Path) -> Iterator[tuple[Path, RunPace | None]]:
    """The notes in a folder; None for those of dead processes, and for what is no note."""
    paths: list[Path] = []
    with suppress(OSError):
        paths += folder.glob(_NOTES)
    for path in paths:
        found = None
        with suppress(OSError, FormatError):
            if path.is_file():
                with path.open("rb") as file:
                    found = decode(file.read(_MOST), RunPace)
        yield path, found if found is not None and process_lives(found.process) else None
