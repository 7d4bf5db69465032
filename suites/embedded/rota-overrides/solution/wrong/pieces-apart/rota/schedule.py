"""The schedule that people look at."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from rota.rotation import Rotation


class Schedule:
    """Who is on call, by a rotation and the overrides of it."""

    def __init__(self, rotation: Rotation) -> None:
        self._rotation = rotation
        self._overrides: dict[int, tuple[str, datetime, datetime]] = {}
        self._added = 0

    def override(self, person: str, start: datetime, end: datetime) -> int:
        """Put a person on call from `start` until just before `end`; over earlier overrides, too.

        Returns the number of the override. ValueError unless `start` is before `end`.
        """
        if not start < end:
            raise ValueError(f"the start {start} of an override is not before its end {end}")
        self._added += 1
        self._overrides[self._added] = (person, start, end)
        return self._added

    def cancel_override(self, number: int) -> None:
        """Undo an override; KeyError if there is none of this number any more."""
        del self._overrides[number]

    def on_call(self, moment: datetime) -> str:
        """Who is on call at this moment."""
        for person, start, end in reversed(self._overrides.values()):
            if start <= moment < end:
                return person
        return self._rotation.person_at(moment)

    def shifts(self, start: datetime, end: datetime) -> list[tuple[str, datetime, datetime]]:
        """Who is on call between `start` and `end`: person, start and end of each shift, cut to that time.

        Neighbouring shifts are those of different persons. ValueError if `end` is before `start`.
        """
        if end < start:
            raise ValueError(f"the end {end} is before the start {start}")
        pieces = self._pieces(start, end)
        return [(self.on_call(piece_start), piece_start, piece_end) for piece_start, piece_end in pieces]

    def totals(self, start: datetime, end: datetime) -> dict[str, timedelta]:
        """How long each person is on call between `start` and `end`; ValueError if `end` is before `start`."""
        totals: dict[str, timedelta] = {}
        for person, shift_start, shift_end in self.shifts(start, end):
            totals[person] = totals.get(person, timedelta(0)) + (shift_end - shift_start)
        return totals

    def _pieces(self, start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Pieces of that time in which nobody takes over from anybody."""
        bounds = {bound for _person, *both in self._overrides.values() for bound in both if start < bound < end}
        moment = start
        while (moment := self._rotation.turn_end(moment)) < end:
            bounds.add(moment)
        points = [start, *sorted(bounds), end]
        if start < end:
            yield from zip(points, points[1:], strict=False)
