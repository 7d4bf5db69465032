"""What texts mean: numbers, durations, sizes, times, or nothing but text."""

from __future__ import annotations

import re
from datetime import datetime
from fractions import Fraction

KINDS = ("number", "duration", "size", "time", "text")
"""All kinds, in the order in which they are sorted."""

UNITS = {
    "": ("number", 1),
    "ms": ("duration", 1),
    "s": ("duration", 1000),
    "m": ("duration", 60_000),
    "h": ("duration", 3_600_000),
    "B": ("size", 1),
    "kB": ("size", 1000),
    "MB": ("size", 1_000_000),
}

_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)([A-Za-z]*)", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)

Value = tuple[str, Fraction | datetime | str]


def read(text: str) -> Value:
    """Kind and value of a text: durations in milliseconds, sizes in bytes, times with their offset."""
    number = _NUMBER.fullmatch(text)
    if number and number[2] in UNITS:
        kind, factor = UNITS[number[2]]
        return kind, Fraction(number[1]) * factor
    if _TIME.fullmatch(text):
        try:
            return "time", datetime.fromisoformat(text)
        except ValueError:
            return "text", text
    return "text", text


def amount(text: str) -> Fraction | None:
    """A number, the milliseconds of a duration or the bytes of a size; None for all else."""
    value = read(text)[1]
    return value if isinstance(value, Fraction) else None


def written(number: Fraction) -> str:
    """A number with at most three decimals, rounded half to even, and without zeros at the end."""
    rounded = round(number, 3)
    sign, thousandths = ("-" if rounded < 0 else ""), abs(int(rounded * 1000))
    return f"{sign}{thousandths // 1000}.{thousandths % 1000:03d}".rstrip("0").rstrip(".")
