"""What an account comes to: sums of visits, fines, and how many reminders are due, from plain values."""

from collections.abc import Iterable
from datetime import date
from typing import Any

FINE = 1_500
PERIOD = 30
MOST_REMINDERS = 3


def by_day(visits: Iterable[Any]) -> list[Any]:
    """Visits in the order of their days; those of one day stay in the order in which they are given."""
    return sorted(visits, key=lambda visit: visit.day)


def cents_of(visits: Iterable[Any]) -> int:
    """Cents for some visits, by what each of them says."""
    return sum(visit.fee() for visit in visits)


def fines(reminded: int) -> int:
    """Cents for reminders; the first is free."""
    return max(reminded - 1, 0) * FINE


def reminders_by(today: date, visits: Iterable[Any], paid: int) -> int:
    """How many reminders there should have been by a day, as `clinic.reminders.due` describes it."""
    for visit in by_day(visits):
        paid -= visit.fee()
        if paid < 0:
            return min(max((today - visit.day).days // PERIOD, 0), MOST_REMINDERS)
    return 0
