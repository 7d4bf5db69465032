"""Whether an instruction gives the answer away: it is read against the reference's own names and literals.

Those are what stands on the lines that the reference adds, read by Python's tokenizer (of other languages, by a regular
expression), apart from what whoever made the task took out. Of a planted bug each of them would say where it is; of
anything else only those that the workspace does not have. What the hidden tests use may be told, and is. Ideas are not
found: a text may still say in other words how it is done.
"""

import builtins
import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from difflib import SequenceMatcher

from honestly.making._told import Told, place_said
from honestly.records import Task, Tree

PLANTED = ("from-mutants", "grow")
"""Kinds of tasks in which a bug was planted."""
_COMMON = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "self", "cls"}
_WORD = re.compile(r"[A-Za-z_]\w+")
_LEAST = 3
"""Characters of a text that counts as a literal."""
_LARGEST = 1 << 20


def own_words(task: Task) -> tuple[frozenset[str], frozenset[str]]:
    """The names and the literals that the reference of a task has to itself."""
    assert task.hidden is not None
    names, literals = set[str](), set[str]()
    for path, file in task.hidden.reference.write.files.items():
        if file.mode != "link" and len(file.data) <= _LARGEST:
            for name, literal in _words(path, _text(task.workspace, path), file.data.decode("utf-8", "replace")):
                names.add(name)
                literals.add(literal)
    if task.tags.made in PLANTED:
        known = ""
    else:
        kept = (path for path in task.workspace.files if not path.startswith(".git/"))
        known = "\n".join(_text(task.workspace, path) for path in kept)
    words = set(_WORD.findall(known)) | _COMMON
    own = (literal for literal in literals if len(literal) >= _LEAST or (literal.isdigit() and len(literal) > 1))
    return (
        frozenset(name for name in names - words if len(name) > 1),
        frozenset(literal for literal in own if literal.strip() and literal not in known),
    )


def given_away(task: Task, told: Told, name: str) -> tuple[str, ...]:
    """What of the reference's own names and literals its instruction says, though nobody needs to be told it.

    Args:
        task: the task.
        told: how its instruction was made.
        name: of the repository.
    """
    names, literals = own_words(task)
    said, _, after = task.instruction.partition(place_said(name))  # what follows is the same for all, or must be told
    allowed = {*told.told, *(word for each in told.told for word in _WORD.findall(each))}
    if task.tags.made == "from-tests":  # it tells signatures, which the workspace has: nothing else is allowed
        said, allowed = "\n".join(line for line in after.splitlines() if line.startswith("- ")), set()
    words = set(_WORD.findall(said))
    found = [each for each in sorted(names - allowed) if each in words]
    return (*found, *(each for each in sorted(literals - allowed) if _stands(each, said)))


def _stands(literal: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(literal)}(?!\w)", text) is not None


def _words(path: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    """Names and literals on the lines that are new, each with an empty text for the other."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    lines = {at + 1 for kind, _, _, start, end in blocks if kind != "equal" for at in range(start, end)}
    if not path.endswith(".py"):
        yield from ((word, "") for at in lines for word in _WORD.findall(new[at - 1]))
        return
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(after).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return
    for token in tokens:
        if token.start[0] in lines:
            if token.type == tokenize.NAME:
                yield token.string, ""
            elif token.type == tokenize.NUMBER:
                yield "", token.string
            elif token.type == tokenize.STRING and token.start[0] == token.end[0]:
                yield "", token.string.lstrip("bBrRfFuU").strip("\"'")


def _text(tree: Tree, path: str) -> str:
    file = tree.files.get(path)
    if file is None or file.mode == "link" or len(file.data) > _LARGEST or b"\0" in file.data[:4096]:
        return ""
    return file.data.decode("utf-8", "replace")
