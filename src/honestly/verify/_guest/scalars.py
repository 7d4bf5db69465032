"""Values that JSON does not know, and that hold no others, on the wire: a tag, and parts that JSON knows.

Built-in ones (bytes, complex numbers, ranges, long integers, floats that are no numbers), a few of the standard
library, and numpy's (`arrays.py`). A module is imported when the first of its values comes, and only then. A value of
any other type, subclasses of these included, stays where it is.
"""

from __future__ import annotations

import binascii
import sys

from honestly.verify._guest.arrays import pack_array, unpack_array, unpack_scalar

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Build: TypeAlias = Callable[[list[Any]], Any]

_LONGEST_PART = 1 << 16
_TAGS: dict[tuple[str, str], str] = {
    ("decimal", "Decimal"): "D",
    ("fractions", "Fraction"): "F",
    ("datetime", "timedelta"): "td",
    ("datetime", "datetime"): "dt",
    ("datetime", "date"): "da",
    ("datetime", "time"): "tm",
}


def pack(value: Any, kind: type) -> list[Any] | None:
    """Tag and parts of a value, if it is exactly of such a type; None for anything else."""
    if kind is bytes or kind is bytearray:
        return ["y" if kind is bytes else "Y", binascii.b2a_base64(value, newline=False).decode("ascii")]
    if kind is complex:
        return ["c", repr(value.real), repr(value.imag)]
    if kind is range:
        return ["r", *(format(part, "x") for part in (value.start, value.stop, value.step))]
    name = _TAGS.get((kind.__module__, kind.__name__))
    if name is None:
        return pack_array(value, kind) if kind.__module__ == "numpy" else None
    # A class may call itself what it likes: only the library's own is believed.
    if kind is not getattr(sys.modules.get(kind.__module__), kind.__name__, None):
        return None
    if name == "D":
        return [name, str(value)]
    if name == "F":
        return [name, format(value.numerator, "x"), format(value.denominator, "x")]
    if name == "td":
        return [name, value.days, value.seconds, value.microseconds]
    zone = getattr(value, "tzinfo", None)
    if zone is not None and (type(zone).__module__, type(zone).__name__) != ("datetime", "timezone"):
        return None
    return [name, value.isoformat(), getattr(value, "fold", 0)]


def _decimal(parts: list[Any]) -> Any:
    from decimal import Decimal

    value = Decimal(parts[0])
    return Decimal("NaN") if value.is_snan() else value  # a comparison with the other kind is an error of the check's


def _fraction(parts: list[Any]) -> Any:
    from fractions import Fraction

    if max(map(len, parts)) > _LONGEST_PART:  # reducing it takes the square of its length
        raise ValueError(f"a fraction of more than {_LONGEST_PART} hexadecimal digits")
    return Fraction(int(parts[0], 16), int(parts[1], 16))


def _moment_builder(kind: str) -> Build:
    def build(parts: list[Any]) -> Any:
        import datetime

        value = getattr(datetime, kind).fromisoformat(parts[0])
        return value.replace(fold=1) if parts[1] == 1 and kind != "date" else value

    return build


def _delta(parts: list[Any]) -> Any:
    from datetime import timedelta

    return timedelta(parts[0], parts[1], parts[2])


SCALARS: dict[str, Build] = {
    "i": lambda parts: int(parts[0], 16),
    "n": lambda parts: float(parts[0]),
    "y": lambda parts: binascii.a2b_base64(parts[0]),
    "Y": lambda parts: bytearray(binascii.a2b_base64(parts[0])),
    "c": lambda parts: complex(float(parts[0]), float(parts[1])),
    "r": lambda parts: range(*(int(part, 16) for part in parts)),
    "D": _decimal,
    "F": _fraction,
    "td": _delta,
    "dt": _moment_builder("datetime"),
    "da": _moment_builder("date"),
    "tm": _moment_builder("time"),
    "a": unpack_array,
    "g": unpack_scalar,
}
"""By tag, the function that makes a value of its parts; from malformed parts it raises whatever Python raises."""
