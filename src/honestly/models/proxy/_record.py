"""The record of a proxy's traffic: every request and every reply, exactly, written down as it happens.

A file has one JSON object a line: a request when it has come, a reply when it has ended or broken off. So whoever is
killed leaves all that happened, and a request without a reply where it happened.

Secrets never reach the file: headers that carry them are left out, and the secrets themselves are replaced wherever
else they stand.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from honestly._zstd import zstd
from honestly.errors import FormatError, StoreError
from honestly.models._secrets import Redaction
from honestly.records import Record, Usage, encode

_NOTHING = msgspec.Raw(b"null")
SECRET_HEADERS = frozenset(
    ("api-key", "authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key", "x-goog-api-key")
)
"""Headers that carry keys."""
_SHORTEST = 8
_CHUNK = 1 << 16
_ZSTD: dict[int, int] = {  # a long window: requests repeat the whole conversation
    zstd.CompressionParameter.window_log: 25,
    zstd.CompressionParameter.enable_long_distance_matching: 1,
}


class ProxyRequest(Record, frozen=True, kw_only=True, tag_field="kind", tag="request"):
    """A request to a proxy, as it came."""

    n: int
    """Its number, from 0."""
    at: str
    """When its head had come, ISO 8601, UTC."""
    method: str
    path: str
    """With the query, without secrets; as the vendor's own path, where it is known."""
    dialect: str
    """`chat`, `responses`, `anthropic`, `gemini`; of an unknown path, the one that it looks most like."""
    operation: str
    """`answer`, `count` (of tokens), `models` (the list of them), `other`."""
    headers: dict[str, str] = {}
    """All but those that carry secrets."""
    body: msgspec.Raw = _NOTHING
    """The exact JSON, but for line breaks between its tokens."""
    text: str = ""
    """The body, where it is not JSON."""
    model: str = ""
    """The model that was asked for."""
    stream: bool = False
    settings: dict[str, msgspec.Raw] = {}
    """Everything in the body beside the conversation and the tools, by path: what the client asked for."""
    unexpressed: tuple[str, ...] = ()
    """Where in the body something stands that a model behind the proxy is not told."""


class ProxyReply(Record, frozen=True, kw_only=True, tag_field="kind", tag="reply"):
    """A reply of a proxy, as it went out."""

    n: int
    """The number of its request."""
    status: int
    """0 where nothing was sent, since the client was gone."""
    type: str = ""
    """Its content type."""
    body: msgspec.Raw = _NOTHING
    """The exact JSON, of a reply in one piece."""
    text: str = ""
    """The exact events, of a stream."""
    error: str = ""
    """Why there was no answer, or why it broke off."""
    seconds: float = 0.0
    """From the request's head to the reply's end."""
    first_s: float | None = None
    """From the request's head to the reply's first byte."""
    model: str = ""
    """The model that answered, by its own name."""
    stop: str = ""
    usage: Usage = Usage()
    sent: dict[str, msgspec.Raw] = {}
    """Sampling parameters that really went to a model behind the proxy, under the names that stood there."""
    dropped: tuple[str, ...] = ()
    """Settings that the client gave and that did not reach that model."""


class Exchange(Record, frozen=True, kw_only=True):
    """A request to a proxy and its reply."""

    request: ProxyRequest
    reply: ProxyReply | None = None
    """None where the proxy ended before it."""


_LINE = msgspec.json.Decoder(ProxyRequest | ProxyReply)


