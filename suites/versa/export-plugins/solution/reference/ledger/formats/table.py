"""A table to be read."""

from ledger.formats._shared import lines as _lines

NAME, EXTENSION, MIME, BINARY = "table", ".txt", "text/plain; charset=utf-8", False


def write(bookings):
    """The text of bookings."""
    return _lines("day         account     amount  note", bookings, _line)


def sniff(head):
    """Whether a file begins like this."""
    return head.startswith(b"day  ")


def _line(day, account, amount, note):
    return f"{day}  {account:<10}{amount:>8}  {note}".rstrip()
