"""The studies that one server shows: open for reading as long as it runs, each under a key that is no path.

A study is opened when it is first looked at. What is made of all its trials (the list, and by others the figures) is
made in a thread of its own, so that other pages do not wait for it; it is made anew when the study has changed, and not
more often than a tenth of the time allows. Where that takes long, what was made before is shown meanwhile.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from honestly.errors import StoreError
from honestly.records import Outcome, digest
from honestly.store import MovedStudy, Store, open_study, undo_move
from honestly.web._listing import Listing

T = TypeVar("T")
_PATIENCE = 10.0
"""What is made anew waits for so many times the time that it took before."""
_LONG, _SHORT = 0.2, 0.05
"""Seconds that a part of a page waits for what is being made, where it can do without; and a page."""


@dataclass(frozen=True, slots=True)
class _Made:
    generation: int
    value: object
    took: float
    """Seconds."""
    ready: float
    """When it may be made again, by the monotonic clock."""


@dataclass(slots=True)
class OpenStudy:
    """A study that is looked at."""

    path: Path
    key: str
    """Its place in addresses: the same for the same file, and nothing that can be turned into another one."""
    _store: Store | None = None
    _made: dict[str, _Made] = field(default_factory=dict)
    _making: dict[str, "Future[object]"] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _writer: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """The study's name on pages."""
        return self.path.stem

    @property
    def store(self) -> Store:
        """The study, open for reading.

        Raises:
            StoreError: it cannot be read.
        """
        with self._lock:
            if self._store is None:
                try:
                    self._store = open_study(self.path)
                except OSError as error:  # it is being moved
                    raise StoreError(f"{self.path} cannot be read: {error.strerror}") from error
            return self._store

    @property
    def generation(self) -> int:
        """A number that differs after each change to the study."""
        return self.store.generation()

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """The study, open for writing for a moment.

        Raises:
            StudyBusyError: another process writes it.
            StoreError: it may not be written.
        """
        with self._writer, open_study(self.path, "write", checked=True) as store:
            yield store

    def made(self, name: str, make: Callable[[Store], T], *, fresh: bool = False) -> T:
        """The value that `make` makes of the study, kept until it has changed; `fresh`: however long that takes."""
        for _ in range(2):  # what was begun before this call may be older than the call; the second is not
            held, making = self._begun_value(name, make, fresh=fresh)
            if held is not None and (making is None or (held.took > _LONG and not fresh)):
                return held.value  # type: ignore[return-value]
            assert making is not None
            value = making.result()
            if not fresh:
                break
        return value  # type: ignore[return-value]

    def soon(self, name: str, make: Callable[[Store], T], wait: float = _LONG) -> T | None:
        """The value that `made` gives; None where making it takes longer than a page waits for it, s."""
        held, making = self._begun_value(name, make)
        if held is None and making is not None:
            try:
                return making.result(wait)  # type: ignore[return-value]
            except TimeoutError:
                return None
        return self.made(name, make)

    def made_generation(self, name: str) -> int:
        """The generation of the study that a made value is of; -1 where none is made yet."""
        with self._lock:
            held = self._made.get(name)
        return held.generation if held is not None else -1

    def _begun_value(
        self, name: str, make: Callable[[Store], T], *, fresh: bool = False
    ) -> "tuple[_Made | None, Future[object] | None]":
        """The made value, and what is being made to take its place."""
        with self._lock:
            held, generation = self._made.get(name), self.generation
            if held is not None and (held.generation == generation or (not fresh and time.monotonic() < held.ready)):
                return held, None
            if name not in self._making:
                self._making[name] = Future()
                threading.Thread(target=self._make_value, args=(name, make, generation), daemon=True).start()
            return held, self._making[name]

    def _make_value(self, name: str, make: Callable[[Store], T], generation: int) -> None:
        begun = time.monotonic()
        value: object = None
        failed: Exception | None = None
        try:
            value = make(self.store)
        except Exception as error:  # noqa: BLE001 (whoever waits for it gets it)
            failed = error
        with self._lock:
            making = self._making.pop(name)
            if failed is None:
                now = time.monotonic()
                self._made[name] = _Made(generation, value, now - begun, now + _PATIENCE * (now - begun))
        if failed is None:
            making.set_result(value)
        else:
            making.set_exception(failed)

    def listing(self) -> Listing:
        """The trials, to be filtered and sorted."""
        return self.made("listing", Listing.from_store)

    def listing_soon(self, wait: float = _SHORT) -> Listing | None:
        """The trials, for a page that does not wait for those of a large study; None while they are being read."""
        return self.soon("listing", Listing.from_store, wait)

    def first_trials(self) -> Listing:
        """The trials; or the first ones only, while all are being read."""
        return self.listing_soon() or self.made("first trials", Listing.first)

    def tally(self) -> Mapping[Outcome, int]:
        """How many trials ended how; known before any of them is read."""
        return self.made("tally", Store.tally)

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
        self._studies = {study.key: study for study in map(_opened_study, paths)}
        self._away: dict[str, MovedStudy] = {}
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
        if (found := self._studies.get(key)) is None:
            raise StoreError("this viewer has no such study; the first page lists those that it has")
        return found

    def open_path(self, path: Path) -> OpenStudy:
        """The study in this file, which may be there already."""
        study = _opened_study(path)
        with self._lock:
            return self._studies.setdefault(study.key, study)

    def remove(self, key: str) -> None:
        """Show it no longer; the file stays."""
        with self._lock:
            gone = self._studies.pop(key, None)
        if gone is not None:
            gone.forget()

    def put_away(self, key: str, move: Callable[[Path], MovedStudy]) -> None:
        """Put a study's file elsewhere, by `archive_study` or `drop_study`, and show it no longer.

        Raises:
            StoreError: this library has no such study, or it cannot be moved; it is shown on then.
            StudyBusyError: somebody else has it open.
        """
        study = self[key]
        study.forget()
        moved = move(study.path)
        with self._lock:
            self._away[key] = moved
            self._studies.pop(key, None)
        study.forget()

    def away(self) -> dict[str, MovedStudy]:
        """The studies put away since this server began, by key."""
        with self._lock:
            return dict(self._away)

    def bring_back(self, key: str) -> OpenStudy:
        """Undo what put a study away.

        Raises:
            StoreError: it was not put away here, or its place is taken.
            StudyBusyError: somebody has it open.
        """
        if (moved := self.away().get(key)) is None:
            raise StoreError("this viewer has put no such study away")
        undo_move(moved)
        with self._lock:
            self._away.pop(key, None)
        return self.open_path(moved.was)

    def close(self) -> None:
        """Close all files."""
        for study in self:
            study.forget()


def _opened_study(path: Path) -> OpenStudy:
    whole = path.resolve()
    return OpenStudy(whole, digest("study-path", str(whole))[:10])
