"""Into how many parts a task falls: what its reference changes, counted as far as it can be done independently.

A piece is a function or method of a Python file that the reference adds, changes or takes away (what is nested in one
belongs to it; comments and layout do not count); or what else of the file changes, imports aside, as one piece. In any
other text a piece is a hunk: changed lines with three unchanged ones around; a file that is no text is one piece. Two
pieces are one part where one names the other's function in its new text, since who does the one must know the other.

A task may say itself how many parts it has (`parts` of its tags). What is not seen: coupling through data, attributes
or files; a common name (`get`) that joins what has nothing to do with each other. A reference that is given as a
program to run is not measured.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from honestly.records import File, Task

_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WORD = re.compile(r"[^\W\d]\w*")


class Piece(NamedTuple):
    """One thing that a reference changes."""

    name: str
    """Of the function, without its class; empty for what is none."""
    text: str
    """As it is after the change."""


def parts_of(task: Task) -> int | None:
    """How many parts a task has; None where that is not said, and its reference is not known."""
    if task.tags.parts is not None:
        return task.tags.parts
    if task.hidden is None or not (task.hidden.reference.write.files or task.hidden.reference.delete):
        return None
    before, after = task.workspace.files, task.hidden.reference.apply(task.workspace).files
    changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    # How many parts the pieces are.
    found = [piece for path in changed for piece in changed_pieces(path, before.get(path), after.get(path))]
    part = list(range(len(found)))
    words = [set(_WORD.findall(piece.text)) for piece in found]
    for one, piece in enumerate(found):
        if not piece.name or piece.name.startswith("__"):
            continue
        for other in range(len(found)):
            if other != one and piece.name in words[other] and part[one] != part[other]:
                gone, stays = part[other], part[one]
                part = [stays if each == gone else each for each in part]
    return len(set(part))


def groups_by_parts(tasks: Iterable[Task]) -> dict[str, str]:
    """The tertile of each task by its parts, in words: `1 part`, `2 to 3 parts`; tasks without are `not known`."""
    counts = {task.id: parts_of(task) for task in tasks}
    known = sorted(count for count in counts.values() if count is not None)
    cuts = sorted({known[len(known) * third // 3] for third in range(3)}) if known else []
    names = {}
    for at, low in enumerate(cuts):
        inside = [count for count in known if count >= low and (at + 1 == len(cuts) or count < cuts[at + 1])]
        noun = "part" if inside[-1] == 1 else "parts"
        names[low] = f"{inside[0]} {noun}" if inside[0] == inside[-1] else f"{inside[0]} to {inside[-1]} {noun}"
    return {
        task: "not known" if count is None else names[max(low for low in cuts if low <= count)]
        for task, count in counts.items()
    }


def changed_pieces(path: str, before: File | None, after: File | None) -> Iterator[Piece]:
    """The reference's changes in one file."""
    old, new = ("" if file is None else _file_text(file) for file in (before, after))
    if old is None or new is None:
        yield Piece("", "")
        return
    if path.endswith(".py") and (parsed := _parsed(old, new)):
        first, second = parsed
        for name in sorted(first.keys() | second.keys()):
            (was, _), (now, text) = first.get(name, ("", "")), second.get(name, ("", ""))
            if was != now:
                yield Piece(name.rpartition(".")[2], text)
        return
    lines, mended = old.splitlines(), new.splitlines()
    for group in SequenceMatcher(None, lines, mended, autojunk=False).get_grouped_opcodes(3):
        yield Piece("", "\n".join(mended[group[0][3] : group[-1][4]]))


def _file_text(file: File) -> str | None:
    try:
        return None if file.mode == "link" or b"\0" in file.data else file.data.decode()
    except UnicodeDecodeError:
        return None


def _parsed(old: str, new: str) -> tuple[Mapping[str, tuple[str, str]], Mapping[str, tuple[str, str]]] | None:
    """The functions of both versions, and the rest under no name; None where one of them cannot be parsed."""
    try:
        return _function_forms(old), _function_forms(new)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _function_forms(source: str) -> dict[str, tuple[str, str]]:
    """The functions of a source, in the form that comments do not change, and as text."""
    found: dict[str, tuple[str, str]] = {}
    rest: list[str] = []

    def visit(nodes: Iterable[ast.stmt], inside: str) -> None:
        for node in nodes:
            if isinstance(node, _DEFS):
                found[f"{inside}{node.name}"] = ast.dump(node), ast.unparse(node)
            elif isinstance(node, ast.ClassDef):
                head = ast.ClassDef(node.name, node.bases, node.keywords, [], node.decorator_list)
                rest.append(ast.dump(head))
                visit(node.body, f"{inside}{node.name}.")
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                rest.append(ast.dump(node))

    visit(ast.parse(source).body, "")
    return found | {"": ("\n".join(rest), "")}
