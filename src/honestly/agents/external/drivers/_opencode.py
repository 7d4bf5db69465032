"""OpenCode, without a person: `opencode run --format json`. Its record is its stream of JSON."""

import json
from collections.abc import Mapping

from honestly._loose import nested_dict
from honestly.agents.external._driver import Driver, Launch, OwnCall, OwnRecord, Start, first_value, json_lines, text_of
from honestly.records import Usage

_FLAGS = ("run", "--format", "json", "--auto", "--title", "task", "-m")
_QUIET = ("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_LSP_DOWNLOAD", "OPENCODE_DISABLE_MODELS_FETCH")


def read_own_record(stdout: bytes, _files: Mapping[str, bytes]) -> OwnRecord | None:
    """Read the stream: a line for each text and finished call, and one at the end of each step with its tokens."""
    if not (lines := list(json_lines(stdout))):
        return None
    parts = [nested_dict(line, "part") for line in lines]
    used = [part for part in parts if part.get("type") == "tool"]
    tokens = [nested_dict(part, "tokens") for part in parts if part.get("type") == "step-finish"]
    ends = [str(part.get("reason", "")) for part in parts if part.get("type") == "step-finish"]
    errors = [line for line in lines if line.get("type") == "error"]
    return OwnRecord(
        calls=tuple(_own_call(part) for part in used),
        usage=Usage(
            input_tokens=_total(tokens, ("input",), ("cache", "read"), ("cache", "write")),
            output_tokens=_total(tokens, ("output",), ("reasoning",)),
            cached_tokens=_total(tokens, ("cache", "read")),
        ),
        helpers=False,
        session=first_value(lines, "sessionID"),
        stop=ends[-1] if ends else "",
        failed=bool(errors),
    )


def _own_call(part: Mapping[str, object]) -> OwnCall:
    state = nested_dict(part, "state")
    code = nested_dict(state, "metadata").get("exit")
    return OwnCall(
        id=str(part.get("callID", "")),
        name=str(part.get("tool", "")),
        result=text_of(state.get("output") or state.get("error", "")),
        code=code if isinstance(code, int) else None,
    )


def _total(tokens: list[dict[str, object]], *places: tuple[str, ...]) -> int | None:
    """The sum of what stands at some places of each step; None where nothing was counted."""
    found = [nested_dict(each, *place[:-1]).get(place[-1]) for each in tokens for place in places]
    known = [number for number in found if isinstance(number, int)]
    return sum(known) if known else None


def _launch_opencode(start: Start) -> Launch:
    model: dict[str, object] = {"name": start.model, "tool_call": True, "reasoning": bool(start.effort)}
    if start.effort:
        model["options"] = {"reasoningEffort": start.effort}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "honestly",
        "options": {"baseURL": f"{start.url}/v1", "apiKey": start.token},
        "models": {start.model: model},
    }
    config: dict[str, object] = {
        "provider": {"honestly": provider},
        "permission": {"*": "allow"},
        "share": "disabled",
        "autoupdate": False,
    }
    if start.servers:
        config["mcp"] = {
            name: {"type": "remote", "url": each.url, "enabled": True}
            if each.url
            else {"type": "local", "command": each.command, "environment": each.env, "enabled": True}
            for name, each in start.servers.items()
        }
    env = {"OPENCODE_CONFIG_CONTENT": json.dumps(config), **dict.fromkeys(_QUIET, "1"), "NO_COLOR": "1"}
    argv = (*start.program, *_FLAGS, f"honestly/{start.model}", *start.flags)
    return Launch(argv=argv, env=env, stdin=start.instruction)


OPENCODE = Driver(
    name="opencode", program="opencode", launch=_launch_opencode, read=read_own_record,
    takes=frozenset(("skill", "mcp", "effort")), skills=".config/opencode/skills",
)  # fmt: skip
