"""Amounts of money: text outside, whole cents inside."""

import re

_AMOUNT = re.compile(r"-?[0-9]+(\.[0-9]{1,2})?")


def to_cents(text: str) -> int:
    """The amount in cents.

    `text` is an optional minus sign, digits, and optionally a point with one or two digits: `"7"`, `"-0.5"`,
    `"1234.56"`. Anything else raises ValueError.
    """
    if not _AMOUNT.fullmatch(text):
        raise ValueError(f"not an amount of money: {text!r}")
    return int(float(text) * 100)


def format_cents(cents: int) -> str:
    """The amount as text with two decimals, such as `"-0.05"`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
