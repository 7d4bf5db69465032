"""Messages of a chat, as most APIs have them (`role`, `content`, `tool_calls`), as steps.

Calls and their results may be blocks of a content, as Anthropic has them.

An answer of a tool belongs to the step whose call it names, and else to the last step of the agent. Contents may be
text or blocks; of blocks the text counts, and pictures that are kept inline.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from honestly._loose import items_of, nested_dict, objects_of, word_of
from honestly.errors import FormatError
from honestly.formats._files import parse_json
from honestly.formats._imported import storable_text, time_said, without_none
from honestly.records import Observation, Picture, Step, ToolCall

_DATA = re.compile(r"data:(image/[a-z+.-]{1,20});base64,", re.IGNORECASE)
# Bytes of a picture that is kept inline.
_LARGEST_PICTURE = 32 << 20
# What the agent, and what came back from a tool, are called in chats of various programs.
_AGENT = {"assistant", "ai", "model", "agent", "gpt"}
_TOOL = {"tool", "function", "environment", "toolresult"}
# Blocks of a content that call a tool, and that have its result; how they name the call.
_CALLS, _RESULTS = {"tool_use", "server_tool_use", "tool_call", "toolCall"}, {"tool_result", "tool_output"}
_NAMES = ("tool_use_id", "tool_call_id", "toolCallId", "id")
_SHELLS = {"Bash", "PowerShell", "bash", "run_command"}
_STATUS = re.compile(
    r"\A(?:Error: )?Exit code (\d{1,3})\b|\n\s*Command exited with code (\d{1,3})\s*\Z"
    r"|\A[\s\S]{0,200}?The command failed with exit code: (\d{1,3})\b"
)


class Draft:
    """Steps as they are found: what somebody said, what the agent did, and what came back from it."""

    def __init__(self) -> None:
        self._steps: list[tuple[dict[str, Any], list[Observation]]] = []
        # The step of each call.
        self._asked: dict[str, int] = {}

    def add_prompt(self, source: str, text: str, **more: Any) -> None:  # noqa: ANN401 - fields of a step
        """A message of the user or the system."""
        self._steps.append(({"source": source, "message": text, **without_none(more)}, []))

    def add_answer(self, text: str, calls: Iterable[ToolCall] = (), **more: Any) -> int:  # noqa: ANN401 - fields of a step
        """An answer of the agent's model, with the tools that it calls; returns its place among the steps."""
        made = {call.id: call for call in calls}
        self._asked |= dict.fromkeys(made, len(self._steps))
        said = {"source": "agent", "message": text, "calls": tuple(made.values()), **without_none(more)}
        self._steps.append((said, []))
        return len(self._steps) - 1

    def extend_answer(
        self,
        at: int,
        text: str = "",
        calls: Iterable[ToolCall] = (),
        reasoning: str = "",
        **more: Any,  # noqa: ANN401 - fields of a step
    ) -> None:
        """Adds to the answer at a place, which the source has in pieces."""
        said, _ = self._steps[at]
        made = {call.id: call for call in (*said["calls"], *calls)}
        self._asked |= dict.fromkeys(made, at)
        said |= {"calls": tuple(made.values()), **without_none(more)}
        for name, piece in (("message", text), ("reasoning", reasoning)):
            if piece:
                said[name] = "\n".join(filter(None, (said.get(name, ""), piece)))

    def add_observation(
        self, text: str, call_id: str = "", code: int | None = None, images: tuple[Picture, ...] = ()
    ) -> None:
        """Adds the result of a call; without its name from the first of the last step that was not answered."""
        at = self._asked.get(call_id)
        named = call_id if at is not None else None
        if at is None:
            at = next((n for n in reversed(range(len(self._steps))) if self._steps[n][0]["source"] == "agent"), None)
            if at is None:
                self.add_prompt("user", text, images=images)
                return
            said, came = self._steps[at]
            answered = {each.call_id for each in came}
            if not call_id:
                named = next((call.id for call in said["calls"] if call.id not in answered), None)
        self._steps[at][1].append(Observation(text=text, call_id=named, code=code, images=images))

    def tool_of(self, call_id: str) -> str:
        """The name of the tool that a call was of; empty for an unknown call."""
        at = self._asked.get(call_id)
        calls = self._steps[at][0]["calls"] if at is not None else ()
        return next((call.name for call in calls if call.id == call_id), "")

    def steps(self) -> tuple[Step, ...]:
        """All of them, in order."""
        return tuple(Step(**said, observations=tuple(came)) for said, came in self._steps)


