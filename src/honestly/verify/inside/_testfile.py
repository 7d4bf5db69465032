"""A file of tests: which functions in it are tests, which help them, and where each lies in the text.

Everything is read off the syntax; nothing is imported or run. What is told here decides only which contradictions are
tried (`_contradict.py`), and each of those is proved or certain.
"""

import ast
import builtins
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property

from honestly.records import File
from honestly.verify.inside._literals import Text, is_literal, literal_constants

Function = ast.FunctionDef | ast.AsyncFunctionDef

Place = tuple[str, str]
"""A test, or a function that tests call: path of its file, and its qualified name there."""
_SPECIAL = ("test", "setup", "teardown", "setUp", "tearDown", "asyncSetUp", "asyncTearDown", "pytest_", "__")
"""How the names begin of functions that are called by a framework."""


class TestFile:
    """The tests in a Python file, and their contradictions."""

    __test__ = False  # its name is no test's

    def __init__(self, data: bytes) -> None:
        """Reads a file.

        Raises:
            SyntaxError, ValueError, RecursionError, MemoryError: it is not Python in UTF-8.
        """
        data.decode()
        self.text = Text(data)
        self.tree = ast.parse(data)

    @cached_property
    def tests(self) -> dict[str, Function]:
        """Test functions, and test methods, by qualified name; none of a class that others inherit its tests from."""
        classes = [node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)]
        bases = {base.id for node in classes for base in node.bases if isinstance(base, ast.Name)}
        owners = [("", self.tree.body)]
        owners += [
            (f"{node.name}.", node.body)
            for node in self.tree.body
            if isinstance(node, ast.ClassDef) and node.name not in bases
        ]
        return {
            prefix + item.name: item
            for prefix, body in owners
            for item in body
            if isinstance(item, Function) and item.name.startswith("test")
        }

    @cached_property
    def module_constants(self) -> dict[str, ast.expr]:
        """Literals that are assigned to a name of the module once, and never again."""
        return assigned_literals(self.tree.body, self.tree)

    @cached_property
    def values(self) -> list[object]:
        """All that is written down in it."""
        return literal_constants(self.tree)

    @cached_property
    def expected(self) -> list[object]:
        """The values in the literals that its tests compare something with."""
        found: list[ast.expr] = []
        for node in (part for test in self.tests.values() for part in ast.walk(test)):
            match node:
                case ast.Compare(comparators=sides):
                    found += filter(is_literal, sides)
                case ast.Call(func=ast.Attribute(attr=name), args=[_, side, *_]) if name.startswith("assert"):
                    found += filter(is_literal, [side])
        return [value for literal in found for value in literal_constants(literal)]

    @cached_property
    def helper_users(self) -> dict[str, frozenset[str]]:
        """Functions, and methods of tests' classes, that tests call and nobody else: their users, by qualified name."""
        found = {}
        for name, node in self._plain_functions.items():
            short = node.name
            users = frozenset(test for test, body in self.tests.items() if mention_count(body, short))
            if users and sum(mention_count(self.tests[user], short) for user in users) == mention_count(
                self.tree, short
            ):
                found[name] = users
        return found

    def is_own(self, name: str) -> bool:
        """Whether a function is Python's, or one of the file's that calls nothing from elsewhere: no tested code."""
        return self._is_own(name, frozenset())

    def _is_own(self, name: str, above: frozenset[str]) -> bool:
        if name not in self._plain_functions:
            return hasattr(builtins, name) and name not in self._bound_names
        named = {node.id for node in ast.walk(self._plain_functions[name]) if isinstance(node, ast.Name)}
        others = (named & self._plain_functions.keys()) - above - {name}
        return not named & self._foreign_names and all(self._is_own(other, above | {name}) for other in others)

    @cached_property
    def _plain_functions(self) -> dict[str, Function]:
        """Undecorated functions that are no tests."""
        owners = {test.rpartition(".")[0] for test in self.tests}
        bodies = [("", self.tree.body)]
        bodies += [
            (f"{node.name}.", node.body)
            for node in self.tree.body
            if isinstance(node, ast.ClassDef) and node.name in owners
        ]
        return {
            prefix + item.name: item
            for prefix, body in bodies
            for item in body
            if isinstance(item, Function) and not item.decorator_list and not item.name.startswith(_SPECIAL)
        }

    @cached_property
    def _bound_names(self) -> set[str]:
        """Names that the file gives to something."""
        stored = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and not is_read(node)}
        return stored | {alias.asname or alias.name for alias, _ in self._import_aliases}

    @cached_property
    def _foreign_names(self) -> set[str]:
        """Names under which the file has something that is not from Python's own library."""
        return {
            (alias.asname or alias.name).partition(".")[0]
            for alias, module in self._import_aliases
            if module.partition(".")[0] not in sys.stdlib_module_names
        }

    @cached_property
    def _import_aliases(self) -> list[tuple[ast.alias, str]]:
        """The imports of the file, each with its module."""
        found = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found += [(alias, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found += [(alias, "" if node.level else node.module or "") for alias in node.names]
        return found

    def function_node(self, name: str) -> Function:
        """A test, or a helper."""
        return self.tests[name] if name in self.tests else self._plain_functions[name]

    def is_like(self, other: "TestFile") -> bool:
        """Whether another file holds the same tests and helpers, whatever they say."""
        return list(self.tests) == list(other.tests) and self.helper_users == other.helper_users

    def function_text(self, name: str) -> bytes:
        """The text of a test or helper, decorators included."""
        start, end = self.line_span(name)
        return self.text.data[start:end]

    def line_span(self, name: str) -> tuple[int, int]:
        """First byte of the first line of a test or helper, decorators included, and last byte of it."""
        node = self.function_node(name)
        first = min([node, *node.decorator_list], key=lambda part: part.lineno)
        return self.text.byte_span(first)[0], self.text.byte_span(node)[1]


def readable_tests(data: bytes) -> TestFile | None:
    """The tests of a file; None if it is not Python."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return TestFile(data)
    return None


def python_tests(path: str, file: File) -> TestFile | None:
    """The tests of a file of a tree; None if it is not Python, or a link."""
    return readable_tests(file.data) if path.endswith(".py") and file.mode != "link" else None


def assigned_literals(body: Iterable[ast.stmt], scope: ast.AST) -> dict[str, ast.expr]:
    """Literals assigned in a body to a name that its scope stores once; tables of any rows among them."""
    stored = [node.id for node in ast.walk(scope) if isinstance(node, ast.Name) and not is_read(node)]
    return {
        statement.targets[0].id: statement.value
        for statement in body
        if isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and stored.count(statement.targets[0].id) == 1
        and (is_literal(statement.value) or isinstance(statement.value, ast.List | ast.Tuple | ast.Dict))
    }


def mention_count(node: ast.AST, name: str) -> int:
    """How often something of that name is named."""
    return sum(
        (isinstance(part, ast.Name) and part.id == name) or (isinstance(part, ast.Attribute) and part.attr == name)
        for part in ast.walk(node)
    )


def is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)
