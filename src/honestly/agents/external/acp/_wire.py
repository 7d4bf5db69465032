"""The wire of an ACP program: messages of JSON-RPC, one a line, over the pipes of a process inside a sandbox.

It is a transport of the library that speaks the protocol, and all that passes is on record. What the program writes is
hostile: a line and the whole are bounded, what is not a message is put on record and passed over, and while many of its
requests wait for their answers nothing more is read.
"""

import json
from typing import Any

import anyio.lowlevel
import msgspec

from honestly.agents.external.transcripts._transcript import json_object
from honestly.errors import SandboxError
from honestly.sandbox import Process

_MOST_LINE, _MOST_SAID, _MOST_RECORD, _MOST_NOISE = 16 << 20, 256 << 20, 16 << 20, 2000
_MOST_WAITING = 32


class _Said(msgspec.Struct):
    """What a line may hold: a request, a notification, or a reply."""

    id: int | str | None = None
    method: str | None = None
    params: dict[str, Any] | None = None
    result: Any = None
    error: Any = None


class _Line(msgspec.Struct, omit_defaults=True):
    """One line of the record."""

    by: str
    """`program` or `client`."""
    message: msgspec.Raw = msgspec.Raw(b"null")
    text: str = ""
    """What the program wrote that is not a message."""


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
        data = json.dumps(message).encode()
        self._note(_Line(by="client", message=msgspec.Raw(data)))
        try:
            await self._process.send(data + b"\n")
        except SandboxError:
            return

    async def receive(self) -> dict[str, Any] | None:
        """The next request or reply; None where there is none any more, or too much was said.

        What wants no answer (the updates of a session) is put on record, and goes nowhere else.
        """
        while (line := await self._line()) is not None:
            message = _message(line)
            if message is None:
                self._note(_Line(by="program", text=line[:_MOST_NOISE].decode("utf-8", "replace")))
                continue
            self._note(_Line(by="program", message=msgspec.Raw(line)))
            if "method" in message and "id" not in message:
                continue
            if "method" in message:
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
            await anyio.lowlevel.checkpoint()  # a program that never pauses must not keep others from working
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
        said = msgspec.convert(json_object(line), _Said)
    except msgspec.ValidationError:
        return None
    if said.method is not None:
        return {"method": said.method, "params": said.params} | ({"id": said.id} if said.id is not None else {})
    if not isinstance(said.id, int):
        return None
    if said.error is None:
        return {"id": said.id, "result": said.result}
    told: dict[str, Any] = said.error if isinstance(said.error, dict) else {"message": said.error}
    code = told.get("code")
    return {"id": said.id, "error": {"code": code if isinstance(code, int) else 0, "message": str(told.get("message"))}}
