"""Unified diffs of whole trees, as git writes them: read strictly, and put on a tree of files.

A patch is read whole before anything of it is applied: every line belongs to a header or to a hunk, the hunks hold as
many lines as they say, names are relative and stay below the root. Lines end with a line feed and nothing else. A hunk
goes where its old lines stand: at the place that its header names, moved as the hunk before it was moved, or else at
the nearest place after that hunk; never where they only almost fit. Text before the first file is skipped, as `git
apply` skips it.

Not covered: binary patches, which are refused; copies are read, and a change of mode is applied.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from honestly.errors import FormatError, TaskError
from honestly.records import File, Tree

# Characters of a patch that is read.
_LARGEST = 16 << 20
# Hunks of one file that may stand elsewhere than they say: each takes a search of the whole file.
_MOST_MOVED = 1000
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_MODES: dict[str, Literal["file", "exec", "link"]] = {
    "100644": "file",
    "100664": "file",
    "100755": "exec",
    "120000": "link",
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Hunk:
    start: int
    """How many lines of the file come before it."""
    old: bytes
    new: bytes


@dataclass(slots=True)
class _Change:
    """One file's change in a patch: what git says of it before its hunks, and these."""

    old: str | None = None
    """Its name; None if it is new."""
    new: str | None = None
    """Its name afterwards; None if it is deleted."""
    is_new: bool = False
    is_deleted: bool = False
    keeps_old: bool = False
    """It is a copy."""
    mode: Literal["file", "exec", "link"] | None = None
    hunks: list[_Hunk] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The change's name in messages."""
        return self.new or self.old or ""

    def take_header(self, line: str) -> bool:
        """Take in one line; False if it is not one of git's header lines.

        Raises:
            ValueError: it makes no sense.
        """
        match line.split(" "):
            case ["index" | "similarity" | "dissimilarity", *_] | ["old", "mode", *_]:
                pass
            case ["new", "mode", mode]:
                self.mode = _file_mode(mode)
            case ["new", "file", "mode", mode]:
                self.is_new, self.mode = True, _file_mode(mode)
            case ["deleted", "file", "mode", *_]:
                self.is_deleted = True
            case ["rename" | "copy" as what, "from", *name]:
                self.old, self.keeps_old = _stripped_path(_unquoted_name(" ".join(name))), what == "copy"
            case ["rename" | "copy", "to", *name]:
                self.new = _stripped_path(_unquoted_name(" ".join(name)))
            case _:
                return False
        return True


@dataclass(frozen=True, slots=True)
class Patch:
    """The changes that a unified diff makes to a tree of files."""

    _changes: tuple[_Change, ...]

    @property
    def changed_paths(self) -> tuple[str, ...]:
        """Paths of the files that it creates or changes, in its order."""
        return tuple(change.new for change in self._changes if change.new is not None)

    @property
    def deleted_paths(self) -> tuple[str, ...]:
        """Paths of the files that it deletes or renames."""
        return tuple(
            change.old
            for change in self._changes
            if change.old is not None and change.old != change.new and not change.keeps_old
        )

    def apply(self, tree: Tree) -> Tree:
        """Apply the patch to `tree`, and return the tree that results.

        Raises:
            FormatError: it does not fit; the message names the file, and the hunk from 1.
        """
        kept, written = tree.without(self.deleted_paths), dict[str, File]()
        for change in self._changes:
            if change.old is not None and change.old not in tree.files:
                raise FormatError(f"{change.old}: the patch changes it, but there is no such file")
            if change.new != change.old and change.new is not None and change.new in kept.files:
                raise FormatError(f"{change.new}: the patch creates it, but it already exists")
            before = tree.files[change.old] if change.old is not None else File()
            data = _patched_data(before.data, change)
            if change.new is not None:
                written[change.new] = File(data=data, mode=change.mode or before.mode)
            elif data:
                raise FormatError(f"{change.name}: the patch deletes it, but not all that is in it")
        return Tree(files=written).over(kept)


def read_patch(text: str) -> Patch:
    """Read a unified diff.

    Raises:
        FormatError: it is not a patch, or patches binary files; the message names the line, from 1.
    """
    if len(text) > _LARGEST:
        raise FormatError(f"the patch is longer than {_LARGEST >> 20} MiB")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise FormatError("the patch contains half a surrogate pair, and is not Unicode") from error
    changes = tuple(_Reader(text).read_changes())
    names = Counter(change.name for change in changes)
    twice = sorted(name for name, count in names.items() if count > 1)
    if twice:
        raise FormatError(f"the patch changes a file more than once: {', '.join(twice[:5])}")
    return Patch(changes)


