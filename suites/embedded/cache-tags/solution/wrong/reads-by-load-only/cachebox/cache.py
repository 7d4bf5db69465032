"""The cache."""

import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A stored value, when it becomes too old, and its tags."""

    value: Any
    expires: float
    tags: frozenset[str]


@dataclass
class Load:
    """A load that is running."""

    key: Hashable
    tags: set[str]
    stale: bool = False


class Cache:
    """At most `capacity` values, each for at most `lifetime` seconds.

    When there are too many, the one goes that was not used for the longest time; storing counts as use. Entries with
    a tag can be removed together; an entry has its own tags and those of all that was read while it was loaded.
    """

    def __init__(self, capacity: int, lifetime: float, clock: Callable[[], float] = time.monotonic) -> None:
        if capacity < 1 or lifetime <= 0:
            raise ValueError("a cache needs room for one entry, and some time")
        self._capacity = capacity
        self._lifetime = lifetime
        self._clock = clock
        self._entries: dict[Hashable, Entry] = {}  # the least recently used first
        self._loads: list[Load] = []  # the innermost last

    def __len__(self) -> int:
        self._drop_old()
        return len(self._entries)

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The value under this key, or the default."""
        entry = self._use(key)
        return default if entry is None else entry.value

    def put(self, key: Hashable, value: Any, tags: Iterable[str] = ()) -> None:
        """Store a value under this key, in place of any other; TypeError if `tags` is a single string."""
        self._store(key, value, _tag_set(tags))
        self._mark_stale(lambda load: load.key == key)

    def get_or_load(self, key: Hashable, load: Callable[[], Any], tags: Iterable[str] = ()) -> Any:
        """The value under this key; if there is none, the result of `load()`.

        The result is stored with the tags of all that `load` reads, unless it went stale while it was loaded.
        TypeError if `tags` is a single string.
        """
        entry = self._use(key)
        if entry is not None:
            if self._loads:
                self._loads[-1].tags |= entry.tags
            return entry.value
        running = Load(key, _tag_set(tags))
        self._loads.append(running)
        try:
            value = load()
        finally:
            self._loads.pop()
            if self._loads:
                self._loads[-1].tags |= running.tags
                self._loads[-1].stale |= running.stale
        if not running.stale:
            self._store(key, value, running.tags)
        return value

    def invalidate(self, tag: str) -> int:
        """Remove all entries with this tag, and return how many these were."""
        self._drop_old()
        self._mark_stale(lambda load: tag in load.tags)
        tagged = [key for key, entry in self._entries.items() if tag in entry.tags]
        for key in tagged:
            del self._entries[key]
        return len(tagged)

    def tags_of(self, key: Hashable) -> set[str]:
        """The tags of the entry under this key; KeyError if there is none."""
        self._drop_old()
        return set(self._entries[key].tags)

    def tags(self) -> set[str]:
        """The tags of all entries."""
        self._drop_old()
        return {tag for entry in self._entries.values() for tag in entry.tags}

    def delete(self, key: Hashable) -> bool:
        """Remove the entry under this key, and return whether there was one."""
        self._drop_old()
        self._mark_stale(lambda load: load.key == key)
        return self._entries.pop(key, None) is not None

    def clear(self) -> None:
        """Remove all entries."""
        self._mark_stale(lambda _load: True)
        self._entries.clear()

    def _store(self, key: Hashable, value: Any, tags: Iterable[str]) -> None:
        self._drop_old()
        self._entries.pop(key, None)
        self._entries[key] = Entry(value, self._clock() + self._lifetime, frozenset(tags))
        if len(self._entries) > self._capacity:
            del self._entries[next(iter(self._entries))]

    def _mark_stale(self, concerned: Callable[[Load], bool]) -> None:
        for load in self._loads:
            load.stale |= concerned(load)

    def _use(self, key: Hashable) -> Entry | None:
        self._drop_old()
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._entries[key] = entry
        return entry

    def _drop_old(self) -> None:
        now = self._clock()
        for key in [key for key, entry in self._entries.items() if entry.expires <= now]:
            del self._entries[key]


def _tag_set(tags: Iterable[str]) -> set[str]:
    if isinstance(tags, str):
        raise TypeError(f"tags must be an iterable of strings, not the string {tags!r}")
    return set(tags)
