"""A study in a PostgreSQL database: what is PostgreSQL's own; the rest is `_sql.py`.

A study is a schema, with the tables that a file has, column for column, and two more: `study`, one row with what a
file's header says and a counter of changes, and `claims`, which says who runs what. Whoever writes changes the counter
first, so that writers wait for each other for the length of a transaction, as with SQLite. A claim is worth as much as
the advisory lock of its runner, which dies with the runner's connection. A connection that was lost is made anew when
it is next needed; what was asked of it while it was away fails with `StudyAwayError`.

Text of PostgreSQL cannot hold NUL, which text of agents does: DLE stands for it here (`_escaped`). JSON has neither.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from honestly.errors import StoreError, StudyAwayError, StudyBusyError, StudyDamagedError, StudyTooNewError
from honestly.store._address import StudyAddress
from honestly.store._rows import read_trial
from honestly.store._schema import APPLICATION_ID, COLUMNS, MIGRATIONS
from honestly.store._sql import SqlStore

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

_LEAST_VERSION = 15
_USUAL = {
    "connect_timeout": 10,
    "application_name": "honestly",
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""Of a connection, unless the address says otherwise: a machine that is gone is noticed within half a minute."""

_SESSION = """
    SET client_encoding = 'UTF8'; SET lock_timeout = '60s'; SET idle_in_transaction_session_timeout = '300s';
    SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
    SET bytea_output = 'hex'; SET extra_float_digits = 1; SET synchronous_commit = on
"""
_DAMAGE = ("XX", "58", "22P02", "22P05", "22021")
"""Beginnings of SQLSTATE that a statement of ours meets only where the data are not what was written."""

LIVING = f"""EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = {APPLICATION_ID}
    AND objid = claims.runner::oid AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"""  # noqa: S608 (ours)
"""Of a claim: whether its runner lives."""

_CLAIM = f"""INSERT INTO claims VALUES (?, ?) ON CONFLICT (trial) DO UPDATE SET runner = excluded.runner
    WHERE claims.runner = excluded.runner OR NOT {LIVING} RETURNING trial"""  # noqa: S608 (ours)

_AWAY, _FULL = ("08", "57P"), ("53", "25006")
"""Those of a server that ends, begins, or is not there; and of one that can write nothing now."""


def needed() -> Any:  # noqa: ANN401 - the module
    """Psycopg.

    Raises:
        StoreError: it is not installed.
    """
    try:
        import psycopg
    except ImportError as error:
        raise StoreError(f"a study in PostgreSQL needs psycopg ({error}): pip install 'honestly[postgres]'") from error
    return psycopg


class PostgresDatabase:
    """A connection that takes the store's common SQL."""

    def __init__(self, link: Connection[tuple[Any, ...]]) -> None:
        self.link = link

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Cursor[tuple[Any, ...]]:
        """Carry out a statement of the common SQL."""
        return self.link.execute(_translated(query), tuple(map(_escaped, values)), binary=True)

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query of any length, inside a transaction."""
        with self.link.cursor("honestly", binary=True) as cursor:
            cursor.itersize = 32  # a row may hold a megabyte
            yield from cursor.execute(_translated(query).encode())

    def copy(self, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
        """Add rows, in bulk."""
        with self.link.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN".encode()) as pipe:
            for row in rows:
                pipe.write_row(tuple(map(_escaped, row)))


@lru_cache(512)
def _translated(query: str) -> str:
    if query.startswith("CREATE"):
        for ours, theirs in _TYPES.items():
            query = re.sub(rf"\b{ours}\b", theirs, query)
    return query.replace("%", "%%").replace("?", "%s").replace("record ->", "record::json ->")


_TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION", "BLOB": "BYTEA", "TEXT": 'TEXT COLLATE "C"', "STRICT": ""}
"""Of columns: SQLite's names, and what they are in PostgreSQL, where text is compared by its bytes too."""


def _escaped(value: Any) -> Any:  # noqa: ANN401
    if type(value) is str and ("\0" in value or "\x10" in value):
        return value.replace("\x10", "\x10e").replace("\0", "\x100")
    return value


def _row(_: object) -> Any:  # noqa: ANN401 - a maker of rows, as psycopg wants one
    return lambda values: tuple(_unescaped(value) if type(value) is str else value for value in values)


def _unescaped(value: str) -> str:
    return value.replace("\x100", "\0").replace("\x10e", "\x10") if "\x10" in value else value


