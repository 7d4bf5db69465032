"""Google's Gemini (`generateContent`), as a server hears and says it.

The model's name and whether to stream stand in the path; `proxy/_question` puts both into the body. Fields may be
written in either case (`systemInstruction`, `system_instruction`). Calls may lack an identifier: then the result of a
tool answers the first call of its name in the turn before that has no answer yet. A stream is events, or, where the
client does not ask for `alt=sse`, the entries of one JSON list.
"""

import dataclasses
import json
from collections.abc import Iterable, Iterator
from typing import Any

from honestly._loose import count_of, items_of, nested_dict, objects_of
from honestly.errors import FormatError, ModelError
from honestly.models._api import Call, Image, Message, Settings, ToolSpec
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
from honestly.models.dialects._read import Reading, data_image, dialect_parser
from honestly.records import Usage

_STOPS = {"STOP": "end", "MAX_TOKENS": "length", "FINISH_REASON_UNSPECIFIED": ""}
_FINISH = {"length": "MAX_TOKENS", "filter": "SAFETY", "refusal": "PROHIBITED_CONTENT"}
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def _asked_content(top: Reading) -> ParsedRequest:
    if not top.items("contents"):
        raise FormatError("contents is empty; expected at least one entry")
    messages: list[Message] = []
    if top.take_field("systemInstruction"):
        messages += _read_content(top.object_reading("systemInstruction"), "system", [])
    for found in top.object_readings("contents"):
        with found:
            messages += _read_content(found, found.text("role") or "user", messages)
    top.pass_usual("toolConfig", {"functionCallingConfig": {"mode": "AUTO"}})
    return ParsedRequest(
        model=top.text("model"),
        messages=tuple(messages),
        tools=tuple(tool for found in top.object_readings("tools") for tool in _tools(found)),
        settings=_read_settings(top),
        stream=top.flag_field("stream"),
    )


def _read_settings(top: Reading) -> Settings:
    with top.object_reading("generationConfig") as found, found.object_reading("thinkingConfig") as thinking:
        found.pass_usual("candidateCount", 1)
        return Settings(
            temperature=found.number("temperature"),
            top_p=found.number("topP"),
            seed=found.integer_field("seed"),
            max_tokens=found.count("maxOutputTokens"),
            stop=found.texts_field("stopSequences"),
            effort=thinking.text("thinkingLevel").lower() or None,
            logprobs=found.flag_field("responseLogprobs"),
        )


_SCHEMAS = {"parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema", "args", "response"}


def _one_case(found: Any) -> Any:  # noqa: ANN401 - somebody else's JSON
    """JSON with all names of fields in camel case; what is not Gemini's own is left as it is."""
    if isinstance(found, list):
        return [_one_case(value) for value in found]
    if not isinstance(found, dict):
        return found
    named = {_camel(key): value for key, value in found.items()}
    return {key: value if key in _SCHEMAS else _one_case(value) for key, value in named.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest) if first else name


def _read_content(found: Reading, role: str, before: list[Message]) -> list[Message]:
    if role == "model":
        return [_answer_message(found)]
    if role not in {"system", "user", "function"}:
        raise FormatError(f"a content's role is {role[:40]!r}; expected user or model")
    results: list[Message] = []
    texts: list[str] = []
    images: list[Image] = []
    with found:
        for part in found.object_readings("parts"):
            with part:
                if part.take_field("functionResponse"):
                    results.append(_result(part, [*before, *results]))
                else:
                    text, image = _part_content(part)
                    texts += [text] if text else []
                    images += [image] if image else []
        found.take_field("role")
    own = Message(role="system" if role == "system" else "user", text="\n".join(texts), images=tuple(images))
    return [*results, own] if texts or images or not results else results


def _answer_message(found: Reading) -> Message:
    text, thinking, calls = "", "", []
    for part in found.object_readings("parts"):
        with part:
            if part.take_field("functionCall"):
                with part.object_reading("functionCall") as call:
                    calls.append(Call(call.text("id"), call.text("name"), arguments_of(call.take_field("args"))))
            elif part.flag_field("thought"):
                thinking += part.text("text")
            else:
                text += _part_content(part)[0]
    return Message(role="assistant", text=text, thinking=thinking, calls=tuple(_named_calls(calls)))


def _named_calls(calls: list[Call]) -> Iterator[Call]:
    for number, call in enumerate(calls):
        yield call if call.id else dataclasses.replace(call, id=f"{call.name}-{number}")


def _result(part: Reading, before: list[Message]) -> Message:
    with part.object_reading("functionResponse") as found:
        name, given = found.text("name"), found.text("id")
        images: list[Image] = []
        for extra in found.object_readings("parts"):
            with extra:
                _, image = _part_content(extra)
                images += [image] if image else []
        text = _result_text(found.take_field("response"))
    return Message(role="tool", text=text, images=tuple(images), call_id=given or _asked_for(name, before))


def _result_text(response: object) -> str:
    """The text of a tool's result; the only field of an object counts as the whole, since every result
    must be an object there.
    """
    if isinstance(response, dict) and len(response) == 1:
        key, value = next(iter(response.items()))
        if key in {"output", "result", "content"} and isinstance(value, str):
            return value
    return json.dumps(response, ensure_ascii=False)


def _asked_for(name: str, before: list[Message]) -> str:
    answered = set()
    for message in reversed(before):
        if message.role == "tool":
            answered.add(message.call_id)
        elif message.role == "assistant":
            waiting = (call.id for call in message.calls if call.name == name and call.id not in answered)
            return next(waiting, name)
    return name


