"""Formulas: cutting them into tokens, and calculating them.

A formula is made of numbers, texts in double quotes (a quote in a text is doubled), references to cells (`B2`, `$b$2`),
ranges (`A1:B9`, as an argument of a function only), names (letters, digits, underscores and dots, not starting with a
digit), functions (`SUM`, `MIN`, `MAX`, `COUNT`, `LEN`, in upper or lower case), the operators `+ - * / &`, brackets,
commas and blanks. `#REF!` stands for a reference to what is no more. `A1.x`, `A1_` and `ABC1` are names, not
references.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sheet.cells import REFERENCE

Value = int | float | str | None

_TOKEN = re.compile(
    rf"""(?P<blank>\s+) | (?P<text>"(?:[^"]|"")*") | (?P<error>\#REF!) | (?P<number>[0-9]+(?:\.[0-9]+)?)
    | (?P<range>{REFERENCE}:{REFERENCE}(?![\w.])) | (?P<cell>{REFERENCE}(?![\w.])) | (?P<name>[A-Za-z_][\w.]*)
    | (?P<sign>[-+*/&(),]) | (?P<other>.)""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)


class Failure(Exception):
    """Why a formula has no value: "#REF!", "#DIV/0!", "#VALUE!", "#NAME?" or "#CYCLE!"."""


class Token(NamedTuple):
    """A piece of a formula; all pieces together are the formula again."""

    kind: str
    text: str


def tokens(formula: str) -> Iterator[Token]:
    """The pieces of a formula, blanks included. What belongs nowhere is of the kind "other"."""
    for match in _TOKEN.finditer(formula):
        yield Token(str(match.lastgroup), match[0])


class Calculation:
    """Calculates one formula; `look_up` gives the values behind a token of the kind cell, range or name."""

    def __init__(self, formula: str, look_up: Callable[[Token], list[Value]]) -> None:
        self._tokens = [token for token in tokens(formula) if token.kind != "blank"]
        self._look_up = look_up

    def result(self) -> Value:
        """The value of the formula; raises Failure if it has none."""
        value = self._single(self._sum())
        if self._tokens:
            raise Failure("#VALUE!")
        return value

    def _sum(self) -> list[Value]:
        left = self._product()
        while self._next() in {"+", "-", "&"}:
            sign, right = self._take().text, self._product()
            if sign == "&":
                left = [
                    "".join("" if value is None else str(value) for value in (self._single(left), self._single(right)))
                ]
            else:
                left = [self._number(left) + (1 if sign == "+" else -1) * self._number(right)]
        return left

    def _product(self) -> list[Value]:
        left = self._operand()
        while self._next() in {"*", "/"}:
            sign, right = self._take().text, self._number(self._operand())
            if sign == "/" and right == 0:
                raise Failure("#DIV/0!")
            left = [self._number(left) * right if sign == "*" else self._number(left) / right]
        return left

    def _operand(self) -> list[Value]:
        token = self._take()
        if token.kind == "number":
            return [float(token.text) if "." in token.text else int(token.text)]
        if token.kind == "text":
            return [token.text[1:-1].replace('""', '"')]
        if token.kind == "error":
            raise Failure("#REF!")
        if token.kind == "name" and self._next() == "(":
            return [self._call(token.text.upper())]
        if token.kind in {"cell", "range", "name"}:
            return self._look_up(token)
        if token.text == "-":
            return [-self._number(self._operand())]
        if token.text == "(":
            inside = self._sum()
            if self._take().text != ")":
                raise Failure("#VALUE!")
            return inside
        raise Failure("#VALUE!")

    def _call(self, function: str) -> Value:
        arguments: list[Value] = []
        while self._take().text != ")":
            arguments += self._sum()
            if self._next() not in {",", ")"}:
                raise Failure("#VALUE!")
        numbers = [value for value in arguments if isinstance(value, int | float)]
        match function:
            case "SUM":
                return sum(numbers)
            case "COUNT":
                return len(numbers)
            case "MIN" | "MAX":
                return (min if function == "MIN" else max)(numbers, default=0)
            case "LEN":
                return sum(len(str(value)) for value in arguments if value is not None)
        raise Failure("#NAME?")

    def _take(self) -> Token:
        if not self._tokens:
            raise Failure("#VALUE!")
        return self._tokens.pop(0)

    def _next(self) -> str:
        return self._tokens[0].text if self._tokens else ""

    @staticmethod
    def _single(values: list[Value]) -> Value:
        if len(values) != 1:
            raise Failure("#VALUE!")
        return values[0]

    def _number(self, values: list[Value]) -> int | float:
        value = self._single(values)
        if isinstance(value, str):
            raise Failure("#VALUE!")
        return value or 0
