"""Contradictions of a test: changes of one thing that it expects, such that nothing sane passes both versions.

What equalled a value shall equal another one; what was true shall be false; what raised one exception shall raise an
unrelated one. The original decides whether the work is right; its contradiction decides whether passing means
anything: code that answers from what the test says, or makes tests pass by other means than its answers, passes both.

The best kind changes a literal, since it takes in those who read the expected value, and looks like any other test:
in the assertion itself, or where a name in it comes from (an assignment, the rows of a loop or of
`pytest.mark.parametrize`), or in what computes the expected value. The others change the assertion's sense
(`_flips.py`), and the last resort is an assertion that always fails. Functions in which tests assert, or compute what
they expect, are contradicted like tests, and with them all tests that call them. Which contradictions hold is proved by
running the reference (`_canaries.py`). One is `certain` if it can be told from the syntax alone that no honest code
passes both versions.
"""

import ast
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b

from honestly.verify.inside._flips import (
    MIRRORED,
    OPPOSITES,
    mirrored_comparison,
    moved_bound,
    negated_condition,
    other_type,
    unrelated_exception,
)
from honestly.verify.inside._literals import EXACT, Change, altered_literals, is_literal, literal_constants
from honestly.verify.inside._margins import UNKNOWN, called_name, margin_of, number_bound
from honestly.verify.inside._siblings import Margin, Pool
from honestly.verify.inside._testfile import TestFile, assigned_literals, is_read, mention_count

