"""Anthropic's messages, as a server hears and says them.

A user's turn there holds the results of tools and text together; here each result is a message of its own, in the same
order. Tokens that come from a cache or go into one are counted beside the others there, and as a part of them here.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from honestly._loose import count_of, nested_dict, objects_of
from honestly.errors import FormatError, ModelError
from honestly.models._api import Call, Message, Settings, ToolSpec
from honestly.models.chat._http import printable_line
from honestly.models.chat._sse import Event
from honestly.models.dialects._dialect import (
    Dialect,
    Object,
    ParsedRequest,
    ReplyIdentity,
    arguments_of,
    event_data,
    object_of,
    sse_frame,
    text_pieces,
    token_count,
)
from honestly.models.dialects._read import Content, Reading, data_image, dialect_parser
from honestly.records import Usage

_SIGNATURE = "aG9uZXN0bHk="  # a constant, since clients drop a thought without a signature
_STOPS = {
    "end_turn": "end",
    "stop_sequence": "end",
    "pause_turn": "end",
    "tool_use": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_REASONS = {"end": "end_turn", "calls": "tool_use", "length": "max_tokens", "refusal": "refusal", "filter": "refusal"}
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def _asked_messages(top: Reading) -> ParsedRequest:
    if not top.items("messages"):
        raise FormatError("messages is empty; expected at least one message")
    top.pass_usual("tool_choice", {"type": "auto"})
    with top.object_reading("output_config") as output:
        effort = output.text("effort") or None
    system, _ = top.content("system", _block_content)
    messages = [Message(role="system", text=system)] if system else []
    for found in top.object_readings("messages"):
        messages += _read_messages(found)
    return ParsedRequest(
        model=top.text("model"),
        messages=tuple(messages),
        tools=tuple(tool for found in top.object_readings("tools") if (tool := _tool_spec(found))),
        settings=Settings(
            temperature=top.number("temperature"),
            top_p=top.number("top_p"),
            max_tokens=top.count("max_tokens"),
            stop=top.texts_field("stop_sequences"),
            effort=effort,
        ),
        stream=top.flag_field("stream"),
    )


def _read_messages(found: Reading) -> list[Message]:
    with found:
        role = found.text("role")
        if role == "assistant":
            return [_assistant_message(found)]
        if role not in {"user", "system"}:
            raise FormatError(f"{found.path('role')} is {role[:40]!r}; expected user, assistant or system")
        content = found.take_field("content")
        if isinstance(content, str):
            return [Message(role=role, text=content)]  # type: ignore[arg-type]
        said: list[Message] = []
        for block in found.object_readings("content"):
            with block:
                if block.text("type") == "tool_result":
                    text, images = block.content("content", _block_content)
                    block.pass_usual("is_error", False)
                    said.append(Message(role="tool", text=text, images=images, call_id=block.text("tool_use_id")))
                else:
                    text, images = _block_content(block)
                    said.append(Message(role=role, text=text, images=images))  # type: ignore[arg-type]
        # Join neighbours of one role, but for the results of tools.
        joined: list[Message] = []
        for message in said:
            last = joined[-1] if joined else None
            if last and message.role == last.role != "tool":
                text = "\n".join(filter(None, (last.text, message.text)))
                joined[-1] = dataclasses.replace(last, text=text, images=last.images + message.images)
            else:
                joined.append(message)
        return joined


def _assistant_message(found: Reading) -> Message:
    content = found.take_field("content")
    if isinstance(content, str):
        return Message(role="assistant", text=content)
    text, thinking, calls = "", "", []
    for block in found.object_readings("content"):
        with block:
            kind = block.text("type")
            if kind == "thinking":
                thinking += block.text("thinking")
                block.pass_usual("signature", _SIGNATURE)
            elif kind == "tool_use":
                calls.append(Call(block.text("id"), block.text("name"), arguments_of(block.take_field("input"))))
            else:
                text += _block_content(block)[0]
    return Message(role="assistant", text=text, thinking=thinking, calls=tuple(calls))


def _block_content(block: Reading) -> Content:
    kind = block.text("type")
    if kind == "text":
        return block.text("text"), ()
    if kind == "image":
        with block.object_reading("source") as source:
            source.take_field("type")
            if image := data_image(source.take_field("media_type"), source.take_field("data")):
                return "", (image,)
    block.note_unknown(kind)
    return "", ()


def _tool_spec(found: Reading) -> ToolSpec | None:
    with found:
        schema = found.take_field("input_schema")
        kind = found.text("type") or "custom"
        if kind != "custom" or not isinstance(schema, dict):
            found.note_unknown(kind)
            return None
        return ToolSpec(name=found.text("name"), doc=found.text("description"), schema=schema)


def _message_blocks(message: Message) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if message.thinking:
        blocks.append({"type": "thinking", "thinking": message.thinking, "signature": _SIGNATURE})
    if message.text:
        blocks.append({"type": "text", "text": message.text})
    for call in message.calls:
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": object_of(call.arguments)})
    return blocks


def _whole(message: Message, _: Object, made: ReplyIdentity) -> dict[str, Any]:
    return _reply_head(made) | {
        "content": _message_blocks(message),
        "stop_reason": _stop_reason(message),
        "stop_sequence": None,
        "usage": _usage_fields(message),
    }


def _reply_stream(message: Message, _: Object, made: ReplyIdentity) -> Iterator[bytes]:
    usage = _usage_fields(message)
    begun: dict[str, Any] = {
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage | {"output_tokens": 0},
    }
    yield _event_frame("message_start", message=_reply_head(made) | begun)
    yield _event_frame("ping")
    arguments = iter([call.arguments for call in message.calls])
    for index, block in enumerate(_message_blocks(message)):
        deltas: list[dict[str, Any]]
        if block["type"] == "thinking":
            empty = {"thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in text_pieces(message.thinking)]
            deltas.append({"type": "signature_delta", "signature": _SIGNATURE})
        elif block["type"] == "text":
            empty = {"text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in text_pieces(message.text)]
        else:
            empty = {"input": {}}  # type: ignore[dict-item]
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in text_pieces(next(arguments))]
        yield _event_frame("content_block_start", index=index, content_block=block | empty)
        for delta in deltas:
            yield _event_frame("content_block_delta", index=index, delta=delta)
        yield _event_frame("content_block_stop", index=index)
    yield _event_frame(
        "message_delta", delta={"stop_reason": _stop_reason(message), "stop_sequence": None}, usage=usage
    )
    yield _event_frame("message_stop")


def _gathered_reply(events: Iterable[Event]) -> dict[str, Any]:
    reply: dict[str, Any] = {}
    blocks: dict[object, dict[str, Any]] = {}
    for found in map(nested_dict, event_data(events)):
        kind, index = found.get("type"), str(found.get("index"))
        if kind == "message_start" and isinstance(found.get("message"), dict):
            reply = dict(found["message"])
        elif kind == "content_block_start" and isinstance(found.get("content_block"), dict):
            blocks[index] = found["content_block"] | {"pieces": []}
        elif kind == "content_block_delta" and index in blocks and isinstance(found.get("delta"), dict):
            _grow(blocks[index], found["delta"])
        elif kind == "message_delta":
            reply |= nested_dict(found, "delta")
            counts = {key: value for key, value in nested_dict(found, "usage").items() if value is not None}
            reply["usage"] = nested_dict(reply, "usage") | counts
        elif kind == "error":
            reply = {"type": "error", "error": found.get("error")}
            break
    if not reply or reply.get("type") == "error":
        return reply
    return reply | {"content": [_closed(block) for block in blocks.values()]}


_DELTAS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def _grow(block: dict[str, Any], delta: Object) -> None:
    kind = delta.get("type")
    if kind == "input_json_delta":
        block["pieces"].append(str(delta.get("partial_json", "")))
    elif key := _DELTAS.get(str(kind)):
        block.setdefault("parts", {}).setdefault(key, []).append(str(delta.get(key, "")))
    elif kind == "citations_delta":
        block["citations"] = [*(block.get("citations") or []), delta.get("citation")]


def _closed(block: dict[str, Any]) -> dict[str, Any]:
    arguments, parts = "".join(block.pop("pieces")), block.pop("parts", {})
    for key, values in parts.items():
        block[key] = str(block.get(key) or "") + "".join(values)
    return block | {"input": object_of(arguments)} if arguments else block


def _read_reply(reply: Object) -> Message:
    error = reply.get("error")
    if reply.get("type") == "error" or not isinstance(reply.get("content"), list):
        said = nested_dict(error).get("message") or "no message"
        raise ModelError(f"the server answered with {printable_line(str(said), 300)!r}; expected a message")
    text, thinking, calls = "", "", []
    for block in objects_of(reply["content"]):
        kind = block.get("type")
        if kind == "text":
            text += str(block.get("text", ""))
        elif kind == "thinking":
            thinking += str(block.get("thinking", ""))
        elif kind == "tool_use":
            calls.append(Call(str(block.get("id", "")), str(block.get("name", "")), arguments_of(block.get("input"))))
    found = nested_dict(reply, "usage")
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    fresh, read, written = (count_of(found.get(name)) for name in names)
    return Message(
        role="assistant",
        text=text,
        thinking=thinking,
        calls=tuple(calls),
        usage=Usage(
            input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
            output_tokens=count_of(found.get("output_tokens")),
            cached_tokens=read,
            cache_write_tokens=written,
        ),
        model=str(reply.get("model") or "")[:500],
        stop=_STOPS.get(str(reply.get("stop_reason")), ""),
    )


def _error_body(status: int, text: str) -> dict[str, Any]:
    kind = _KINDS.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": text}}


def _broken(status: int, text: str, _: ReplyIdentity) -> bytes:
    return sse_frame(_error_body(status, text), "error")


def _reply_head(made: ReplyIdentity) -> dict[str, Any]:
    return {"id": f"msg_{made.id}", "type": "message", "role": "assistant", "model": made.model}


def _event_frame(kind: str, **fields: object) -> bytes:
    return sse_frame({"type": kind, **fields}, kind)


def _stop_reason(message: Message) -> str:
    return _REASONS.get(message.stop, "tool_use" if message.calls else "end_turn")


def _usage_fields(message: Message) -> dict[str, Any]:
    cached, written = token_count(message.usage.cached_tokens), token_count(message.usage.cache_write_tokens)
    return {
        "input_tokens": max(0, token_count(message.usage.input_tokens) - cached - written),
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached,
        "output_tokens": token_count(message.usage.output_tokens),
    }


ANTHROPIC = Dialect(
    name="anthropic",
    parse=dialect_parser(_asked_messages),
    whole=_whole,
    stream=_reply_stream,
    gather=_gathered_reply,
    read=_read_reply,
    error=_error_body,
    broken=_broken,
    waiting=_event_frame("ping"),
)
"""`POST /v1/messages`."""
