"""Studies as files: which a folder holds, and how one is renamed, archived, dropped and brought back.

An archived study lies in `archived/` beside its place, a dropped one in `dropped/TIME/`, until somebody empties that.
A study moves in one step, or not at all, and never over something that exists. While it moves nobody else has it open:
SQLite gives it up to one connection only when there is no other, and takes its log into the file then, so that one file
is all there is to move.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from honestly.errors import StoreError, StudyBusyError
from honestly.store._address import StudyAddress, study_path
from honestly.store._check import has_wal, needs_copy, open_connection
from honestly.store._places import ARCHIVED, DROPPED, MovedStudy, StudyFile, home_of, place_of
from honestly.store._postgres_studies import delete_schema, list_database, move_schema
from honestly.store._schema import APPLICATION_ID
from honestly.work import WriterLock

_TAILS = ("-wal", "-shm", "-lock", "-journal")
"""What SQLite and the writer's lock put behind the name of a study."""
_LONGEST = 200
_PATIENCE_MS = 500


def list_studies(folder: Path) -> list[StudyFile]:
    """The studies of a folder or a database by name, those that are archived and dropped after the others.

    Raises:
        StoreError: it is no folder, or cannot be read.
    """
    database = study_path(folder)
    if isinstance(database, StudyAddress):
        return [each for each in list_database(database) if database.study in ("", each.path.stem)]
    try:
        here = sorted(folder.iterdir())
        away = [
            *_folder_entries(folder / ARCHIVED),
            *(file for each in _folder_entries(folder / DROPPED) for file in _folder_entries(each)),
        ]
    except OSError as error:
        raise StoreError(f"cannot list the studies of {folder}: {error.strerror}; expected a folder") from error
    return [found for path in (*here, *away) if (found := _study_file(path)) is not None]


def rename_study(path: Path, name: str) -> MovedStudy:
    """Give a study another name in its folder.

    Raises:
        StoreError: the name is no name for a study, or is taken, or there is no such study.
        StudyBusyError: somebody has the study open.
    """
    plain = name.isprintable() and name == name.strip() and "/" not in name and "\\" not in name
    taken = name in {ARCHIVED, DROPPED} or name.startswith((".", "-")) or name.endswith(_TAILS)
    if not (plain and not taken and 1 <= len(name.encode("utf-8", "surrogatepass")) <= _LONGEST):
        raise StoreError(
            f"{name!r} is not a name for a study; expected one of 1 to {_LONGEST} bytes, without slashes or characters "
            f"that cannot be seen, which does not begin with . or - nor end with {', '.join(_TAILS)}"
        )
    at = study_path(path)
    return _move(path, study_path(str(at.with_study(name))) if isinstance(at, StudyAddress) else at.with_name(name))


def replace_study(path: Path, by: Path, name: str, make: Callable[[], object]) -> MovedStudy:
    """Put another study in the place of the one at `path`, which gets another name; both at once, or neither.

    Args:
        path: a study, which nobody else writes from the beginning to the end.
        by: where `make` makes the other one.
        name: of the one at `path` from then on.
        make: reads the study, if it likes.

    Raises:
        StoreError: the name is taken, or one of the two is no study.
        StudyBusyError: somebody has the study open.
    """
    target = path.with_name(name)
    try:
        with _locked_alone(path):
            with closing(open_connection(path, "mode=rw")) as db:
                db.execute("PRAGMA journal_mode = WAL")  # in which whoever has it open can be told
            make()
            _take_log_in(path)
            with _locked_alone(by):
                os.link(path, target)
                by.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"cannot put {by} in the place of {path}: {error}") from error
    return MovedStudy(path, target)


def archive_study(path: Path) -> MovedStudy:
    """Put a study into `archived/` beside its place; errors as those of `rename_study`."""
    return _move(path, _trash_path(path, ARCHIVED))


