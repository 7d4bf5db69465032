"""From text to rows of fields."""

from __future__ import annotations

START, PLAIN, QUOTED, AFTER = range(4)
"""Where the scanner is: before a field, in one, in one with quotes, behind a quotation mark in such a one."""


class Broken(ValueError):
    """Raised for text that cannot be rows."""


class Scanner:
    """Takes text piece by piece; how it is cut makes no difference to the rows."""

    def __init__(self, separator: str = ";") -> None:
        self._separator = separator
        self._state = START
        self._field: list[str] = []
        self._row: list[str] = []
        self._returned = False
        """Whether a carriage return is still to be taken: what it is depends on the character behind it."""

    def feed(self, text: str) -> list[list[str]]:
        """The rows that a piece of text completes."""
        rows: list[list[str]] = []
        for char in text:
            if self._returned and (char != "\n" or self._state == QUOTED):
                self._take("\r", rows)
            self._returned = char == "\r"
            if not self._returned:
                self._take(char, rows)
        return rows

    def close(self) -> list[list[str]]:
        """The row that is not complete, if there is one. Broken if a quotation mark is missing."""
        rows: list[list[str]] = []
        if self._returned:
            self._returned = False
            self._take("\r", rows)
        if self._state == QUOTED:
            raise Broken("the last field is not closed")
        if self._row or self._field or self._state != START:
            self._take("\n", rows)
        return rows

    def _take(self, char: str, rows: list[list[str]]) -> None:
        if self._state == QUOTED:
            if char == '"':
                self._state = AFTER
            else:
                self._field.append(char)
        elif char == '"' and self._state == AFTER:
            self._state = QUOTED
            self._field.append(char)
        elif char == '"' and self._state == START:
            self._state = QUOTED
        elif char == self._separator:
            self._end_field()
        elif char == "\n":
            if self._row or self._state != START:
                self._end_field()
                rows.append(self._row)
                self._row = []
        elif self._state == AFTER:
            raise Broken(f"{char!r} behind a closed field")
        else:
            self._state = PLAIN
            self._field.append(char)

    def _end_field(self) -> None:
        self._row.append("".join(self._field))
        self._field.clear()
        self._state = START
