"""Literals in a test's source, and other values for them.

What a test expects is mostly written down: a number, a text, a list of such. Another value of the same type and looks
takes its place (`_siblings.py`), so that code which sees the changed test cannot tell by its looks that it was changed.
Changes are replacements of bytes; the rest of the file stays as it was written.
"""

import ast
import random
import string
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from honestly.verify.inside._margins import called_name, margin_of
from honestly.verify.inside._siblings import Margin, NumberContext, Pool, other_numbers, other_texts

_BUILDERS = ("approx", "set", "frozenset", "tuple", "list", "array", "deque")
"""Calls that make a value of a literal as it stands, so that another literal makes another value."""
EXACT, NO_POOL = Margin(), Pool()


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

    def byte_span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """First byte of a node, and the one after its last."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def node_text(self, node: ast.expr, changes: list[Change] | None = None) -> str:
        """A node as it is written, with changes inside of it."""
        start, end = self.byte_span(node)
        inner = [Change(change.start - start, change.end - start, change.text) for change in changes or []]
        return Text(self.data[start:end]).with_changes(inner).decode()

    def with_changes(self, changes: list[Change]) -> bytes:
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
        case ast.Call(args=[only]) if not node.keywords or called_name(node) == "approx":
            return called_name(node) in _BUILDERS and is_literal(only)
    return False


def altered_literals(
    node: ast.expr, text: Text, rng: random.Random, margin: Margin = EXACT, pool: Pool = NO_POOL, *, count: int = 1
) -> list[list[Change]]:
    """Up to `count` ways to turn a literal into another one, all of different values; none if there is no such.

    Args:
        node: a literal.
        text: where it lies.
        rng: chooses.
        margin: of the comparison, where no `approx` in the literal says otherwise.
        pool: what else its file expects.
        count: how many.
    """
    leaves = list(_literal_leaves(node, margin))
    rng.shuffle(leaves)
    leaves.sort(key=lambda pair: _rank(pair[0]))
    beside = pool.other_values(literal_constants(node))
    for leaf, within in leaves:
        found: dict[str, list[Change]] = {}
        given = NumberContext(within, tuple(frozenset(x for x in some if not isinstance(x, str)) for some in beside))
        for new in _other_values(leaf, text.node_text(leaf), count, rng, given, pool):
            change = Change(*text.byte_span(leaf), _quoted(new) if text.node_text(leaf).endswith('"') else new)
            if new and _differs(node, text, change):
                found.setdefault(change.text, [change])
        if found:
            return list(found.values())[:count]
    return []


def literal_constants(literal: ast.AST) -> list[object]:
    """The values that are written down in a literal."""
    return [node.value for node in ast.walk(literal) if isinstance(node, ast.Constant)]


def _literal_leaves(node: ast.expr, margin: Margin) -> Iterator[tuple[ast.expr, Margin]]:
    """The values in a literal: what is empty, and what is no container. A dictionary's keys only if it has to be."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) if parts:
            for part in parts:
                yield from _literal_leaves(part, margin)
        case ast.Dict(values=values) if values:
            for value in values:
                yield from _literal_leaves(value, margin)
        case ast.Call(args=[only]):
            yield from _literal_leaves(only, margin_of(node) if called_name(node) == "approx" else margin)
        case _:
            yield node, margin


def _rank(leaf: ast.expr) -> int:
    """The lower, the less a leaf's siblings are told from it: numbers, then texts, then what has few siblings."""
    value = ast.literal_eval(leaf)
    return 0 if type(value) in (int, float) else 1 if value and isinstance(value, str | bytes) else 2


def _other_values(
    leaf: ast.expr, written: str, count: int, rng: random.Random, given: NumberContext, pool: Pool
) -> list[str]:
    """Other values for one that is no container, or empty, as they are written."""
    match leaf:
        case ast.List() | ast.Tuple() | ast.Dict():
            form = {ast.List: "[{}]", ast.Tuple: "({},)", ast.Dict: "{{{0}: {0}}}"}[type(leaf)]
            some = [repr(word) for word in pool.words] or list(string.digits)
            return [form.format(each) for each in rng.sample(some, min(count, len(some)))]
        case ast.Constant(value=bool() as value):
            return [repr(not value)]
        case ast.Constant(value=None):
            return ["0"]
        case ast.Constant(value=int() | float()):
            return other_numbers(written, count, rng, given)
        case ast.UnaryOp(operand=ast.Constant(value=int() | float())):
            number = written.removeprefix("-")
            return [f"-{each}" for each in other_numbers(number, count, rng, given._replace(signed=True))]
        case ast.Constant(value=complex() as value):
            return [repr(value + step) for step in range(1, count + 1)]
        case ast.Constant(value=bytes() as value):
            return [
                repr(new.encode("latin-1"))
                for new in other_texts(value.decode("latin-1"), count, rng, pool, highest=255)
            ]
        case ast.Constant(value=str() as value):
            return [repr(new) for new in other_texts(value, count, rng, pool, pool.other_values([value]))]
    return []


def _quoted(new: str) -> str:
    """A text in double quotes, if it can be put so as simply."""
    mark, quote, inner = new.partition("'")
    simple = quote and mark in ("", "b") and new.endswith("'") and '"' not in new and "\\'" not in new
    return f'{mark}"{inner[:-1]}"' if simple else new


def _differs(node: ast.expr, text: Text, change: Change) -> bool:
    """Whether the changed literal has another value; what calls a function is taken to have."""
    if any(isinstance(part, ast.Call) for part in ast.walk(node)):
        return True
    try:
        return bool(ast.literal_eval(node) != ast.literal_eval(f"({text.node_text(node, [change])})"))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
