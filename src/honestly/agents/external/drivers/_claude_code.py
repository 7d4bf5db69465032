"""Claude Code, without a person: `claude -p`. Its stream of JSON and its session file have the same messages."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from honestly._loose import nested_dict, objects_of
from honestly.agents.external._driver import (
    HOME,
    Driver,
    Launch,
    OwnCall,
    OwnRecord,
    Start,
    first_value,
    json_lines,
    text_of,
)
from honestly.agents.external._hook import DECISIONS, HOOK, hook_files
from honestly.permissions import ToolPolicy
from honestly.records import Usage

_FLAGS = ("-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions", "--model")
_SERVERS = f"{HOME}/claude-servers.json"
_QUIET = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
)
_FAILED = re.compile(r"Exit code (\d{1,9})\b")


def read_own_record(stdout: bytes, files: Mapping[str, bytes]) -> OwnRecord | None:
    """Read the stream; where that was cut off before its first line, the session files."""
    lines = list(json_lines(stdout)) or [line for data in files.values() for line in json_lines(data)]
    if not lines:
        return None
    parts = [part for line in lines for part in objects_of(nested_dict(line, "message").get("content"))]
    names = {str(part.get("id")): str(part.get("name")) for part in parts if part.get("type") == "tool_use"}
    results = {str(part.get("tool_use_id")): part for part in parts if part.get("type") == "tool_result"}
    last: dict[str, Any] = next((line for line in reversed(lines) if line.get("type") == "result"), {})
    return OwnRecord(
        calls=tuple(_own_call(key, name, results.get(key)) for key, name in names.items()),
        usage=_summed_models(last.get("modelUsage")),
        session=first_value(lines, "session_id"),
        stop=str(last.get("subtype", "")),
    )


def _own_call(key: str, name: str, answer: dict[str, Any] | None) -> OwnCall:
    if answer is None:
        return OwnCall(id=key, name=name)
    text = text_of(answer.get("content"))
    failed = _FAILED.match(text)
    code = int(failed[1]) if failed else 0 if answer.get("is_error") is False else None
    return OwnCall(id=key, name=name, result=text, code=code if name == "Bash" else None)


def _summed_models(models: object) -> Usage:
    """All models together. What Anthropic calls input leaves out what a cache held."""
    if not isinstance(models, dict) or not models:
        return Usage()

    def token_total(*names: str) -> int:
        each = [model.get(name) for model in models.values() if isinstance(model, dict) for name in names]
        return sum(number for number in each if isinstance(number, int))

    return Usage(
        input_tokens=token_total("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"),
        output_tokens=token_total("outputTokens"),
        cached_tokens=token_total("cacheReadInputTokens"),
    )


def _launch_claude_code(start: Start) -> Launch:
    env = {
        "ANTHROPIC_BASE_URL": start.url,
        "CLAUDE_CODE_OAUTH_TOKEN" if start.subscribed else "ANTHROPIC_API_KEY": start.token,
        "CLAUDE_CONFIG_DIR": f"{HOME}/claude",
        "CLAUDE_CODE_TMPDIR": f"{HOME}/temporary",  # an image's /tmp is part of what is left
        "IS_SANDBOX": "1",
        **dict.fromkeys(_QUIET, "1"),
        **({"SHELL": start.shell} if start.shell else {}),  # it runs commands in bash or zsh, and in nothing else
    }
    flags, files = [*(("--effort", start.effort) if start.effort else ())], {}
    if start.servers:
        servers = {
            name: {"type": "http" if each.transport == "streamable-http" else "sse", "url": each.url}
            if each.url
            else {"type": "stdio", "command": each.command[0], "args": each.command[1:], "env": each.env}
            for name, each in start.servers.items()
        }
        files[_SERVERS] = json.dumps({"mcpServers": servers})
        flags += ["--mcp-config", _SERVERS, "--strict-mcp-config"]
    argv = (*start.program, *flags, *start.flags, *_FLAGS, start.model)
    return Launch(argv=argv, env=env, files=files, stdin=start.instruction)


def _guarded(launch: Launch, policy: ToolPolicy) -> Launch:
    hook = {"type": "command", "command": f"python3 {HOOK} || exit 2"}  # a hook that fails otherwise lets all pass
    settings = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}}
    files = {**launch.files, **hook_files(policy), f"{HOME}/claude/settings.json": json.dumps(settings)}
    return replace(launch, files=files)


CLAUDE_CODE = Driver(
    name="claude-code", program="claude", launch=_launch_claude_code, read=read_own_record, guarded=_guarded,
    kept=("claude/projects/*.jsonl", DECISIONS),
    takes=frozenset(("skill", "mcp", "effort", "login")), skills="claude/skills", vendor="anthropic",
    lasting_shell=True,
)  # fmt: skip
