"""Gemini CLI, without a person: `gemini -p`. Its record is its stream of JSON."""

import json
from collections.abc import Mapping

from honestly.agents.external._driver import (
    HOME,
    Driver,
    Launch,
    OwnCall,
    OwnRecord,
    Start,
    counted_usage,
    first_value,
    json_lines,
    text_of,
)

_FLAGS = ("-o", "stream-json", "--approval-mode", "yolo", "--skip-trust", "-m")
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"disableAutoUpdate": True},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


def read_own_record(stdout: bytes, _files: Mapping[str, bytes]) -> OwnRecord | None:
    """Read the stream."""
    if not (lines := list(json_lines(stdout))):
        return None
    results = {
        str(line.get("tool_id")): text_of(line.get("output", "")) for line in lines if line.get("type") == "tool_result"
    }
    used = [(str(line.get("tool_name")), str(line.get("tool_id"))) for line in lines if line.get("type") == "tool_use"]
    ends = [line for line in lines if line.get("type") == "result"]
    last = ends[-1] if ends else {}
    return OwnRecord(
        # Gemini's API gives calls no ids, and the program makes its own: calls are compared by name.
        calls=tuple(OwnCall(id="", name=name, result=results.get(key)) for name, key in used),
        usage=counted_usage(last.get("stats"), read="input_tokens", written="output_tokens", cached="cached"),
        session=first_value(lines, "session_id"),
        stop=str(last.get("status", "")),
    )


def _launch_gemini(start: Start) -> Launch:
    env = {"GEMINI_API_KEY": start.token, "GOOGLE_GEMINI_BASE_URL": start.url, "GEMINI_CLI_HOME": HOME, "NO_COLOR": "1"}
    servers = {
        name: {"httpUrl" if each.transport == "streamable-http" else "url": each.url, "trust": True}
        if each.url
        else {"command": each.command[0], "args": each.command[1:], "env": each.env, "trust": True}
        for name, each in start.servers.items()
    }
    settings = _SETTINGS | ({"mcpServers": servers} if servers else {})
    files = {f"{HOME}/.gemini/settings.json": json.dumps(settings)}
    return Launch(
        argv=(*start.program, *start.flags, *_FLAGS, start.model), env=env, files=files, stdin=start.instruction
    )


GEMINI = Driver(
    name="gemini", program="gemini", launch=_launch_gemini, read=read_own_record, kept=(".gemini/tmp/*/chats/*",),
    takes=frozenset(("skill", "mcp", "login")), skills=".gemini/skills", vendor="google",
)  # fmt: skip
