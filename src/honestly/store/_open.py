"""Making a study and opening one.

A new study is built beside its place and moved there when it is whole. A study is opened for writing by one process at
a time (`_lock.py`), for reading by any number, also while it is written and where nothing may be written: on a
read-only disk SQLite's `immutable` mode needs no files beside the study, and where a log must be read there, both are
copied first. A study of an older schema is migrated by the first writer; a reader migrates a copy where its tables
have changed since. Reviews alone are added by anybody at any time (`add_reviews`).
"""

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

from msgspec.structs import replace

from honestly._version import program_version
from honestly.errors import StoreError, StudyBusyError, StudyDamagedError
from honestly.records import RECORDS_VERSION, Review, StudyFacts
from honestly.store._address import StudyAddress, study_path
from honestly.store._check import check_copy, check_study, has_wal, needs_copy, open_connection, private_copy
from honestly.store._postgres import PostgresStore
from honestly.store._postgres_schema import new_schema
from honestly.store._rows import write_facts
from honestly.store._schema import APPLICATION_ID, MIGRATIONS, TABLES, migrate_study
from honestly.store._sqlite import SqliteStore
from honestly.store._store import Store
from honestly.work import WriterLock

T = TypeVar("T")
S = TypeVar("S", bound=SqliteStore)

_NOTHING_KNOWN = StudyFacts()


def create_study(path: Path | str, facts: StudyFacts = _NOTHING_KNOWN) -> Store:
    """A new study, open for writing.

    Args:
        path: where, a file or an address; nothing may be there yet.
        facts: what is to be known of the study from its first moment on; when it was created and by which program is
            added.

    Raises:
        StoreError: there is something at `path`, or it cannot be written.
        StudyBusyError: another process is making the same study.
    """
    path, created = study_path(path), datetime.now(UTC).isoformat(timespec="milliseconds")
    facts = replace(facts, created=created, program=program_version(), records_version=RECORDS_VERSION)
    if isinstance(path, StudyAddress):
        with new_schema(path) as db:
            write_facts(db, facts)
        return PostgresStore(path, writable=True)
    lock = WriterLock(path)
    try:
        build_file(path, lambda connection: write_facts(connection, facts))
        return _open_writer(path, lock, SqliteStore)
    except BaseException:
        lock.release()
        raise


def open_study(path: Path | str, mode: Literal["read", "write"] = "read", *, checked: bool = False) -> Store:
    """The study at `path`.

    Args:
        path: where it is, a file or an address.
        mode: what it is opened for.
        checked: the content is not looked through now, which takes a second. For writing: the caller has the same study
            open for reading, so that it was found intact a moment ago. For reading: who only counts need not know it.

    Raises:
        StoreError: there is none, or the file is something else.
        StudyTooNewError: a newer honestly wrote it.
        StudyDamagedError: it is not intact.
        StudyBusyError: `mode` is "write" and another process writes it: a file has one writer, a database several.
        StudyAwayError: its database cannot be reached. None of these changes anything.
    """
    path = study_path(path)
    if isinstance(path, StudyAddress):
        return PostgresStore(path, writable=mode == "write")
    # SQLite puts its files beside the file itself, not beside a link to it; a link to itself is no study.
    path = Path(os.path.realpath(path))
    return _open_reader(path, checked=checked) if mode == "read" else open_writer(path, SqliteStore, checked=checked)


def open_writer(path: Path, kind: type[S], *, checked: bool = False) -> S:
    """The study in a file for writing, as a store of this kind; errors as `open_study`."""
    path = Path(os.path.realpath(path))
    if not path.is_file():
        check_study(path)  # says what is wrong, before a lock is put beside nothing
    lock = WriterLock(path)
    try:
        if not checked:
            check_study(path)
        return _open_writer(path, lock, kind)
    except BaseException:
        lock.release()
        raise


def add_reviews(path: Path | str, reviews: Iterable[Review], wait: float = 30.0) -> int:
    """Add reviews to a study, also while a run writes it; all of them are on the disk when this returns, or none is.

    The lock of the one writer is for what rests on more than one transaction: plans, trials, findings. A review rests
    on its trial alone, so that SQLite's own lock is enough, which a writer holds for moments only.

    Args:
        path: where the study is.
        reviews: of its trials; those that it holds already are skipped.
        wait: for the others' transactions, at most, seconds.

    Returns:
        How many were new.

    Raises:
        StoreError: as `open_study`, or a trial is not in the study.
        StudyBusyError: others wrote all the time.
    """
    path, wanted = study_path(path).resolve(), list(reviews)
    if isinstance(path, StudyAddress):
        with open_study(path, "write") as study:
            return study.add(wanted, every=len(wanted) + 1)
    if not path.is_file():
        check_study(path)
    try:
        with closing(open_connection(path, "mode=rw")) as connection:
            made = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
            if made != [APPLICATION_ID, len(MIGRATIONS)]:
                with open_study(path, "write") as study:  # which migrates, or says why it cannot
                    return study.add(wanted)
            return _add_reviews(path, connection, wanted, wait)
    except sqlite3.Error as error:
        raise StoreError(f"cannot write {path}: {error}") from error


