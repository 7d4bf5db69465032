"""OpenAI's responses, as a server hears and says them; `_responses_stream` has the events.

A turn there is a list of items: a thought, a text, each call of a tool; here it is one message. A tool that takes free
text instead of JSON (Codex's `apply_patch`) is told to a model as one with a single argument, `input`; the tools of a
namespace are told with its name before theirs. Nothing is stored: who refers to an earlier response is refused.
"""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from honestly._loose import count_of, nested_dict, objects_of
from honestly.errors import FormatError, ModelError
from honestly.models._api import Call, Message, Settings, ToolSpec
from honestly.models.chat._http import printable_line
from honestly.models.dialects._chat import openai_error
from honestly.models.dialects._dialect import Dialect, Object, ParsedRequest, ReplyIdentity, object_of, token_count
from honestly.models.dialects._read import Content, Reading, data_url_image, dialect_parser
from honestly.models.dialects._responses_stream import gathered_reply, response_events, response_failed
from honestly.records import Usage

_INPUT = "input"
_FREE: dict[str, Any] = {
    "type": "object",
    "properties": {_INPUT: {"type": "string", "description": "The whole input, as plain text."}},
    "required": [_INPUT],
    "additionalProperties": False,
}
_BETWEEN = "__"
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_CALLS = {"function_call", "custom_tool_call"}
_OUTPUTS = {"function_call_output", "custom_tool_call_output"}


def _asked_input(top: Reading) -> ParsedRequest:
    if top.text("previous_response_id"):
        raise FormatError("previous_response_id is given, and nothing is stored here; send the whole conversation")
    top.pass_usual("tool_choice", "auto")
    top.pass_usual("parallel_tool_calls", True)
    top.pass_usual("store", False)
    with top.object_reading("reasoning") as reasoning:
        effort = reasoning.text("effort") or None
    instructions = top.text("instructions")
    return ParsedRequest(
        model=top.text("model"),
        messages=(*([Message(role="system", text=instructions)] if instructions else []), *_read_conversation(top)),
        tools=tuple(tool for found in top.object_readings("tools") for tool in _read_tools(found)),
        settings=Settings(
            temperature=top.number("temperature"),
            top_p=top.number("top_p"),
            max_tokens=top.count("max_output_tokens"),
            effort=effort,
        ),
        stream=top.flag_field("stream"),
    )


def _read_conversation(top: Reading) -> list[Message]:
    given = top.take_field("input")
    if isinstance(given, str):
        return [Message(role="user", text=given)]
    if not given:
        raise FormatError("input is empty; expected a text or a list of items")
    messages: list[Message] = []
    for item in top.object_readings("input"):
        with item:
            found = _item_message(item)
            last = messages[-1] if messages else None
            if found and found.role == "assistant" and last and last.role == "assistant":
                messages[-1] = _joined_turn(last, found)
            elif found:
                messages.append(found)
    return messages


def _joined_turn(before: Message, after: Message) -> Message:
    return Message(
        role="assistant",
        text=before.text + after.text,
        images=before.images + after.images,
        thinking=before.thinking + after.thinking,
        calls=before.calls + after.calls,
    )


def _item_message(item: Reading) -> Message | None:
    kind = item.text("type") or "message"
    item.take_field("id")
    item.pass_usual("status", "completed")
    if kind == "message":
        role = item.one_of("role", _ROLES)
        text, images = item.content("content", _part_content, "" if role == "assistant" else "\n")
        return Message(role=_ROLES[role], text=text, images=images)  # type: ignore[arg-type]
    if kind in _CALLS:
        free = kind == "custom_tool_call"
        text = item.text("input") if free else item.text("arguments")
        name = _namespaced_name(item.text("namespace"), item.text("name"))
        arguments = json.dumps({_INPUT: text}, ensure_ascii=False) if free else text
        return Message(role="assistant", calls=(Call(item.text("call_id"), name, arguments),))
    if kind in _OUTPUTS:
        text, images = item.content("output", _part_content)
        item.take_field("name")
        return Message(role="tool", text=text, images=images, call_id=item.text("call_id"))
    if kind == "reasoning":
        summary, _ = item.content("summary", _part_content)
        thought, _ = item.content("content", _part_content)
        return Message(role="assistant", thinking=thought or summary)
    item.note_unknown(kind)
    return None


def _part_content(part: Reading) -> Content:
    kind = part.text("type")
    part.pass_usual("annotations", [])
    part.pass_usual("logprobs", [])
    if kind in {"input_text", "output_text", "summary_text", "reasoning_text", "text"}:
        return part.text("text"), ()
    if kind == "refusal":
        return part.text("refusal"), ()
    if kind == "input_image" and (image := data_url_image(part.take_field("image_url"))):
        part.pass_usual("detail", "auto")
        return "", (image,)
    part.note_unknown(kind)
    return "", ()


def _read_tools(found: Reading, namespace: str = "") -> Iterator[ToolSpec]:
    with found:
        kind = found.text("type")
        name, doc = found.text("name"), found.text("description")
        if kind == "function":
            found.pass_usual("strict", False)
            yield ToolSpec(name=_namespaced_name(namespace, name), doc=doc, schema=found.schema("parameters"))
        elif kind == "custom":
            yield ToolSpec(name=_namespaced_name(namespace, name), doc=doc, schema=_FREE)
        elif kind == "namespace" and not namespace:
            for inner in found.object_readings("tools"):
                yield from _read_tools(inner, name)
        else:
            found.note_unknown(kind)


def _namespaced_name(namespace: str, name: str) -> str:
    return f"{namespace}{_BETWEEN}{name}" if namespace else name


