"""What changed functions answer, old against new, to the same calls: recorded from the tests, and generated from those.

Compared are functions of modules in Python that stand in both states with the same parameters, on arguments that are
plain data. A call whose answer is not the same twice in the old state says nothing, nor does one with arguments that no
test used and the old state refused for their type. Not covered: methods, functions of objects, effects on the disk.
"""

import ast
import json
import random
from collections.abc import Iterator, Sequence
from importlib.resources import files

from honestly.check._change import Change, python_of, text_of
from honestly.check._records import Difference
from honestly.check._suite import LinesRun, ProjectSuite
from honestly.errors import SandboxError
from honestly.records import Tree
from honestly.verify import furnished_opener

Function = tuple[str, int, str]
"""Path, first line in the state after, `path::name`."""
_MOST_FUNCTIONS, _MOST_CALLS, _TRIED_S = 30, 60, 90.0
_POOL: dict[str, tuple[object, ...]] = {
    "int": (0, 1, -1, 2, 7, 100), "float": (0.0, 1.5, -2.0), "str": ("", "a", "Hello, World", " x ", "1"),
    "bool": (True, False), "bytes": (b"", b"a"), "list": ([], [1], [3, 1, 2], ["b", "a"]), "dict": ({}, {"a": 1}),
    "None": (None,), "tuple": ((), (1, 2)), "set": ({1},),
}  # fmt: skip
_ANY: tuple[object, ...] = (0, 1, -1, "", "a", [], [2, 1], None, 1.5, {"a": 1})


def functions_of(change: Change, *, new: bool = False) -> list[Function]:
    """The functions that stand in both states, with other bodies and the same parameters; with `new`, new ones, too."""
    found: list[Function] = []
    for path in change.sources:
        if not path.endswith(".py") or not (new or path in change.before.files):
            continue
        old, fresh = (_functions(text_of(tree, path)) for tree in (change.before, change.after))
        for name, node in fresh.items():
            same = name in old and ast.dump(old[name].args) == ast.dump(node.args)
            if (same and ast.dump(old[name]) != ast.dump(node)) or (new and not same):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                found.append((path, first, f"{path}::{name}"))
    return found[:_MOST_FUNCTIONS]


def _functions(text: str) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in python_of(text).body if isinstance(node, ast.FunctionDef)}


async def compared_calls(
    change: Change, suite: ProjectSuite, functions: Sequence[Function], seen: LinesRun | None, seed: int
) -> list[Difference] | None:
    """The smallest call of each changed function with another answer now; None where no call could be compared."""
    calls = [(name, text, source) for _, _, name in functions for text, source in calls_of(name, change, seen, seed)]
    if suite.kind != "python" or not calls:
        return None
    try:
        old, again, new = [
            await answers_to(tree, suite, calls) for tree in (change.before, change.before, change.after)
        ]
    except SandboxError:
        return None
    if old is None or again is None or new is None:
        return None
    compared = [
        (call, one, other)
        for call, one, twin, other in zip(calls, old, again, new, strict=True)
        if one is not None and twin is not None and other is not None and _equal(one, twin)
    ]
    # An answer that fails in both states, because the arguments are of no use, is compared by its kind alone.
    different = [
        Difference(name, f"{name.rpartition('::')[2]}({text[1:-1]})", one, other, source)
        for (name, text, source), one, other in compared
        if not _equal(one, other)
        and not (source == "generated" and one.startswith(("TypeError", "AttributeError")))
        and not ("Error: " in one and one.partition(":")[0] == other.partition(":")[0])
    ]
    if not compared:
        return None
    smallest: dict[str, Difference] = {}
    for each in sorted(different, key=lambda one: (one.source != "recorded", len(one.call))):
        smallest.setdefault(each.function, each)
    return list(smallest.values())


def _equal(one: str, other: str) -> bool:
    """Whether two answers are equal as Python sees it: 25.0 and 25 are, True and 1, or '25.0' and '25', are not."""
    return one == other or _without_spelling(one) == _without_spelling(other)


