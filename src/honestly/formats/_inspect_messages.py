"""Messages as Inspect and Scout keep them: what was put aside in other people's, and our own, there and back.

A step is written in Inspect's words and read back from them at once; what they cannot say of it stands beside them in
the message's `metadata.honestly`, and wins when the file is read. So what we wrote comes back exactly.
"""

import base64
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from honestly._loose import count_of, items_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._chat import picture_of
from honestly.formats.atif._shape import restored_extra, with_rest
from honestly.records import (
    Agent,
    Observation,
    Outcome,
    Picture,
    Record,
    Step,
    Task,
    ToolCall,
    Trajectory,
    Trial,
    decode,
)

KEY = "honestly"
_ROLES = {"agent": "assistant", "user": "user", "system": "system"}
# Characters from which on Inspect puts a text of an event among the attachments.
_LONG = 100
_TEXTS = ("text", "reasoning", "image")


class Own(Record, frozen=True, kw_only=True):
    """The content of our own samples' metadata: the trial, and of the rest what Inspect has no words for."""

    trial: Trial
    task: Task
    """Without its files and checks; the instruction is the sample's input."""
    trajectory: Trajectory | None = None
    """Without its steps."""
    agent: Agent | None = None
    """Who acted, where no header says it."""


def own_of(trial: Trial, task: Task, trajectory: Trajectory | None, agent: Agent | None = None) -> Own:
    """The record of a trial beside Inspect's words; with the agent, as no header has it, also what the task asks."""
    asked = task.instruction if agent else ""
    told = Task(id=task.id, version=task.version, instruction=asked, tags=task.tags, timeout_s=task.timeout_s)
    return Own(trial=trial, task=told, trajectory=trajectory and replace(trajectory, steps=()), agent=agent)


def share_said(trial: Trial) -> float | None:
    """The score that we write for a trial, as a share of 1: none for void, which nobody could judge."""
    if trial.outcome is Outcome.VOID:
        return None
    return 1.0 if trial.outcome is Outcome.PASSED else trial.score or 0.0


class Call(msgspec.Struct):
    """A call of a tool."""

    id: str
    function: str
    arguments: dict[str, msgspec.Raw]


class Part(msgspec.Struct, omit_defaults=True):
    """A part of a content."""

    type: str
    text: str = ""
    reasoning: str = ""
    image: str = ""


class Message(msgspec.Struct, omit_defaults=True, kw_only=True):
    """A message."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | list[Part]
    id: str | None = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None
    function: str | None = None
    model: str | None = None
    metadata: dict[str, msgspec.Raw] | None = None


class _Metadata(msgspec.Struct):
    honestly: Own


class _OwnSample(msgspec.Struct):
    metadata: _Metadata
    messages: list[Message]


def own_agent(metadata: Mapping[str, object]) -> Agent | None:
    """Who acted in a log that we wrote; None for somebody else's."""
    try:
        return msgspec.convert(nested_dict(metadata, KEY).get("agent"), Agent)
    except (msgspec.ValidationError, RecursionError):
        return None


def own_sample(data: bytes) -> Own | None:
    """The trial as we wrote it, with all its steps; None for a sample that is not ours, or was damaged since."""
    try:
        found = msgspec.json.decode(data, type=_OwnSample)
        return _with_steps(found.metadata.honestly, found.messages)
    except (msgspec.DecodeError, FormatError, UnicodeDecodeError, RecursionError):
        return None


def own_row(messages: object, own: object) -> Own | None:
    """The same of a transcript, from its messages and its column `honestly`."""
    if not (isinstance(messages, str) and isinstance(own, str)):
        return None
    try:
        return _with_steps(decode(own, Own), msgspec.json.decode(messages, type=list[Message]))
    except (msgspec.DecodeError, FormatError, UnicodeError, RecursionError):
        return None


def _with_steps(own: Own, messages: Iterable[Message]) -> Own:
    """The same with the steps of its trajectory.

    Raises:
        FormatError: what stands beside a message does not fit its step.
    """
    return replace(own, trajectory=own.trajectory and replace(own.trajectory, steps=steps_of(messages)))


def messages_of(step: Step, name: str) -> list[Message]:
    """The message of a step, and those of its observations; their ids begin with a name that no other step has."""
    agent, names = step.source == "agent", {call.id: call.name for call in step.calls}
    said = Message(
        role=_ROLES[step.source],  # type: ignore[arg-type]
        id=name,
        content=_message_content(step.message, step.reasoning if agent else "", step.images),
        tool_calls=[Call(call.id, call.name, call.arguments) for call in step.calls] or None if agent else None,
        model=(step.model or None) if agent else None,
    )
    said.metadata = with_rest(step, replace(_message_step(said), observations=step.observations))
    found = [said]
    for number, seen in enumerate(step.observations):
        message = Message(
            role="tool",
            id=f"{name}.{number}",
            content=_message_content(seen.text, "", seen.images),
            tool_call_id=seen.call_id,
            function=names.get(seen.call_id or "") or None,
        )
        message.metadata = with_rest(seen, _tool_observation(message))
        found.append(message)
    return found


