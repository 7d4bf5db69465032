"""How a run goes, as it says itself: a small note that the runner renews beside the study, and others read.

It lies in the folder of the trials in flight (`_live.py`) while the run lives. A run that is killed leaves it behind,
and it is passed over, since no process of that name lives any more. Like all in that folder it may be anybody's: what
cannot be read is no note.
"""

import os
from contextlib import suppress
from pathlib import Path

from honestly.errors import FormatError
from honestly.records import Record, decode, encode
from honestly.store._live import process_lives, unfinished_folder

_NAME, _MOST = "run.json", 1 << 22


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
    """Seconds until the rest has ended at the rate so far; None until a trial has."""
    agents: tuple[AgentPace, ...] = ()
    worst: str = ""
    """The reason for which most attempts of this run were void."""
    worst_times: int = 0
    stopped: str = ""
    """Why no further trial begins."""


def write_pace(folder: Path, pace: RunPace) -> None:
    """Puts the note in place of the one before, whole; where nothing can be written there is none."""
    partial = folder / f".{_NAME}.{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(encode(pace))
        partial.replace(folder / _NAME)


def remove_pace(folder: Path) -> None:
    """Takes the note away, and the folder where nothing else lies in it."""
    with suppress(OSError):
        (folder / _NAME).unlink(missing_ok=True)
        folder.rmdir()


def read_pace(study: Path) -> RunPace | None:
    """The note of the run that writes this study now; None where none does, or where it says nothing."""
    path = unfinished_folder(study) / _NAME
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            found = decode(file.read(_MOST), RunPace)
    except (OSError, FormatError):
        return None
    return found if process_lives(found.process) else None
