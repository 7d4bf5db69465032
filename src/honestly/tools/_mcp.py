"""The tools of any MCP server, as tools of ours: a program that runs in the sandbox, or a server at an address.

A program is somebody's code, so it is started inside, and speaks over its pipes; a server at an address is spoken to
from outside, since there is no network inside. Needs the extra `mcp`. Tools only: resources, prompts, sampling and
elicitation are not offered. What a server says of its tools goes to the model as it is, within bounds: whoever adds a
server trusts its words.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio

from honestly.errors import SandboxError, ToolError
from honestly.models import Image, ToolSpec
from honestly.sandbox import Process, Sandbox
from honestly.tools._api import ToolResult
from honestly.tools._pictures import picture_in
from honestly.tools._text import middle_dropped, printed_text

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp import ClientSession
    from mcp.shared.message import SessionMessage
    from mcp.types import Tool as Described

_MOST_TOOLS, _MOST_PAGES, _DOC, _SCHEMA, _KEEP = 128, 20, 4000, 32_000, 20_000
_MOST_IMAGES, _MOST_LINE = 8, 16 << 20
_START_S = 60.0
_ODD = re.compile(r"[^A-Za-z0-9_-]")
_NO_HEADERS: Mapping[str, str] = {}


class McpTool:
    """One tool of an MCP server, as a tool of ours."""

    def __init__(self, session: ClientSession, described: Described, prefix: str, seconds: float) -> None:
        """The tool as the server describes it.

        Args:
            session: Where it is called.
            described: Its name, text and schema there.
            prefix: What comes before its name here.
            seconds: Time of one call.
        """
        self._session, self._name, self._seconds = session, described.name, seconds
        schema = described.input_schema
        if schema.get("type") != "object" or len(json.dumps(schema)) > _SCHEMA:
            schema = {"type": "object"}
        self.spec = ToolSpec(
            name=_ODD.sub("_", f"{prefix}{described.name}")[:64],
            doc=middle_dropped(printed_text((described.description or "").encode("utf-8", "replace")), _DOC)[0],
            schema=schema,
        )

    async def __call__(self, box: Sandbox, arguments: Mapping[str, Any]) -> ToolResult:  # noqa: ARG002
        """Calls it; the server checks the arguments.

        Raises:
            ToolError: The server said that it failed, or said nothing that can be understood.
        """
        from mcp import MCPError
        from mcp.types import CallToolResult

        try:
            result = await self._session.call_tool(self._name, dict(arguments), read_timeout_seconds=self._seconds)
        except (MCPError, ValueError, RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            said = printed_text(f"{error}".encode("utf-8", "replace"))[:1000]
            raise ToolError(f"the server of this tool did not do it: {said or type(error).__name__}") from None
        if not isinstance(result, CallToolResult):
            raise ToolError("the server of this tool wants something that is not offered here")
        texts: list[str] = []
        images: list[Image] = []
        for part in result.content:
            if part.type == "text":
                texts.append(part.text)
            elif part.type == "image" and len(images) < _MOST_IMAGES:
                try:
                    image = picture_in(base64.b64decode(part.data, validate=True))
                except (binascii.Error, ValueError):
                    image = None
                texts += [] if image else [f"[an image ({part.mime_type}) that cannot be shown]"]
                images += [image] if image else []
            elif part.type == "resource" and hasattr(part.resource, "text"):
                texts.append(str(part.resource.text))
            elif part.type == "resource_link":
                texts.append(f"[see {part.uri}]")
            else:
                texts.append(f"[{part.type}, which cannot be shown]")
        if not result.content and result.structured_content is not None:
            texts.append(json.dumps(result.structured_content))
        text, dropped = middle_dropped(printed_text("\n".join(texts).encode("utf-8", "replace")), _KEEP)
        out = ToolResult(text=text, images=tuple(images), dropped=dropped)
        if result.is_error:
            raise ToolError(out.text or "the tool failed, and its server did not say why")
        return out

    async def close(self) -> None:
        """Do nothing: the server ends with the block that started it."""


@asynccontextmanager
async def mcp_program(
    box: Sandbox,
    command: Sequence[str],
    *,
    env: Mapping[str, str] = _NO_HEADERS,
    prefix: str = "",
    seconds: float = 120.0,
) -> AsyncIterator[list[McpTool]]:
    """Start an MCP server inside a sandbox, for as long as the block lasts.

    Args:
        box: Where it runs, with what it needs (`packages_layout`).
        command: Program and arguments.
        env: Variables for it. What is in them can be read by all code in the sandbox.
        prefix: What comes before its tools' names.
        seconds: Time of one call.

    Raises:
        ToolError: It cannot be started, or is not an MCP server; or the extra `mcp` is not installed.
    """
    _require_mcp()
    try:
        process = await box.start(command, env=env)
    except SandboxError as error:
        raise ToolError(f"cannot start {command[0]}: {error}") from error
    begun = False
    try:
        async with (
            _unwrapped_errors(),
            _piped_streams(process) as pipes,
            _session_tools(*pipes, prefix, seconds) as tools,
        ):
            begun = True
            yield tools
    except ToolError as error:
        if begun:
            raise
        await process.kill()
        lines = printed_text((await process.wait()).stderr).strip().splitlines()
        raise ToolError(f"{error}{(f' ({lines[-1][:300]})' if lines else '')}") from None
    finally:
        with anyio.CancelScope(shield=True):
            await process.kill()


@asynccontextmanager
async def mcp_server(
    url: str, *, headers: Mapping[str, str] = _NO_HEADERS, prefix: str = "", seconds: float = 120.0
) -> AsyncIterator[list[McpTool]]:
    """Speak to an MCP server at an address (streamable HTTP), from outside the sandbox.

    Args:
        url: Where it is.
        headers: Sent with each request: keys.
        prefix: What comes before its tools' names.
        seconds: Time of one call.

    Raises:
        ToolError: It is not an MCP server; or the extra `mcp` is not installed.
    """
    _require_mcp()
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    begun = False
    try:
        async with (
            _unwrapped_errors(),
            httpx2.AsyncClient(headers=dict(headers), timeout=seconds) as client,
            streamable_http_client(url, http_client=client) as (received, sent),
            _session_tools(received, sent, prefix, seconds) as tools,
        ):
            begun = True
            yield tools
    except httpx2.HTTPError as error:
        if begun:
            raise
        raise ToolError(f"there is no MCP server that answers: {printed_text(str(error).encode())[:500]}") from None


@asynccontextmanager
async def _unwrapped_errors() -> AsyncIterator[None]:
    """Lets what went wrong out of the task groups in this block as it is, if it is one thing, or is ours."""
    try:
        yield
    except BaseExceptionGroup as group:
        leaves = list(_leaf_errors(group))
        told = [error for error in leaves if isinstance(error, ToolError)] or leaves
        if len(told) == 1:
            raise told[0] from None
        raise


def _leaf_errors(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaf_errors(inner)
    else:
        yield error


@asynccontextmanager
async def _session_tools(received: Any, sent: Any, prefix: str, seconds: float) -> AsyncIterator[list[McpTool]]:  # noqa: ANN401
    from mcp import ClientSession, MCPError

    async with ClientSession(received, sent, read_timeout_seconds=_START_S) as session:
        try:
            with anyio.fail_after(_START_S):
                await session.initialize()
                from mcp.types import PaginatedRequestParams

                found: list[Described] = []
                cursor: str | None = None
                for _ in range(_MOST_PAGES):
                    page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor) if cursor else None)
                    found += page.tools
                    cursor = page.next_cursor
                    if not cursor or len(found) >= _MOST_TOOLS:
                        break
                described = found[:_MOST_TOOLS]
        except (MCPError, ValueError, RuntimeError, TimeoutError) as error:
            said = printed_text(str(error).encode("utf-8", "replace"))[:500]
            raise ToolError(f"there is no MCP server that answers: {said or type(error).__name__}") from None
        tools = {tool.spec.name: tool for tool in (McpTool(session, one, prefix, seconds) for one in described)}
        yield list(tools.values())


@asynccontextmanager
async def _piped_streams(
    process: Process,
) -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
]:
    to_session, received = anyio.create_memory_object_stream[Any](0)
    sent, from_session = anyio.create_memory_object_stream[Any](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read_messages, process, to_session)
        tasks.start_soon(_write, process, from_session)
        async with received, sent:
            yield received, sent
        tasks.cancel_scope.cancel()


async def _read_messages(process: Process, to_session: MemoryObjectSendStream[Any]) -> None:
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    rest = b""
    async with to_session:
        while (data := await process.receive()) and len(rest) <= _MOST_LINE:
            *lines, rest = (rest + data).split(b"\n")
            for line in filter(bytes.strip, lines):
                try:
                    message = SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
                except ValueError:
                    continue  # servers print other things too
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await to_session.send(message)


async def _write(process: Process, from_session: MemoryObjectReceiveStream[Any]) -> None:
    async with from_session:
        async for message in from_session:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            with suppress(SandboxError):  # it is gone; the reader sees that too
                await process.send(f"{text}\n".encode())


def _require_mcp() -> None:
    try:
        import mcp  # noqa: F401
    except ImportError:
        raise ToolError("MCP servers need a package that is not installed: pip install 'honestly[mcp]'") from None
