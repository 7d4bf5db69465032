"""The register of stays: which boat lies where, in which nights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from marina.berths import Boat
from marina.spans import Span


@dataclass(frozen=True)
class Stay:
    """A boat at a berth."""

    number: int
    boat: Boat
    code: str
    span: Span
    cancelled: bool = False


class Register:
    """All stays by number, and who has which berth in which night."""

    def __init__(self) -> None:
        self._stays: dict[int, Stay] = {}
        self._taken: dict[tuple[str, date], int] = {}
        self._arrivals: dict[int, list[date]] = {}

    def add(self, boat: Boat, code: str, span: Span) -> Stay:
        """A new stay. The berth must be free."""
        stay = Stay(len(self._stays) + 1, boat, code, span)
        self._store(stay)
        return stay

    def get(self, number: int) -> Stay:
        """A stay by its number. KeyError if there is none."""
        return self._stays[number]

    def earliest(self, number: int) -> date:
        """The earliest arrival that a stay has had, from its reservation until now. KeyError if there is no such stay."""
        return min(self._arrivals[number])

    def all(self) -> list[Stay]:
        """All stays that are not cancelled, by number."""
        return [stay for stay in self._stays.values() if not stay.cancelled]

    def is_free(self, code: str, span: Span, but: int = 0) -> bool:
        """Whether nobody has a berth in any of these nights, the stay with the number `but` aside."""
        return all(self._taken.get((code, day), but) == but for day in span.dates())

    def move(self, number: int, code: str, span: Span) -> None:
        """Gives a stay another berth or span, which must be free for it."""
        self._release(number)
        stay = replace(self._stays[number], code=code, span=span)
        self._store(stay)

    def cancel(self, number: int) -> None:
        """Cancels a stay; its nights are free again."""
        self._release(number)
        self._stays[number] = replace(self._stays[number], cancelled=True)

    def _store(self, stay: Stay) -> None:
        self._stays[stay.number] = stay
        self._arrivals.setdefault(stay.number, []).append(stay.span.start)
        for day in stay.span.dates():
            self._taken[stay.code, day] = stay.number

    def _release(self, number: int) -> None:
        stay = self._stays[number]
        for day in stay.span.dates():
            del self._taken[stay.code, day]
