"""Small faults for Python source: one changed operator, constant, condition, exception or statement at a time.

The syntax tree says what to change; the change itself is a replacement of bytes, so that everything else of the file
stays as it was written, line numbers included. The operators are the usual ones of mutation testing (Offutt et al., "An
Experimental Determination of Sufficient Mutant Operators", 1996: relational, arithmetic and logical operators), with
removed statements, off-by-one, exception types, swapped arguments and loop control beside them.

Left alone, because no test is expected to look there or nothing would ever survive: docstrings, annotations, imports,
decorators, `__all__` and `__slots__`, blocks under TYPE_CHECKING or `__name__`, the words of a raised exception,
and the only assignment of a name.

A test suite has faults of another kind: another constant in it is another test, a lost assertion may be repeated in the
next line, and neither need make it a bad one. There, a mutant is the suite without one of its tests.
"""

import ast
import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from honestly.tasks.mutants._expressions import ARITHMETIC, fault_variants, is_none, is_text

_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp),
    ast.GeneratorExp,
)
_UNSEEN = ("__all__", "__slots__")


@dataclass(frozen=True, slots=True)
class Change:
    """A replacement of bytes `start` to `end` of a file."""

    start: int
    end: int
    text: str
    operator: str
    """compare, arithmetic, boolean, constant, negate, return, remove, bounds, swap, except, loop, omit."""
    owner: str
    """Dotted name of the function or class that it lies in; empty outside of any."""
    around: tuple[int, int]
    """First and last byte of what decides whether it matters: the function, or the statement outside of any."""


def python_changes(source: bytes) -> list[Change]:
    """Every change of a module, in the order of its text.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is not Python.
    """
    walk = _Walk(source)
    walk.walk_block(ast.parse(source).body)
    return sorted(walk.found, key=lambda change: (change.start, change.end, change.operator, change.text))


