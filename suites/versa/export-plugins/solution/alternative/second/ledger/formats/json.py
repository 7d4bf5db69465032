"""A list of objects."""

import json as _json
from collections.abc import Sequence as _Sequence

from ledger.booking import Booking as _Booking

NAME = "json"
EXTENSION = ".json"
MIME = "application/json"
BINARY = False


def write(bookings: _Sequence[_Booking]) -> str:
    """The text of a list of bookings."""
    return _json.dumps(list(map(_row, bookings)), ensure_ascii=False)


def sniff(head: bytes) -> bool:
    """Whether a file that begins with these bytes is in this format."""
    return head.lstrip().startswith(b"[")


def _row(booking: _Booking) -> dict[str, str | int]:
    return {"day": str(booking.day), "account": booking.account, "cents": booking.cents, "note": booking.note}
