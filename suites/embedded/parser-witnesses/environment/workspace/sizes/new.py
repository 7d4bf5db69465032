"""The new reader of sizes."""

import re

POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
FORM = re.compile(r"\s*(\d+)(?:\.(\d*))?\s*([a-z]?)(i?)(b?)\s*", re.ASCII | re.IGNORECASE)


def parse(text: str) -> int:
    """Number of bytes that a text means: k is 1000, ki is 1024."""
    found = FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"not a size: {text!r}")
    whole, part, unit, binary, _byte = found.groups()
    if unit in ("b", "B"):
        unit = ""
    if unit.lower() not in POWERS:
        raise ValueError(f"unknown unit: {unit!r}")
    if part and not unit:
        raise ValueError("there are no parts of bytes")
    factor = (1024 if binary else 1000) ** POWERS[unit.lower()]
    return int(whole) * factor + round(int(part or 0) * factor / 10 ** len(part or ""))
