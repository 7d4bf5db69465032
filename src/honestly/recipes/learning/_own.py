"""What a skill puts into a task by itself, and whether it could do so with other names: procedure or memory.

What a rewritten run leaves is made of its commands, of the workspace, and of what the skill adds. Lines that stand in
neither are the skill's own. They must be made of words that the workspace or the commands have, and the skill must do
the same where these are called otherwise: the names on such lines are changed everywhere, in files, their paths, and
commands, and what comes of it must be what came before, with the changed names. A procedure commutes with a change of
names; an answer that is remembered, however it is encoded or guarded, does not.

Numbers on own lines must stand in the commands. A skill that calculates an answer cannot be told from one that knows
it, and is refused.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from honestly.recipes.learning._bench import Bench
from honestly.records import Edit, Tree
from honestly.tasks import text_in

_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    (*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *sys.stdlib_module_names, "self", "cls", "0", "1")
)
_AFTER = "_v"


async def own_answer(bench: Bench, commands: Sequence[str], skills: Mapping[str, str]) -> str:
    """Why a run shows that a skill knows the answer; empty where it does not."""
    begun = bench.task.workspace
    ran = await bench.run(commands, skills)
    changed = _changed(begun, ran.final)
    if isinstance(changed, str):
        return changed
    said = "\n".join(commands)
    known = "\n".join((*(text_in(begun, path) for path in begun.files), bench.task.instruction, *begun.files))
    own = _own_lines(changed, begun, f"{said}\n{known}")
    if not own:
        return ""
    there, given = set(_WORD.findall(known)), set(_WORD.findall(said))
    words = {word for line in own for word in _WORD.findall(line)} - _COMMON
    novel = sorted(word for word in words if word not in given and (word not in there or word.isdigit()))
    if novel:
        return f"it writes what stands neither in the task nor in the commands: {novel[0]!r}"
    names = {word for word in words if word.isidentifier() and not word.startswith("__")}
    if not names:
        return f"it writes {min(own)!r}, which nothing tells from an answer that it knows"
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names)))})\b")
    other = _renamed(begun, pattern)
    again = await bench.run([_called(text, pattern) for text in commands], skills, other)
    after = _changed(other, again.final)
    if after != {_called(path, pattern): _called(text, pattern) for path, text in changed.items()}:
        return f"with other names in the task it does not do the same: it knows {min(names)!r}"
    return ""


def _changed(begun: Tree, final: Tree) -> dict[str, str] | str:
    """The text of each file that a run changed; or why that cannot be said."""
    found = {}
    edit = Edit.between(begun, final)
    for path, file in edit.write.files.items():
        if "__pycache__" in path.split("/"):
            continue
        text = text_in(edit.write, path)
        if file.data and not text:
            return f"it leaves {path!r}, which is no text"
        found[path] = text
    return found


def _own_lines(changed: Mapping[str, str], begun: Tree, known: str) -> set[str]:
    """Lines that neither the commands nor the task have."""
    squeezed, own = _squeezed(known), set()
    for path, text in changed.items():
        before = {_squeezed(line) for line in text_in(begun, path).splitlines()}
        lines = {line.strip() for line in text.splitlines() if line.strip()}
        own |= {line for line in lines if _squeezed(line) not in before and _squeezed(line) not in squeezed}
    return own


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _renamed(tree: Tree, pattern: re.Pattern[str]) -> Tree:
    files = {}
    for path, file in tree.files.items():
        text = text_in(tree, path)
        files[_called(path, pattern)] = replace(file, data=_called(text, pattern).encode()) if text else file
    return Tree(files=files)


def _called(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda found: found[0] + _AFTER, text)
