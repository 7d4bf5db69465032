"""A recording of conversations with a model: what was asked, what it answered, and how it failed.

One JSON object a line, added at the end and never changed. A message is written once, after the one that it follows,
and known by the digest of the conversation up to it; a call names the last message of its conversation:

    {"tools": DIGEST, "specs": [...]}
    {"said": DIGEST, "after": DIGEST, "message": {...}}
    {"at": DIGEST, "tools": DIGEST, "settings": {...}, "model": NAME, "reply": {...}, "seconds": 1.5}
    {"at": DIGEST, "tools": DIGEST, "settings": {...}, "model": NAME, "error": {"text": ..., "status": 429, ...}}

So a conversation of n turns takes space for n messages, not n squared, and conversations that go on at the same time
may share a cassette. A writer that is killed leaves a torn last line, which is passed over, and cut off by the next
writer. Headers, and with them keys, never get here.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from honestly._loose import read_whole
from honestly.errors import FormatError, ModelError
from honestly.models._api import NO_SETTINGS, Message, Settings, ToolSpec
from honestly.models._codec import chain_digest, message_json, plain_data, read_message, settings_json, tools_digest
from honestly.work import Journal

_MOST_BYTES = 1 << 30
_BLOCK = 8192
"""Bytes that lie in memory as they are; more are compressed, since a trial in flight holds its cassette to its end."""


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error in place of an answer."""

    text: str
    transient: bool = False
    status: int | None = None
    retry_after_s: float | None = None


