"""Changes of test files after which no honest work can pass them: one expected value, or one assertion too many.

`one-off` changes one value that a test expects; `conflicting` leaves what is there, and puts the same assertion, or the
same row of a table, with another value beside it. Both take their values from the contradictions that canaries are made
of (`_contradict.py`). What is offered here is only a change of text: whether it makes the task impossible is found out
by running (`_impossible.py`).

Left alone are the values of `in`: an answer that holds one text can be made to hold another, too.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from honestly.records import File, Tree
from honestly.verify._compose import Place
from honestly.verify._contradict import LITERAL, contradictions
from honestly.verify._literals import Change, Text, altered, is_literal
from honestly.verify._testfile import TestFile

__all__ = ["Mutant", "conflicts", "one_offs"]

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_ALWAYS = "assert 1 == 2"
_MEMBERSHIP = ("assertIn", "assertNotIn", "assertRegex", "assertNotRegex")
_EXPECTED = re.compile(r"(?:^|/)[^/]*(?:expect|golden|answer|output)[^/]*$|\.(?:out|ans|expected)$", re.IGNORECASE)
"""Names of files that hold what a program shall print."""
_LARGEST_OUTPUT = 1 << 20
_ALPHABETS = (b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ALTERABLE = frozenset(b"".join(_ALPHABETS))
_LONGEST = 4_000
"""Characters of a row or an assertion that is written once more."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """Test files in which one thing was changed."""

    place: Place
    line: int
    before: str
    after: str
    files: Tree
    """The changed file."""
    turned: Tree | None = None
    """The same with the two assertions in the other order, where there are two."""


@dataclass(frozen=True, slots=True)
class _Option:
    """One way to change one thing."""

    place: Place
    changes: tuple[Change, ...]
    value: bool
    """Whether it changes a value, and not an assertion's sense."""


def one_offs(files: Tree, seed: int) -> Iterator[Mutant]:
    """Every test file with one expected value changed: values first, in an order that the seed decides."""
    for path, source, option in _options(files, seed):
        data = source.text.changed(list(option.changes))
        if _parses(data):
            yield _mutant(files, path, option, source.text.data, data, None)
    yield from _outputs(files, seed)


def _outputs(files: Tree, seed: int) -> Iterator[Mutant]:
    """Files of what a program shall print, each with one letter or digit of one line changed."""
    rng = random.Random(seed)  # noqa: S311
    for path, file in sorted(files.files.items()):
        if (
            file.mode == "link"
            or path.endswith(".py")
            or not _EXPECTED.search(path)
            or len(file.data) > _LARGEST_OUTPUT
        ):
            continue
        places = [at for at, byte in enumerate(file.data) if byte in _ALTERABLE]
        if not places or b"\0" in file.data:
            continue
        at = rng.choice(places)
        alike = next(letters for letters in _ALPHABETS if file.data[at] in letters)
        other = rng.choice([byte for byte in alike if byte != file.data[at]])
        data = file.data[:at] + bytes([other]) + file.data[at + 1 :]
        line, before, after = _difference(file.data, data)
        yield Mutant((path, path), line, before, after, Tree(files={path: File(data=data, mode=file.mode)}))


def conflicts(files: Tree, seed: int) -> Iterator[Mutant]:
    """Every test file with an assertion, or a row of a table, and beside it the same with another value."""
    for path, source, option in _options(files, seed):
        node = _repeated(source, option)
        if node is None:
            continue
        after, before = (_doubled(source.text, node, option.changes, first=first) for first in (False, True))
        if after and before and _parses(after) and _parses(before):
            data, other = random.Random(f"{seed}{option}").sample([after, before], 2)  # noqa: S311
            turned = Tree(files={path: File(data=other, mode=files.files[path].mode)})
            yield _mutant(files, path, option, source.text.data, data, turned)


def _mutant(files: Tree, path: str, option: _Option, old: bytes, new: bytes, turned: Tree | None) -> Mutant:
    line, before, after = _difference(old, new)
    changed = Tree(files={path: File(data=new, mode=files.files[path].mode)})
    return Mutant(option.place, line, before, after, changed, turned)


def _options(files: Tree, seed: int) -> Iterator[tuple[str, TestFile, _Option]]:
    """What can be changed in all files, no place twice."""
    found: list[tuple[str, TestFile, _Option]] = []
    for path, file in sorted(files.files.items()):
        source = _readable(file) if path.endswith(".py") else None
        if source is not None:
            found += [(path, source, option) for option in _in_file(path, source, seed)]
    names = "".join(sorted(files.files))
    rng = random.Random(int.from_bytes(blake2b(f"{seed}{names}".encode(), digest_size=8).digest(), "big"))  # noqa: S311
    rng.shuffle(found)
    return iter(sorted(found, key=lambda each: not each[2].value))