def steps_of(messages: Iterable[Message]) -> tuple[Step, ...]:
    """The steps of messages that we wrote.

    Raises:
        FormatError: what stands beside a message does not fit its step.
    """
    steps: list[tuple[Step, list[Observation]]] = []
    for message in messages:
        if message.role == "tool" and steps:
            steps[-1][1].append(restored_extra(_tool_observation(message), message.metadata))
        else:
            steps.append((restored_extra(_message_step(message), message.metadata), []))
    return tuple(replace(step, observations=tuple(seen)) for step, seen in steps)


def _message_step(message: Message) -> Step:
    calls = (ToolCall(id=each.id, name=each.function, arguments=each.arguments) for each in message.tool_calls or ())
    return Step(
        source="agent" if message.role == "assistant" else "system" if message.role == "system" else "user",
        message=_message_text(message),
        reasoning="".join(part.reasoning for part in _content_parts(message)),
        calls=tuple(calls),
        model=message.model or "",
        images=_message_pictures(message),
    )


def _tool_observation(message: Message) -> Observation:
    return Observation(text=_message_text(message), call_id=message.tool_call_id, images=_message_pictures(message))


def _content_parts(message: Message) -> list[Part]:
    return message.content if isinstance(message.content, list) else []


def _message_text(message: Message) -> str:
    return message.content if isinstance(message.content, str) else "".join(part.text for part in message.content)


def _message_pictures(message: Message) -> tuple[Picture, ...]:
    found = (picture_of({"image": part.image}) for part in _content_parts(message) if part.image)
    return tuple(picture for picture in found if picture is not None)


def _message_content(text: str, reasoning: str, images: Iterable[Picture]) -> str | list[Part]:
    parts = [Part("reasoning", reasoning=reasoning)] if reasoning else []
    parts += [Part("text", text=text)] if text else []
    for image in images:
        if image.data and image.media_type.startswith("image/"):
            data = base64.b64encode(image.data).decode()
            parts.append(Part("image", image=f"data:{image.media_type};base64,{data}"))
    return text if [part.type for part in parts] in (["text"], []) else parts


def put_aside(content: str | list[Part], aside: dict[str, str]) -> str | list[Part]:
    """A content for events, whose longer texts stand in the sample's attachments by their hash, as Inspect has them."""
    if isinstance(content, list):
        return [replace(part, **{name: put_aside(getattr(part, name), aside) for name in _TEXTS}) for part in content]
    if len(content) <= _LONG:
        return content
    name = blake2b(content.encode(), digest_size=16).hexdigest()
    aside[name] = content
    return f"attachment://{name}"


def with_attachments(messages: list[dict[str, Any]], attachments: Mapping[str, object]) -> list[dict[str, Any]]:
    """Messages with what was put aside in their texts and pictures."""
    if not attachments:
        return messages
    found = []
    for message in messages:
        content = message.get("content")
        aside = not isinstance(content, str) or content.startswith("attachment://")
        found.append(message | {"content": _resolved_content(content, attachments)} if aside else message)
    return found


def _resolved_content(content: object, attachments: Mapping[str, object]) -> object:
    if isinstance(content, str):
        mark, _, name = content.partition("attachment://")
        return attachments.get(name, content) if not mark else content
    if isinstance(content, list):
        return [_resolved_content(each, attachments) for each in content]
    if isinstance(content, dict):
        return {key: _resolved_content(value, attachments) for key, value in content.items()}
    return content


def last_exchange(events: object, events_data: object, attachments: object) -> list[dict[str, Any]]:
    """The conversation of a sample that has events alone: the last question to the model, and its answer."""
    pool = items_of(nested_dict(events_data).get("messages"))
    for event in reversed(objects_of(events)):
        if event.get("event") != "model":
            continue
        asked = objects_of(event.get("input"))
        for each in items_of(event.get("input_refs")):
            if isinstance(each, list) and len(each) == 2 and all(count_of(end) is not None for end in each):
                asked += objects_of(pool[slice(*each)])
        choices = objects_of(nested_dict(event, "output").get("choices"))
        asked += [nested_dict(choices[0], "message")] if choices else []
        return with_attachments(asked, nested_dict(attachments))
    return []
