"""An element for each booking."""

from collections.abc import Sequence as _Sequence

from ledger.booking import Booking as _Booking
from ledger.formats._lines import document as _document

NAME = "xml"
EXTENSION = ".xml"
MIME = "application/xml"
BINARY = False

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;"})


def write(bookings: _Sequence[_Booking]) -> str:
    """The text of a list of bookings."""
    return _document("<bookings>", bookings, _element) + "</bookings>\n"


def sniff(head: bytes) -> bool:
    """Whether a file that begins with these bytes is in this format."""
    return head.lstrip().startswith(b"<")


def _element(cells: tuple[str, str, str, str]) -> str:
    return '  <booking day="{}" account="{}" amount="{}" note="{}"/>'.format(*(cell.translate(_ENTITIES) for cell in cells))
