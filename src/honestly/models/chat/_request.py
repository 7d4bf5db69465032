"""A conversation as the body of an OpenAI chat completion request.

Three things cannot be said as they are. A tool's images follow in a user's message after the tools' answers, since a
tool's message holds text only. Arguments that are not a JSON object are sent as one that holds their text: servers
parse what they are sent, and refuse the whole conversation otherwise. What a model thought goes back only where the
server gave it by a name of its own (`Message.opaque`).

Source: the OpenAI API reference, "Create chat completion"; vLLM's and llama.cpp's documentation of their servers.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from honestly.models._api import Call, Image, Message, Settings, ToolSpec
from honestly.models.chat._http import loads


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages of the request's body."""
    body: list[dict[str, Any]] = []
    waiting: list[Image] = []
    for message in messages:
        if waiting and message.role != "tool":
            body.append(_shown(waiting))
            waiting = []
        body.append(_message(message))
        if message.role == "tool":
            waiting += message.images
    if waiting:
        body.append(_shown(waiting))
    return body


def chat_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The tools of the request's body."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.doc, "parameters": dict(tool.schema) or _NO_ARGUMENTS},
        }
        for tool in tools
    ]


def chat_settings(settings: Settings) -> dict[str, Any]:
    """The settings under the names that chat servers know."""
    named = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens,
        "stop": list(settings.stop) or None,
        "reasoning_effort": settings.effort,
        "logprobs": settings.logprobs or None,
        "response_format": _format(settings.schema),
    }
    return {name: value for name, value in named.items() if value is not None}


def object_text(arguments: str) -> str:
    """Arguments as the JSON of an object, whatever the model wrote."""
    if not arguments.strip():
        return "{}"
    try:
        if isinstance(loads(arguments), dict):
            return arguments
    except ValueError:
        pass
    return json.dumps({"malformed": arguments})


def _format(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": True}}


_NO_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}


def _message(message: Message) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.role == "tool":
        body["tool_call_id"] = message.call_id or ""
    elif message.role == "assistant":
        extra = _opaque(message)
        if message.calls:
            body["tool_calls"] = [_call(call, extra) for call in message.calls]
        body |= {key: extra[key] for key in ("reasoning_content", "reasoning", "reasoning_details") if key in extra}
    elif message.images:
        text = [{"type": "text", "text": message.text}] if message.text else []
        body["content"] = text + [_image(image) for image in message.images]
    return body


def _call(call: Call, extra: Mapping[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {"id": call.id, "type": "function"}
    body["function"] = {"name": call.name, "arguments": object_text(call.arguments)}
    signed = extra.get("calls")
    if isinstance(signed, dict) and call.id in signed:
        body["extra_content"] = signed[call.id]
    return body


def _opaque(message: Message) -> dict[str, Any]:
    """What a chat server gave with the message; nothing where another client made it."""
    try:
        found = loads(message.opaque or b"{}")
    except ValueError:
        return {}
    chat = found.get("chat") if isinstance(found, dict) else None
    return chat if isinstance(chat, dict) else {}


def _shown(images: Sequence[Image]) -> dict[str, Any]:
    text = {"type": "text", "text": "The pictures that the tools returned:"}
    return {"role": "user", "content": [text, *map(_image, images)]}


def _image(image: Image) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}}
