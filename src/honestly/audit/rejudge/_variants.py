"""Variants of a task's visible tests: the same calls with other arguments, drawn without knowing any answer.

A test is a sequence of calls with literals in it. A variant changes up to three of them into others of their types
(`_values.py`), or a word of a file that the test names, or the code that it runs, and the work was not to change. What
a test expects is left alone, since nobody will ask whether it is met: a variant is run on the reference and on the
work, and what both gave is compared elsewhere (`_perturbed.py`). Whether the new input makes any sense is for the
reference to say.

Covered are test files in Python, of unittest and plain functions of pytest's. Not covered: inputs that a test computes.
"""

import ast
import copy
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from honestly.audit.reading._left import parsed_module
from honestly.audit.reading._literals import NO_DATA, literal_data
from honestly.audit.reading._places import base_name, is_test
from honestly.audit.rejudge._harness import MEASURES
from honestly.audit.rejudge._values import Pool, other_text, other_value, pool_of
from honestly.records import Checks, Task, digest

_LARGEST = 1 << 18
# Draws that bring nothing new until a test is given up.
_TRIES = 20
# How many literals are changed at once: mostly one.
_AT_ONCE = (1, 1, 2, 3)
# Of a test that reads files, the share of the variants in which these are changed.
_FILES = 0.5
# Endings of what reads inputs, and of what is none.
_RUN = (".py", ".sh", ".js")
_CODE = (".py", ".pyc", ".sh", ".js", ".c", ".cpp", ".h", ".hpp", ".pl", ".tcl", ".jq", ".sed", ".awk", ".bc", ".md")


class Change(NamedTuple):
    """One literal, or one file, that is another."""

    place: str
    """`path:line`, or the file's path."""
    before: str
    after: str


class Variant(NamedTuple):
    """A test with an input that nobody has seen."""

    test: str
    """`module::Class.method` or `module::function`."""
    path: str
    source: str
    """The whole file."""
    changes: tuple[Change, ...] = ()
    """What is not as in the task; empty for the test as it is."""
    files: tuple[tuple[str, str], ...] = ()
    """Files of the workspace that hold another text."""

    @property
    def key(self) -> str:
        """The key of a variant within its task."""
        return digest(self.test, self.source, self.files)[:12]


class _Place(NamedTuple):
    """A literal, and what equals it in the same test."""

    nodes: tuple[ast.expr, ...]
    value: object


def original_tests(checks: Checks) -> dict[str, Variant]:
    """The expected tests as they are, by their id; those that are not found in a Python file are left out."""
    found = {}
    for name in _test_ids(checks):
        for path, module, rest in _split_test_ids(name, checks):
            tree = parsed_module(checks.files.files[path].data)
            if tree is not None and _test_function(tree, rest) is not None:
                found[name] = Variant(f"{module}::{rest}", path, _watched_source(tree))
                break
    return found


def variants_of_tests(task: Task, most: int, seed: str) -> list[Variant]:
    """At most `most` variants of the visible tests, drawn by a seed, in turn from each test and each literal in it."""
    if task.visible is None:
        return []
    rng = random.Random(seed)  # noqa: S311 - inputs, no secret
    pool, data = pool_of(task), _data_files(task)
    queues = [_of_test(task.visible, original, pool, data, rng) for original in original_tests(task.visible).values()]
    drawn: dict[str, Variant] = {}
    for _ in range(_TRIES * most):
        if not queues or len(drawn) == most:
            break
        queue = queues.pop(0)
        variant = next(queue, None)
        if variant is not None:
            drawn.setdefault(variant.key, variant)
            queues.append(queue)
    return list(drawn.values())


def _data_files(task: Task) -> dict[str, tuple[str, re.Pattern[str]]]:
    """Inputs in the workspace, not the tests' own, expected, or changed by the reference; and how tests speak of them,
    or of code that names them.
    """
    assert task.visible is not None
    changed = task.hidden.reference.write.files if task.hidden is not None else {}
    files = {path: file for path, file in task.workspace.files.items() if file.mode == "file"}
    code = {path: file.data for path, file in files.items() if path.endswith(_RUN) and not is_test(path)}
    found = {}
    for path, file in sorted(files.items()):
        name = base_name(path)
        known = path in changed or path in task.visible.files.files or path.endswith(_CODE) or MEASURES.search(path)
        if not known and len(file.data) <= _LARGEST:
            readers = (base_name(each).rpartition(".")[0] for each, text in code.items() if name.encode() in text)
            words = re.compile(rf"(?:{re.escape(name)}|\b(?:{'|'.join(map(re.escape, readers)) or '(?!)'})\b)")
            with suppress(UnicodeDecodeError):
                found[path] = file.data.decode(), words
    return found


def _test_ids(checks: Checks) -> Iterator[str]:
    """The expected tests; for a script, those that stand in its Python files."""
    if checks.runner != "script":
        yield from checks.expected
        return
    for path, file in sorted(checks.files.files.items()):
        tree = parsed_module(file.data) if path.endswith(".py") and is_test(path) else None
        for node in tree.body if tree is not None else ():
            inside = node.body if isinstance(node, ast.ClassDef) else [node]
            owner = f"::{node.name}" if isinstance(node, ast.ClassDef) else ""
            for each in inside:
                if isinstance(each, ast.FunctionDef) and each.name.startswith("test"):
                    yield f"{path}{owner}::{each.name}"


