"""The format of requests and replies between a sandbox and the program that opened it.

A frame is a four-byte length and that many bytes; its payload is a list of byte strings, each behind its own four-byte
length. Lists nest by packing a packed list. There is nothing else: no types, no objects, so that a hostile peer can
send wrong bytes but never code, and no length that was not announced and checked first. Numbers travel as decimal text.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

__all__ = ["LARGEST_ORDER", "WireError", "frame", "pack", "take", "unpack"]

LARGEST_ORDER = 192 << 10
"""Bytes of one message to the zygote: what a socket takes at once, with room to spare."""

_LENGTH = struct.Struct("!I")


class WireError(ValueError):
    """The peer sent bytes that are not a frame of ours."""


def pack(*fields: bytes) -> bytes:
    """Join byte strings so that `unpack` can take them apart."""
    return b"".join(_parts(fields))


def frame(*fields: bytes) -> bytes:
    """`pack`, with the length of the whole in front.

    Raises:
        struct.error: The fields are longer than 4 GiB.
    """
    parts = _parts(fields)
    return b"".join([_LENGTH.pack(sum(map(len, parts))), *parts])


def _parts(fields: Iterable[bytes]) -> list[bytes]:
    return [part for field in fields for part in (_LENGTH.pack(len(field)), field)]


def take(inbox: bytearray, at_most: int) -> Iterator[list[bytes]]:
    """Take the complete frames from the front of what has arrived, and leave the rest.

    Raises:
        WireError: A frame of more than `at_most` bytes is announced, or is malformed.
    """
    head = _LENGTH.size
    while len(inbox) >= head:
        (size,) = _LENGTH.unpack_from(inbox)
        if size > at_most:
            raise WireError(f"a frame of {size} bytes was announced; at most {at_most} are accepted")
        if len(inbox) < head + size:
            return
        with memoryview(inbox) as view:
            fields = unpack(view[head : head + size])
        del inbox[: head + size]
        yield fields


def unpack(payload: bytes | bytearray | memoryview) -> list[bytes]:
    """Take apart what `pack` joined.

    Raises:
        WireError: A length points beyond the end.
    """
    view = memoryview(payload)
    fields: list[bytes] = []
    at, end = 0, len(view)
    while at < end:
        if end - at < _LENGTH.size:
            raise WireError(f"{end - at} stray bytes at the end of a frame")
        (size,) = _LENGTH.unpack_from(view, at)
        at += _LENGTH.size
        if size > end - at:
            raise WireError(f"a field of {size} bytes was announced where {end - at} are left")
        fields.append(bytes(view[at : at + size]))
        at += size
    return fields
