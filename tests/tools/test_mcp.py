"""Tools of real MCP servers: a program in the sandbox, and one over HTTP outside of it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from honestly.errors import ToolError
from honestly.records import Tree
from honestly.sandbox import Limits, Sandbox, open_sandbox, packages_layout
from honestly.tools import McpTool, mcp_program, mcp_server

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
pytestmark = pytest.mark.anyio

EXAMPLE = Path(__file__).with_name("mcp_example.py")
NO_BOX = cast("Sandbox", None)


def named(tools: list[McpTool]) -> dict[str, McpTool]:
    return {tool.spec.name: tool for tool in tools}


async def checked(tools: dict[str, McpTool], box: Sandbox) -> None:
    """What holds wherever the server runs."""
    assert {"add", "fail", "square", "odd_name_with_spaces"} <= set(tools)
    assert tools["add"].spec.doc == "Adds two numbers."
    assert tools["add"].spec.schema["required"] == ["a"]
    assert (await tools["add"](box, {"a": 2, "b": 3})).text == "sum: 5"
    out = await tools["square"](box, {"side": 7})
    assert (out.text, [image.media_type for image in out.images]) == ("a square", ["image/png"])
    assert out.images[0].data.startswith(b"\x89PNG")
    out = await tools["odd_name_with_spaces"](box, {})
    assert len(out.text) < 21_000
    assert out.dropped == 80_000
    with pytest.raises(ToolError, match=r"it broke$"):
        await tools["fail"](box, {})
    with pytest.raises(ToolError):
        await tools["add"](box, {"a": "no number"})


@pytest.mark.slow
async def test_a_program_in_the_sandbox(anyio_backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "canary")
    server = Tree.of({"server.py": EXAMPLE.read_text()})
    async with open_sandbox(server, Limits(memory_mb=1024), layout=packages_layout(["mcp", "cryptography"])) as box:
        async with mcp_program(box, ["python3", "server.py"]) as found:
            tools = named(found)
            await checked(tools, box)
            # It runs in there: its file is, its process number is small, and our variables are not.
            pid, _, secret = (await tools["write_here"](box, {"text": "hello"})).text.split()
            assert await box.read("from-server") == b"hello"
            assert (int(pid) < 1000, secret) == (True, "False")
            with anyio.fail_after(30), pytest.raises(ToolError, match="did not do it"):
                await tools["leave"](box, {})
            with anyio.fail_after(30), pytest.raises(ToolError):
                await tools["add"](box, {"a": 1})
        assert (await box.exec(["pgrep", "-f", "server.py"])).stdout == b""


@pytest.mark.parametrize(
    "program", [["no-such-program"], ["true"], ["sh", "-c", "echo '{}'; echo nonsense; exec cat >/dev/null <&-"]]
)
async def test_a_program_that_is_no_server(anyio_backend: str, program: list[str]) -> None:
    async with open_sandbox(Tree()) as box:
        with anyio.fail_after(20), pytest.raises(ToolError, match=r"cannot start|no MCP server"):
            async with mcp_program(box, program):
                raise AssertionError("it was taken for one")


HOSTILE = r"""
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    method = asked["method"]
    if method == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    elif method == "tools/list":
        one = {"name": "t", "description": "d" * 6000 + "\x1b[2J", "inputSchema": {"type": "object", "x": "y" * 40000}}
        result = {"tools": [one | {"name": "t%d" % n} for n in range(150)], "nextCursor": "again"}
    elif asked["params"]["name"] == "t0":
        result = {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}, {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}, {"type": "resource_link", "name": "n", "uri": "file:///x"}, {"type": "resource", "resource": {"uri": "a:b", "text": "inside"}}]}
    elif asked["params"]["name"] == "t1":
        result = {"content": 7}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


async def test_a_hostile_server_is_bounded(anyio_backend: str) -> None:
    command = ["python3", "server.py"]
    async with open_sandbox(Tree.of({"server.py": HOSTILE})) as box:  # noqa: SIM117 - one opens the other
        async with mcp_program(box, command, prefix="x_", seconds=0.5) as found:
            tools = named(found)
            assert len(tools) == 128
            assert all(len(tool.spec.doc) < 4200 and len(str(tool.spec.schema)) < 100 for tool in found)
            out = await tools["x_t0"](box, {})
            assert out.images == ()
            assert (
                out.text
                == "[an image (image/png) that cannot be shown]\n[audio, which cannot be shown]\n[see file:///x]\ninside"
            )
            for name in ("x_t1", "x_t2"):  # nonsense, and silence
                with pytest.raises(ToolError, match="did not do it"):
                    await tools[name](box, {})


async def test_an_error_in_the_block_comes_out_as_it_is(anyio_backend: str) -> None:
    async with open_sandbox(Tree.of({"server.py": HOSTILE})) as box:
        with pytest.raises(ZeroDivisionError):
            async with mcp_program(box, ["python3", "server.py"]):
                raise ZeroDivisionError


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The example, served over HTTP by the package's own server."""
    uvicorn = pytest.importorskip("uvicorn", reason="comes with the extra `mcp`")
    from mcp_example import server as example

    listening = socket.create_server(("127.0.0.1", 0))
    running: Any = uvicorn.Server(uvicorn.Config(example.streamable_http_app(), log_level="error"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    running.should_exit = True
    thread.join()


async def test_a_server_at_an_address(anyio_backend: str, address: str) -> None:
    async with mcp_server(address, headers={"authorization": "Bearer x"}) as found:
        await checked(named(found), NO_BOX)


async def test_an_address_without_a_server(anyio_backend: str) -> None:
    with anyio.fail_after(20), pytest.raises(ToolError, match="no MCP server"):
        async with mcp_server("http://127.0.0.1:9/mcp"):
            raise AssertionError("it was taken for one")