class Recorder:
    """The record of a proxy, in a file or in memory."""

    def __init__(self, path: Path | None, secrets: Iterable[str], most: int) -> None:
        """Begin.

        Args:
            path: A file that does not exist yet; one whose name ends in `.zst` is compressed line by line.
            secrets: What must not be written down.
            most: Bytes after which it is full.

        Raises:
            StoreError: The file exists, or cannot be made.
        """
        self._path = path
        self._redaction = Redaction((secret for secret in secrets if len(secret) >= _SHORTEST), "[secret]")
        self._left = most
        self._lines: list[bytes] = []
        self._failure: OSError | None = None
        self._file: BinaryIO | None = None
        self._packer: zstd.ZstdCompressor | None = None
        if path:
            try:
                number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            except OSError as error:
                raise StoreError(
                    f"{path}: a record cannot be started there: {error.strerror}; name a new file"
                ) from error
            self._file = os.fdopen(number, "wb")
            if path.suffix == ".zst":
                self._packer = zstd.ZstdCompressor(options=_ZSTD)

    def add(self, line: ProxyRequest | ProxyReply) -> None:
        """Write one line at once; nothing, where the record is full."""
        if self.full:
            return
        data = encode(line) + b"\n"
        self._left -= len(data)
        if not self._file:
            self._lines.append(data)
            return
        try:
            packer = self._packer
            self._file.write(packer.compress(data, mode=zstd.ZstdCompressor.FLUSH_BLOCK) if packer else data)
            self._file.flush()
        except OSError as error:
            self._failure, self._left = error, 0

    @property
    def full(self) -> bool:
        """Whether the record takes no more."""
        return self._left <= 0

    def clean(self, data: bytes) -> bytes:
        """Bytes without secrets."""
        return self._redaction.clean(data)

    def exchanges(self) -> list[Exchange]:
        """Everything that was recorded so far."""
        return read_exchanges(self._path) if self._path else list(_paired_exchanges(self._lines, "the proxy's memory"))

    def close(self) -> None:
        """End the record; idempotent.

        Raises:
            StoreError: Something could not be written.
        """
        try:
            if self._file and not self._file.closed:
                with self._file:
                    self._file.write(self._packer.flush() if self._packer else b"")
        except OSError as error:
            self._failure = self._failure or error
        if failure := self._failure:
            self._failure = None
            raise StoreError(f"{self._path}: the record could not be written: {failure.strerror}; free some space")


def read_exchanges(path: Path) -> list[Exchange]:
    """Read what a proxy wrote to a file; a last line that was cut off is left out.

    Raises:
        StoreError: It cannot be read.
        FormatError: It is not the file of a proxy.
    """
    try:
        with path.open("rb") as file:
            return list(_paired_exchanges(_unpacked_lines(file) if path.suffix == ".zst" else file, str(path)))
    except OSError as error:
        raise StoreError(f"{path}: the record cannot be read: {error.strerror or error}") from error


def _unpacked_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a compressed file, as far as it goes."""
    packed = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 25})
    left = bytearray()
    try:
        while not packed.eof:
            data = file.read(_CHUNK) if packed.needs_input else b""
            piece = packed.decompress(data, max_length=16 * _CHUNK)
            if not data and not piece:
                return
            *lines, rest = piece.split(b"\n")
            for line in lines:
                yield bytes(left) + line + b"\n"
                left.clear()
            left += rest
    except zstd.ZstdError as error:
        raise FormatError(f"the record is not what its name says: {error}") from error


def _paired_exchanges(lines: Iterable[bytes], where: str) -> Iterator[Exchange]:
    requests: dict[int, ProxyRequest] = {}
    replies: dict[int, ProxyReply] = {}
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            break
        try:
            found = _LINE.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(f"{where}, line {number}: {error}; expected a proxy's request or reply") from error
        if isinstance(found, ProxyRequest):
            requests[found.n] = found
        else:
            replies[found.n] = found
    for n in sorted(requests):
        yield Exchange(request=requests[n], reply=replies.get(n))


def json_or_text(data: bytes) -> tuple[msgspec.Raw, str]:
    """Bytes as the JSON that they are, or as text."""
    line = data.replace(b"\n", b" ").replace(b"\r", b" ")  # between tokens: inside a text they would be escaped
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
        _LINE.decode(encode(ProxyReply(n=0, status=0, body=msgspec.Raw(line))))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _NOTHING, data.decode("utf-8", "backslashreplace")
    return msgspec.Raw(line), ""


def safe_headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers without those that carry secrets."""
    return {name: value for name, value in headers if name not in SECRET_HEADERS}
