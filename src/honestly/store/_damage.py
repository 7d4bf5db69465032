"""The damage in a study, row by row, as far as its database can still be asked.

Nothing is repaired: what is damaged comes from a copy.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from honestly.store._database import Database
from honestly.store._postgres_link import PostgresDatabase, required_psycopg, stream_rows
from honestly.store._schema import COLUMNS, TABLES, row_sum

_NAMED_BY_TWO = {"trials", "trajectory_chunks", "artifacts", "artifact_chunks"}
_MOST_PAGES = 100
_WHOLE = (
    """SELECT count(*) FROM trajectories AS t WHERE t.size !=
        (SELECT coalesce(sum(size), 0) FROM trajectory_chunks WHERE trial = t.trial)""",
    """SELECT count(*) FROM artifacts AS a WHERE a.size !=
        (SELECT coalesce(sum(size), 0) FROM artifact_chunks WHERE artifact = a.number)""",
)
"""How many trajectories, and how many artifacts, lack a part."""


class Damage(NamedTuple):
    """One damaged row of a study."""

    table: str
    """Empty for the file as a whole."""
    row: str
    """Which row, by the columns that name it; empty where that cannot be said."""
    what: str

    def __str__(self) -> str:
        return ": ".join(part for part in (f"{self.table} {self.row}".strip(), self.what) if part)


def file_damages(db: sqlite3.Connection, version: int) -> Iterator[Damage]:
    """All that is damaged in a file with tables of this version, as it is found; rows, where all tables are there."""
    # SQLite's complaints about its own structure, and about rows that refer to nothing.
    try:
        for (said,) in db.execute(f"PRAGMA integrity_check({_MOST_PAGES})"):
            if said != "ok":
                yield Damage("", "", said)
        for table, row, other, _ in db.execute("PRAGMA foreign_key_check"):
            yield Damage(table, f"rowid {row}", f"refers to a row of {other} that is not there")
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # SQLite quotes the damaged place in its message, so that even that may not be text.
        yield Damage("", "", str(error))
    if version >= TABLES:
        yield from (each for table in COLUMNS for each in bad_rows(db, table))
        yield from lacking_parts(db)


def bad_rows(db: Database, table: str) -> Iterator[Damage]:
    """The rows of a table that do not match their check sums, and after which row it cannot be read on."""
    row: tuple[Any, ...] = ()
    try:
        for row in stream_rows(db, f"SELECT * FROM {table}"):  # noqa: S608 (names are ours)
            if row_sum(*row[:-1]) != row[-1]:
                yield Damage(table, _row_name(table, row), "does not match its check sum")
    except _database_errors(db) as error:
        if isinstance(db, PostgresDatabase) and db.link.closed:
            raise
        yield Damage(table, f"after {_row_name(table, row)}" if row else "", f"cannot be read on: {error}")


def lacking_parts(db: Database) -> Iterator[Damage]:
    """Trajectories and artifacts that lack a part."""
    try:
        for query in _WHOLE:
            if broken := db.execute(query).fetchone()[0]:
                yield Damage("", "", f"{broken} trajectories or artifacts lack a part")
    except _database_errors(db) as error:
        yield Damage("", "", str(error))


def _database_errors(db: Database) -> tuple[type[Exception], ...]:
    """The errors of a database that cannot read what it holds."""
    theirs = required_psycopg().Error if isinstance(db, PostgresDatabase) else sqlite3.DatabaseError
    return theirs, UnicodeDecodeError


def _row_name(table: str, row: tuple[Any, ...]) -> str:
    many = 2 if table in _NAMED_BY_TWO else 1
    return ", ".join(f"{column} {value!r:.80}" for column, value in zip(COLUMNS[table][:many], row, strict=False))
