"""Where a table begins in a file, how its cells are separated, and the rows of JSON that is nested: nothing is lost.

Lines above the names are a title, a comment or blank; they have other cells than the names below them. Of a text in
Markdown the first table counts, or the first that has the columns that are asked for, and it ends with its last row.
Cells may have nothing but blanks between them. Names may stand in two rows, of which the first repeats or leaves out
what several columns have in common: `gpt|acc`. R leaves out the name of its row numbers.

Nested JSON becomes rows: a list of objects below another object is that object's rows, as far down as the columns that
are asked for lie; a name that leads to further names is a cell `key1`, `key2`; what it leads to is `value`; an object
in a row gives columns with a point, `metrics.acc`.

Not covered: names in three rows, and several tables of one file.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import accumulate, chain, islice, pairwise
from typing import Any, NamedTuple

from honestly.errors import FormatError
from honestly.formats._heads import Head
from honestly.formats._table_cells import bare_text, finite_number
from honestly.formats._table_columns import COLUMNS, NAMELESS, are_in
from honestly.formats._table_rules import OUTCOME_WORDS, plain_word
from honestly.formats._table_survey import plain_name

_DELIMITERS = ",\t;|"
_BLANK = " "
# Lines that are looked at; levels of JSON; columns out of one nested object.
_LOOKED_AT, _DEEPEST, _MOST_COLUMNS = 12, 6, 200
# Bytes that a head shows; what holds tables among other text, and how long it may be.
_HEAD, _TEXTS, _LONGEST_TEXT = 16 << 10, {".md", ".markdown"}, 1 << 20
_RULE = re.compile(":?-+:?")
_BY_TASK = {
    f"{how}_{what}" for how in ("per", "by") for what in ("task", "question", "problem", "instance", "scenario")
}
_COMMENTS = ("#", "//", "%")
Row = dict[str, Any]


class Layout(NamedTuple):
    """Where a table of text begins, and how its cells are separated."""

    above: int
    """Lines above its names."""
    names: str
    """The line of its names, or the first of them."""
    sign: str
    """What stands between cells; a blank stands for any number of blanks and tabs."""
    tables: int = 0
    """How many tables there are in a text in Markdown, those with the same names as one; 0 elsewhere."""


def layout_of(head: Head, named: Mapping[str, str] = {}) -> Layout:
    """The layout of a table that is no JSON and no Parquet.

    Args:
        head: Of its file.
        named: Columns that it has to have, where a text holds several tables.
    """
    is_text = head.path.suffix.lower() in _TEXTS
    found = _layout(head.start, named, is_text=is_text)
    if (found.tables or is_text) and len(head.start) >= _HEAD:
        with suppress(FormatError):
            found = _layout(head.whole_file(_LONGEST_TEXT), named, is_text=is_text)
    return found


def _layout(start: bytes, named: Mapping[str, str], *, is_text: bool) -> Layout:
    lines = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").splitlines()
    tables = [
        at
        for at, (line, below) in enumerate(pairwise(lines))
        if "|" in line and "-" in below and all(map(_RULE.fullmatch, _ruled_cells(below)))
    ]
    if lines and not is_text and any(sign in lines[0] for sign in ",;\t"):
        # What stands in a quoted cell is no table.
        quotes = [*accumulate(line.count('"') for line in lines)]
        tables = [at for at in tables if at == 0 or quotes[at - 1] % 2 == 0]
    if tables:
        has = (at for at in tables if are_in(_ruled_cells(lines[at]), named))
        at = next(has, tables[0])
        same = sum(_ruled_cells(lines[each]) == _ruled_cells(lines[at]) for each in tables)
        return Layout(at, lines[at].strip(), "|", len(tables) - same + 1)
    # The last line may be cut.
    lines = (lines if len(start) < _HEAD else lines[:-1])[: _LOOKED_AT + 1] or lines[:1]
    at = 0
    while at < len(lines) - 2 and _is_above(lines[at], lines[at + 1 :]):
        at += 1
    names = lines[at].strip() if lines else ""
    return Layout(at, names, separator_of(names))


def separator_of(names: str) -> str:
    """The sign between the cells of a table, by its row of names."""
    sign = max(_DELIMITERS, key=names.count)
    return sign if sign in names or len(names.split()) < 2 else _BLANK


def cells_of(lines: Iterable[str], layout: Layout) -> Iterator[list[str]]:
    """The cells of each row, from the line of names on; none of a blank line."""
    rest: Iterator[str] = islice(lines, layout.above, None)
    if layout.tables:
        return _ruled_rows(rest, _ruled_cells(layout.names))
    if layout.sign == _BLANK:
        rest = (line.replace("\t", _BLANK).strip() + "\n" for line in rest)
    return csv.reader(rest, delimiter=layout.sign, strict=True, skipinitialspace=layout.sign == _BLANK)


def _ruled_rows(lines: Iterable[str], names: list[str]) -> Iterator[list[str]]:
    """The names, and the rows of each table of a text in Markdown that has these very names."""
    yield names
    is_inside = False
    for line in lines:
        cells = _ruled_cells(line)
        if "|" not in line or cells == names:
            is_inside = cells == names
        elif is_inside and not all(map(_RULE.fullmatch, cells)):
            yield cells


def named_columns(rows: Iterator[list[str]]) -> tuple[list[str], Iterator[list[str]], int]:
    """The names of the columns, the rows below them, and how many rows there were above those.

    Raises:
        FormatError: two columns have one name.
    """
    names, first = next(rows, []), list[list[str]]()
    try:
        first.extend(islice(rows, 3))
    except csv.Error as error:
        rows = _raised(error)
    rest = chain(first, rows)
    if first and len(first[0]) == len(names) + 1 and [row[:1] for row in first[:2]] == [["1"], ["2"]][: len(first)]:
        # R's row numbers.
        names = ["", *names]
    taken = 1
    if joined := _joined_names(names, first):
        # What pandas calls its rows stands alone in a third row.
        is_index = len(first) > 1 and bool(first[1][0].strip()) and not any(map(str.strip, first[1][1:]))
        names = [first[1][0] if is_index else joined[0], *joined[1:]]
        taken += 1 + is_index
        rest = chain(first[1 + is_index :], rows)
    shown = first[taken - 1] if taken <= len(first) else []
    named = [
        name if name.strip() else NAMELESS if at == 0 else f"Unnamed: {at}" if any(shown[at : at + 1]) else ""
        for at, name in enumerate(names)
    ]
    if twice := [name for name, count in Counter(named).items() if count > 1 and name]:
        raise FormatError(f"two columns are called {twice[0]!r}; rename one")
    return named, rest, taken


def _raised(error: csv.Error) -> Iterator[list[str]]:
    """No row, but the error that stands where the next one would: those before are read."""
    yield from ()
    raise error


def _joined_names(names: list[str], below: list[list[str]]) -> list[str]:
    """The names of columns that two rows give; empty where the second is none of names."""
    plain = [name.strip() for name in names]
    is_partial = len(set(filter(None, plain))) < sum(map(bool, plain)) or "" in plain[2:]
    second = [cell.strip() for cell in below[0]] if below else []
    values = [cell for row in below[1:] for cell in row[1:] if cell.strip()]
    if not is_partial or len(second) != len(names) or sum(map(bool, second)) < 2 or any(map(_is_result, second)):
        return []
    if not values or sum(map(_is_result, values)) * 2 < len(values):
        return []
    joined: list[str] = []
    for at, (name, more) in enumerate(zip(plain, second, strict=True)):
        upper = name or (next(filter(None, reversed(plain[1:at])), "") if more else "")
        joined.append("|".join(filter(None, (upper, more))))
    return joined if len(set(joined)) == len(joined) and all(joined[1:]) else []


def _is_result(cell: str) -> bool:
    return finite_number(cell.strip().removesuffix("%")) is not None or plain_word(cell) in OUTCOME_WORDS


def _ruled_cells(line: str) -> list[str]:
    """The cells of a line in Markdown."""
    return [bare_text(cell) for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


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
    words = len(line.split())
    if words > 1 and all(len(each.split()) == words != _said(each, sign) for each in following):
        return False  # blanks separate its cells
    return is_title and (following[0].startswith(_COMMENTS) or _are_names(following, sign))


def _are_names(below: list[str], sign: str) -> bool:
    """Whether the next line with cells holds names: no two are the same, and none is a result."""
    names = [cell.strip() for cell in next((_cells(each, sign) for each in below if _said(each, sign)), [])]
    plain = [name for name in names if name]
    is_result = any(cell in {"0", "1"} or ("." in cell and finite_number(cell) is not None) for cell in plain)
    return len(set(plain)) == len(plain) > 1 and not is_result and finite_number(plain[0]) is None


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


def nested_rows(found: object, is_enough: Callable[[Row], bool] = lambda _: False) -> Iterator[Row]:
    """The rows of JSON in which objects lie in objects; what cannot be one is given as it is.

    Args:
        found: The JSON.
        is_enough: Whether a row says all that is asked for, so that the objects below it are no rows.
    """
    if _are_rows(found):
        for each in found:  # type: ignore[attr-defined]
            yield from _exploded(each, is_enough)
    elif isinstance(found, dict):
        yield from _exploded(found, is_enough) if _is_record(found) else _melted(found, (), is_enough)


def _are_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _is_record(found: Row) -> bool:
    """Whether an object is a row, which may hold others: it says something itself, or has one list of rows alone."""
    lists = [key for key, value in found.items() if _are_rows(value)]
    plain = [key for key, value in found.items() if not isinstance(value, dict | list)]
    return len(lists) == 1 or (bool(plain) and not lists and len(plain) < len(found))


def _exploded(row: Row, is_enough: Callable[[Row], bool], above: Row | None = None, depth: int = 0) -> Iterator[Row]:
    """An object with the rows of the one list that it has, each with what it says itself and what is said above it.

    Results by task (`per_task`) are rows, too; the numbers beside them are of all of them, and are left out.
    """
    if (by := _by_task(row)) and not is_enough((above or {}) | _with_points(row)):
        said = (above or {}) | {key: value for key, value in row.items() if isinstance(value, str)}
        for name, each in row[by].items():
            yield said | {"task": name} | (_with_points(each) if isinstance(each, dict) else {"outcome": each})
        return
    lists = [key for key, value in row.items() if _are_rows(value)]
    own = (above or {}) | _with_points({key: value for key, value in row.items() if key not in lists})
    if len(lists) != 1 or depth > _DEEPEST or is_enough(own):
        yield own | {key: row[key] for key in lists}
        return
    for each in row[lists[0]]:
        yield from _exploded(each, is_enough, own, depth + 1)


def _by_task(row: Row) -> str:
    """The name of what an object holds by the names of tasks; empty where it holds nothing so."""
    by = next((key for key in row if plain_name(key) in _BY_TASK and isinstance(row[key], dict)), "")
    kinds = {_kind(each) for each in row[by].values()} if by and "task" not in row else set()
    return by if len(kinds) == 1 and not kinds & {"list", "nothing"} and len(row[by]) > 1 else ""


def _melted(found: Row, keys: tuple[str, ...], is_enough: Callable[[Row], bool]) -> Iterator[Row]:
    """The rows below names that are keys: `key1`, `key2`, and what is there."""
    named = {f"key{number}": key for number, key in enumerate(keys, 1)}
    for key, value in found.items():
        here = named | {f"key{len(keys) + 1}": key}
        if _are_rows(value):
            yield from (row for each in value for row in _exploded(each, is_enough, here))
        elif isinstance(value, dict) and _leads_on(found, value) and len(keys) < _DEEPEST:
            yield from _melted(value, (*keys, key), is_enough)
        elif isinstance(value, dict):
            yield from _exploded(value, is_enough, here) if _by_task(value) else [here | _with_points(value)]
        elif isinstance(value, list):
            yield from (here | {f"key{len(keys) + 2}": at, "value": each} for at, each in enumerate(value))
        else:
            yield here | {"value": value}


def _leads_on(found: Row, below: Row) -> bool:
    """Whether the names in an object are keys again, and no names of columns: what is below is all of one kind."""
    kinds = {_kind(value) for value in below.values()} - {"nothing"}
    others = [set(each) for each in found.values() if isinstance(each, dict)]
    is_same = len(others) > 1 and all(each == others[0] for each in others)
    is_known = any(name.strip().casefold() in those for name in below for those in COLUMNS.values())
    return len(kinds) <= 1 and (len(below) > 3 or not is_same or kinds <= {"object"}) and not is_known


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
