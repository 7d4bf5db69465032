"""Text files of a workspace, read with care: it was written by somebody else, and may be hostile.

Only what is in the tree is read, so nothing outside the workspace can be reached; links are followed inside it, a few
times. Files that are no text, or too large, become notes.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field

from honestly.records import Tree

__all__ = ["LARGEST", "Reader"]

LARGEST = 64_000
"""Bytes that one file may have, and characters that all that goes into a prompt may have together."""

_MOST_HOPS = 5
_MOST_NOTES = 50


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
