"""The possible changes of test files after which no honest work passes them: an expected value, or a plain yes or no.

The contradictions that canaries are made of (`_contradict.py`) are more than is wanted here: a canary may be anything
that right code fails, but a test that says only that an answer is *not* something, or is above a bound, is passed by
work that is merely wrong, and one whose input was changed asks another question. So a value counts only where it stands
on one side of an equality and in no call that could be the tested code's, in a cell of a table that is compared so, or
as the exception that is expected. Left alone are the values of `in`: an answer that holds one text can be made to hold
another, too.
"""

import ast
import builtins
import random
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from honestly.records import Tree
from honestly.verify.inside._contradict import LITERAL, Contradiction, all_contradictions
from honestly.verify.inside._literals import Change, Text, altered_literals, is_literal
from honestly.verify.inside._margins import called_name
from honestly.verify.inside._testfile import Place, TestFile, python_tests

_EQUAL = frozenset(
    {
        *("assertEqual", "assertListEqual", "assertTupleEqual", "assertDictEqual", "assertSetEqual"),
        "assertCountEqual",
        *("assertSequenceEqual", "assertMultiLineEqual", "assertIs", "assertAlmostEqual", "assert_allclose", "isclose"),
        *("assert_almost_equal", "assert_array_almost_equal", "assert_equal", "assert_array_equal"),
    }
)
_PLAIN = frozenset(
    {
        *("approx", "set", "frozenset", "tuple", "list", "array", "deque", "abs", "fabs", "assertTrue"),
        *("date", "datetime", "timedelta", "Decimal", "Fraction", "dict", "sorted", "range", "Counter", "dedent"),
        *("split", "splitlines", "strip", "join"),
    }
)
"""Calls in which a value is still the expected one."""
_NAMES = ("True", "False", "None")
_TURNED = ("assertTrue", "assertFalse", "not ", "")
"""What a test says after a turn of its sense that leaves one answer only."""


@dataclass(frozen=True, slots=True)
class Option:
    """One way to change one thing."""

    place: Place
    """The test, or the helper of tests."""
    changes: tuple[Change, ...]
    value: bool
    """Whether it changes a value, and not an assertion's sense."""


def change_options(files: Tree, seed: int) -> list[tuple[str, TestFile, Option]]:
    """The possible changes in all Python files, no place twice: values first, in an order that the seed decides."""
    found: list[tuple[str, TestFile, Option]] = []
    for path, file in sorted(files.files.items()):
        if source := python_tests(path, file):
            found += [(path, source, option) for option in _in_file(path, source, seed)]
    names = "".join(sorted(files.files))
    rng = random.Random(int.from_bytes(blake2b(f"{seed}{names}".encode(), digest_size=8).digest(), "big"))  # noqa: S311
    rng.shuffle(found)
    return sorted(found, key=lambda each: not each[2].value)


def nodes_around(source: TestFile, start: int, end: int) -> list[ast.expr | ast.stmt]:
    """The nodes around a piece of text, the outermost first."""
    return [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.expr | ast.stmt) and covers_bytes(source.text, node, start, end)
    ]


def covers_bytes(text: Text, node: ast.expr | ast.stmt, start: int, end: int) -> bool:
    """Whether a node holds these bytes of the file."""
    first, last = text.byte_span(node)
    return first <= start and end <= last


def _in_file(path: str, source: TestFile, seed: int) -> Iterator[Option]:
    seen: set[tuple[int, int]] = set()
    for name in (*source.tests, *source.helper_users):
        for way in all_contradictions(source, name, seed):
            # A column of a table is contradicted as a whole; here one of its cells will do.
            for changes in [(change,) for change in way.changes] if way.kind == LITERAL else [way.changes]:
                key = (changes[0].start, changes[-1].end)
                if key not in seen and _is_plain(source, way, changes):
                    seen.add(key)
                    yield Option((path, name), changes, way.kind == LITERAL)
    yield from _row_options(path, source, seed, seen)


def _is_plain(source: TestFile, way: Contradiction, changes: tuple[Change, ...]) -> bool:
    """Whether a change leaves a test that only one answer could pass, and the right one does not."""
    start, end = changes[0].start, changes[-1].end
    if way.kind != LITERAL:
        new = changes[0].text
        return len(changes) == 1 and (new in _TURNED or _is_exception(new))
    old = source.text.data[start:end].decode("utf-8", "replace")
    return (not old.isidentifier() or old in _NAMES) and _is_expected(source, start, end)


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None) if name.isidentifier() else None
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _is_expected(source: TestFile, start: int, end: int) -> bool:
    """Whether a value is one side of an equality, or a cell of a table."""
    parts = nodes_around(source, start, end)
    asserting = [at for at, node in enumerate(parts) if isinstance(node, ast.Assert | ast.Expr)]
    if not asserting:  # tables are only offered where a test compares a column of theirs
        # The call that gives a test its parameters, or one set of them, is part of the table.
        return not any(
            isinstance(node, ast.Return | ast.Call | ast.If | ast.While)
            and called_name(node) not in ("parametrize", "param")
            for node in parts
        )
    inner = parts[asserting[-1] :]
    calls = [called_name(node) for node in inner if isinstance(node, ast.Call)]
    compared = [node for node in inner if isinstance(node, ast.Compare)]
    if any(name not in _EQUAL | _PLAIN for name in calls) or any(isinstance(node, ast.Subscript) for node in inner):
        return False
    near = any(called_name(node.left) in ("abs", "fabs") for node in compared)
    equal = all(isinstance(op, ast.Eq | ast.Is) for node in compared for op in node.ops)
    return (bool(compared) and (equal or near)) or (not compared and any(name in _EQUAL for name in calls))


def _row_options(path: str, source: TestFile, seed: int, seen: set[tuple[int, int]]) -> Iterator[Option]:
    """The cells of the last column of tables that the file names, and tests go through to compare that column."""
    rng = random.Random(seed)  # noqa: S311
    for name, table in source.module_constants.items():
        users = [test for test, node in source.tests.items() if _compares_table(node, name)]
        for row in table.elts if users and isinstance(table, ast.List | ast.Tuple) else ():
            cell = row.elts[-1] if isinstance(row, ast.List | ast.Tuple) and len(row.elts) > 1 else None
            found = altered_literals(cell, source.text, rng) if cell is not None and is_literal(cell) else []
            changes = tuple(found[0]) if found else ()
            if changes and (key := (changes[0].start, changes[-1].end)) not in seen:
                seen.add(key)
                yield Option((path, users[0]), changes, value=True)


def _compares_table(test: ast.AST, table: str) -> bool:
    """Whether a test goes through a table, and the last column of it is one side of an equality."""
    columns = {
        loop.target.elts[-1].id
        for loop in ast.walk(test)
        if isinstance(loop, ast.For)
        and isinstance(loop.iter, ast.Name)
        and loop.iter.id == table
        and isinstance(loop.target, ast.Tuple)
        and isinstance(loop.target.elts[-1], ast.Name)
    }
    sides: list[ast.expr] = []
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and all(isinstance(op, ast.Eq | ast.Is) for op in node.ops):
            sides += [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and called_name(node) in _EQUAL:
            sides += node.args
    return any(isinstance(side, ast.Name) and side.id in columns for side in sides)
