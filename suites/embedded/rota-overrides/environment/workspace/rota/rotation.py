"""People who take turns of equal length."""

from collections.abc import Sequence
from datetime import datetime, timedelta


class Rotation:
    """Turns that go round for ever, in both directions of time.

    The turn of the first person begins at `start`. Times are without zones, all in the same zone.
    """

    def __init__(self, people: Sequence[str], start: datetime, turn: timedelta) -> None:
        if not people:
            raise ValueError("a rotation needs at least one person")
        if turn <= timedelta(0):
            raise ValueError("a turn must last longer than nothing")
        self._people = list(people)
        self._start = start
        self._turn = turn

    def person_at(self, moment: datetime) -> str:
        """Whose turn it is; at the moment where two turns meet, the next one's."""
        return self._people[(moment - self._start) // self._turn % len(self._people)]

    def turn_end(self, moment: datetime) -> datetime:
        """When the turn that is running at `moment` ends."""
        return self._start + ((moment - self._start) // self._turn + 1) * self._turn
