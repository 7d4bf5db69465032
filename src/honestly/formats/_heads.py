"""The beginning and end of a file, and the keys of its first object: how the format of somebody's file is seen.

A file is read whole only where its first object goes on beyond the first bytes, or where its end is packed.
"""

import os
import re
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from honestly._loose import items_of, nested_dict
from honestly._zstd import zstd
from honestly.errors import FormatError
from honestly.formats._files import BOM, GZIP, JSON_BYTES, ZSTD, file_chunks, parse_json, read_bytes, read_ends

# Bytes of each end of a file that are looked at.
_ENDS = 16 << 10
# Zstandard gives nothing before a block is there, which has at most 128 KiB.
_BLOCK = 256 << 10
# Strings, brackets and colons are all of JSON that tells its keys.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:]', re.DOTALL)


def unpacked_data(data: bytes, limit: int) -> bytes:
    """Data without what gzip or zstd put around it, at most `limit` bytes of it.

    Raises:
        FormatError: It is cut off, damaged, or longer than that.
    """
    kind = next((start for start in (GZIP, ZSTD) if data.startswith(start)), b"")
    if not kind:
        return data
    found, size = [], 0
    try:
        # There may be several parts, one after the other.
        while data.startswith(kind):
            unpacker: Any = zlib.decompressobj(31) if kind == GZIP else zstd.ZstdDecompressor()
            part = unpacker.decompress(data, limit + 1 - size)
            size += len(part)
            found.append(part)
            if size > limit:
                raise FormatError(f"larger than {limit >> 20} MiB when it is unpacked")
            if not unpacker.eof:
                raise FormatError("cannot be unpacked: it is cut off; fetch it again")
            data = unpacker.unused_data.lstrip(b"\0")
    except (zlib.error, zstd.ZstdError) as error:
        raise FormatError(f"cannot be unpacked: {error}; fetch it again") from error
    return b"".join(found)


class Head:
    """The first and the last 16 KiB of a file, of what gzip or zstd hides in it. It never raises."""

    def __init__(self, root: Path, name: str = "") -> None:
        self.root, self.name = root, name
        """The name is relative to the root; empty where that is the file itself."""

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self.root / self.name if self.name else self.root

    @cached_property
    def _file_ends(self) -> bytes:
        try:
            return read_ends(self.path, _ENDS)
        except FormatError:
            return b""

    @cached_property
    def start(self) -> bytes:
        """The first bytes, unpacked."""
        raw = self._file_ends[:_ENDS]
        try:
            if raw.startswith(GZIP):
                raw = zlib.decompressobj(31).decompress(raw, _ENDS)
            elif raw.startswith(ZSTD):
                raw = zstd.ZstdDecompressor().decompress(b"".join(file_chunks(self.path, _BLOCK)), max_length=_ENDS)
        except (zlib.error, zstd.ZstdError, FormatError):
            return b""
        return raw.removeprefix(BOM)

    @property
    def is_packed(self) -> bool:
        """Whether it is packed with gzip or zstd."""
        return self._file_ends.startswith((GZIP, ZSTD))

    @cached_property
    def last_bytes(self) -> bytes:
        """The last bytes that are not among the first, unpacked."""
        if not self.is_packed:
            return self._file_ends[_ENDS:]
        if len(self.start) < _ENDS:
            return b""
        try:
            return self.whole_file()[_ENDS:][-_ENDS:]
        except FormatError:
            return b""

    @cached_property
    def is_json(self) -> bool:
        """Whether it begins as JSON does; a program or a page that has the same words in it does not."""
        return self.start.lstrip()[:1] in {b"{", b"["}

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the first JSON object; of an array, of its first item; none of what does not begin as JSON."""
        if not self.is_json:
            return frozenset()
        found, ended = _object_keys(self.start)
        return found | self._all_keys() if not ended and len(self.start) == _ENDS else found

    def _all_keys(self) -> frozenset[str]:
        """Keys of a first object that is longer than the first bytes; none of one that is no JSON or too long."""
        for part in (self._first_line, self.whole_file):
            try:
                # The keys of a document that is an object, or an array of objects.
                text = part()
                kind: Any = dict[str, msgspec.Raw] if text.lstrip()[:1] == b"{" else list[dict[str, msgspec.Raw]]
                try:
                    found = msgspec.json.decode(text, type=kind)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    # It may hold NaN.
                    found = parse_json(text)
                return frozenset(nested_dict(next(iter(found), None) if isinstance(found, list) else found))
            except (msgspec.DecodeError, FormatError, RecursionError):
                continue
        return frozenset()

    @cached_property
    def is_lines(self) -> bool:
        """Whether its first line is a JSON object of its own, whatever its name ends with."""
        try:
            return isinstance(parse_json(self._first_line()), dict)
        except FormatError:
            return False

    def _first_line(self) -> bytes:
        found = []
        for piece in (self.whole_file(),) if self.is_packed else file_chunks(self.path, JSON_BYTES):
            found.append(piece.partition(b"\n")[0])
            if b"\n" in piece:
                break
        return b"".join(found).removeprefix(BOM)

    def whole_file(self, limit: int = JSON_BYTES) -> bytes:
        """All of the file, unpacked.

        Raises:
            FormatError: It cannot be read, or has more bytes than `limit`, packed or not.
        """
        return unpacked_data(read_bytes(self.path, limit), limit).removeprefix(BOM)

    def json(self, limit: int = JSON_BYTES) -> object:
        """All of the file as plain data.

        Raises:
            FormatError: As `whole_file`, or it is no JSON.
        """
        return parse_json(self.whole_file(limit))

    def json_lines(self, limit: int = 256 << 20) -> Iterator[tuple[int, object]]:
        """Each line that is not blank as plain data, with its number; a line that is no JSON is a FormatError, given.

        Of a file that is one array, its items.

        Raises:
            FormatError: As `whole_file`.
        """
        text = self.whole_file(limit)
        if text.lstrip()[:1] == b"[":
            try:
                yield from enumerate(items_of(parse_json(text)), 1)
                return
            except FormatError:
                # These are lines, of which the first is an array.
                pass
        for number, line in enumerate(text.split(b"\n"), 1):
            if line.strip():
                try:
                    yield number, parse_json(line)
                except FormatError as error:
                    yield number, error

    def has_keys(self, *keys: str) -> bool:
        """Whether the first JSON object has all these keys."""
        return self.keys.issuperset(keys)

    def sibling_name(self, name: str) -> str:
        """The name, relative to the root, of what lies in the same directory."""
        folder = self.name.rpartition("/")[0]
        return os.path.normpath(f"{folder}/{name}") if folder else name


def _object_keys(text: bytes) -> tuple[frozenset[str], bool]:
    """The keys of the first object as far as a text goes, and whether it ends there."""
    found: set[str] = set()
    opened: list[bytes] = []
    last, objects = b"", 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in b"{[":
            opened.append(token)
            objects += token == b"{"
        elif token in b"}]":
            opened = opened[:-1]
            if not opened or (token == b"}" and opened == [b"["]):
                return frozenset(found), True
        elif token == b":" and opened in ([b"{"], [b"[", b"{"]):
            found.add(last[1:-1].decode("utf-8", "replace"))
        last = token
    return frozenset(found), False
