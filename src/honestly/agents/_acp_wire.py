"""The wire of an ACP program: messages of JSON-RPC, one a line, over the pipes of a process inside a sandbox.

It is a transport of the library that speaks the protocol, and all that passes is on record. What the program writes is
hostile: a line and the whole are bounded, what is no message is put on record and passed over, and while many of its
requests wait for their answers nothing more is read.
"""

from __future__ import annotations

from typing import Any

import anyio
import msgspec

from honestly.errors import SandboxError
from honestly.sandbox import Process

__all__ = ["Wire"]

_MOST_LINE, _MOST_SAID, _MOST_RECORD, _MOST_NOISE = 16 << 20, 256 << 20, 32 << 20, 2000
_MOST_WAITING = 32


class _Said(msgspec.Struct):
    """What a line may hold: a request, a notification, or a reply."""

    id: int | str | None = None
    method: str | None = None
    params: dict[str, Any] | None = None
    result: Any = None
    error: dict[str, Any] | None = None


class _Line(msgspec.Struct, omit_defaults=True):
    """One line of the record."""

    by: str
    """`program` or `client`."""
    message: msgspec.Raw = msgspec.Raw(b"null")
    text: str = ""
    """What the program wrote that is no message."""


_decoder = msgspec.json.Decoder(_Said)


class Wire:
    """Messages to and from a program."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._buffer = bytearray()
        self._searched = self._said = self._lost = 0
        self._record = bytearray()
        self._waiting = anyio.Semaphore(_MOST_WAITING)

    @property
    def record(self) -> bytes:
        """What was said, line by line: `{"by": "program", "message": {...}}`."""
        lost = _Line(by="client", text=f"{self._lost} messages more are not kept")
        return bytes(self._record) + (msgspec.json.encode(lost) + b"\n" if self._lost else b"")

    async def send(self, message: dict[str, Any]) -> None:
        """Says something to the program; where it is gone, the reader will see that."""
        if "method" not in message:
            self._waiting.release()
        data = msgspec.json.encode(message)
        self._note(_Line(by="client", message=msgspec.Raw(data)))
        try:
            await self._process.send(data + b"\n")
        except SandboxError:
            return

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None where there is none any more, or too much was said."""
        while (line := await self._line()) is not None:
            message = _message(line)
            if message is None:
                self._note(_Line(by="program", text=line[:_MOST_NOISE].decode("utf-8", "replace")))
                continue
            self._note(_Line(by="program", message=msgspec.Raw(line)))
            if "method" in message and "id" in message:
                await self._waiting.acquire()
            return message
        return None

    async def close(self) -> None:
        """Ends it: the program with all that it started."""
        await self._process.kill()

    async def _line(self) -> bytes | None:
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            data = await self._process.receive()
            self._buffer += data
            self._said += len(data)
            if not data or len(self._buffer) > _MOST_LINE or self._said > _MOST_SAID:
                return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def _note(self, line: _Line) -> None:
        data = msgspec.json.encode(line) + b"\n"
        if self._lost or len(self._record) + len(data) > _MOST_RECORD:
            self._lost += 1
        else:
            self._record += data


def _message(line: bytes) -> dict[str, Any] | None:
    """The message in a line, in a form that the library can take; None where there is none."""
    try:
        said = _decoder.decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    if said.method is not None:
        return {"method": said.method, "params": said.params} | ({"id": said.id} if said.id is not None else {})
    if not isinstance(said.id, int):
        return None
    if said.error is None:
        return {"id": said.id, "result": said.result}
    code = said.error.get("code")
    error = {"code": code if isinstance(code, int) else 0, "message": str(said.error.get("message"))}
    return {"id": said.id, "error": error}
