"""The proxy among strangers: tokens, bounds, slow and broken clients, failures of the model, what may be spent."""

from __future__ import annotations

import json
import re
import socket
from functools import partial

import anyio
import pytest
from hypothesis import given, settings, strategies as st
from proxies import HI, PATHS, TOKEN, Told, error_of, post, proxied, raw, until

from honestly.errors import BudgetError, ModelError
from honestly.models import Account, Budget, Message, Proxy, ProxyLimits, ScriptedModel, assistant_message, proxy_turn
from honestly.models.proxy._question import DIALECTS
from honestly.records import Usage

COSTS = Usage(input_tokens=60, output_tokens=40)


def always(text: str = "Hello.", usage: Usage = COSTS) -> Told:
    async def answer() -> Message:
        return assistant_message(text, usage=usage)

    return Told(answer)


@pytest.mark.anyio
async def test_whoever_shows_the_token_is_answered_and_nobody_else() -> None:
    async with proxied(always()) as (proxy, client):
        del client.headers["x-api-key"]
        path, body = PATHS["gemini"]
        ways = [
            {"authorization": f"Bearer {TOKEN}"},
            {"authorization": f"bearer {TOKEN}"},
            {"x-api-key": TOKEN},
            {"x-goog-api-key": TOKEN},
            {"api-key": TOKEN},
            {"x-api-key": "something-else", "authorization": f"Bearer {TOKEN}"},
        ]
        for headers in ways:
            assert (await client.post(path, json=body, headers=headers)).status_code == 200
        assert (await client.post(path, params={"key": TOKEN}, json=body)).status_code == 200
        wrong = [{}, {"x-api-key": TOKEN[:-1]}, {"x-api-key": TOKEN + "x"}, {"authorization": TOKEN}, {"api-key": "ä"}]
        for headers in wrong:
            for name, (path, body) in PATHS.items():
                refused = await client.post(path, json=body, headers={k: v.encode() for k, v in headers.items()})
                assert refused.status_code == 401
                assert "token" in error_of(refused)
                assert refused.json() == DIALECTS[name].error(401, error_of(refused))
        assert (await client.get("/anything/else")).status_code == 401
        assert proxy.account.calls == len(ways) + 1
    assert TOKEN not in str([exchange.request.path for exchange in proxy.exchanges])


@pytest.mark.parametrize("token", ["", "short", "with a space in it.", "fünfzehn-zeichen-und-mehr", "a\r\nb" * 9])
def test_a_token_that_cannot_be_one_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="token"):
        Proxy(always(), token=token)


