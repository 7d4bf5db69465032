"""Reads lines of logs."""

from __future__ import annotations

import re

from logq import values
from logq.quoting import QUOTED, plain

Row = dict[str, str]
"""Values by key; "time" is that of the line."""

_KEY = r"[A-Za-z_][A-Za-z0-9_.]*"
_FIELD = re.compile(rf'({_KEY})(?:=({QUOTED}|[^\s"\\=]+))?(?= |$)')


class BadLine(ValueError):
    """Raised for a line that is not one of a log."""


def read(line: str) -> Row:
    """The values of a line. A key without a value has the value "true"; of a key that comes twice the last one holds."""
    time, _blank, rest = line.rstrip("\n").partition(" ")
    if values.read(time)[0] != "time":
        raise BadLine(f"a line starts with its time: {line!r}")
    row, place = {"time": time}, 0
    while place < len(rest):
        found = _FIELD.match(rest, place)
        if found is None or found[1] == "time":
            raise BadLine(f"not a field: {rest[place:]!r}")
        row[found[1]] = "true" if found[2] is None else plain(found[2])
        place = found.end() + 1
    return row
