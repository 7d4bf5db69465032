"""Where a table begins in a file, and the rows of JSON that is nested: nothing above the names and no level is lost.

Lines above the names are a title, a comment or blank; they have other cells than the names below them. Nested JSON
becomes rows: a list of objects below another object is that object's rows; a name that leads to further names is a cell
`key1`, `key2`; what it leads to is `value`; an object in a row gives columns with a point, `metrics.acc`.

Not covered: names in two rows, and several tables in one file.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from honestly.formats._table_cells import finite_number
from honestly.formats._table_columns import COLUMNS

_DELIMITERS = ",\t;|"
# Lines that are looked at; levels of JSON; columns out of one nested object.
_LOOKED_AT, _DEEPEST, _MOST_COLUMNS = 12, 6, 200
_RULE = re.compile(":?-+:?")
_COMMENTS = ("#", "//", "%")
Row = dict[str, Any]


def separator_of(names: str) -> str:
    """The sign between the cells of a table, by its row of names."""
    return max(_DELIMITERS, key=names.count)


def names_line(start: bytes) -> tuple[int, str]:
    """How many lines stand above the row of names, and that row; of the first bytes of a file."""
    lines = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").splitlines()[: _LOOKED_AT + 1]
    at = 0
    while at < len(lines) - 2 and _is_above(lines[at], lines[at + 1 :]):
        at += 1
    return at, lines[at].strip() if lines else ""


def unruled_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a table in Markdown without its frame and the line below its names."""
    for line in lines:
        cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
        if not all(_RULE.fullmatch(cell) for cell in cells):
            yield "|".join(cells) + "\n"


def _is_above(line: str, below: list[str]) -> bool:
    """Whether a line is no row of names: it says at most one thing, or is a comment, above lines with more cells."""
    if not line.strip(" \r,;|\t"):
        return True
    following = [each for each in below if each.strip(" \r,;|\t")]
    if len(following) < 2:
        return False
    # The sign of the next line, which may be that of the names.
    sign = max(_DELIMITERS, key=lambda each: _said(following[0], each))
    if line.lstrip().startswith(_COMMENTS):
        size = len(_cells(following[-1], sign))
        return following[0].lstrip().startswith(_COMMENTS) or (size > 1 and len(_cells(line, sign)) != size)
    is_title = bool(_cells(line, sign)[0].strip()) and all(_said(line, each) <= 1 for each in _DELIMITERS)
    return is_title and (following[0].startswith(_COMMENTS) or _are_names(following, sign))


def _are_names(below: list[str], sign: str) -> bool:
    """Whether the next line with cells holds names: no two are the same, and none is a result."""
    names = [cell.strip() for cell in next((_cells(each, sign) for each in below if _said(each, sign)), [])]
    plain = [name for name in names if name]
    return len(set(plain)) == len(plain) > 1 and not {"0", "1"} & set(plain) and finite_number(plain[0]) is None


def _cells(line: str, sign: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=sign), [])
    except csv.Error:
        return line.split(sign)


def _said(line: str, sign: str) -> int:
    return sum(bool(cell.strip()) for cell in _cells(line, sign))


def is_nested(row: Mapping[str, object]) -> bool:
    """Whether an object holds others."""
    return any(isinstance(value, dict | list) for value in row.values())


def nested_rows(found: object) -> Iterator[Row]:
    """The rows of JSON in which objects lie in objects; what cannot be one is given as it is."""
    if _are_rows(found):
        for each in found:  # type: ignore[attr-defined]
            yield from _exploded(each)
    elif isinstance(found, dict):
        yield from _exploded(found) if _is_record(found) else _melted(found, ())


def _are_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _is_record(found: Row) -> bool:
    """Whether an object is a row, which may hold others: it says something itself, or has one list of rows alone."""
    lists = [key for key, value in found.items() if _are_rows(value)]
    plain = [key for key, value in found.items() if not isinstance(value, dict | list)]
    return len(lists) == 1 or (bool(plain) and not lists and len(plain) < len(found))


def _exploded(row: Row, depth: int = 0) -> Iterator[Row]:
    """An object with the rows of the one list that it has, each with what it says itself."""
    lists = [key for key, value in row.items() if _are_rows(value)]
    own = _with_points({key: value for key, value in row.items() if key not in lists})
    if len(lists) != 1 or depth > _DEEPEST:
        yield own | {key: row[key] for key in lists}
        return
    for each in row[lists[0]]:
        for below in _exploded(each, depth + 1):
            yield own | below


def _melted(found: Row, keys: tuple[str, ...]) -> Iterator[Row]:
    """The rows below names that are keys: `key1`, `key2`, and what is there."""
    named = {f"key{number}": key for number, key in enumerate(keys, 1)}
    for key, value in found.items():
        here = named | {f"key{len(keys) + 1}": key}
        if _are_rows(value):
            yield from (here | row for each in value for row in _exploded(each))
        elif isinstance(value, dict) and _leads_on(found, value) and len(keys) < _DEEPEST:
            yield from _melted(value, (*keys, key))
        elif isinstance(value, dict):
            yield here | _with_points(value)
        elif isinstance(value, list):
            yield from (here | {f"key{len(keys) + 2}": at, "value": each} for at, each in enumerate(value))
        else:
            yield here | {"value": value}


def _leads_on(found: Row, below: Row) -> bool:
    """Whether the names in an object are keys again, and no names of columns: what is below is all of one kind."""
    kinds = {_kind(value) for value in below.values()} - {"nothing"}
    others = [set(each) for each in found.values() if isinstance(each, dict)]
    is_same = len(others) > 1 and all(each == others[0] for each in others)
    return len(kinds) <= 1 and (len(below) > 3 or not is_same or kinds <= {"object"}) and not _has_known(below)


def _has_known(row: Iterable[str]) -> bool:
    return any(name.strip().casefold() in those for name in row for those in COLUMNS.values())


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return "object"
    if value is None:
        return "nothing"
    return "list" if isinstance(value, list) else "text" if isinstance(value, str) else "number"


def _with_points(row: Row) -> Row:
    """A row whose objects are columns of their own."""
    flat: Row = {}
    for key, value in row.items():
        if isinstance(value, dict) and len(value) <= _MOST_COLUMNS:
            flat |= {f"{key}.{name}": each for name, each in _with_points(value).items()}
        else:
            flat[key] = value
    return flat
