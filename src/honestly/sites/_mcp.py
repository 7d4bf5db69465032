"""An MCP server (streamable HTTP, without sessions) whose tools are the operations of a site's interface."""

import json
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from honestly.http import ApiOperation, openapi_operations
from honestly.sites._asked import SiteRequest
from honestly.sites._record import SiteAnswer, SiteApp

MCP_PATH, DOCUMENT_PATH = "/mcp", "/api/openapi.json"
_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")


@runtime_checkable
class DocumentsApi(SiteApp, Protocol):
    """A site whose interface has an OpenAPI document."""

    def openapi(self) -> dict[str, Any]:
        """The document; paths lie below the interface's base."""
        ...


def openapi_answer(app: DocumentsApi) -> SiteAnswer:
    """The OpenAPI document."""
    return SiteAnswer(200, json.dumps(app.openapi()).encode(), "application/json")


def mcp_answer(app: DocumentsApi, asked: SiteRequest) -> SiteAnswer:
    """The answer to a message of an MCP client; a tool is called with the keys and cookies of the message."""
    if asked.method != "POST":
        return SiteAnswer(405, b"", "text/plain", (("allow", "POST"),))
    try:
        message = json.loads(asked.body)
        method, number = message["method"], message.get("id")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _reply(None, error=(-32700, "this is not a message of JSON-RPC"), status=400)
    if number is None:
        return SiteAnswer(202, b"", "application/json")
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    if method == "initialize":
        wanted = params.get("protocolVersion")
        about = {"name": type(app).__name__.lower(), "version": "1"}
        version = wanted if wanted in _VERSIONS else _VERSIONS[0]
        return _reply(number, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about})
    if method == "ping":
        return _reply(number, {})
    operations = {each.name: each for each in openapi_operations(app.openapi())}
    if method == "tools/list":
        tools = [
            {"name": each.name, "description": each.doc, "inputSchema": each.schema} for each in operations.values()
        ]
        return _reply(number, {"tools": tools})
    if method == "tools/call" and (tool := operations.get(str(params.get("name")))):
        return _reply(number, _tool_result(app, tool, params.get("arguments") or {}, asked.headers))
    if method == "tools/call":
        return _reply(number, error=(-32602, f"there is no tool {params.get('name')!r}"))
    return _reply(number, error=(-32601, f"there is no method {method!r} here"))


def _tool_result(
    app: DocumentsApi, tool: ApiOperation, arguments: object, headers: Mapping[str, str]
) -> dict[str, Any]:
    try:
        if not isinstance(arguments, dict):
            raise ValueError("the arguments must be an object")  # noqa: TRY004 - of a client, not of ours
        target, body = tool.request(arguments)
    except ValueError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    kept = {name: value for name, value in headers.items() if name in ("authorization", "cookie")}
    kept |= {"content-type": tool.content_type} if body else {}
    answer = app.answer(SiteRequest(tool.method, f"{app.api('good').base}{target}", kept, body))
    text = answer.body.decode("utf-8", "replace")
    return {"content": [{"type": "text", "text": text}], "isError": answer.status >= 400}


def _reply(
    number: object, result: object = None, *, error: tuple[int, str] | None = None, status: int = 200
) -> SiteAnswer:
    outcome = {"result": result} if error is None else {"error": {"code": error[0], "message": error[1]}}
    return SiteAnswer(status, json.dumps({"jsonrpc": "2.0", "id": number, **outcome}).encode(), "application/json")
