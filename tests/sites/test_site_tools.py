"""The MCP server and the OpenAPI document of a site, and OpenAPI documents of others as tools."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import httpx2
import pytest
from anyio import from_thread, to_thread

from honestly.errors import ToolError
from honestly.http import ApiOperation, openapi_operations
from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.sites import PLAY, SITES, OpenSite, open_site
from honestly.tasks import load_suite
from honestly.verify import verify
from honestly.verify._site import STATE

BY_API = ("company-new-address", "company-refund", "company-handover", "company-duplicates", "company-recall")
SUITE = Path(__file__).parents[2] / "suites" / "versa"


@pytest.mark.parametrize("name", [known.name for known in SITES.known])
def test_every_endpoint_is_a_tool(name: str) -> None:
    app: Any = SITES.make_object(name, {"seed": 0})
    operations = openapi_operations(app.openapi())
    pages = set(app.api("good").pages) - {"GET /"}
    assert {f"{each.method} {each.path}" for each in operations} == pages


def test_arguments_go_where_a_document_says() -> None:
    document = json.loads("""{
        "paths": {"/orders/{id}/lines": {
            "parameters": [{"name": "id", "in": "path", "required": true}, {"$ref": "#/components/parameters/q"}],
            "put": {"operationId": "set lines!", "requestBody": {"content": {"application/json": {"schema": {
                "type": "object", "properties": {"id": {"type": "integer"}, "tags": {"$ref": "#/components/schemas/t"}},
                "required": ["id"]}}}}},
            "post": {"requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "array"}}}}},
            "get": {"parameters": "broken"}}, "/odd": 3,
            "/form": {"post": {"requestBody": {"content": {"multipart/form-data": {}, "application/x-www-form-urlencoded": {
                "schema": {"properties": {"a": {}, "b": {}}}}}}}, "put": {"requestBody": {"content": {"text/csv": {}}}}}},
        "components": {"parameters": {"q": {"name": "q", "in": "query"}},
            "schemas": {"t": {"type": "array", "items": {"$ref": "#/components/schemas/t"}}}}}""")
    get, post, put, form, csv = openapi_operations(document)
    assert form.request({"a": "x y", "b": True}) == ("/form", b"a=x+y&b=true")
    assert csv.doc == "Its body (text/csv) cannot be sent by this tool."
    assert (put.name, put.schema["required"]) == ("set_lines", ["id", "body_id"])
    asked = put.request({"id": "a/b?", "body_id": 7, "q": ["x", "y z"], "tags": []})
    assert asked == ("/orders/a%2Fb%3F/lines?q=x&q=y+z", b'{"id": 7, "tags": []}')
    assert post.request({"id": 1, "body": [1]}) == ("/orders/1/lines", b"[1]")
    assert get.request({"id": 1}) == ("/orders/1/lines", b"")
    for wrong, says in (({}, "needs the argument 'id'"), ({"id": 1, "z": 2}, "no argument 'z'; it takes id, q")):
        with pytest.raises(ValueError, match=re.escape(says)):
            get.request(wrong)
    with pytest.raises(ValueError, match="no `paths`"):
        openapi_operations([])


def test_a_server_without_sessions_says_what_it_does_not_do() -> None:
    async def work() -> None:
        async with open_site("company") as site, httpx2.AsyncClient(verify=False) as client:

            async def says(data: bytes | None = None, **message: object) -> tuple[int, Any]:
                content = json.dumps({"jsonrpc": "2.0", **message}).encode() if data is None else data
                reply = await client.post(site.mcp, content=content)
                return reply.status_code, reply.content and reply.json()

            assert (await client.get(site.mcp)).status_code == 405
            assert (await says(b"[[["))[0] == (await says(b"3"))[0] == 400
            assert await says(method="notifications/initialized") == (202, b"")
            assert (await says(id=1, method="resources/list"))[1]["error"]["code"] == -32601
            assert (await says(id=1, method="tools/call", params={"name": "x"}))[1]["error"]["code"] == -32602
            call = {"name": "get_people", "arguments": {}}
            refused = (await says(id=1, method="tools/call", params=call))[1]["result"]
            assert refused["isError"]
            assert "log in" in refused["content"][0]["text"]
            odd = {"name": "get_people", "arguments": {"a": 1}}
            assert (await says(id=1, method="tools/call", params=odd))[1]["result"]["isError"]

    anyio.run(work)


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_API)
def test_tasks_of_the_interface_are_done_by_the_tools_alone(name: str) -> None:
    """The reference of each task, whose every call is made by an MCP client."""
    tools = pytest.importorskip("honestly.tools", reason="needs the extra `mcp`")
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    (task,) = load_suite(SUITE, only=[name]).tasks
    assert task.hidden is not None
    program = task.hidden.reference.write.text(PLAY)

    async def work() -> None:
        async with open_site(task.site, task.site_seed) as site:
            headers = site.api().headers
            async with tools.mcp_server(site.mcp, headers=headers) as offered:
                by_name = {tool.spec.name: tool for tool in offered}
                calls = ModuleType("site_calls")
                calls.__dict__.update(call=caller(site, by_name), send=lambda path, **_: path == "/login" or fail(path))
                await to_thread.run_sync(play, program, calls)
                final = {STATE: json.dumps({"before": site.before, "after": site.state()})}
            verdict = await verify(task, Tree.of(final), seed=1, open_box=open_sandbox)
        assert verdict.hidden is not None
        assert verdict.hidden.passed, verdict.hidden
        assert not any(each.target.startswith("/login") for each in site.requests)

    anyio.run(work)


def caller(site: OpenSite, tools: dict[str, Any]) -> Any:
    """A `call` that finds the tool for a request, and calls it."""
    operations = openapi_operations(site.app.openapi())  # type: ignore[attr-defined]

    def call(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        way, _, query = path.removeprefix("/api").partition("?")
        tool, arguments = next(
            (each, found.groupdict()) for each in operations if each.method == method and (found := matched(each, way))
        )
        arguments |= dict(pair.split("=", 1) for pair in filter(None, query.split("&"))) | (body or {})
        return json.loads(from_thread.run(tools[tool.name], None, arguments).text)

    return call


def matched(operation: ApiOperation, way: str) -> re.Match[str] | None:
    return re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", operation.path), way)


def play(program: str, calls: ModuleType) -> None:
    source = program.replace("from site_calls import call, send\n", "")
    exec(compile(source, PLAY, "exec"), {"call": calls.call, "send": calls.send})


def fail(path: str) -> None:
    raise ToolError(f"{path} is a form")
