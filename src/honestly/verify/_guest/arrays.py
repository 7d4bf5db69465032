"""Arrays and scalars of numpy on the wire: kind of element, shape, and the elements' bytes as base64.

Numpy is imported when the first array comes, and only then. Nothing is unpickled, and nothing is made larger than what
came. Kinds of element are booleans, numbers of fixed width, dates, time spans, and strings of fixed length; a long
double, whose bytes not every machine reads alike, an object and a record stay where they are, as handles. So does an
instance of a subclass, of the candidate's own or of numpy's (matrix, masked array): it could decide what its comparison
says. An array arrives in C order, writable, and the owner of its memory.
"""

from __future__ import annotations

import binascii
import re
import sys

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES = 23 << 20
"""Of all elements: what fits a frame as base64, and a little beside it."""
MAX_DIMENSIONS = 32
_UNIT = r"\[(?:[1-9][0-9]{0,8})?(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]"
_PLAIN = re.compile(
    rf"\|b1|[<>|][iu][1248]|[<>]f[248]|[<>]c(?:8|16)|\|S[0-9]{{1,8}}|[<>]U[0-9]{{1,7}}|[<>][mM]8(?:{_UNIT})?", re.ASCII
)
_LAST_CHARACTER = 0x10FFFF


def pack_array(value: Any, kind: type) -> list[Any] | None:
    """Tagged form of an exact array or scalar with plain elements; None for anything else.

    Raises:
        OverflowError: it is too large.
    """
    numpy = sys.modules["numpy"]
    scalar = isinstance(value, numpy.generic) and kind is value.dtype.type
    if not scalar and kind is not numpy.ndarray:
        return None
    text = value.dtype.str
    if not _PLAIN.fullmatch(text) or not (scalar or (value.itemsize and value.ndim <= MAX_DIMENSIONS)):
        return None
    if value.nbytes > MAX_BYTES:
        raise OverflowError(f"an array of {value.nbytes} bytes is too large for the wire ({MAX_BYTES})")
    raw = value.tobytes() if value.nbytes else b""  # numpy has bytes even for a string of no length
    data = binascii.b2a_base64(raw, newline=False).decode("ascii")
    return ["g", text, data] if scalar else ["a", text, list(value.shape), data]


def unpack_array(rest: list[Any]) -> Any:
    """The array of a tagged form.

    Raises:
        ImportError: there is no numpy here.
        ValueError: its parts do not fit each other.
        TypeError: they are not of the types that they should be.
    """
    text, shape, data = rest
    return _built_array(text, shape, data).copy()


def unpack_scalar(rest: list[Any]) -> Any:
    """The scalar of a tagged form; raises what `unpack_array` does."""
    text, data = rest
    return _built_array(text, [], data)[()]


def _built_array(text: str, shape: list[int], packed: str) -> Any:
    if not _PLAIN.fullmatch(text):
        raise ValueError(f"{text[:20]!r} is no kind of element that crosses the wire")
    if len(shape) > MAX_DIMENSIONS or not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError("a shape must be a short list of lengths")
    data = binascii.a2b_base64(packed)
    try:
        import numpy
    except ImportError:
        raise ImportError(
            "an array came, but numpy cannot be imported here; `honestly bench samples --with numpy` offers it"
        ) from None
    kind = numpy.dtype(text)
    count, room = 1, max(kind.itemsize, 1)
    for length in shape:
        count *= length
        room *= max(length, 1)  # a length of 0 must not let others be what no array with elements could have
        if room > MAX_BYTES:
            raise ValueError("its shape is too large for the wire")
    if count * kind.itemsize != len(data) or (shape and not kind.itemsize):
        raise ValueError(f"{len(data)} bytes are not what its shape needs")
    # numpy believes bytes that stand for nothing.
    if kind.kind == "b" and data.translate(None, b"\0\1"):
        raise ValueError("a boolean is neither true nor false")
    if kind.kind == "U" and data and numpy.frombuffer(data, kind.str[0] + "u4").max() > _LAST_CHARACTER:
        raise ValueError("a string holds what is no character")
    return numpy.ndarray(shape, kind, data)
