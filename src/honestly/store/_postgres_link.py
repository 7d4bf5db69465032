"""A connection to PostgreSQL that takes the store's common SQL, and what its errors mean.

Text of PostgreSQL cannot hold NUL, which text of agents does: DLE stands for it here (`_escaped_value`). JSON has
neither.
"""

from __future__ import annotations

import math
import re
import select
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from honestly.errors import StoreError, StudyAwayError, StudyBusyError, StudyDamagedError
from honestly.store._database import Database, Rows

if TYPE_CHECKING:
    from psycopg import Connection, Cursor, Pipeline

T = TypeVar("T")

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
    SET client_encoding = 'UTF8'; SET idle_in_transaction_session_timeout = '300s';
    SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
    SET bytea_output = 'hex'; SET extra_float_digits = 1; SET synchronous_commit = on
"""
_LOCK_S = 60.0
"""For which a statement waits for others, at most."""
_DAMAGE = ("XX", "58", "22P02", "22P05", "22021")
"""Beginnings of SQLSTATE that a statement of ours meets only where the data are not what was written."""

_AWAY, _FULL, _BUSY = ("08", "57P"), ("53", "25006"), ("40", "55P03", "57014")
"""Those of a server that ends, begins, or is not there; of one that can write nothing now; and of others in the way."""
_GONE = ("42P01", "3F000")


def required_psycopg() -> Any:  # noqa: ANN401 - the module
    """Psycopg.

    Raises:
        StoreError: it is not installed.
    """
    try:
        import psycopg
    except ImportError as error:
        raise StoreError(f"a study in PostgreSQL needs psycopg ({error}): pip install 'honestly[postgres]'") from error
    return psycopg


class DatabaseAddress(Protocol):
    """Where a study is in a database; its text names it in messages."""

    @property
    def study(self) -> str:
        """Name of the study, which is that of a schema; empty for the database itself."""

    @property
    def connection_info(self) -> str:
        """The connection string for libpq."""


class PostgresDatabase:
    """A connection that takes the store's common SQL."""

    def __init__(self, link: Connection[tuple[Any, ...]]) -> None:
        self.link = link
        self._pipeline: Pipeline | None = None

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Rows:
        """Carry out a statement of the common SQL."""
        done = self.link.execute(_translated_query(query), tuple(map(_escaped_value, values)), binary=True)
        return _LaterRows(done, self._pipeline) if self._pipeline is not None else done

    @contextmanager
    def pipelined(self) -> Iterator[None]:
        """Context in which a statement waits for the answers of those before it only where somebody asks for them."""
        if self._pipeline is not None or not required_psycopg().Pipeline.is_supported():
            yield
            return
        try:
            with self.link.pipeline() as self._pipeline:
                yield
        finally:
            self._pipeline = None

    def is_cut(self) -> bool:
        """Whether the server has hung up since the last statement, which costs no round trip."""
        if self.link.closed:
            return True
        idle = self.link.info.transaction_status == required_psycopg().pq.TransactionStatus.IDLE
        return idle and self._pipeline is None and bool(select.select([self.link.fileno()], [], [], 0)[0])

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query of any length, inside a transaction."""
        with self.link.cursor("honestly", binary=True) as cursor:
            cursor.itersize = 32  # a row may hold a megabyte
            yield from cursor.execute(_translated_query(query).encode())

    def copy(self, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
        """Add rows, in bulk."""
        with self.link.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN".encode()) as pipe:
            for row in rows:
                pipe.write_row(tuple(map(_escaped_value, row)))


class _LaterRows:
    """The rows of a statement whose answer may not be there yet."""

    def __init__(self, cursor: Cursor[tuple[Any, ...]], pipeline: Pipeline) -> None:
        self._cursor, self._pipeline = cursor, pipeline

    @property
    def rowcount(self) -> int:
        """How many rows it has changed."""
        if self._cursor.rowcount < 0:
            self._pipeline.sync()
        return self._cursor.rowcount

    def fetchone(self) -> Any:  # noqa: ANN401 - a tuple of what the columns hold, or None
        """The next row; None where there is none."""
        return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        """All further rows."""
        return self._cursor.fetchall()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor)


def stream_rows(db: Database, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a query on either kind of database, inside a transaction, without holding them all."""
    return db.stream(query) if isinstance(db, PostgresDatabase) else iter(db.execute(query))


@lru_cache(512)
def _translated_query(query: str) -> str:
    if query.startswith("CREATE"):
        for ours, theirs in _TYPES.items():
            query = re.sub(rf"\b{ours}\b", theirs, query)
    return query.replace("%", "%%").replace("?", "%s").replace("record ->", "record::json ->")


_TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION", "BLOB": "BYTEA", "TEXT": 'TEXT COLLATE "C"', "STRICT": ""}
"""Of columns: SQLite's names, and what they are in PostgreSQL, where text is compared by its bytes too."""


def _escaped_value(value: Any) -> Any:  # noqa: ANN401
    if type(value) is str and ("\0" in value or "\x10" in value):
        return value.replace("\x10", "\x10e").replace("\0", "\x100")
    return value


