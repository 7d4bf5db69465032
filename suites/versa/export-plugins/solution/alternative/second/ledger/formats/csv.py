"""Values separated by commas, quoted where they have to be."""

import re as _re
from collections.abc import Sequence as _Sequence

from ledger.booking import Booking as _Booking
from ledger.formats._lines import document as _document

NAME = "csv"
EXTENSION = ".csv"
MIME = "text/csv; charset=utf-8"
BINARY = False


def write(bookings: _Sequence[_Booking]) -> str:
    """The text of a list of bookings."""
    return _document("day,account,amount,note", bookings, lambda cells: ",".join(map(_quoted, cells)))


def sniff(head: bytes) -> bool:
    """Whether a file that begins with these bytes is in this format."""
    return head.startswith(b"day,account,")


def _quoted(cell: str) -> str:
    return '"{}"'.format(cell.replace('"', '""')) if _re.search('[,"\n]', cell) else cell
