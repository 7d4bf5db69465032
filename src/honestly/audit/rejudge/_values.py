"""Other values for a literal: of its type and of about its looks, or such as the task itself speaks of.

Half are near the old value: a number beside it or of its size, a text with a character, a word or a line changed, a
list with an item more, less or elsewhere. Half are taken from what the task's text, tests and files hold of this type,
since that is where the limits and the names are at which code has to decide.
"""

import ast
import math
import random
import re
from collections.abc import Sequence
from typing import NamedTuple

from honestly.audit.reading._left import syntax_nodes
from honestly.records import Task

# Values of each kind, characters of a text, and bits of a number.
_MOST = 400
_LONGEST = 40
_MOST_BITS = 4096
_NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?![\w.])")
_WORD = re.compile(r"[`\"']([^`\"'\n]{1,40})[`\"']")


class Pool(NamedTuple):
    """Values that a task speaks of."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]


def pool_of(task: Task) -> Pool:
    """The literals in the public part of a task: its text, its files, its visible tests."""
    numbers = {int(found) for found in _NUMBER.findall(task.instruction)}
    texts = set(_WORD.findall(task.instruction))
    files = task.workspace.files | (task.visible.files.files if task.visible is not None else {})
    for path, file in sorted(files.items()):
        for node in syntax_nodes(file.data) if path.endswith(".py") else ():
            value = node.value if isinstance(node, ast.Constant) else None
            if type(value) is int:
                numbers.add(value)
            elif isinstance(value, str) and 0 < len(value) <= _LONGEST:
                texts.add(value)
    beside = {number + step for number in numbers for step in (-1, 0, 1) if abs(number) < 1 << 60}
    return Pool(tuple(sorted(beside)[:_MOST]), tuple(sorted(texts)[:_MOST]))


def other_value(value: object, pool: Pool, rng: random.Random) -> object | None:
    """Another value of the same type; None where no other is known."""
    if type(value) is int:
        if value.bit_length() > _MOST_BITS:
            return None
        known = [number for number in pool.numbers if number != value and (number < 0) == (value < 0)]
        return rng.choice(known) if known and rng.random() < 0.5 else _nearby_integer(value, rng)
    if type(value) is float:
        drawn = round(value * rng.choice((0.5, 0.9, 1.1, 2.0, 3.0)) + rng.choice((0, 0, 1)), 6)
        return drawn if math.isfinite(drawn) else None
    if type(value) is str:
        alike = [text for text in pool.texts if text != value and _text_shape(text) == _text_shape(value)]
        return rng.choice(alike) if alike and rng.random() < 0.5 else other_text(value, rng)
    if type(value) is bytes:
        return other_text(value.decode("latin-1"), rng).encode("latin-1", "replace") if value else None
    if isinstance(value, (list, tuple)):
        return _varied_sequence(value, rng)
    return None


def _text_shape(text: str) -> str:
    """The shape of a text: its characters as classes, runs of one class as one."""
    classes = "".join("a" if char.isalpha() else "0" if char.isdigit() else char for char in text)
    return re.sub(r"(.)\1+", r"\1", classes)


def _nearby_integer(value: int, rng: random.Random) -> int:
    size = 10 ** min(len(f"{abs(value):x}"), 30)
    drawn = rng.choice((value + 1, value - 1, value + rng.randint(2, 9), 2 * value + 1, rng.randrange(size)))
    return abs(drawn) if value >= 0 else drawn


def _varied_sequence(value: Sequence[object], rng: random.Random) -> object:
    items, at = list(value), rng.randrange(len(value))
    how = rng.choice(("swap", "drop", "twice", "end"))
    if how == "swap" and len(items) > 1:
        items[at - 1], items[at] = items[at], items[at - 1]
    elif how == "drop" and len(items) > 1:
        del items[at]
    else:
        items.insert(at if how == "twice" else len(items), items[at])
    return type(value)(items)  # type: ignore[call-arg]


def other_text(text: str, rng: random.Random) -> str:
    """A text with one character, one number, one word or one line changed, more, or less."""
    places = [at for at, char in enumerate(text) if char.isalnum() and char.isascii()]
    if not places:
        return text + rng.choice("abc012")
    at = rng.choice(places)
    how = rng.choice(("character", "character", "digit", "swap", "drop", "line", "word"))
    digits = [place for place in places if text[place].isdigit()]
    if how == "digit" and digits:
        at = rng.choice(digits)
    if how == "swap" and at + 1 < len(text):
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    if how == "drop" and len(text) > 1:
        return text[:at] + text[at + 1 :]
    if how in {"line", "word"}:
        pieces = text.splitlines(keepends=True) if how == "line" else re.split(r"(?<=\s)(?=\S)", text)
        if len(pieces) > 1:
            return "".join(map(str, _varied_sequence(pieces, rng)))  # type: ignore[call-overload]
    return text[:at] + _like(text[at], rng) + text[at + 1 :]


def _like(char: str, rng: random.Random) -> str:
    if char.isdigit():
        return rng.choice("0123456789".replace(char, ""))
    drawn = rng.choice("abcdefghijklmnopqrstuvwxyz".replace(char.lower(), ""))
    return drawn.upper() if char.isupper() else drawn
