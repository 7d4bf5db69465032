"""Whether a commit changes what Python code does: told from its syntax trees, without running anything.

Comments, formatting, docstrings, annotations and version numbers are taken out before trees are compared. A commit
whose source, or whose tests, are the same then is no task: nothing could fail before it and pass after it.
"""

import ast

from honestly.making._repository import Commit, Repository
from honestly.making._split import language_of, split

_VERSIONS = ("__version__", "version", "VERSION", "__author__", "__copyright__", "__date__")
_LARGEST = 4 << 20


def refused_by_content(repository: Repository, commit: Commit) -> str:
    """Why a commit that its diff speaks for cannot become a task all the same; empty if it may.

    Raises:
        TaskError: a file cannot be read.
    """
    parts = split(commit)
    for paths, which in ((parts.source, "source"), (parts.tests, "tests")):
        if all(language_of(path) == "python" and commit.changed[path] == "M" for path in paths):
            before, after = repository.files(commit.parents[0], paths), repository.files(commit.sha, paths)
            if all(_does(before[path]) == _does(after[path]) for path in paths):
                return f"the code of its {which} is the same: only comments, layout, annotations or versions change"
    return ""


def _does(data: bytes) -> str:
    """What a module does, as text; the text itself where it is no Python of this version."""
    if len(data) > _LARGEST:
        return data.decode("utf-8", "replace")
    try:
        tree = _Bare().visit(ast.parse(data))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return data.decode("utf-8", "replace")
    return ast.dump(tree)


class _Bare(ast.NodeTransformer):
    """Takes out what does nothing."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [each for each in body if not _idle(each)]  # type: ignore[attr-defined]
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)


def _idle(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) and target.id in _VERSIONS for target in node.targets)
    return isinstance(node, ast.Pass)
