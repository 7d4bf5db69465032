"""A provider behind the proxy: what goes on, what comes back, and what never does either."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from proxies import HI, KEY, PATHS, TOKEN, Provider, Told, error_of, provided, proxied, until

from honestly.errors import ModelError
from honestly.models import Budget, Message, ProxyLimits, Upstream, proxy_turn, read_exchanges, tool_call
from honestly.models.dialects._dialect import ReplyIdentity
from honestly.models.proxy._question import DIALECTS
from honestly.models.proxy._upstream import reaches_out
from honestly.records import Usage
from zstd_module import zstd

MADE = ReplyIdentity(id="up", at=1_790_000_000, model="m-2026")
USAGE = Usage(input_tokens=70, output_tokens=30, cached_tokens=20)
ANSWER = Message(
    role="assistant", text="Hello — there.", calls=(tool_call("bash", command="ls"),), stop="calls", usage=USAGE
)
CARRIES = {"chat": "authorization", "responses": "authorization", "anthropic": "x-api-key", "gemini": "x-goog-api-key"}


@pytest.fixture(scope="module")
def place() -> Iterator[tuple[Provider, str]]:
    with provided() as found:
        yield found


@pytest.fixture
def provider(place: tuple[Provider, str]) -> Provider:
    place[0].heard.clear()
    return place[0]


@pytest.fixture
def upstream(place: tuple[Provider, str]) -> Upstream:
    return Upstream(url=place[1], key=KEY)


@pytest.mark.anyio
@pytest.mark.parametrize("name", PATHS)
async def test_a_request_goes_on_as_it_came_but_for_the_key(name: str, provider: Provider, upstream: Upstream) -> None:
    path, body = PATHS[name]
    sent = json.dumps({**body, "zz_unknown": [1.0, "\u00e4"]}, indent=3).encode()
    provider.says(
        json.dumps(DIALECTS[name].whole(ANSWER, {}, MADE)).encode(), kind="application/json", x_request_id="r1"
    )
    async with proxied(upstream) as (proxy, client):
        headers = {"anthropic-beta": "some-beta", "cookie": "a=b", "user-agent": "cli/1.0"}
        reply = await client.post(f"{path}?beta=true", content=sent, headers=headers)
        whole = reply.content
    assert (reply.status_code, whole) == (200, provider.pieces[0])
    assert reply.headers["x-request-id"] == "r1"
    ((method, target, heard, received),) = provider.heard
    assert method == "POST"
    assert target.removeprefix("/v1") == f"{path.removeprefix('/v1')}?beta=true"
    assert received == sent
    assert (heard["anthropic-beta"], heard["user-agent"]) == ("some-beta", "cli/1.0")
    assert heard[CARRIES[name]].removeprefix("Bearer ") == KEY
    assert TOKEN not in str(provider.heard)
    assert "cookie" not in heard
    (exchange,) = proxy.exchanges
    assert json.loads(bytes(exchange.request.body)) == json.loads(sent)
    assert proxy_turn(exchange).message.text == ANSWER.text
    assert (exchange.reply.model, exchange.reply.usage.output_tokens) == ("m-2026", 30)
    assert proxy.account.tokens == 100


@pytest.mark.anyio
@pytest.mark.parametrize("name", PATHS)
async def test_a_stream_is_relayed_byte_for_byte(name: str, provider: Provider, upstream: Upstream) -> None:
    path, body = PATHS[name]
    found = {"alt": "sse", "stream_options": {"include_usage": True}}
    data = b"".join(DIALECTS[name].stream(ANSWER, found, MADE)).replace("—".encode(), "—\u2028".encode())
    provider.says(*(data[at : at + 7] for at in range(0, len(data), 7)))
    path = path.replace(":generateContent", ":streamGenerateContent?alt=sse")
    async with proxied(upstream) as (proxy, client):
        reply = await client.post(path, json={**body, "stream": True} if name != "gemini" else body)
    assert reply.content == data
    assert reply.headers["content-type"] == "text/event-stream"
    (exchange,) = proxy.exchanges
    assert exchange.reply.text.encode() == data
    turn = proxy_turn(exchange)
    assert (turn.message.text, turn.message.usage) == (ANSWER.text.replace("—", "—\u2028"), exchange.reply.usage)
    assert turn.message.calls[0].name == "bash"
    assert (turn.message.usage.input_tokens, turn.message.usage.cached_tokens) == (70, 20)
    assert exchange.reply.first_s <= exchange.reply.seconds


@pytest.mark.anyio
async def test_the_key_comes_back_nowhere(provider: Provider, upstream: Upstream, tmp_path: Path) -> None:
    path, body = PATHS["chat"]
    dressed = base64.b64encode(f"Bearer {KEY}".encode()).decode()
    canary = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}.", "sent": dressed}}).encode()
    record = tmp_path / "record.jsonl"
    async with proxied(upstream, record=record) as (_, client):
        for status in (401, 200):
            provider.says(canary[:50], canary[50:], status=status, kind="application/json", x_echo=KEY[::-1])
            body = {**body, "messages": [{"role": "user", "content": f"my token is {TOKEN}"}]}
            reply = await client.post(path, json=body, headers={"x-other": f"a {TOKEN}"})
            assert reply.status_code == status
            assert b"Incorrect API key provided: [secret]." in reply.content
            assert KEY[::-1] not in str(reply.headers)
            assert dressed[12:-4] not in reply.text
    written = record.read_bytes()
    assert KEY.encode() not in written
    assert TOKEN.encode() not in written
    assert dressed[12:-4].encode() not in written
    assert b"my token is [secret]" in written
    assert KEY not in repr(upstream)


@pytest.mark.anyio
async def test_failures_are_told_in_the_dialect(provider: Provider, upstream: Upstream) -> None:
    path, body = PATHS["anthropic"]
    begun = b"".join(DIALECTS["anthropic"].stream(ANSWER, {}, MADE))
    begun = begun[: begun.index(b"event: content_block_stop")]
    async with proxied(upstream) as (proxy, client):
        provider.says(b"moved", status=307, location="http://127.0.0.1:1/elsewhere")
        moved = await client.post(path, json=body)
        assert (moved.status_code, "307" in error_of(moved)) == (502, True)
        provider.says(b'{"type":"error"}', status=529, kind="application/json", retry_after="7")
        busy = await client.post(path, json=body)
        assert (busy.status_code, busy.headers["retry-after"], busy.content) == (529, "7", b'{"type":"error"}')
        provider.says(begun, cut=True)
        cut = await client.post(path, json={**body, "stream": True})
        assert cut.content.startswith(begun)
        assert b"event: error" in cut.content[len(begun) :]
        provider.says(b"<html>", kind="text/html")
        assert (await client.post(path, json=body)).content == b"<html>"
        assert len(provider.heard) == 4
    *_, broken, odd = proxy.exchanges
    assert proxy_turn(broken).message.text.startswith("Hello")
    assert "cannot be asked" in broken.reply.error
    assert "not understood" in odd.reply.error
    assert (proxy.account.calls, proxy.account.failed) == (4, 2)
    async with proxied(Upstream(url="http://127.0.0.1:1", key=KEY)) as (_, client):
        gone = await client.post(path, json=body)
    assert gone.status_code == 502
    assert KEY not in gone.text


@pytest.mark.anyio
async def test_only_what_is_known_is_passed_on(provider: Provider, upstream: Upstream) -> None:
    provider.says(b'{"input_tokens": 5}', kind="application/json")
    async with proxied(upstream, allow=("m",)) as (proxy, client):
        for method, path in [
            ("GET", "/v1/files"),
            ("POST", "/v1/batches"),
            ("DELETE", "/v1/models/m"),
            ("GET", "/v1/messages"),
            ("POST", "/v1/responses/x/cancel"),
        ]:
            assert (await client.request(method, path)).status_code == 404
        assert (await client.post("/v1/chat/completions", json=HI | {"model": "dear"})).status_code == 404
        assert (await client.post("/v1/chat/completions", content=b"{")).status_code == 400
        assert provider.heard == []
        assert (await client.post("/v1/messages/count_tokens", json=HI)).json() == {"input_tokens": 5}
        assert (await client.get("/v1/models", headers={"anthropic-version": "2023-06-01"})).status_code == 200
        assert [path for _, path, _, _ in provider.heard] == ["/v1/messages/count_tokens", "/v1/models"]
    assert proxy.account.calls == 0


@pytest.mark.anyio
async def test_a_compressed_request_goes_on_compressed_and_is_recorded_plainly(
    provider: Provider, upstream: Upstream
) -> None:
    path, body = PATHS["responses"]
    provider.says(b"{}", kind="application/json")
    async with proxied(upstream) as (proxy, client):
        for name, pack in (("gzip", gzip.compress), ("zstd", zstd.compress)):
            packed = pack(json.dumps(body).encode())
            await client.post(path, content=packed, headers={"content-encoding": name})
            assert provider.heard[-1][3] == packed
            assert provider.heard[-1][2]["content-encoding"] == name
    assert [json.loads(bytes(exchange.request.body)) for exchange in proxy.exchanges] == [body, body]


@pytest.mark.anyio
async def test_dollars_are_counted_by_the_table_of_prices(provider: Provider, upstream: Upstream) -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=0)
    reply = DIALECTS["anthropic"].whole(Message(role="assistant", text="x", usage=usage), {}, MADE)
    provider.says(json.dumps(reply | {"model": "claude-sonnet-4-5"}).encode(), kind="application/json")
    async with proxied(upstream, budget=Budget(usd=0.5)) as (proxy, client):
        asked = HI | {"model": "claude-sonnet-4-5"}
        assert (await client.post("/v1/messages", json=asked)).status_code == 200
        assert (await client.post("/v1/messages", json=asked)).status_code == 403
    assert proxy.account.usd > 0.5
    assert proxy.exchanges[0].reply.usage.usd == proxy.account.usd


REMOTE: list[tuple[dict[str, Any], str]] = [
    ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "tools[0] (web_search_20250305)"),
    ({"tools": [{"type": "function"}, {"type": "web_search"}]}, "tools[1] (web_search)"),
    ({"tools": [{"type": "mcp", "server_url": "https://x"}]}, "tools[0] (mcp)"),
    (
        {"tools": [{"type": "namespace", "tools": [{"type": "code_interpreter"}]}]},
        "tools[0].tools[0] (code_interpreter)",
    ),
    ({"tools": [{"functionDeclarations": []}, {"googleSearch": {"a": 1}}]}, "tools[1].googleSearch"),
    ({"mcp_servers": [{"url": "https://x"}]}, "mcp_servers"),
    ({"messages": [{"content": [{"image_url": {"url": "https://x/?leak"}}]}]}, "messages[0].content[0].image_url.url"),
    (
        {"messages": [{"content": [{"source": {"type": "url", "url": "http://x"}}]}]},
        "messages[0].content[0].source.url",
    ),
    ({"contents": [{"parts": [{"fileData": {"fileUri": "gs://x"}}]}]}, "contents[0].parts[0].fileData.fileUri"),
    ({"input": [{"content": [{"type": "input_file", "file_url": "https://x"}]}]}, "input[0].content[0].file_url"),
]


@pytest.mark.parametrize(("body", "place"), REMOTE)
def test_what_would_reach_the_network_is_named(body: dict[str, Any], place: str) -> None:
    assert place in reaches_out(body)


@pytest.mark.parametrize(
    "body",
    [
        {"tools": [{"name": "bash", "input_schema": {"properties": {"url": {"type": "string"}}}}]},
        {
            "tools": [
                {"type": "function", "function": {"name": "x"}},
                {"type": "custom", "name": "y"},
                {"type": "bash_20250124"},
            ]
        },
        {"messages": [{"content": [{"type": "tool_use", "input": {"url": "https://x"}}]}]},
        {
            "messages": [
                {"content": [{"image_url": {"url": "data:image/png;base64,AA=="}}]},
                {"content": "see https://x"},
            ]
        },
        {"contents": [{"parts": [{"functionCall": {"args": {"url": "https://x"}}}, {"text": "https://x"}]}]},
    ],
)
def test_what_stays_at_the_client_is_not(body: dict[str, Any]) -> None:
    assert reaches_out(body) == []


@pytest.mark.anyio
async def test_the_network_behind_a_provider_is_closed_unless_it_is_opened(
    provider: Provider, upstream: Upstream
) -> None:
    asked = HI | {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}
    provider.says(b"{}", kind="application/json")
    async with proxied(upstream) as (_, client):
        refused = await client.post("/v1/messages", json=asked)
        assert (refused.status_code, "server_tools=True" in error_of(refused)) == (403, True)
        assert provider.heard == []
    async with proxied(upstream, limits=ProxyLimits(server_tools=True)) as (_, client):
        assert (await client.post("/v1/messages", json=asked)).status_code == 200


BY_ADDRESS: dict[str, dict[str, Any]] = {
    "chat": {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/?a"}}]}]},
    "responses": {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "https://x/?a"}]}]},
    "anthropic": {
        "messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://x/?a"}}]}]
    },
    "gemini": {"contents": [{"parts": [{"fileData": {"mimeType": "image/png", "fileUri": "https://x/?a"}}]}]},
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", BY_ADDRESS)
async def test_a_picture_by_address_is_refused_by_a_model_too(name: str) -> None:
    async def seen() -> Message:
        return Message(role="assistant", text="I see no picture.")

    path, body = PATHS[name]
    async with proxied(Told(seen), limits=ProxyLimits(server_tools=True)) as (_, client):
        refused = await client.post(path, json={**body, **BY_ADDRESS[name]})
    assert refused.status_code == (400 if name == "responses" else 403)
    assert "send the data itself" in error_of(refused)


@pytest.mark.parametrize("url", ["", "ftp://x", "https://", "https://user:pass@x", "https://x?key=1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ModelError, match="address"):
        Upstream(url=url, key=KEY)


def test_the_record_reads_back(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert read_exchanges(empty) == []


@pytest.mark.anyio
async def test_who_goes_after_the_last_word_has_heard_all(provider: Provider, upstream: Upstream) -> None:
    path, body = PATHS["anthropic"]
    data = b"".join(DIALECTS["anthropic"].stream(ANSWER, {}, MADE))
    provider.says(data, hold=True)
    async with proxied(upstream) as (proxy, client):
        async with client.stream("POST", path, json={**body, "stream": True}) as reply:
            async for piece in reply.aiter_bytes():
                if b"message_stop" in piece:
                    break
        await until(lambda: proxy.exchanges[0].reply)
        provider.release.set()
    reply = proxy.exchanges[0].reply
    assert (reply.error, reply.stop, reply.usage.output_tokens) == ("", "calls", 30)
    assert proxy.account.tokens == 100
