"""The rules for a skill before anything of it is run: a small Python program with functions, a test, and few constants.

It is kept without comments and docstrings, in which answers could stand, and its constants are few and short, so that
there is little room for any. It may read and write the workspace and run programs there; what it cannot do is look at
itself, make code of data, or keep something elsewhere. All this is a first gate: what it really does, its runs show.
"""

import ast
import re
import sys
from collections.abc import Iterator

from honestly.errors import TaskError

MOST_CODE, _MOST_CONSTANTS, _LONGEST_TEXT, _MOST_TEXT, _MOST_ROW = 6000, 60, 120, 800, 12
_LARGEST_NUMBER = 10_000
_IMPORTS = frozenset(
    ("argparse", "ast", "collections", "csv", "dataclasses", "difflib", "fnmatch", "functools", "glob", "io",
     "itertools", "json", "math", "operator", "os", "pathlib", "re", "shlex", "shutil", "statistics", "string",
     "subprocess", "sys", "textwrap", "typing", "unittest")
)  # fmt: skip
_NOT_USED = frozenset(
    ("eval", "exec", "__import__", "globals", "locals", "vars", "getattr", "setattr", "delattr", "breakpoint", "input",
     "memoryview", "chr", "bytes", "bytearray", "__file__", "__dict__", "__code__", "__globals__", "__builtins__",
     "__subclasses__", "__loader__", "__spec__", "_getframe", "modules", "fromhex", "maketrans", "translate",
     "from_bytes", "to_bytes", "environ", "literal_eval", "gettempdir")
)  # fmt: skip
_ELSEWHERE = re.compile(r"^(?:/|~|\.\.)|/tmp|/proc|/home|/root|\$HOME")


def readable_skill(name: str, code: str) -> str:
    """The code as it is kept: formatted by Python, without comments and docstrings.

    Raises:
        TaskError: it is no skill; the message says why.
    """
    if re.fullmatch(r"[a-z][a-z0-9_]{2,40}", name) is None:
        raise TaskError(f"{name!r} is not a name of a skill; expected lower-case letters, digits and _")
    if name in sys.stdlib_module_names:
        raise TaskError(
            f"{name!r} is a module of Python, which other skills would no longer find; expected another name"
        )
    if len(code) > MOST_CODE:
        raise TaskError(f"its code has {len(code)} characters; at most {MOST_CODE} are kept")
    try:
        tree = ast.parse(code)
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                node.body = [
                    each
                    for each in node.body
                    if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
                ] or [ast.Pass()]
        kept = ast.unparse(ast.fix_missing_locations(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TaskError(f"its code is not Python: {error}") from error
    for why in _skill_objections(ast.parse(kept)):
        raise TaskError(why)
    return kept + "\n"


def _skill_objections(tree: ast.Module) -> Iterator[str]:
    if not any(isinstance(node, ast.FunctionDef) for node in tree.body):
        yield "it has no function"
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or "."]
            for other in (name for name in names if name.partition(".")[0] not in _IMPORTS):
                yield f"it imports {other!r}, which a skill may not"
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name in _NOT_USED or (isinstance(node, ast.Name) and name == "compile"):  # re.compile may be
            yield f"it uses {name!r}, which a skill may not"
    yield from _much_data(tree)


def _much_data(tree: ast.Module) -> Iterator[str]:
    """Where a program holds more constants than a procedure needs."""
    found = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts = [each for each in found if isinstance(each, str)]
    numbers = [each for each in found if isinstance(each, int | float) and not isinstance(each, bool)]
    if any(isinstance(each, bytes | complex) for each in found):
        yield "it holds bytes, which nobody can read"
    if wide := [each for each in numbers if abs(each) > _LARGEST_NUMBER]:
        yield f"it holds the number {wide[0]}, too large for a procedure"
    if long := [each for each in texts if len(each) > _LONGEST_TEXT]:
        yield f"it holds a text of {len(long[0])} characters; at most {_LONGEST_TEXT}"
    if sum(map(len, texts)) > _MOST_TEXT or len(texts) + len(numbers) > _MOST_CONSTANTS:
        yield "it holds more constants than a procedure needs"
    if other := [each for each in texts if _ELSEWHERE.search(each)]:
        yield f"it names a place outside of the workspace: {other[0]!r}"
    for node in ast.walk(tree):
        items = len(node.elts) if isinstance(node, ast.List | ast.Tuple | ast.Set) else 0
        items = len(node.keys) if isinstance(node, ast.Dict) else items
        if items > _MOST_ROW:
            yield f"it holds a table of {items} entries; at most {_MOST_ROW}"
