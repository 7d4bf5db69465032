"""The studies that one server shows: open for reading as long as it runs, each under a key that is no path.

A study is opened when it is first looked at. What is made of all its trials (the list, and by others the figures) is
made anew when the study has changed, and not more often than a tenth of the time allows.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from honestly.errors import StoreError
from honestly.records import digest
from honestly.store import SqliteStore, open_study
from honestly.web._listing import Listing

T = TypeVar("T")
_PATIENCE = 10.0
"""What is made anew waits for so many times the time that it took before."""


@dataclass(slots=True)
class _Made:
    generation: int
    value: object
    ready: float
    """When it may be made again, by the monotonic clock."""


@dataclass(slots=True)
class OpenStudy:
    """A study that is looked at."""

    path: Path
    key: str
    """Its place in addresses: the same for the same file, and nothing that can be turned into another one."""
    _store: SqliteStore | None = None
    _made: dict[str, _Made] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def name(self) -> str:
        """What pages call it."""
        return self.path.stem

    @property
    def store(self) -> SqliteStore:
        """The study, open for reading.

        Raises:
            StoreError: it cannot be read.
        """
        with self._lock:
            if self._store is None:
                self._store = open_study(self.path)
            return self._store

    @property
    def generation(self) -> int:
        """A number that differs after each change to the study."""
        return self.store.generation()

    @contextmanager
    def writing(self) -> Iterator[SqliteStore]:
        """The study, open for writing for a moment.

        Raises:
            StudyBusyError: another process writes it.
            StoreError: it may not be written.
        """
        with self._lock, open_study(self.path, "write", checked=True) as store:
            yield store

    def made(self, name: str, make: Callable[[SqliteStore], T], *, fresh: bool = False) -> T:
        """What `make` makes of the study, kept until the study has changed; `fresh`: however lately it was made."""
        with self._lock:
            held, now = self._made.get(name), time.monotonic()
            generation = self.generation
            if held is None or (held.generation != generation and (fresh or now >= held.ready)):
                value = make(self.store)
                took = time.monotonic() - now
                held = self._made[name] = _Made(generation, value, time.monotonic() + _PATIENCE * took)
            return held.value  # type: ignore[return-value]

    def listing(self) -> Listing:
        """The trials, to be filtered and sorted."""
        return self.made("listing", Listing.of)

    def forget(self) -> None:
        """Close the file; it is opened again when it is looked at."""
        with self._lock:
            if self._store is not None:
                self._store.close()
            self._store = None
            self._made.clear()


class Library:
    """All studies of one server, by key."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._studies = {study.key: study for study in map(_study, paths)}
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[OpenStudy]:
        with self._lock:
            return iter(list(self._studies.values()))

    def __len__(self) -> int:
        return len(self._studies)

    def __getitem__(self, key: str) -> OpenStudy:
        """The study with this key.

        Raises:
            StoreError: there is none.
        """
        found = self._studies.get(key)
        if found is None:
            raise StoreError("this viewer has no such study; the first page lists those that it has")
        return found

    def add(self, path: Path) -> OpenStudy:
        """The study in this file, which may be there already."""
        study = _study(path)
        with self._lock:
            return self._studies.setdefault(study.key, study)

    def remove(self, key: str) -> None:
        """Show it no longer; the file stays."""
        with self._lock:
            gone = self._studies.pop(key, None)
        if gone is not None:
            gone.forget()

    def close(self) -> None:
        """Close all files."""
        for study in self:
            study.forget()


def _study(path: Path) -> OpenStudy:
    whole = path.resolve()
    return OpenStudy(whole, digest("study-path", str(whole))[:10])