def connect(address: StudyAddress) -> PostgresDatabase:
    """A connection in autocommit mode, whose tables are those of the study.

    Raises:
        StudyAwayError: the server cannot be reached, or lets nobody in.
        StoreError: it is too old, or its database holds no Unicode.
    """
    psycopg = needed()
    usual = {name: value for name, value in _USUAL.items() if f"{name}=" not in address.conninfo}
    try:
        link = psycopg.connect(address.conninfo, autocommit=True, row_factory=_row, **usual)
    except psycopg.Error as error:
        raise StudyAwayError(f"cannot reach {address}: {_words(error)}") from error
    try:
        if link.info.server_version < _LEAST_VERSION * 10_000:
            raise StoreError(
                f"{address}: the server is PostgreSQL {link.info.server_version // 10_000}; "
                f"expected {_LEAST_VERSION} or newer"
            )
        if (encoding := link.info.parameter_status("server_encoding")) != "UTF8":
            raise StoreError(f"{address}: the database holds {encoding}; expected one of UTF8 (createdb -E UTF8)")
        link.execute(_SESSION.encode())
        link.execute(
            psycopg.sql.SQL("SET search_path TO {}").format(psycopg.sql.Identifier(address.study or "pg_catalog"))
        )
    except psycopg.Error as error:
        link.close()
        raise StudyAwayError(f"cannot use {address}: {_words(error)}") from error
    except StoreError:
        link.close()
        raise
    return PostgresDatabase(link)


def _words(error: BaseException) -> str:
    """What libpq says, in a line; it never says a password."""
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip()) or type(error).__name__


def has_study(address: StudyAddress) -> bool:
    """Whether the database holds this study.

    Raises:
        StoreError: the database cannot be asked, or the address names none.
    """
    if not address.study:
        return False
    db = connect(address)
    try:
        return version_of(db, address) is not None
    finally:
        db.link.close()


def version_of(db: PostgresDatabase, address: StudyAddress) -> int | None:
    """The version of the study's tables; None where there is none.

    Raises:
        StoreError: there is something else under this name, or the user may not see it.
        StudyTooNewError: a newer honestly wrote it.
    """
    there = db.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (address.study,)).fetchone()
    if there is None:
        return None
    with told(address, db):
        if db.execute("SELECT to_regclass('study')").fetchone() == (None,):
            raise StoreError(f"{address}: the schema {address.study!r} is there and holds no study; give another name")
        application, version = db.execute("SELECT application, version FROM study").fetchone() or (0, 0)
    if application != APPLICATION_ID:
        raise StudyDamagedError(f"{address} is no study, or a damaged one: its table `study` is not one of ours")
    if version > len(MIGRATIONS):
        raise StudyTooNewError(
            f"{address} has schema version {version}, this honestly knows {len(MIGRATIONS)}; install a newer honestly"
        )
    return int(version)


def build(db: PostgresDatabase, study: str) -> None:
    """Make the tables of a new study, inside the caller's transaction."""
    from psycopg import sql

    for command in ("CREATE SCHEMA {}", "SET LOCAL search_path TO {}"):
        db.link.execute(sql.SQL(command).format(sql.Identifier(study)))
    db.execute(
        """CREATE TABLE study (application BIGINT NOT NULL, version BIGINT NOT NULL, generation BIGINT NOT NULL,
        changed TIMESTAMPTZ NOT NULL)"""
    )
    db.execute("CREATE UNLOGGED TABLE claims (trial TEXT PRIMARY KEY, runner BIGINT NOT NULL)")
    for step in MIGRATIONS:
        for part in step:
            if isinstance(part, str):  # what rewrites records finds none
                db.execute(part)
    for table in ("trajectory_chunks", "artifact_chunks"):
        db.execute(f"ALTER TABLE {table} ALTER COLUMN data SET STORAGE EXTERNAL")  # it is compressed already
    db.execute("INSERT INTO study VALUES (?, ?, 0, now())", (APPLICATION_ID, len(MIGRATIONS)))


@contextmanager
def new_schema(address: StudyAddress) -> Iterator[PostgresDatabase]:
    """A new study to be filled, which is there when this ends, whole, or not at all.

    Raises:
        StoreError: there is something under this name, or the user may not make it.
    """
    if not address.study:
        raise StoreError(f"{address} names a database; expected {address}#STUDY")
    db = connect(address)
    try:
        with told(address, db):
            db.execute("BEGIN")
            taken = needed().errors.DuplicateSchema, needed().errors.UniqueViolation
            try:
                build(db, address.study)
            except taken as error:
                raise StoreError(f"{address} exists; give another name, or open it to add to it") from error
            yield db
            db.execute("COMMIT")
    finally:
        db.link.close()  # which undoes what was not committed


def migrate(db: PostgresDatabase) -> None:
    """Bring the study to the newest version, all missing steps in one transaction."""
    db.execute("BEGIN")
    try:
        (version,) = db.execute("SELECT version FROM study FOR UPDATE").fetchone() or (0,)
        for part in (part for step in MIGRATIONS[version:] for part in step):
            if isinstance(part, str):
                db.execute(part)
            else:
                part(db)
        db.execute("UPDATE study SET version = ?", (len(MIGRATIONS),))
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


