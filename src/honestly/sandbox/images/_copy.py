"""`COPY` and `ADD`: files of the context, of other stages and of the Dockerfile itself, on their way into a layer.

Whose files they are does not matter: what is copied, and where it goes to, is looked up as if each of both directories
were a root file system, so that no link leads out of the context, or away in the image.
"""

import hashlib
import io
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from honestly.sandbox.images._layer import Attributes, LayerWriter, path_in_layer
from honestly.sandbox.images._model import ImageError
from honestly.sandbox.images._paths import is_folder, path_inside
from honestly.work import open_regular

_CHUNK = 1 << 20
_LONGEST = 4 << 20
_GLOB = set("*?[")
_NO_TIME = 0.0


@dataclass(frozen=True)
class Source:
    """Something to copy: a file or directory below a root."""

    root: Path
    path: str
    """Below the root, its links resolved."""
    name: str
    """What it is called at its goal, if that is a directory."""


Ignore = Callable[[str], bool]


def find_sources(root: Path, pattern: str, ignored: Ignore) -> list[Source]:
    """The sources below a directory that a path or pattern of `COPY` names.

    Raises:
        ImageError: Nothing.
    """
    parts = [part for part in pattern.split("/") if part not in {"", "."}]
    found = [""]
    for part in parts:
        if _GLOB & set(part):
            fitting = re.compile(_pattern_regex(part))
            folders = [(above, path_inside(root, above)) for above in found]
            found = [
                f"{above}/{name}".strip("/")
                for above, folder in folders
                for name in (sorted(os.listdir(root / folder)) if is_folder(root, folder) else ())
                if fitting.fullmatch(name) and not ignored(f"{above}/{name}".strip("/"))
            ]
        else:
            found = [f"{above}/{part}".strip("/") for above in found]
    sources = [Source(root, path_inside(root, path), path.rpartition("/")[2]) for path in found]
    sources = [one for one in sources if os.path.lexists(root / one.path)]
    # A directory stays even if it is ignored: below it, something may be let in again.
    sources = [one for one in sources if not one.path or not ignored(one.path) or is_folder(root, one.path)]
    if not sources:
        raise ImageError(f"there is no {pattern!r} in {root}, or .dockerignore leaves it out")
    return sources


def _pattern_regex(pattern: str) -> str:
    """A pattern, of one part of a path or of several, as a regular expression."""
    out, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if pattern.startswith("**", at - 1):
            at += 1
            slash = pattern.startswith("/", at)
            at += slash
            out += "(?:[^/]+/)*" if slash else ".*"
        elif char == "*":
            out += "[^/]*"
        elif char == "?":
            out += "[^/]"
        elif char == "[" and (close := pattern.find("]", at + 1)) > 0:
            inside = pattern[at:close].replace("\\", "\\\\").replace("[", "\\[")
            out += f"[{inside}]"
            at = close + 1
        elif char == "\\" and at < len(pattern):
            out += re.escape(pattern[at])
            at += 1
        else:
            out += re.escape(char)
    return out


def read_ignore(context: Path, dockerfile: Path) -> Ignore:
    """The ignore rules of `.dockerignore` for a context; a file of the Dockerfile's name comes before it.

    Raises:
        ImageError: A pattern is not one, or the file is no file of the context.
    """
    own = dockerfile.with_name(f"{dockerfile.name}.dockerignore")
    path = own if os.path.lexists(own) else context / ".dockerignore"
    rules: list[tuple[bool, re.Pattern[str]]] = []
    if os.path.lexists(path):
        for line in text_for(context, path).removeprefix("\ufeff").splitlines():
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            parts = [part for part in text.removeprefix("!").strip().split("/") if part not in {"", "."}]
            try:
                rules.append((text.startswith("!"), re.compile(_pattern_regex("/".join(parts)) + "(?:/.*)?")))
            except re.error as error:
                raise ImageError(f"{path}: {text!r} is not a pattern ({error})") from error

    def ignored(inside: str) -> bool:
        out = False
        for again, pattern in rules:
            if out == again and pattern.fullmatch(inside):
                out = not again
        return out

    return ignored


def text_for(context: Path, path: Path) -> str:
    """The text of a file that says what becomes of a context; one in it may link to files of the context alone.

    Raises:
        ImageError: It leads out of the context, is no file, or is not text in UTF-8.
    """
    inside, real = context.resolve(), path.resolve()
    if path.absolute().parent.resolve().is_relative_to(inside) and not real.is_relative_to(inside):
        raise ImageError(f"{path} is a link that leads out of {context}; put the file itself there")
    with _source_file(str(real)) as file:
        data = file.read(_LONGEST + 1)
    if len(data) > _LONGEST:
        raise ImageError(f"{path} is longer than {_LONGEST >> 20} MiB")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ImageError(f"{path} cannot be read: it is not UTF-8; expected a text file") from error


