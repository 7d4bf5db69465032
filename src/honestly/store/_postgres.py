"""A study in a PostgreSQL database: what is PostgreSQL's own; the rest is `_store.py`.

A study is a schema, with the tables that a file has, column for column, and two more: `study`, one row with what a
file's header says, a counter of changes and the study's identity, and `claims` (`_claims.py`). Whoever writes changes
the counter first, so that writers wait for each other for the length of a transaction, as with SQLite. The identity is
drawn when a study is made, and kept wherever it moves; whoever has a study open writes to no other that has its name
by then. A connection that was lost is made anew when it is next needed; what was asked of it while it was away fails
with `StudyAwayError`.
"""

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from honestly.errors import StoreError, StudyAwayError, StudyDamagedError
from honestly.store._address import StudyAddress
from honestly.store._claims import Claims
from honestly.store._database import Database
from honestly.store._postgres_link import PostgresDatabase, connect, database_errors_told, required_psycopg
from honestly.store._postgres_schema import migrate_study, version_of
from honestly.store._rows import read_trial
from honestly.store._schema import COLUMNS, MIGRATIONS
from honestly.store._store import Store
from honestly.store._types import RULE, ClaimResult

_IDENTITY = re.compile(r"[0-9a-f-]{36}")


class PostgresStore(Store):
    """A study in a database."""

    path: StudyAddress
    shared = True
    _silence_s = math.inf
    _SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    def __init__(self, address: StudyAddress, *, writable: bool) -> None:
        """Open a study that is there.

        Raises:
            StoreError: there is none, or the database cannot be reached.
        """
        super().__init__(address, writable=writable, version=len(MIGRATIONS))
        self.identity = ""
        """Of the study, whatever its name; empty where it is only read."""
        self._claims, self._own = Claims(address), 0
        self._last: PostgresDatabase | None = None
        self._last = self._current_database
        if not self.version:
            self._last.link.close()
            raise StoreError(f"there is no study {address}; `honestly run` and `honestly study import` make one")

    @property
    def _current_database(self) -> PostgresDatabase:
        if self._last is not None and self._last.is_cut():
            self._last.link.close()
        if self._last is None or self._last.link.closed:
            db = connect(self.path, self._silence_s)
            try:
                with database_errors_told(self.path, db):
                    self.version = version_of(db, self.path) or 0
                    if not self.writable:
                        db.execute("SET default_transaction_read_only = on")
                    elif self.version:
                        self._learn_identity(db)
            except BaseException:
                db.link.close()
                raise
            self._last = db
        return self._last

    def _learn_identity(self, db: PostgresDatabase) -> None:
        """Bring the study to the newest version, and learn its identity, which stays."""
        asked = "SELECT to_jsonb(study) ->> 'identity', to_regclass('runners')::text FROM study"
        found, runners = db.execute(asked).fetchone() or (None, None)
        if self.version < len(MIGRATIONS) or found is None or runners is None:
            migrate_study(db)
            found, _ = db.execute(asked).fetchone() or (None, None)
        if not _IDENTITY.fullmatch(str(found)):
            raise StudyDamagedError(f"{self.path} is damaged: its identity is none; restore it from a copy")
        if self.identity not in ("", found):
            raise self._replaced_error()
        self.version, self.identity = len(MIGRATIONS), str(found)

    def _replaced_error(self) -> StudyAwayError:
        return StudyAwayError(f"another study is called {self.path} by now")

    def generation(self) -> int:
        """A number that differs after each change that anybody else made since it was asked for."""
        return int(str(self._all("SELECT generation FROM study")[0][0])) - self._own

    def claim_all(self, attempts: Mapping[str, int], most: int | None = None) -> list[ClaimResult]:
        """Take trials for this runner, one if there is a `most`; see `Store.claim`."""
        with self._locked_session():
            db = self._current_database
            self._claims.enlist_runner(db)
            if most is None:
                taken, rows = self._claims.take_trials(db, attempts)
            else:
                (trial,) = attempts
                with db.link.transaction():
                    if self._claims.full(db, trial, most):
                        return [ClaimResult.FULL]
                    taken, rows = self._claims.take_trials(db, attempts)
            held = {row[1]: read_trial(row).attempts for row in rows}
            came: list[ClaimResult] = []
            for trial, known in attempts.items():
                # Another runner may have stored an attempt and left the trial since this one last looked.
                ours = trial in taken and (trial == RULE or held.get(trial, 0) == known)
                if trial in taken:
                    self._claims.held[trial] = known
                    if not ours:
                        self._claims.give_up(trial)
                came.append(ClaimResult.OURS if ours else ClaimResult.ELSEWHERE)
            return came

    def vacuum(self) -> None:
        """Write the tables anew, without what is no longer needed."""
        with self._locked_session() as db:
            for table in ("study", "claims", "runners", *COLUMNS):
                db.execute(f"VACUUM (FULL, ANALYZE) {table}")

    @contextmanager
    def _in_our_words(self) -> Iterator[None]:
        with database_errors_told(self.path, self._current_database):
            yield

    def _all(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """All rows of a query; asked once more where the connection was lost, since a question changes nothing."""
        with self._lock:
            last = None if self._last is None or self._last.link.closed else self._last.link
            within = last is not None and last.info.transaction_status != required_psycopg().pq.TransactionStatus.IDLE
            try:
                return super()._all(query, *values)
            except StudyAwayError:
                if within:
                    raise
                return super()._all(query, *values)

    def _begin_transaction(self) -> None:
        db = self._current_database
        db.execute("BEGIN")
        mine = "UPDATE study SET generation = generation + 1, changed = now() WHERE identity = ?"
        self._counted = db.execute(mine, (self.identity,))

    @contextmanager
    def _own_transaction(self) -> Iterator[Database]:
        try:
            with self._locked_session(), self._current_database.pipelined(), super()._own_transaction() as db:
                yield db
                if not self._counted.rowcount:
                    raise self._replaced_error()
        except BaseException:
            self._roll_back()  # what was refused inside a pipeline can be undone only behind it
            raise
        self._own += 1

    def _roll_back(self) -> None:
        if self._last is not None and not self._last.link.closed:
            with suppress(required_psycopg().Error):
                self._last.execute("ROLLBACK")

    def _give_back(self) -> None:
        if self._last is not None and not self._last.link.closed:
            with suppress(required_psycopg().Error):
                self._claims.end(self._last)
            self._last.link.close()
        self._claims.stop_beating()
