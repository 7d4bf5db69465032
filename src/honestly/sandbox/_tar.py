"""Trees as tar archives: written for a container, and read from one as hostile bytes, in memory only.

The reader knows what tar programs write (ustar, GNU long names, pax headers for path, link and size), believes no
number before it has checked it, and returns a tree; no name of an archive ever touches the file system of this machine.
Hard links become copies. Devices, pipes, directories and names that are not UTF-8 are left out.
"""

import io
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from honestly.errors import SandboxLimitError, TaskError
from honestly.records import File, Tree

_BLOCK = 512
_MOST_FILES = 100_000
_MOST_NAME = 3800
_MOST_HEADER = 1 << 16  # of a long name or a pax header
_DEEPEST = 200
_FILES = {b"0", b"\0", b"7"}
_BARE = {b"1", b"2", b"3", b"4", b"5", b"6"}  # kinds that no content follows, whatever size they name
_AHEAD = {b"L", b"K", b"x"}
_PAX = {b"path", b"linkpath", b"size"}


class ArchiveError(ValueError):
    """The bytes are not a whole tar archive."""


def pack_tree(tree: Tree) -> bytes:
    """The archive of a tree, links last."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT, errors="surrogateescape") as archive:
        for path, file in sorted(tree.files.items(), key=lambda item: item[1].mode == "link"):
            entry = tarfile.TarInfo(path)
            entry.mode = 0o755 if file.mode == "exec" else 0o644
            if file.mode == "link":
                entry.type, entry.linkname = tarfile.SYMTYPE, file.data.decode("utf-8", "surrogateescape")
                archive.addfile(entry)
            else:
                entry.size = len(file.data)
                archive.addfile(entry, io.BytesIO(file.data))
    return stream.getvalue()


def unpack_tree(archive: bytes, limit: int) -> Tree:
    """The files of an archive, their paths in order.

    Args:
        archive: All of its bytes.
        limit: Bytes of paths and contents that the files may have together.

    Raises:
        ArchiveError: It is cut off or malformed, or names files outside of its root.
        SandboxLimitError: It holds more than may be handed out.
    """
    files: dict[str, File] = {}
    left, count = limit, 0
    for entry in _archive_entries(memoryview(archive)):
        count += 1
        if count > _MOST_FILES:
            raise SandboxLimitError(f"the workspace contains more than {_MOST_FILES} files")
        path = _relative_name(entry.name)
        if entry.kind in _FILES:
            file = File(data=bytes(entry.data), mode="exec" if entry.mode & 0o100 else "file")
        elif entry.kind == b"2":
            file = File(data=entry.link, mode="link")
        elif entry.kind == b"1" and (first := files.get(_relative_name(entry.link) or "")):
            file = first  # the first name of the same file came before
        else:
            continue
        if path is None:
            continue
        left -= len(path) + len(file.data)
        if left < 0:
            raise SandboxLimitError(f"the workspace contains more than {limit} bytes")
        files[path] = file
    try:
        return Tree(files=dict(sorted(files.items())))
    except TaskError as error:
        raise ArchiveError(f"the archive contains an impossible path: {error}") from error


@dataclass(slots=True)
class _Entry:
    kind: bytes
    name: bytes
    link: bytes
    mode: int
    data: memoryview = field(repr=False)


def _relative_name(name: bytes) -> str | None:
    """A path relative to the archive's root; None if it is not text."""
    if len(name) > _MOST_NAME:
        raise SandboxLimitError(
            f"the workspace contains a path of {len(name)} bytes; at most {_MOST_NAME} are possible"
        )
    try:
        path = name.decode().removeprefix("./").rstrip("/")
    except UnicodeDecodeError:
        return None
    if path.count("/") > _DEEPEST:
        raise SandboxLimitError(f"the workspace contains directories nested deeper than {_DEEPEST}")
    return path


def _archive_entries(archive: memoryview) -> Iterator[_Entry]:
    """The members, with the headers that precede some of them applied."""
    at = 0
    ahead: dict[bytes, bytes] = {}
    while True:
        header = bytes(archive[at : at + _BLOCK])
        at += _BLOCK
        if len(header) < _BLOCK:
            raise ArchiveError("the archive is cut off")
        if not any(header):
            return
        # Check a header's sum, over unsigned bytes, its own field read as blanks.
        if sum(header[:148]) + 8 * 32 + sum(header[156:]) != _header_number(header[148:156]):
            raise ArchiveError("the checksum of a header is wrong")
        kind = header[156:157]
        size = _decimal_number(ahead[b"size"]) if b"size" in ahead else _header_number(header[124:136])
        data = archive[at:at] if kind in _BARE else archive[at : at + size]
        if kind == b"S" or (kind not in _BARE and len(data) < size):
            raise ArchiveError("a member is sparse" if kind == b"S" else f"a member lacks {size - len(data)} bytes")
        at += -(-len(data) // _BLOCK) * _BLOCK
        if kind in _AHEAD:
            ahead |= _header_ahead(kind, data)
        elif kind != b"g":
            # GNU's headers keep times where ustar's keep the beginning of a long name.
            prefix = _text_field(header[345:500]) if header[257:263] == b"ustar\0" else b""
            name = _text_field(header[:100])
            name = ahead.get(b"path", prefix + b"/" + name if prefix else name)
            link = ahead.get(b"linkpath", _text_field(header[157:257]))
            yield _Entry(kind, name, link, _header_number(header[100:108]), data)
            ahead = {}


def _header_ahead(kind: bytes, data: memoryview) -> dict[bytes, bytes]:
    """The fields that a header sets for the member that follows it."""
    if len(data) > _MOST_HEADER:
        raise ArchiveError(f"a header of {len(data)} bytes is announced; at most {_MOST_HEADER} are accepted")
    text = bytes(data)
    if kind != b"x":
        return {b"path" if kind == b"L" else b"linkpath": _text_field(text)}
    found: dict[bytes, bytes] = {}
    at = 0
    while at < len(text):
        blank = text.find(b" ", at, at + 8)
        length = _decimal_number(text[at:blank]) if blank > at else 0
        key, _, value = text[blank + 1 : at + length].partition(b"=")
        if not value.endswith(b"\n"):
            raise ArchiveError("a pax header is malformed")
        if key in _PAX:
            found[key] = value[:-1]
        at += length
    return found


def _header_number(field: bytes) -> int:
    """A number of a header: octal digits, or big-endian bytes behind a set first bit."""
    if field[0] & 0x80:
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    digits = field.strip(b" \0")
    if digits.translate(None, b"01234567"):
        raise ArchiveError(f"{digits!r} is not an octal number")
    return int(digits or b"0", 8)


def _decimal_number(digits: bytes) -> int:
    if len(digits) > 20 or not digits.isdigit():
        raise ArchiveError(f"{digits[:20]!r} is not a number")
    return int(digits)


def _text_field(field: bytes) -> bytes:
    return field.partition(b"\0")[0]
