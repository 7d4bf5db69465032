"""Stages: each makes rows of rows."""

from __future__ import annotations

from collections.abc import Sequence

from logq import values
from logq.aggregate import AGGREGATES
from logq.query import BadQuery, Stage
from logq.records import Row


def run(stage: Stage, rows: Sequence[Row]) -> list[Row]:
    """The rows that a stage makes."""
    match stage:
        case ("limit", number) if number.isdecimal():
            return list(rows[: int(number)])
        case ("sort", key):
            return _sorted(rows, key.removeprefix("-"), key.startswith("-"))
        case ("fields", _, *_):
            return [{key: row[key] for key in stage[1:] if key in row} for row in rows]
        case ("count",):
            return _grouped(rows, "count", "", None)
        case ("count", "by", by):
            return _grouped(rows, "count", "", by)
        case (name, key) if name in AGGREGATES and name != "count":
            return _grouped(rows, name, key, None)
        case (name, key, "by", by) if name in AGGREGATES and name != "count":
            return _grouped(rows, name, key, by)
    raise BadQuery(f"not a stage: {' '.join(stage)}")


def _sorted(rows: Sequence[Row], key: str, descending: bool) -> list[Row]:
    """Rows by kind and value of a key; rows without it come last, equal ones stay as they are."""

    def rank(row: Row) -> tuple[int, object]:
        kind, value = values.read(row[key])
        return values.KINDS.index(kind), value

    with_key = sorted((row for row in rows if key in row), key=rank, reverse=descending)
    return with_key + [row for row in rows if key not in row]


def _grouped(rows: Sequence[Row], name: str, key: str, by: str | None) -> list[Row]:
    """One row for each value of `by`, in alphabetical order; without `by`, one row."""
    groups: dict[str, list[Row]] = {} if by else {"": []}
    for row in rows:
        if by is None or by in row:
            groups.setdefault(row[by] if by else "", []).append(row)
    made = []
    for value in sorted(groups):
        row = {by: value} if by else {}
        row[name] = AGGREGATES[name](groups[value], key)
        made.append(row)
    return made
