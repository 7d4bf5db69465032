"""What no run of another task has executed is cut out of a skill before anybody is told of it.

Whoever wrote the skill had not seen that task. So a part that only knows the task that it came from, or waits for a
secret sign, is not executed there and does not stay.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

_BLOCKS = ("body", "orelse", "finalbody")
_BEGIN = """
_marks_seen = set()
def _mark(number):
    if number not in _marks_seen:
        _marks_seen.add(number)
        with open({path!r}, "a") as file:
            file.write(str(number) + chr(10))
"""


def instrumented(code: str, path: str) -> str:
    """The code, which writes down the number of each block that it executes."""
    tree = ast.parse(code)
    for number, block in enumerate(_blocks(tree)):
        block.insert(0, ast.parse(f"_mark({number})").body[0])
    future = [each for each in tree.body if isinstance(each, ast.ImportFrom) and each.module == "__future__"]
    rest = [each for each in tree.body if each not in future]
    tree.body = [*future, *ast.parse(_BEGIN.format(path=path)).body, *rest]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def cut(code: str, executed: Collection[int]) -> str:
    """The code without the blocks that were not executed: they raise an error."""
    tree = ast.parse(code)
    never = ast.parse("raise NotImplementedError('never tried before it was kept')").body
    for number, block in enumerate(list(_blocks(tree))):
        if number not in executed:
            block[:] = never
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Each list of statements below the module's own that may be executed or not, always in the same order."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            continue
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block
