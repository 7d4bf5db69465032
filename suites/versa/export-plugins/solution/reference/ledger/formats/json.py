"""JSON."""

import json as _json

NAME, EXTENSION, MIME, BINARY = "json", ".json", "application/json", False


def write(bookings):
    """The text of bookings."""
    return _json.dumps([{**entry._asdict(), "day": str(entry.day)} for entry in bookings], ensure_ascii=False)


def sniff(head):
    """Whether a file begins like this."""
    return head.lstrip()[:1] == b"["