def drop_study(path: Path) -> MovedStudy:
    """Put a study into `dropped/` beside its place, from where it can come back; errors as those of `rename_study`."""
    return _move(path, _trash_path(path, DROPPED, datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")[:-3]))


def _trash_path(path: Path, *folders: str) -> Path:
    home = home_of(study_path(path))
    if isinstance(home, StudyAddress):
        return study_path(str(home.with_study("/".join((*folders, home.study)))))
    return home.parent.joinpath(*folders, home.name)


def restore_study(path: Path) -> MovedStudy:
    """Bring back a study that was archived, or else the one of its name that was dropped last.

    Args:
        path: where it was, or where it is.

    Raises:
        StoreError: there is none, or something else has its place by now.
        StudyBusyError: somebody has the study open.
    """
    path = study_path(path)
    home = home_of(path)
    if place_of(path) == "here":
        all_of_them = list_studies(home.with_study("") if isinstance(home, StudyAddress) else home.parent)
        away = [each for each in all_of_them if each.place != "here" and home_of(each.path) == home]
        if not away:
            raise StoreError(
                f"no study {path} is archived or deleted; `honestly study list --all` lists those that are"
            )
        path = max(away, key=lambda each: (each.place == "archived", str(each.path))).path
    return _move(path, home)


def undo_move(moved: MovedStudy) -> MovedStudy:
    """Take back a renaming, archiving, dropping or restoring; errors as those of `rename_study`."""
    return _move(moved.now, moved.was)


def empty_dropped(folder: Path) -> list[StudyFile]:
    """Delete the dropped studies of a folder for good; returns them.

    Raises:
        StudyBusyError: somebody has one of them open; it stays, and so do those after it.
    """
    gone = [each for each in list_studies(folder) if each.place == "dropped"]
    for each in gone:
        if isinstance(each.path, StudyAddress):
            delete_schema(each.path)
            continue
        with _locked_alone(each.path):
            each.path.unlink()
        _remove_empty(each.path)
    return gone


def _move(path: Path, target: Path) -> MovedStudy:
    if target == path:
        raise StoreError(f"{path} already exists; nothing was moved")
    path = study_path(path)
    if isinstance(path, StudyAddress) and isinstance(target, StudyAddress):
        move_schema(path, target)
        return MovedStudy(path, target)
    try:
        with _locked_alone(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            with WriterLock(target):
                if os.path.lexists(target):
                    raise StoreError(f"{target} exists; nothing was moved. Give another name, or move that one first")
                path.rename(target)
    except OSError as error:
        raise StoreError(f"cannot move {path} to {target}: {error.strerror}") from error
    finally:
        _remove_empty(target)
        _remove_empty(path)
    return MovedStudy(path, target)


@contextmanager
def _locked_alone(path: Path) -> Iterator[None]:
    """Nobody else has the study open, and its log is in it; StudyBusyError where somebody has."""
    if not path.exists() and not path.is_symlink():
        raise StoreError(f"there is no study {path}; honestly study list names those that there are")
    if path.is_symlink() or _study_file(path) is None:
        raise StoreError(f"{path} is not a study; expected a file that honestly made, and not a link to one")
    with WriterLock(path):
        _take_log_in(path)
        yield


def _take_log_in(path: Path) -> None:
    try:
        with closing(open_connection(path, "mode=rw")) as db:
            db.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
            db.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise StudyBusyError(f"{path} is open in another place, such as a viewer; close it there first") from error
        if has_wal(path):
            raise StoreError(
                f"{path} has a log next to it that cannot be merged into it ({error}); it stays"
            ) from error
        # Damaged, or read-only: it is one file, and moves as it is.


def _study_file(path: Path) -> StudyFile | None:
    """The facts of a file that can be told without changing anything; None where it is no study."""
    if path.name.startswith(".") or path.name.endswith(_TAILS) or path.is_symlink() or not path.is_file():
        return None
    try:
        # Through SQLite alone: to open and close the file past it would drop this process's locks on it.
        with closing(open_connection(path, "mode=ro&immutable=1")) as db:
            if db.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
                return None
        log = path.with_name(path.name + "-wal")
        states = [each.stat() for each in (path, log) if each.exists()]
    except (sqlite3.Error, OSError):
        return None
    changed = datetime.fromtimestamp(max(each.st_mtime for each in states), UTC)
    return StudyFile(path, place_of(path), sum(each.st_size for each in states), _trials(path), changed)


def _trials(path: Path) -> int | None:
    if needs_copy(path):
        return None
    try:
        with closing(open_connection(path, "mode=ro" if has_wal(path) else "mode=ro&immutable=1")) as db:
            return int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
    except sqlite3.Error:
        return None


def _folder_entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []


def _remove_empty(path: Path) -> None:
    """Remove the folders that were made for a study and hold nothing."""
    for folder in path.parents[:2] if place_of(path) == "dropped" else path.parents[:1]:
        if place_of(path) != "here":
            with suppress(OSError):
                folder.rmdir()
