"""Codex, without a person: `codex exec --json`. Its rollout file is complete; its stream only says how it ended."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from honestly._loose import nested_dict
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
from honestly.permissions import Rule, ToolPolicy
from honestly.records import Usage

_FLAGS = ("exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
_HOME = f"{HOME}/codex"
_EXITED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,9})$", re.MULTILINE)


def read_own_record(stdout: bytes, files: Mapping[str, bytes]) -> OwnRecord | None:
    """Read the rollout files; of the stream, the thread's name and the last event of a turn."""
    stream = list(json_lines(stdout))
    rollout = [line for data in files.values() for line in json_lines(data)]
    if not rollout and not stream:
        return None
    names: dict[str, str] = {}
    results: dict[str, str] = {}
    usage = Usage()
    for line in rollout:
        payload = line.get("payload")
        if not isinstance(payload, dict):
            continue
        kind, key = str(payload.get("type")), str(payload.get("call_id"))
        if line.get("type") == "response_item" and kind.endswith("_call") and "call_id" in payload:
            names[key] = str(payload.get("name", kind))
        elif line.get("type") == "response_item" and kind.endswith("_call_output"):
            output = payload.get("output")
            results[key] = text_of(output.get("content") if isinstance(output, dict) else output)
        elif kind == "token_count":
            usage = _codex_usage(payload.get("info")) or usage
    ends = [str(line["type"]) for line in stream if str(line.get("type")).startswith("turn.")]
    return OwnRecord(
        calls=tuple(
            OwnCall(id=key, name=name, result=results.get(key), code=_exit_code(results.get(key, "")))
            for key, name in names.items()
        ),
        usage=usage,
        session=first_value(stream, "thread_id"),
        stop=ends[-1] if ends else "",
    )


def _exit_code(result: str) -> int | None:
    found = _EXITED.search(result[:2000])
    return int(found[1]) if found else None


def _codex_usage(info: object) -> Usage | None:
    total = nested_dict(info, "total_token_usage")
    return (
        counted_usage(total, read="input_tokens", written="output_tokens", cached="cached_input_tokens")
        if total
        else None
    )


def _launch_codex(start: Start) -> Launch:
    config = f"""model = {json.dumps(start.model)}
model_provider = "honestly"

[model_providers.honestly]
name = "honestly"
base_url = "{start.url}/v1"
env_key = "HONESTLY_TOKEN"
wire_api = "responses"
"""
    if start.effort:
        config = f"model_reasoning_effort = {json.dumps(start.effort)}\n{config}"
    for name, each in start.servers.items():
        config += f"\n[mcp_servers.{json.dumps(name)}]\n"
        if each.url:
            config += f"url = {json.dumps(each.url)}\n"
            continue
        config += f"command = {json.dumps(each.command[0])}\n"
        config += f"args = {json.dumps(each.command[1:])}\n"
        config += f"env = {{ {', '.join(f'{json.dumps(k)} = {json.dumps(v)}' for k, v in each.env.items())} }}\n"
    env = {"CODEX_HOME": _HOME, "HONESTLY_TOKEN": start.token}
    files = {f"{_HOME}/config.toml": config}
    return Launch(argv=(*start.program, *_FLAGS, *start.flags, "-"), env=env, files=files, stdin=start.instruction)


def _guarded(launch: Launch, policy: ToolPolicy) -> Launch:
    """The program's own rules know first words of whole commands and nothing else: `git -C . push` gets past them."""
    words = {"deny": "forbidden", "ask": "prompt", "allow": "allow"}
    lines = [
        f"prefix_rule(pattern={json.dumps(_first_words(rule))}, decision={json.dumps(words[rule.word])})\n"
        for rule in policy.rules
        if _takes_rule(rule)
    ]
    return replace(launch, files={**launch.files, f"{_HOME}/rules/honestly.rules": "".join(lines)})


def _first_words(rule: Rule) -> list[str]:
    return rule.pattern.removesuffix(":*").removesuffix(" *").split()


def _takes_rule(rule: Rule) -> bool:
    return rule.tool == "bash" and bool(_first_words(rule)) and not any("*" in word for word in _first_words(rule))


CODEX = Driver(
    name="codex", program="codex", launch=_launch_codex, read=read_own_record, kept=("codex/sessions/*.jsonl",),
    guarded=_guarded, takes_rule=_takes_rule,
    takes=frozenset(("skill", "mcp", "effort", "login")), skills="codex/skills", vendor="openai",
)  # fmt: skip
