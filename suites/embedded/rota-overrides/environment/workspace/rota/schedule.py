"""The schedule that people look at."""

from datetime import datetime

from rota.rotation import Rotation


class Schedule:
    """Who is on call, by a rotation."""

    def __init__(self, rotation: Rotation) -> None:
        self._rotation = rotation

    def on_call(self, moment: datetime) -> str:
        """Who is on call at this moment."""
        return self._rotation.person_at(moment)

    def shifts(self, start: datetime, end: datetime) -> list[tuple[str, datetime, datetime]]:
        """Who is on call between `start` and `end`: person, start and end of each shift, cut to that time.

        ValueError if `end` is before `start`.
        """
        if end < start:
            raise ValueError(f"the end {end} is before the start {start}")
        found = []
        while start < end:
            shift_end = min(self._rotation.turn_end(start), end)
            found.append((self._rotation.person_at(start), start, shift_end))
            start = shift_end
        return found
