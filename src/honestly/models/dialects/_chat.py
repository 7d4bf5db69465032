"""OpenAI's chat completions, as a server hears and says them.

Thoughts stand under `reasoning_content`, where the servers of open models put them; what a refusal says stands under
`refusal`. Of the tools, only functions can be said.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from honestly.errors import FormatError
from honestly.models._api import Call, Message, Sent, Settings, ToolSpec
from honestly.models.chat._reply import Deltas, read_reply
from honestly.models.chat._sse import Event
from honestly.models.dialects._dialect import (
    Dialect,
    Object,
    ParsedRequest,
    ReplyIdentity,
    event_data,
    sse_frame,
    text_pieces,
    token_count,
)
from honestly.models.dialects._read import Content, Reading, data_url_image, dialect_parser

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_FINISH = {"calls": "tool_calls", "length": "length", "filter": "content_filter"}
_NOBODY = Sent(model="", settings={})
_DONE = b"data: [DONE]\n\n"


def _asked_chat(top: Reading) -> ParsedRequest:
    if not top.items("messages"):
        raise FormatError("messages is empty; expected at least one message")
    top.pass_usual("tool_choice", "auto")
    top.pass_usual("n", 1)
    top.pass_usual("parallel_tool_calls", True)
    with top.object_reading("stream_options") as options:
        options.flag_field("include_usage")
    return ParsedRequest(
        model=top.text("model"),
        messages=tuple(_read_message(found) for found in top.object_readings("messages")),
        tools=tuple(tool for found in top.object_readings("tools") if (tool := _tool_spec(found))),
        settings=Settings(
            temperature=top.number("temperature"),
            top_p=top.number("top_p"),
            seed=top.integer_field("seed"),
            max_tokens=top.count("max_completion_tokens", "max_tokens"),
            stop=top.texts_field("stop"),
            effort=top.text("reasoning_effort") or None,
            logprobs=top.flag_field("logprobs"),
            top_logprobs=top.count("top_logprobs"),
        ),
        stream=top.flag_field("stream"),
    )


def _read_message(found: Reading) -> Message:
    with found:
        role = found.one_of("role", _ROLES)
        text, images = found.content("content", _part_content)
        if role not in {"assistant", "tool", "function"}:
            return Message(role=_ROLES[role], text=text, images=images)  # type: ignore[arg-type]
        if role != "assistant":
            given = found.text("tool_call_id") or (found.text("name") if role == "function" else "")
            return Message(role="tool", text=text, images=images, call_id=given)
        return Message(
            role="assistant",
            text=text or found.text("refusal"),
            images=images,
            calls=tuple(call for each in found.object_readings("tool_calls") if (call := _parsed_call(each))),
            thinking=found.text("reasoning_content", "reasoning"),
        )


def _part_content(part: Reading) -> Content:
    kind = part.text("type")
    if kind in {"text", "refusal"}:
        return part.text(kind), ()
    if kind == "image_url":
        with part.object_reading("image_url") as address:
            address.pass_usual("detail", "auto")
            image = data_url_image(address.take_field("url"))
        if image:
            return "", (image,)
        kind = "image_url elsewhere"
    part.note_unknown(kind)
    return "", ()


def _parsed_call(found: Reading) -> Call | None:
    with found:
        kind = found.text("type") or "function"
        found.take_field("index")
        if kind != "function":
            found.note_unknown(kind)
            return None
        with found.object_reading("function") as function:
            return Call(found.text("id"), function.text("name"), function.text("arguments"))


def _tool_spec(found: Reading) -> ToolSpec | None:
    with found:
        kind = found.text("type")
        if kind != "function":
            found.note_unknown(kind)
            return None
        with found.object_reading("function") as function:
            function.pass_usual("strict", False)
            schema = function.schema("parameters")
            return ToolSpec(name=function.text("name"), doc=function.text("description"), schema=schema)


def _whole(message: Message, body: Object, made: ReplyIdentity) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": message.text, "refusal": None}
    if message.stop == "refusal":
        said |= {"content": None, "refusal": message.text}
    if message.thinking:
        said["reasoning_content"] = message.thinking
    if message.calls:
        said["content"] = said["content"] or None
        said["tool_calls"] = [_said_call(call) for call in message.calls]
    choice = {
        "index": 0,
        "message": said,
        "logprobs": _reply_logprobs(message, body),
        "finish_reason": _finish(message),
    }
    return _reply_head("chat.completion", made) | {"choices": [choice], "usage": _usage_fields(message)}


def _reply_stream(message: Message, body: Object, made: ReplyIdentity) -> Iterator[bytes]:
    head = _reply_head("chat.completion.chunk", made)
    options = body.get("stream_options")
    wants_usage = isinstance(options, dict) and options.get("include_usage") is True

    def chunk(delta: Object, finish: str | None = None, logprobs: object = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish}
        return sse_frame(head | {"choices": [choice]} | ({"usage": None} if wants_usage else {}))

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    for piece in text_pieces(message.thinking):
        yield chunk({"reasoning_content": piece})
    field = "refusal" if message.stop == "refusal" else "content"
    for piece in text_pieces(message.text):
        yield chunk({field: piece})
    if logprobs := _reply_logprobs(message, body):
        yield chunk({}, logprobs=logprobs)
    for index, call in enumerate(message.calls):
        begun = _said_call(dataclasses.replace(call, arguments=""))
        yield chunk({"tool_calls": [{"index": index, **begun}]})
        for piece in text_pieces(call.arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _finish(message))
    if wants_usage:
        yield sse_frame(head | {"choices": [], "usage": _usage_fields(message)})
    yield _DONE


def _gather(events: Iterable[Event]) -> dict[str, Any]:
    deltas, begun = Deltas("the server"), False
    for found in event_data(events):
        deltas.take_chunk(found)
        begun = True
    return deltas.reply() if begun else {}


def _read_reply(reply: Object) -> Message:
    return dataclasses.replace(read_reply(dict(reply), _NOBODY, "the server"), sent=None, opaque=b"")


def openai_error(status: int, text: str) -> dict[str, Any]:
    """How OpenAI refuses."""
    kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    codes = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
    kind = kinds.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": text, "type": kind, "param": None, "code": codes.get(status)}}


def _broken(status: int, text: str, _: ReplyIdentity) -> bytes:
    return sse_frame(openai_error(status, text))


def _reply_head(kind: str, made: ReplyIdentity) -> dict[str, Any]:
    return {"id": f"chatcmpl-{made.id}", "object": kind, "created": made.at, "model": made.model}


def _said_call(call: Call) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _finish(message: Message) -> str:
    return _FINISH.get(message.stop, "tool_calls" if message.calls and not message.stop else "stop")


def _reply_logprobs(message: Message, body: Object) -> dict[str, Any] | None:
    if not body.get("logprobs") or not message.logprobs:
        return None
    tops = message.top_logprobs or ((),) * len(message.logprobs)
    entries: list[dict[str, Any]] = [
        {
            "token": token,
            "logprob": value,
            "bytes": None,
            "top_logprobs": [{"token": other, "logprob": theirs, "bytes": None} for other, theirs in top],
        }
        for (token, value), top in zip(message.logprobs, tops, strict=False)
    ]
    return {"content": entries, "refusal": None}


def _usage_fields(message: Message) -> dict[str, Any]:
    usage = message.usage
    prompt, completion = token_count(usage.input_tokens), token_count(usage.output_tokens)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": token_count(usage.cached_tokens)},
    }


CHAT = Dialect(
    name="chat",
    parse=dialect_parser(_asked_chat),
    whole=_whole,
    stream=_reply_stream,
    gather=_gather,
    read=_read_reply,
    error=openai_error,
    broken=_broken,
)
"""`POST /v1/chat/completions`."""
