"""Literals in a test's source, and other values for them.

What a test expects is mostly written down: a number, a text, a list of such. Another value of the same type and of
about the same looks takes its place, so that code which sees the changed test cannot tell by its looks that it was
changed. Changes are replacements of bytes; the rest of the file stays as it was written.
"""

import ast
import random
import string
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

_BUILDERS = ("approx", "set", "frozenset", "tuple", "list", "array", "deque")
"""Calls that make a value of a literal as it stands, so that another literal makes another value."""
_FAR = 1000.0
_ALPHABETS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)


class Change(NamedTuple):
    """A replacement of bytes `start` to `end`."""

    start: int
    end: int
    text: str


class Text:
    """The bytes of a Python file, and where its nodes lie in them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._starts = [0, *accumulate(len(line) for line in data.splitlines(keepends=True))]

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """First byte of a node, and the one after its last."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.expr, changes: list[Change] | None = None) -> str:
        """A node as it is written, with changes inside of it."""
        start, end = self.span(node)
        inner = [Change(change.start - start, change.end - start, change.text) for change in changes or []]
        return Text(self.data[start:end]).changed(inner).decode()

    def changed(self, changes: list[Change]) -> bytes:
        """The whole, with changes that do not overlap."""
        data = self.data
        for start, end, text in sorted(changes, reverse=True):
            data = data[:start] + text.encode() + data[end:]
        return data


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a value written down, or a plain container or approximation of such."""
    match node:
        case ast.Constant():
            return node.value is not ...
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return all(map(is_literal, parts))
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and is_literal(key) for key in keys) and all(map(is_literal, values))
        case ast.Call(args=[only], keywords=[]):
            return _name(node.func) in _BUILDERS and is_literal(only)
    return False


def altered(node: ast.expr, text: Text, rng: random.Random, *, far: bool = False) -> list[Change]:
    """The changes that turn a literal into one of another value; none if there is no such.

    Args:
        node: a literal.
        text: where it lies.
        rng: chooses.
        far: whether numbers must be so different that no tolerance covers it.
    """
    far = far or any(isinstance(part, ast.Call) and _name(part.func) in ("approx", "array") for part in ast.walk(node))
    leaves = list(_leaves(node))
    rng.shuffle(leaves)
    for leaf in leaves:
        new = _other(leaf, rng, far=far)
        change = Change(*text.span(leaf), _quoted(new) if text.of(leaf).startswith('"') else new)
        if new and _differs(node, text, change):
            return [change]
    return []


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    """The values in a literal: what is empty, and what is no container. A dictionary's keys only if it has to be."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) if parts:
            for part in parts:
                yield from _leaves(part)
        case ast.Dict(values=values) if values:
            for value in values:
                yield from _leaves(value)
        case ast.Call(args=[only]):
            yield from _leaves(only)
        case _:
            yield node


def _other(leaf: ast.expr, rng: random.Random, *, far: bool) -> str:
    match leaf:
        case ast.List() | ast.Tuple() | ast.Dict():
            return {ast.List: "[0]", ast.Tuple: "(0,)", ast.Dict: "{0: 0}"}[type(leaf)]
        case ast.Constant(value=value):
            return repr(_other_value(value, rng, far=far))
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() as value)):
            return f"-{_other_value(abs(value), rng, far=far)!r}"
    return ""


def _other_value(value: object, rng: random.Random, *, far: bool) -> object:
    match value:
        case bool():
            return not value
        case None:
            return 0
        case int() | float() if far:
            return type(value)((abs(value) + 1) * _FAR + rng.randrange(1000)) if abs(value) < 1e300 else 0
        case int():
            return value + rng.choice((1, 2, 3)) * (rng.choice((-1, 1)) if value > 3 else 1)
        case float():
            return value + max(1.0, abs(value) // 3) * rng.choice((0.5, 1.0, 1.5)) if abs(value) < 1e300 else 0.0
        case complex():
            return value + 1
        case bytes():
            return _other_text(value.decode("latin-1"), rng).encode("latin-1")
        case str():
            return _other_text(value, rng)
    return value


def _other_text(value: str, rng: random.Random) -> str:
    """Replaces one letter or digit by another; adds a space to a text without any."""
    places = [at for at, character in enumerate(value) if any(character in letters for letters in _ALPHABETS)]
    if not places:
        return value + " "
    at = rng.choice(places)
    letters = next(letters for letters in _ALPHABETS if value[at] in letters)
    return value[:at] + rng.choice(letters.replace(value[at], "")) + value[at + 1 :]


def _quoted(new: str) -> str:
    """A text in double quotes, if it can be put so as simply."""
    return f'"{new[1:-1]}"' if new.startswith("'") and '"' not in new and "\\'" not in new else new


def _differs(node: ast.expr, text: Text, change: Change) -> bool:
    """Whether the changed literal has another value; what calls a function is taken to have."""
    if any(isinstance(part, ast.Call) for part in ast.walk(node)):
        return True
    try:
        return bool(ast.literal_eval(node) != ast.literal_eval(f"({text.of(node, [change])})"))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
