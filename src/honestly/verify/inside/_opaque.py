"""Tests without what people say around them: names, docstrings, comments, messages, ids of parameters.

`test_twelve_fits_true` says what it expects, and a twin that expects the opposite says it too: who reads the name tells
them apart. So tests whose values prove something are run, and contradicted, under names that say nothing: functions,
classes, helpers, variables and columns of tables are numbered at random, and all else that no test computes with is
taken out. The reference has to pass them so, or else they keep their names, and prove nothing.
"""

import ast
import builtins
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

from msgspec.structs import replace

from honestly.records import Checks, File, Tree
from honestly.verify.inside._margins import called_name
from honestly.verify.inside._testfile import TestFile, is_read, python_tests

NAMES, FILES = ".names", ".opaque"
_OPAQUE = re.compile(r"(test_|Test_|v_)\d+")
_FRAMEWORK = re.compile(r"self|cls|tmp_path|tmpdir|monkeypatch|capsys|capfd|caplog|request")
_KEPT = re.compile(r"(pytest|setup|teardown|setUp|tearDown|asyncSet|asyncTear|load_tests|__|_$)")
_ONE = {"assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone"}
_REGULAR = 4
"""Truths from which on an order can be called regular."""


def opaque_checks(checks: Checks) -> Checks:
    """The checks under names that say nothing; of sets of parameters, it expects them all."""
    rng = random.Random(checks.files.hash)  # noqa: S311 - what it hides is hidden by the files
    parsed = {path: file for path, each in checks.files.files.items() if (file := python_tests(path, each))}
    names = _replaceable_names([file.tree for file in parsed.values()], checks.expected)
    kept = rng.sample(range(len(names)), len(names))
    new = {name: f"{kind}{number}" for (name, kind), number in zip(sorted(names.items()), kept, strict=True)}
    files = {
        path: ast.unparse(ast.fix_missing_locations(_Bare(new).visit(ast.parse(file.text.data)))) + "\n"
        for path, file in parsed.items()
    }
    tree = Tree(
        files={
            path: File(data=files[path].encode(), mode=file.mode) if path in files else file
            for path, file in checks.files.files.items()
        }
    )
    expected = dict.fromkeys(_renamed_id(name.partition("[")[0], new) for name in checks.expected)
    return replace(checks, files=tree, expected=tuple(expected), canaries=Tree.of({NAMES: json.dumps(new)}))


def opaque_ids(
    checks: Checks, bare: Checks, planned: Sequence[str], bare_planned: Sequence[str]
) -> dict[str, str] | None:
    """Of each expected test, its id under names that say nothing; None where an id still says something.

    Args:
        checks: the tests under their own names.
        bare: the same under the others.
        planned: ids of what runs of the first.
        bare_planned: the same of the second, in the same order.
    """
    new = json.loads(bare.canaries.text(NAMES))
    rows: dict[str, list[str]] = {}
    for name in bare_planned:
        rows.setdefault(name.partition("[")[0], []).append(name)
    own: dict[str, list[str]] = {}
    for name in planned:
        own.setdefault(name.partition("[")[0], []).append(name)
    found = {}
    for name in checks.expected:
        function, bracket, _ = name.partition("[")
        there = _renamed_id(function, new)
        if bracket:
            if name not in own.get(function, []) or len(own[function]) != len(rows.get(there, [])):
                return None
            there = rows[there][own[function].index(name)]
            if set(there.partition("[")[2]) - set("x-_0123456789]"):
                return None
        found[name] = there
    return found


def with_names(bare: Checks, canaries: Tree, found: Mapping[str, str]) -> Tree:
    """Canaries of checks under names that say nothing, with those checks' files and ids."""
    files = bare.files.under(FILES).files
    return Tree(files={**canaries.files, **files, **Tree.of({NAMES: json.dumps(found)}).files})


def unnamed_checks(checks: Checks) -> tuple[Checks, dict[str, str]]:
    """The checks under the names that they are run by, and the own id of each; unchanged, where those say nothing."""
    if NAMES not in checks.canaries.files:
        return checks, {}
    found: dict[str, str] = json.loads(checks.canaries.text(NAMES))
    files = checks.canaries.below(FILES)
    rest = checks.canaries.without(files.under(FILES).files)
    expected = tuple(found[name] for name in checks.expected)
    own = {new: name for name, new in found.items()}
    return replace(checks, files=files, expected=expected, canaries=rest), own


def says_expected(file: TestFile, name: str) -> bool:
    """Whether a test, or a helper or one that it helps, has a name in it that may say what is expected."""
    known = {
        alias.name.partition(".")[0]
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if not alias.asname
    }
    nodes = [file.function_node(each) for each in (name, *file.helper_users.get(name, ()))]
    for node in (part for each in nodes for part in ast.walk(each)):
        if isinstance(node, ast.Name | ast.arg):
            each = node.id if isinstance(node, ast.Name) else node.arg
            if not (each in known or hasattr(builtins, each) or _OPAQUE.fullmatch(each) or _FRAMEWORK.fullmatch(each)):
                return True
        elif isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if own and not (_OPAQUE.fullmatch(node.attr) or node.attr.startswith(("assert", "fail", "subTest"))):
                return True
    return False


