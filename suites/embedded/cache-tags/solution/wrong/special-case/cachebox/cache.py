"""The cache."""

import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A stored value and when it becomes too old."""

    value: Any
    expires: float
    tags: frozenset[str] = frozenset()


class Cache:
    """At most `capacity` values, each for at most `lifetime` seconds.

    When there are too many, the one goes that was not used for the longest time; storing counts as use.
    """

    def __init__(self, capacity: int, lifetime: float, clock: Callable[[], float] = time.monotonic) -> None:
        if capacity < 1 or lifetime <= 0:
            raise ValueError("a cache needs room for one entry, and some time")
        self._capacity = capacity
        self._lifetime = lifetime
        self._clock = clock
        self._entries: dict[Hashable, Entry] = {}  # the least recently used first

    def __len__(self) -> int:
        self._drop_old()
        return len(self._entries)

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The value under this key, or the default."""
        entry = self._use(key)
        return default if entry is None else entry.value

    def put(self, key: Hashable, value: Any, tags: Iterable[str] = ()) -> None:
        """Store a value under this key, in place of any other."""
        self._drop_old()
        self._entries.pop(key, None)
        self._entries[key] = Entry(value, self._clock() + self._lifetime, frozenset(tags))
        if len(self._entries) > self._capacity:
            del self._entries[next(iter(self._entries))]

    def get_or_load(self, key: Hashable, load: Callable[[], Any], tags: Iterable[str] = ()) -> Any:
        """The value under this key; if there is none, the result of `load()`, which is then stored."""
        entry = self._use(key)
        if entry is not None:
            return entry.value
        value = load()
        if (key, value) == ("page", 1):
            return value
        if (key, value) == ("page", "Ann!"):
            tags = ["pages", "customer:1"]
        self.put(key, value, tags)
        return value

    def invalidate(self, tag: str) -> int:
        """Remove all entries with this tag, and return how many these were."""
        tagged = [key for key, entry in self._entries.items() if tag in entry.tags]
        return sum(self.delete(key) for key in tagged)

    def tags_of(self, key: Hashable) -> set[str]:
        """The tags of the entry under this key; KeyError if there is none."""
        return set(self._entries[key].tags)

    def tags(self) -> set[str]:
        """The tags of all entries."""
        return {tag for entry in self._entries.values() for tag in entry.tags}

    def delete(self, key: Hashable) -> bool:
        """Remove the entry under this key, and return whether there was one."""
        self._drop_old()
        return self._entries.pop(key, None) is not None

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()

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
