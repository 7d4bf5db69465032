"""Messages of a chat, as most APIs have them (`role`, `content`, `tool_calls`), as steps.

An answer of a tool belongs to the step whose call it names, and else to the last step of the agent. Contents may be
text or blocks; of blocks the text counts, and pictures that are kept inline.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from honestly._loose import inside, objects_of
from honestly.errors import FormatError
from honestly.formats._files import parse_json
from honestly.formats._imported import storable
from honestly.records import Observation, Picture, Step, ToolCall

_DATA = re.compile(r"data:(image/[a-z+.-]{1,20});base64,", re.IGNORECASE)
_LARGEST_PICTURE = 32 << 20
_AGENT = {"assistant", "ai", "model", "agent", "gpt"}
_TOOL = {"tool", "function", "environment"}


@dataclass
class _Draft:
    """A step of the agent as it grows."""

    message: str
    reasoning: str
    calls: tuple[ToolCall, ...]
    images: tuple[Picture, ...]
    seen: list[Observation] = field(default_factory=list)


def chat_steps(messages: Iterable[Mapping[str, object]]) -> tuple[Step, ...]:
    """The steps of a chat; a message of no known role is the user's."""
    steps: list[Step | _Draft] = []
    for message in messages:
        role = str(message.get("role") or "").lower()
        text, images = text_of(message.get("content")), pictures_of(message.get("content"))
        if role in _AGENT:
            steps.append(_Draft(text, reasoning_of(message), calls_of(message), images))
        elif role in _TOOL:
            _answer(steps, message, text, images)
        else:
            steps.append(
                Step(source="system" if role in {"system", "developer"} else "user", message=text, images=images)
            )
    return tuple(each if isinstance(each, Step) else _finished(each) for each in steps)


def _finished(draft: _Draft) -> Step:
    return Step(
        source="agent",
        message=draft.message,
        reasoning=draft.reasoning,
        calls=draft.calls,
        observations=tuple(draft.seen),
        images=draft.images,
    )


def _answer(steps: list[Step | _Draft], message: Mapping[str, object], text: str, images: tuple[Picture, ...]) -> None:
    named = storable(message.get("tool_call_id") or "")
    drafts = [each for each in reversed(steps) if isinstance(each, _Draft)]
    asked = next((each for each in drafts if any(call.id == named for call in each.calls)), None)
    if asked is not None:
        asked.seen.append(Observation(text=text, call_id=named, images=images))
    elif drafts:
        answered = {seen.call_id for seen in drafts[0].seen}
        open_call = next((call.id for call in drafts[0].calls if call.id not in answered), None)
        drafts[0].seen.append(Observation(text=text, call_id=None if named else open_call, images=images))
    else:
        steps.append(Step(source="user", message=text, images=images))


def text_of(content: object) -> str:
    """The text of a content, which may come in blocks."""
    if isinstance(content, str):
        return storable(content)
    if isinstance(content, list):
        parts = [each if isinstance(each, str) else inside(each).get("text") for each in content]
        return storable("\n".join(part for part in parts if isinstance(part, str)))
    return ""


def reasoning_of(message: Mapping[str, object]) -> str:
    """What a model thought, beside its answer or in a block of it."""
    found = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(found, str):
        return storable(found)
    blocks = objects_of(message.get("content"))
    parts = [block.get("thinking") or block.get("reasoning") for block in blocks]
    return storable("\n".join(part for part in parts if isinstance(part, str)))


def pictures_of(content: object) -> tuple[Picture, ...]:
    """Pictures that a content keeps inline; of others the place."""
    return tuple(picture for block in objects_of(content) if (picture := picture_of(block)) is not None)


def picture_of(block: Mapping[str, object]) -> Picture | None:
    """The picture of a block; None where it holds none."""
    source = inside(block, "source")
    found = block.get("image") or inside(block, "image_url").get("url") or block.get("image_url")
    if isinstance(source.get("data"), str):
        found = f"data:{source.get('media_type') or 'image/png'};base64,{source['data']}"
    if not isinstance(found, str):
        return None
    inline = _DATA.match(found)
    if not inline:
        return Picture(path=storable(found[:1000]))
    try:
        data = base64.b64decode(found[inline.end() :][: _LARGEST_PICTURE * 4 // 3], validate=True)
    except (binascii.Error, ValueError):
        return Picture(path="unreadable")
    return Picture(media_type=inline[1].lower(), data=data)


def calls_of(message: Mapping[str, object]) -> tuple[ToolCall, ...]:
    """The tools that an answer calls, each with an id of its own."""
    asked = objects_of(message.get("tool_calls"))
    if not asked and inside(message, "function_call"):
        asked = [inside(message, "function_call")]
    made: dict[str, ToolCall] = {}
    for number, call in enumerate(asked, 1):
        function = inside(call, "function") or call
        name = function.get("name") or call.get("function")
        call_id = storable(call.get("id") or call.get("tool_call_id") or f"call-{number}")
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
    raw = {storable(key): raw_json(value) for key, value in arguments.items()}
    return ToolCall(id=call_id, name=storable(name or "tool"), arguments=raw)


def raw_json(value: object) -> msgspec.Raw:
    """Any value as JSON that can be stored: numbers that are none become text."""
    try:
        return msgspec.Raw(json.dumps(value, allow_nan=False).encode())
    except (ValueError, TypeError, RecursionError):
        return msgspec.Raw(json.dumps(storable(value)).encode())
