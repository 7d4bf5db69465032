"""Checks documents against descriptions; SPEC.md says how.

A description becomes a function from a value and its path to the faults. It is read in one pass, with a stack of what is
open; what may come next is a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

__all__ = ["ShapeError", "Shapes"]

Fault = tuple[str, str]
Check = Callable[[object, str], Iterable[Fault]]

_NAME = "[A-Za-z_][A-Za-z0-9_]*"
_NUMBER = "-?[0-9]+"
_BEGIN = re.compile(f" *(?:(?P<open>[(\\[{{])|'(?P<text>[^']*)'|(?P<number>{_NUMBER})|(?P<word>{_NAME}))")
_BOUNDS = re.compile(
    rf" *\( *(?:(?P<low>{_NUMBER}) *\.\. *(?P<high>{_NUMBER})?|\.\. *(?P<most>{_NUMBER})|(?P<exact>{_NUMBER})) *\)"
)
_KEY = re.compile(f" *(?:(?P<name>{_NAME})|'(?P<text>[^']*)') *(?P<may>\\?)? *:")
_OTHERS = re.compile(r" *\* *:")
_EMPTY = re.compile(r" *\}")
_AFTER = re.compile(r" *([|,)\]}]|\Z)")


class ShapeError(ValueError):
    """Raised for descriptions that are not as SPEC.md describes them."""


# --- checks


def _sized(found: re.Match[str] | None) -> Callable[[int], bool]:
    """Whether a number is within bounds, if there are any."""
    if found is None:
        return lambda size: True
    low, high, most, exact = (None if digits is None else int(digits) for digits in found.groups())
    low, high = (exact, exact) if exact is not None else (low, most if high is None else high)
    if low is not None and high is not None and low > high:
        raise ShapeError(f"the bounds {found[0].strip()} hold nothing")
    return lambda size: (low is None or low <= size) and (high is None or size <= high)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _plain(is_kind: Callable[[object], bool], reason: str, holds: Callable[..., bool]) -> Check:
    """A check of a value that has no others inside: of its kind, and of something else."""
    return lambda value, path: [] if is_kind(value) and holds(value) else [(path, reason if is_kind(value) else "kind")]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _always(value: object) -> bool:
    return True


_WORDS: dict[str, Callable[[re.Match[str] | None], Check]] = {
    "int": lambda bounds: _plain(_whole, "bounds", _sized(bounds)),
    "text": lambda bounds: _plain(_is_text, "bounds", lambda value, fits=_sized(bounds): fits(len(value))),
    "bool": lambda bounds: _plain(lambda value: isinstance(value, bool), "", _always),
    "null": lambda bounds: _plain(lambda value: value is None, "", _always),
    "any": lambda bounds: _plain(_always, "", _always),
}
_BOUNDED = {"int", "text"}


def _either(checks: list[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def check(value: object, path: str) -> Iterable[Fault]:
        near = []
        for each in checks:
            faults = list(each(value, path))
            if not faults:
                return []
            if faults[0] != (path, "kind"):
                near.append(faults)
        return near[0] if len(near) == 1 else [(path, "none")]

    return check


def _list(item: Check, fits: Callable[[int], bool]) -> Check:
    def check(value: object, path: str) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield path, "kind"
            return
        if not fits(len(value)):
            yield path, "bounds"
        for place, inner in enumerate(value):
            yield from item(inner, f"{path}[{place}]")

    return check


def _unknown(value: object, path: str) -> list[Fault]:
    return [(path, "unknown")]


def _dict(fields: dict[str, tuple[bool, Check]], others: Check) -> Check:
    def check(value: object, path: str) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield path, "kind"
            return
        for key in [*fields, *sorted(value.keys() - fields.keys())]:
            may_miss, inner = fields.get(key, (False, others))
            where = path + (f".{key}" if re.fullmatch(_NAME, key) else f"['{key}']")
            if key in value:
                yield from inner(value[key], where)
            elif not may_miss:
                yield where, "missing"

    return check


# --- reading


@dataclass
class _Open:
    """Something that was opened: its closing sign, the shapes with `|` between them, and, for a dict, its fields."""

    close: str
    either: list[Check] = field(default_factory=list)
    fields: dict[str, tuple[bool, Check]] = field(default_factory=dict)
    others: Check | None = None
    key: str | None = None
    may_miss: bool = False

    def end_of_field(self) -> None:
        """Keeps a field whose shape has been read."""
        if self.key is None:
            self.others = _either(self.either)
        else:
            self.fields[self.key] = (self.may_miss, _either(self.either))
        self.either = []


_CLOSING = {"(": ")", "[": "]", "{": "}"}


class _Reader:
    """Reads one description. `names` are those in it, `bare` those of them that are in no `[]` and no `{}`."""

    def __init__(self, text: str, checks: dict[str, Check]) -> None:
        self.text, self.checks, self.place = text, checks, 0
        self.names: set[str] = set()
        self.bare: set[str] = set()
        self.open = [_Open("")]

    def met(self, shape: re.Pattern[str]) -> re.Match[str] | None:
        """What comes next, if it is of a form; then one goes on behind it."""
        found = shape.match(self.text, self.place)
        self.place = found.end() if found else self.place
        return found

    def wrong(self) -> ShapeError:
        return ShapeError(f"{self.text!r} goes wrong at {self.place}")

    def read(self) -> Check:
        while True:
            shape = self.begin()
            while shape is not None:
                shape = self.behind(shape)
                if not self.open:
                    assert shape is not None
                    return shape

    def begin(self) -> Check | None:
        """Reads what a shape begins with, and gives it if that is all of it."""
        found = self.met(_BEGIN)
        if found is None:
            raise self.wrong()
        if found["open"]:
            self.open.append(_Open(_CLOSING[found["open"]]))
            if found["open"] != "{":
                return None
            if not self.met(_EMPTY):
                self.key()
                return None
            self.open.pop()
            return _dict({}, _unknown)
        if found["text"] is not None:
            return _plain(_is_text, "value", found["text"].__eq__)
        if found["number"]:
            return _plain(_whole, "value", int(found["number"]).__eq__)
        word = found["word"]
        if word in _WORDS:
            return _WORDS[word](self.met(_BOUNDS) if word in _BOUNDED else None)
        self.names.add(word)
        if all(each.close in {"", ")"} for each in self.open):
            self.bare.add(word)
        return lambda value, path: self.checks[word](value, path)

    def key(self) -> None:
        """Reads the key of a field."""
        inside = self.open[-1]
        found = self.met(_KEY)
        if found:
            inside.key, inside.may_miss = found["name"] or found["text"], bool(found["may"])
        if inside.others or (found and inside.key in inside.fields) or not (found or self.met(_OTHERS)):
            raise self.wrong()
        if not found:
            inside.key = None

    def behind(self, shape: Check) -> Check | None:
        """Reads what comes behind a shape; gives the larger shape, if one ends there."""
        inside = self.open[-1]
        inside.either.append(shape)
        found = self.met(_AFTER)
        if found and found[1] == "|":
            return None
        if found and found[1] == "," and inside.close == "}":
            inside.end_of_field()
            self.key()
            return None
        if not found or found[1] != inside.close:
            raise self.wrong()
        self.open.pop()
        if inside.close == "}":
            inside.end_of_field()
            return _dict(inside.fields, inside.others or _unknown)
        whole = _either(inside.either)
        return _list(whole, _sized(self.met(_BOUNDS))) if inside.close == "]" else whole


class Shapes:
    """Descriptions, by name."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._checks: dict[str, Check] = {}
        waiting: dict[str, set[str]] = {}
        for name, text in texts.items():
            if not isinstance(name, str) or not re.fullmatch(_NAME, name) or name in _WORDS:
                raise ShapeError(f"{name!r} cannot be a name")
            reader = _Reader(text, self._checks)
            self._checks[name] = reader.read()
            if not reader.names <= texts.keys():
                raise ShapeError(f"{name} has names that are not there: {', '.join(reader.names - texts.keys())}")
            waiting[name] = reader.bare
        # Names are taken away as soon as they stand for nothing but what was taken away before.
        while waiting:
            clear = {name for name, bare in waiting.items() if not bare & waiting.keys()}
            if not clear:
                raise ShapeError(f"names stand for themselves: {', '.join(waiting)}")
            waiting = {name: bare for name, bare in waiting.items() if name not in clear}

    def faults(self, name: str, value: object) -> list[Fault]:
        """Where a value differs from a description, as (path, reason)."""
        return list(self._checks[name](value, ""))

    def fits(self, name: str, value: object) -> bool:
        """Whether a value is as described."""
        return not self.faults(name, value)