def chat_steps(messages: Iterable[Mapping[str, object]]) -> tuple[Step, ...]:
    """The steps of a chat; a message of no known role is the user's, a helper's has its name after `assistant-`."""
    draft = Draft()
    for message in messages:
        around, content = nested_dict(message, "_metadata"), message.get("content")
        role, _, helper = str(message.get("role") or "").lower().partition("-")
        role = str(around.get("original_role") or role) if helper else role
        results = [block for block in objects_of(content) if _kind_of(block) in _RESULTS]
        said = [block for block in items_of(content) if _kind_of(block) not in _RESULTS] if results else content
        text, images = text_of(said), () if isinstance(content, str) else pictures_of(said)
        more: dict[str, Any] = {"thread": helper, "at": time_said(message.get("timestamp", around.get("timestamp")))}
        if role in _AGENT and (not results or said):
            draft.add_answer(text, calls_of(message), reasoning=reasoning_of(message), images=images, **more)
        elif role in _TOOL and not results:
            results = [{**message, "content": content}]
        elif text or images or not results:
            draft.add_prompt("system" if role in {"system", "developer"} else "user", text, images=images, **more)
        for each in results:
            name = storable_text(_name_of({**message, **each}, _NAMES[:-1]) or "")
            found = each.get("content", each.get("text"))
            came = text_of(found)
            status = status_said(draft.tool_of(name), came, each.get("is_error", message.get("isError")))
            draft.add_observation(came, name, status, pictures_of(found))
    return draft.steps()


def status_said(tool: str, text: str, failed: object) -> int | None:
    """How a command ended, of a program that says it of those that failed; None of what was no command."""
    if tool not in _SHELLS or not isinstance(failed, bool):
        return None
    code = _STATUS.search(text)
    return int(next(filter(None, code.groups()))) if code else int(failed)


def _name_of(said: Mapping[str, object], keys: tuple[str, ...] = _NAMES) -> object:
    """The name of the call of a block or message that asks or answers."""
    return next((said[key] for key in keys if said.get(key)), None)


def _kind_of(block: object) -> str:
    return word_of(nested_dict(block).get("type"))


def text_of(content: object) -> str:
    """The text of a content, which may come in blocks."""
    if isinstance(content, str):
        return storable_text(content)
    if isinstance(content, list):
        parts = [
            each if isinstance(each, str) else nested_dict(each).get("text")
            for each in content
            if _kind_of(each) != "reasoning"
        ]
        return storable_text("\n".join(part for part in parts if isinstance(part, str)))
    return ""


def reasoning_of(message: Mapping[str, object]) -> str:
    """A model's reasoning, beside its answer or in a block of it."""
    found = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(found, str):
        return storable_text(found)
    if isinstance(message.get("content"), str):
        return ""
    blocks = objects_of(message.get("content"))
    parts = [
        block.get("thinking") or block.get("reasoning") or (_kind_of(block) == "reasoning" and block.get("text"))
        for block in blocks
    ]
    return storable_text("\n".join(part for part in parts if isinstance(part, str)))


def pictures_of(content: object) -> tuple[Picture, ...]:
    """Pictures that a content keeps inline; of others the place."""
    if not isinstance(content, list):
        return ()
    return tuple(picture for block in objects_of(content) if (picture := picture_of(block)) is not None)


def picture_of(block: Mapping[str, object]) -> Picture | None:
    """The picture of a block; None where it holds none."""
    source = nested_dict(block, "source")
    found = block.get("image") or nested_dict(block, "image_url").get("url") or block.get("image_url")
    if isinstance(source.get("data"), str):
        found = f"data:{source.get('media_type') or 'image/png'};base64,{source['data']}"
    if not isinstance(found, str):
        return None
    inline = _DATA.match(found)
    if not inline:
        return Picture(path=storable_text(found[:1000]))
    try:
        data = base64.b64decode(found[inline.end() :][: _LARGEST_PICTURE * 4 // 3], validate=True)
    except (binascii.Error, ValueError):
        return Picture(path="unreadable")
    return Picture(media_type=inline[1].lower(), data=data)


def calls_of(message: Mapping[str, object]) -> tuple[ToolCall, ...]:
    """The tools that an answer calls, each with an id of its own."""
    older = nested_dict(message, "function_call")
    blocks = [block for block in objects_of(message.get("content")) if _kind_of(block) in _CALLS]
    asked = objects_of(message.get("tool_calls")) or ([older] if older else blocks)
    made: dict[str, ToolCall] = {}
    for number, call in enumerate(asked, 1):
        function = nested_dict(call, "function") or call
        name = function.get("name") or call.get("function")
        call_id = storable_text(_name_of(call) or f"call-{number}")
        while call_id in made:
            call_id += "-again"
        made[call_id] = tool_call(call_id, name, function.get("arguments", function.get("input")))
    return tuple(made.values())


def tool_call(call_id: str, name: object, arguments: object) -> ToolCall:
    """A call with arguments that are an object, a text of JSON, or anything else."""
    if isinstance(arguments, str):
        try:
            found = parse_json(arguments.encode("utf-8", "replace"))
        except FormatError:
            found = None
        arguments = found if isinstance(found, dict) else {"input": arguments}
    elif not isinstance(arguments, dict):
        arguments = {} if arguments is None else {"input": arguments}
    raw = {storable_text(key): raw_json(value) for key, value in arguments.items()}
    return ToolCall(id=call_id, name=storable_text(name or "tool"), arguments=raw)


def raw_json(value: object) -> msgspec.Raw:
    """Any value as JSON that can be stored: numbers that are none become text."""
    try:
        return msgspec.Raw(json.dumps(value, allow_nan=False).encode())
    except (ValueError, TypeError, RecursionError):
        return msgspec.Raw(json.dumps(storable_text(value)).encode())
