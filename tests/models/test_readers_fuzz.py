"""Readers of what strangers send, given anything: they read it, or refuse it as they should, and never crash."""

import json
from itertools import pairwise

from hypothesis import HealthCheck, example, given, settings, strategies as st

from honestly.errors import FormatError, ModelError
from honestly.models import Message, ReplayModel, Sent, Settings, read_cassette, read_script
from honestly.models._sent import read_sent
from honestly.models.chat._http import error_text, loads, printable_line, retry_after
from honestly.models.chat._reply import Deltas, read_reply
from honestly.models.chat._sse import EventReader

KEYS = [
    "choices",
    "message",
    "delta",
    "content",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "tool_calls",
    "function",
    "index",
    "id",
    "name",
    "arguments",
    "extra_content",
    "logprobs",
    "token",
    "logprob",
    "token_ids",
    "finish_reason",
    "usage",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "prompt_tokens_details",
    "cached_tokens",
    "model",
    "error",
    "code",
    "object",
    "text",
    "generationConfig",
    "reasoning_effort",
    "include",
]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["stop", "error", "\ud83d"])
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)
CHOICE = st.fixed_dictionaries(
    {}, optional={"message": JSON, "delta": JSON, "finish_reason": JSON, "logprobs": JSON, "token_ids": JSON}
)
REPLY = JSON | st.fixed_dictionaries({"choices": st.lists(CHOICE, max_size=2)}, optional={"usage": JSON, "model": JSON})
SENT = Sent(model="m", settings={})


@given(REPLY)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_replies(reply):
    reply = loads(json.dumps(reply))
    try:
        message = read_reply(reply, SENT, "x")
    except ModelError as refusal:
        error = str(refusal)
    else:
        error = ""
    assert error.isprintable()
    if error:
        return
    assert isinstance(message, Message)
    (message.text + message.thinking + "".join(call.arguments for call in message.calls)).encode()
    assert len({call.id for call in message.calls}) == len(message.calls)


@given(st.lists(REPLY, max_size=6))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_streams(chunks):
    deltas = Deltas("x")
    try:
        for chunk in chunks:
            deltas.take_chunk(chunk)
        read_reply(deltas.reply(), SENT, "x")
    except ModelError:
        pass


LINES = st.lists(
    st.sampled_from([b"data: a", b"data:\xc3\xa4\xf0\x9f\x98\x80", b": c", b"event: e", b"data", b"", b"x" * 9])
)


@given(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"]), st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example([b"data: a", b"", b"data: b"], b"\r\n", None)
def test_events_do_not_depend_on_where_pieces_end(lines, end, data):
    whole = end.join(lines)
    reader = EventReader()
    once = reader.feed(whole) + reader.final_events()
    cuts = data.draw(st.lists(st.integers(0, len(whole)), max_size=9)) if data else range(len(whole))
    places = [0, *sorted(cuts), len(whole)]
    reader = EventReader()
    found = [event for a, b in pairwise(places) for event in reader.feed(whole[a:b])]
    assert found + reader.final_events() == once


@given(
    st.binary(max_size=200)
    | st.lists(JSON, max_size=4).map(lambda rows: b"".join(json.dumps(row).encode() + b"\n" for row in rows))
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_files(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(data)
    try:
        ReplayModel(read_cassette(data))
    except FormatError:
        pass
    try:
        read_script(path)
    except ModelError:
        pass


@given(st.binary(max_size=100) | JSON.map(lambda value: json.dumps(value).encode()), st.text(max_size=30))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_errors_and_bodies(data, text):
    assert printable_line(error_text(data)).isprintable()
    read_sent(data, Settings(seed=1, temperature=0.5, stop=("x",), effort="low", logprobs=True), "m")
    wait = retry_after({"retry-after": text, "retry-after-ms": text[1:]})
    assert wait is None or wait >= 0
