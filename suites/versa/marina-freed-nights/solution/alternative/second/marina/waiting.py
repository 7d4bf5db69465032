"""Who waits for a berth."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress

from marina.berths import Boat
from marina.spans import Span


class WaitingList:
    """Boats and the nights that they want, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Boat, Span]] = []

    def join(self, boat: Boat, span: Span) -> None:
        """Puts a boat at the end of the list."""
        self._waiting.append((boat, span))

    def names(self) -> list[str]:
        """The names of the boats, in their order."""
        return [boat.name for boat, _span in self._waiting]

    def serve(self, book: Callable[[Boat, Span], bool]) -> None:
        """Goes once through the list, and drops all for whom `book` is successful."""
        refused = [not book(boat, span) for boat, span in self._waiting]
        self._waiting = list(compress(self._waiting, refused))
