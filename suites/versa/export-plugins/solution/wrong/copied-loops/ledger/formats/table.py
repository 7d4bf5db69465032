"""A table to be read."""

from ledger.formats._shared import cells as _cells

NAME, EXTENSION, MIME, BINARY = "table", ".txt", "text/plain; charset=utf-8", False


def write(bookings):
    """The text of bookings."""
    rows = ["day         account     amount  note"]
    for booking in bookings:
        rows.append(_line(*_cells(booking)))
    rows.append("")
    return "\n".join(rows)


def sniff(head):
    """Whether a file begins like this."""
    return head.startswith(b"day  ")


def _line(day, account, amount, note):
    return f"{day}  {account:<10}{amount:>8}  {note}".rstrip()
