"""What would show that a text holds the answer: lines that the reference, or a hidden test, adds, and its new names.

Lines are compared without blanks, quotes alike, wherever they stand in a text: indented otherwise, in a patch, in one
line; those that differ in blanks alone are compared as they are. What stands in the file before, or in several files of
the workspace, says nothing. A text holds the answer if it has most of what is new in one file: by lines, or, where
somebody has rewritten them, by names that are new to the whole workspace. A single short line counts with the lines
around it.
"""

import builtins
import keyword
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from honestly.records import Task, Tree
from honestly.taskgen._split import is_source, language_of
from honestly.tasks import WORD, text_in

_LEAST, _TELLING = 8, 25
"""Characters of a line that may count; of one that counts alone."""
_SHARE, _STRICT, _MANY = 0.6, 0.8, 4
"""Of the new lines: what must be there; what must be there, and how many, in a file that was always there."""
_MOST_KNOWN = 2
"""Files of the workspace that may hold a line which counts."""
_NAMES = 3
_PYTHON = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *sys.stdlib_module_names, "self", "cls"}


@dataclass(frozen=True, slots=True)
class Needle:
    """What is new in one file."""

    path: str
    lines: tuple[str, ...]
    """New lines, made alike."""
    around: tuple[str, ...]
    """Each new place with the lines beside it, made alike: for changes that are small."""
    spaced: tuple[str, ...]
    """What is new where nothing but blanks is: lines, or, where those are only indented, with the lines beside them."""
    names: frozenset[str]
    """Names that the workspace does not have."""
    tests: bool

    def held(self, text: str, *, strict: bool) -> str:
        """A new line, or names, which show that a text holds this; empty if it does not.

        Args:
            text: as it is.
            strict: whether the text was there before the task, and may look alike by chance.
        """
        alike = _normal_text(text)
        found = [line for line in self.lines if line in alike]
        share = sum(map(len, found)) / (sum(map(len, self.lines)) or 1)
        if found and share >= (_STRICT if strict or self.tests else _SHARE):
            telling = len(found) >= (_MANY if strict or self.tests else 3) or (
                not strict and not self.tests and max(map(len, found)) >= _TELLING
            )
            if telling:
                return max(found, key=len)[:100]
        if not strict and not self.tests and self.around:
            plain = _normal_text(_without_removed(text))
            if all(each in plain for each in self.around):
                return self.around[0][:100]
        if not strict and not self.tests and self.spaced:
            plain = _without_removed(text)
            if all(each in plain for each in self.spaced):
                return self.spaced[0][:100]
        if not strict and not self.tests and len(self.names) >= _NAMES:
            said = self.names & set(WORD.findall(text))
            if len(said) >= _NAMES and len(said) >= _STRICT * len(self.names):
                return f"the names {', '.join(sorted(said)[:5])}"
        return ""

    @property
    def telling(self) -> tuple[str, ...]:
        """The lines that tell most, as they may be searched for."""
        return tuple(sorted(self.lines, key=len)[-3:])


def needles_of(task: Task) -> tuple[Needle, ...]:
    """What to look for, for each file that the reference or the hidden tests add to."""
    assert task.hidden is not None
    files = task.workspace.files if task.visible is None else task.visible.files.over(task.workspace).files
    tree = Tree(files=dict(files))
    known = {path: text_in(tree, path) for path in files if not path.startswith(".git/")}
    everywhere = Counter(line for text in known.values() for line in set(_needle_lines(text)))
    # A word that several files have, or that the instruction tells, is no secret of the answer's.
    words = Counter(word for text in known.values() for word in set(WORD.findall(text)))
    told = set(WORD.findall(task.instruction)) | _PYTHON
    judging = {name.partition("::")[0] for name in task.hidden.checks.expected}
    sides = [(task.hidden.reference.write, False), (task.hidden.solution, False),
             (task.hidden.checks.files.only(judging), True)]  # fmt: skip
    code = any(is_source(path) for path in task.hidden.reference.write.files)
    found = []
    for tree, tests in sides:
        for path in tree.files:
            if not tests and code and not language_of(path):
                continue
            before, after = text_in(task.workspace, path), text_in(tree, path)
            new = list(dict.fromkeys(line for line in _added_lines(before, after) if len(line) >= _LEAST))
            old = _normal_text(before)
            lines = tuple(line for line in new if line not in old and everywhere[line] <= _MOST_KNOWN)
            names = frozenset(
                word for word in set(WORD.findall(after)) - set(WORD.findall(before)) - told
                if len(word) > 3 and words[word] <= 1
            )  # fmt: skip
            around = tuple(_around(before, after)) if len(lines) <= 2 else ()
            texts = known.values() if not lines and not around else ()
            spaced = tuple(each for each in _spaced(before, after) if texts and not any(each in text for text in texts))
            if lines or around or spaced:
                found.append(Needle(path, lines, around, spaced, names if language_of(path) else frozenset(), tests))
    return tuple(found)


def _normal_text(text: str) -> str:
    return re.sub(r"\s+", "", text).replace('"', "'").replace("\\'", "'")


def _needle_lines(text: str) -> Iterator[str]:
    return filter(None, map(_normal_text, text.splitlines()))


def _added_lines(before: str, after: str) -> Iterator[str]:
    known = set(_needle_lines(before))
    return (line for line in _needle_lines(after) if line not in known)


def _around(before: str, after: str) -> Iterator[str]:
    """Each changed place of a file, with two lines before it and after it; only where that is long enough to tell."""
    old, new = before.splitlines(), after.splitlines()
    for kind, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        place = _normal_text("\n".join(new[max(0, start - 2) : end + 2]))
        if kind in ("insert", "replace") and len(place) >= _TELLING and place not in _normal_text(before):
            yield place


def _spaced(before: str, after: str) -> Iterator[str]:
    """The lines of a file that differ from those before in blanks alone; if only indented, with the lines beside."""
    old, new = before.splitlines(), after.splitlines()
    for kind, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for at in range(start, end) if kind != "equal" else ():
            line = new[at].strip()
            yield line if line not in before else "\n".join(new[max(0, at - 1) : at + 2])


def _without_removed(text: str) -> str:
    """The later state of a text that is a patch; a text that is none, as it is."""
    if "\n@@ " not in text and "\n+" not in text:
        return text
    return "\n".join(line[1:] if line[:1] in ("+", " ") else line for line in text.splitlines() if line[:1] != "-")
