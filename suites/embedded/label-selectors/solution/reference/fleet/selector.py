"""Selectors: conditions over labels."""

from collections.abc import Mapping

from fleet.conditions import COMPARISONS, Compares, Condition, Exists, Not, OneOf, joined
from fleet.errors import SelectorError
from fleet.tokens import Token, tokens


class Selector:
    """A condition over the labels of a machine; see `parse`."""

    def __init__(self, condition: Condition) -> None:
        self._condition = condition

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the condition holds for these labels."""
        return self._condition.matches(labels)

    def keys(self) -> set[str]:
        """All keys that occur in the condition."""
        return set(self._condition.keys())

    def __str__(self) -> str:
        return str(self._condition)


def parse(text: str) -> Selector:
    """The selector that a text stands for; SelectorError if it is none."""
    reader = _Reader(text)
    condition = reader.selector()
    reader.take("end")
    return Selector(condition)


class _Reader:
    """Reads a text by the rules of the grammar, one method for each."""

    def __init__(self, text: str) -> None:
        self._tokens = list(tokens(text))
        self._next = 0

    def selector(self) -> Condition:
        parts = [self._both()]
        while self._accept("or"):
            parts.append(self._both())
        return joined("or", parts)

    def take(self, *kinds: str) -> Token:
        """The next token, which must be of one of these kinds."""
        token = self._tokens[self._next]
        if token.kind not in kinds:
            found = "the end" if token.kind == "end" else repr(token.value)
            raise SelectorError(f"found {found} where a selector has {' or '.join(kinds)}", token.position)
        if token.flaw is not None:
            raise SelectorError("a string is not closed, or has a backslash in a wrong place", token.flaw)
        self._next += 1
        return token

    def _accept(self, *kinds: str) -> Token | None:
        return self.take(*kinds) if self._tokens[self._next].kind in kinds else None

    def _both(self) -> Condition:
        parts = [self._single()]
        while self._accept("and"):
            parts.append(self._single())
        return joined("and", parts)

    def _single(self) -> Condition:
        opening = self.take("not", "(", "word")
        if opening.kind == "not":
            return Not(self._single())
        if opening.kind == "(":
            inside = self.selector()
            self.take(")")
            return inside
        return self._condition(opening.value)

    def _condition(self, key: str) -> Condition:
        if sign := self._accept(*COMPARISONS):
            return Compares(key, sign.value, self._value())
        if not self._accept("in"):
            return Exists(key)
        self.take("(")
        values = [self._value()]
        while self.take(",", ")").kind == ",":
            values.append(self._value())
        return OneOf(key, tuple(values))

    def _value(self) -> str:
        return self.take("word", "string").value
