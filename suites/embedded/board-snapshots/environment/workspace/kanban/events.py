"""Keeps the events of boards. An event is a dict of plain data; its "kind" says what happened.

The version of a board is the number of its events.
"""

from __future__ import annotations

from collections.abc import Sequence

Event = dict[str, object]


class Conflict(RuntimeError):
    """Raised when somebody else has stored events since a board was loaded."""


class EventStore:
    """Events by board, in memory."""

    def __init__(self) -> None:
        self._events: dict[str, list[Event]] = {}
        self.read_count = 0
        """How many events have been read so far."""

    def version(self, name: str) -> int:
        """Number of events of a board; 0 for an unknown one."""
        return len(self._events.get(name, []))

    def append(self, name: str, events: Sequence[Event], expected: int) -> int:
        """Adds events to a board that is at version `expected`, and gives its new version.

        Raises:
            Conflict: it is at another version.
        """
        if self.version(name) != expected:
            raise Conflict(f"{name} is at version {self.version(name)}, not {expected}")
        self._events.setdefault(name, []).extend(dict(event) for event in events)
        return self.version(name)

    def read(self, name: str, after: int = 0, up_to: int | None = None) -> list[Event]:
        """The events of a board after version `after`, up to and including version `up_to`."""
        events = [dict(event) for event in self._events.get(name, [])[after:up_to]]
        self.read_count += len(events)
        return events
