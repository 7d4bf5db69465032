"""Rules for dates that come again and again."""

import re
from calendar import monthrange
from datetime import date
from itertools import count, islice

_LAST = date.max.toordinal()
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "last")
_RULE = re.compile(
    r"every(?: ([0-9]+))? (day|week|month|year)s?(?: on (.+?))? from ([0-9-]+)"
    r"(?: until ([0-9-]+)| ([0-9]+) times?)?(?: except (.+))?"
)


def _date(text):
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(f"not a date: {text}")
    return date.fromisoformat(text)


def _items(text, read):
    """What a list with commas holds, each once, in order."""
    return sorted({read(item.strip(" ")) for item in text.split(",")})


def _month_item(text):
    """(0, day), (1, day from the end, negative), or (2, which, weekday)."""
    if re.fullmatch(r"-?[0-9]+", text) and 1 <= abs(int(text)) <= 31:
        return (0 if int(text) > 0 else 1), int(text)
    ordinal, _, day = text.partition(" ")
    return 2, _ORDINALS.index(ordinal), _DAYS.index(day)


def _year_item(text):
    """(month, day) of a date that some year has."""
    month, _, day = text.partition(" ")
    number = _MONTHS.index(month) + 1
    if not re.fullmatch("[0-9]+", day) or not 1 <= int(day) <= monthrange(2024, number)[1]:
        raise ValueError(f"no such day: {text}")
    return number, int(day)


def _in_month(year, month, item):
    """The day of a month that an item means; None if this month has none."""
    first, length = monthrange(year, month)
    if item[0] == 2:
        days = range(1 + (item[2] - first) % 7, length + 1, 7)
        which = -1 if item[1] == 5 else item[1]
        return days[which] if which < len(days) else None
    day = item[1] if item[1] > 0 else length + 1 + item[1]
    return day if 1 <= day <= length else None


class Rule:
    """One rule."""

    def __init__(self, step, unit, items, start, until, times, skipped):
        self._step, self._unit, self._items, self._start = step, unit, items, start
        self._until, self._times, self._skipped = until, times, skipped

    def _period(self, number):
        """Dates of the period with a number, counted from that of the start, in order, also before the start."""
        if self._unit in ("day", "week"):
            size = 1 if self._unit == "day" else 7
            first = self._start.toordinal() - (self._start.weekday() if size == 7 else 0) + size * number
            days = [first + item for item in self._items if 1 <= first + item <= _LAST]
            return [date.fromordinal(day) for day in days] if first <= _LAST else None
        if self._unit == "month":
            months = self._start.year * 12 + self._start.month - 1 + number
            year, month = months // 12, months % 12 + 1
            if year > date.max.year:
                return None
            days = {_in_month(year, month, item) for item in self._items}
            return [date(year, month, day) for day in sorted(days - {None})]
        year = self._start.year + number
        if year > date.max.year:
            return None
        return [date(year, month, day) for month, day in self._items if day <= monthrange(year, month)[1]]

    def _all(self):
        """Dates before exceptions."""
        for number in count(0, self._step):
            dates = self._period(number)
            if dates is None or (self._until and dates and dates[0] > self._until):
                return
            yield from (day for day in dates if day >= self._start)

    def _dates(self):
        for day in islice(self._all(), self._times):
            if self._until and day > self._until:
                return
            if day not in self._skipped:
                yield day

    def first(self, most):
        """The first dates."""
        return list(islice(self._dates(), most))

    def between(self, low, high):
        """Dates from one to another, both included."""
        out = []
        for day in self._dates():
            if day > high:
                break
            if day >= low:
                out.append(day)
        return out

    def after(self, day):
        """The first date later than a day; None if there is none."""
        return next((other for other in self._dates() if other > day), None)

    def text(self):
        """The rule in its one way of writing."""
        unit = self._unit if self._step == 1 else f"{self._step} {self._unit}s"
        write = {
            "week": lambda day: _DAYS[day],
            "month": lambda item: f"{_ORDINALS[item[1]]} {_DAYS[item[2]]}" if item[0] == 2 else str(item[1]),
            "year": lambda item: f"{_MONTHS[item[0] - 1]} {item[1]}",
        }.get(self._unit)
        out = f"every {unit}" + (f" on {', '.join(map(write, self._items))}" if write else "") + f" from {self._start}"
        if self._until:
            out += f" until {self._until}"
        if self._times is not None:
            out += f" {self._times} time{'s' if self._times != 1 else ''}"
        return out + (f" except {', '.join(map(str, sorted(self._skipped)))}" if self._skipped else "")


def parse(text):
    """Read a rule."""
    found = _RULE.fullmatch(re.sub(" +", " ", text.strip(" ")).lower())
    if not found:
        raise ValueError(f"not a rule: {text}")
    step, unit, on, start, until, times, skipped = found.groups()
    begin = _date(start)
    if step is not None and int(step) == 0 or times is not None and int(times) == 0 or (on and unit == "day"):
        raise ValueError(f"not a rule: {text}")
    default = {"day": 0, "week": begin.weekday(), "month": (0, begin.day), "year": (begin.month, begin.day)}[unit]
    read = {"day": None, "week": _DAYS.index, "month": _month_item, "year": _year_item}[unit]
    return Rule(
        int(step or 1),
        unit,
        _items(on, read) if on else [default],
        begin,
        _date(until) if until else None,
        int(times) if times else None,
        set(_items(skipped, _date)) if skipped else set(),
    )
