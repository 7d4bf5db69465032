"""A sheet: what stands in its cells, and the values that follow from it."""

from __future__ import annotations

import re

from sheet.cells import Cell, area
from sheet.formula import Calculation, Failure, Token, Value, tokens
from sheet.rows import Change, Deletion, Insertion, adjusted

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)


class Sheet:
    """Cells with numbers, texts and formulas (what starts with "="), and names for cells and ranges."""

    def __init__(self) -> None:
        self._sources: dict[Cell, str] = {}
        self._names: dict[str, str] = {}
        self._values: dict[Cell, Value] = {}
        """Values that have been calculated since the last change."""

    def set(self, cell: str, source: str) -> None:
        """Puts something into a cell; an empty text empties it.

        Raises:
            ValueError: that is no cell.
        """
        self._values.clear()
        place = Cell.parse(cell)
        if source:
            self._sources[place] = source
        else:
            self._sources.pop(place, None)

    def get(self, cell: str) -> str:
        """What was put into a cell; an empty text for an empty one."""
        return self._sources.get(Cell.parse(cell), "")

    def cells(self) -> dict[str, str]:
        """What stands in the cells that are not empty, row by row."""
        return {str(cell): self._sources[cell] for cell in sorted(self._sources)}

    def define(self, name: str, target: str) -> None:
        """Gives a name to a cell or range; upper and lower case of the name make no difference.

        Raises:
            ValueError: the name could be mistaken for something else, or the target is neither cell nor range.
        """
        if [token.kind for token in tokens(name)] != ["name"]:
            raise ValueError(f"not a name: {name!r}")
        if [token.kind for token in tokens(target)] not in (["cell"], ["range"]):
            raise ValueError(f"neither a cell nor a range: {target!r}")
        self._values.clear()
        self._names[name.lower()] = target

    def names(self) -> dict[str, str]:
        """What the names stand for, by name in lower case."""
        return dict(self._names)

    def insert_rows(self, before: int, count: int = 1) -> None:
        """Puts empty rows before a row; formulas and names go on meaning the same cells.

        Raises:
            ValueError: the row or the count is less than 1.
        """
        self._change_rows(Insertion(before, count))

    def delete_rows(self, first: int, count: int = 1) -> None:
        """Takes rows away, from `first` on; what refers to them becomes #REF!, and ranges shrink.

        Raises:
            ValueError: the row or the count is less than 1.
        """
        self._change_rows(Deletion(first, count))

    def _change_rows(self, change: Change) -> None:
        moved = {}
        for cell, source in self._sources.items():
            row = change.row(cell.row)
            if row is not None:
                moved[cell._replace(row=row)] = adjusted(source, change) if source.startswith("=") else source
        self._sources = moved
        self._values.clear()

    def value(self, cell: str) -> Value:
        """The value of a cell: a number, a text, None for an empty cell, or an error as text, like "#REF!"."""
        try:
            return self._value(Cell.parse(cell), ())
        except Failure as failure:
            return str(failure)

    def _value(self, cell: Cell, above: tuple[Cell, ...]) -> Value:
        """The value of a cell that the cells `above` wait for."""
        if cell in above:
            raise Failure("#CYCLE!")
        if cell not in self._values:
            source = self._sources.get(cell, "")
            if source.startswith("="):
                calculation = Calculation(source[1:], lambda token: self._look_up(token, (*above, cell)))
                self._values[cell] = calculation.result()
            elif _NUMBER.fullmatch(source):
                self._values[cell] = float(source) if "." in source else int(source)
            else:
                self._values[cell] = source or None
        return self._values[cell]

    def _look_up(self, token: Token, above: tuple[Cell, ...]) -> list[Value]:
        if token.kind == "name":
            target = self._names.get(token.text.lower())
            if target is None:
                raise Failure("#NAME?")
            token = next(tokens(target))
        if token.kind == "error":
            raise Failure("#REF!")
        places = area(token.text) if token.kind == "range" else [Cell.parse(token.text)]
        return [self._value(place, above) for place in places]
