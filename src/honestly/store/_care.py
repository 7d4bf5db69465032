"""Looking after a study: what in it is damaged, row by row, and giving back the room that is no longer needed.

`damages` goes on where opening a study would stop: it names every row whose check sum is wrong, what a database says of
pages that it cannot read, and trajectories and artifacts that lack a part. Nothing is repaired: what is damaged comes
from a copy.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from honestly.errors import StoreError
from honestly.store._address import StudyAddress, study_path
from honestly.store._check import WHOLE, connect, header, needs_copy, private_copy
from honestly.store._copy import stream
from honestly.store._database import Database
from honestly.store._open import open_study
from honestly.store._postgres import PostgresStore
from honestly.store._postgres_link import PostgresDatabase, needed
from honestly.store._schema import COLUMNS, row_sum

_NAMED_BY_TWO = {"trials", "trajectory_chunks", "artifacts", "artifact_chunks"}
_MOST_PAGES = 100


class Damage(NamedTuple):
    """Something that is not as it was written."""

    table: str
    """Empty for the file as a whole."""
    row: str
    """Which row, by the columns that name it; empty where that cannot be said."""
    what: str


class Compacted(NamedTuple):
    """Bytes that a study took, and takes."""

    before: int
    after: int


def damages(place: Path | str) -> Iterator[Damage]:
    """All that is damaged in a study, as it is found.

    Raises:
        StoreError: there is no study, or it cannot be reached.
        StudyDamagedError: so little of it is left that it cannot be looked into.
    """
    path = study_path(place)
    if isinstance(path, StudyAddress):
        with open_study(path) as study:
            for table in COLUMNS:
                with study.snapshot() as db:
                    yield from _bad_rows(db, table)
            with study.snapshot() as db:
                yield from _lacking(db)
        return
    path = path.resolve()
    if not path.is_file():
        raise StoreError(f"there is no study {path}")
    with private_copy(path) if needs_copy(path) else nullcontext(path) as file, closing(connect(file, "mode=ro")) as db:
        header(db, file, path)
        yield from _pages(db)
        yield from (each for table in COLUMNS for each in _bad_rows(db, table))
        yield from _lacking(db)


def compact(place: Path | str) -> Compacted:
    """Give back the room that a study no longer needs; nobody else may write it, or read a database's, meanwhile.

    Raises:
        StoreError: as `open_study`, or the disk has no room for the new file beside the old one.
    """
    path = study_path(place)
    before = size_of(path)
    with open_study(path, "write") as study:
        study.vacuum()
    return Compacted(before, size_of(path))


def size_of(path: Path) -> int:
    """What a study takes, bytes."""
    if isinstance(path, StudyAddress):
        with open_study(path) as study:
            assert isinstance(study, PostgresStore)
            return study.size()
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _bad_rows(db: Database, table: str) -> Iterator[Damage]:
    last = ""
    try:
        for row in stream(db, f"SELECT * FROM {table}"):  # noqa: S608 (names are ours)
            last = _named(table, row)
            if row_sum(*row[:-1]) != row[-1]:
                yield Damage(table, last, "does not match its check sum")
    except _errors(db) as error:
        if isinstance(db, PostgresDatabase) and db.link.closed:
            raise
        yield Damage(table, f"after {last}" if last else "", f"cannot be read on: {error}")


def _lacking(db: Database) -> Iterator[Damage]:
    try:
        for query in WHOLE:
            if broken := db.execute(query).fetchone()[0]:
                yield Damage("", "", f"{broken} trajectories or artifacts lack a part")
    except _errors(db) as error:
        yield Damage("", "", str(error))


def _errors(db: Database) -> tuple[type[Exception], ...]:
    """What a database raises that cannot read what it holds."""
    theirs = needed().Error if isinstance(db, PostgresDatabase) else sqlite3.DatabaseError
    return theirs, UnicodeDecodeError


def _named(table: str, row: tuple[Any, ...]) -> str:
    many = 2 if table in _NAMED_BY_TWO else 1
    return ", ".join(f"{column} {value!r:.80}" for column, value in zip(COLUMNS[table][:many], row, strict=False))


def _pages(db: sqlite3.Connection) -> Iterator[Damage]:
    """What SQLite says of its own structure, and of rows that refer to nothing."""
    try:
        for (said,) in db.execute(f"PRAGMA integrity_check({_MOST_PAGES})"):
            if said != "ok":
                yield Damage("", "", said)
        for table, row, other, _ in db.execute("PRAGMA foreign_key_check"):
            yield Damage(table, f"rowid {row}", f"refers to a row of {other} that is not there")
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        yield Damage("", "", str(error))