class _Reader:
    """The lines of a patch, and how far they have been read."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        if self._lines and not self._lines[-1]:
            self._lines.pop()
        self._at = 0

    def read_changes(self) -> Iterator[_Change]:
        """The changes, in order."""
        while (line := self._peek_line()) is not None:
            try:
                if line.startswith("diff --git "):
                    yield self._git_change()
                elif line.startswith("--- ") and (self._peek_line(1) or "").startswith("+++ "):
                    yield self._plain_change(_Change())
                elif _HUNK.match(line):
                    raise ValueError("a hunk that belongs to no file")
                else:
                    self._at += 1
            except ValueError as error:
                raise FormatError(f"line {self._at + 1} of the patch: {error}") from error

    def _git_change(self) -> _Change:
        """A change with git's header."""
        head, names = _Change(), self._lines[self._at].removeprefix("diff --git ")
        self._at += 1
        while (line := self._peek_line()) is not None and head.take_header(line):
            self._at += 1
        if line is not None and line.startswith(("GIT binary patch", "Binary files ")):
            raise ValueError("a binary patch; only text can be patched")
        if line is not None and line.startswith("--- "):
            return self._plain_change(head)
        # Nothing but a mode changes, or an empty file comes or goes.
        if head.old is None and head.new is None:
            # Both halves of `a/x b/x` must have one name.
            middle = len(names) // 2
            old, new = (
                _stripped_path(_unquoted_name(half), strip=True) for half in (names[:middle], names[middle + 1 :])
            )
            if names[middle : middle + 1] != " " or old != new:
                raise ValueError("the header does not say which file it means")
            name = new
            head.old, head.new = (None if head.is_new else name), (None if head.is_deleted else name)
        if (head.old is None) != head.is_new or (head.new is None) != head.is_deleted:
            raise ValueError("the header does not say which file it means")
        return head

    def _plain_change(self, head: _Change) -> _Change:
        """A change from its two lines of names on."""
        old, new = self._marked_name("--- "), self._marked_name("+++ ")
        if (head.old, head.new) == (None, None):
            # Without git's header, two names are one file and a copy of it that somebody kept.
            head.old, head.new = (new if old is not None and new is not None else old), new
        if (old is None, new is None) != (head.old is None, head.new is None) or (old is None and new is None):
            raise ValueError("a file must be there before or after")
        while (self._peek_line() or "").startswith("@@ "):
            head.hunks.append(self._read_hunk())
        if not head.hunks:
            raise ValueError("expected a hunk")
        return head

    def _marked_name(self, mark: str) -> str | None:
        """The name in a line that begins with `mark`; None for /dev/null."""
        line = self._peek_line() or ""
        if not line.startswith(mark):
            raise ValueError(f"expected a line that begins with {mark!r}")
        name = _unquoted_name(line.removeprefix(mark).partition("\t")[0])
        self._at += 1
        return None if name == "/dev/null" else _stripped_path(name, strip=True)

    def _read_hunk(self) -> _Hunk:
        header = _HUNK.match(self._lines[self._at])
        if header is None:
            raise ValueError("not the header of a hunk")
        self._at += 1
        left = [int(count) if count is not None else 1 for count in header.group(2, 4)]
        sides: tuple[list[bytes], list[bytes]] = ([], [])
        while left[0] > 0 or left[1] > 0:
            line = self._peek_line()
            if line is None:
                raise ValueError("the hunk ends before it contains as many lines as its header says")
            # Some editors cut the blank that an empty line of context consists of.
            mark, data = line[:1] or " ", line[1:].encode() + b"\n"
            if mark not in " -+":
                raise ValueError(f"not a line of a hunk: {line[:80]!r}")
            self._at += 1
            wanted = [side for side, marks in enumerate((" -", " +")) if mark in marks]
            if (self._peek_line() or "").startswith("\\"):
                self._at += 1
                data = data[:-1]
            for side in wanted:
                sides[side].append(data)
                left[side] -= 1
        if min(left) < 0:
            raise ValueError("the hunk contains more lines than its header says")
        start = int(header[1]) - bool(sides[0])
        if start < 0 or any(not line.endswith(b"\n") for side in sides for line in side[:-1]):
            raise ValueError("the hunk begins before the first line, or has a line without end before its last")
        return _Hunk(start, b"".join(sides[0]), b"".join(sides[1]))

    def _peek_line(self, ahead: int = 0) -> str | None:
        at = self._at + ahead
        return self._lines[at] if at < len(self._lines) else None


