"""Dates that come again and again; SPEC.md describes the rules.

An item of a rule is kept as a tuple by which items are ordered. What differs from unit to unit stands in one table: how
an item is read and written, which one stands for the start, and which days it means in a period.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice, takewhile

__all__ = ["Rule", "parse"]

_WEEK = "mon tue wed thu fri sat sun".split()
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WHICH = "1st 2nd 3rd 4th 5th last".split()
_LAST = date.max.toordinal()
_FAR = 10**9
"""A number of periods, or of dates, that no rule gets to."""

Item = tuple[int, ...]


def _ordinal(year: int, month: int, day: int) -> int | None:
    """A day as `date` numbers it, if it exists."""
    if 1 <= year <= 9999 and 1 <= day <= monthrange(year, month)[1]:
        return date(year, month, day).toordinal()
    return None


# --- items of months: (0, day), (1, day - 32) from the end, (2, which, day of the week)


def _read_month(text: str) -> Item | None:
    which, _blank, day = text.partition(" ")
    if day:
        return (2, _WHICH.index(which), _WEEK.index(day)) if which in _WHICH and day in _WEEK else None
    found = re.fullmatch("(-?)([1-9]|[12][0-9]|3[01])", text)
    return found and ((1, -int(found[2])) if found[1] else (0, int(found[2])))


def _write_month(item: Item) -> str:
    return f"{_WHICH[item[1]]} {_WEEK[item[2]]}" if item[0] == 2 else str(item[1])


def _in_month(item: Item, months: int) -> int | None:
    """The day that an item means in a month, which is counted from January of the year 0."""
    year, month = divmod(months, 12)
    if not 1 <= year <= 9999:
        return None
    first_weekday, length = monthrange(year, month + 1)
    kind, number, *weekday = item
    if kind == 0:
        day = number
    elif kind == 1:
        day = length + 1 + number
    else:
        days = range(1 + (weekday[0] - first_weekday) % 7, length + 1, 7)
        place = number if number < 5 else -1
        day = days[place] if place < len(days) else 0
    return _ordinal(year, month + 1, day)


# --- items of years: (month, day)


def _read_year(text: str) -> Item | None:
    found = re.fullmatch("([a-z]+) ([1-9]|[12][0-9]|3[01])", text)
    if not found or found[1] not in _MONTHS:
        return None
    item = (_MONTHS.index(found[1]) + 1, int(found[2]))
    return item if _ordinal(2000, *item) else None


@dataclass(frozen=True)
class _Unit:
    """What a unit is about. `period` gives the number of the period in which a date lies."""

    period: Callable[[date], int]
    own: Callable[[date], Item]
    day: Callable[[Item, int], int | None]
    read: Callable[[str], Item | None] = lambda text: None
    write: Callable[[Item], str] = lambda item: ""


_UNITS = {
    "day": _Unit(period=date.toordinal, own=lambda start: (0,), day=lambda item, period: period),
    "week": _Unit(
        period=lambda start: (start.toordinal() - 1) // 7,
        own=lambda start: (start.weekday(),),
        day=lambda item, period: 7 * period + 1 + item[0],
        read=lambda text: (_WEEK.index(text),) if text in _WEEK else None,
        write=lambda item: _WEEK[item[0]],
    ),
    "month": _Unit(
        period=lambda start: 12 * start.year + start.month - 1,
        own=lambda start: (0, start.day),
        day=_in_month,
        read=_read_month,
        write=_write_month,
    ),
    "year": _Unit(
        period=lambda start: start.year,
        own=lambda start: (start.month, start.day),
        day=lambda item, period: _ordinal(period, *item),
        read=_read_year,
        write=lambda item: f"{_MONTHS[item[0] - 1]} {item[1]}",
    ),
}


@dataclass(frozen=True)
class Rule:
    """A rule. `every` and `times` are digits without zeros before them, as they may be of any size."""

    unit: str
    every: str
    items: tuple[Item, ...]
    start: date
    until: date | None
    times: str
    exceptions: tuple[date, ...]

    def _fitting(self, low: int) -> Iterator[int]:
        """Days of the rule, ascending, without regard to `until`, `times` and exceptions; those from `low` at least."""
        unit = _UNITS[self.unit]
        first, end = unit.period(self.start), unit.period(date.max)
        step = _number(self.every)
        if low > self.start.toordinal():
            first += (unit.period(date.fromordinal(low)) - first) // step * step
        for period in range(first, end + 1, step):
            found = {unit.day(item, period) for item in self.items}
            yield from sorted(day for day in found if day is not None and self.start.toordinal() <= day <= _LAST)

    def _days(self, low: int = 1) -> Iterator[date]:
        """Dates of the rule, ascending, from `low` on."""
        days = self._fitting(1 if self.times else min(low, _LAST))
        if self.times:
            days = islice(days, _number(self.times))
        if self.until:
            days = takewhile(self.until.toordinal().__ge__, days)
        out = self.exceptions
        for day in days:
            found = date.fromordinal(day)
            if day >= low and found not in out[bisect_left(out, found) :][:1]:
                yield found

    def first(self, n: int) -> list[date]:
        """The first `n` dates."""
        return list(islice(self._days(), max(n, 0)))

    def between(self, low: date, high: date) -> list[date]:
        """The dates from one date to another, both included."""
        return list(takewhile(lambda day: day <= high, self._days(low.toordinal())))

    def after(self, day: date) -> date | None:
        """The first date that is later than a date."""
        return next(self._days(day.toordinal() + 1), None)

    def text(self) -> str:
        """The rule, written in one way."""
        write = _UNITS[self.unit].write
        words = ["every", self.unit] if self.every == "1" else ["every", self.every, f"{self.unit}s"]
        if self.unit != "day":
            words += ["on", ", ".join(map(write, self.items))]
        words += ["from", self.start.isoformat()]
        if self.until:
            words += ["until", self.until.isoformat()]
        if self.times:
            words += [self.times, "time" if self.times == "1" else "times"]
        if self.exceptions:
            words += ["except", ", ".join(map(str, self.exceptions))]
        return " ".join(words)


def _number(digits: str) -> int:
    return int(digits) if len(digits) < 10 else _FAR


def _listed(form: str) -> str:
    return f"{form}(?:,{form})*"


_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_RULE = re.compile(
    "every (?:0*(?P<every>[1-9][0-9]*) )?(?P<unit>day|week|month|year)s?"
    f"(?: on (?P<items>{_listed('[a-z0-9 -]+?')}))?"
    f" from (?P<start>{_DAY})"
    f"(?: until (?P<until>{_DAY})| 0*(?P<times>[1-9][0-9]*) times?)?"
    f"(?: except (?P<out>{_listed(_DAY)}))?"
)


def parse(text: str) -> Rule:
    """Reads a rule; ValueError for a text that is none."""
    words = re.sub(" *, *", ",", re.sub(" +", " ", text)).strip(" ")
    found = _RULE.fullmatch(words.lower()) if text.isascii() else None
    if found is None:
        raise ValueError(f"not a rule: {text!r}")
    unit, start = _UNITS[found["unit"]], date.fromisoformat(found["start"])
    items = {unit.read(item) for item in found["items"].split(",")} if found["items"] else {unit.own(start)}
    if None in items:
        raise ValueError(f"an item of {found['items']!r} is none for a {found['unit']}")
    return Rule(
        unit=found["unit"],
        every=found["every"] or "1",
        items=tuple(sorted(items)),
        start=start,
        until=date.fromisoformat(found["until"]) if found["until"] else None,
        times=found["times"] or "",
        exceptions=tuple(sorted({date.fromisoformat(day) for day in found["out"].split(",")} if found["out"] else ())),
    )
