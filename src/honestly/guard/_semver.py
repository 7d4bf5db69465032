"""Versions and ranges as npm reads them (semver 2.0.0, and the ranges of node-semver)."""

import re
from functools import total_ordering
from typing import NamedTuple

_VERSION = re.compile(
    r"[v=\s]*(\d{1,16})\.(\d{1,16})\.(\d{1,16})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?\s*",
    re.ASCII,
)
_PARTIAL = (
    r"[v=\s]*([xX*]|\d{1,16})(?:\.([xX*]|\d{1,16})(?:\.([xX*]|\d{1,16})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
    r"(?:\+[0-9A-Za-z.-]+)?)?)?"
)
_COMPARATOR = re.compile(rf"\s*(<=|>=|<|>|=|~>|~|\^|)\s*(?:{_PARTIAL})", re.ASCII)
_HYPHEN = re.compile(rf"\s*({_PARTIAL})\s+-\s+({_PARTIAL})\s*", re.ASCII)
_LONGEST = 256


@total_ordering
class SemVersion(NamedTuple):
    """A version: three numbers, and the parts of what makes it a pre-release."""

    numbers: tuple[int, int, int]
    pre: tuple[str, ...] = ()

    def order_key(self) -> tuple[object, ...]:
        """What versions are ordered by."""
        parts = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in self.pre)
        return self.numbers, not self.pre, parts

    def __lt__(self, other: object) -> bool:
        return isinstance(other, SemVersion) and self.order_key() < other.order_key()


def semantic_version(text: str) -> SemVersion | None:
    """The version that a text is; None where it is none."""
    found = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    return SemVersion((int(found[1]), int(found[2]), int(found[3])), tuple(found[4].split(".")) if found[4] else ())


Comparator = tuple[str, SemVersion]


def semantic_range(text: str) -> list[list[Comparator]] | None:
    """A range as alternatives of comparators; None where it is none. An empty alternative admits every release."""
    if len(text) > _LONGEST * 4:
        return None
    found: list[list[Comparator]] = []
    for part in text.split("||"):
        if (one := _alternative(part)) is None:
            return None
        found.append(one)
    return [[]] if [] in found else found  # as node-semver: beside `*` nothing else counts


def admits(alternatives: list[list[Comparator]], version: SemVersion) -> bool:
    """Whether a range admits a version; a pre-release only beside one of the same three numbers."""
    for comparators in alternatives:
        if all(_holds(operator, version, bound) for operator, bound in comparators):
            beside = any(bound.pre and bound.numbers == version.numbers for _, bound in comparators)
            if not version.pre or beside:
                return True
    return False


def _holds(operator: str, version: SemVersion, bound: SemVersion) -> bool:
    one, other = version.order_key(), bound.order_key()
    return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other, "=": one == other}[operator]


def _alternative(text: str) -> list[Comparator] | None:
    if hyphen := _HYPHEN.fullmatch(text):
        low, high = _numbers(hyphen.groups()[1:5]), _numbers(hyphen.groups()[6:10])
        return [*_lower(low), *_upper(high)]
    found: list[Comparator] = []
    at = 0
    while text[at:].strip():
        part = _COMPARATOR.match(text, at)
        if part is None or (part.end() < len(text) and not text[part.end()].isspace()):
            return None
        at = part.end()
        found += _expanded(part[1], _numbers(part.groups()[1:5]))
    return found


_Partial = tuple[list[int], tuple[str, ...]]


def _numbers(groups: tuple[str | None, ...]) -> _Partial:
    numbers = []
    for each in groups[:3]:
        if each is None or each in "xX*":
            break
        numbers.append(int(each))
    return numbers, tuple(groups[3].split(".")) if groups[3] and len(numbers) == 3 else ()


def _full(numbers: list[int], pre: tuple[str, ...] = ()) -> SemVersion:
    one, two, three = [*numbers, 0, 0, 0][:3]
    return SemVersion((one, two, three), pre)


def _next(numbers: list[int], place: int) -> SemVersion:
    return _full([*numbers[:place], numbers[place] + 1], ("0",))


def _lower(partial: _Partial) -> list[Comparator]:
    return [(">=", _full(*partial))] if partial[0] else []


def _upper(partial: _Partial) -> list[Comparator]:
    numbers, pre = partial
    if len(numbers) == 3:
        return [("<=", _full(numbers, pre))]
    return [("<", _next(numbers, len(numbers) - 1))] if numbers else []


def _expanded(operator: str, partial: _Partial) -> list[Comparator]:
    numbers, pre = partial
    exact = len(numbers) == 3
    if operator in {"~", "~>"}:
        if not numbers:
            return []
        return [(">=", _full(numbers, pre)), ("<", _next(numbers, min(1, len(numbers) - 1)))]
    if operator == "^":
        if not numbers:
            return []
        place = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
        return [(">=", _full(numbers, pre)), ("<", _next(numbers, place))]
    if operator in {"", "="}:
        if exact:
            return [("=", _full(numbers, pre))]
        return [*_lower(partial), *_upper(partial)]
    if exact:
        return [(operator, _full(numbers, pre))]
    if not numbers:
        return [("<", _full([], ("0",)))] if operator in {"<", ">"} else []
    if operator == ">":
        return [(">=", _full([*numbers[:-1], numbers[-1] + 1]))]
    if operator == "<=":
        return [("<", _next(numbers, len(numbers) - 1))]
    return [("<", _full(numbers, ("0",)))] if operator == "<" else [(">=", _full(numbers))]
