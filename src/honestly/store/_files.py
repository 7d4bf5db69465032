"""Studies as files: which a folder holds, and how one is renamed, archived, dropped and brought back.

An archived study lies in `archived/` beside its place, a dropped one in `dropped/TIME/`, until somebody empties that.
A study moves in one step, or not at all, and never over something that exists. While it moves nobody else has it open:
SQLite gives it up to one connection only when there is no other, and takes its log into the file then, so that one file
is all there is to move.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from honestly.errors import StoreError, StudyBusyError
from honestly.store._check import connect, has_wal, needs_copy
from honestly.store._lock import WriterLock
from honestly.store._schema import APPLICATION_ID

ARCHIVED, DROPPED = "archived", "dropped"
_TAILS = ("-wal", "-shm", "-lock", "-journal")
"""What SQLite and the writer's lock put behind the name of a study."""
_LONGEST = 200
_PATIENCE_MS = 500


class StudyFile(NamedTuple):
    """A file that is a study."""

    path: Path
    place: Literal["here", "archived", "dropped"]
    size: int
    """Bytes, its log included."""
    trials: int | None
    """None where that cannot be told without repairing it: it is damaged, or a killed writer left it."""
    changed: datetime


class Moved(NamedTuple):
    """Where a study was, and where it is now."""

    was: Path
    now: Path


def list_studies(folder: Path) -> list[StudyFile]:
    """The studies of a folder by name, those that are archived and dropped after the others.

    Raises:
        StoreError: it is no folder, or cannot be read.
    """
    try:
        here = sorted(folder.iterdir())
        away = [*_inside(folder / ARCHIVED), *(file for each in _inside(folder / DROPPED) for file in _inside(each))]
    except OSError as error:
        raise StoreError(f"cannot list the studies of {folder}: {error.strerror}; expected a folder") from error
    return [found for path in (*here, *away) if (found := _seen(path)) is not None]


def rename_study(path: Path, name: str) -> Moved:
    """Give a study another name in its folder.

    Raises:
        StoreError: the name is no name for a study, or is taken, or there is no such study.
        StudyBusyError: somebody has the study open.
    """
    if not _is_name(name):
        raise StoreError(
            f"{name!r} is no name for a study; expected one of 1 to {_LONGEST} bytes, without slashes or characters "
            f"that cannot be seen, which does not begin with . or - nor end with {', '.join(_TAILS)}"
        )
    return _move(path, path.with_name(name))


def archive_study(path: Path) -> Moved:
    """Put a study into `archived/` beside it; errors as those of `rename_study`."""
    return _move(path, path.with_name(ARCHIVED) / path.name)


def drop_study(path: Path) -> Moved:
    """Put a study into `dropped/` beside it, from where it can come back; errors as those of `rename_study`."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return _move(path, path.with_name(DROPPED) / stamp / path.name)


def restore_study(path: Path) -> Moved:
    """Bring back a study, archived or dropped; of several dropped ones, the one that was dropped last.

    Args:
        path: where it was, or where it is.

    Raises:
        StoreError: there is none, or something else has its place by now.
        StudyBusyError: somebody has the study open.
    """
    home = _home(path)
    if home == path:
        older = [each / path.name for each in _inside(path.with_name(DROPPED))]
        away = [each for each in (*older, path.with_name(ARCHIVED) / path.name) if each.is_file()]
        if not away:
            raise StoreError(f"no study {path} was archived or dropped; `honestly study ls --all` lists those that were")
        path = away[-1]
    return undo(Moved(home, path))


def undo(moved: Moved) -> Moved:
    """Take back a renaming, archiving, dropping or restoring; errors as those of `rename_study`."""
    back = _move(moved.now, moved.was)
    if moved.now.parent.parent.name == DROPPED:
        _remove_empty(moved.now.parent)
    return back


def empty_dropped(folder: Path) -> list[StudyFile]:
    """Delete the dropped studies of a folder for good; returns them.

    Raises:
        StudyBusyError: somebody has one of them open; it stays, and so do those after it.
    """
    gone = [each for each in list_studies(folder) if each.place == "dropped"]
    for each in gone:
        with _alone(each.path):
            each.path.unlink()
        _remove_empty(each.path.parent)
    return gone


def _move(path: Path, target: Path) -> Moved:
    if target.parent.name == ARCHIVED and path.parent.name in {ARCHIVED, DROPPED}:
        raise StoreError(f"{path} is put away already; bring it back first")
    made: list[Path] = []
    try:
        with ExitStack() as held:
            held.enter_context(_alone(path))
            for folder in (target.parent.parent, target.parent):
                if not folder.exists():
                    folder.mkdir()
                    made.append(folder)
            lock = WriterLock(target)
            held.callback(lock.release)
            if os.path.lexists(target):
                raise StoreError(f"{target} exists; nothing was moved. Give another name, or move that one first")
            path.rename(target)
    except BaseException as error:
        for folder in reversed(made):
            _remove_empty(folder)
        if isinstance(error, OSError):
            raise StoreError(f"cannot move {path} to {target}: {error.strerror}") from error
        raise
    return Moved(path, target)
