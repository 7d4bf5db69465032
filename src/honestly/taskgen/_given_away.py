"""Whether an instruction gives the answer away: it is read against the reference's own names and literals.

Those are what stands on the lines that the reference adds, read by Python's tokenizer (of other languages, by a regular
expression), apart from what whoever made the task took out. Of a planted bug each of them would say where it is; of
anything else only those that the workspace does not have. What the hidden tests use may be told, and is. Ideas are not
found: a text may still say in other words how it is done.
"""

import builtins
import keyword
import re

from honestly.records import Task
from honestly.taskgen._told import Told, place_said
from honestly.tasks import WORD, added_words, text_in

PLANTED = ("from-mutants", "grow")
"""Kinds of tasks in which a bug was planted."""
_COMMON = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "self", "cls"}
_LEAST = 3
"""Characters of a text that counts as a literal."""


def own_words(task: Task) -> tuple[frozenset[str], frozenset[str]]:
    """The names and the literals that the reference of a task has to itself."""
    names, literals = added_words(task)
    if task.tags.made in PLANTED:
        known = ""
    else:
        kept = (path for path in task.workspace.files if not path.startswith(".git/"))
        known = "\n".join(text_in(task.workspace, path) for path in kept)
    words = set(WORD.findall(known)) | _COMMON
    own = (literal for literal in literals if len(literal) >= _LEAST or (literal.isdigit() and len(literal) > 1))
    return (
        frozenset(name for name in names - words if len(name) > 1),
        frozenset(literal for literal in own if literal.strip() and literal not in known),
    )


def given_away(task: Task, told: Told, name: str) -> tuple[str, ...]:
    """The reference's own names and literals that its instruction says, though nobody needs to be told them."""
    names, literals = own_words(task)
    said, _, after = task.instruction.partition(place_said(name))  # what follows is the same for all, or must be told
    allowed = {*told.told, *(word for each in told.told for word in WORD.findall(each))}
    if task.tags.made == "from-tests":  # it tells signatures, which the workspace has: nothing else is allowed
        said, allowed = "\n".join(line for line in after.splitlines() if line.startswith("- ")), set()
    words = set(WORD.findall(said))
    found = [each for each in sorted(names - allowed) if each in words]
    return (
        *found,
        *(each for each in sorted(literals - allowed) if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", said)),
    )
