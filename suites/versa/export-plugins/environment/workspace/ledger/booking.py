"""Bookings."""

from datetime import date
from typing import NamedTuple


class Booking(NamedTuple):
    """One line of a ledger."""

    day: date
    account: str
    cents: int
    note: str = ""
