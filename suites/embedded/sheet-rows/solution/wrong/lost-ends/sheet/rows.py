"""Where rows go when others are inserted or deleted, and what becomes of references to them."""

from __future__ import annotations

import re
from typing import Protocol

from sheet.cells import Cell
from sheet.formula import Token, tokens

_ROW = re.compile(r"[0-9]+$")
_LOST = "#REF!"


class Change(Protocol):
    """A change of rows."""

    def row(self, row: int) -> int | None:
        """Where a row goes; None if it is deleted."""

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """First and last of the rows that a range has after the change; None if none is left."""


class Insertion:
    """`count` rows before row `before`."""

    def __init__(self, before: int, count: int) -> None:
        _check(before, count)
        self._before = before
        self._count = count

    def row(self, row: int) -> int:
        """Where a row goes."""
        return row + self._count if row >= self._before else row

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Where the rows of a range go, with those that come between them."""
        return self.row(first), self.row(last)


class Deletion:
    """`count` rows from row `first` on are taken away."""

    def __init__(self, first: int, count: int) -> None:
        _check(first, count)
        self._first = first
        self._after = first + count

    def row(self, row: int) -> int | None:
        """Where a row goes; None if it is deleted."""
        return None if self._first <= row < self._after else self._moved(row)

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """Where those rows of a range go that are left."""
        start, stop = self.row(first), self.row(last)
        return None if start is None or stop is None else (start, stop)

    def _moved(self, row: int) -> int:
        return row - (self._after - self._first) if row >= self._after else row


def adjusted(formula: str, change: Change) -> str:
    """A formula, or the target of a name, whose references mean the same cells after a change of rows."""
    return "".join(_token(token, change) for token in tokens(formula))


def _token(token: Token, change: Change) -> str:
    if token.kind == "cell":
        row = change.row(Cell.parse(token.text).row)
        return _LOST if row is None else _with_row(token.text, row)
    if token.kind == "range":
        one, other = token.text.split(":")
        upward = Cell.parse(one).row > Cell.parse(other).row
        rows = change.span(*sorted((Cell.parse(one).row, Cell.parse(other).row)))
        if rows is None:
            return _LOST
        first, last = reversed(rows) if upward else rows
        return f"{_with_row(one, first)}:{_with_row(other, last)}"
    return token.text


def _with_row(reference: str, row: int) -> str:
    return _ROW.sub(str(row), reference)


def _check(row: int, count: int) -> None:
    if row < 1 or count < 1:
        raise ValueError(f"rows and counts start at 1: row {row}, count {count}")
