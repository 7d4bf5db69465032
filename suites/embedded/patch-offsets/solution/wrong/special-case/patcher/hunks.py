"""Unified diffs: from text to hunks.

Lines end with a line feed and nothing else; a carriage return before it belongs to the line. A line that ends the file
without a line feed is followed in the diff by a line that starts with a backslash ("\\ No newline at end of file"). It
is not the same as the line with a line feed, neither when a hunk is looked for nor in the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class PatchError(ValueError):
    """Raised for a diff that cannot be understood or does not fit; names the hunk, from 1."""


@dataclass(frozen=True)
class Hunk:
    """One place of a file and what becomes of it.

    Lines of a file are numbered from 1. `old_start` is the number of the first old line; where there are no old lines,
    of the line *after* which the new ones are added (0 before the first). `new_start` means the same for the changed
    file.
    """

    old_start: int
    new_start: int
    lines: tuple[tuple[str, str], ...]
    """Each line as its mark, " ", "-" or "+", and its text with its line end."""

    @property
    def old(self) -> list[str]:
        """The lines that are expected in the file: context and removed ones."""
        return [text for mark, text in self.lines if mark != "+"]

    @property
    def new(self) -> list[str]:
        """The lines that take their place: context and added ones."""
        return [text for mark, text in self.lines if mark != "-"]

    def reversed(self) -> Hunk:
        """The hunk that undoes this one."""
        swapped = {"+": "-", "-": "+", " ": " "}
        return Hunk(self.old_start, self.new_start, tuple((swapped[mark], text) for mark, text in self.lines))


def split_lines(text: str) -> list[str]:
    """The lines of a text with their line ends; only the last one may lack it."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def parse_patch(patch: str) -> list[Hunk]:
    """The hunks of a diff of one file. What stands before and between them is skipped.

    Raises:
        PatchError: a hunk does not hold as many lines as its header says.
    """
    hunks: list[Hunk] = []
    lines = patch.split("\n")
    position = 0
    while position < len(lines):
        header = _HEADER.match(lines[position])
        position += 1
        if header is None:
            continue
        counts = [int(count or "1") for count in header.group(2, 4)]
        body, position = _body(lines, position, counts, len(hunks) + 1)
        hunks.append(Hunk(int(header[1]), int(header[3]), body))
    return hunks


def _body(lines: list[str], position: int, counts: list[int], number: int) -> tuple[tuple[tuple[str, str], ...], int]:
    """The lines of a hunk that starts at `position` of a diff, and the position after it."""
    body: list[tuple[str, str]] = []
    old, new = counts
    while old > 0 or new > 0 or lines[position : position + 1] and lines[position].startswith("\\"):
        line = lines[position] if position < len(lines) else ""
        position += 1
        mark, text = line[:1], line[1:] + "\n"
        if mark == "\\":
            continue
        if mark not in {" ", "-", "+"}:
            raise PatchError(f"hunk {number}: not a line of a hunk: {line!r}")
        old, new = old - (mark != "+"), new - (mark != "-")
        body.append((mark, text))
    if old < 0 or new < 0:
        raise PatchError(f"hunk {number} does not hold as many lines as its header says")
    return tuple(body), position
