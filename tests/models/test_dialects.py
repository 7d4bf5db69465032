"""Every dialect: what is said is understood again, whole, in a stream, and when a client sends it back; nothing crashes."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from honestly.errors import FormatError, ModelError
from honestly.models import Call, Message
from honestly.models.chat._sse import EventReader
from honestly.models.dialects._dialect import ReplyIdentity, arguments_of, object_of
from honestly.models.proxy._notes import message_of
from honestly.models.proxy._question import DIALECTS
from honestly.records import Usage

MADE = ReplyIdentity(id="0123abcd", at=1_790_000_000, model="asked-for")
TEXT = st.text(st.characters(codec="utf-8"), max_size=200)
NAME = st.from_regex(r"[a-z][a-z_]{0,12}", fullmatch=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(NAME, JSON, max_size=3).map(json.dumps)
TOKENS = st.integers(0, 10**7)


@st.composite
def answers(draw: st.DrawFn, arguments: st.SearchStrategy[str] = ARGUMENTS) -> Message:
    names = draw(st.lists(NAME, max_size=3))
    calls = tuple(Call(f"call_{at}", name, draw(arguments)) for at, name in enumerate(names))
    stop = draw(st.sampled_from(["length", "calls" if calls else "end"]))
    read = draw(st.integers(1, 10**7))
    usage = Usage(input_tokens=read, output_tokens=draw(TOKENS), cached_tokens=draw(st.integers(0, read)))
    return Message(role="assistant", text=draw(TEXT), thinking=draw(TEXT), calls=calls, stop=stop, usage=usage)


def heard(message: Message) -> tuple[object, ...]:
    """What all dialects must carry."""
    calls = [(call.id, call.name, json.loads(call.arguments or "{}")) for call in message.calls]
    usage = message.usage
    tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens)
    return message.text, message.thinking, calls, message.stop, tokens


def whole(name: str, message: Message) -> dict[str, Any]:
    return json.loads(json.dumps(DIALECTS[name].whole(message, {}, MADE)))


def streamed(name: str, message: Message, **body: Any) -> bytes:
    found = {"alt": "sse", "stream_options": {"include_usage": True}, **body}
    return b"".join(DIALECTS[name].stream(message, found, MADE))


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=40)
@given(message=answers())
def test_what_is_said_is_understood(name: str, message: Message) -> None:
    dialect = DIALECTS[name]
    assert heard(dialect.read(whole(name, message))) == heard(message)
    assert heard(message_of(dialect, streamed(name, message), events=True)) == heard(message)


@settings(max_examples=40)
@given(message=answers())
def test_a_stream_of_gemini_may_be_one_list(message: Message) -> None:
    data = streamed("gemini", message, alt="")
    assert isinstance(json.loads(data), list)
    assert heard(message_of(DIALECTS["gemini"], data, events=False)) == heard(message)


def sent_back(name: str, reply: dict[str, Any]) -> dict[str, Any]:
    """The request that a client makes of a reply: it puts the answer behind its own turn, and a result behind that."""
    if name == "chat":
        return {"messages": [{"role": "user", "content": "Go."}, reply["choices"][0]["message"]]}
    if name == "responses":
        return {"input": [{"role": "user", "content": "Go."}, *reply["output"]]}
    if name == "anthropic":
        return {"messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": reply["content"]}]}
    return {"contents": [{"role": "user", "parts": [{"text": "Go."}]}, reply["candidates"][0]["content"]]}


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=40)
@given(message=answers())
def test_what_a_client_sends_back_is_what_was_said(name: str, message: Message) -> None:
    asked = DIALECTS[name].parse(sent_back(name, whole(name, message)))
    before, *after = asked.messages
    assert (before.role, before.text) == ("user", "Go.")
    said = [dataclasses.replace(each, stop=message.stop, usage=message.usage) for each in after]
    empty = not (message.text or message.thinking or message.calls)
    assert [heard(each) for each in said] == ([heard(message)] if said or not empty else [])
    assert asked.unexpressed == ()


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("arguments", ['{"a": ', "[1]", "ls -l", '{"a": NaN}', '{"a": 1e999}', "[" * 100_000, "\\"])
def test_malformed_arguments_come_back_as_they_were_written(name: str, arguments: str) -> None:
    message = Message(role="assistant", calls=(Call("c", "bash", arguments),), stop="calls")
    for reply in (whole(name, message), DIALECTS[name].gather(EventReader().feed(streamed(name, message)))):
        assert DIALECTS[name].read(reply).calls[0].arguments == arguments


@settings(max_examples=40)
@given(found=st.dictionaries(TEXT, JSON, max_size=4))
def test_arguments_survive_as_an_object(found: dict[str, Any]) -> None:
    assert json.loads(arguments_of(object_of(json.dumps(found)))) == found


@pytest.mark.parametrize("name", DIALECTS)
def test_refusals_and_filters_are_told_apart_where_the_dialect_can(name: str) -> None:
    stops = {}
    for stop in ("refusal", "filter", "length", "end"):
        message = Message(role="assistant", text="I can't help with that.", stop=stop)
        stops[stop] = {DIALECTS[name].read(whole(name, message)).stop}
        stops[stop].add(message_of(DIALECTS[name], streamed(name, message), events=True).stop)
    assert stops["length"] == {"length"}
    assert stops["end"] == {"end"}
    merged = {"anthropic": "refusal", "gemini": "filter"}.get(name)  # which have one word for both
    assert stops["refusal"] == {merged or "refusal"}
    assert stops["filter"] == {merged or "filter"}


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=40)
@given(message=answers(), cut=st.integers(0, 10_000))
def test_a_stream_that_breaks_off_gives_what_came_or_an_error(name: str, message: Message, cut: int) -> None:
    data = streamed(name, message)[: cut % 8000]
    try:
        found = message_of(DIALECTS[name], data, events=True)
    except ModelError:
        return
    assert message.text.startswith(found.text)
    assert len(found.calls) <= len(message.calls)


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500, 503, 529])
def test_an_error_is_no_answer(name: str, status: int) -> None:
    dialect = DIALECTS[name]
    body = dialect.error(status, "not now")
    assert "not now" in json.dumps(body)
    with pytest.raises(ModelError, match="not now"):
        dialect.read(body)
    begun = streamed(name, Message(role="assistant", text="Hello"))[:200].rpartition(b"\n\n")[0] + b"\n\n"
    with pytest.raises(ModelError, match="not now"):
        message_of(dialect, begun + dialect.broken(status, "not now", MADE), events=True)


PICTURE = base64.b64encode(b"\x89PNG not really").decode()
PICTURES: dict[str, dict[str, Any]] = {
    "chat": {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "See"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}},
                ],
            }
        ]
    },
    "responses": {
        "input": [
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "See"},
                    {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"},
                ],
            }
        ]
    },
    "anthropic": {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "See"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
                ],
            }
        ]
    },
    "gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": "See"}, {"inline_data": {"mime_type": "image/png", "data": PICTURE}}]}
        ]
    },
}


@pytest.mark.parametrize("name", DIALECTS)
def test_pictures_are_seen(name: str) -> None:
    asked = DIALECTS[name].parse(PICTURES[name])
    (message,) = asked.messages
    assert (message.role, message.text) == ("user", "See")
    assert [(image.data, image.media_type) for image in message.images] == [(b"\x89PNG not really", "image/png")]
    assert asked.unexpressed == ()


SETTINGS: dict[str, dict[str, Any]] = {
    "chat": {
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "max_completion_tokens": 99,
        "stop": ["END"],
        "reasoning_effort": "low",
        "logprobs": True,
    },
    "responses": {"temperature": 0.5, "top_p": 0.9, "max_output_tokens": 99, "reasoning": {"effort": "low"}},
    "anthropic": {
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 99,
        "stop_sequences": ["END"],
        "output_config": {"effort": "low"},
    },
    "gemini": {
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "seed": 7,
            "maxOutputTokens": 99,
            "stopSequences": ["END"],
            "thinkingConfig": {"thinkingLevel": "LOW"},
            "responseLogprobs": True,
        }
    },
}


@pytest.mark.parametrize("name", DIALECTS)
def test_settings_are_understood_and_the_rest_is_named(name: str) -> None:
    asked = DIALECTS[name].parse({**PICTURES[name], **SETTINGS[name], "made_up": {"a": 1}})
    understood = asked.settings
    assert (understood.temperature, understood.top_p, understood.max_tokens, understood.effort) == (0.5, 0.9, 99, "low")
    assert understood.seed == (7 if name in {"chat", "gemini"} else None)
    assert understood.stop == (() if name == "responses" else ("END",))
    assert understood.logprobs == (name in {"chat", "gemini"})
    assert asked.unexpressed == ("madeUp" if name == "gemini" else "made_up",)


@pytest.mark.parametrize(
    ("name", "body", "named"),
    [
        ("chat", {"tools": [{"type": "web_search"}]}, "tools[] of type web_search"),
        ("chat", {"tool_choice": "required"}, "tool_choice"),
        ("chat", {"n": 2}, "n"),
        ("responses", {"tools": [{"type": "web_search", "name": "x"}]}, "tools[] of type web_search"),
        ("responses", {"include": ["reasoning.encrypted_content"]}, "include"),
        ("anthropic", {"tools": [{"type": "bash_20250124", "name": "bash"}]}, "tools[] of type bash_20250124"),
        ("anthropic", {"thinking": {"type": "enabled", "budget_tokens": 1024}}, "thinking"),
        ("gemini", {"tools": [{"googleSearch": {}}]}, "tools[].googleSearch"),
        ("gemini", {"generationConfig": {"topK": 4}}, "generationConfig.topK"),
    ],
)
def test_what_cannot_be_said_is_named(name: str, body: dict[str, Any], named: str) -> None:
    assert DIALECTS[name].parse({**PICTURES[name], **body}).unexpressed == (named,)


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("value", ["0.5", float("nan"), float("inf"), True, [1]])
def test_a_temperature_is_a_finite_number(name: str, value: object) -> None:
    wrong = {"generationConfig": {"temperature": value}} if name == "gemini" else {"temperature": value}
    with pytest.raises(FormatError, match="temperature"):
        DIALECTS[name].parse({**PICTURES[name], **wrong})


def test_results_of_gemini_without_identifiers_find_their_calls() -> None:
    calls = [{"functionCall": {"name": name, "args": {}}} for name in ("a", "b", "a")]
    results = [
        {"functionResponse": {"name": name, "response": {"output": text}}}
        for name, text in (("a", "1"), ("a", "2"), ("b", "3"))
    ]
    asked = DIALECTS["gemini"].parse(
        {"contents": [{"role": "model", "parts": calls}, {"role": "user", "parts": results}]}
    )
    made, *seen = asked.messages
    assert len({call.id for call in made.calls}) == 3
    answers = {message.call_id: message.text for message in seen}
    assert [answers[call.id] for call in made.calls] == ["1", "3", "2"]


FIELDS = [
    *("messages", "input", "contents", "tools", "role", "content", "parts", "text", "type", "name", "id", "args"),
    *("functionCall", "functionResponse", "tool_calls", "function", "arguments", "system", "stream", "model", "source"),
    *("data", "image_url", "url", "output", "summary", "call_id", "choices", "delta", "candidates", "usage", "index"),
    *("item", "response", "error", "message"),
]
HOSTILE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=80)
@given(found=HOSTILE)
def test_no_request_and_no_reply_crashes_a_dialect(name: str, found: Any) -> None:
    body = found if isinstance(found, dict) else {"messages": found, "input": found, "contents": found}
    try:
        DIALECTS[name].parse(body)
    except FormatError:
        pass
    events = [found] if not isinstance(found, list) else found
    data = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    for reply, streams in ((json.dumps(body).encode(), False), (data, True)):
        try:
            message = message_of(DIALECTS[name], reply, events=streams)
        except ModelError:
            continue
        assert msgspec.json.encode(message.usage)