def _part_content(part: Reading) -> tuple[str, Image | None]:
    if (text := part.take_field("text")) is not None:
        return (text, None) if isinstance(text, str) else ("", None)
    if part.take_field("inlineData") is not None:
        with part.object_reading("inlineData") as data:
            if image := data_image(data.take_field("mimeType"), data.take_field("data")):
                return "", image
            data.note_unknown("no image")
        return "", None
    part.note_unknown("neither text nor image")
    return "", None


def _tools(found: Reading) -> Iterator[ToolSpec]:
    with found:
        for tool in found.object_readings("functionDeclarations"):
            with tool:
                schema = tool.schema("parametersJsonSchema", "parameters")
                tool.pass_usual("behavior", "BLOCKING")
                yield ToolSpec(name=tool.text("name"), doc=tool.text("description"), schema=schema)


def _whole(message: Message, _: Object, made: ReplyIdentity) -> dict[str, Any]:
    return _reply_piece(_message_parts(message), made, message)


def _stream(message: Message, body: Object, made: ReplyIdentity) -> Iterator[bytes]:
    chunks = list(_chunks(message, made))
    if body.get("alt") == "sse":
        yield from map(sse_frame, chunks)
        return
    for number, chunk in enumerate(chunks):
        yield (b"," if number else b"[") + json.dumps(chunk).encode() + b"\n"
    yield b"]"


def _chunks(message: Message, made: ReplyIdentity) -> Iterator[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"text": piece, "thought": True} for piece in text_pieces(message.thinking)]
    said += [{"text": piece} for piece in text_pieces(message.text)]
    for part in said:
        yield _reply_piece([part], made)
    yield _reply_piece(_message_parts(Message(role="assistant", calls=message.calls)), made, message)


def _message_parts(message: Message) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    if message.thinking:
        parts.append({"text": message.thinking, "thought": True})
    if message.text:
        parts.append({"text": message.text})
    for call in message.calls:
        parts.append({"functionCall": {"id": call.id, "name": call.name, "args": object_of(call.arguments)}})
    return parts


def _reply_piece(parts: list[dict[str, Any]], made: ReplyIdentity, ends: Message | None = None) -> dict[str, Any]:
    """A reply, or a piece of one; the last piece says how the message ends, and what it took."""
    said = parts or [{"text": ""}] if ends else parts
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": said}, "index": 0}
    reply: dict[str, Any] = {"candidates": [candidate], "modelVersion": made.model, "responseId": made.id}
    if ends:
        candidate["finishReason"] = _FINISH.get(ends.stop, "STOP")
        read, written = token_count(ends.usage.input_tokens), token_count(ends.usage.output_tokens)
        reply["usageMetadata"] = {
            "promptTokenCount": read,
            "candidatesTokenCount": written,
            "cachedContentTokenCount": token_count(ends.usage.cached_tokens),
            "totalTokenCount": read + written,
        }
    return reply


def _gathered_reply(events: Iterable[Event]) -> dict[str, Any]:
    reply: dict[str, Any] = {}
    parts: list[Any] = []
    finish = None
    for found in event_data(events):
        for chunk in objects_of(found if isinstance(found, list) else [found]):
            reply |= {key: value for key, value in chunk.items() if key != "candidates"}
            candidate = _first_candidate(chunk)
            finish = candidate.get("finishReason") or finish
            parts += items_of(nested_dict(candidate, "content").get("parts"))
    if "error" in reply:
        return reply
    return reply | {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}]}


def _read_reply(reply: Object) -> Message:
    candidate = _first_candidate(reply)
    blocked = nested_dict(reply, "promptFeedback").get("blockReason")
    if not candidate and not blocked:
        said = nested_dict(reply, "error").get("message", "no candidate")
        raise ModelError(f"the server answered with {printable_line(str(said), 300)!r}; expected a candidate")
    try:
        answer = _answer_message(Reading(_one_case(nested_dict(candidate, "content")), "content", set()))
    except FormatError as wrong:
        raise ModelError(f"the server answered with a malformed part: {wrong}") from wrong
    finish = str(candidate.get("finishReason") or "")
    stop = "filter" if blocked else _STOPS.get(finish, "filter" if finish else "")
    usage = nested_dict(reply, "usageMetadata")
    written, thought = count_of(usage.get("candidatesTokenCount")), count_of(usage.get("thoughtsTokenCount"))
    return dataclasses.replace(
        answer,
        stop="calls" if answer.calls and stop == "end" else stop,
        usage=Usage(
            input_tokens=count_of(usage.get("promptTokenCount")),
            output_tokens=None if written is None and thought is None else (written or 0) + (thought or 0),
            cached_tokens=count_of(usage.get("cachedContentTokenCount")),
        ),
        model=str(reply.get("modelVersion") or "")[:500],
    )


def _first_candidate(reply: Object) -> dict[str, Any]:
    return nested_dict(next(iter(items_of(reply.get("candidates"))), None))


def _error_body(status: int, text: str) -> dict[str, Any]:
    kind = _STATUS.get(status, "INTERNAL" if status >= 500 else "FAILED_PRECONDITION")
    return {"error": {"code": status, "message": text, "status": kind}}


def _broken(status: int, text: str, _: ReplyIdentity) -> bytes:
    return sse_frame(_error_body(status, text))


GEMINI = Dialect(
    name="gemini",
    parse=lambda body: dialect_parser(_asked_content)(_one_case(body)),
    whole=_whole,
    stream=_stream,
    gather=_gathered_reply,
    read=_read_reply,
    error=_error_body,
    broken=_broken,
    waiting=b"",
)
"""`POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`."""