VALUES, MANY = 2, 4
"""How many other values a test can expect in turn, and how many if it is one of few."""
LITERAL, _WRAP, _OPPOSITE, _BRACKET, _ALWAYS = range(5)
_EQUAL = {
    *("assertEqual", "assertListEqual", "assertTupleEqual", "assertDictEqual", "assertSetEqual", "assertCountEqual"),
    *("assertSequenceEqual", "assertMultiLineEqual", "assertIs"),
}
_CLOSE = {
    *("assertAlmostEqual", "assert_allclose", "assert_almost_equal", "assert_array_almost_equal", "isclose"),
    *("assert_equal", "assert_array_equal"),
}
_RAISES = {"assertRaises", "assertRaisesRegex", "raises", "assertWarns", "assertWarnsRegex", "warns"}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One way to contradict a test."""

    changes: tuple[Change, ...]
    also: tuple[tuple[Change, ...], ...] = field(default=(), kw_only=True)
    """The same with yet other values."""
    kind: int
    """The lower, the more it catches."""
    certain: bool

    def only(self, kept: Iterable[int]) -> "Contradiction | None":
        """This one with some of its values, by their number; None without any."""
        every = (self.changes, *self.also)
        left = [every[at] for at in kept if at < len(every)]
        return replace(self, changes=left[0], also=tuple(left[1:])) if left else None

    @property
    def is_trusted(self) -> bool:
        """Whether it counts without having been tried on a reference."""
        return self.certain and self.kind in (LITERAL, _ALWAYS)


def all_contradictions(file: TestFile, name: str, version: int = 0, values: int = VALUES) -> list[Contradiction]:
    """Every contradiction of a test or helper, the best first; among equals in an order that depends on the file.

    Other versions have other values, and another order among equals.
    """
    seed = blake2b(file.text.data + f"{name}{version or ''}".encode(), digest_size=8).digest()
    rng = random.Random(seed)  # noqa: S311 - what it hides is hidden by the file
    found = list(_Search(file, name, rng, values).contradictions())
    rng.shuffle(found)
    return sorted(found, key=lambda way: (way.kind, not way.certain))


class _Search:
    """Goes through the statements of one test."""

    def __init__(self, file: TestFile, name: str, rng: random.Random, values: int) -> None:
        self._count = values
        test = file.function_node(name)
        self._file, self._text, self._test, self._rng = file, file.text, test, rng
        self._name, self._is_test = name, name in file.tests
        self._pool = Pool(file.expected, literal_constants(test), file.values)
        self._values = file.module_constants | assigned_literals(test.body, test)
        self._columns: dict[str, Callable[[Margin], list[list[Change]]]] = {}
        self._used = Counter(node.id for node in ast.walk(test) if isinstance(node, ast.Name) and is_read(node))
        for argument in test.args.args:
            self._values.pop(argument.arg, None)
        self._certain = not any(isinstance(node, ast.Return | ast.Yield) for node in ast.walk(test))
        for decorator in test.decorator_list:
            self._note_parametrized(decorator)

    def contradictions(self) -> Iterator[Contradiction]:
        yield from self._search_block(self._test.body, certain=self._certain)
        if self._is_test:
            # An assertion that fails, after all others: for tests that assert in functions of their own.
            last = self._test.body[-1]
            start, end = self._text.byte_span(last)
            line = self._text.data.rfind(b"\n", 0, start) + 1
            indent = self._text.data[line:start].decode()
            before = f"\n{indent}" if not indent.strip() else "; "
            yield Contradiction((Change(end, end, f"{before}assert 1 == 2"),), _ALWAYS, self._certain)
        elif _is_equated(self._test.name, [self._file.tests[user] for user in self._file.helper_users[self._name]]):
            for node in ast.walk(self._test):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield from self._loose_values(node.value)

    def _search_block(self, body: Iterable[ast.stmt], *, certain: bool) -> Iterator[Contradiction]:
        for statement in body:
            match statement:
                case ast.Assert(test=test):
                    yield from self._search_condition(test, certain=certain)
                case ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call)):
                    yield from self._search_call(call, certain=certain)
                case ast.With(items=items) | ast.AsyncWith(items=items):
                    for item in items:
                        yield from self._search_raising(item.context_expr)
                    harmless = all(called_name(item.context_expr) == "subTest" for item in items)
                    yield from self._search_block(statement.body, certain=certain and harmless)
                case ast.For():
                    table = self._note_loop_rows(statement)
                    yield from self._search_block(statement.body, certain=certain and table)
                case ast.If(test=ast.Compare(left=left, ops=[ast.NotEq() | ast.IsNot()], comparators=[right])) if (
                    _fails_only(statement.body)
                ):
                    yield from self._search_equality(left, right, certain=False)
                case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=test)) if _fails_only(statement.body):
                    yield from self._other_values(test, certain=False)
                case ast.If() | ast.While() | ast.Try() | ast.AsyncFor():
                    yield from self._search_block(statement.body, certain=False)

    def _search_condition(self, test: ast.expr, *, certain: bool) -> Iterator[Contradiction]:
        """Contradictions of `assert test`."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for value in test.values:
                yield from self._search_condition(value, certain=certain)
            return
        yield from self._other_values(test, certain=certain)
        if flip := negated_condition(test, self._text):
            yield Contradiction(flip, _OPPOSITE, False)
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yield Contradiction(
                (Change(*self._text.byte_span(test), f"({self._text.node_text(test.operand)})"),), _BRACKET, False
            )
        else:
            yield self._wrapped_change("not (", test, ")", _BRACKET)

    def _other_values(self, test: ast.expr, *, certain: bool) -> Iterator[Contradiction]:
        """Contradict a condition by putting other values in it."""
        match test:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                yield from self._search_equality(left, right, certain=certain)
            case ast.Compare(left=_, ops=[ast.Is()], comparators=[ast.Constant(value=bool()) as right]):
                yield from self._literal_changes(self._altered_literals(right), certain=certain)
            case ast.Compare(left=left, ops=[ast.Is()], comparators=[right]) if not isinstance(right, ast.Constant):
                yield from self._search_equality(left, right, certain=False)
            case ast.Compare(left=ast.Call(args=[ast.BinOp(left=left, op=ast.Sub(), right=right)]) as near) if (
                called_name(near) in ("abs", "fabs") and isinstance(test.ops[0], ast.Lt | ast.LtE)
            ):
                within = number_bound(test.comparators[0])
                for side in filter(is_literal, (left, right)):
                    margin = UNKNOWN if within is None else Margin(within)
                    yield from self._literal_changes(self._altered_literals(side, margin), certain=False)
            case ast.Compare(left=left, ops=[ast.In()], comparators=[right]):
                yield from self._search_membership(left, right)
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                for change in mirrored_comparison(test, self._text):
                    yield from self._search_order(left, right, change, greater=isinstance(operator, ast.Gt | ast.GtE))
            case ast.Call(func=ast.Attribute(attr="startswith" | "endswith"), args=[ast.Constant(value=str()) as end]):
                # Another text that cannot stand where this one stands.
                length = len(self._text.node_text(end).encode())
                found = [each for each in self._altered_literals(end) if len(each[0].text.encode()) == length]
                yield from self._literal_changes(found, certain=False)
            case ast.Call(args=[left, right]) if called_name(test) in _CLOSE:
                yield from self._search_equality(
                    left, right, certain=certain and not test.keywords, margin=margin_of(test)
                )
            case ast.Call(args=[_, kind]) if called_name(test) == "isinstance":
                yield from self._other_type(kind)

    def _search_order(
        self, left: ast.expr, right: ast.expr, turned: Change, *, greater: bool
    ) -> Iterator[Contradiction]:
        """Contradictions of the statement that one thing is greater than another: it is less, by a wider margin."""
        for side, up in ((right, not greater), (left, greater)):
            if number := moved_bound(side, self._rng, up=up):
                yield Contradiction((turned, Change(*self._text.byte_span(side), number)), LITERAL, False)

    def _search_membership(self, left: ast.expr, right: ast.expr) -> Iterator[Contradiction]:
        """Contradictions of the statement that one thing is in another."""
        if isinstance(left, ast.Constant) and isinstance(left.value, str) and len(left.value) > 2:
            yield from self._literal_changes(self._altered_literals(left), certain=False)
        if isinstance(right, ast.List | ast.Tuple | ast.Set) and all(map(is_literal, right.elts)):
            known = {self._text.node_text(part) for part in right.elts}
            found = _joint_changes([self._altered_literals(part) for part in right.elts])
            new = [each for each in found if not known & {change.text for change in each}]
            yield from self._literal_changes(new, certain=False)

    def _other_type(self, kind: ast.expr) -> Iterator[Contradiction]:
        if name := other_type(kind, self._rng):
            yield Contradiction((Change(*self._text.byte_span(kind), name),), LITERAL, False)

    def _search_call(self, call: ast.Call, *, certain: bool) -> Iterator[Contradiction]:
        """Contradictions of a call that asserts something."""
        name, args = called_name(call), call.args
        if name in ("assertTrue", "assertFalse") and args:
            if name == "assertTrue":
                yield from self._search_condition(args[0], certain=certain)
        elif (name in _EQUAL or name in _CLOSE) and len(args) >= 2:
            exact = certain and not any(keyword.arg not in ("msg", "places") for keyword in call.keywords)
            yield from self._search_equality(args[0], args[1], certain=exact and len(args) == 2, margin=margin_of(call))
        elif name in _RAISES:
            yield from self._search_raising(call)
        elif name in MIRRORED and len(args) > 1 and isinstance(call.func, ast.Attribute):
            end = self._text.byte_span(call.func)[1]
            turned = Change(end - len(name), end, MIRRORED[name])
            yield from self._search_order(args[0], args[1], turned, greater="Greater" in name)
        elif name == "assertIn" and len(args) > 1:
            yield from self._search_membership(args[0], args[1])
        elif name == "assertIsInstance" and len(args) > 1:
            yield from self._other_type(args[1])
        if name in OPPOSITES and isinstance(call.func, ast.Attribute):
            end = self._text.byte_span(call.func)[1]
            yield Contradiction((Change(end - len(name), end, OPPOSITES[name]),), _OPPOSITE, False)

    def _search_equality(
        self, left: ast.expr, right: ast.expr, *, certain: bool, margin: Margin = EXACT
    ) -> Iterator[Contradiction]:
        """Contradictions of the statement that two things are equal."""
        if is_literal(left) and is_literal(right):
            return
        for side, other in ((right, left), (left, right)):
            if is_literal(side):
                yield from self._literal_changes(self._altered_literals(side, margin), certain=certain)
            elif isinstance(side, ast.Name) and side.id in self._columns:
                once = certain and margin == EXACT and self._used[side.id] == 1
                yield from self._literal_changes(self._columns[side.id](margin), certain=once)
            elif isinstance(side, ast.Name) and not is_literal(other):
                value = self._literal_behind(side)
                if is_literal(value):
                    yield from self._literal_changes(
                        self._inlined_changes(side, value, self._altered_literals(value, margin)), certain=False
                    )
        for side in (right, left):
            if not is_literal(side) and not isinstance(side, ast.Name):
                yield from self._loose_values(side, margin)
        if margin == EXACT:
            yield from self._other_objects(right if isinstance(right, ast.Call) else left)
        if margin == EXACT and not is_literal(right):
            yield self._wrapped_change("(", right, ",)", _WRAP)

    def _other_objects(self, node: ast.expr) -> Iterator[Contradiction]:
        """Another object of the tested code's own, to find out one that equals all of its class, and nothing else."""
        if isinstance(node, ast.Call) and called_name(node)[:1].isupper():
            for part in filter(is_literal, node.args):
                yield from self._literal_changes(self._altered_literals(part), certain=False)

    def _loose_values(self, node: ast.expr, margin: Margin = EXACT) -> Iterator[Contradiction]:
        """Other values for what an expression computes with, where none of the tested code does."""
        for part in self._own_literals(node):
            if isinstance(part, ast.Name) and part.id in self._columns:
                yield from self._literal_changes(self._columns[part.id](margin), certain=False)
                continue
            value = self._literal_behind(part)
            found = self._altered_literals(value, margin)
            yield from self._literal_changes(
                found if value is part else self._inlined_changes(part, value, found), certain=False
            )

    def _own_literals(self, node: ast.expr) -> Iterator[ast.expr]:
        """The literals in an expression, and names of such, that reach no function but the file's and Python's own."""
        if is_literal(self._literal_behind(node)) or (isinstance(node, ast.Name) and node.id in self._columns):
            yield node
            return
        match node:
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
                parts = elts
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if self._file.is_own(name):
                parts = [*args, *(keyword.value for keyword in keywords)]
            case ast.Call(func=ast.Attribute(value=ast.Constant()), args=args):
                parts = args
            case _:
                parts = []
        for part in parts:
            yield from self._own_literals(part)

    def _search_raising(self, context: ast.expr) -> Iterator[Contradiction]:
        """Contradictions of the statement that something raises an exception."""
        if isinstance(context, ast.Call) and called_name(context) in _RAISES and context.args:
            if not (other := unrelated_exception(context.args[0], self._rng)):  # every exception is expected
                return
            yield Contradiction((Change(*self._text.byte_span(context.args[0]), other),), _OPPOSITE, False)

    def _note_loop_rows(self, loop: ast.For) -> bool:
        """Notes the columns of a loop over a literal; whether it is one that is not empty."""
        parts = loop.target.elts if isinstance(loop.target, ast.Tuple | ast.List) else [loop.target]
        names = [part.id if isinstance(part, ast.Name) else "" for part in parts]
        table, pairs = loop.iter, False
        if isinstance(table, ast.Call) and called_name(table) == "items" and isinstance(table.func, ast.Attribute):
            table, pairs = table.func.value, True
        rows = _rows_of(self._literal_behind(table), pairs=pairs)
        self._note_columns(names, rows, table)
        for name in names:
            self._values.pop(name, None)
        return bool(rows)

    def _note_parametrized(self, decorator: ast.expr) -> None:
        """Notes the columns of a `pytest.mark.parametrize`; any other decorator makes nothing certain."""
        match decorator:
            case ast.Call(args=[names, table, *_]) if called_name(decorator) == "parametrize":
                if isinstance(names, ast.Constant) and isinstance(names.value, str):
                    columns = [name.strip() for name in names.value.split(",")]
                elif isinstance(names, ast.List | ast.Tuple):
                    columns = [str(part.value) for part in names.elts if isinstance(part, ast.Constant)]
                else:
                    return
                self._note_columns(columns, _rows_of(self._literal_behind(table), pairs=False), table)
            case _:
                self._certain = False

    def _note_columns(self, names: list[str], rows: list[ast.expr], table: ast.expr) -> None:
        """For each column of a table that is made of literals, the changes that alter all of it."""
        for at, name in enumerate(names):
            self._columns.pop(name, None)
            cells = [cell for row in rows if (cell := _cell(row, at, len(names))) is not None and is_literal(cell)]
            if rows and len(cells) == len(rows):
                self._columns[name] = partial(self._column_changes, cells, table, self._literal_behind(table))

    def _column_changes(
        self, cells: list[ast.expr], table: ast.expr, source: ast.expr, margin: Margin
    ) -> list[list[Change]]:
        """Other values for all of a column."""
        found = _joint_changes([self._altered_literals(cell, margin) for cell in cells])
        return found if source is table else self._inlined_changes(table, source, found)

    def _altered_literals(self, node: ast.expr, margin: Margin = EXACT) -> list[list[Change]]:
        return altered_literals(node, self._text, self._rng, margin, self._pool, count=self._count)

    def _inlined_changes(self, name: ast.expr, value: ast.expr, found: list[list[Change]]) -> list[list[Change]]:
        """Other values for what a name stands for, written where the name is."""
        start, end = self._text.byte_span(name)
        texts = [self._text.node_text(value, changes) for changes in found]
        return [[Change(start, end, f"({text})" if "\n" in text else text)] for text in texts]

    def _literal_behind(self, node: ast.expr) -> ast.expr:
        return self._values.get(node.id, node) if isinstance(node, ast.Name) else node

    def _literal_changes(self, found: Iterable[list[Change]], *, certain: bool) -> Iterator[Contradiction]:
        first, *others = [*map(tuple, found), ()]
        if first:
            yield Contradiction(first, LITERAL, certain, also=tuple(filter(None, others)))

    def _wrapped_change(self, before: str, node: ast.expr, after: str, kind: int) -> Contradiction:
        start, end = self._text.byte_span(node)
        return Contradiction((Change(start, start, before), Change(end, end, after)), kind, False)


