"""One conversation in the Agent Client Protocol: the program is greeted, gets a session and the instruction, and works.

The library `agent-client-protocol` (extra `acp`) matches requests and replies; `Wire` is its transport, JSON-RPC over
the pipes of a process inside a sandbox, and keeps all that passes. The program's last word is the reply to the
instruction; after it, the program is asked to end by the end of its input, and killed soon.

What the program asks of us while it works, it gets inside the sandbox or not at all. Permissions are granted once, by
rule: the sandbox is the permission. Terminals are not offered: the program has the sandbox's own shell.

What it writes is hostile: a line and the whole are bounded, what is not a message is recorded and passed over, and
while many of its requests wait for their answers nothing more is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import msgspec

from honestly.agents.external._driver import HOME, Launch, json_object
from honestly.errors import AgentError, SandboxError
from honestly.sandbox import WORKSPACE, Process, Result, Sandbox

if TYPE_CHECKING:
    from acp.connection import Connection


RECORD = "acp.jsonl"
"""Name of the record among what is kept of a program."""

_CAPABILITIES = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": False}
_GRANTS = ("allow_once", "allow_always")
_ERRORS = 'exec "$@" 2>>"$0/stderr"'
_VERSION = 1
_START_S, _END_S, _WITHIN_S = 120.0, 5.0, 30.0
_MOST_FILE = 4 << 20
_MOST_LINE, _MOST_SAID, _MOST_RECORD, _MOST_NOISE = 16 << 20, 256 << 20, 16 << 20, 2000
_MOST_WAITING = 32


async def acp_conversation(box: Sandbox, launch: Launch, keep: Callable[[str, bytes], None]) -> Result:
    """Starts a program, and speaks with it until it has answered the instruction.

    Args:
        box: Where it runs.
        launch: How it is started; the instruction is what it would read.
        keep: Takes what was said, however it ends.

    Returns:
        How it ended: with status 0 if it answered, be it by an error, which is on record.

    Raises:
        AgentError: It does not speak the protocol; or the extra `acp` is not installed.
    """
    connect = _library()
    here = (await box.exec("pwd")).stdout.decode("utf-8", "replace").strip() or WORKSPACE
    process = await box.start(["sh", "-c", _ERRORS, HOME, *launch.argv], env={"HOME": HOME, **launch.env})
    wire = Wire(process)
    connection = connect(Client(box), wire)
    try:
        answered = await _instruction_answered(connection, launch.stdin, here)
        if answered:
            await process.close_stdin()
            with anyio.move_on_after(_END_S):
                await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await process.kill()
            await connection.close()
            keep(RECORD, wire.record)
    result = await process.wait()
    return replace(result, code=0 if answered else result.code or 1)


def _library() -> Callable[[Client, Wire], Connection]:
    try:
        from acp.connection import Connection
    except ImportError:
        raise AgentError("ACP needs a package that is not installed: pip install 'honestly[acp]'") from None
    return Connection


async def _instruction_answered(connection: Connection, instruction: str, here: str) -> bool:
    """Whether the program answered the instruction before it was gone."""
    from acp import RequestError

    try:
        with anyio.fail_after(_START_S):
            greeting = {
                "protocolVersion": _VERSION,
                "clientCapabilities": _CAPABILITIES,
                "clientInfo": {"name": "honestly", "version": str(_VERSION)},
            }
            await connection.send_request("initialize", greeting)
            opened: Any = await connection.send_request("session/new", {"cwd": here, "mcpServers": []})
            session = opened.get("sessionId") if isinstance(opened, dict) else None
            if not isinstance(session, str):
                raise AgentError("the program opened an ACP session without an id")
    except TimeoutError:
        raise AgentError(
            f"the program did not open an ACP session within {_START_S:.0f} s; "
            "check that it speaks ACP on stdin and stdout"
        ) from None
    except RequestError as error:
        raise AgentError(f"the program opens no ACP session: {str(error)[:500]}") from None
    except ConnectionError:
        return False
    prompt = [{"type": "text", "text": instruction}]
    try:
        await connection.send_request("session/prompt", {"sessionId": session, "prompt": prompt})
    except RequestError:
        return True
    except ConnectionError:
        return False
    return True


class Client:
    """Answers the requests of a program in a sandbox."""

    def __init__(self, box: Sandbox) -> None:
        self._box = box

    async def __call__(self, method: str, params: Any, notification: bool) -> dict[str, Any]:  # noqa: ANN401, ARG002
        """The answer to a request.

        Raises:
            RequestError: It is not offered, makes no sense, or cannot be done.
        """
        from acp import RequestError

        offered = {
            "session/request_permission": self._grant_permission,
            "fs/read_text_file": self._read_file,
            "fs/write_text_file": self._write,
        }
        if method not in offered:
            raise RequestError.method_not_found(method[:200])
        try:
            return await offered[method](params or {})
        except (KeyError, TypeError, ValueError, AttributeError):
            raise RequestError.invalid_params() from None
        except SandboxError as error:
            raise RequestError(-32002, str(error)[:1000]) from None

    async def _grant_permission(self, params: Mapping[str, Any]) -> dict[str, Any]:
        options = {str(option["kind"]): str(option["optionId"]) for option in reversed(params["options"])}
        granted = next((options[kind] for kind in _GRANTS if kind in options), None)
        if granted is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": granted}}

    async def _read_file(self, params: Mapping[str, Any]) -> dict[str, Any]:
        path, first, most = str(params["path"]), params.get("line"), params.get("limit")
        size = await self._box.exec(["stat", "-L", "-c", "%s", "--", path], timeout=_WITHIN_S)
        if size.code == 0 and int(size.stdout) > _MOST_FILE:
            raise SandboxError(f"{path} has {int(size.stdout)} bytes; at most {_MOST_FILE} are read at once")
        lines = (await self._box.read(path)).decode("utf-8", "replace").splitlines(keepends=True)
        start = max(0, int(first or 1) - 1)
        return {"content": "".join(lines[start : None if most is None else start + max(0, int(most))])}

    async def _write(self, params: Mapping[str, Any]) -> dict[str, Any]:
        path, text = str(params["path"]), str(params["content"])
        executable = (await self._box.exec(["test", "-x", path], timeout=_WITHIN_S)).code == 0
        await self._box.write(path, text.encode("utf-8", "replace"), executable=executable)
        return {}


class _Said(msgspec.Struct):
    """A line of the conversation: a request, a notification, or a reply."""

    id: int | str | None = None
    method: str | None = None
    params: dict[str, Any] | None = None
    result: Any = None
    error: Any = None


class _Line(msgspec.Struct, omit_defaults=True):
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
        """The whole conversation, line by line: `{"by": "program", "message": {...}}`."""
        lost = _Line(by="client", text=f"{self._lost} messages more are not kept")
        return bytes(self._record) + (msgspec.json.encode(lost) + b"\n" if self._lost else b"")

    async def send(self, message: dict[str, Any]) -> None:
        """Says something to the program; where it is gone, the reader will see that."""
        if "method" not in message:
            self._waiting.release()
        data = json.dumps(message).encode()
        self._record_line(_Line(by="client", message=msgspec.Raw(data)))
        try:
            await self._process.send(data + b"\n")
        except SandboxError:
            return

    async def receive(self) -> dict[str, Any] | None:
        """The next request or reply; None where there is none any more, or too much was said.

        What wants no answer (the updates of a session) is put on record, and goes nowhere else.
        """
        while (line := await self._next_line()) is not None:
            message = _parsed_message(line)
            if message is None:
                self._record_line(_Line(by="program", text=line[:_MOST_NOISE].decode("utf-8", "replace")))
                continue
            self._record_line(_Line(by="program", message=msgspec.Raw(line)))
            if "method" in message and "id" not in message:
                continue
            if "method" in message:
                await self._waiting.acquire()
            return message
        return None

    async def close(self) -> None:
        """Ends it: the program with all that it started."""
        await self._process.kill()

    async def _next_line(self) -> bytes | None:
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

    def _record_line(self, line: _Line) -> None:
        data = msgspec.json.encode(line) + b"\n"
        if self._lost or len(self._record) + len(data) > _MOST_RECORD:
            self._lost += 1
        else:
            self._record += data


def _parsed_message(line: bytes) -> dict[str, Any] | None:
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