def test_omissions(source: bytes) -> list[Change]:
    """For each test of a test suite, the change that empties it; raises as `python_changes` does."""
    walk = _Walk(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            (start, _), (_, end) = walk.byte_place(node.body[0]), walk.byte_place(node.body[-1])
            walk.found.append(Change(start, end, "pass", "omit", node.name, (start, end)))
    return sorted(walk.found, key=lambda change: change.start)


class _Walk:
    def __init__(self, source: bytes) -> None:
        self.found: list[Change] = []
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts
        self._owner = ""
        self._around: tuple[int, int] | None = None
        self._bound: dict[str, int] = {}

    def walk_block(self, body: list[ast.stmt], name: str = "") -> None:
        """The statements of a module, or of a class or function with this name."""
        before = self._owner, self._bound
        self._owner, self._bound = f"{self._owner}.{name}".strip("."), _assigned(body)
        for statement in body:
            outside = self._around
            if outside is None and not isinstance(statement, ast.ClassDef):
                self._around = self.byte_place(statement)
            self._walk_statement(statement)
            self._around = outside
        self._owner, self._bound = before

    def _walk_statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.ClassDef):
            self.walk_block(node.body, node.name)
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)):
                self._change_expression(default)
            self.walk_block(node.body, node.name)
            return
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal | ast.Pass) or _is_unseen(node):
            return
        if self._owner and _is_removable(node, self._bound):
            self._put_change(node, "pass", "remove")
        if isinstance(node, ast.Break | ast.Continue):
            self._put_change(node, "continue" if isinstance(node, ast.Break) else "break", "loop")
        if isinstance(node, ast.Raise):
            kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(kind, ast.Name):
                self._put_change(kind, "RuntimeError" if kind.id != "RuntimeError" else "ValueError", "except")
            return
        self._operators_of(node)
        for field, value in ast.iter_fields(node):
            if field != "annotation":
                for child in value if isinstance(value, list) else [value]:
                    self._walk_part(child)

    def _walk_part(self, node: object) -> None:
        if isinstance(node, ast.stmt):
            self._walk_statement(node)
        elif isinstance(node, ast.ExceptHandler | ast.match_case):
            self._walk_clause(node)
        elif isinstance(node, ast.withitem):
            self._change_expression(node.context_expr)
        elif isinstance(node, ast.expr):
            self._change_expression(node)

    def _walk_clause(self, node: ast.ExceptHandler | ast.match_case) -> None:
        if isinstance(node, ast.ExceptHandler):
            if node.type is not None:
                self._put_change(node.type, "()", "except")
                if isinstance(node.type, ast.Tuple):
                    for index in range(len(node.type.elts)):
                        rest = node.type.elts[:index] + node.type.elts[index + 1 :]
                        self._swap_expression(node.type, ast.Tuple(elts=rest, ctx=ast.Load()), "except")
        else:
            for part in ast.walk(node.pattern):
                if isinstance(part, ast.MatchValue):
                    self._change_expression(part.value)
            if node.guard is not None:
                self._change_condition(node.guard)
                self._change_expression(node.guard)
        for statement in node.body:
            self._walk_statement(statement)

    def _operators_of(self, node: ast.stmt) -> None:
        """Changes of a statement that are not changes of one of its expressions."""
        if isinstance(node, ast.If | ast.While):
            self._change_condition(node.test)
        elif isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
            self._put_change(node.value, "None", "return")
        elif isinstance(node, ast.AugAssign):
            changed = copy.copy(node)
            changed.op = ARITHMETIC.get(type(node.op), ast.Add)()
            if not isinstance(node.op, ast.MatMult) and not is_text(node.value):
                self._put_change(node, ast.unparse(changed), "arithmetic")

    def _change_expression(self, node: ast.expr) -> None:
        for part in _expression_parts(node):
            if isinstance(part, ast.expr):
                for new, operator in fault_variants(part):
                    self._swap_expression(part, new, operator)
            if isinstance(part, ast.JoinedStr):
                self._change_formatted(part)
            elif isinstance(part, ast.IfExp):
                self._change_condition(part.test)
            elif isinstance(part, ast.comprehension):
                for test in part.ifs:
                    self._change_condition(test)

    def _change_condition(self, test: ast.expr) -> None:
        # The operators of a single comparison and of `not` already give the negated condition.
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1) and not isinstance(test, ast.UnaryOp):
            self._swap_expression(test, ast.UnaryOp(op=ast.Not(), operand=test), "negate")

    def _change_formatted(self, node: ast.JoinedStr) -> None:
        """Changes inside of an f-string, which is replaced as a whole: its parts have no places of their own."""
        for at, value in enumerate(node.values):
            if not isinstance(value, ast.FormattedValue):
                continue
            for part in _expression_parts(value.value):
                for new, operator in fault_variants(part):
                    changed = copy.copy(node)
                    changed.values = list(node.values)
                    inner = copy.copy(value)
                    memo: dict[int, object] = {id(part): new}
                    inner.value = copy.deepcopy(value.value, memo)
                    changed.values[at] = inner
                    self._swap_expression(node, changed, operator)

    def _swap_expression(self, node: ast.expr, new: ast.expr, operator: str) -> None:
        try:
            text = ast.unparse(ast.fix_missing_locations(new))
        except (ValueError, RecursionError):  # some f-strings of newer Pythons cannot be written down in older ones
            return
        bare = isinstance(new, ast.Slice | ast.Name) or (isinstance(new, ast.Constant) and not text.startswith("-"))
        self._put_change(node, text if bare else f"({text})", operator)

    def _put_change(self, node: ast.expr | ast.stmt, text: str, operator: str) -> None:
        start, end = self.byte_place(node)
        self.found.append(Change(start, end, text, operator, self._owner, self._around or (start, end)))

    def byte_place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """First byte of a piece of syntax, and the byte after its last."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset


def _expression_parts(node: ast.AST) -> Iterator[ast.AST]:
    """An expression and what it consists of; f-strings are not opened, nor are the patterns of type hints."""
    yield node
    if not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr | ast.comprehension | ast.keyword | ast.arguments):
                yield from _expression_parts(child)


def _assigned(body: Iterable[ast.stmt]) -> dict[str, int]:
    """How often each name is bound by the statements of a function; inner scopes are left out."""
    count: dict[str, int] = {}
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            count[node.id] = count.get(node.id, 0) + 1
        if not isinstance(node, _SCOPES):
            pending += ast.iter_child_nodes(node)
    return count


def _is_removable(node: ast.stmt, bound: dict[str, int]) -> bool:
    if isinstance(node, ast.Assign):
        names = [part for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        stored = [name.id for name in names if isinstance(name.ctx, ast.Store)]
        return not stored or all(bound.get(name, 0) > 1 for name in stored)
    if isinstance(node, ast.AnnAssign):
        return node.value is not None and not isinstance(node.target, ast.Name)
    return isinstance(node, ast.AugAssign | ast.Expr | ast.Raise | ast.Delete | ast.Assert)


def _is_unseen(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # a docstring, or `...`
    if isinstance(node, ast.If):
        left = node.test.left if isinstance(node.test, ast.Compare) else node.test
        return isinstance(left, ast.Name) and left.id in {"TYPE_CHECKING", "__name__"}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and target.id in _UNSEEN for target in targets)