@pytest.mark.anyio
async def test_what_is_too_large_or_malformed_is_refused_and_the_rest_goes_on() -> None:
    limits = ProxyLimits(body_bytes=2000, head_bytes=3000)
    async with proxied(always(), limits=limits) as (_, client):
        url = str(client.base_url)
        path, body = PATHS["anthropic"]
        good = json.dumps(body).encode()
        for data, status in [
            (post(path, bytes(5000)), 413),
            (post(path, b"{" * 1000), 400),
            (post(path, b'{"model": "m", "model": "n", "messages": []}'), 400),
            (post(path, b'{"model": "m", "messages": "Hi"}'), 400),
            (post(path, b"[]"), 400),
            (post(path, b"\xff\xfe"), 400),
            (post(path, good, "content-encoding: br"), 415),
            (post(path, good, "content-encoding: gzip"), 400),
            (post(path, good, "content-encoding: zstd"), 400),
            (post(path, good, f"x: {'y' * 5000}"), 431),
            (b"GARBAGE\r\n\r\n", 400),
            (b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", 400),
        ]:
            answer = await raw(url, data)
            assert answer.startswith(b"HTTP/1.1 %d " % status), (data[:60], answer[:200])
            assert b"error" in answer
        assert (await client.post(path, json=body)).status_code == 200


@pytest.mark.anyio
async def test_a_compressed_bomb_is_not_unpacked() -> None:
    import gzip

    bomb = gzip.compress(bytes(50 << 20))
    async with proxied(always(), limits=ProxyLimits(body_bytes=1 << 20)) as (_, client):
        answer = await raw(str(client.base_url), post("/v1/messages", bomb, "content-encoding: gzip"))
    assert answer.startswith(b"HTTP/1.1 413 ")


@pytest.mark.anyio
async def test_a_connection_serves_one_request_after_the_other() -> None:
    path, body = PATHS["chat"]
    data = json.dumps(body).encode()
    head = f"HEAD / HTTP/1.1\r\nhost: x\r\nx-api-key: {TOKEN}\r\n\r\n".encode()
    async with proxied(always()) as (proxy, client):
        last = post(path, data, "connection: close")
        answer = await raw(str(client.base_url), head + post(path, data, "expect: 100-continue") + last, end=False)
        old = await raw(str(client.base_url), post(path, data).replace(b"HTTP/1.1", b"HTTP/1.0"), end=False)
    assert re.findall(rb"HTTP/1\.1 (\d+) ", answer) == [b"404", b"100", b"200", b"200"]
    assert old.startswith(b"HTTP/1.1 200")
    assert [exchange.request.n for exchange in proxy.exchanges] == [0, 1, 2, 3]


@pytest.mark.anyio
async def test_slow_clients_are_not_waited_for() -> None:
    path, body = PATHS["chat"]
    data = post(path, json.dumps(body).encode())
    texts = iter(["x" * 9_000_000])

    async def answer() -> Message:
        return assistant_message(next(texts, "Hello."), usage=COSTS)

    async with proxied(Told(answer), limits=ProxyLimits(connections=4, stall_s=0.3)) as (proxy, client):
        place = (client.base_url.host, client.base_url.port)
        with socket.create_connection(place), socket.create_connection(place) as half, socket.socket() as deaf:
            half.sendall(data[:-5])
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(place)
            deaf.sendall(data)
            await until(lambda: proxy.account.calls)
            for _ in range(5):  # more than there is room for beside the three
                assert (await client.post(path, json=body, headers={"connection": "close"})).status_code == 200
            await until(lambda: len([True for exchange in proxy.exchanges if exchange.reply]) == 7)
    errors = [exchange.reply.error for exchange in proxy.exchanges]
    assert sum("took nothing" in error for error in errors) == 1
    assert sum("did not come" in error for error in errors) == 1
    assert errors.count("") == 5


@pytest.mark.anyio
async def test_a_connection_on_which_nothing_comes_is_closed() -> None:
    async with proxied(always(), limits=ProxyLimits(idle_s=0.05)) as (_, client):
        assert await raw(str(client.base_url), b"", end=False) == b""


@pytest.mark.anyio
async def test_who_hangs_up_is_not_answered_any_more() -> None:
    model = Told(anyio.sleep_forever)
    path, body = PATHS["responses"]
    async with proxied(model) as (proxy, client):
        with socket.create_connection((client.base_url.host, client.base_url.port)) as gone:
            gone.sendall(post(path, json.dumps(body).encode()))
            await until(lambda: proxy.account.calls)
        await until(lambda: proxy.exchanges[0].reply)
    reply = proxy.exchanges[0].reply
    assert (reply.status, reply.error) == (0, "the client hung up")
    assert model.cancelled == 1


@pytest.mark.anyio
async def test_who_hangs_up_on_a_refusal_does_not_hide_why_it_came() -> None:
    path, body = PATHS["chat"]
    why = "overloaded " * (1 << 20)  # more than a socket takes at once, so that the client goes while it is being told

    async def fail() -> Message:
        raise ModelError(why, transient=True, status=529)

    async with proxied(Told(fail)) as (proxy, client):
        with socket.create_connection((client.base_url.host, client.base_url.port)) as gone:
            gone.sendall(post(path, json.dumps(body).encode()))
            await anyio.wait_readable(gone)
        await until(lambda: proxy.exchanges[0].reply)
    assert proxy.exchanges[0].reply.error.startswith("overloaded")


@pytest.mark.anyio
async def test_closing_ends_what_is_under_way_and_records_it() -> None:
    model = Told(anyio.sleep_forever)
    path, body = PATHS["chat"]
    async with anyio.create_task_group() as group, proxied(model) as (proxy, client):
        group.start_soon(partial(raw, end=False), str(client.base_url), post(path, json.dumps(body).encode()))
        await until(lambda: proxy.account.calls)
    assert [exchange.reply.error for exchange in proxy.exchanges] == ["the proxy was closed"]


@pytest.mark.anyio
async def test_the_error_of_whoever_uses_it_is_raised_as_it_is() -> None:
    with pytest.raises(KeyError, match="mine"):
        async with proxied(always()):
            raise KeyError("mine")


@pytest.mark.anyio
@pytest.mark.parametrize("name", PATHS)
async def test_a_model_that_fails_is_told_in_the_dialect(name: str) -> None:
    failures = [
        (ModelError("overloaded", transient=True, status=529, retry_after_s=2.5), 529),
        (ModelError("no network", transient=True), 503),
        (ModelError("the script is over"), 400),
        (BudgetError("spent"), 403),
        (ZeroDivisionError("a bug"), 500),
    ]
    left = iter([error for error, _ in failures])

    async def fail() -> Message:
        raise next(left)

    path, body = PATHS[name]
    async with proxied(Told(fail)) as (proxy, client):
        for error, status in failures:
            reply = await client.post(path, json=body)
            status = 400 if (name, status) == ("responses", 403) else status  # after which Codex does not ask again
            assert reply.status_code == status
            assert reply.json() == DIALECTS[name].error(status, error_of(reply))
            shown = "an error in the proxy" if status == 500 else str(error)
            assert shown in error_of(reply)
            assert reply.headers.get("retry-after") == ("3" if status == 529 else None)
    assert "ZeroDivisionError" in proxy.exchanges[-1].reply.error
    assert proxy.account.failed == len(failures)


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["chat", "responses", "anthropic"])
async def test_a_stream_is_kept_alive_until_the_model_answers_or_fails(name: str) -> None:
    gate = [anyio.Event(), anyio.Event()]
    answers = iter(gate)

    async def answer() -> Message:
        event = next(answers)
        await event.wait()
        if event is gate[1]:
            raise ModelError("overloaded", transient=True, status=529)
        return assistant_message("Late.", usage=COSTS)

    path, body = PATHS[name]
    kept = {"chat": b": ", "responses": b": ", "anthropic": b"event: ping"}[name]
    async with proxied(Told(answer), limits=ProxyLimits(patience_s=0.01)) as (proxy, client):
        for event in gate:
            async with client.stream("POST", path, json={**body, "stream": True}) as reply:
                assert reply.status_code == 200
                found = b""
                async for piece in reply.aiter_bytes():
                    found += piece
                    if found.count(kept) >= 2:
                        event.set()
            assert found.startswith(kept)
    late, failed = [proxy_turn(exchange) for exchange in proxy.exchanges]
    assert late.message.text == "Late."
    assert b"overloaded" in found
    assert failed.message is None
    assert "overloaded" in proxy.exchanges[1].reply.error


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("budget", "served"), [(Budget(calls=3), 3), (Budget(tokens=250), 3), (Budget(tokens=200), 2), (Budget(usd=0.5), 2)]
)
async def test_a_budget_is_passed_by_at_most_one_call(budget: Budget, served: int) -> None:
    account = Account(budget)
    usage = Usage(input_tokens=60, output_tokens=40, usd=0.3)
    statuses: list[int] = []
    async with proxied(always(usage=usage), budget=account) as (proxy, client):

        async def ask() -> None:
            path, body = PATHS["chat"]
            reply = await client.post(path, json=body)
            statuses.append(reply.status_code)
            if reply.status_code != 200:
                assert reply.status_code == 403
                assert "budget" in error_of(reply)

        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(ask)
    assert sorted(statuses) == [200] * served + [403] * (6 - served)
    assert proxy.account is account
    assert (account.calls, account.tokens) == (served, served * 100)


