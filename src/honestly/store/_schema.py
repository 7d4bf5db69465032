"""The tables of a study, as the list of SQL steps that makes them.

A study's `user_version` says how many of `MIGRATIONS` it has had; `migrate_study` applies the rest in one transaction,
so that a file is always whole at some version. A published step is never edited: a change is a new step at the end. A
step that only rewrites records (from version `TABLES` on) leaves the tables as they are, so that a reader need not wait
for it: what it would rewrite is read as if it had (`typed_finding`, `told_apart`).

Every row carries `sum`, a CRC-32 over its other columns: SQLite itself does not notice a flipped bit in a value.
Compressed parts are cut into chunks of at most `CHUNK_BYTES`, so that a page of a huge trajectory opens without the
rest. Trial records are plain JSON, so that `sqlite3 FILE` and its JSON functions can query them.
"""

import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from msgspec.structs import replace

from honestly.errors import StudyDamagedError
from honestly.records import Check, CheckRun, Finding, Trial, Unread, decode, digest, encode
from honestly.store._database import Database

APPLICATION_ID = 0x686F6E65
"""`hone` in ASCII; in the header of every study, at byte 68."""

CHUNK_BYTES = 1 << 20
"""Uncompressed size of a chunk, at most, bytes."""

_FIRST = (
    """CREATE TABLE facts (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE agents (
        name TEXT PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        record TEXT NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE tasks (
        id TEXT PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL,
        record BLOB NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE trials (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        agent TEXT NOT NULL REFERENCES agents (name),
        task TEXT NOT NULL REFERENCES tasks (id),
        sample INTEGER NOT NULL CHECK (sample >= 0),
        outcome TEXT NOT NULL CHECK (outcome IN ('passed', 'failed', 'limit', 'void')),
        reason TEXT NOT NULL,
        visible INTEGER,
        hidden INTEGER,
        tampered INTEGER NOT NULL,
        usd REAL,
        record TEXT NOT NULL,
        sum INTEGER NOT NULL,
        UNIQUE (agent, task, sample)
    ) STRICT""",
    """CREATE TABLE trajectories (
        trial INTEGER PRIMARY KEY REFERENCES trials (number),
        steps INTEGER NOT NULL,
        size INTEGER NOT NULL,
        stop TEXT NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE trajectory_chunks (
        trial INTEGER NOT NULL REFERENCES trajectories (trial) DEFERRABLE INITIALLY DEFERRED,
        chunk INTEGER NOT NULL,
        first_step INTEGER NOT NULL,
        size INTEGER NOT NULL,
        data BLOB NOT NULL,
        sum INTEGER NOT NULL,
        UNIQUE (trial, chunk)
    ) STRICT""",
    """CREATE TABLE artifacts (
        number INTEGER PRIMARY KEY,
        trial INTEGER NOT NULL REFERENCES trials (number),
        name TEXT NOT NULL,
        size INTEGER NOT NULL,
        sum INTEGER NOT NULL,
        UNIQUE (trial, name)
    ) STRICT""",
    """CREATE TABLE artifact_chunks (
        artifact INTEGER NOT NULL REFERENCES artifacts (number) DEFERRABLE INITIALLY DEFERRED,
        chunk INTEGER NOT NULL,
        size INTEGER NOT NULL,
        data BLOB NOT NULL,
        sum INTEGER NOT NULL,
        UNIQUE (artifact, chunk)
    ) STRICT""",
    """CREATE TABLE findings (
        number INTEGER PRIMARY KEY,
        trial TEXT NOT NULL REFERENCES trials (id),
        detector TEXT NOT NULL,
        state TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        record TEXT NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX findings_of_trial ON findings (trial)",
    """CREATE TABLE reviews (
        number INTEGER PRIMARY KEY,
        trial TEXT NOT NULL REFERENCES trials (id),
        hash TEXT NOT NULL UNIQUE,
        record TEXT NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX reviews_of_trial ON reviews (trial)",
    """CREATE TABLE defects (
        number INTEGER PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        record TEXT NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT""",
)

_HEADS = (
    """CREATE TABLE trajectory_heads (
        trial INTEGER PRIMARY KEY REFERENCES trajectories (trial) DEFERRABLE INITIALLY DEFERRED,
        record TEXT NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT""",
)


def _type_findings(connection: Database) -> None:
    for number, *columns, record in connection.execute(
        "SELECT number, trial, detector, state, record FROM findings"
    ).fetchall():
        before = decode(record, Finding)
        after = typed_finding(before)
        if after is not before:
            row = (number, *columns, digest("findings", after), encode(after).decode())
            write_row(connection, "findings", *row, again=True)


def _type_checks(connection: Database) -> None:
    for *columns, record, total in connection.execute(
        "SELECT * FROM trials WHERE instr(record, '\"deselected\"')"
    ).fetchall():
        before = decode(record, Trial)
        after = told_apart(before)
        if after is not before and row_sum(*columns, record) == total:  # what is damaged stays so, and is found
            write_row(connection, "trials", *columns, encode(after).decode(), again=True)


Part = str | Callable[[Database], None]
"""A statement, or what rewrites records."""

MIGRATIONS: tuple[tuple[Part, ...], ...] = (_FIRST, _HEADS, (_type_findings,), (_type_checks,))
"""Step n takes a study from version n to n + 1; version 0 is a file with the header of a study and no tables."""

COLUMNS = {
    made[1]: tuple(re.findall(r"^ +(\w+) (?:TEXT|INTEGER|REAL|BLOB)\b", made[2], re.MULTILINE))
    for made in (re.match(r"CREATE TABLE (\w+) \((.*)", part, re.DOTALL) for part in (*_FIRST, *_HEADS))
    if made is not None
}
"""The tables of a study, with their columns in order: the key comes first, the check sum last."""

TABLES, FINDINGS, CHECKS = 2, 3, 4
"""The versions since which the tables, the findings and the checks are as they are now."""


def row_bytes(columns: Sequence[object]) -> bytes:
    """A row's columns (text, bytes, numbers, None) as bytes, in the order of the table's definition."""
    if bytes not in map(type, columns):
        text = "".join([f"{len(part)}:{part}" for part in map(repr, columns)])
        if text.isascii():  # the same in half the time, as most rows are
            return text.encode()
    parts = [
        column if isinstance(column, bytes) else repr(column).encode("utf-8", "surrogatepass") for column in columns
    ]
    return b"".join([b"%d:%b" % (len(part), part) for part in parts])


def row_sum(*columns: object) -> int:
    """CRC-32 of a row's columns."""
    return crc32(row_bytes(columns))


def intact_columns(what: str, row: Sequence[Any]) -> tuple[Any, ...]:
    """The columns of a row without its check sum.

    Raises:
        StudyDamagedError: they are not what was written.
    """
    *columns, total = row
    if row_sum(*columns) != total:
        raise StudyDamagedError(f"{what} in the study does not match its check sum; restore the study from a copy")
    return tuple(columns)


def write_row(connection: Database, table: str, *columns: object, again: bool = False) -> None:
    """Write a row of a table with its check sum; `again`: in place of one with the same key, if there is one."""
    marks = "?, " * len(columns)
    query = f"INSERT INTO {table} VALUES ({marks}?)"  # noqa: S608 (names are ours)
    if again:
        key, *others = COLUMNS[table]
        query += f" ON CONFLICT ({key}) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in others)}"
    connection.execute(query, (*columns, row_sum(*columns)))


def carry_out(connection: Database, steps: Sequence[Sequence[Part]]) -> None:
    """Change tables and records by some of the steps, inside the caller's transaction."""
    for part in (part for step in steps for part in step):
        if isinstance(part, str):
            connection.execute(part)
        else:
            part(connection)


def migrate_study(connection: sqlite3.Connection, migrations: Sequence[Sequence[Part]] = MIGRATIONS) -> int:
    """Bring the study to the newest version, all missing steps in one transaction; returns that version."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        carry_out(connection, migrations[version:])
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return len(migrations)


def schema_of(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    """Type, name and SQL of everything that was created in this database."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return frozenset((kind, name, " ".join(sql.split())) for kind, name, sql in rows)


# Records of older programs, which held in words what is typed today, and by which numbers went. The words are
# taken apart here, once, with the expressions that the old program itself used, so that an old study keeps its
# numbers. Nothing else in the package may read a number from prose, and nothing here is applied to a newer record.

_NEEDS = re.compile(r"nothing to read: needs (.*)")
_UNREAD = re.compile(r"not read: (\d+) characters of (?:actions|the agent's own), (\d+) of outputs")
_FILES = re.compile(r"files in other languages that were not parsed: (\d+)")
_WEAKER = re.compile(r"asserts less|cannot fail|tolerance is wider")


def typed_finding(finding: Finding) -> Finding:
    """The finding with what its note says in fields of its own; a finding that has them already is left alone."""
    if finding.unread is not None or finding.kinds:
        return finding
    weaker = finding.detector == "test-tampering" and finding.state == "flagged" and _WEAKER.search(finding.note)
    unread = _unread_column(finding)
    return replace(finding, unread=unread, kinds=("weakened",) if weaker else ()) if unread or weaker else finding


def _unread_column(finding: Finding) -> Unread | None:
    if finding.state == "unreadable" and (needs := _NEEDS.fullmatch(finding.note)):
        return Unread(reason="no steps" if "steps" in needs[1].split(" or ") else "nothing")
    if finding.state == "error" and finding.note.startswith("the views disagree"):
        return Unread(reason="disagreement")
    counts, files = _UNREAD.search(finding.note), _FILES.search(finding.note)
    if counts is None and files is None:
        return None
    characters, outputs = (int(counts[1]), int(counts[2])) if counts else (0, 0)
    return Unread(reason="not understood", characters=characters, outputs=outputs, files=int(files[1]) if files else 0)


def told_apart(trial: Trial) -> Trial:
    """The trial with what only the messages of skipped checks said, that they were deselected, in their own field."""
    verdict = trial.verdict
    after = replace(verdict, visible=_told_apart(verdict.visible), hidden=_told_apart(verdict.hidden))
    return trial if after == verdict else replace(trial, verdict=after)


def _told_apart(run: CheckRun | None) -> CheckRun | None:
    return run and replace(run, checks=tuple(map(_deselected, run.checks)))


def _deselected(check: Check) -> Check:
    old = check.status == "skipped" and check.deselected is None and check.message == "deselected"
    return replace(check, deselected=True) if old else check