def _without_spelling(text: str) -> str:
    try:
        return ast.dump(_OneSpelling().visit(ast.parse(text, mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


class _OneSpelling(ast.NodeTransformer):
    """Whole numbers as integers, sets and dicts in one order."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        whole = isinstance(node.value, float) and node.value.is_integer()
        return ast.Constant(int(node.value)) if whole and isinstance(node.value, float) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        zero = isinstance(node.operand, ast.Constant) and node.operand.value == 0
        return node.operand if zero and isinstance(node.op, ast.USub) else node

    def visit_Set(self, node: ast.Set) -> ast.Set:
        self.generic_visit(node)
        return ast.Set(sorted(node.elts, key=ast.dump))

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:
        self.generic_visit(node)
        pairs = sorted(zip(node.keys, node.values, strict=True), key=lambda pair: ast.dump(pair[0]) if pair[0] else "")
        return ast.Dict([key for key, _ in pairs], [value for _, value in pairs])


def calls_of(name: str, change: Change, seen: LinesRun | None, seed: int) -> Iterator[tuple[str, str]]:
    """Arguments as literals, and where they come from."""
    recorded = sorted(seen.calls.get(name, ()), key=len) if seen is not None else []
    yield from ((text, "recorded") for text in recorded[:_MOST_CALLS])
    draw = random.Random(f"{seed} {name}")  # noqa: S311 - examples, no secret
    made: dict[str, None] = {}
    for text in recorded:
        for arguments in _near(ast.literal_eval(text)):
            made.setdefault(repr(arguments))
    if not recorded:
        path, _, function = name.partition("::")
        node = _functions(text_of(change.after, path))[function]
        pools = [_pool(each.annotation) for each in node.args.args]
        if not (node.args.kwonlyargs or node.args.vararg or node.args.kwarg) and len(pools) <= 4:
            for _ in range(_MOST_CALLS):
                made.setdefault(repr([draw.choice(pool) for pool in pools]))
    new = [text for text in made if text not in recorded]
    yield from ((text, "generated") for text in draw.sample(new, min(len(new), _MOST_CALLS)))


def _pool(annotation: ast.expr | None) -> tuple[object, ...]:
    text = ast.unparse(annotation) if annotation is not None else ""
    found = [value for name, values in _POOL.items() if name in text for value in values]
    return tuple(found) or _ANY


def _near(arguments: list[object]) -> Iterator[list[object]]:
    """The same arguments with one of them a little different."""
    for at, value in enumerate(arguments):
        for other in _neighbours(value):
            yield [*arguments[:at], other, *arguments[at + 1 :]]


def _neighbours(value: object) -> tuple[object, ...]:
    match value:
        case bool():
            return (not value,)
        case int() | float():
            return value + 1, value - 1, 0, -value, value * 2, value + 10
        case str():
            return "", value + value, value[:1], value[1:], value.upper(), value[::-1]
        case bytes() | list() | tuple():
            return value[:0], value[:1], value[1:], value[::-1], value * 2
        case dict():
            return {}, dict(list(value.items())[1:])
        case _:
            return ()


async def answers_to(tree: Tree, suite: ProjectSuite, calls: Sequence[tuple[str, str, str]]) -> list[str | None] | None:
    """What functions of a state answer to calls; None for one that answers nothing in time, or for all of them."""
    program = files("honestly.check._guest").joinpath("calls.py").read_text("utf-8")
    orders = {
        "folders": list(suite.preparation.pythonpath),
        "calls": [(*name.partition("::")[::2], text) for name, text, _ in calls],
    }
    boxes = furnished_opener(suite.preparation, suite.open_box)
    async with boxes(suite.made.over(tree)) as box:
        done = await box.exec(["python3", "-B", "-c", program], stdin=json.dumps(orders).encode(), timeout=_TRIED_S)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return None
    return (
        [each if isinstance(each, str) else None for each in found]
        if isinstance(found, list) and len(found) == len(calls)
        else None
    )
