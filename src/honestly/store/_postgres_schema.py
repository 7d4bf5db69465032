"""The tables of a study in a PostgreSQL database: whether they are there, and how they are made and renewed."""

from collections.abc import Iterator
from contextlib import contextmanager

from honestly.errors import StoreError, StudyDamagedError, StudyTooNewError
from honestly.store._postgres_link import DatabaseAddress, PostgresDatabase, connected_database, required_psycopg
from honestly.store._schema import APPLICATION_ID, MIGRATIONS, carry_out

_BESIDE = (
    "CREATE TABLE IF NOT EXISTS claims (trial TEXT PRIMARY KEY, runner BIGINT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS runners (runner BIGINT PRIMARY KEY, beat BIGINT NOT NULL, process TEXT NOT NULL,
    seen TIMESTAMPTZ NOT NULL)""",
)
"""What a study in a database has beside the tables of a file."""


def has_study(address: DatabaseAddress) -> bool:
    """Whether the database holds this study.

    Raises:
        StoreError: the database cannot be asked, or the address names none.
    """
    if not address.study:
        return False
    with connected_database(address) as db:
        return version_of(db, address) is not None


def version_of(db: PostgresDatabase, address: DatabaseAddress) -> int | None:
    """The version of the study's tables; None where there is none.

    Raises:
        StoreError: there is something else under this name, or the user may not see it.
        StudyTooNewError: a newer honestly wrote it.
    """
    there = db.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (address.study,)).fetchone()
    if there is None:
        return None
    if db.execute("SELECT to_regclass('study')").fetchone() == (None,):
        raise StoreError(f"{address}: the schema {address.study!r} exists and contains no study; give another name")
    application, version = db.execute("SELECT application, version FROM study").fetchone() or (0, 0)
    if application != APPLICATION_ID:
        raise StudyDamagedError(f"{address} is not a study, or a damaged one: its table `study` is not one of ours")
    if version > len(MIGRATIONS):
        raise StudyTooNewError(
            f"{address} has schema version {version}, this honestly knows {len(MIGRATIONS)}; install a newer honestly"
        )
    return int(version)


def create_tables(db: PostgresDatabase, study: str) -> None:
    """Make the tables of a new study, inside the caller's transaction."""
    from psycopg import sql

    for command in ("CREATE SCHEMA {}", "SET LOCAL search_path TO {}"):
        db.link.execute(sql.SQL(command).format(sql.Identifier(study)))
    db.execute(
        """CREATE TABLE study (application BIGINT NOT NULL, version BIGINT NOT NULL, generation BIGINT NOT NULL,
        changed TIMESTAMPTZ NOT NULL, identity TEXT NOT NULL)"""
    )
    for table in _BESIDE:
        db.execute(table)
    for part in (part for step in MIGRATIONS for part in step):
        if isinstance(part, str):  # what rewrites records finds none
            db.execute(part)
    for table in ("trajectory_chunks", "artifact_chunks"):
        db.execute(f"ALTER TABLE {table} ALTER COLUMN data SET STORAGE EXTERNAL")  # it is compressed already
    db.execute("INSERT INTO study VALUES (?, ?, 0, now(), gen_random_uuid())", (APPLICATION_ID, len(MIGRATIONS)))


@contextmanager
def new_schema(address: DatabaseAddress) -> Iterator[PostgresDatabase]:
    """A new study to be filled, which is there when this ends, whole, or not at all.

    Raises:
        StoreError: there is something under this name, or the user may not make it.
    """
    if not address.study:
        raise StoreError(f"{address} names a database; expected {address}#STUDY")
    with connected_database(address) as db:
        taken = required_psycopg().errors.DuplicateSchema, required_psycopg().errors.UniqueViolation
        with db.link.transaction():
            try:
                create_tables(db, address.study)
            except taken as error:
                raise StoreError(f"{address} exists; give another name, or open it to add to it") from error
            yield db


def migrate_study(db: PostgresDatabase) -> None:
    """Bring the study to the newest version, all missing steps in one transaction."""
    with db.link.transaction():
        (version,) = db.execute("SELECT version FROM study FOR UPDATE").fetchone() or (0,)
        carry_out(db, MIGRATIONS[version:])
        db.execute("ALTER TABLE study ADD COLUMN IF NOT EXISTS identity TEXT")  # which the first ones lacked
        for table in _BESIDE:
            db.execute(table)
        db.execute("ALTER TABLE claims SET LOGGED")  # which once a crash emptied
        db.execute(
            "UPDATE study SET version = ?, identity = coalesce(identity, gen_random_uuid()::text)", (len(MIGRATIONS),)
        )
