"""A small language of steps over records; SPEC.md describes it.

Each step is described by one regular expression, and made into a function from records to records.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from functools import cmp_to_key, partial

__all__ = ["Pipe", "PipeError"]

Value = int | str | list | None
Record = dict[str, Value]
Work = Callable[[list[Record]], list[Record]]

_NAME = "[a-z][a-z0-9_]*"
_NAMES = f"{_NAME}(?: *, *{_NAME})*"
_VALUE = "(?:none|-?[0-9]+|'[^']*')"
_TEST = f"(?!(?:and|or)(?![a-z0-9_])){_NAME} *(?:[<>!]=|[<>=~]) *{_VALUE}"
_MAKE = rf"{_NAME} *= *(?:count *\( *\)|(?:sum|min|max|list) *\( *{_NAME} *\))"

_STEP = re.compile(r"(?:[^|']|'[^']*')*+")
_SHAPES = {
    word: re.compile(f" *{word} {form} *")
    for word, form in {
        "where": f" *(?P<tests>{_TEST}(?: +(?:and|or) +{_TEST})*)",
        "sort": f" *(?P<keys>-?{_NAME}(?: *, *-?{_NAME})*)",
        "group": f" *(?P<names>{_NAMES})?(?: *:(?P<made> *{_MAKE}(?: *, *{_MAKE})*))?",
        "take": " *(?P<count>[0-9]+)",
        "skip": " *(?P<count>[0-9]+)",
        "keep": f" *(?P<names>{_NAMES})",
        "drop": f" *(?P<names>{_NAMES})",
    }.items()
}
_ONE_TEST = re.compile(f"(?:(and|or) +)?({_NAME}) *([<>!]=|[<>=~]) *({_VALUE}) *")
_ONE_MAKE = re.compile(rf"({_NAME}) *= *([a-z]+) *\( *({_NAME})?")


class PipeError(ValueError):
    """Raised for a text that is no pipeline."""


def _number(digits: str) -> int:
    """A whole number of any length, also one that `int` refuses as too long."""
    size = 4000
    value = 0
    for start in range(0, len(digits), size):
        part = digits[start : start + size]
        value = value * 10 ** len(part) + int(part)
    return value


def _value(text: str) -> Value:
    if text == "none":
        return None
    if text[0] == "'":
        return text[1:-1]
    return -_number(text[1:]) if text[0] == "-" else _number(text)


def _names(text: str | None, *, also: Iterable[str] = ()) -> list[str]:
    """The names of a list, each of which may be there once."""
    names = re.findall(_NAME, text or "") + list(also)
    if len(set(names)) < len(names):
        raise PipeError(f"a name is there twice: {', '.join(names)}")
    return names


def _rank(value: Value) -> tuple:
    """What a value is ordered by: None, numbers, texts."""
    if value is None:
        return (0,)
    return ({int: 1, str: 2}[type(value)], value) if isinstance(value, int | str) else (3,)


# --- where

_SIGNS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "~": operator.contains,
}


def _test(name: str, sign: str, text: str) -> Callable[[Record], bool]:
    wanted, holds = _value(text), _SIGNS[sign]
    if sign in {"=", "!="}:
        return lambda record: holds(record.get(name), wanted)
    if wanted is None or (sign == "~" and not isinstance(wanted, str)):
        raise PipeError(f"{text} may not stand behind {sign}")
    kind = type(wanted)
    return lambda record: type(record.get(name)) is kind and holds(record[name], wanted)


def _where(tests: str) -> Work:
    either: list[list[Callable[[Record], bool]]] = [[]]
    for link, *test in _ONE_TEST.findall(tests):
        if link == "or":
            either.append([])
        either[-1].append(_test(*test))
    return lambda records: [
        record for record in records if any(all(holds(record) for holds in every) for every in either)
    ]


# --- sort


def _sort(keys: str) -> Work:
    wanted = [(name, -1 if minus else 1) for minus, name in re.findall(f"(-?)({_NAME})", keys)]

    def compare(one: Record, two: Record) -> int:
        for name, way in wanted:
            left, right = _rank(one.get(name)), _rank(two.get(name))
            if left != right:
                return way if left > right else -way
        return 0

    return partial(sorted, key=cmp_to_key(compare))


# --- group

_MAKERS: dict[str, Callable[[list[Value]], Value]] = {
    "sum": lambda values: sum(value for value in values if isinstance(value, int)),
    "min": lambda values: min(values, key=_rank, default=None),
    "max": lambda values: max(values, key=_rank, default=None),
    "list": list,
}


def _group(names: str | None, made: str | None) -> Work:
    if names is None and made is None:
        raise PipeError("group has neither names nor anything to make")
    makes = _ONE_MAKE.findall(made or "")
    by = _names(names)
    _names(names, also=[target for target, _word, _field in makes])

    def row(key: tuple[Value, ...], members: list[Record]) -> Record:
        record = dict(zip(by, key, strict=True))
        for target, word, field in makes:
            found = [member[field] for member in members if member.get(field) is not None]
            record[target] = len(members) if word == "count" else _MAKERS[word](found)
        return record

    def work(records: list[Record]) -> list[Record]:
        groups: dict[tuple[Value, ...], list[Record]] = {} if by else {(): []}
        for record in records:
            groups.setdefault(tuple(map(record.get, by)), []).append(record)
        return [row(*group) for group in groups.items()]

    return work


# --- the others


def _take(count: str) -> Work:
    return operator.itemgetter(slice(_number(count)))


def _skip(count: str) -> Work:
    return operator.itemgetter(slice(_number(count), None))


def _keep(names: str) -> Work:
    wanted = _names(names)
    return lambda records: [{name: record.get(name) for name in wanted} for record in records]


def _drop(names: str) -> Work:
    unwanted = frozenset(_names(names))
    return lambda records: [
        {name: value for name, value in record.items() if name not in unwanted} for record in records
    ]


_STEPS: dict[str, Callable[..., Work]] = {
    "where": _where,
    "sort": _sort,
    "group": _group,
    "take": _take,
    "skip": _skip,
    "keep": _keep,
    "drop": _drop,
}


def _work(step: str) -> Work:
    """What one step does."""
    for word, shape in _SHAPES.items():
        found = shape.fullmatch(step)
        if found:
            return _STEPS[word](**found.groupdict())
    raise PipeError(f"not a step: {step.strip(' ')!r}")


class Pipe:
    """A pipeline, ready to be run."""

    def __init__(self, text: str) -> None:
        self._works: list[Work] = []
        place = -1
        while place < len(text):
            found = _STEP.match(text, place + 1)
            place = found.end()
            if text[place : place + 1] == "'":
                raise PipeError("a text has no end")
            self._works.append(_work(found[0]))

    def run(self, records: Iterable[Record]) -> list[Record]:
        """Runs the steps over records, which stay as they are."""
        result = [dict(record) for record in records]
        for work in self._works:
            result = work(result)
        return result