def _file_mode(text: str) -> Literal["file", "exec", "link"]:
    if text not in _MODES:
        raise ValueError(f"a file of the mode {text[:20]!r}, which is not a plain file, a program or a link")
    return _MODES[text]


def _unquoted_name(name: str) -> str:
    """A name as git writes it: in quotes, with escapes, if there is anything odd in it."""
    if not name.startswith('"'):
        return name
    if len(name) < 2 or not name.endswith('"'):
        raise ValueError(f"a name that is not closed: {name[:80]!r}")
    data = bytearray()
    end = 0
    for escape in _ESCAPE.finditer(name[1:-1]):
        data += name[1:-1][end : escape.start()].encode()
        end = escape.end()
        code = escape[1]
        if code in _ESCAPES:
            data += _ESCAPES[code].encode()
        elif len(code) == 3 and int(code, 8) < 256:
            data.append(int(code, 8))
        else:
            raise ValueError(f"an escape that is unknown: {escape[0]!r}")
    data += name[1:-1][end:].encode()
    return data.decode()


def _stripped_path(name: str, *, strip: bool = False) -> str:
    """`name`, less its first part where git puts `a/` or `b/`, if a tree may hold it."""
    path = name.partition("/")[2] if strip else name
    try:
        Tree(files={path: File()})
    except TaskError as error:
        raise ValueError(str(error)) from error
    return path


def _patched_data(data: bytes, change: _Change) -> bytes:
    parts: list[bytes] = []
    done = _Place(0, 0)
    drift = moved = 0
    for number, hunk in enumerate(change.hunks, start=1):
        wanted = hunk.start + drift
        place = done.place_before(data, wanted)
        if place is None or not _hunk_fits(data, hunk, place.at):
            moved += 1
            place = _nearest_place(data, hunk, done, wanted) if hunk.old and moved <= _MOST_MOVED else None
        if place is None:
            raise FormatError(f"{change.name}: hunk {number} does not fit")
        drift = place.line - hunk.start
        parts += [data[done.at : place.at], hunk.new]
        done = _Place(place.line + hunk.old.count(b"\n"), place.at + len(hunk.old))
    return b"".join([*parts, data[done.at :]])


@dataclass(frozen=True, slots=True)
class _Place:
    """A place of a file: how many lines, and how many bytes, come before it."""

    line: int
    at: int

    def place_before(self, data: bytes, line: int) -> _Place | None:
        """The place before that line, from here on; None if the file ends before."""
        at = self.at
        for _ in range(line - self.line):
            at = data.find(b"\n", at) + 1
            if at == 0:
                return None
        return _Place(line, at) if line >= self.line else None


def _hunk_fits(data: bytes, hunk: _Hunk, at: int) -> bool:
    """Whether the old lines of a hunk are there; what lacks its line end must be the last line of the file."""
    begins = at == 0 or data[at - 1 : at] == b"\n"
    return begins and data.startswith(hunk.old, at) and (_is_whole(hunk) or at + len(hunk.old) == len(data))


def _is_whole(hunk: _Hunk) -> bool:
    return all(side.endswith(b"\n") or not side for side in (hunk.old, hunk.new))


def _nearest_place(data: bytes, hunk: _Hunk, done: _Place, wanted: int) -> _Place | None:
    """The place nearest to the wanted line, of those from `done` on, at which the old lines stand."""
    if not _is_whole(hunk):
        places = [len(data) - len(hunk.old)]
    else:
        middle = done.place_before(data, max(wanted, done.line)) or _Place(0, len(data))
        # With a line end before both, what is found begins a line, and where it is found is where it begins.
        lines, needle = b"\n" + data, b"\n" + hunk.old
        places = [lines.rfind(needle, done.at, middle.at + len(needle) - 1), lines.find(needle, middle.at)]
    found = [
        _Place(done.line + data.count(b"\n", done.at, at), at)
        for at in places
        if at >= done.at and _hunk_fits(data, hunk, at)
    ]
    return min(found, key=lambda place: (abs(place.line - wanted), place.line), default=None)