def _joint_changes(parts: list[list[list[Change]]]) -> list[list[Change]]:
    """Changes of all the parts at once, as often as each part has some."""
    return [[change for each in one for change in each] for one in zip(*parts, strict=False)]


def _rows_of(table: ast.expr, *, pairs: bool) -> list[ast.expr]:
    """The rows of a table that is written down; a dictionary's, as pairs."""
    if isinstance(table, ast.Dict):
        return [
            ast.Tuple(elts=[key, value]) for key, value in zip(table.keys, table.values, strict=True) if key and pairs
        ]
    return list(table.elts) if isinstance(table, ast.List | ast.Tuple) and not pairs else []


def _cell(row: ast.expr, at: int, width: int) -> ast.expr | None:
    if isinstance(row, ast.Call) and called_name(row) == "param":
        return row.args[at] if at < len(row.args) else None
    if width == 1:
        return row
    return row.elts[at] if isinstance(row, ast.List | ast.Tuple) and at < len(row.elts) else None


def _is_equated(helper: str, users: Iterable[ast.AST]) -> bool:
    """Whether whatever tests do with what a helper gives is to say that something equals it, and exactly that.

    Only then another value is a contradiction: a lower bound, or a value within reach of another, contradicts nothing.
    """
    for user in users:
        equal = [
            node
            for node in ast.walk(user)
            if (isinstance(node, ast.Compare) and [type(op) for op in node.ops] == [ast.Eq])
            or (isinstance(node, ast.Call) and called_name(node) in _EQUAL)
        ]
        if sum(mention_count(node, helper) for node in equal) != mention_count(user, helper) or mention_count(
            user, "approx"
        ):
            return False
    return True


def _fails_only(body: list[ast.stmt]) -> bool:
    """Whether statements do nothing but fail a test."""
    match body:
        case [ast.Raise()]:
            return True
        case [ast.Expr(value=ast.Call() as call)]:
            return called_name(call) == "fail"
        case [ast.Assert(test=ast.Constant(value=value))]:
            return not value
    return False
