"""Conventions for days that are closed, and days of payment under a contract."""

from datetime import date

from settle.calendar import Calendar


def roll(day: date, convention: str, calendar: Calendar) -> date:
    """The day itself if it is open, else the day to which the convention moves it; ValueError for others."""
    raise NotImplementedError


def add_open_days(day: date, count: int, calendar: Calendar) -> date:
    """The open day that comes `count` open days after the day (before it, if negative)."""
    raise NotImplementedError


def add_months(day: date, months: int, month_end: bool = False) -> date:
    """The same day of another month; see `month_end` for last days of months."""
    raise NotImplementedError


def payment_days(
    first: date, last: date, months: int, calendar: Calendar, convention: str = "modified-following"
) -> list[date]:
    """The days of payment under a contract from `first` to `last`, earliest first."""
    raise NotImplementedError
