"""One conversation in the Agent Client Protocol: the program is greeted, gets a session and the instruction, and works.

The library `agent-client-protocol` (extra `acp`) matches requests and replies. The program's last word is the reply to
the instruction; after it, the program is asked to end by the end of its input, and ended soon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio

from honestly.agents.external._driver import HOME, Launch
from honestly.agents.external.acp._client import CAPABILITIES, Client
from honestly.agents.external.acp._wire import Wire
from honestly.agents.external.transcripts._acp import RECORD
from honestly.errors import AgentError
from honestly.sandbox import Result, Sandbox

if TYPE_CHECKING:
    from acp.connection import Connection

_ERRORS = 'exec "$@" 2>>"$0/stderr"'
_VERSION = 1
_START_S, _END_S = 120.0, 5.0


async def talk(box: Sandbox, launch: Launch, keep: Callable[[str, bytes], None]) -> Result:
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
    process = await box.start(["sh", "-c", _ERRORS, HOME, *launch.argv], env={"HOME": HOME, **launch.env})
    wire = Wire(process)
    connection = connect(Client(box), wire)
    try:
        answered = await _answered(connection, launch.stdin)
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


async def _answered(connection: Connection, instruction: str) -> bool:
    """Whether the program answered the instruction before it was gone."""
    from acp import RequestError

    try:
        with anyio.fail_after(_START_S):
            session = await _session(connection)
    except TimeoutError:
        raise AgentError(f"the program did not open a session of ACP within {_START_S:.0f} s") from None
    except RequestError as error:
        raise AgentError(f"the program opens no session of ACP: {str(error)[:500]}") from None
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


async def _session(connection: Connection) -> str:
    greeting = {
        "protocolVersion": _VERSION,
        "clientCapabilities": CAPABILITIES,
        "clientInfo": {"name": "honestly", "version": str(_VERSION)},
    }
    await connection.send_request("initialize", greeting)
    opened: Any = await connection.send_request("session/new", {"cwd": "/workspace", "mcpServers": []})
    session = opened.get("sessionId") if isinstance(opened, dict) else None
    if not isinstance(session, str):
        raise AgentError("the program opened a session of ACP without an id")
    return session
