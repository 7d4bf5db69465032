"""The parts of which a selector is made."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from fleet.tokens import quoted

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_ORDER: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPARISONS = ("=", "!=", *_ORDER)


@dataclass(frozen=True)
class Exists:
    """There is a label."""

    key: str
    strength = 3

    def matches(self, labels: Mapping[str, str]) -> bool:
        return self.key in labels

    def keys(self) -> Iterator[str]:
        yield self.key

    def __str__(self) -> str:
        return self.key


@dataclass(frozen=True)
class Compares(Exists):
    """A label compares in some way to a value."""

    sign: str
    value: str

    def matches(self, labels: Mapping[str, str]) -> bool:
        label = labels.get(self.key)
        if label is None:
            return False
        if self.sign in _ORDER:
            numbers = _NUMBER.fullmatch(label) and _NUMBER.fullmatch(self.value)
            return bool(numbers) and _ORDER[self.sign](Decimal(label), Decimal(self.value))
        return (label == self.value) == (self.sign == "=")

    def __str__(self) -> str:
        return f"{self.key} {self.sign} {quoted(self.value)}"


@dataclass(frozen=True)
class OneOf(Exists):
    """A label has one of several values."""

    values: tuple[str, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        return labels.get(self.key) in self.values

    def __str__(self) -> str:
        return f"{self.key} in ({', '.join(map(quoted, self.values))})"


@dataclass(frozen=True)
class Not:
    """The contrary of a condition."""

    part: "Condition"
    strength = 2

    def matches(self, labels: Mapping[str, str]) -> bool:
        return not self.part.matches(labels)

    def keys(self) -> Iterator[str]:
        return self.part.keys()

    def __str__(self) -> str:
        return f"not {_inside(self.part, self.strength)}"


@dataclass(frozen=True)
class Joined:
    """Several conditions, joined by `and` or by `or`; none of them is joined by the same word."""

    word: str
    parts: tuple["Condition", ...]

    @property
    def strength(self) -> int:
        """How strongly this holds together; what is weaker than that around it needs parentheses."""
        return 1 if self.word == "and" else 0

    def matches(self, labels: Mapping[str, str]) -> bool:
        return (all if self.word == "and" else any)(part.matches(labels) for part in self.parts)

    def keys(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.keys()

    def __str__(self) -> str:
        return f" {self.word} ".join(_inside(part, self.strength) for part in self.parts)


Condition = Exists | Not | Joined


def joined(word: str, parts: list[Condition]) -> Condition:
    """The conditions joined by a word, those joined by the same word taken apart; a single one as it is."""
    flat: list[Condition] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Joined) and part.word == word else [part])
    return flat[0] if len(flat) == 1 else Joined(word, tuple(flat))


def _inside(part: Condition, strength: int) -> str:
    return f"({part})" if part.strength < strength else str(part)