@pytest.mark.anyio
async def test_who_does_not_count_is_counted_by_bytes() -> None:
    async with proxied(always("y" * 3000, usage=Usage()), budget=Budget(tokens=900)) as (proxy, client):
        path, body = PATHS["chat"]
        assert (await client.post(path, json=body)).status_code == 200
        assert proxy.account.tokens > 1000
        assert (await client.post(path, json=body)).status_code == 403
    assert proxy.exchanges[0].reply.usage == Usage()


@pytest.mark.anyio
async def test_only_models_on_the_list_may_be_asked_for() -> None:
    async with proxied(always(), allow=("m", "claude-*")) as (_, client):
        for name, (path, body) in PATHS.items():
            assert (await client.post(path, json=body)).status_code == 200
            other = await client.post(path.replace("models/m", "models/other"), json=body | {"model": "other"})
            assert other.status_code == 404
            assert other.json() == DIALECTS[name].error(404, error_of(other))
        assert (await client.post("/v1/messages", json=HI | {"model": "claude-x"})).status_code == 200
        listed = await client.get("/v1/models")
        assert [entry["id"] for entry in listed.json()["data"]] == ["m"]
        assert (await client.get("/v1/models/m")).json()["id"] == "m"
        assert (await client.get("/v1/models/none")).status_code == 404
        gemini = await client.get("/v1beta/models")
        assert [entry["name"] for entry in gemini.json()["models"]] == ["models/m"]


