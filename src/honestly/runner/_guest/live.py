"""The facts on a program's text, apart from what it carries along: run in a sandbox, since whoever wrote it chose what
is read.

Statements that nothing returned, raised or written depends on are left out (names are followed without regard to order
or branch, so little that is live is lost); the rest is compiled, and its code without names and constants is its shape.
Texts of one shape are the same but for names and constants. Nothing of a text is ever executed.
"""

from __future__ import annotations

import ast
import json
import signal
import sys
import zlib
from opcode import opname
from types import CodeType

_PURE = frozenset("abs all any dict len list max min range repr round set sorted str sum tuple".split())  # noqa: SIM905
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_SKIPPED = ("ctx", "op", "ops")
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_KEPT = (ast.Break, ast.Continue, ast.Pass, ast.Global, ast.Nonlocal, ast.ExceptHandler, ast.match_case)
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_CONSTANT = {"LOAD_CONST", "RETURN_CONST", "LOAD_SMALL_INT"}
_SHINGLE, _SKETCH = 12, 24
_PATIENCE_S = 0.5
"""For one text: somebody may have written it to be slow to read."""


class _Statement:
    """A statement, and what must be live for it to be."""

    def __init__(self, node: ast.AST, parent: _Statement | None) -> None:
        self.node, self.parent, self.live = node, parent, False
        self.always = isinstance(node, ast.Return | ast.Raise | ast.Assert | ast.Delete)
        self.targets: set[str] = set()  # none for a branch or a loop, which lives by what is in it
        self.names, stored = _statement_names(node)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            self.targets = stored.union(
                *map(_changed_name, node.targets if isinstance(node, ast.Assign) else [node.target])
            )
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self.targets = {(each.asname or each.name).partition(".")[0] for each in node.names}
        elif isinstance(node, _DEFINES):
            self.targets = {node.name}
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            self.targets = _changed_name(function) if isinstance(function, ast.Attribute) else set()
            self.always = isinstance(function, ast.Name) and function.id not in _PURE
        elif isinstance(node, ast.Expr):
            self.always = isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await)


def _statement_names(node: ast.AST) -> tuple[set[str], set[str]]:
    """All names in a statement, less those in its blocks; and those of them that it binds."""
    names, stored, left = set[str](), set[str](), [node]
    while left:
        each = left.pop()
        if type(each) is ast.Name:
            names.add(each.id)
            if type(each.ctx) is ast.Store:
                stored.add(each.id)
        elif type(each) is not ast.Constant:
            if type(each) is ast.arg:
                names.add(each.arg)
            for field in each._fields:
                if field not in _SKIPPED and (each is not node or field not in _BLOCKS):
                    value = getattr(each, field, None)
                    if isinstance(value, ast.AST):
                        left.append(value)
                    elif isinstance(value, list):
                        left += [part for part in value if isinstance(part, ast.AST)]
    return names, stored


def _changed_name(target: ast.expr) -> set[str]:
    """The name that is changed by an assignment to an item or attribute of it, or by a call of its method."""
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
        target = target.value
    return {target.id} if isinstance(target, ast.Name) else set()


def _collect_statements(body: list[ast.stmt], parent: _Statement | None, found: list[_Statement]) -> None:
    for node in body:
        statement = _Statement(node, parent)
        found.append(statement)
        for name in _BLOCKS:
            inner = getattr(node, name, None)
            if isinstance(inner, list) and not (name == "body" and _never(node)):
                _collect_statements(inner, statement, found)
        if isinstance(node, _ENDS):
            break


def _never(node: ast.AST) -> bool:
    return isinstance(node, ast.If | ast.While) and isinstance(node.test, ast.Constant) and not node.test.value


def _mark_live(found: list[_Statement], entry: set[str]) -> None:
    """Marks what is live, given the names that are asked for from outside."""
    names, grown = set(entry), True
    while grown:
        grown = False
        for each in found:
            if each.live or not (each.always or each.targets & names):
                continue
            around, above = each.parent, [each]
            while around is not None and not isinstance(around.node, _DEFINES):
                above.append(around)
                around = around.parent
            if around is None or around.live:
                grown = True
                for one in above:
                    one.live = True
                    names |= one.names


def _pruned_body(body: list[ast.stmt], live: set[int]) -> list[ast.stmt]:
    kept = []
    for node in body:
        if id(node) in live or isinstance(node, _KEPT):
            for name in _BLOCKS:
                inner = getattr(node, name, None)
                if isinstance(inner, list) and inner:
                    left = _pruned_body(inner, live)
                    setattr(node, name, left or ([ast.Pass(lineno=1, col_offset=0)] if name == "body" else []))
            kept.append(node)
    return kept


def program_facts(text: str, asked: str) -> tuple[int, int, int, list[int]] | None:
    """Length, shape and constants of what is live in a text, and a sketch of its shape; None if it is not Python.

    Args:
        text: a module.
        asked: words, of which those that the module defines are called from outside.
    """
    try:
        tree = ast.parse(text)
        found: list[_Statement] = []
        _collect_statements(tree.body, None, found)
        defined = {each.node.name for each in found if isinstance(each.node, _DEFINES) and each.parent is None}
        _mark_live(found, {name for name in defined if name in asked} or defined)
        tree.body = _pruned_body(tree.body, {id(each.node) for each in found if each.live})
        code = compile(tree, "", "exec", optimize=2)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    own = defined.union(*(each.targets for each in found if each.parent is None))
    shape, steps, constants = bytearray(), bytearray(), list[str]()
    _walk(code, own, shape, steps, constants)
    shingles = {zlib.crc32(steps[at : at + _SHINGLE]) for at in range(max(1, len(steps) - _SHINGLE + 1))}
    said = "\n".join(constants).encode("utf-8", "replace")
    return len(steps), zlib.crc32(shape), zlib.crc32(said), sorted(shingles)[:_SKETCH]


def _walk(code: CodeType, own: set[str], shape: bytearray, steps: bytearray, constants: list[str]) -> None:
    """Takes apart code and the functions in it.

    Args:
        code: what was compiled.
        own: names of the module's own, which may be any.
        shape: gets instructions with arguments, but for constants, and the names that are not the module's own.
        steps: gets instructions alone.
        constants: gets what the code holds.
    """
    for step, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        if step:
            shape += bytes((step, 0 if opname[step] in _CONSTANT else argument))
            steps.append(step)
            if opname[step] == "LOAD_SMALL_INT":
                constants.append(str(argument))
    shape += "\n".join("" if name in own else name for name in code.co_names).encode("utf-8", "replace")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _walk(constant, own, shape, steps, constants)
        else:
            constants.append(str(sorted(map(repr, constant))) if isinstance(constant, frozenset) else repr(constant))


def main() -> None:
    """Answers each line of the input, a text and the words that are asked for, with a line of JSON."""
    signal.signal(signal.SIGALRM, _late)
    for line in sys.stdin.buffer:
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE_S)
        print(json.dumps(program_facts(*json.loads(line))), flush=True)


def _late(_signal: int, _frame: object) -> None:
    raise ValueError("it takes too long to read")


if __name__ == "__main__":
    main()
