"""The cache."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A stored value and when it becomes too old."""

    value: Any
    expires: float


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

    def put(self, key: Hashable, value: Any) -> None:
        """Store a value under this key, in place of any other."""
        self._drop_old()
        self._entries.pop(key, None)
        self._entries[key] = Entry(value, self._clock() + self._lifetime)
        if len(self._entries) > self._capacity:
            del self._entries[next(iter(self._entries))]

    def get_or_load(self, key: Hashable, load: Callable[[], Any]) -> Any:
        """The value under this key; if there is none, the result of `load()`, which is then stored."""
        entry = self._use(key)
        if entry is not None:
            return entry.value
        value = load()
        self.put(key, value)
        return value

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