def _split_test_ids(name: str, checks: Checks) -> Iterator[tuple[str, str, str]]:
    """Path, module and rest of a test's id, as far as there is such a file."""
    if "::" in name:
        path, _, rest = name.partition("::")
        if path in checks.files.files and "[" not in rest:
            yield path, path.removesuffix(".py").replace("/", "."), rest.replace("::", ".")
        return
    words = name.split(".")
    for at in range(len(words) - 1, 0, -1):
        path = "/".join(words[:at]) + ".py"
        if path in checks.files.files:
            yield path, ".".join(words[:at]), ".".join(words[at:])


def _test_function(tree: ast.Module, rest: str) -> ast.FunctionDef | None:
    """The test function or method of this name; None where it takes what only a plugin could give."""
    owner, _, name = rest.rpartition(".")
    body: Sequence[ast.stmt] = tree.body
    if owner:
        body = next((node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owner), [])
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node if len(node.args.args) == bool(owner) and not node.decorator_list else None
    return None


class _Asserts(ast.NodeTransformer):
    """Turns bare assertions into notes of what they compare."""

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        test = node.test
        sides = (
            [test.left, *test.comparators]
            if isinstance(test, ast.Compare) and all(isinstance(sign, ast.Eq) for sign in test.ops)
            else [test]
        )
        truth = ast.Call(ast.Name("bool", ast.Load()), [test], [])
        call = ast.Call(ast.Name("__seen__", ast.Load()), sides if len(sides) > 1 else [truth], [])
        return ast.copy_location(ast.Expr(call), node)


def _watched_source(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(_Asserts().visit(copy.deepcopy(tree))))


def _of_test(
    checks: Checks, original: Variant, pool: Pool, data: Mapping[str, tuple[str, re.Pattern[str]]], rng: random.Random
) -> Iterator[Variant]:
    """Variants of one test, without end; none where nothing in it can be another."""
    tree = parsed_module(checks.files.files[original.path].data)
    function = _test_function(tree, original.test.partition("::")[2]) if tree is not None else None
    if tree is None or function is None:
        return
    places = _literal_places(function, tree)
    named = [path for path, (_, words) in data.items() if words.search(original.source)]
    misses = 0
    while (places or named) and misses < _TRIES:
        if named and (not places or rng.random() < _FILES):
            path = rng.choice(named)
            text = other_text(data[path][0], rng)
            change = Change(path, *_difference(data[path][0], text))
            yield original._replace(changes=(change,), files=((path, text),))
            continue
        chosen = rng.sample(places, min(len(places), rng.choice(_AT_ONCE)))
        put = [(place, value) for place in chosen if (value := other_value(place.value, pool, rng)) is not None]
        source = _put_literals(tree, put)
        misses += source == original.source
        if put and source != original.source:
            changes = (
                Change(f"{original.path}:{place.nodes[0].lineno}", repr(place.value), repr(value))
                for place, value in put
            )
            yield original._replace(source=source, changes=tuple(changes))


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines that are not the same in two texts, the first of each."""
    old, new = before.splitlines(), after.splitlines()
    at = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new))
    )
    return "".join(old[at : at + 1]), "".join(new[at : at + 1])


def _literal_places(function: ast.FunctionDef, module: ast.Module) -> list[_Place]:
    """Literals of a test, and of the module's tables that it names, that may be part of an input: each, and all that
    are equal together.
    """
    expected = {id(node) for part in _expected(function) for node in ast.walk(part)}
    found: dict[tuple[str, str], list[ast.expr]] = {}
    containers: list[_Place] = []
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    tables = [
        node
        for node in module.body
        if isinstance(node, ast.Assign)
        if any(isinstance(target, ast.Name) and target.id in used for target in node.targets)
    ]
    for node in (node for statement in [*body, *tables] for node in ast.walk(statement)):
        if id(node) in expected:
            continue
        if isinstance(node, ast.Constant) and type(node.value) in (int, float, str, bytes):
            found.setdefault((type(node.value).__name__, repr(node.value)), []).append(node)
        elif isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
            value = literal_data(node)
            if isinstance(value, (list, tuple)) and len(value) > 1:
                containers.append(_Place((node,), value))
    places = containers
    for nodes in found.values():
        value = nodes[0].value  # type: ignore[attr-defined]
        places.append(_Place(tuple(nodes), value))
        if len(nodes) > 1:
            places += [_Place((node,), value) for node in nodes[:3]]
    return places


def _expected(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The values that assertions compare with: whole literals among their arguments, which are no inputs."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert"):
            yield from (given for given in node.args if literal_data(given) is not NO_DATA)
        elif isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            yield from (side for side in (node.test.left, *node.test.comparators) if literal_data(side) is not NO_DATA)


def _put_literals(tree: ast.Module, put: Sequence[tuple[_Place, object]]) -> str:
    memo: dict[int, object] = {}
    copied = copy.deepcopy(tree, memo)
    values = {id(memo[id(node)]): value for place, value in put for node in place.nodes}

    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if id(node) in values:
                return ast.copy_location(ast.parse(repr(values[id(node)]), mode="eval").body, node)
            return super().visit(node)  # type: ignore[no-any-return]

    Put().visit(copied)
    return _watched_source(copied)