def is_regular(truths: Sequence[str]) -> bool:
    """Whether truths come in an order that can be gone on with: two blocks, or a round of two or three."""
    if len(truths) < _REGULAR or len(set(truths)) < 2:
        return False
    changes = sum(one != other for one, other in pairwise(truths))
    return changes == 1 or any(
        list(truths[step:]) == list(truths[:-step]) for step in (2, 3) if len(truths) >= 2 * step
    )


def _renamed_id(function: str, new: Mapping[str, str]) -> str:
    """The id of a test function under other names; the path, or module, of its file stays."""
    return re.sub(r"\w+$|(?<=::)\w+|(?<=\.)\w+(?=\.\w+$)", lambda found: new.get(found[0], found[0]), function)


def _replaceable_names(trees: Sequence[ast.Module], expected: Iterable[str]) -> dict[str, str]:
    """Names that can be replaced, and how the new ones begin."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = {node.name: "test_" for node in functions if node.name.startswith("test")}
    for name in expected:
        for owner in re.findall(r"(?<=::)\w+(?=::)|(?<=\.)\w+(?=\.\w+$)", name.partition("[")[0]):
            tests[owner] = "Test_"
    plain = {each for tree in trees for each in tree.body if each in functions} - {
        f for f in functions if f.decorator_list
    }
    calls = [node for node in nodes if isinstance(node, ast.Call) and node.args and called_name(node) == "parametrize"]
    columns = {name for call in calls for name in _column_names(call.args[0])}
    stored = columns | {node.name for node in functions if node in plain}
    stored |= {node.id for node in nodes if isinstance(node, ast.Name) and not is_read(node)}
    others = {node.name for node in functions if node not in plain} | {
        name for each in nodes for name in _fixed_names(each)
    }
    others |= {node.arg for node in nodes if isinstance(node, ast.arg)} - columns
    stored = {name for name in stored - others if not _KEPT.match(name) and not hasattr(builtins, name)}
    return {**dict.fromkeys(stored, "v_"), **tests}


def _fixed_names(node: ast.AST) -> list[str]:
    """Names in a node that others know too, or that stand there as text."""
    match node:
        case ast.keyword(arg=str() as name) | ast.Attribute(attr=name) | ast.ExceptHandler(name=str() as name):
            return [name]
        case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            return [name]
        case ast.alias(name=name, asname=other):
            return [name.partition(".")[0], other or ""]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
    return []


def _column_names(names: ast.expr) -> list[str]:
    """Names of the columns of a `parametrize`."""
    parts = names.elts if isinstance(names, ast.List | ast.Tuple) else [names]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return [name.strip() for text in texts for name in text.split(",")]


class _Bare(ast.NodeTransformer):
    """Replaces names, and takes out what no test computes with."""

    def __init__(self, new: Mapping[str, str]) -> None:
        self._new = new

    def visit(self, node: ast.AST) -> Any:  # noqa: ANN401 - as its base
        for field in ("name", "id", "attr", "arg"):
            old = getattr(node, field, None)
            if isinstance(old, str) and not isinstance(node, ast.keyword):
                setattr(node, field, self._new.get(old, old))
        if isinstance(node, ast.Assert):
            node.msg = None
        if isinstance(node, ast.Call):
            self._strip_ids(node)
        super().visit(node)
        if isinstance(body := getattr(node, "body", None), list):
            kept = [each for each in body if not _is_text(each)]
            cast("Any", node).body = kept if kept or isinstance(node, ast.Module) else [ast.Pass()]
        return node

    def _strip_ids(self, node: ast.Call) -> None:
        name = called_name(node)
        if name in ("parametrize", "param"):
            node.keywords = [each for each in node.keywords if each.arg not in ("ids", "id")]
            if name == "parametrize" and node.args:
                node.args[0] = ast.Constant(
                    ", ".join(self._new.get(each, each) for each in _column_names(node.args[0]))
                )
        elif name.startswith("assert"):
            node.keywords = [each for each in node.keywords if each.arg != "msg"]
            known = 1 if name in _ONE else 2
            if (
                len(node.args) > known
                and isinstance(node.args[-1], ast.JoinedStr | ast.Constant)
                and "Raises" not in name
            ):
                node.args = node.args[:known]
        elif name in ("fail", "AssertionError"):
            node.args = [ast.Constant("") for _ in node.args[:1]]
        elif name == "subTest":
            node.args, node.keywords = [], []


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
