"""Cards with settings; SPEC.md describes them.

Reading is led by regular expressions for the beginning and the end of an entry, and for the parts of its value; lists
that are open stand on a stack, so that they may be nested to any depth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from datetime import timedelta

__all__ = ["CardError", "dumps", "loads"]

Value = bool | int | float | str | timedelta | list | None
Card = dict

_NAME = "[a-z][a-z0-9_-]*"
_PATH = rf"{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*"
_NOTHING = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_SECTION = re.compile(rf"[ \t]*\[[ \t]*({_PATH})[ \t]*\]")
_ENTRY = re.compile(rf"[ \t]*({_PATH})[ \t]*(\+?=)")
_PART = re.compile(
    r"(?P<gap>[ \t]+)|(?P<lines>\n|#[^\n]*)|(?P<sign>[][,])"
    r'|"(?P<text>(?:[^"\\\n]|\\(?:[nt"\\]|u\{[0-9a-fA-F]{1,6}\}))*+)"'
    r'|(?P<bare>[^ \t\n,\[\]#"=]+)'
)
_ESCAPE = re.compile(r"\\(?:u\{([^}]*)\}|(.))")
_LENGTH = re.compile("(-?)(?=[0-9])(?:([0-9]+)d)?(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?")
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_PLAIN = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
_MARKED = {sign: f"\\{letter}" for letter, sign in _PLAIN.items()}


class CardError(ValueError):
    """Raised for a text that is no card; its message begins with the number of the line."""


# --- reading


def _whole(digits: str) -> int:
    """A whole number of any length, also one that `int` refuses as too long."""
    value = 0
    for part in re.findall("[0-9]{1,4000}", digits.replace("_", "")):
        value = value * 10 ** len(part) + int(part)
    return -value if digits[0] == "-" else value


def _length(found: re.Match[str]) -> timedelta:
    minus, *counts = found.groups(default="0")
    seconds = sum(_whole(digits) * unit for digits, unit in zip(counts, _SECONDS.values(), strict=True))
    try:
        return timedelta(seconds=-seconds if minus == "-" else seconds)
    except OverflowError:
        raise ValueError("the length of time is too large") from None


_BARE: list[tuple[re.Pattern[str], Callable[[re.Match[str]], Value]]] = [
    (re.compile("none|yes|no"), lambda found: {"yes": True, "no": False}.get(found[0])),
    (re.compile("[-+]?[0-9]+(?:_[0-9]+)*"), lambda found: _whole(found[0])),
    (re.compile(r"[-+]?[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?"), lambda found: float(found[0])),
    (_LENGTH, _length),
]


def _bare(text: str) -> Value:
    """A value that is not in quotes, and no list."""
    for shape, made in _BARE:
        found = shape.fullmatch(text)
        if found:
            return made(found)
    raise ValueError(f"not a value: {text}")


def _sign(found: re.Match[str]) -> str:
    """The sign that an escape stands for."""
    if found[1] is None:
        return _PLAIN[found[2]]
    number = int(found[1], 16)
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        raise ValueError(f"there is no character {found[1]}")
    return chr(number)


def _value(text: str, place: int) -> tuple[Value, int]:
    """A value that begins behind some place, perhaps after spaces, and the place behind it."""
    whole: list[Value] = []
    open_lists = [whole]
    ready = True  # for a value; otherwise a comma or an end comes next
    while ready or len(open_lists) > 1:
        part = _PART.match(text, place)
        if part is None:
            raise ValueError("a value is missing, or is wrong" if text[place : place + 1] != '"' else "a wrong text")
        place = part.end()
        match part.lastgroup, part[0]:
            case "gap", _:
                pass
            case "lines", _ if len(open_lists) > 1:
                pass
            case "text", _ if ready:
                open_lists[-1].append(_ESCAPE.sub(_sign, part["text"]))
                ready = False
            case "bare", bare if ready:
                open_lists[-1].append(_bare(bare))
                ready = False
            case "sign", "[" if ready:
                inner: list[Value] = []
                open_lists[-1].append(inner)
                open_lists.append(inner)
            case "sign", "]" if len(open_lists) > 1:
                open_lists.pop()
                ready = False
            case "sign", "," if not ready:
                ready = True
            case _, found:
                raise ValueError(f"{found.strip() or 'the end of a line'!r} may not stand here")
    return whole[0], place


def _led(card: Card, path: list[str]) -> Card:
    """The dict to which a path leads; it is made where it is missing."""
    for name in path:
        card = card.setdefault(name, {})
        if not isinstance(card, dict):
            raise ValueError(f"{name} is no section")
    return card


def _set(place: Card, name: str, value: Value) -> None:
    if name in place:
        raise ValueError(f"{name} is there already")
    place[name] = value


def _add(place: Card, name: str, value: Value) -> None:
    if not isinstance(value, list) or not isinstance(place.get(name), list):
        raise ValueError(f"{name} is no list, or gets something else")
    place[name].extend(value)


_DEEDS = {"=": _set, "+=": _add}


def loads(text: str) -> Card:
    """Reads a card; CardError for a text that is none."""
    text = text.replace("\r\n", "\n")
    card: Card = {}
    section, place = card, 0
    while place < len(text):
        empty = _NOTHING.match(text, place)
        if empty:
            place = empty.end()
            continue
        begin = place
        try:
            if found := _SECTION.match(text, place):
                section, place = _led(card, re.findall(_NAME, found[1])), found.end()
            elif found := _ENTRY.match(text, place):
                *way, name = re.findall(_NAME, found[1])
                value, place = _value(text, found.end())
                _DEEDS[found[2]](_led(section, way), name, value)
            else:
                raise ValueError("neither a section nor an entry")
            end = _NOTHING.match(text, place)
            if end is None:
                raise ValueError("something stands behind the entry")
        except ValueError as error:
            raise CardError(f"line {text.count(chr(10), 0, begin) + 1}: {error}") from None
        place = end.end()
    return card


# --- writing


def _text(value: str) -> str:
    def marked(found: re.Match[str]) -> str:
        return _MARKED.get(found[0]) or f"\\u{{{ord(found[0]):x}}}"

    return '"' + re.sub('[\x00-\x1f\x7f"\\\\]', marked, value) + '"'


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not finite")
    return re.sub(r"\A(-?[0-9]+)(?=e)", r"\1.0", float.__repr__(value))


def _time(value: timedelta) -> str:
    if value.microseconds:
        raise ValueError(f"{value} has parts of a second")
    rest = abs(value.days * 86400 + value.seconds)
    made = "-" if value.days < 0 else ""
    for unit, seconds in _SECONDS.items():
        number, rest = divmod(rest, seconds)
        made += f"{number}{unit}" if number else ""
    return made or "0s"


def _list(value: list) -> str:
    return f"[{', '.join(map(_written, value))}]"


_WRITERS: list[tuple[type, Callable[..., str]]] = [
    (type(None), lambda value: "none"),
    (bool, lambda value: "yes" if value else "no"),
    (int, int.__repr__),
    (float, _float),
    (timedelta, _time),
    (str, _text),
    (list, _list),
]


def _written(value: Value) -> str:
    for kind, writer in _WRITERS:
        if isinstance(value, kind):
            return writer(value)
    raise TypeError(f"a {type(value).__name__} cannot be written")


def _sections(card: Card) -> Iterator[tuple[list[str], Card]]:
    """A dict and all that are inside of it, each with its path, in the order in which they are written."""
    todo: list[tuple[list[str], Card]] = [([], card)]
    while todo:
        path, section = todo.pop()
        yield path, section
        inner = [([*path, name], value) for name, value in section.items() if isinstance(value, dict)]
        todo.extend(reversed(inner))


def dumps(card: Card) -> str:
    """The text of a dict."""
    blocks = []
    for path, section in _sections(card):
        for name in section:
            if not isinstance(name, str) or not re.fullmatch(_NAME, name):
                raise ValueError(f"{name!r} is no name")
        values = [f"{name} = {_written(value)}\n" for name, value in section.items() if not isinstance(value, dict)]
        if path and (values or not section):
            values.insert(0, f"[{'.'.join(path)}]\n")
        if values:
            blocks.append("".join(values))
    return "\n".join(blocks)
