"""Clauses of a constraint: an operator and the version that it is applied to."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

from pins.versions import ConstraintError, Version, numbers_of, parse_version

_Holds = Callable[[Version, str], bool]


@dataclass(frozen=True)
class Clause:
    """One condition on versions; `written` is how it stands in the constraint."""

    written: str
    operand: str
    test: _Holds

    def holds(self, version: Version) -> bool:
        """Whether a version meets the condition, pre-release or not."""
        return self.test(version, self.operand)

    def asks_for(self, version: Version) -> bool:
        """Whether the clause itself names a pre-release of the same three numbers."""
        if not self.operand:
            return False
        named = parse_version(self.operand)
        return not named.released and named.numbers == version.numbers


def parse_clauses(constraint: str) -> list[Clause]:
    """The clauses of a constraint, in their order.

    Raises:
        ConstraintError: one of them cannot be understood.
    """
    return [_clause(text.strip()) for text in constraint.split(",")]


def _clause(text: str) -> Clause:
    if text == "*":
        return Clause(text, "", _anything)
    # Longer operators first: "<=" also starts with "<".
    symbol = next((symbol for symbol in sorted(_TESTS, key=len, reverse=True) if text.startswith(symbol)), "")
    if not symbol and text.endswith(".*"):
        return Clause(text, _wildcard(text), _tilde)
    operand = text.removeprefix(symbol).strip()
    parse_version(operand)
    return Clause(text, operand, _TESTS.get(symbol, _compare(operator.eq)))


def _wildcard(text: str) -> str:
    operand = text[:-2]
    if "-" in operand or operand.count(".") > 1:
        raise ConstraintError(f"not a version: {text!r}")
    numbers_of(operand)  # raises where it is no version
    return operand


def _compare(relation: Callable[[Version, Version], bool]) -> _Holds:
    return lambda version, operand: relation(version, parse_version(operand))


def _anything(_version: Version, _operand: str) -> bool:
    return True


def _tilde(version: Version, operand: str) -> bool:
    return _below_next(version, operand, min(len(numbers_of(operand)), 2) - 1)


def _caret(version: Version, operand: str) -> bool:
    numbers = parse_version(operand).numbers
    return _below_next(version, operand, next((place for place, number in enumerate(numbers) if number), 2))


def _below_next(version: Version, operand: str, place: int) -> bool:
    """Whether a version is at least the operand, and comes before the next change of the number at `place`."""
    lowest = parse_version(operand)
    numbers = [*lowest.numbers[:place], lowest.numbers[place] + 1, 0, 0]
    return lowest <= version < Version((numbers[0], numbers[1], numbers[2]))


_TESTS: dict[str, _Holds] = {
    "=": _compare(operator.eq),
    "!=": _compare(operator.ne),
    "<": _compare(operator.lt),
    "<=": _compare(operator.le),
    ">": _compare(operator.gt),
    ">=": _compare(operator.ge),
    "~": _tilde,
    "^": _caret,
}