def _in_file(path: str, source: TestFile, seed: int) -> Iterator[_Option]:
    seen: set[tuple[int, int]] = set()
    for name in (*source.tests, *source.helpers):
        for way in contradictions(source, name, seed):
            value = way.kind == LITERAL
            # A column of a table is contradicted as a whole; here one of its cells will do.
            for changes in [(change,) for change in way.changes] if value else [way.changes]:
                key = (changes[0].start, changes[-1].end)
                old = source.text.data[key[0] : key[1]].decode("utf-8", "replace")
                if key in seen or _ALWAYS in changes[0].text or (value and old.isidentifier() and old not in _NAMES):
                    continue
                if value and _is_member(source, *key):
                    continue
                seen.add(key)
                yield _Option((path, name), changes, value)
    yield from _rows(path, source, seed, seen)


_NAMES = ("True", "False", "None")


def _is_member(source: TestFile, start: int, end: int) -> bool:
    """Whether a value is asked to be in something, or something in it."""
    return any(
        (isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops))
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MEMBERSHIP)
        for node in _around(source, start, end)
    )


def _rows(path: str, source: TestFile, seed: int, seen: set[tuple[int, int]]) -> Iterator[_Option]:
    """The last cells of the rows of tables that the file names, and tests use by that name."""
    rng = random.Random(seed)  # noqa: S311
    for name, table in source.constants.items():
        users = [
            test for test, node in source.tests.items()
            if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))
        ]  # fmt: skip
        for row in table.elts if users and isinstance(table, ast.List | ast.Tuple) else ():
            cell = row.elts[-1] if isinstance(row, ast.List | ast.Tuple) and len(row.elts) > 1 else None
            changes = tuple(altered(cell, source.text, rng)) if cell is not None and is_literal(cell) else ()
            if changes and (key := (changes[0].start, changes[-1].end)) not in seen:
                seen.add(key)
                yield _Option((path, users[0]), changes, value=True)


def _repeated(source: TestFile, option: _Option) -> ast.expr | ast.stmt | None:
    """What is to stand there twice: the assertion that the change is in, or else the row of a table."""
    start, end = option.changes[0].start, option.changes[-1].end
    around = _around(source, start, end)
    simple = [node for node in around if isinstance(node, ast.Assert | ast.Expr)]
    if simple:
        return simple[-1] if not isinstance(simple[-1], ast.Expr) or isinstance(simple[-1].value, ast.Call) else None
    tables = [node for node in around if isinstance(node, ast.List | ast.Tuple)]
    for table in tables:
        for row in table.elts:
            if isinstance(row, ast.List | ast.Tuple | ast.Call) and _covers(source.text, row, start, end):
                return row
    return None


def _around(source: TestFile, start: int, end: int) -> list[ast.expr | ast.stmt]:
    """What a piece of text is part of, the outermost first."""
    return [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.expr | ast.stmt) and _covers(source.text, node, start, end)
    ]


def _covers(text: Text, node: ast.expr | ast.stmt, start: int, end: int) -> bool:
    first, last = text.span(node)
    return first <= start and end <= last


def _doubled(text: Text, node: ast.expr | ast.stmt, changes: tuple[Change, ...], *, first: bool) -> bytes:
    """The file with a piece of it once more, changed, before or after it; empty where that cannot be written."""
    start, end = text.span(node)
    old = text.data[start:end]
    if len(old) > _LONGEST:
        return b""
    inner = [Change(change.start - start, change.end - start, change.text) for change in changes]
    new = Text(old).changed(inner)
    one, other = (new, old) if first else (old, new)
    if isinstance(node, ast.expr):
        return text.data[:start] + one + b", " + other + text.data[end:]
    line = text.data.rfind(b"\n", 0, start) + 1
    indent = text.data[line:start]
    return b"" if indent.strip() else text.data[:start] + one + b"\n" + indent + other + text.data[end:]


def _difference(old: bytes, new: bytes) -> tuple[int, str, str]:
    """Number of the first line that differs, and the lines that do, before and after."""
    before, after = old.decode("utf-8", "replace").splitlines(), new.decode("utf-8", "replace").splitlines()
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    cut = [lines[first : len(lines) - last] for lines in (before, after)]
    said = ["\n".join(line.strip() for line in lines)[:_LONGEST] for lines in cut]
    return first + 1, said[0], said[1]


def _readable(file: File) -> TestFile | None:
    if file.mode == "link":
        return None
    try:
        return TestFile(file.data)
    except _UNREADABLE:
        return None


def _parses(data: bytes) -> bool:
    try:
        ast.parse(data)
    except _UNREADABLE:
        return False
    return True
