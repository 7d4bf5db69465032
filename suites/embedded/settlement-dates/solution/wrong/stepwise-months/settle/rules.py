"""Conventions for days that are closed, and days of payment under a contract."""

from calendar import monthrange
from datetime import date, timedelta

from settle.calendar import Calendar

_DAY = timedelta(days=1)
_DIRECTIONS = {"following": _DAY, "preceding": -_DAY}


def roll(day: date, convention: str, calendar: Calendar) -> date:
    """The day itself if it is open, else the day to which the convention moves it; ValueError for others."""
    if convention == "none":
        return day
    direction = _DIRECTIONS.get(convention.removeprefix("modified-"))
    if direction is None:
        raise ValueError(f"unknown convention {convention!r}")
    rolled = _open_from(day, direction, calendar)
    if convention.startswith("modified-") and (rolled.year, rolled.month) != (day.year, day.month):
        return _open_from(day, -direction, calendar)
    return rolled


def add_open_days(day: date, count: int, calendar: Calendar) -> date:
    """The open day that comes `count` open days after the day (before it, if negative)."""
    if count == 0:
        return _open_from(day, _DAY, calendar)
    direction = _DAY if count > 0 else -_DAY
    for _ in range(abs(count)):
        day = _open_from(day + direction, direction, calendar)
    return day


def add_months(day: date, months: int, month_end: bool = False) -> date:
    """The same day of another month, or its last day if there is no such day.

    With `month_end`, the last day of a month goes to the last day of the other month.
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    month += 1
    longest = monthrange(year, month)[1]
    if month_end and _is_month_end(day):
        return date(year, month, longest)
    return date(year, month, min(day.day, longest))


def payment_days(
    first: date, last: date, months: int, calendar: Calendar, convention: str = "modified-following"
) -> list[date]:
    """The days of payment under a contract from `first` to `last`, earliest first.

    Steps of so many months are counted back from `last`, then the days are rolled. ValueError if `months` is less
    than 1, or if `first` is not before `last`.
    """
    if months < 1 or first >= last:
        raise ValueError("a contract needs steps of at least one month, and a last day after the first")
    days, day, month_end = set[date](), last, _is_month_end(last)
    while day > first:
        days.add(roll(day, convention, calendar))
        day = add_months(day, -months, month_end=month_end)
    return sorted(days)


def _open_from(day: date, direction: timedelta, calendar: Calendar) -> date:
    while not calendar.is_open(day):
        day += direction
    return day


def _is_month_end(day: date) -> bool:
    return day.day == monthrange(day.year, day.month)[1]
