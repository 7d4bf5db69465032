"""A skill without the code that no run of another task has needed, before anybody is told of it.

Whoever wrote the skill had not seen that task. So a part that only knows the task that it came from, or waits for a
secret sign, is not executed there and does not stay. Texts and rows of constants go the same way: each is replaced by
nothing of the same size, and stays so where the run of the other task comes out as before.
"""

import ast
from collections.abc import Awaitable, Callable, Collection, Iterator

_BLOCKS = ("body", "orelse", "finalbody")
_BEGIN = """
_marks_seen = set()
def _mark(number):
    if number not in _marks_seen:
        _marks_seen.add(number)
        with open({path!r}, "a") as file:
            file.write(str(number) + chr(10))
"""


def instrumented_code(code: str, path: str) -> str:
    """The code, which writes down the number of each block that it executes."""
    tree = ast.parse(code)
    for number, block in enumerate(_conditional_blocks(tree)):
        block.insert(0, ast.parse(f"_mark({number})").body[0])
    future = [each for each in tree.body if isinstance(each, ast.ImportFrom) and each.module == "__future__"]
    rest = [each for each in tree.body if each not in future]
    tree.body = [*future, *ast.parse(_BEGIN.format(path=path)).body, *rest]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def executed_code(code: str, executed: Collection[int]) -> str:
    """The code without the blocks that were not executed: they raise an error."""
    tree = ast.parse(code)
    never = ast.parse("raise NotImplementedError('never tried before it was kept')").body
    for number, block in enumerate(list(_conditional_blocks(tree))):
        if number not in executed:
            block[:] = never
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _conditional_blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Each list of statements below the module's own that may be executed or not, always in the same order."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            continue
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


_LEAST_TEXT, _LEAST_ROW, _MOST_TRIED = 4, 3, 16


async def without_idle_data(code: str, works: Callable[[str], Awaitable[bool]]) -> str:
    """The code with all constants blank that it does not need.

    Args:
        code: of a skill.
        works: whether a run comes out as before with other code.
    """
    count = len(list(_constant_data(ast.parse(code))))
    everything = frozenset(range(count))
    if not everything or await works(blanked_code(code, everything)):
        return blanked_code(code, everything)
    blank = frozenset[int]() if count <= _MOST_TRIED else everything - set(range(_MOST_TRIED))
    for number in range(min(count, _MOST_TRIED)):
        blank |= {number} if await works(blanked_code(code, blank | {number})) else set()
    return blanked_code(code, blank)


def blanked_code(code: str, numbers: Collection[int]) -> str:
    """The code with these of its texts and rows of constants replaced by nothing of the same size."""
    tree = ast.parse(code)
    for number, found in enumerate(list(_constant_data(tree))):
        for node in found if number in numbers else ():
            node.value = "x" * len(node.value) if isinstance(node.value, str) else 0
    return ast.unparse(tree) + "\n"


def _constant_data(tree: ast.Module) -> Iterator[list[ast.Constant]]:
    """Each text of some length, and each row of constants, as the nodes that it consists of."""
    taken = set[int]()
    for node in ast.walk(tree):
        items = [*getattr(node, "elts", ()), *getattr(node, "keys", ()), *getattr(node, "values", ())]
        row = [each for each in items if isinstance(each, ast.Constant)]
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict) and len(row) >= _LEAST_ROW:
            taken |= set(map(id, row))
            yield row
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in taken:
            yield from [[node]] if len(node.value) >= _LEAST_TEXT else []
