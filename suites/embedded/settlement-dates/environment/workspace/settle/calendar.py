"""Open and closed days."""

from collections.abc import Iterable
from datetime import date


class Calendar:
    """Closed on some days of every week, and on holidays."""

    def __init__(self, holidays: Iterable[date] = (), weekend: Iterable[int] = (5, 6)) -> None:
        """`weekend` holds days of the week, from 0 for Monday to 6 for Sunday; ValueError if it holds them all."""
        self._holidays = frozenset(holidays)
        self._weekend = frozenset(weekend)
        if self._weekend >= set(range(7)):
            raise ValueError("at least one day of the week must be open")

    def is_open(self, day: date) -> bool:
        """Whether payments can be made on this day."""
        return day.weekday() not in self._weekend and day not in self._holidays
