"""Examples that stand in a source as a constant and its answer, side by side, whatever the program does with them.

Entries of dictionaries, pairs in lists, and branches on equality with what they return or assign. This reads what
cannot be evaluated, and files of data. A table counts by its entries that are examples: most of them must be, for a
table of the subject has others.
"""

from __future__ import annotations

import ast
import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from honestly.audit.reading._answers import key_spellings, same_answer, weight_of
from honestly.audit.reading._data import loaded_file, size_of
from honestly.audit.reading._literals import NO_DATA, literal_data
from honestly.audit.reading._pairs import Pair


class Entry(NamedTuple):
    """A constant, what is answered for it, and where."""

    key: object
    answers: tuple[object, ...]
    line: int


class TabledExamples(NamedTuple):
    """The examples that a file holds."""

    pairs: tuple[Pair, ...]
    line: int
    """Of the first one."""
    bits: float


def tabled_examples(tables: Sequence[Sequence[Entry]], pairs: Sequence[Pair], prose: str) -> TabledExamples:
    """The examples that tables hold, of those tables that hold little else."""
    by_form: dict[str, list[Pair]] = {}
    for pair in pairs:
        for form in key_spellings(pair.given):
            by_form.setdefault(form, []).append(pair)
    found: dict[int, tuple[Pair, int, float]] = {}
    for table in tables:
        hits = []
        for entry in table:
            for pair in by_form.get(repr(entry.key), ()):
                if any(same_answer(answer, pair.wanted) for answer in entry.answers):
                    hits.append((pair, entry.line, weight_of([entry.key], pair.wanted, prose)))
                    break
        if len(hits) * 2 > len(table):
            found |= {id(pair): (pair, line, bits) for pair, line, bits in hits if bits}
    kept = list(found.values())
    return TabledExamples(
        tuple(pair for pair, _, _ in kept), min((line for _, line, _ in kept), default=0), sum(b for *_, b in kept)
    )


def tables_of(tree: ast.Module) -> list[list[Entry]]:
    """The tables of a program; each chain of branches in a function is one."""
    found: list[list[Entry]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            entries = ((key, [value]) for key, value in zip(node.keys, node.values, strict=True) if key is not None)
            found.append(list(_table_entries(entries)))
        elif isinstance(node, ast.List | ast.Tuple | ast.Set) and node.elts:
            rows = [each for each in node.elts if isinstance(each, ast.Tuple | ast.List) and len(each.elts) == 2]
            if len(rows) == len(node.elts):
                found.append(list(_table_entries((row.elts[0], [row.elts[1]]) for row in rows)))
        elif isinstance(node, ast.Module):
            stored = (each for each in node.body if isinstance(each, ast.Assign))
            keyed = ((each.targets[0], each.value) for each in stored)
            found.append(list(_table_entries((t.slice, [v]) for t, v in keyed if isinstance(t, ast.Subscript))))
            # These stand in the middle of a function.
            bare = (each for each in node.body if isinstance(each, ast.If | ast.Match))
            found.append(list(_table_entries(pair for each in bare for pair in _function_branches(each))))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(list(_table_entries(_function_branches(node))))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and len(node.value) > 8:
            found.append(entries_in(_decoded(node.value), node.lineno))
    return [table for table in found if table]


def data_tables(data: bytes) -> list[list[Entry]]:
    """The tables of a file of JSON, or of plain data as a pickle."""
    return [entries_in(loaded_file(data), 1)]


def entries_in(held: object, line: int) -> list[Entry]:
    """Keys and values of a dictionary, or pairs of a list."""
    if size_of(held) > 4_000:
        return []
    if isinstance(held, dict):
        return [Entry(key, (value,), line) for key, value in held.items()]
    if isinstance(held, list) and all(isinstance(each, list | tuple) and len(each) == 2 for each in held):
        return [Entry(each[0], (each[1],), line) for each in held]
    return []


def _decoded(text: str | bytes) -> object:
    """A text as JSON, also in base64; None where it is neither."""
    try:
        if text[:1] in {"{", "[", b"{", b"["}:
            return json.loads(text)
        return json.loads(base64.b64decode(text, validate=True))
    except (ValueError, RecursionError, binascii.Error):
        return None


def _table_entries(found: Iterator[tuple[ast.expr, list[ast.expr]]]) -> Iterator[Entry]:
    for key, answers in found:
        if (value := literal_data(key)) is not NO_DATA:
            said = tuple(each for node in answers if (each := literal_data(node)) is not NO_DATA)
            if said:
                yield Entry(value, said, key.lineno)


def _function_branches(function: ast.AST) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.IfExp):
            answers = _returned_values(node.body) if isinstance(node, ast.If) else [node.body]
            yield from ((key, answers) for key in _compared_constants(node.test))
        elif isinstance(node, ast.match_case):
            for each in node.pattern.patterns if isinstance(node.pattern, ast.MatchOr) else [node.pattern]:
                if isinstance(each, ast.MatchValue):
                    yield each.value, _returned_values(node.body)
                elif isinstance(each, ast.MatchSequence):
                    values = [part.value for part in each.patterns if isinstance(part, ast.MatchValue)]
                    if len(values) == len(each.patterns):
                        yield ast.copy_location(ast.List(values, ast.Load()), each), _returned_values(node.body)


def _compared_constants(test: ast.expr) -> Iterator[ast.expr]:
    """What a condition finds its input equal to: each constant, those of a list that it is in, and all of an `and`."""
    compared = [each for each in ast.walk(test) if isinstance(each, ast.Compare)]
    for each in compared:
        for side in (each.left, *each.comparators):
            if isinstance(each.ops[0], ast.Eq | ast.Is):
                yield side
            elif isinstance(each.ops[0], ast.In) and isinstance(side, ast.List | ast.Tuple | ast.Set):
                yield from side.elts
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and len(compared) == len(test.values):
        key = ast.Tuple([each.comparators[0] for each in compared], ast.Load())
        yield ast.copy_location(key, test)


def _returned_values(body: list[ast.stmt]) -> list[ast.expr]:
    found: list[ast.expr] = []
    for node in body:
        if isinstance(node, ast.Return | ast.Assign) and node.value is not None:
            found.append(node.value)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found += node.value.args
    return found
