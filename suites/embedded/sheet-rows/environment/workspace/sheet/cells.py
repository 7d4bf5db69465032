"""Names of cells: one or two letters for the column, and the number of the row, from 1."""

from __future__ import annotations

import re
from typing import NamedTuple

REFERENCE = r"\$?[A-Za-z]{1,2}\$?[1-9][0-9]*"
"""Pattern of a reference: a cell, in which a dollar sign may stand before the column and before the row."""

_PARTS = re.compile(r"\$?([A-Za-z]{1,2})\$?([1-9][0-9]*)")


class Cell(NamedTuple):
    """A place in a sheet; cells sort by row, then by column."""

    row: int
    column: int

    @classmethod
    def parse(cls, text: str) -> Cell:
        """The cell of a reference; upper and lower case and dollar signs make no difference.

        Raises:
            ValueError: the text is no reference.
        """
        parts = _PARTS.fullmatch(text)
        if parts is None:
            raise ValueError(f"not a cell: {text!r}")
        column = 0
        for letter in parts[1].upper():
            column = column * 26 + ord(letter) - ord("A") + 1
        return cls(int(parts[2]), column)

    def __str__(self) -> str:
        """Name of the cell, like "B7"."""
        first, last = divmod(self.column - 1, 26)
        return (chr(ord("A") + first - 1) if first else "") + chr(ord("A") + last) + str(self.row)


def area(text: str) -> list[Cell]:
    """The cells of a range like "A1:B9", whichever of its corners are given, in order."""
    one, other = (Cell.parse(corner) for corner in text.split(":"))
    rows = range(min(one.row, other.row), max(one.row, other.row) + 1)
    columns = range(min(one.column, other.column), max(one.column, other.column) + 1)
    return [Cell(row, column) for row in rows for column in columns]
