"""Rows as lines."""

from __future__ import annotations

from collections.abc import Iterable

from logq.quoting import quote
from logq.records import Row


def lines(rows: Iterable[Row]) -> list[str]:
    """A line for each row: its time first, if it has one, then key=value in the order of the row."""
    return [" ".join(_parts(row)) for row in rows]


def _parts(row: Row) -> list[str]:
    time = [row["time"]] if "time" in row else []
    return time + [f"{key}={quote(value)}" for key, value in row.items() if key != "time"]
