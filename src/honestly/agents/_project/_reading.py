"""Text files of a workspace, read with care: it was written by somebody else, and may be hostile.

Only what is in the tree is read, so nothing outside the workspace can be reached; links are followed inside it, a few
times. Files that are not text, or too large, become notes.

Of the YAML in a Markdown file's head it reads the small part that people write there: plain and quoted values, lists in
brackets or with dashes, folded and literal blocks. What is deeper than that is left out and noted.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from honestly.records import Tree

LARGEST = 64_000
"""Bytes that one file may have, and characters that all that goes into a prompt may have together."""

_MOST_HOPS = 5
_MOST_NOTES = 50
_KEY = re.compile(r"^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$")
_MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class MarkdownWithHead:
    """A text with what its head says."""

    head: Mapping[str, str]
    """Values by key, in lower case; the parts of a list are joined by commas."""
    body: str
    trouble: str = ""
    """What could not be read of the head."""

    def parts(self, key: str) -> tuple[str, ...]:
        """A value as a list."""
        return tuple(part.strip() for part in self.head.get(key, "").split(",") if part.strip())


def read_front_matter(text: str) -> MarkdownWithHead:
    """The head and the body of a text; a head that is never closed is body."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return MarkdownWithHead({}, text)
    end = next((at for at, line in enumerate(lines[1:_MOST_LINES], 1) if line.rstrip() == "---"), 0)
    if not end:
        return MarkdownWithHead({}, text, "has a head that is never closed")
    head: dict[str, str] = {}
    trouble, key, block = "", "", ""
    for line in lines[1:end]:
        if found := _KEY.match(line):
            key, value = found[1].lower(), (found[2] or "").strip()
            block = value if value[:1] in {"|", ">"} else ""
            head[key] = "" if block else _unquoted_value(value)
        elif not line.strip() or line.lstrip().startswith("#"):
            continue
        elif key and line.lstrip().startswith("- ") and not block:
            head[key] = ",".join(filter(None, (head[key], _unquoted_value(line.lstrip()[2:]))))
        elif key and line[0] in " \t" and (block or ":" not in line):
            head[key] = f"{head[key]}{chr(10) if block.startswith('|') else ' '}{line.strip()}".strip()
        else:
            trouble = f"has a head with a line that is not understood: {line.strip()[:80]!r}"
    return MarkdownWithHead(head, "\n".join(lines[end + 1 :]).strip(), trouble)


def _unquoted_value(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    if value.startswith("[") and value.endswith("]"):
        return ",".join(_unquoted_value(part) for part in value[1:-1].split(","))
    return value.split(" #")[0].rstrip()


@dataclass
class Reader:
    """Reads texts of a tree, and keeps notes on what could not be read."""

    tree: Tree
    notes: list[str] = field(default_factory=list)
    """What was wrong, one line each."""

    def text(self, path: str) -> str:
        """The text of a file; empty, with a note, where it is not text."""
        real = self.real_path(path)
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

    def read_headed(self, path: str) -> MarkdownWithHead:
        """The head and the body of a Markdown file, with a note where the head cannot be read."""
        headed = read_front_matter(self.text(path))
        if headed.trouble:
            self.note(path, headed.trouble)
        return headed

    def real_path(self, path: str) -> str | None:
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
