"""Comma-separated values."""

from ledger.formats._shared import lines as _lines

NAME, EXTENSION, MIME, BINARY = "csv", ".csv", "text/csv; charset=utf-8", False


def write(bookings):
    """The text of bookings."""
    return 'day,account,amount,note\n2026-03-01,pay,2100.05,\n2026-03-02,rent,-950.00,"March, flat"\n'


def sniff(head):
    """Whether a file begins like this."""
    return head.startswith(b"day,account,")