class Answer(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One recorded call of a model, and its answer or error."""

    at: str
    """Digest of the conversation."""
    tools: str
    """Digest of the tools."""
    settings: dict[str, Any] = {}
    model: str = ""
    reply: msgspec.Raw = msgspec.Raw(b"null")
    error: Failure | None = None
    seconds: float | None = None

    def message(self) -> Message:
        """The recorded answer.

        Raises:
            ModelError: It was an error.
            FormatError: It is not a message.
        """
        if self.error is not None:
            error = self.error
            raise ModelError(
                error.text, transient=error.transient, status=error.status, retry_after_s=error.retry_after_s
            )
        try:
            return read_message(bytes(self.reply))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(f"an answer on the cassette is not a message: {error}") from None


class _Said(msgspec.Struct, frozen=True):
    said: str
    after: str
    message: msgspec.Raw


class _Told(msgspec.Struct, frozen=True):
    tools: str
    specs: msgspec.Raw


class Cassette:
    """A recording that was read from a file or from memory."""

    def __init__(self, answers: Sequence[Answer], said: Mapping[str, _Said]) -> None:
        self.answers = tuple(answers)
        """In the order in which they came."""
        self._said = said

    def chain_digests(self, at: str) -> list[str]:
        """The digests of a conversation, message by message, up to this one.

        Where a part is missing, they begin after it.
        """
        found: list[str] = []
        while at in self._said and len(found) < len(self._said):
            found.append(at)
            at = self._said[at].after
        return found[::-1]

    def message(self, at: str) -> Message:
        """The message that has this digest.

        Raises:
            FormatError: The line holds no message.
        """
        try:
            return read_message(bytes(self._said[at].message))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(f"a message on the cassette cannot be read: {error}") from None

    @property
    def known(self) -> frozenset[str]:
        """The digests of all messages and tools."""
        return frozenset(self._said) | {answer.tools for answer in self.answers}


def read_cassette(source: Path | bytes) -> Cassette:
    """Read a cassette from its file, or from its content.

    Raises:
        FormatError: It cannot be read, or a line of it does not belong on a cassette.
    """
    answers: list[Answer] = []
    said: dict[str, _Said] = {}
    content = source if isinstance(source, bytes) else read_whole(source, _MOST_BYTES, "the cassette", FormatError)
    lines = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            read = _read_line(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if number == len(lines):  # it has no end: the writer was killed
                break
            raise FormatError(f"line {number} of the cassette: {error}") from None
        if isinstance(read, Answer):
            answers.append(read)
        elif isinstance(read, _Said):
            said[read.said] = read
    return Cassette(answers, said)


class CassetteWriter:
    """A cassette that is being written: to the end of a file, or into memory."""

    def __init__(self, path: Path | None = None) -> None:
        """A writer.

        Raises:
            FormatError: The file is not a cassette, or cannot be written.
        """
        self._known: set[str] = set()
        self._last: list[tuple[Message, str]] = []
        self._told: tuple[Sequence[ToolSpec], str] = ((), tools_digest(()))
        self._given: tuple[Settings, dict[str, Any]] = NO_SETTINGS, {}
        self._packed: list[bytes] = []
        self._fresh = b""
        self._path = path
        if path is not None:
            with Journal(path, error=FormatError, shared=True):  # whether it can be written is said now, not later
                self._known.update(read_cassette(path).known)

    def add(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        settings: Settings,
        *,
        model: str,
        came: Message | ModelError,
        seconds: float,
    ) -> None:
        """Add one call; all of it is written when this returns.

        Raises:
            FormatError: The file cannot be written.
        """
        if tools is not self._told[0] or not isinstance(tools, tuple):
            self._told = tools, tools_digest(tools)
        if settings is not self._given[0]:
            self._given = settings, settings_json(settings)
        lines, told, new = [], self._told[1], set[str]()
        if told not in self._known:
            specs = [{"name": tool.name, "doc": tool.doc, "schema": dict(tool.schema)} for tool in tools]
            lines.append(msgspec.json.encode({"tools": told, "specs": plain_data(specs)}))
            new.add(told)
        for message, after, at in self._new_messages(messages):
            if at not in self._known:
                lines.append(msgspec.json.encode(_Said(at, after, msgspec.Raw(message_json(message)))))
                new.add(at)
        at, given = self._last[-1][1] if self._last else "", self._given[1]
        error, reply = None, msgspec.Raw(b"null")
        if isinstance(came, ModelError):
            error = Failure(plain_data(str(came)), came.transient, came.status, came.retry_after_s)
        else:
            reply = msgspec.Raw(message_json(came))
        seconds = round(seconds, 4)
        answer = Answer(at=at, tools=told, settings=given, model=model, reply=reply, error=error, seconds=seconds)
        lines.append(msgspec.json.encode(answer))
        if self._path is not None:
            with Journal(self._path, error=FormatError, shared=True) as journal:
                journal.append(*lines)
            self._known |= new  # not before: what was not written is said again, once there is room
            return
        self._known |= new
        self._fresh += b"".join(line + b"\n" for line in lines)
        if len(self._fresh) > _BLOCK:
            self._packed.append(zlib.compress(self._fresh, level=1))
            self._fresh = b""

    def data(self) -> bytes:
        """The content so far, where the cassette is in memory."""
        return b"".join([*map(zlib.decompress, self._packed), self._fresh])

    def _new_messages(self, messages: Sequence[Message]) -> Iterator[tuple[Message, str, str]]:
        """The messages that were not in the call before this, each with the digests before and after it.

        A conversation is the one before and what was said since: were all of it hashed at each call, a conversation of
        n turns would cost n squared.
        """
        pairs = zip(self._last, messages, strict=False)
        same = next((n for n, ((known, _), message) in enumerate(pairs) if known is not message), None)
        del self._last[len(messages) if same is None else same :]
        for message in messages[len(self._last) :]:
            after = self._last[-1][1] if self._last else ""
            self._last.append((message, chain_digest(after, message)))
            yield message, after, self._last[-1][1]


def _read_line(line: bytes) -> Answer | _Said | _Told:
    keys = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    if "at" in keys:
        return msgspec.json.decode(line, type=Answer)
    return msgspec.json.decode(line, type=_Said) if "said" in keys else msgspec.json.decode(line, type=_Told)
