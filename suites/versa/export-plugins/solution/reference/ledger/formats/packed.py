"""Bookings in few bytes."""

import struct as _struct

NAME, EXTENSION, MIME, BINARY = "packed", ".pbk", "application/x-packed-bookings", True


def write(bookings):
    """The bytes of bookings."""
    return b"PBK1" + _struct.pack(">I", len(bookings)) + b"".join(map(_entry, bookings))


def sniff(head):
    """Whether a file begins like this."""
    return head[:4] == b"PBK1"


def _entry(entry):
    texts = [text.encode() for text in (entry.account, entry.note)]
    return _struct.pack(">iqHH", entry.day.toordinal(), entry.cents, *map(len, texts)) + b"".join(texts)
