"""Messages as JSON, and the digest by which a request is known again.

A request is what decides the answer: the messages' words, images, calls and which call each answers, the tools, and the
settings that are sent. What came along with earlier answers (usage, thoughts, what a provider wants back) is not part
of it. Half a character, which JSON in UTF-8 cannot hold, becomes a question mark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import msgspec

from honestly.models._api import Message, Settings, ToolSpec
from honestly.records import digest

_ROOT = ""


def message_json(message: Message) -> bytes:
    """A message as JSON, with everything that is known of it."""
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:
        return msgspec.json.encode(plain_data(message))


def read_message(data: bytes) -> Message:
    """The message that this JSON holds.

    Raises:
        msgspec.DecodeError: It holds no message.
    """
    return msgspec.json.decode(data, type=Message)


def plain_data(value: object) -> Any:  # noqa: ANN401 - plain data
    """Plain data of a message or a part of one, in which all text is Unicode."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {plain_data(key): plain_data(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(each) for each in value]
    if isinstance(value, bytes | int | float | None):
        return value
    return plain_data(msgspec.to_builtins(value, builtin_types=(bytes,)))


def chain_digest(after: str, message: Message) -> str:
    """Digest of a conversation: of all before its last message, and of that."""
    calls = [[call.id, call.name, call.arguments] for call in message.calls]
    images = [[image.media_type, image.data] for image in message.images]
    parts = (after, message.role, message.text, calls, message.call_id, images)
    try:
        return digest(*parts)
    except UnicodeEncodeError:
        return digest(*plain_data(parts))


def tools_digest(tools: Sequence[ToolSpec]) -> str:
    """Digest of what a model is told of tools."""
    return digest(*[plain_data([tool.name, tool.doc, dict(tool.schema)]) for tool in tools])


def settings_json(settings: Settings) -> dict[str, Any]:
    """The settings that are sent and that were given, by name."""
    found = {field.name: getattr(settings, field.name) for field in fields(settings) if field.name != "timeout_s"}
    return {name: plain_data(value) for name, value in found.items() if value not in (None, ()) and value is not False}


def request_digest(messages: Sequence[Message], tools: Sequence[ToolSpec], settings: Settings) -> str:
    """Digest of a whole request."""
    at = _ROOT
    for message in messages:
        at = chain_digest(at, message)
    return digest(at, tools_digest(tools), settings_json(settings))
