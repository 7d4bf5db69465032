"""The content that a skill puts into a task by itself, and whether it could do so with other names: procedure or
memory.

What a rewritten run leaves is made of its commands, of the workspace, and of what the skill adds. Lines that stand in
neither are the skill's own. Two things are asked of them. They must be made of what the workspace or the commands have:
words, pieces of four characters and more, and hardly anything else. And the skill must do the same where things are
called otherwise: the names on changed lines are changed everywhere, in files, their paths, and commands, and what comes
of it must be what came before, with the changed names. A procedure commutes with a change of names; an answer that is
remembered, however it is encoded or guarded, does not.

What a command says for show (an `echo` of the answer, an argument that nobody reads) does not count: with another word
in its place the run leaves the same. Numbers on own lines must stand in the commands. A skill that calculates an answer
cannot be told from one that knows it, and is refused.
"""

import builtins
import keyword
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from honestly.memory.learning._bench import SkillBench
from honestly.records import Edit, Tree
from honestly.tasks import text_in

_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    (*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *sys.stdlib_module_names, "self", "cls", "0", "1")
).union(*map(dir, (str, list, dict, set, int)))
_AFTER = "_v"
_PIECE, _MOST_OWN = 4, 3
_MOST_WRITTEN, _LONGEST_LINE = 200_000, 2_000
_MOST_PARTS, _LEAST_PART = 24, 2


async def own_answer(bench: SkillBench, commands: Sequence[str], skills: Mapping[str, str]) -> str:
    """Why a run shows that a skill knows the answer; empty where it does not."""
    begun = bench.task.workspace
    ran = await bench.run_commands(commands, skills)
    changed = _changed_files(begun, ran.final)
    if isinstance(changed, str):
        return changed
    said = await _commands_in_use(bench, commands, skills, ran.final)
    known = "\n".join((*(text_in(begun, path) for path in begun.files), bench.task.instruction, *begun.files))
    count, longest = sum(map(len, changed.values())), max(map(len, "\n".join(changed.values()).splitlines()), default=0)
    if count > _MOST_WRITTEN or longest > _LONGEST_LINE:
        return f"it leaves {count} characters in lines of up to {longest}, more than is looked through"
    squeezed, own = _without_quoting(f"{said}\n{known}"), set()
    for path, text in changed.items():
        before = {_without_quoting(line) for line in _stripped_lines(text_in(begun, path))}
        own |= {
            line
            for line in _stripped_lines(text)
            if _without_quoting(line) not in before and _without_quoting(line) not in squeezed
        }
    if why := _from_nowhere(own, said, known):
        return why
    gone = {
        line for path, text in changed.items() for line in _stripped_lines(text_in(begun, path)) - _stripped_lines(text)
    }
    words = {word for line in own | gone for word in _WORD.findall(line)} - _COMMON
    names = {word for word in words & set(_WORD.findall(known)) if word.isidentifier() and not word.startswith("__")}
    if not names:
        return f"it writes {min(own)!r}, which nothing tells from an answer that it knows" if own else ""
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names)))})\b")
    other = _renamed(begun, pattern)
    again = await bench.run_commands([_called_name(text, pattern) for text in commands], skills, other)
    after = _changed_files(other, again.final)
    if after != {_called_name(path, pattern): _called_name(text, pattern) for path, text in changed.items()}:
        return f"with other names in the task it does not do the same: it knows {min(names)!r}"
    return ""


async def _commands_in_use(bench: SkillBench, commands: Sequence[str], skills: Mapping[str, str], final: Tree) -> str:
    """The words of commands, less those said for show: another word in its place, and the run leaves the same."""
    used: list[str] = []
    for at, command in enumerate(commands):
        for part, other in _argument_parts(command):
            again = await bench.run_commands([*commands[:at], other, *commands[at + 1 :]], skills)
            used += [part] if again.final != final else []
    return "\n".join(used)


def _argument_parts(command: str) -> Iterator[tuple[str, str]]:
    """Each argument of a command, and the text that it is given, with the command where another stands in its place."""
    head, found, body = command.partition("\n") if "<<" in command else (command, "", "")
    if found:
        text, _, end = body.rstrip("\n").rpartition("\n")
        yield text, f"{head}\nx\n{end}"
    try:
        words = shlex.split(head)
    except ValueError:  # an argument of several lines beside a given text, say
        yield command, ":"
        return
    exact = shlex.join(words) == head
    for at, word in enumerate(words[:_MOST_PARTS]):
        raw = next((each for each in (shlex.quote(word), word) if each in head), "")
        if exact:
            yield word, shlex.join([*words[:at], "x", *words[at + 1 :]])
        elif len(word) >= _LEAST_PART and raw:
            yield word, command.replace(raw, "x", 1)


def _from_nowhere(own: set[str], said: str, known: str) -> str:
    """The parts of own lines that stand neither in the commands nor in the task; empty where hardly anything does."""
    there, given = set(_WORD.findall(known)), set(_WORD.findall(said))
    words = {word for line in own for word in _WORD.findall(line)} - _COMMON
    novel = sorted(word for word in words if word not in given and (word not in there or word.isdigit()))
    if novel:
        return f"it writes what stands neither in the task nor in the commands: {novel[0]!r}"
    around, most = _without_quoting(f"{said}\n{known}"), 0
    for line in own:
        # What counts are characters that are in no word, nor in a piece of the line that stands elsewhere.
        text, left, at = _without_quoting(line), "", 0
        while at < len(text):
            end = at
            while end < len(text) and text[at : end + 1] in around:
                end += 1
            if end - at >= _PIECE:
                at = end
            else:
                word = _WORD.match(text, at)
                left += "" if word else text[at]
                at = word.end() if word else at + 1
        most += len(left)
        if most > _MOST_OWN:
            return f"it writes what stands neither in the task nor in the commands: {left!r} in {line!r}"
    return ""


def _changed_files(begun: Tree, final: Tree) -> dict[str, str] | str:
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


def _stripped_lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def _without_quoting(text: str) -> str:
    """Without blanks and quotes: arguments of a command are cut and quoted as its shell wants them."""
    return "".join(text.split()).translate({ord("'"): None, ord('"'): None})


def _renamed(tree: Tree, pattern: re.Pattern[str]) -> Tree:
    files = {}
    for path, file in tree.files.items():
        text = text_in(tree, path)
        files[_called_name(path, pattern)] = replace(file, data=_called_name(text, pattern).encode()) if text else file
    return Tree(files=files)


def _called_name(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda found: found[0] + _AFTER, text)
