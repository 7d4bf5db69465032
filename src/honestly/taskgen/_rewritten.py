"""Ways to write the same Python otherwise, as somebody else might: helpers in their callers, no caches, attributes that
are kept in another order, or beside one more.

Each changes only what the reference changes, and says whether it did. What depends on the layout of an object
(`__slots__`, `vars`, dataclasses, `__setattr__`) is left alone: there another layout is another behaviour.
"""

import ast
import copy
import re
from collections import Counter
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher

from honestly.records import Task, Tree
from honestly.taskgen._image import reference_written
from honestly.tasks import text_in

NOT_RENAMED = {"locals", "globals", "vars", "exec", "eval", "dir", "super"}
_LARGEST = 1 << 20
_CACHES = re.compile(r"(?:functools\.)?(?:lru_cache|cache)\b")
_LAID_OUT = re.compile(
    r"__slots__|__dict__|__getstate__|__setattr__|__getattr\w*__|\bvars\(|dataclass|attrs?\.|@define|NamedTuple|BaseModel|Enum"
)


class Surroundings:
    """What is written in a task beside one file of its reference, and which lines of that the reference changes."""

    def __init__(self, task: Task, final: Tree, path: str) -> None:
        whole = final
        if task.environment is not None:
            whole = reference_written(task, final).over(task.environment.context)
        others = [file for other, file in whole.files.items() if other != path]
        parts = [file.data for file in (*others, *task.workspace.files.values()) if len(file.data) <= _LARGEST]
        parts.append(task.instruction.encode("utf-8", "replace"))
        self._text = b"\n".join(parts).decode("utf-8", "replace")
        before, after = text_in(task.workspace, path).splitlines(), text_in(final, path).splitlines()
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        self._changed = {at + 1 for kind, _, _, start, end in blocks if kind != "equal" for at in range(start, end)}

    def stands_elsewhere(self, text: str) -> bool:
        """Whether a text stands anywhere else."""
        return text in self._text

    def touches(self, node: ast.stmt) -> bool:
        """Whether the reference changes a line of a statement."""
        return not self._changed.isdisjoint(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def is_plain(function: ast.FunctionDef) -> bool:
    """Whether nothing is evaluated where the function is defined."""
    arguments = function.args
    defaults = [*arguments.defaults, *filter(None, arguments.kw_defaults)]
    return not function.decorator_list and all(isinstance(each, ast.Constant) for each in defaults)


def _without_caches(tree: ast.Module, around: Surroundings) -> bool:
    """Functions that compute again what they would have remembered."""
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and around.touches(node):
            kept = [each for each in node.decorator_list if not _CACHES.match(ast.unparse(each))]
            uses = ("cache_info", "cache_clear", "cache_parameters", "__wrapped__")
            if len(kept) < len(node.decorator_list) and not any(map(around.stands_elsewhere, uses)):
                node.decorator_list = kept
                changed = True
    return changed


def _with_an_attribute(tree: ast.Module, around: Surroundings) -> bool:
    """One more private attribute of each object whose attributes are plain."""
    changed = False
    for function in _makers(tree, around):
        target = ast.Attribute(ast.Name("self", ast.Load()), "_own_note", ast.Store())
        function.body.append(ast.Assign([target], ast.Constant(None)))
        changed = True
    return changed


def _with_attributes_turned(tree: ast.Module, around: Surroundings) -> bool:
    """Attributes that are set from plain names, in the opposite order."""
    changed = False
    for function in _makers(tree, around):
        body, at = function.body, 0
        while at < len(body):
            end = at
            while end < len(body) and _is_plain_attribute(body[end]):
                end += 1
            if end - at > 1 and len({ast.unparse(each).partition("=")[0] for each in body[at:end]}) == end - at:
                body[at:end] = body[at:end][::-1]
                changed = True
            at = max(end, at + 1)
    return changed


def _makers(tree: ast.Module, around: Surroundings) -> list[ast.FunctionDef]:
    """`__init__` of the classes that the reference changes, where nothing depends on which attributes there are."""
    if _LAID_OUT.search(ast.unparse(tree)):
        return []
    return [
        each
        for node in tree.body
        if isinstance(node, ast.ClassDef) and around.touches(node) and not node.keywords and not node.decorator_list
        for each in node.body
        if isinstance(each, ast.FunctionDef) and each.name == "__init__" and each.args.args[:1]
        and each.args.args[0].arg == "self"
    ]  # fmt: skip


def _is_plain_attribute(node: ast.stmt) -> bool:
    """Whether a statement is `self.a = b`, of a name or a constant."""
    return (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(target := node.targets[0], ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == "self"
        and isinstance(node.value, ast.Name | ast.Constant)
    )


def _inlined(tree: ast.Module, around: Surroundings) -> bool:
    """Private functions that are one expression, in the places where they are called with plain arguments."""
    helpers = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and re.match(r"_[a-z]", node.name) and around.touches(node)
        and is_plain(node) and _one_expression(node) is not None and not around.stands_elsewhere(node.name)
    }  # fmt: skip
    calls = _Calls(helpers)
    calls.visit(tree)
    return calls.changed


class _Calls(ast.NodeTransformer):
    """Puts a helper's expression in the place of its calls; the helper itself stays."""

    def __init__(self, helpers: Mapping[str, ast.FunctionDef]) -> None:
        self._helpers, self.changed = helpers, False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        helper = self._helpers.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if helper is None or node.keywords or len(node.args) != len(helper.args.args):
            return node
        inner = _one_expression(helper)
        assert inner is not None
        uses = Counter(each.id for each in ast.walk(inner) if isinstance(each, ast.Name))
        once = all(
            uses[each.arg] == 1 for each in helper.args.args
        )  # else it would be computed more than once, or never
        if not once and not all(isinstance(each, ast.Name | ast.Constant) for each in node.args):
            return node
        given = {each.arg: value for each, value in zip(helper.args.args, node.args, strict=True)}
        self.changed = True
        filled: ast.AST = _Filled(given).visit(copy.deepcopy(inner))
        return filled


class _Filled(ast.NodeTransformer):
    """Puts arguments in the place of parameters."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self._given.get(node.id, node))


def _one_expression(function: ast.FunctionDef) -> ast.expr | None:
    """What a function returns, where that is all that it does, and nothing in it has names of its own."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    given = function.args
    if len(body) != 1 or not isinstance(body[0], ast.Return) or given.vararg or given.kwarg or given.kwonlyargs:
        return None
    own = (
        *(ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr, ast.Yield),
        ast.YieldFrom,
    )
    value = body[0].value
    if value is None or given.defaults or given.posonlyargs or any(isinstance(each, own) for each in ast.walk(value)):
        return None
    names = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
    return None if names & {function.name, *NOT_RENAMED} else value


REWRITTEN: Mapping[str, Callable[[ast.Module, Surroundings], bool]] = {
    "its helpers in their callers": _inlined,
    "nothing cached": _without_caches,
    "one more private attribute": _with_an_attribute,
    "attributes set in another order": _with_attributes_turned,
}
"""By what is said of them."""
