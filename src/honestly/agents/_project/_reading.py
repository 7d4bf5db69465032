"""Text files of a workspace, read with care: it was written by somebody else, and may be hostile.

Only what is in the tree is read, so nothing outside the workspace can be reached; links are followed inside it, a few
times. Files that are not text, or too large, become notes.
"""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from honestly.agents._project._front_matter import Headed, read_front_matter
from honestly.errors import ToolError
from honestly.records import Tree

LARGEST = 64_000
"""Bytes that one file may have, and characters that all that goes into a prompt may have together."""

_MOST_HOPS = 5
_MOST_NOTES = 50


@dataclass(frozen=True, slots=True)
class Described:
    """A part of the set-up that the prompt tells of, and a tool gives by its name."""

    name: str
    description: str


D = TypeVar("D", bound=Described)


def described(head: str, parts: Sequence[Described]) -> str:
    """What the prompt says of them, a line each; empty where there are none."""
    lines = [f"- {part.name}: {' '.join(part.description.split())}" for part in parts]
    return "\n".join([head, *lines]) if lines else ""


def named(kind: str, name: str, parts: Sequence[D]) -> D:
    """The one that has this name.

    Raises:
        ToolError: None of them has.
    """
    for part in parts:
        if part.name == name:
            return part
    raise ToolError(f"there is no {kind} {name[:100]!r}; there are: {', '.join(part.name for part in parts)}")


@dataclass
class Reader:
    """Reads texts of a tree, and keeps notes on what could not be read."""

    tree: Tree
    notes: list[str] = field(default_factory=list)
    """What was wrong, one line each."""

    def text(self, path: str) -> str:
        """The text of a file; empty, with a note, where it is not text."""
        real = self.resolved(path)
        if real is None:
            self.note(path, "leads nowhere in the workspace")
            return ""
        data = self.tree.files[real].data
        if len(data) > LARGEST:
            self.note(path, f"has {len(data):,} bytes; the first {LARGEST:,} are read")
        try:
            text = data[:LARGEST].decode("utf-8", "strict" if len(data) <= LARGEST else "ignore")
        except UnicodeDecodeError:
            self.note(path, "is not UTF-8 text")
            return ""
        return text.replace("\0", "").replace("\r\n", "\n").removeprefix("\ufeff")

    def headed(self, path: str) -> Headed:
        """The head and the body of a Markdown file, with a note where the head cannot be read."""
        headed = read_front_matter(self.text(path))
        if headed.trouble:
            self.note(path, headed.trouble)
        return headed

    def resolved(self, path: str) -> str | None:
        """The file that a path of the workspace names, links followed; None where there is none inside."""
        path = posixpath.normpath(path)
        for _ in range(_MOST_HOPS):
            file = self.tree.files.get(path)
            if file is None or file.mode != "link":
                return path if file is not None else None
            target = file.data.decode("utf-8", "replace")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return None

    def below(self, folder: str, suffix: str = ".md") -> list[str]:
        """The files below a folder, by path."""
        return sorted(path for path in self.tree.files if path.startswith(f"{folder}/") and path.endswith(suffix))

    def note(self, path: str, what: str) -> None:
        """Notes what is wrong with a file."""
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(f"{path[:200]} {what}")
