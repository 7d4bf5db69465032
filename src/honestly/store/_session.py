"""A connection to a study's database, for one thread at a time: questions, transactions, errors in our words."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Self, TypeVar

from honestly.errors import StoreError
from honestly.store._database import Database
from honestly.store._schema import CHECKS

T = TypeVar("T")


class Session(ABC):
    """A study that is open. A context manager that closes itself."""

    def __init__(self, path: Path, *, writable: bool, version: int = CHECKS) -> None:
        """`version`: of its schema; what older ones keep in words is typed as it is read."""
        self.path = path
        self.writable = writable
        self.version = version
        self._closed = False
        self._lock = threading.RLock()

    _SNAPSHOT = "BEGIN"
    """What begins a transaction that reads."""

    @property
    @abstractmethod
    def _current_database(self) -> Database:
        """The connection."""

    @abstractmethod
    def _in_our_words(self) -> AbstractContextManager[None]:
        """The database's errors inside, in our words."""

    @abstractmethod
    def _begin_transaction(self) -> None:
        """Begin a transaction that writes."""

    @abstractmethod
    def _roll_back(self) -> None:
        """Undo the transaction, whatever has become of the connection."""

    @abstractmethod
    def _give_back(self) -> None:
        """Close the connection."""

    @abstractmethod
    def generation(self) -> int:
        """A number that differs after each change that anybody else made since it was asked for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the study back; what was added is in it already. Closing twice is harmless."""
        with self._lock:
            if not self._closed:
                try:
                    self._give_back()
                finally:
                    self._closed = True

    def _all(self, query: str, *values: object) -> list[tuple[object, ...]]:
        with self._locked_session() as db:
            return db.execute(query, values).fetchall()

    def _guarded_rows(self, read: Callable[[Database], Iterator[T]]) -> Iterator[T]:
        """The items that `read` yields, holding the lock only while it works."""
        with self._locked_session() as db:
            items = read(db)
        end = object()
        while True:
            with self._locked_session():
                item = next(items, end)
            if item is end:
                return
            yield item  # type: ignore[misc]

    @contextmanager
    def _locked_session(self) -> Iterator[Database]:
        """The connection, for one thread at a time, with its errors in our words."""
        with self._lock:
            if self._closed:
                raise StoreError(f"{self.path} is closed")
            with self._in_our_words():
                yield self._current_database

    @contextmanager
    def snapshot(self) -> Iterator[Database]:
        """The database as it is now, whatever others write meanwhile, for those who read rows as they are."""
        with self._locked_session() as db:
            db.execute(self._SNAPSHOT)
            try:
                yield db
            finally:
                self._roll_back()

    @contextmanager
    def _own_transaction(self) -> Iterator[Database]:
        """All that is done inside, or nothing."""
        if not self.writable:
            raise StoreError(f"{self.path} was opened for reading; open it with mode='write' to add to it")
        with self._locked_session():
            try:
                self._begin_transaction()  # which may go on in another place
                yield self._current_database
                self._current_database.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise
