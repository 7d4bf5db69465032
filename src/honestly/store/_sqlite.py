"""A study as one SQLite file: what is SQLite's own; the rest is `_store.py`.

Whoever writes sees before each transaction, and at the end, that the file is still where it was opened: the same file,
and with the content that was written there. SQLite itself would go on writing to a file that has no name any more.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from honestly.errors import StoreError, StudyBusyError, StudyDamagedError, StudyMovedError
from honestly.records import Trial
from honestly.store._check import open_connection
from honestly.store._database import Database
from honestly.store._schema import CHECKS
from honestly.store._store import Store

_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CONTENT = "SELECT (SELECT sum FROM facts WHERE name = 'created'), (SELECT max(number) FROM trials)"
"""What tells a study from others, and from what it was before."""


class SqliteStore(Store):
    """A study in a file."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        *,
        writable: bool,
        release: Callable[[], object] = lambda: None,
        version: int = CHECKS,
    ) -> None:
        super().__init__(path, writable=writable, version=version)
        self._connection = connection
        self._release = release
        self._place = path
        """Of the file that is written."""
        if writable:
            self.note_place()

    def generation(self) -> int:
        """A number that differs after each change that anybody else made since it was asked for."""
        return int(str(self._all("PRAGMA data_version")[0][0]))

    def vacuum(self) -> None:
        """Write the file anew, without what is no longer needed."""
        with self._locked_session() as db:
            db.execute("VACUUM")

    def note_place(self) -> None:
        """Take what is at the place now for the study."""
        self._file, self._stamp = _seen(self._place)

    def demand_place(self) -> None:
        """StudyMovedError where the file at the path is not, or no longer, the one that is written."""
        try:
            file, stamp = _seen(self._place)
        except OSError as error:
            raise StudyMovedError(
                f"{self.path} was removed or renamed while it was written ({error.strerror})"
            ) from error
        if file != self._file:
            raise StudyMovedError(f"{self.path} was replaced by another file while it was written")
        if stamp != self._stamp:  # somebody else has written it: as another program may do that adds reviews
            try:
                with closing(open_connection(self._place, "mode=ro")) as fresh:
                    same = fresh.execute(_CONTENT).fetchone() == self._connection.execute(_CONTENT).fetchone()
            except sqlite3.Error:
                same = False
            if not same:
                raise StudyMovedError(f"{self.path} was overwritten while it was written")
            self._stamp = stamp

    def trials(self, agent: str | None = None, task: str | None = None) -> Iterator[Trial]:
        """Trials by agent, task, sample; see `Store.trials`. Those of a task are asked for as the index has them."""
        if task is None or agent is not None:
            yield from super().trials(agent, task)
            return
        for (name,) in self._all("SELECT name FROM agents ORDER BY name"):
            yield from super().trials(str(name), task)

    @property
    def _current_database(self) -> Database:
        return self._connection

    def _give_back(self) -> None:
        if self.writable:
            # Where a reader is in the way, the log stays beside the file, and the next writer empties it.
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA busy_timeout = 1000")
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
        self._release()

    @contextmanager
    def _in_our_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _LOCKED:
                raise StudyBusyError(f"another program holds {self.path}; nothing was saved; try again") from error
            if "decode" not in str(error):
                raise StoreError(f"{self.path}: {error}") from error
            raise StudyDamagedError(f"{self.path} is damaged: {error}; restore it from a copy") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise StudyDamagedError(f"{self.path} is damaged: {error}; restore it from a copy") from error

    def _begin_transaction(self) -> None:
        self.demand_place()
        self._connection.execute("BEGIN IMMEDIATE")

    @contextmanager
    def _own_transaction(self) -> Iterator[Database]:
        with super()._own_transaction() as db:
            yield db
        with suppress(OSError):
            self._stamp = _seen(self._place)[1]  # which a commit changes now and then

    def _roll_back(self) -> None:
        if self._connection.in_transaction:  # SQLite has rolled back by itself where the disk is full
            self._connection.execute("ROLLBACK")


def _seen(path: Path) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which file is at a path, and how it was last written."""
    found = path.stat()
    return (found.st_dev, found.st_ino), (found.st_mtime_ns, found.st_size)
