"""A study moved between files and databases, row by row, and proved to be the same there before it is there.

Both kinds of store have the same tables, and a row's check sum is over what its columns hold, so that rows go over as
they are: in bulk, by COPY, into a database. Each is checked on its way. Then all rows of the new study are read back;
number and content of the rows of each table must be those of the source. The new study is built in one transaction, or
beside its place: one that is interrupted is not there. The source may be written meanwhile; it is read as it was when
the copy began.
"""

import sqlite3
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from honestly.errors import StoreError, StudyDamagedError
from honestly.store._address import StudyAddress, study_path
from honestly.store._database import Database
from honestly.store._open import build_file, open_current
from honestly.store._postgres_link import PostgresDatabase, stream_rows
from honestly.store._postgres_schema import new_schema
from honestly.store._schema import COLUMNS, intact_columns, row_bytes
from honestly.work import WriterLock

Row = tuple[Any, ...]
Told = Callable[[str, int], object]
"""Told which table is copied or read back, and how many rows of all tables are done."""


class Content(NamedTuple):
    """The content of a study."""

    rows: dict[str, int]
    """How many, by table."""
    hash: str
    """Of the content of all rows, whatever their order and the kind of store; 32 hex digits."""


class _Sums:
    """Adds rows up: the sum of their hashes does not depend on their order, which differs between stores."""

    def __init__(self) -> None:
        self.rows = dict.fromkeys(COLUMNS, 0)
        self._sums = dict.fromkeys(COLUMNS, 0)

    def checked_rows(self, table: str, rows: Iterator[Row], told: Told) -> Iterator[Row]:
        """The rows, each checked and counted."""
        for row in rows:
            intact_columns(f"a row of {table}", row)
            digest = blake2b(row_bytes(row), digest_size=16).digest()
            self._sums[table] = (self._sums[table] + int.from_bytes(digest, "big")) % (1 << 128)
            self.rows[table] += 1
            if self.rows[table] % 1000 == 0:
                told(table, sum(self.rows.values()))
            yield row

    def content(self) -> Content:
        words = repr(sorted((table, self.rows[table], total) for table, total in self._sums.items()))
        return Content(self.rows, blake2b(words.encode(), digest_size=16).hexdigest())


def copy_study(source: Path | str, target: Path | str, told: Told = lambda _table, _rows: None) -> Content:
    """Copy a study completely; returns its content.

    Args:
        source: a study, a file or an address.
        target: where nothing is yet, likewise.
        told: told how far it is.

    Raises:
        StoreError: there is no such source, or something at the target, or it cannot be written.
        StudyDamagedError: the source is not intact, or the target did not keep what it was given. Nothing is made.
    """
    target = study_path(target)
    with open_current(source) as study, study.snapshot() as db:
        if isinstance(target, StudyAddress):
            with new_schema(target) as made:
                return _fill_study(db, made, told)
        if not target.parent.is_dir():
            raise StoreError(f"there is no folder {target.parent} for {target.name}; make it first")
        with WriterLock(target):
            return build_file(target, lambda made: _fill_study(db, made, told))


def content_of(place: Path | str) -> Content:
    """The content of a study, every row of it checked; errors as `open_study`."""
    with open_current(place) as study, study.snapshot() as db:
        return _read_content(db)


def _fill_study(db: Database, made: sqlite3.Connection | PostgresDatabase, told: Told) -> Content:
    sums = _Sums()
    for table, columns in COLUMNS.items():
        rows = sums.checked_rows(table, _all_rows(db, table), told)
        if isinstance(made, PostgresDatabase):
            made.copy(table, rows)
        else:
            marks = ", ".join("?" * len(columns))
            made.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 (names are ours)
    wanted, kept = sums.content(), _read_content(made, told)
    if kept != wanted:
        pairs = ((table, kept.rows[table], rows) for table, rows in wanted.rows.items())
        fewer = [f"{table}: {there} rows of {rows}" for table, there, rows in pairs if there != rows]
        why = "; ".join(fewer) or "as many rows, other content"
        raise StudyDamagedError(f"the copy differs from its source ({why}); nothing was made")
    return kept


def _read_content(db: Database, told: Told = lambda _table, _rows: None) -> Content:
    sums = _Sums()
    for table in COLUMNS:
        for _ in sums.checked_rows(table, _all_rows(db, table), told):
            pass
    return sums.content()


def _all_rows(db: Database, table: str) -> Iterator[Row]:
    return stream_rows(db, f"SELECT * FROM {table}")  # noqa: S608 (names are ours)
