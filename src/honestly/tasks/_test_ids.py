"""Ids of the tests in a test file, read from its syntax: nothing is imported, and no list can go stale.

Tests that a class inherits, that are made when the file is loaded, or that are skipped, are not among them.
"""

import ast
from collections.abc import Iterator

from honestly.errors import TaskError
from honestly.records import Tree


def syntax_tree(source: bytes, place: object) -> ast.Module:
    """Syntax tree of a Python file; TaskError if it is not Python."""
    try:
        return ast.parse(source.decode())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError(f"{place} is not Python: {error}") from error


def unittest_ids(path: str, tree: ast.Module) -> list[str]:
    """`package.module.Class.test` of every test of a unittest file."""
    module = path.removesuffix(".py").replace("/", ".")
    return [
        f"{module}.{node.name}.{test}"
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for test in _test_ids_below(node)
    ]


def pytest_ids(path: str, tree: ast.Module) -> list[str]:
    """`folder/file.py::test` and `folder/file.py::Class::test` of every test of a pytest file, without parameters."""
    ids = [f"{path}::{test}" for test in _test_ids_below(tree)]
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        if node.name.startswith("Test") or any(_last_name(base).endswith("TestCase") for base in node.bases):
            ids += [f"{path}::{node.name}::{test}" for test in _test_ids_below(node)]
    return ids


def hidden_ids(files: Tree, place: object) -> tuple[str, ...]:
    """`check_file.test_it` of every hidden check.

    Raises:
        TaskError: there is none, or one stands there twice.
    """
    ids = [
        f"{path.removesuffix('.py')}.{node.name}"
        for path in sorted(files.files)
        if path.startswith("check_") and path.endswith(".py")
        for node in syntax_tree(files.files[path].data, f"{place}/{path}").body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    if not ids:
        raise TaskError(f"{place} contains no hidden checks: expected functions test_*(ws) in files check_*.py")
    if twice := sorted({i for i in ids if ids.count(i) > 1}):
        raise TaskError(f"{place} defines these checks more than once: {', '.join(twice)}; rename one of each")
    return tuple(ids)


def _test_ids_below(parent: ast.Module | ast.ClassDef) -> Iterator[str]:
    for node in parent.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            if any(_last_name(decorator) == "skip" for decorator in node.decorator_list):
                continue
            yield node.name


def _last_name(node: ast.expr) -> str:
    """The last name of `a.b.name` or `a.b.name(...)`."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
