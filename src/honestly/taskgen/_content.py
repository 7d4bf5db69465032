"""Objections to a commit as a task, from its code: told from its syntax trees, without running anything.

Its tests may be of another Python than this one, which cannot parse any of them. Or it may do the same as before.
Comments, formatting, docstrings, annotations and version numbers are taken out before trees are compared. A commit
whose source, or whose tests, are the same then is no task: nothing could fail before it and pass after it. Nor is one
whose tests, in Python, are some of those that were there.
"""

import ast
import re
import sys
import warnings
from collections.abc import Collection, Set

from honestly.taskgen._repository import Commit, Repository
from honestly.taskgen._split import language_of, split_commit

_VERSIONS = ("__version__", "version", "VERSION", "__author__", "__copyright__", "__date__")
_LARGEST = 4 << 20
_NAMED = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests?)\.py$")
"""Files that are loaded as tests; others may be cases, and broken on purpose."""


def refused_by_content(repository: Repository, commit: Commit) -> str:
    """Why a commit that its diff speaks for cannot become a task all the same; empty if it may.

    Raises:
        TaskError: a file cannot be read.
    """
    parts = split_commit(commit)
    if not _asks_more(repository, commit, parts.tests):
        return "its tests ask for nothing new: all that are left were there before"
    if parts.language != "python":
        return ""
    if why := _unreadable_tests(repository, commit, parts.tests):
        return why
    for paths, which in ((parts.source, "source"), (parts.tests, "tests")):
        if all(language_of(path) == "python" and commit.changed[path] == "M" for path in paths):
            before, after = (
                repository.commit_files(commit.parents[0], paths),
                repository.commit_files(commit.sha, paths),
            )
            if all(_module_behaviour(before[path]) == _module_behaviour(after[path]) for path in paths):
                return f"the code of its {which} is the same: only comments, layout, annotations or versions change"
    return ""


def _asks_more(repository: Repository, commit: Commit, tests: Collection[str]) -> bool:
    """Whether any test is new or another one; of files that are no Python, nobody knows."""
    paths = [path for path in tests if commit.changed[path] != "D"]
    if not all(path.endswith(".py") for path in paths):
        return True
    old = [path for path in tests if commit.changed[path] != "A" and path.endswith(".py")]
    before, after = repository.commit_files(commit.parents[0], old), repository.commit_files(commit.sha, paths)
    known = {piece for data in before.values() for piece in _statement_texts(data)}
    return not all(_statement_texts(data) <= known for data in after.values())


def _statement_texts(data: bytes) -> Set[str]:
    """The statements of a module and of its classes, as text; a test is one of them."""
    try:
        tree = _Bare().visit(_quiet_parse(data))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {data.decode("utf-8", "replace")}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    found = {ast.dump(node) for node in tree.body if not isinstance(node, ast.ClassDef)}
    for each in classes:
        head = [each.name, *map(ast.dump, (*each.bases, *each.keywords, *each.decorator_list))]
        found |= {"".join([*head, ast.dump(node)]) for node in each.body}
    return found


def _unreadable_tests(repository: Repository, commit: Commit, tests: Collection[str]) -> str:
    """Why none of a commit's test files can be loaded by this Python; empty if any may."""
    paths = [path for path in tests if _NAMED.search(path) and commit.changed[path] != "D"]
    why = ""
    for path, data in repository.commit_files(commit.sha, paths).items():
        try:
            _quiet_parse(data)
        except SyntaxError as error:
            here = f"Python {sys.version_info.major}.{sys.version_info.minor}"
            why = f"its tests are not of {here}: {path}, line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError, MemoryError):
            return ""
        else:
            return ""
    return why


def _quiet_parse(data: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in its texts, and the like
        return ast.parse(data)


def _module_behaviour(data: bytes) -> str:
    """The behaviour of a module, as text; the text itself where it is no Python of this version."""
    if len(data) > _LARGEST:
        return data.decode("utf-8", "replace")
    try:
        tree = _Bare().visit(_quiet_parse(data))
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
