"""What a file says, however it is kept: as it is, unpacked, decoded, unescaped, one in the other, within bounds.

Told by content, not by name: gzip, bzip2, xz and zlib, also inside of other files (PDF, databases, Debian's packages,
scripts that unpack themselves), zip and tar, packs and bundles of git, UTF-16 and UTF-32, base64, base32, base85,
hexadecimal and uuencoded text, lists of bytes, percent signs, tags and entities of HTML, colours of terminals, ROT13,
escapes as in JSON, notebooks, logs and Python's text pickles. Binary pickles hold text as it is; SQLite's own library
reads the rows of its databases. Nothing is written, run, or unpickled. Not covered: encryption, images, sound.
"""

import base64
import binascii
import bz2
import codecs
import gzip
import html
import io
import json
import lzma
import re
import sqlite3
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

_MOST_BYTES, _MOST_MEMBERS, _DEPTH = 256 << 20, 20_000, 5
_FILE_BYTES = 16 << 20
_LEAST, _MANY = 32, 8
_ERRORS = (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError, ValueError,
           RuntimeError, NotImplementedError, IndexError)  # fmt: skip
_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/_-]{24,}(?:\\n|\\r|[\s\"',+])*){1,100000}[A-Za-z0-9+/_-]*={0,2}")
_HEX = re.compile(rb"(?:(?:\\x)?[0-9a-fA-F]{2}[\s:]?){48,}")
_UU = re.compile(rb"^begin [0-7]{3} [^\n]*\n((?:[^\n]*\n)+?)end", re.MULTILINE)
_UNPACKERS: dict[bytes, tuple[str, Callable[[io.BytesIO], Any]]] = {
    b"\x1f\x8b": ("gunzipped", gzip.open),
    b"BZh": ("bunzipped", bz2.open),
    b"\xfd7zXZ": ("unpacked", lzma.open),
    b"\x5d\x00\x00": ("unpacked", lzma.open),
}
_NAMED = (
    *(".whl", ".egg", ".zip", ".jar", ".nupkg", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".crate", ".gem"),
    *(".gz", ".bz2", ".xz", ".7z", ".rar", ".zst", ".lz4", ".br", ".gpg", ".age"),
)
_ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_STREAMS: dict[bytes, Callable[[], Any]] = {
    **dict.fromkeys(_ZLIB, zlib.decompressobj),
    b"\x1f\x8b\x08": lambda: zlib.decompressobj(31),
    b"\xfd7zXZ\0": lzma.LZMADecompressor,
    b"BZh91AY&SY": bz2.BZ2Decompressor,
}
"""How packed streams begin, and what unpacks them."""
_STREAM = re.compile(b"|".join(map(re.escape, _STREAMS)))
_WIDE = re.compile(rb"(?:[\t\n\r -~]\0){12,}|(?:[\t\n\r -~]\0{3}){12,}")
_TAG = re.compile(rb"</?\w[^<>]{0,400}>|\x1b\[[\d;]*[A-Za-z]|\x1b\([A-Z]")
"""Tags, and what colours a terminal."""
_BASE32 = re.compile(rb"(?:[A-Z2-7]{16,}\s*){3,}={0,6}")
_BYTES = re.compile(rb"(?:\b\d{1,3}\s*,\s*){47,}\d{1,3}\b")
_ROTATED = re.compile(rb"\b(?:erghea|vzcbeg|shapgvba|pbafg|frys|vapyhqr)\b")
"""Words of code in ROT13."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/"}


@dataclass
class Views:
    """The views of files, and what of them could not be read."""

    left: int = _MOST_BYTES
    """Bytes that may still be unpacked."""

    def __post_init__(self) -> None:
        self.unread: list[str] = []

    def of(self, path: str, data: bytes, depth: int = 0) -> Iterator[tuple[str, bytes]]:
        """All that a file says, each with the way to it: `a.zip!b.py`, `log.json (unescaped)`."""
        yield path, data
        if path.lower().endswith(_NAMED) and not _is_packed(data):
            self.unread.append(f"{path}: it is not packed as its name says, or in a way that is not read")
        if len(data) < _LEAST:
            return
        if depth >= _DEPTH:
            if _is_packed(data):
                self.unread.append(f"{path}: packed more than {_DEPTH} times")
            return
        try:
            for where, inner in self._inside(path, data):
                self.left -= len(inner)
                if self.left < 0 or len(inner) > _FILE_BYTES:
                    raise ValueError("it contains more than is read")
                yield from self.of(where, inner, depth + 1)
        except _ERRORS as error:
            self.unread.append(f"{path}: {error}"[:200])

    def _inside(self, path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        """What is one step further in."""
        for mark, (how, unpack) in _UNPACKERS.items():
            if data.startswith(mark):
                with unpack(io.BytesIO(data)) as file:
                    yield f"{path} ({how})", file.read(_FILE_BYTES + 1)
                return
        if data.startswith(b"PK\x03\x04"):
            yield from _zipped(path, data)
        elif data[257:262] == b"ustar":
            with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
                for count, entry in enumerate(tar):
                    if count > _MOST_MEMBERS or entry.size > _FILE_BYTES:
                        raise ValueError("it contains more than is read")
                    file = tar.extractfile(entry) if entry.isfile() else None
                    if file is not None:
                        yield f"{path}!{entry.name}", file.read(_FILE_BYTES)
        elif data.startswith(b"SQLite format 3\0"):
            yield from _rows(path, data)
            yield from _found_within(path, data)  # what was deleted
        elif data.startswith((b"PACK", b"# v2 git bundle", b"# v3 git bundle")):
            yield f"{path} (objects)", b"\n".join(_streams(data))
        elif data.startswith(_ZLIB) and (inflated := _tried(_inflated, data)):
            yield f"{path} (inflated)", inflated
        elif (text := _wide_text(data)) is not None:
            yield f"{path} (decoded)", text.encode("utf-8", "replace")
        else:
            yield from _found_within(path, data)


def _inflated(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, _FILE_BYTES + 1)


def _tried(decode: Callable[[bytes], bytes], data: bytes) -> bytes:
    """What bytes stand for, if they are coded so; else nothing."""
    try:
        return decode(data)
    except (ValueError, zlib.error):
        return b""


def _is_packed(data: bytes) -> bool:
    return data.startswith((*_UNPACKERS, b"PK\x03\x04", b"PACK")) or data[257:262] == b"ustar"


def _zipped(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        infos = packed.infolist()
        if len(infos) > _MOST_MEMBERS:
            raise ValueError(f"{len(infos)} files are more than are read")
        for info in infos:
            if not info.is_dir():
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    # Python unpacks the other kinds whole, however little is asked for.
                    raise ValueError(f"{info.filename} is neither stored nor deflated")
                with packed.open(info) as member:
                    yield f"{path}!{info.filename}", member.read(_FILE_BYTES + 1)


def _rows(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """The values in the tables of a database: a long one is spread over its pages."""
    left = _FILE_BYTES
    with closing(sqlite3.connect(":memory:")) as base:
        try:
            base.deserialize(data[:18] + b"\1\1" + data[20:])  # without its log
            base.execute("PRAGMA trusted_schema = OFF")
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _FILE_BYTES)
            tables = base.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").fetchall()
            for (name,) in tables:
                quoted = name.replace('"', '""')
                for row in base.execute(f'SELECT * FROM "{quoted}"'):  # noqa: S608 - a database of nobody's, in memory
                    for value in row:
                        part = value.encode("utf-8", "replace") if isinstance(value, str) else value
                        if isinstance(part, bytes) and len(part) >= _LEAST:
                            left -= len(part)
                            if left < 0:
                                raise ValueError("it contains more than is read")
                            yield f"{path}!{name}", part
        except sqlite3.Error as error:
            raise ValueError(f"its rows were not read: {error}") from error


def _streams(data: bytes) -> Iterator[bytes]:
    """What is packed somewhere in a file; of an object of git that is a difference to another, what is new in it."""
    at, left = 0, _FILE_BYTES
    while left > 0 and (found := _STREAM.search(data, at)):
        stream, at = _STREAMS[found[0]](), found.start()
        try:
            part = stream.decompress(memoryview(data)[at:], left)
        except (zlib.error, lzma.LZMAError, OSError, EOFError):
            at += 1
            continue
        left -= len(part)
        yield part
        at = len(data) - len(stream.unused_data) if stream.eof else at + 2


def _wide_text(data: bytes) -> str | None:
    """Text of two or four bytes a character, with a mark or without."""
    for mark, name in (
        (b"\xff\xfe\0\0", "utf-32"),
        (b"\0\0\xfe\xff", "utf-32"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(name, "replace")
    head = data[:4096]
    for width, name in ((4, "utf-32-le"), (2, "utf-16-le")):
        for shift, order in ((0, name), (width - 1, name.replace("-le", "-be"))):
            own = head[shift::width]
            if (
                own
                and own.count(0) * 10 < len(own)
                and (len(head) - len(own)) * 9 < (head.count(0) - own.count(0)) * 10
            ):
                return data[: len(data) - len(data) % width].decode(order, "replace")
    return None


def _decoded(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Of a text what its escapes stand for, and what is left without what shows it."""
    if any(each in data for each in (b"\\n", b"\\u00", b'\\"', b"\\(")):
        yield f"{path} (unescaped)", _unescaped(data)
    if data.lstrip()[:1] in (b"{", b"[") and (texts := _json_texts(data)):
        yield f"{path} (its texts)", texts
    if b"&lt;" in data or b"&gt;" in data or b"&quot;" in data or b"&#" in data:
        yield f"{path} (without entities)", html.unescape(data.decode("utf-8", "replace")).encode("utf-8", "replace")
    if len(_TAG.findall(data, 0, 1 << 16)) > _MANY:
        plain = _TAG.sub(b"", data).decode("utf-8", "replace")
        yield f"{path} (without tags)", html.unescape(plain).encode("utf-8", "replace")
    if _ROTATED.search(data):
        yield f"{path} (turned by 13 letters)", codecs.encode(data.decode("latin-1"), "rot13").encode("latin-1")
    if data.count(b"%20") + data.count(b"%0A") + data.count(b"%0a") > 2:
        yield f"{path} (unquoted)", unquote_to_bytes(data)
    if data.count(b"=\n") > 1 or data.count(b"=3D") > 1:
        yield f"{path} (unquoted)", _tried(binascii.a2b_qp, data)


def _coded_parts(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """What the coded parts of a text stand for."""
    parts = [_from_base64(each[0]) for each in _BASE64.finditer(data)]
    yield from ((f"{path} (from base64)", part) for part in parts if _says_something(part))
    for found in _BASE32.finditer(data):
        part = re.sub(rb"[\s=]", b"", found[0])
        yield f"{path} (from base32)", _tried(base64.b32decode, part + b"=" * (-len(part) % 8))
    for found in _BYTES.finditer(data):
        numbers = [int(each) for each in found[0].split(b",")]
        yield f"{path} (of its bytes)", bytes(each for each in numbers if each < 256)
    for found in _HEX.finditer(data):
        part = re.sub(rb"\\x|[\s:]", b"", found[0])
        yield f"{path} (from hexadecimal)", bytes.fromhex(part[: len(part) & ~1].decode("ascii"))
    for found in _UU.finditer(data):
        lines = (line for line in found[1].splitlines() if line.strip(b"`"))
        yield f"{path} (uudecoded)", b"".join(_tried(binascii.a2b_uu, line) for line in lines)
    if re.fullmatch(rb"\s*[!-uz\s]{64,}\s*", data) and not re.search(rb"[a-z]{2}[ (]", data):
        part = re.sub(rb"\s|<~|~>", b"", data)
        yield f"{path} (from base85)", _tried(base64.a85decode, part) or _tried(base64.b85decode, part)


def _from_base64(text: bytes) -> bytes:
    plain = re.sub(rb"\\n|\\r|[^A-Za-z0-9+/_-]", b"", text).replace(b"-", b"+").replace(b"_", b"/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    try:
        return base64.b64decode(plain + b"=" * (-len(plain) % 4))
    except binascii.Error:
        return b""


def _says_something(data: bytes) -> bool:
    """Whether decoded bytes are text, or something packed: other runs of letters decode to noise."""
    head = data[:512]
    plain = sum(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head)
    return len(data) >= _LEAST // 2 and (
        plain > 0.9 * len(head) or _is_packed(data) or data.startswith(_ZLIB) or _wide_text(data) is not None
    )


def _found_within(path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """What lies in a text, or in a file of a kind that is not read."""
    if b"\0" not in data[:8192] or data.startswith(b"\x80"):
        yield from _decoded(path, data)
        yield from _coded_parts(path, data)
    if b"\0" in data:
        yield f"{path} (its wide text)", b"\n".join(found[0].replace(b"\0", b"") for found in _WIDE.finditer(data))
    if _STREAM.search(data):
        yield from ((f"{path} (unpacked)", part) for part in _streams(data) if len(part) >= _LEAST)


def _unescaped(data: bytes) -> bytes:
    def plain(found: re.Match[str]) -> str:
        word = found[1]
        return _ESCAPES.get(word, "") or (chr(int(word[1:], 16)) if len(word) > 1 else word)

    text = data.decode("utf-8", "replace")
    return re.sub(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", plain, text).encode("utf-8", "replace")


def _json_texts(data: bytes) -> bytes:
    """All texts in JSON, or in lines of it, one after the other."""
    texts: list[str] = []

    def take(value: object) -> None:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            joined = all(isinstance(each, str) for each in value)
            texts.extend(["".join(value)] if joined else [])
            if not joined:
                for each in value:
                    take(each)
        elif isinstance(value, dict):
            for each in value.values():
                take(each)

    try:
        take(json.loads(data))
    except (ValueError, RecursionError):
        for line in data.splitlines():
            try:
                take(json.loads(line))
            except (ValueError, RecursionError):
                continue
    return "\n".join(texts).encode("utf-8", "replace")
