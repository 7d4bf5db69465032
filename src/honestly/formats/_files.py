"""Reading somebody else's files: bounded, never through a link, never blocking.

An imported directory is hostile input. A name may be anything but is shown as Unicode; a link may point anywhere and is
not followed; a file may be a pipe that never ends, or larger than memory. What cannot be read is a FormatError whose
message begins with the reason, so that an importer can count it and go on.
"""

import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from honestly.errors import FormatError
from honestly.records import Defect, DefectEffect

JSON_BYTES = 64 << 20
"""A JSON file larger than this is not read, bytes."""

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
"""How packed files begin."""
BOM = b"\xef\xbb\xbf"
"""What some programs put before UTF-8."""

_PIECE = 1 << 20


def storable_name(name: str) -> str:
    """A file name as text that can be stored: what is not UTF-8 in it is escaped, so that names stay apart."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorting key under which `run2` comes before `run10`."""
    # Longer numbers than any real one are compared as text: int() of a million digits takes minutes.
    return tuple(
        (0, int(part), part) if part[0] in "0123456789" and len(part) <= 18 else (1, -1, part)
        for part in re.findall("[0-9]+|[^0-9]+", name)
    )


def is_folder(path: Path) -> bool:
    """Whether this is a directory itself, not a link to one; also False for names that cannot exist."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def is_there(path: Path) -> bool:
    """Whether anything has this name, even a dangling link."""
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


def directory_entries(folder: Path) -> tuple[list[str], list[str], list[str]]:
    """Names of the files, the directories, and of everything else (links, pipes, devices) in a directory, sorted.

    Raises:
        FormatError: it cannot be listed.
    """
    files: list[str] = []
    folders: list[str] = []
    others: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                else:
                    others.append(entry.name)
    except OSError as error:
        raise FormatError(f"cannot be listed: {error.strerror}") from error
    return sorted(files, key=natural_key), sorted(folders, key=natural_key), sorted(others, key=natural_key)


def read_bytes(path: Path, limit: int) -> bytes:
    """Read a whole regular file, never through a link.

    Args:
        path: the file.
        limit: largest size, bytes.

    Raises:
        FormatError: it is a link, not a regular file, unreadable, or longer than `limit` bytes.
    """
    data = b"".join(file_chunks(path, limit + 1))
    if len(data) > limit:
        raise FormatError(f"larger than {limit >> 20} MiB; expected a smaller file: split it")
    return data


def file_chunks(path: Path, limit: int) -> Iterator[bytes]:
    """Read the first `limit` bytes of a regular file, piece by piece.

    Raises:
        FormatError: as `read_bytes`.
    """
    fd = open_regular(path)
    try:
        while limit > 0 and (piece := os.read(fd, min(_PIECE, limit))):
            limit -= len(piece)
            yield piece
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}") from error
    finally:
        os.close(fd)


def read_ends(path: Path, size: int) -> bytes:
    """The first and the last `size` bytes of a regular file, never through a link; all of a short one.

    Raises:
        FormatError: as `read_bytes`.
    """
    fd = open_regular(path)
    try:
        return os.pread(fd, size, 0) + os.pread(fd, size, max(size, os.fstat(fd).st_size - size))
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}") from error
    finally:
        os.close(fd)


def open_regular(path: Path, *, links: bool = False) -> int:
    """The descriptor of a regular file, opened without waiting for anybody; through a link only where that is said.

    Raises:
        FormatError: it is something else, or cannot be opened.
    """
    follow = 0 if links else os.O_NOFOLLOW
    try:
        # O_NONBLOCK: opening a pipe must not wait for its writer.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | follow)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be opened: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise FormatError("is not a regular file")
    return fd


def read_json(path: Path, limit: int = JSON_BYTES) -> object:
    """Read a JSON file as plain data.

    Raises:
        FormatError: as `read_bytes`, or it is not JSON in UTF-8, or nested too deeply.
    """
    return parse_json(read_bytes(path, limit))


def parse_json(data: bytes, pairs: Callable[[list[tuple[str, object]]], object] | None = None) -> object:
    """Read JSON as plain data; `pairs` makes something else of the names and values of each object.

    Raises:
        FormatError: it is not JSON in UTF-8, or nested too deeply.
    """
    try:
        # Not msgspec: other people's JSON holds NaN and half surrogate pairs, which Python's own writer lets through.
        return json.loads(data.decode("utf-8"), object_pairs_hook=pairs)
    except UnicodeDecodeError as error:
        raise FormatError("not UTF-8; save it as UTF-8") from error
    except json.JSONDecodeError as error:
        said = error.msg.replace("Expecting", "expected", 1)
        raise FormatError(f"not JSON: {said} (line {error.lineno}, column {error.colno})") from error
    except ValueError as error:
        raise FormatError(f"not JSON: {error}") from error
    except RecursionError as error:
        raise FormatError("not JSON: nested too deeply") from error


# Details of one kind of defect at one place that are kept as examples.
_EXAMPLES = 5


class Tally:
    """Counts defects; two of one kind at one place become one with their sum and the first details as examples.

    Memory grows with the number of places, not of defects.
    """

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, DefectEffect], int] = {}
        self._details: dict[tuple[str, str, DefectEffect], list[str]] = {}

    def count_refused(self, kind: str, where: str, detail: str = "", count: int = 1) -> None:
        """Count things that were found and not taken."""
        self.add(kind, where, detail, count, "refused")

    def count_defect(self, defect: Defect) -> None:
        """Count what somebody else counted."""
        self.add(defect.kind, defect.where, defect.detail, defect.count, defect.effect)

    def add(self, kind: str, where: str, detail: str = "", count: int = 1, effect: DefectEffect = "noted") -> None:
        """Count `count` defects of this kind at this place."""
        key = (kind, where, effect)
        self._counts[key] = self._counts.get(key, 0) + count
        details = self._details.setdefault(key, [])
        if detail and detail not in details and len(details) <= _EXAMPLES:
            details.append(detail if len(details) < _EXAMPLES else "...")

    def defects(self) -> Iterator[Defect]:
        """All of them, by kind and place."""
        for key in sorted(self._counts):
            kind, where, effect = key
            details = self._details[key]
            yield Defect(
                kind=kind,
                where=where,
                detail="; ".join(details),
                count=self._counts[key],
                effect=effect,
                example=details[0] if details else where,
            )


# Directories below each other that are read.
_DEPTH = 12


def files_below(root: Path, tally: Tally, ending: str = "", prefix: str = "") -> Iterator[str]:
    """Relative names of the regular files below a directory that end so, a directory's own before those deeper down.

    Links are not followed; they, and what lies deeper than 12 directories, are counted.
    """
    try:
        files, folders, others = directory_entries(root / prefix)
    except FormatError as error:
        tally.add("unreadable file", storable_name(prefix), str(error))
        return
    if others:
        tally.add("link or special file", storable_name(prefix), "not followed", len(others))
    yield from (prefix + name for name in files if name.endswith(ending))
    for name in folders:
        if prefix.count("/") < _DEPTH:
            yield from files_below(root, tally, ending, f"{prefix}{name}/")
        else:
            tally.add("directory too deep", storable_name(prefix), "not read")
