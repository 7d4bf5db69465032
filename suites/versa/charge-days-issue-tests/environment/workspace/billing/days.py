"""Days on which subscribers are charged.

A subscriber is charged on the day of the start, and then every so many months, as the plan says, on the same day of the month as
the start. Where a month does not have that day, its last day is taken instead, in that month only. A day that is a Saturday or a
Sunday is moved to the Monday after it, which may be in the next month; this changes no other day.
"""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

PLANS = {"monthly": 1, "quarterly": 3, "yearly": 12}
Pause = tuple[date, date]


def _later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _working(day: date) -> date:
    return day + timedelta(max(7 - day.weekday(), 0) if day.weekday() > 4 else 0)


def charges(start: date, plan: str, count: int, pauses: Sequence[Pause] = ()) -> list[date]:
    """The first days on which somebody is charged, so many of them, in order.

    A pause is a first and a last day. What would be charged on a day of a pause (after it was moved from a weekend) is left out, and
    not made up for; all others stay where they are.

    Raises:
        KeyError: there is no such plan.
    """
    found: list[date] = []
    for day in _days(start, PLANS[plan]):
        if len(found) == count:
            break
        if not any(first <= day <= last for first, last in pauses):
            found.append(day)
    return found


def next_charge(start: date, plan: str, after: date, pauses: Sequence[Pause] = ()) -> date:
    """The first day after a day (not that day itself) on which somebody is charged.

    Raises:
        KeyError: there is no such plan.
    """
    for day in _days(start, PLANS[plan]):
        if day > after and not any(first <= day <= last for first, last in pauses):
            return day
    raise AssertionError("days do not end")


def _days(start: date, months: int) -> Iterator[date]:
    day = _working(start)
    while True:
        yield day
        day = _working(_later(day, months))
