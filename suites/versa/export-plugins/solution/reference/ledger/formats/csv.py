"""Comma-separated values."""

from ledger.formats._shared import lines as _lines

NAME, EXTENSION, MIME, BINARY = "csv", ".csv", "text/csv; charset=utf-8", False


def write(bookings):
    """The text of bookings."""
    return _lines("day,account,amount,note", bookings, lambda *cells: ",".join(map(_quoted, cells)))


def sniff(head):
    """Whether a file begins like this."""
    return head.startswith(b"day,account,")


def _quoted(cell):
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\n') else cell
