"""What a change does to the structure of the code: descriptions, never a grade, and nothing of it changes a verdict.

Of Python: how many paths lead through the changed functions, before and after; lines that the change adds and that
stand elsewhere already; new imports between files of the project, and those that close a circle; words in new names
that the project uses nowhere. What any of this costs, follow-up tasks measure (`honestly run --then`).
"""

import ast
import re
from collections.abc import Iterator, Mapping

from honestly.check._change import Change, python_of, shown_paths, text_of
from honestly.check._map import file_needs
from honestly.check._records import Remark
from honestly.records import Tree
from honestly.show import plural_text
from honestly.taskgen import is_source

_BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension, ast.Assert,
             ast.match_case)  # fmt: skip
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_RUN, _LARGEST = 6, 20 << 20
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_NAME = re.compile(r"[A-Za-z_]\w*")


def structure_remarks(change: Change) -> Iterator[Remark]:
    """Plain differences of structure between both states, each a note."""
    paths = [path for path in change.sources if path.endswith(".py")]
    if not paths or sum(len(file.data) for path, file in change.after.files.items() if path.endswith(".py")) > _LARGEST:
        return
    yield from _complexity(change, paths)
    yield from _repeated_lines(change, paths)
    yield from _new_imports(change)
    yield from _new_words(change, paths)


def _functions(text: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods by their names, with that of their class."""
    body = python_of(text).body
    found = {node.name: node for node in body if isinstance(node, _FUNCTIONS)}
    for owner in body:
        if isinstance(owner, ast.ClassDef):
            found |= {f"{owner.name}.{node.name}": node for node in owner.body if isinstance(node, _FUNCTIONS)}
    return found


def _paths_through(node: ast.AST) -> int:
    """McCabe's number of a function."""
    inner = list(ast.walk(node))
    return 1 + sum(isinstance(each, _BRANCHES) for each in inner) + sum(
        len(each.values) - 1 for each in inner if isinstance(each, ast.BoolOp)
    )  # fmt: skip


def _complexity(change: Change, paths: list[str]) -> Iterator[Remark]:
    changed = []
    for path in paths:
        old, new = (_functions(text_of(tree, path)) for tree in (change.before, change.after))
        for name in old.keys() & new.keys():
            was, now = _paths_through(old[name]), _paths_through(new[name])
            if was != now:
                changed.append((abs(now - was), f"{name} {was} → {now}", path, new[name].lineno))
    if changed:
        shown = sorted(changed, key=lambda each: (-each[0], each[1]))
        yield Remark(what=f"other numbers of branches plus one (McCabe): {shown_paths([each[1] for each in shown])}",
                     weight="note", path=shown[0][2], line=shown[0][3])  # fmt: skip


def _runs(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every few lines of a text that say something, with the number of the first."""
    lines = [(at, line.strip()) for at, line in enumerate(text.splitlines(), 1) if _NAME.search(line)]
    for start in range(len(lines) - _RUN + 1):
        yield lines[start][0], tuple(line for _, line in lines[start : start + _RUN])


def _repeated_lines(change: Change, paths: list[str]) -> Iterator[Remark]:
    added: dict[tuple[str, ...], tuple[str, int]] = {}
    for path in paths:
        lines = change.lines_of(path)
        for at, run in _runs(text_of(change.after, path)):
            if at in lines:
                added.setdefault(run, (path, at))
    first = {run[0] for run in added}
    found: dict[str, Remark] = {}
    for path in change.after.files if added else ():
        text = text_of(change.after, path) if path.endswith(".py") and is_source(path) else ""
        if first.isdisjoint(map(str.strip, text.splitlines())):
            continue
        own = change.lines_of(path) if path in paths else frozenset[int]()
        for line, run in _runs(text):
            if run in added and line not in own:
                where, at = added[run]
                what = f"{_RUN} lines or more that it adds also stand at {path}:{line}"
                found.setdefault(where, Remark(what=what, weight="note", path=where, line=at))
    yield from found.values()


def _new_imports(change: Change) -> Iterator[Remark]:
    changed = [path for path in change.sources if path in change.before.files]
    if not changed:
        return
    old, new = (file_needs(tree, changed) for tree in (change.before, change.after))
    edges = sorted(
        (path, wanted) for path in new for wanted in new[path] - old.get(path, set())
        if is_source(wanted) and not wanted.endswith("__init__.py")
    )  # fmt: skip
    needs = file_needs(change.after) if edges else {}
    circles = [(path, wanted) for path, wanted in edges if _leads(wanted, path, needs)]
    for words, some in (("close a circle", circles), ("are new", [each for each in edges if each not in circles])):
        if some:
            shown = shown_paths([f"{path} → {wanted}" for path, wanted in some])
            yield Remark(what=f"imports between files that {words}: {shown}", weight="note", path=some[0][0])


def _leads(start: str, end: str, needs: Mapping[str, set[str]]) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for each in needs.get(waiting.pop(), set()) - seen:
            seen.add(each)
            waiting.append(each)
    return end in seen


def _words_of(tree: Tree) -> set[str]:
    text = "\n".join(text_of(tree, path) for path in tree.files if path.endswith(".py"))
    return {word.lower() for name in set(_NAME.findall(text)) for word in _WORD.findall(name)}


def _new_words(change: Change, paths: list[str]) -> Iterator[Remark]:
    places = {
        name.rpartition(".")[2]: path
        for path in reversed(paths)
        for name in _functions(text_of(change.after, path)).keys() - _functions(text_of(change.before, path)).keys()
        if not name.endswith("__")  # Python's own
    }
    known = _words_of(change.before) if places else set()
    new = [name for name in sorted(places) if {word.lower() for word in _WORD.findall(name)} - known]
    if new:
        some = f"{plural_text(len(new), 'new name')} of functions with words that the project has nowhere"
        yield Remark(what=f"{some}: {shown_paths(new)}", weight="note", path=places[new[0]])
