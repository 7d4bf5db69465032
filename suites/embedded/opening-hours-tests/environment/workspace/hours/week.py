"""Opening hours of a week.

    Mo-Fr 8:00-12:00,13:00-17:30; Sa 10:00-14:00; Su off

Rules are separated by `;`. A rule is days, a space, and times, or `off`. Days are `Mo Tu We Th Fr Sa Su`, single or as ranges, separated by `,`; a range may go over the end
of the week (`Sa-Mo` is Saturday, Sunday, Monday). Times are ranges `H:MM-H:MM` or `HH:MM-HH:MM`, separated by `,`. A rule replaces what earlier rules said about its days.
"""

import re

DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_RANGE = re.compile(r"(\d{1,2}):(\d\d)-(\d{1,2}):(\d\d)", re.ASCII)


class BadHours(ValueError):
    """Raised for a text that is no opening hours."""


def _minutes(hours: str, minutes: str, latest: int) -> int:
    value = 60 * int(hours) + int(minutes)
    if int(minutes) > 59 or value > latest:
        raise BadHours(f"{hours}:{minutes} is no time")
    return value


def _times(text: str) -> list[tuple[int, int]]:
    if text == "off":
        return []
    ranges = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part)
        if found is None:
            raise BadHours(f"expected H:MM-H:MM, found {part!r}")
        start, end = _minutes(found[1], found[2], 1439), _minutes(found[3], found[4], 1440)
        if start == end:
            raise BadHours(f"{part} is empty")
        ranges.append((start, end if end > start else end + 1440))
    return ranges


def _days(text: str) -> list[int]:
    days = []
    for part in text.split(","):
        ends = part.split("-")
        if len(ends) > 2 or any(end not in DAYS for end in ends):
            raise BadHours(f"expected days, found {part!r}")
        first, last = DAYS.index(ends[0]), DAYS.index(ends[-1])
        days += [(first + k) % 7 for k in range((last - first) % 7 + 1)]
    return days


class Week:
    """Opening hours that repeat each week."""

    def __init__(self, text: str) -> None:
        """Reads opening hours; spaces around rules are dropped, and empty rules are ignored.

        An end that is not after its start is on the next day: `Sa 22:00-2:00` is open until Sunday at 2:00. That part belongs to the Saturday: a rule for Sunday does not replace it. `24:00` is allowed as an end only.

        Raises:
            BadHours: a rule is not as described, a time is not on the clock, or a range starts and ends at the same time.
        """
        self._times: list[list[tuple[int, int]]] = [[] for _ in DAYS]
        for rule in text.split(";"):
            rule = rule.strip(" ")
            if not rule:
                continue
            days, space, times = rule.partition(" ")
            if not space:
                raise BadHours(f"a rule needs days and times: {rule!r}")
            ranges = _times(times)
            for day in _days(days):
                self._times[day] = ranges

    def is_open(self, day: int, minute: int) -> bool:
        """Whether it is open in this minute (0 to 1439) of a day (0 is Monday). The minute of an end is closed.

        Raises:
            IndexError: day or minute is out of range.
        """
        if not 0 <= day < 7 or not 0 <= minute < 1440:
            raise IndexError(f"day {day}, minute {minute}")
        today = any(start <= minute < end for start, end in self._times[day])
        return today or any(start <= minute + 1440 < end for start, end in self._times[day - 1])

    def open_minutes(self, day: int) -> int:
        """In how many minutes of a day it is open, those counted once that several ranges hold.

        Raises:
            IndexError: the day is out of range.
        """
        return sum(self.is_open(day, minute) for minute in range(1440))

    def next_change(self, day: int, minute: int) -> int | None:
        """How many minutes after this one (at least 1) it is first open if it is closed now, or closed if it is open; None if that never happens.

        Raises:
            IndexError: day or minute is out of range.
        """
        now = self.is_open(day, minute)
        for later in range(1, 7 * 1440):
            at = 1440 * day + minute + later
            if self.is_open(at // 1440 % 7, at % 1440) != now:
                return later
        return None
