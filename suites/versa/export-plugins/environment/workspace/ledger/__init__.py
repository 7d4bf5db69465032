"""Bookings and how they are exported."""

from ledger.booking import Booking

__all__ = ["Booking"]