def nothing_ignored(_: str) -> bool:
    """Take everything."""
    return False


def copied_files(source: Source, ignored: Ignore) -> Iterator[tuple[str, str, os.stat_result]]:
    """The copied files of a source: the path on this machine, the path below the source, and what kind it is."""
    pending = [(source.path, "")]
    while pending:
        inside, below = pending.pop()
        path = f"{source.root}/{inside}" if inside else str(source.root)
        info = os.lstat(path)
        out = bool(inside) and ignored(inside)
        if stat.S_ISDIR(info.st_mode):
            if not out:
                yield path, below, info
            names = sorted(os.listdir(path), reverse=True)
            pending += [(f"{inside}/{name}".strip("/"), f"{below}/{name}".strip("/")) for name in names]
        elif not out and (stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode)):
            yield path, below, info


def digest_of(sources: list[Source], ignored: Ignore) -> str:
    """A hash of names, modes and contents of what would be copied."""
    digest = hashlib.sha256()
    for source in sources:
        for path, below, info in copied_files(source, ignored):
            parts = (os.fsencode(source.name), os.fsencode(below), b"%o" % info.st_mode, content_of(path, info))
            digest.update(b"".join(b"%d:%s" % (len(part), part) for part in parts))
    return digest.hexdigest()


def content_of(path: str, info: os.stat_result) -> bytes:
    """What tells a file from others but its name and attributes: a hash of a regular one, and where a link leads."""
    if stat.S_ISLNK(info.st_mode):
        return os.fsencode(os.readlink(path))
    if not stat.S_ISREG(info.st_mode):
        return b""
    with _source_file(path) as file:
        return hashlib.file_digest(file, "sha256").digest()


def _source_file(path: str) -> io.BufferedReader:
    """A regular file of this machine; ImageError where it is something else, or cannot be opened."""
    try:
        return open_regular(path)
    except FileNotFoundError as error:
        raise ImageError(f"there is no file {path}; write it, or give the folder that contains it") from error
    except OSError as error:
        raise ImageError(f"{path} cannot be read: {error.strerror}; put a file there, or take it away") from error


def read_chunks(path: str) -> Iterator[bytes]:
    """The content of a regular file of this machine."""
    with _source_file(path) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


class Goal:
    """Where copied files go: a place in an image, whose links are followed and whose directories stay as they are."""

    def __init__(self, root: Path, writer: LayerWriter, owner: tuple[int, int] | None, mode: int | None) -> None:
        """`root` holds the image's files so far; `owner` and `mode` are None for what copied files have."""
        self._root, self._writer, self._owner, self._mode = root, writer, owner, mode
        self._made: set[str] = set()

    def make_folder(self, path: str, owner: tuple[int, int] = (0, 0)) -> str:
        """Make a directory, and those above it, as far as the image lacks them; returns where its links lead."""
        place = path_inside(self._root, path)
        parts = place.split("/") if place else []
        for depth in range(len(parts) + 1):
            above = "/".join(parts[:depth])
            if above in self._made:
                continue
            self._made.add(above)
            if is_folder(self._root, above):
                self._writer.folder(above, attributes_of(os.lstat(self._root / above)))
            elif above:
                self._writer.folder(above, Attributes(0o755, *owner))
        return place

    def copy(self, source: Source, path: str, ignored: Ignore) -> None:
        """Copy a file to a path, or what is in a directory to a directory."""
        for origin, below, info in copied_files(source, ignored):
            target = f"{path}/{below}" if below else path
            attributes = self._goal_attributes(info)
            if stat.S_ISDIR(info.st_mode):
                place = path_inside(self._root, target)
                if below and not is_folder(self._root, place):
                    self.make_folder(target.rpartition("/")[0])
                    self._writer.folder(place, attributes)
                    self._made.add(place)
                else:
                    self.make_folder(target, self._owner or (0, 0))
                continue
            place = self._file_place(target)
            if stat.S_ISLNK(info.st_mode):
                self._writer.add_link(place, os.readlink(origin), attributes)
            else:
                self._writer.add_file(place, read_chunks(origin), attributes)

    def write(self, text: bytes, path: str) -> None:
        """Write a file."""
        self._writer.add_file(self._file_place(path), [text], self._goal_attributes(None))

    def _file_place(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        above = self.make_folder(folder)
        return f"{above}/{path_in_layer(name)}".strip("/")

    def _goal_attributes(self, info: os.stat_result | None) -> Attributes:
        uid, gid = self._owner or ((info.st_uid, info.st_gid) if info else (0, 0))
        mode = self._mode if self._mode is not None else info.st_mode if info else 0o644
        return Attributes(mode, uid, gid, info.st_mtime if info else _NO_TIME)


def attributes_of(info: os.stat_result) -> Attributes:
    """The attributes of a file that a layer keeps."""
    return Attributes(info.st_mode, info.st_uid, info.st_gid, info.st_mtime)
