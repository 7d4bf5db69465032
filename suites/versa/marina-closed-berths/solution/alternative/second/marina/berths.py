"""Berths, the boats that fit into them, and when berths are closed. Lengths and depths are in centimetres."""

from __future__ import annotations

from dataclasses import dataclass

from marina.spans import Span, one_night

CLEARANCE = 30
"""Water that must be left below a keel."""


@dataclass(frozen=True)
class Boat:
    """A boat and who owns it."""

    name: str
    owner: str
    length: int
    draught: int


@dataclass(frozen=True)
class Berth:
    """A place for one boat."""

    code: str
    length: int
    depth: int

    def holds(self, boat: Boat) -> bool:
        """Whether a boat fits."""
        return boat.length <= self.length and boat.draught + CLEARANCE <= self.depth


class Harbour:
    """All berths, and their closures."""

    def __init__(self) -> None:
        self._berths: dict[str, Berth] = {}
        self._closures: dict[str, list[Span]] = {}

    def add(self, berth: Berth) -> None:
        """Adds a berth. ValueError if its code is taken."""
        if berth.code in self._berths:
            raise ValueError(f"berth {berth.code} is there already")
        self._berths[berth.code] = berth
        self._closures[berth.code] = []

    def codes(self) -> list[str]:
        """The codes of all berths, in alphabetical order."""
        return sorted(self._berths)

    def fitting(self, boat: Boat) -> list[str]:
        """Codes of the berths that a boat fits into: the shortest first, then in alphabetical order."""
        fitting = [berth for berth in self._berths.values() if berth.holds(boat)]
        return [berth.code for berth in sorted(fitting, key=lambda berth: (berth.length, berth.code))]

    def close(self, code: str, span: Span) -> None:
        """Closes a berth for some nights. Closures may overlap; KeyError for an unknown berth."""
        self._closures[code].append(span)

    def is_closed(self, code: str, span: Span) -> bool:
        """Whether a berth is closed in any of these nights."""
        return any(closure.overlaps(span) for closure in self._closures[code])

    def closed_nights(self, code: str, span: Span) -> int:
        """In how many of these nights a berth is closed, however often."""
        return sum(self.is_closed(code, one_night(day)) for day in span.dates())
