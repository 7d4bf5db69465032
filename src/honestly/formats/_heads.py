"""What a file begins with: how the format of somebody's file is seen, without reading it whole."""

import os
import re
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from honestly._loose import inside, items_of
from honestly._zstd import zstd
from honestly.errors import FormatError
from honestly.formats._files import JSON_BYTES, parse_json, read_bytes, read_ends

_ENDS = 16 << 10
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:]', re.DOTALL)
_BOM = b"\xef\xbb\xbf"


def unpacked(data: bytes, limit: int) -> bytes:
    """Data without what gzip or zstd put around it, at most `limit` bytes of it.

    Raises:
        FormatError: It is cut off, damaged, or longer than that.
    """
    kind = next((start for start in (_GZIP, _ZSTD) if data.startswith(start)), b"")
    if not kind:
        return data
    found, size = [], 0
    try:
        while data.startswith(kind):  # there may be several parts, one after the other
            unpacker: Any = zlib.decompressobj(31) if kind == _GZIP else zstd.ZstdDecompressor()
            part = unpacker.decompress(data, limit + 1 - size)
            size += len(part)
            found.append(part)
            if size > limit:
                raise FormatError(f"larger than {limit >> 20} MiB when it is unpacked")
            if not unpacker.eof:
                raise FormatError("cannot be unpacked: it is cut off")
            data = unpacker.unused_data.lstrip(b"\0")
    except (zlib.error, zstd.ZstdError) as error:
        raise FormatError(f"cannot be unpacked: {error}") from error
    return b"".join(found)


class Head:
    """The first and the last 16 KiB of a file; the first also of what gzip or zstd hides. It never raises."""

    def __init__(self, root: Path, name: str = "") -> None:
        self.root, self.name = root, name
        """The name is relative to the root; empty where that is the file itself."""

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self.root / self.name if self.name else self.root

    @cached_property
    def _ends(self) -> bytes:
        try:
            return read_ends(self.path, _ENDS)
        except FormatError:
            return b""

    @cached_property
    def start(self) -> bytes:
        """The first bytes, unpacked."""
        raw = self._ends[:_ENDS]
        try:
            if raw.startswith(_GZIP):
                raw = zlib.decompressobj(31).decompress(raw, _ENDS)
            elif raw.startswith(_ZSTD):
                raw = zstd.ZstdDecompressor().decompress(raw, max_length=_ENDS)
        except (zlib.error, zstd.ZstdError):
            return b""
        return raw.removeprefix(_BOM)

    @property
    def is_gzip(self) -> bool:
        """Whether it is packed with gzip."""
        return self._ends.startswith(_GZIP)

    @cached_property
    def end(self) -> bytes:
        """The last bytes as they lie there."""
        return self._ends[_ENDS:]

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the first JSON object, as far as the first bytes go; of an array, of its first item."""
        return _keys(self.start)

    @cached_property
    def first(self) -> dict[str, object]:
        """The first JSON object, of a line or of the whole file, of an array its first item; empty if it is longer."""
        start = self.start
        short = len(start) < _ENDS
        for text in (start.split(b"\n", 1)[0], *([start] if short else [])):
            try:
                found = parse_json(text)
            except FormatError:
                continue
            return inside(next(iter(items_of(found)), None) if isinstance(found, list) else found)
        return {}

    def whole(self, limit: int = JSON_BYTES) -> bytes:
        """All of the file, unpacked.

        Raises:
            FormatError: It cannot be read, or has more bytes than `limit`, packed or not.
        """
        return unpacked(read_bytes(self.path, limit), limit).removeprefix(_BOM)

    def json(self, limit: int = JSON_BYTES) -> object:
        """All of the file as plain data.

        Raises:
            FormatError: As `whole`, or it is no JSON.
        """
        return parse_json(self.whole(limit))

    def lines(self, limit: int = 256 << 20) -> Iterator[tuple[int, object]]:
        """Each line that is not blank as plain data, with its number; a line that is no JSON is a FormatError, given.

        Raises:
            FormatError: As `whole`.
        """
        for number, line in enumerate(self.whole(limit).split(b"\n"), 1):
            if line.strip():
                try:
                    yield number, parse_json(line)
                except FormatError as error:
                    yield number, error

    def has(self, *keys: str) -> bool:
        """Whether the first JSON object has all these keys."""
        return self.keys.issuperset(keys)

    def beside(self, name: str) -> str:
        """The name, relative to the root, of what lies in the same directory."""
        folder = self.name.rpartition("/")[0]
        return os.path.normpath(f"{folder}/{name}") if folder else name


def _keys(text: bytes) -> frozenset[str]:
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
                break  # the first object has ended
        elif token == b":" and opened in ([b"{"], [b"[", b"{"]):
            found.add(last[1:-1].decode("utf-8", "replace"))
        last = token
    return frozenset(found)
