"""What groups of rows come to. Rows without a key, or without an amount where one is needed, do not count for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from logq import values
from logq.records import Row

NOTHING = "-"
"""What there is no value for."""


def _amounts(rows: Sequence[Row], key: str) -> list[Fraction]:
    found = (values.amount(row[key]) for row in rows if key in row)
    return [amount for amount in found if amount is not None]


def _count(rows: Sequence[Row], _key: str) -> str:
    return str(len(rows))


def _sum(rows: Sequence[Row], key: str) -> str:
    return values.written(sum(_amounts(rows, key), Fraction()))


def _avg(rows: Sequence[Row], key: str) -> str:
    amounts = _amounts(rows, key)
    return values.written(sum(amounts, Fraction()) / len(amounts)) if amounts else NOTHING


def _max(rows: Sequence[Row], key: str) -> str:
    amounts = _amounts(rows, key)
    return values.written(max(amounts)) if amounts else NOTHING


def _distinct(rows: Sequence[Row], key: str) -> str:
    return str(len({row[key] for row in rows if key in row}))


def _last(rows: Sequence[Row], key: str) -> str:
    return next((row[key] for row in reversed(rows) if key in row), NOTHING)


AGGREGATES: dict[str, Callable[[Sequence[Row], str], str]] = {
    "count": _count,
    "sum": _sum,
    "avg": _avg,
    "max": _max,
    "distinct": _distinct,
    "last": _last,
}
