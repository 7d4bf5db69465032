"""Bytes: a mark, the number of bookings, and for each its numbers, the lengths of its texts, and the texts."""

from collections.abc import Sequence as _Sequence
from struct import pack as _pack

from ledger.booking import Booking as _Booking

NAME = "packed"
EXTENSION = ".pbk"
MIME = "application/x-packed-bookings"
BINARY = True

_MARK = b"PBK1"


def write(bookings: _Sequence[_Booking]) -> bytes:
    """The bytes of a list of bookings."""
    return _MARK + _pack(">I", len(bookings)) + b"".join(map(_record, bookings))


def sniff(head: bytes) -> bool:
    """Whether a file that begins with these bytes is in this format."""
    return head.startswith(_MARK)


def _record(booking: _Booking) -> bytes:
    account, note = booking.account.encode(), booking.note.encode()
    return _pack(">iqHH", booking.day.toordinal(), booking.cents, len(account), len(note)) + account + note
