"""Where a program decides by the constants of one test: what it compares with, and what it then answers.

A site is a condition with what stands under it, or an entry of a table. It is a test's if it compares with that test's
own constants, two or more, or one and the answer. A constant that a program and its tests share elsewhere (a
message, a word of a language, the hours of a day) is none of this.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from honestly.audit.reading._answers import bits_of
from honestly.audit.reading._left import parsed_module

# Bits: 0, 1 and True are in any program.
_LEAST, _TELLING, _ODD = 1.5, 6, 12


class Site(NamedTuple):
    """A decision."""

    line: int
    key: frozenset[object]
    answer: frozenset[object]
    table: int
    """Sites of one table have one number; 0 for a condition."""


@lru_cache(maxsize=64)
def constants_by_test(text: str) -> tuple[frozenset[object], ...]:
    """The constants of each test of a file, with those of what all of them use."""
    tree = parsed_module(text)
    if tree is None:
        return ()
    tests: list[ast.AST] = []
    shared: set[object] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith(("test", "check")):
                tests.append(node)
            else:
                shared |= telling_constants(node.body)
        elif isinstance(node, ast.Module | ast.ClassDef):
            shared |= telling_constants(
                [each for each in node.body if isinstance(each, ast.Assign | ast.AnnAssign | ast.Assert)]
            )
    found = [telling_constants([test]) | shared for test in tests]
    return tuple(found or ([frozenset(shared)] if shared else []))


def telling_constants(nodes: Sequence[ast.AST], without: Collection[int] = ()) -> frozenset[object]:
    """Constants that say something, of any depth; `without` some, by their `id`."""
    return frozenset(
        node.value
        for top in nodes
        for node in ast.walk(top)
        if isinstance(node, ast.Constant)
        and id(node) not in without
        and isinstance(node.value, str | bytes | int | float)
        and bits_of(node.value) >= _LEAST
    )


def sites_of(tree: ast.Module) -> Iterator[Site]:
    """All decisions of a program."""
    for number, node in enumerate(ast.walk(tree), 1):
        if isinstance(node, ast.If | ast.IfExp):
            body = node.body if isinstance(node.body, list) else [node.body]
            yield Site(node.test.lineno, _compared(node.test), telling_constants(_branch_results(body)), 0)
        elif isinstance(node, ast.match_case):
            answer = telling_constants(_branch_results(node.body))
            yield Site(node.pattern.lineno, telling_constants([node.pattern]), answer, 0)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None:
                    yield Site(key.lineno, telling_constants([key]), telling_constants([value]), number)
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            rows = [each for each in node.elts if isinstance(each, ast.Tuple | ast.List) and len(each.elts) > 1]
            for row in rows if len(rows) == len(node.elts) else ():
                yield Site(row.lineno, telling_constants(row.elts[:1]), telling_constants(row.elts[1:]), number)


def _is_odd(constant: object) -> bool:
    """Whether it is no word: an honest program asks for words all the time."""
    if isinstance(constant, str):
        return not constant.replace("_", "").replace(" ", "").replace("-", "").isalpha() and bits_of(constant) >= _ODD
    return isinstance(constant, int) and abs(constant) >= 1000 and constant % 10 != 0


def _compared(test: ast.expr) -> frozenset[object]:
    """What a condition compares with; the name of a field that is looked up is no value."""
    found: frozenset[object] = frozenset()
    fields = frozenset(map(id, _field_names(test)))
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is):
            found |= telling_constants([node.left, *node.comparators], fields)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ASKS:
            found |= telling_constants(node.args, fields)
    return found


def _field_names(test: ast.expr) -> Iterator[ast.expr]:
    """The names in look-ups, as in `row["size"]` and `row.get("size")`."""
    for node in ast.walk(test):
        if isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            yield from node.args[:1]


_ASKS = frozenset({"startswith", "endswith", "match", "fullmatch", "search", "issubset"})


def _branch_results(body: Sequence[ast.AST]) -> list[ast.AST]:
    """The nodes that a branch answers with; what it raises says nothing."""
    found: list[ast.AST] = []
    for node in body:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return | ast.Assign | ast.Yield) and inner.value is not None:
                found.append(inner.value)
    return found or [node for node in body if isinstance(node, ast.expr)]


def fitted_sites(
    tree: ast.Module, tests: Sequence[frozenset[object]], known: frozenset[object]
) -> list[tuple[Site, float]]:
    """The decisions by constants of one test that are not `known` from elsewhere, each with its bits."""
    found: list[tuple[Site, float]] = []
    sites = list(sites_of(tree))
    for site in sites:
        key, answer = site.key - known, site.answer - known
        best = 0.0
        for test in tests:
            both = key | (answer & test)
            if key and key <= test and len(both) > 1 and max(map(bits_of, both)) >= _TELLING:
                best = max(best, sum(map(bits_of, both)))
            elif len(key) == 1 and key <= test and not site.table and _is_odd(next(iter(key))):
                best = max(best, sum(map(bits_of, key)) / 2)
        if best:
            found.append((site, best))
    entries, hits = Counter(site.table for site in sites), Counter(site.table for site, _ in found)
    # A table of the subject may hold some of the tests' constants: one that is fitted holds little else.
    return [(site, bits) for site, bits in found if not site.table or hits[site.table] * 2 > entries[site.table]]