def _tools_by_name(body: Object) -> dict[str, tuple[str, str, bool]]:
    """Namespace, name and whether it takes free text, of each tool in a request, by the name that the model knows."""
    known: dict[str, tuple[str, str, bool]] = {}

    def learn(tools: object, namespace: str) -> None:
        for tool in tools if isinstance(tools, list) else []:
            if isinstance(tool, dict):
                name, kind = str(tool.get("name") or ""), tool.get("type")
                if kind == "namespace" and not namespace:
                    learn(tool.get("tools"), name)
                else:
                    known[_namespaced_name(namespace, name)] = namespace, name, kind == "custom"

    learn(body.get("tools"), "")
    return known


def _output_items(message: Message, body: Object, made: ReplyIdentity) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if message.thinking:
        summary = [{"type": "summary_text", "text": message.thinking}]
        items.append({"id": f"rs_{made.id}", "type": "reasoning", "summary": summary})
    if message.text:
        part: dict[str, Any] = {"type": "output_text", "text": message.text, "annotations": [], "logprobs": []}
        if message.stop == "refusal":
            part = {"type": "refusal", "refusal": message.text}
        said = {"id": f"msg_{made.id}", "type": "message", "status": "completed", "role": "assistant"}
        items.append(said | {"content": [part]})
    known = _tools_by_name(body) if message.calls else {}
    for number, call in enumerate(message.calls):
        namespace, name, free = known.get(call.name, ("", call.name, False))
        item: dict[str, Any] = {"id": f"fc_{made.id}{number}", "type": "function_call", "status": "completed"}
        item |= {"call_id": call.id, "name": name} | ({"namespace": namespace} if namespace else {})
        if free:
            given = object_of(call.arguments).get(_INPUT)
            text = given if isinstance(given, str) else call.arguments
            item |= {"id": f"ctc_{made.id}{number}", "type": "custom_tool_call", "input": text}
        else:
            item["arguments"] = call.arguments
        items.append(item)
    return items


def _whole_reply(message: Message, body: Object, made: ReplyIdentity) -> dict[str, Any]:
    reasons = {"length": "max_output_tokens", "filter": "content_filter"}
    reason = reasons.get(message.stop)
    reply: dict[str, Any] = {
        "id": f"resp_{made.id}",
        "object": "response",
        "created_at": made.at,
        "status": "incomplete" if reason else "completed",
        "background": False,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "model": made.model,
        "output": _output_items(message, body, made),
        "previous_response_id": None,
        "usage": _responses_usage(message),
    }
    told = ("instructions", "max_output_tokens", "metadata", "reasoning", "temperature", "top_p", "text", "user")
    usual = {"parallel_tool_calls": True, "store": False, "tool_choice": "auto", "tools": [], "truncation": "disabled"}
    return reply | {key: body.get(key) for key in told} | {key: body.get(key, usual[key]) for key in usual}


def _stream(message: Message, body: Object, made: ReplyIdentity) -> Iterator[bytes]:
    return response_events(_whole_reply(message, body, made))


def _broken(status: int, text: str, made: ReplyIdentity) -> bytes:
    reply = _whole_reply(Message(role="assistant"), {}, made)
    code = openai_error(status, text)["error"]["code"] or "server_error"
    return response_failed(reply | {"status": "failed", "usage": None, "error": {"code": code, "message": text}})


def _read_reply(reply: Object) -> Message:
    error, output = reply.get("error"), reply.get("output")
    if error or not isinstance(output, list):
        said = error.get("message") if isinstance(error, dict) else error
        raise ModelError(
            f"the server answered with {printable_line(str(said), 300)!r}; expected a response with an output"
        )
    notes: set[str] = set()
    turn = Message(role="assistant")
    for found in output:
        try:
            with Reading(found, "output[]", notes) as item:
                content = found.get("content") if isinstance(found, dict) else None
                refused = any(part.get("type") == "refusal" for part in objects_of(content))
                turn = _joined_turn(turn, _item_message(item) or Message(role="assistant"))
                turn = dataclasses.replace(turn, stop="refusal" if refused else turn.stop)
        except FormatError as wrong:
            raise ModelError(f"the server answered with a malformed item: {wrong}") from wrong
    reason = nested_dict(reply, "incomplete_details").get("reason")
    stops = {"max_output_tokens": "length", "content_filter": "filter"}
    natural = turn.stop or ("calls" if turn.calls else "end")
    usage = nested_dict(reply, "usage")
    details = nested_dict(usage, "input_tokens_details")
    return dataclasses.replace(
        turn,
        usage=Usage(
            input_tokens=count_of(usage.get("input_tokens")),
            output_tokens=count_of(usage.get("output_tokens")),
            cached_tokens=count_of(details.get("cached_tokens")),
            cache_write_tokens=count_of(details.get("cache_write_tokens")),
        ),
        model=str(reply.get("model") or "")[:500],
        stop=stops.get(str(reason), natural if reply.get("status") == "completed" else ""),
    )


def _responses_usage(message: Message) -> dict[str, Any]:
    usage = message.usage
    read, written = token_count(usage.input_tokens), token_count(usage.output_tokens)
    cache = {
        "cached_tokens": token_count(usage.cached_tokens),
        "cache_write_tokens": token_count(usage.cache_write_tokens),
    }
    return {
        "input_tokens": read,
        "input_tokens_details": cache,
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written,
    }


RESPONSES = Dialect(
    name="responses",
    parse=dialect_parser(_asked_input),
    whole=_whole_reply,
    stream=_stream,
    gather=gathered_reply,
    read=_read_reply,
    error=openai_error,
    broken=_broken,
)
"""`POST /v1/responses`."""
