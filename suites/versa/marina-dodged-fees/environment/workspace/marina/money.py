"""Amounts of money are whole cents."""

from __future__ import annotations


def part(cents: int, numerator: int, denominator: int) -> int:
    """A fraction of an amount that is not negative, to the nearest cent; half a cent counts as a whole one."""
    return (2 * cents * numerator + denominator) // (2 * denominator)


def percent(cents: int, rate: int) -> int:
    """So many percent of an amount."""
    return part(cents, rate, 100)


def text(cents: int) -> str:
    """An amount as people write it: 1234 is "12.34", -5 is "-0.05"."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
