"""A text in columns, to be read by people."""

from collections.abc import Sequence as _Sequence

from ledger.booking import Booking as _Booking
from ledger.formats._lines import document as _document

NAME = "table"
EXTENSION = ".txt"
MIME = "text/plain; charset=utf-8"
BINARY = False


def write(bookings: _Sequence[_Booking]) -> str:
    """The text of a list of bookings."""
    return _document("day         account     amount  note", bookings, lambda cells: "{}  {:<10}{:>8}  {}".format(*cells).rstrip())


def sniff(head: bytes) -> bool:
    """Whether a file that begins with these bytes is in this format."""
    return head.startswith(b"day  ")
