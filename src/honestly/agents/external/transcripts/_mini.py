"""mini-swe-agent's own record: the trajectory that it saves after every step."""

from collections.abc import Mapping
from typing import Any

from honestly._loose import inside, objects_of
from honestly.agents.external.transcripts._transcript import OwnCall, OwnRecord, added, counted, json_object, text_of

SAVED = "mini/trajectory.json"
"""Where it lies below the program's home."""

Object = dict[str, Any]


def read(_stdout: bytes, files: Mapping[str, bytes]) -> OwnRecord | None:
    """The trajectory."""
    saved = json_object(files.get(SAVED, b""))
    if saved is None or not isinstance(saved.get("messages"), list):
        return None
    messages = objects_of(saved["messages"])
    answers = {str(message.get("tool_call_id")): message for message in messages if message.get("role") == "tool"}
    calls = [call for message in messages for call in objects_of(message.get("tool_calls"))]
    replies = [message for message in messages if message.get("role") == "assistant"]
    usages = [inside(message, "extra", "response", "usage") for message in replies]
    return OwnRecord(
        calls=tuple(_call(call, answers.get(str(call.get("id")))) for call in calls),
        usage=added([counted(used, read="prompt_tokens", written="completion_tokens") for used in usages]),
        stop=str(inside(saved, "info").get("exit_status", "")),
    )


def _call(call: Object, answer: Object | None) -> OwnCall:
    code = inside(answer, "extra").get("returncode")
    return OwnCall(
        id=str(call.get("id")),
        name=str(inside(call, "function").get("name", "")),
        result=text_of(answer.get("content")) if answer else None,
        code=code if isinstance(code, int) else None,
    )
