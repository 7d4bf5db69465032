"""Hunks of a reference solution, and whether a text contains one: after comments, blanks and indentation are gone.

A hunk is a run of lines that the reference adds to the workspace. One with little in it says nothing, since everybody
closes brackets alike, so it must hold 40 characters on two lines, or 60 on one. It is contained if its lines stand one
after the other in one file. Not covered: renamed variables, other orders, another language.

Source: the analysis of contaminated patches for SWE-bench (2025), which strips comments and looks for whole hunks.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from honestly.records import Edit, File, Tree

_LEAST, _ALONE = 40, 60
_LONGEST = 1 << 20
"""A larger file is not read, bytes."""
_MOST_LINES = 20_000
_COMMENT = re.compile(
    r"^(?:#(?!include|define|if|endif|else|!)|//|--(?!\w)|/?\*+/?|;;|%|<!--)|^(?:\"\"\"|''').*(?:\"\"\"|''')$"
)
_TRAILING = re.compile(r"\s+(?:#|//)\s.*$")
_BLANK = re.compile(r"\s+")


class Hunk(NamedTuple):
    """A run of lines that the reference adds."""

    path: str
    lines: tuple[str, ...]
    """Normalised, none empty."""


class _Line(NamedTuple):
    text: str
    """Normalised."""
    start: int
    end: int
    """Where it stands in the file, characters."""


def reference_hunks(workspace: Tree, reference: Edit) -> list[Hunk]:
    """The hunks of a reference that say something."""
    found = []
    for path, file in reference.write.files.items():
        before = workspace.files.get(path)
        for run in _added(_texts(before), _texts(file)):
            size = sum(map(len, run))
            if size >= (_LEAST if len(run) > 1 else _ALONE):
                found.append(Hunk(path, tuple(run)))
    return found


def contained(hunk: Hunk, edit: Edit, workspace: Tree) -> tuple[str, str] | None:
    """Where the files of an edit hold a hunk: the path, and the words as they stand there; None where they do not.

    A hunk that a file of the workspace held before is nobody's copy.
    """
    for path, file in edit.write.files.items():
        text = _text(file)
        lines = list(_lines(text))
        at = _find(hunk.lines, [line.text for line in lines])
        if at is not None and _find(hunk.lines, _texts(workspace.files.get(path))) is None:
            return path, text[lines[at].start : lines[at + len(hunk.lines) - 1].end]
    return None


def _added(before: list[str], after: list[str]) -> Iterator[list[str]]:
    if not before:
        yield after
        return
    for what, _, _, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what in {"insert", "replace"}:
            yield after[start:end]


def _find(needle: tuple[str, ...], lines: list[str]) -> int | None:
    """Where a run of lines begins."""
    at = -1
    while True:
        try:
            at = lines.index(needle[0], at + 1)
        except ValueError:
            return None
        if lines[at : at + len(needle)] == list(needle):
            return at


def _texts(file: File | None) -> list[str]:
    return [line.text for line in _lines(_text(file))] if file is not None else []


def _text(file: File) -> str:
    return file.data.decode("utf-8", "replace") if file.mode != "link" and len(file.data) <= _LONGEST else ""


def _lines(text: str) -> Iterator[_Line]:
    at = 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        if number >= _MOST_LINES:
            return
        normal = _BLANK.sub("", _TRAILING.sub("", line.strip()))
        if normal and not _COMMENT.search(normal):
            start = at + len(line) - len(line.lstrip())
            yield _Line(normal, start, at + len(line.rstrip()))
        at += len(line)
