"""What a request would have the provider do on the network: search it, fetch addresses, run code, call other servers.

A sandbox that reaches nothing but the proxy would reach the network through the provider's own tools. So they are
refused, unless they are allowed, and so is whatever is not known to run at the client.
"""

import re
from typing import Any

from honestly.models.chat._http import printable
from honestly.models.dialects._dialect import Object

_CLIENTS = re.compile(
    r"function|custom|namespace|local_shell|apply_patch|(bash|text_editor|computer|memory)_\d{8}|computer_use_preview"
)
_FIELDS = ("mcp_servers", "container", "web_search_options", "plugins", "previous_response_id", "prompt")
_ADDRESSES = {"url", "image_url", "file_url", "fileUri", "file_uri"}
_DATA = {"input", "args", "response", "parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema"}
_REMOTE = re.compile(r"\s*(?!data:)[a-zA-Z][a-zA-Z0-9+.-]*:")
_TOOL_FIELDS = {"functionDeclarations", "function_declarations"}
_MOST = 5


def reaches_out(found: Object) -> list[str]:
    """The places in a body that reach further than the model, at most five; none, where there are none."""
    places = [name for name in _FIELDS if found.get(name)]
    places += _tools(found.get("tools"), "tools")
    stack: list[tuple[str, Any]] = [("", {key: value for key, value in found.items() if key != "tools"})]
    while stack and len(places) < _MOST:
        path, value = stack.pop()
        if isinstance(value, list):
            stack += [(f"{path}[{at}]", each) for at, each in enumerate(value)]
        elif isinstance(value, dict):
            for key, inner in value.items():
                where = f"{path}.{key}" if path else str(key)
                if isinstance(inner, str):
                    places += [where] if key in _ADDRESSES and _REMOTE.match(inner) else []
                elif not (key in _DATA and isinstance(inner, dict)):
                    stack.append((where, inner))
    return [printable(place, 200) for place in places[:_MOST]]


def _tools(tools: object, path: str) -> list[str]:
    places: list[str] = []
    for at, tool in enumerate(tools if isinstance(tools, list) else []):
        where = f"{path}[{at}]"
        if not isinstance(tool, dict):
            continue
        kind = tool.get("type")
        if kind == "namespace":
            places += _tools(tool.get("tools"), f"{where}.tools")
        elif kind is None:
            others = set() if "input_schema" in tool else {key for key, value in tool.items() if value} - _TOOL_FIELDS
            places += [f"{where}.{key}" for key in sorted(map(str, others))]
        elif not isinstance(kind, str) or not _CLIENTS.fullmatch(kind):
            places.append(f"{where} ({kind})")
    return places