@pytest.mark.anyio
async def test_what_a_provider_wants_back_never_reaches_the_client() -> None:
    model = ScriptedModel([Message(role="assistant", text="Signed.", opaque=b'{"signature": "canary"}'), "Done."])
    async with proxied(model) as (proxy, client):
        path, body = PATHS["chat"]
        said = (await client.post(path, json=body)).json()["choices"][0]["message"]
        turns = [*body["messages"], said, {"role": "user", "content": "Go on."}]
        assert (await client.post(path, json=body | {"messages": turns})).status_code == 200
    assert b"canary" not in json.dumps(said).encode()
    assert "canary" not in str(proxy.exchanges)
    assert model.asked[1][0][1].opaque == b'{"signature": "canary"}'


@pytest.mark.anyio
async def test_odd_targets_and_bodies_are_answered() -> None:
    body = json.dumps(HI).encode()
    deep = b'{"model": "m", "zz": ' + b"[" * 900 + b"]" * 900 + b', "messages": [{"role": "user", "content": "x"}]}'
    odd = [
        *(
            post(target, body)
            for target in ("//[::1", "http://[::1/v1/messages", "/v1/messages?key=%E2%82%AC", "*", "?", "/%00")
        ),
        *(
            post(target, body)
            for target in ("http://x/v1/messages", "/v1beta/models/%F0%9F%98:generateContent", "/v1//messages?&&=")
        ),
        post("/v1/messages", deep),
        post(
            "/v1/messages", b'{"model": "\\ud800", "\\udfff": 1, "messages": [{"role": "user", "content": "\\ud83d"}]}'
        ),
        post("/v1/messages", b'{"model": ["m"], "stream": "yes", "messages": 1e999, "temperature": NaN}'),
        post("/v1/messages", b'{"model": "m", "max_tokens": 1e308, "messages": [{"role": "user", "content": "x"}]}'),
        post("/v1/messages", b'{"model": "m", "max_tokens": NaN, "messages": [{"role": "user", "content": "x"}]}'),
        post("/v1/messages", b"1" * 5000),
        post("/v1/messages", body, "x-odd: \u00ff\u00fe"),
    ]
    async with proxied(always()) as (proxy, client):
        for data in odd:
            closing = data.replace(b"\r\n", b"\r\nconnection: close\r\n", 1)
            answer = await raw(str(client.base_url), closing, end=False)
            assert answer.startswith(b"HTTP/1.1 "), data[:80]
            assert not answer.startswith(b"HTTP/1.1 5"), (data[:80], answer[:200])
        assert proxy.errors == []
        assert len(proxy.exchanges) == len(odd)


FRAGMENTS = [
    *(
        b"POST ",
        b"GET ",
        b"/v1/messages",
        b"/v1/responses",
        b"/v1beta/models/m:generateContent",
        b"?key=x",
        b" HTTP/1.1",
    ),
    *(b"\r\n", b"\n", b"\r\n\r\n", b"content-length: 5", b"transfer-encoding: chunked", b"5\r\nhello\r\n0\r\n\r\n"),
    *(b"x-api-key: " + TOKEN.encode(), b"content-encoding: gzip", b"expect: 100-continue", b"connection: close", b"\0"),
    *(
        b'{"model": "m", "stream": true, "messages": [{"role": "user", "content": "',
        b'"}]}',
        b"[" * 50,
        b"\xff\x80",
        b"%00",
    ),
    *(b"host: x", b"upgrade: h2c", b"/v1/models", b"//", b"HEAD ", b"content-type: application/json", b"[::1"),
]


@pytest.mark.slow
def test_no_bytes_crash_it() -> None:
    pieces = st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=8), max_size=14)

    @settings(max_examples=25, deadline=None)
    @given(found=st.lists(pieces.map(b"".join), min_size=1, max_size=8), good=st.booleans())
    def attack(found: list[bytes], good: bool) -> None:
        heads = [post("/v1/messages", piece) if good else piece for piece in found]
        anyio.run(attacked, heads)

    async def attacked(found: list[bytes]) -> None:
        limits = ProxyLimits(stall_s=0.1, idle_s=0.1)
        async with proxied(always(), limits=limits) as (proxy, client):
            async with anyio.create_task_group() as group:
                for data in found:
                    group.start_soon(raw, str(client.base_url), data)
            path, body = PATHS["chat"]
            assert (await client.post(path, json=body)).status_code == 200
            assert not [e.reply for e in proxy.exchanges if e.reply and e.reply.status >= 500]
            assert proxy.errors == []

    attack()
