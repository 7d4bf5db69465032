"""mini-swe-agent's own record: the trajectory that it saves after every step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from honestly.agents.external.transcripts._transcript import OwnCall, OwnRecord, added, counted, json_object, text_of

__all__ = ["SAVED", "read"]

SAVED = "mini/trajectory.json"
"""Where it lies below the program's home."""

Object = dict[str, Any]


def read(_stdout: bytes, files: Mapping[str, bytes]) -> OwnRecord | None:
    """The trajectory."""
    saved = json_object(files.get(SAVED, b""))
    if saved is None or not isinstance(saved.get("messages"), list):
        return None
    messages = [message for message in saved["messages"] if isinstance(message, dict)]
    answers = {str(message.get("tool_call_id")): message for message in messages if message.get("role") == "tool"}
    made = [message.get("tool_calls") for message in messages]
    calls = [call for each in made if isinstance(each, list) for call in each if isinstance(call, dict)]
    replies = [message for message in messages if message.get("role") == "assistant"]
    usages = [_inside(message, "extra", "response", "usage") for message in replies]
    return OwnRecord(
        calls=tuple(_call(call, answers.get(str(call.get("id")))) for call in calls),
        usage=added([counted(used, read="prompt_tokens", written="completion_tokens") for used in usages]),
        stop=str(_inside(saved, "info").get("exit_status", "")),
    )


def _call(call: Object, answer: Object | None) -> OwnCall:
    code = _inside(answer or {}, "extra").get("returncode")
    return OwnCall(
        id=str(call.get("id")),
        name=str(_inside(call, "function").get("name", "")),
        result=text_of(answer.get("content")) if answer else None,
        code=code if isinstance(code, int) else None,
    )


def _inside(found: Object, *keys: str) -> Object:
    """The object that lies below these keys; an empty one where there is none."""
    for key in keys:
        inner = found.get(key)
        found = inner if isinstance(inner, dict) else {}
    return found
