"""Tests that ask for all of their values in one run: what a test computes is computed once, and compared with each.

A test and its twins differ in one statement, mostly: an assertion. Of that statement, everything in which they agree
is taken out and computed first; what is left compares, and is asked in all versions:

    assert total(3) == 12  becomes  __asked__.ask_versions((lambda _0: _0 == 13, lambda _0: _0 == 12, ...), total(3))

The order is that of the runs which would else ask for one version each. Where versions differ in more than that (a
table of parameters, an exception), there is no such text, and the test is there once for each run, which pytest's
runner does in forks (`copied_test`), or else it is run again.
"""

import ast
import re
from collections.abc import Sequence
from contextlib import suppress
from copy import copy, deepcopy
from typing import Any

from honestly.verify._guest.asked import COPY, NAME, Asked
from honestly.verify.inside._literals import Change, Text
from honestly.verify.inside._margins import called_name

_CALLING = {"assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex", "assertLogs", "raises", "warns"}
"""Assertions that call what they are given."""
_BARRED = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
_BRANCHING = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CONDITION = f".{Asked.ask_versions.__name__}"  # what no type checker sees, a renaming must not break
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _UnlikeError(Exception):
    """Versions that cannot be asked for in one run."""


def asking_test(before: bytes, versions: Sequence[bytes]) -> bytes | None:
    """The text of a test that asks for all of its versions; None where there is no such.

    Args:
        before: what stands before it on its first line.
        versions: the texts of the test, one for each run; some may be the same.
    """
    head = (b"if 1:\n" if before[:1].isspace() else b"") + before
    with suppress(_UnlikeError, SyntaxError, ValueError, RecursionError):
        functions = {version: _function(head + version) for version in dict.fromkeys(versions)}
        longest = max(len(function.body) for function in functions.values())
        base = next(version for version, function in functions.items() if len(function.body) == longest)
        for function in functions.values():
            if len(function.body) == longest - 1:  # a twin asserts one thing more, at its end
                function.body += ast.parse("assert True").body
        text = Text(head + base)
        # The statement in which the versions differ, as each has it: first where it stands in the text.
        differing: Sequence[ast.AST] = [functions[version] for version in (base, *versions)]
        while not isinstance(differing[0], ast.Assert | ast.Expr):
            differing = _differing_child(differing)
        changed = text.with_changes([_Asking(text, differing).asking_change()])
        ast.parse(changed)
        return changed[len(head) :]
    return None


def copied_test(before: bytes, name: str, versions: Sequence[bytes]) -> bytes | None:
    """The text of a test with a copy for each further run beside it, under a name of its own; None if it bears none."""
    pattern = re.compile(rf"\bdef\s+{name}\b".encode())
    if before.strip(b" \t@") or any(len(pattern.findall(version)) != 1 for version in versions):
        return None
    further = (
        b"\n" + before + pattern.sub(f"def {name}{COPY}{number}".encode(), version)
        for number, version in enumerate(versions[1:], 1)
    )
    return versions[0] + b"".join(further)


def is_copied(text: bytes) -> bool:
    """Whether the text of a test has copies beside it."""
    return COPY.encode() in text and NAME.encode() not in text


def _function(data: bytes) -> _Function:
    (first,) = ast.parse(data).body
    found = first.body[0] if isinstance(first, ast.If) else first
    if not isinstance(found, _Function):
        raise _UnlikeError
    return found


def _same_nodes(nodes: Sequence[ast.AST]) -> bool:
    return len({ast.dump(node) for node in nodes}) == 1


def _differing_child(nodes: Sequence[ast.AST]) -> Sequence[ast.AST]:
    """The one part in which statements differ."""
    if len({type(node) for node in nodes}) > 1 or not isinstance(nodes[0], ast.stmt | ast.excepthandler):
        raise _UnlikeError
    found: list[Sequence[ast.AST]] = []
    for name in nodes[0]._fields:
        values = [getattr(node, name) for node in nodes]
        if isinstance(values[0], list):
            if len({len(value) for value in values}) > 1:
                raise _UnlikeError
            found += [
                part for part in zip(*values, strict=True) if isinstance(part[0], ast.AST) and not _same_nodes(part)
            ]
        elif isinstance(values[0], ast.AST) and not _same_nodes(values):
            found.append(values)
    if len(found) != 1:
        raise _UnlikeError
    return found[0]