def _row_factory(_: object) -> Any:  # noqa: ANN401 - a maker of rows, as psycopg wants one
    return lambda values: tuple(_unescaped(value) if type(value) is str else value for value in values)


def _unescaped(value: str) -> str:
    return value.replace("\x100", "\0").replace("\x10e", "\x10") if "\x10" in value else value


@lru_cache(1)
def _link_class() -> Any:  # noqa: ANN401 - a class of psycopg's connections
    psycopg = required_psycopg()

    class Link(psycopg.Connection):  # type: ignore[misc,name-defined]
        """A connection that is given up where the server says nothing for too long, though its machine lives."""

        silence_s = math.inf

        def wait(self, steps: Generator[Any, int, T], *more: Any, **named: Any) -> T:  # noqa: ANN401
            try:
                return super().wait(_heard_steps(steps, self.silence_s), *more, **named)  # type: ignore[no-any-return]
            except TimeoutError as error:
                self.close()
                raise psycopg.OperationalError(str(error)) from error

    return Link


def _heard_steps(steps: Generator[Any, int, T], silence_s: float) -> Generator[Any, int, T]:
    """The steps of a statement as psycopg takes them, who says each time whether the server was heard of."""
    last = time.monotonic()
    try:
        wanted = next(steps)
        while True:
            if heard := (yield wanted):
                last = time.monotonic()
            elif time.monotonic() - last > silence_s:
                raise TimeoutError(f"the server has said nothing for {silence_s:.0f} s")
            wanted = steps.send(heard)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def connect(address: DatabaseAddress, silence_s: float = math.inf) -> PostgresDatabase:
    """A connection in autocommit mode, whose tables are those of the study.

    Args:
        address: where the study is.
        silence_s: seconds after which the connection is lost whose server says nothing to a statement.

    Raises:
        StudyAwayError: the server cannot be reached, or lets nobody in.
        StoreError: it is too old, or its database holds no Unicode.
    """
    psycopg = required_psycopg()
    usual = {name: value for name, value in _USUAL.items() if f"{name}=" not in address.connection_info}
    try:
        link = _link_class().connect(address.connection_info, autocommit=True, row_factory=_row_factory, **usual)
    except psycopg.Error as error:
        raise StudyAwayError(f"cannot reach {address}: {_libpq_words(error)}") from error
    try:
        if link.info.server_version < _LEAST_VERSION * 10_000:
            raise StoreError(
                f"{address}: the server is PostgreSQL {link.info.server_version // 10_000}; "
                f"expected {_LEAST_VERSION} or newer"
            )
        if (encoding := link.info.parameter_status("server_encoding")) != "UTF8":
            raise StoreError(f"{address}: the database contains {encoding}; expected one of UTF8 (createdb -E UTF8)")
        link.silence_s = silence_s
        link.execute(_SESSION.encode())
        link.execute(f"SET lock_timeout = {min(_LOCK_S, silence_s / 2) * 1000:.0f}".encode())
        link.execute(
            psycopg.sql.SQL("SET search_path TO {}").format(psycopg.sql.Identifier(address.study or "pg_catalog"))
        )
    except psycopg.Error as error:
        link.close()
        raise StudyAwayError(f"cannot use {address}: {_libpq_words(error)}") from error
    except StoreError:
        link.close()
        raise
    return PostgresDatabase(link)


@contextmanager
def connected_database(address: DatabaseAddress) -> Iterator[PostgresDatabase]:
    """A connection for a while, with its errors in our words; what was not committed is undone. As `connect`."""
    db = connect(address)
    try:
        with database_errors_told(address, db):
            yield db
    finally:
        db.link.close()


def _libpq_words(error: BaseException) -> str:
    """The words of libpq, in a line; it never says a password."""
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip()) or type(error).__name__


@contextmanager
def database_errors_told(address: DatabaseAddress, db: PostgresDatabase) -> Iterator[None]:
    """The database's errors inside, in our words."""
    psycopg = required_psycopg()
    try:
        yield
    except psycopg.Error as error:
        state = error.sqlstate or ""
        if state.startswith(_BUSY):
            raise StudyBusyError(f"others hold {address} without a pause; nothing was saved; try again") from error
        if state.startswith(_GONE):
            raise StudyAwayError(f"{address} is no longer there: {_libpq_words(error)}") from error
        if db.link.closed or state.startswith(_AWAY):
            db.link.close()
            raise StudyAwayError(f"the connection to {address} was lost: {_libpq_words(error)}") from error
        if state.startswith(_FULL):
            raise StudyAwayError(f"{address} takes nothing now: {_libpq_words(error)}") from error
        if state.startswith(_DAMAGE):
            raise StudyDamagedError(f"{address} is damaged: {_libpq_words(error)}; restore it from a copy") from error
        raise StoreError(f"{address}: {_libpq_words(error)}") from error
    except UnicodeDecodeError as error:
        raise StudyDamagedError(f"{address} is damaged: {error}; restore it from a copy") from error