def _add_reviews(path: Path, connection: sqlite3.Connection, reviews: list[Review], wait: float) -> int:
    _harden(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA busy_timeout = {round(wait * 1000)}")
    study = SqliteStore(path, connection, writable=True)
    try:
        return study.add(reviews, every=len(reviews) + 1)
    except StudyBusyError as error:
        raise StudyBusyError(
            f"another process wrote {path} for {wait:.0f} seconds without a pause, so nothing was saved; try again"
        ) from error
    finally:
        connection.execute("PRAGMA busy_timeout = 0")  # who is writing empties the log; nobody waits for that here
        study.close()


def build_file(path: Path, fill: Callable[[sqlite3.Connection], T]) -> T:
    """Makes a study whole or not at all; the caller has its lock, so that what lies there was left by a killed one.

    Raises:
        StoreError: there is something at `path`, or it cannot be written.
    """
    if path.exists() or path.is_symlink():
        raise StoreError(f"{path} exists; give another path, or open it to add to it")
    partial = path.with_name(f".{path.name}.partial")
    journal = partial.with_name(f"{partial.name}-journal")
    _remove(journal, partial)
    try:
        connection = open_connection(partial, "mode=rwc")
        try:
            migrate_study(connection)
            connection.execute("BEGIN")
            filled = fill(connection)
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()
        partial.rename(path)
        return filled
    except sqlite3.Error as error:
        raise StoreError(f"cannot make {path}: {error}") from error
    finally:
        _remove(journal, partial)


def open_current(path: Path | str) -> Store:
    """The study at `path` for reading, its rows as the newest version has them; errors as `open_study`."""
    study = open_study(path)
    if study.version == len(MIGRATIONS) or isinstance(study.path, StudyAddress):
        return study
    study.close()
    return _copy_reader(study.path)


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _open_writer(path: Path, lock: WriterLock, kind: type[S]) -> S:
    if not os.access(path, os.W_OK):
        raise StoreError(f"{path} may not be written; open it for reading, or change its permissions")
    return kind(path, writing_connection(path), writable=True, release=lock.release)


def writing_connection(path: Path) -> sqlite3.Connection:
    """A connection that writes a study of the newest version.

    Raises:
        StoreError: SQLite refuses.
    """
    connection = open_connection(path, "mode=rw")
    try:
        _harden(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        # Every commit reaches the disk: a trial may have cost an hour, a commit costs a millisecond.
        connection.execute("PRAGMA synchronous = FULL")
        migrate_study(connection)
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(f"cannot write {path}: {error}") from error
    return connection


def _open_reader(path: Path, *, checked: bool = False) -> SqliteStore:
    if needs_copy(path) or (version := check_study(path, content=not checked)) < TABLES:
        return _copy_reader(path)
    try:
        # How to open for reading without leaving anything behind.
        if has_wal(path):
            way = "mode=ro"  # must not move the log's content into the file, as the last one to close otherwise would
        elif os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
            way = "mode=rw"  # only who may write removes SQLite's files beside the study when done
        else:
            way = "mode=ro&immutable=1"
        connection = open_connection(path, way)
        try:
            _harden(connection)
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM facts").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
    except sqlite3.OperationalError:
        return _copy_reader(path)
    except sqlite3.DatabaseError as error:
        raise StudyDamagedError(f"{path} is damaged: {error}; restore it from a copy") from error
    return SqliteStore(path, connection, writable=False, version=version)


def _copy_reader(path: Path) -> SqliteStore:
    """A reader of a private copy, which vanishes when it is closed."""
    with ExitStack() as undone:
        copy = undone.enter_context(private_copy(path))
        check_copy(copy, path)
        try:
            connection = open_connection(copy, "mode=rw")
            undone.callback(connection.close)
            _harden(connection)
            migrate_study(connection)
            connection.execute("PRAGMA query_only = ON")
        except sqlite3.Error as error:
            raise StoreError(f"cannot read {path} by way of a copy: {error}") from error
        return SqliteStore(path, connection, writable=False, release=undone.pop_all().close)


def _harden(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA foreign_keys = ON")