@contextmanager
def told(address: StudyAddress, db: PostgresDatabase) -> Iterator[None]:
    """What the database raises inside, in our words."""
    psycopg = needed()
    try:
        yield
    except psycopg.errors.LockNotAvailable as error:
        raise StudyBusyError(f"others hold {address} without a pause; nothing was saved; try again") from error
    except psycopg.Error as error:
        if db.link.closed or (error.sqlstate or "").startswith(_AWAY):
            db.link.close()
            raise StudyAwayError(f"the connection to {address} was lost: {_words(error)}") from error
        if (error.sqlstate or "").startswith(_FULL):
            raise StudyAwayError(f"{address} takes nothing now: {_words(error)}") from error
        if (error.sqlstate or "").startswith(_DAMAGE):
            raise StudyDamagedError(f"{address} is damaged: {_words(error)}; restore it from a copy") from error
        raise StoreError(f"{address}: {_words(error)}") from error
    except UnicodeDecodeError as error:
        raise StudyDamagedError(f"{address} is damaged: {error}; restore it from a copy") from error


class PostgresStore(SqlStore):
    """A study in a database."""

    path: StudyAddress
    _SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    def __init__(self, address: StudyAddress, *, writable: bool) -> None:
        """Open a study that is there.

        Raises:
            StoreError: there is none, or the database cannot be reached.
        """
        super().__init__(address, writable=writable, version=len(MIGRATIONS))
        self._runner = 0
        """Under which number this store claims trials; 0: it has claimed none."""
        self._last: PostgresDatabase | None = None
        self._last = self._db
        if not self.version:
            self._last.link.close()
            raise StoreError(f"there is no study {address}; `honestly run` and `honestly import` make one")

    @property
    def _db(self) -> PostgresDatabase:
        if self._last is None or self._last.link.closed:
            db = connect(self.path)
            try:
                with told(self.path, db):
                    self.version = version_of(db, self.path) or 0
                    if self.writable and 0 < self.version < len(MIGRATIONS):
                        migrate(db)
                        self.version = len(MIGRATIONS)
                    if not self.writable:
                        db.execute("SET default_transaction_read_only = on")
                    if self._runner:
                        db.execute("SELECT pg_try_advisory_lock(?::int, ?::int)", (APPLICATION_ID, self._runner))
            except BaseException:
                db.link.close()
                raise
            self._last = db
        return self._last

    def generation(self) -> int:
        """A number that differs after each change that anybody made since it was asked for."""
        return int(str(self._all("SELECT generation FROM study")[0][0]))

    def claim(self, trial_id: str, attempts: int) -> bool:
        """Take a trial for this runner; see `Trials.claim`."""
        with self._session() as db:
            if not self._runner:
                self._runner = secrets.randbelow(1 << 31) or 1
                db.execute("SELECT pg_try_advisory_lock(?::int, ?::int)", (APPLICATION_ID, self._runner))
            taken = db.execute(_CLAIM, (trial_id, self._runner)).fetchone()
            return taken is not None and self.attempts(trial_id) == attempts

    def attempts(self, trial_id: str) -> int:
        """Attempts at a trial that the study holds."""
        rows = self._all("SELECT * FROM trials WHERE id = ?", trial_id)
        return len(read_trial(rows[0]).earlier) + 1 if rows else 0

    def vacuum(self) -> None:
        """Write the tables anew, without what is no longer needed."""
        with self._session() as db:
            for table in ("study", "claims", *COLUMNS):
                db.execute(f"VACUUM (FULL, ANALYZE) {table}")

    def size(self) -> int:
        """What the study takes, bytes."""
        names = ", ".join(f"'{table}'" for table in ("study", "claims", *COLUMNS))
        rows = self._all(
            "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class"  # noqa: S608 (names are ours)
            f" WHERE relkind = 'r' AND oid IN (SELECT to_regclass(name)::oid FROM unnest(ARRAY[{names}]) AS name)"
        )
        return int(str(rows[0][0]))

    @contextmanager
    def _told(self) -> Iterator[None]:
        with told(self.path, self._db):
            yield

    def _begin(self) -> None:
        self._db.execute("BEGIN")
        self._db.execute("UPDATE study SET generation = generation + 1, changed = now()")

    def _roll_back(self) -> None:
        if self._last is not None and not self._last.link.closed:
            with suppress(needed().Error):
                self._last.execute("ROLLBACK")

    def _give_back(self) -> None:
        if self._last is not None and not self._last.link.closed:
            with suppress(needed().Error):
                if self._runner:
                    self._last.execute("DELETE FROM claims WHERE runner = ?", (self._runner,))
            self._last.link.close()
