"""A Python module written another way: it does the same, and neither its words nor its instructions say which it is."""

from __future__ import annotations

import ast
import builtins

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    import random

_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
    ast.Eq: ast.Eq, ast.NotEq: ast.NotEq, ast.Is: ast.Is, ast.IsNot: ast.IsNot,
}  # fmt: skip
_BUILT_IN = frozenset(dir(builtins))
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal, ast.MatchAs)
"""Where a name in a function may not be the function's own: its names are left as they are."""


def rewritten_module(source: str, rng: random.Random) -> str:
    """A module that does the same: other local names, turned conditions, functions in another order, no docstrings.

    How much of it changes is drawn, too, so that neither a large nor a small difference says anything.
    """
    tree = ast.parse(source)
    return ast.unparse(ast.fix_missing_locations(_Writer(tree, rng).visit(tree)))


class _Writer(ast.NodeTransformer):
    def __init__(self, tree: ast.Module, rng: random.Random) -> None:
        self._rng = rng
        self._share = rng.choice((0.05, 0.3, 0.7, 1.0))
        self._outside = _BUILT_IN | {name for node in tree.body for name in _bound(node)}
        self._names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | self._outside
        self._names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}

    def _draw_change(self) -> bool:
        return self._rng.random() < self._share

    def _fresh_name(self, like: str = "value") -> str:
        while (name := f"{like}_{self._rng.randrange(1000)}") in self._names:
            pass
        self._names.add(name)
        return name

    def _mixed_statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements without docstring; neighbouring functions in another order, if defining them asks nothing."""
        made: list[ast.stmt] = []
        run: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        for node in [*_without_docstring(body), None]:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _asks_nothing(node):
                run.append(node)
                continue
            if len({each.name for each in run}) == len(run) and self._draw_change():
                self._rng.shuffle(run)
            made += [*run, *([node] if node is not None else [])]
            run = []
        return made

    def visit_Module(self, node: ast.Module | ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        node.body = self._mixed_statements(node.body)
        return node

    visit_ClassDef = visit_Module  # noqa: N815 - a name of `ast`

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        inside = [each for statement in node.body for each in ast.walk(statement)]
        if not any(isinstance(each, _SCOPES) for each in inside):
            taken = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)} | self._outside
            taken |= {each.name for each in inside if isinstance(each, ast.ExceptHandler) and each.name}
            stored = [each.id for each in inside if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
            own = dict.fromkeys(name for name in stored if name not in taken)
            new = {name: self._fresh_name(name) for name in own if self._draw_change()}
            for each in inside:
                if isinstance(each, ast.Name):
                    each.id = new.get(each.id, each.id)
        if self._draw_change():
            unused = ast.Name(self._fresh_name(), ast.Store())
            node.body.insert(0, ast.Assign([unused], ast.Constant(self._rng.randrange(1000))))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - a name of `ast`

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if node.value is None or not self._draw_change():
            return node
        name = self._fresh_name()
        return [ast.Assign([ast.Name(name, ast.Store())], node.value), ast.Return(ast.Name(name, ast.Load()))]

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if self._draw_change():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            if node.orelse:
                node.body, node.orelse = node.orelse, node.body
            else:
                node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if self._draw_change():
            node.test, node.body, node.orelse = ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        operator, right = node.ops[0], node.comparators[0]
        alone = len(node.ops) == 1 and type(operator) in _TURNED
        if alone and _is_plain(node.left) and _is_plain(right) and self._draw_change():
            return ast.Compare(right, [_TURNED[type(operator)]()], [node.left])
        return node


def _bound(node: ast.stmt) -> list[str]:
    """Names that a statement of the module may bind."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [each.asname or each.name.partition(".")[0] for each in node.names]
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]


def _is_plain(node: ast.expr) -> bool:
    """Whether reading it changes nothing, so that it may be read earlier or later than another."""
    return isinstance(node, ast.Name | ast.Constant) or (isinstance(node, ast.Attribute) and _is_plain(node.value))


def _asks_nothing(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    defaults = [*node.args.defaults, *node.args.kw_defaults]
    return not node.decorator_list and all(each is None or isinstance(each, ast.Constant) for each in defaults)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        body = body[1:]
    return body or [ast.Pass()]