class _Asking:
    """One statement in all versions, and what asks for them."""

    def __init__(self, text: Text, versions: Sequence[ast.AST]) -> None:
        self._text = text
        self._place, *self._versions = versions
        self._values: list[ast.expr] = []
        if len({type(node) for node in versions}) > 1:
            raise _UnlikeError

    def asking_change(self) -> Change:
        """Puts what asks in the place of the statement."""
        place, versions = self._place, self._versions
        assert isinstance(place, ast.stmt)
        if isinstance(place, ast.Assert):
            return Change(
                *self._text.byte_span(place),
                self._asked_conditions([_node_field(version, "test") for version in versions]),
            )
        calls = [_node_field(version, "value") for version in versions]
        if not all(isinstance(call, ast.Call) and called_name(call) not in _CALLING for call in calls):
            raise _UnlikeError
        return Change(*self._text.byte_span(place), self._asking_call("", self._split_differing(calls)))

    def _asked_conditions(self, tests: Sequence[ast.expr]) -> str:
        """Each condition that all versions agree in, as it is; and the other, asked."""
        both = [test for test in tests if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)]
        if len(both) < len(tests):
            return self._asking_call(_CONDITION, self._split_differing(tests))
        said = []
        for parts in zip(*(test.values for test in both), strict=True):
            said.append(
                f"assert {ast.unparse(parts[0])}"
                if _same_nodes(parts)
                else self._asking_call(_CONDITION, self._split_differing(parts))
            )
        if sum(text.startswith(NAME) for text in said) != 1:
            raise _UnlikeError
        return "; ".join(said)

    def _asking_call(self, method: str, versions: Sequence[ast.expr]) -> str:
        """The call that asks for versions of an expression, of which the values are computed first."""
        if any(isinstance(node, _BARRED) for version in versions for node in ast.walk(version)):
            raise _UnlikeError
        names = ", ".join(f"_{number}" for number in range(len(self._values)))
        each = "".join(f"lambda {names}: {ast.unparse(version)}, " for version in versions)
        values = "".join(f", {ast.unparse(value)}" for value in self._values)
        return f"{NAME}{method}(({each}){values})"

    def _split_differing(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """Expressions that differ, in each the parts that do not replaced by names of values."""
        first = nodes[0]
        if _same_nodes(nodes):
            if isinstance(first, ast.Constant):
                return list(nodes)
            if isinstance(first, ast.Starred):
                return [
                    ast.Starred(value=node, ctx=ast.Load())
                    for node in self._split_differing([first.value] * len(nodes))
                ]
            self._values.append(first)
            return [ast.Name(id=f"_{len(self._values) - 1}", ctx=ast.Load())] * len(nodes)
        negated = [isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) for node in nodes]
        if any(negated) and not all(negated):
            inner = self._split_differing(
                [_node_field(node, "operand") if no else node for node, no in zip(nodes, negated, strict=True)]
            )
            pairs = zip(inner, negated, strict=True)
            return [ast.UnaryOp(op=ast.Not(), operand=node) if no else node for node, no in pairs]
        if len({_shape(node) for node in nodes}) > 1:
            # The same for what has something around it in some versions; or else, as it is, what only names values.
            core = min(map(ast.dump, nodes), key=len)
            found = next(node for node in nodes if ast.dump(node) == core)
            if all(core in map(ast.dump, ast.walk(node)) for node in nodes) and not isinstance(found, ast.Constant):
                (name, *_) = self._split_differing([found, found])
                return [_Put(core, name).visit(deepcopy(node)) for node in nodes]
            if any(isinstance(part, ast.Call) for node in nodes for part in ast.walk(node)):
                raise _UnlikeError
            return list(nodes)
        if isinstance(first, _BRANCHING) or (isinstance(first, ast.Compare) and len(first.ops) > 1):
            raise _UnlikeError
        return self._split_alike(nodes)

    def _split_alike(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """The same for expressions of one kind with as many parts, part by part, in the order of evaluation."""
        made = [copy(node) for node in nodes]
        for name in nodes[0]._fields:
            values = [getattr(node, name) for node in nodes]
            if name == "func" or not isinstance(values[0], ast.expr | list):
                parts = self._asked_functions(values) if name == "func" else values
            elif isinstance(values[0], ast.expr):
                parts = self._split_differing(values)
            else:
                columns = [self._column_arguments(column) for column in zip(*values, strict=True)]
                parts = [list(row) for row in zip(*columns, strict=True)] if columns else values
            for node, part in zip(made, parts, strict=True):
                setattr(node, name, part)
        return made

    def _column_arguments(self, column: Sequence[Any]) -> Sequence[Any]:
        """Operators as they are, and arguments by their values."""
        if isinstance(column[0], ast.keyword):
            values = self._split_differing([each.value for each in column])
            return [ast.keyword(arg=each.arg, value=value) for each, value in zip(column, values, strict=True)]
        return self._split_differing(column) if isinstance(column[0], ast.expr) else column

    def _asked_functions(self, functions: Sequence[ast.expr]) -> list[ast.expr]:
        """The called functions as they are written; what it belongs to is a value, if it is more than a name."""
        made = []
        for each in functions:
            owner = each.value if isinstance(each, ast.Attribute) else each
            if not isinstance(owner, ast.Name | ast.Constant):
                if not _same_nodes(functions) or owner is each:
                    raise _UnlikeError
                return self._split_alike(functions)
            made.append(each)
        return made


class _Put(ast.NodeTransformer):
    """Puts a name where an expression stands."""

    def __init__(self, core: str, name: ast.expr) -> None:
        self._core, self._name = core, name

    def visit(self, node: ast.AST) -> Any:  # noqa: ANN401 - as its base
        return self._name if ast.dump(node) == self._core else super().visit(node)


def _shape(node: ast.expr) -> tuple[object, ...]:
    """The shape that expressions must share to be taken apart: their type, and how many parts they have."""
    return type(node), *(len(value) for name in node._fields if isinstance(value := getattr(node, name), list))


def _node_field(node: ast.AST, field: str) -> ast.expr:
    value = getattr(node, field)
    assert isinstance(value, ast.expr)
    return value
