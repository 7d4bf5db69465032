"""The record: exact, there after a crash, packed or plain; and the same trial once more from it."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from proxies import HI, PATHS, TOKEN, Told, proxied

from honestly.errors import FormatError, StoreError
from honestly.models import (
    Exchange,
    Message,
    ProxyLimits,
    ProxyRequest,
    Recorded,
    ScriptedModel,
    assistant_message,
    proxy_turn,
    read_exchanges,
    tool_call,
)
from honestly.models.proxy._record import Recorder, json_or_text
from honestly.records import Usage, encode


def numbered() -> ScriptedModel:
    return ScriptedModel(
        [
            assistant_message(f"Answer {n}.", tool_call("bash", command=f"echo {n}"), usage=Usage(input_tokens=n + 1))
            for n in range(8)
        ]
    )


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["record.jsonl", "record.jsonl.zst"])
async def test_everything_is_written_down_as_it_happens(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    async with proxied(numbered(), record=path) as (proxy, client):
        for number, (place, body) in enumerate(PATHS.values()):
            odd = json.dumps({**body, "odd": [1.50, "\u2028", 10**30]}, indent=2).encode()
            await client.post(place, content=odd)
            assert len(read_exchanges(path)) == number + 1
    exchanges = read_exchanges(path)
    assert exchanges == proxy.exchanges
    assert [exchange.request.dialect for exchange in exchanges] == list(PATHS)
    for number, exchange in enumerate(exchanges):
        assert exchange.request.n == number
        assert b"1.5," in bytes(exchange.request.body).replace(b" ", b"")  # as it was sent, not as it was understood
        assert json.loads(bytes(exchange.request.body))["odd"] == [1.5, "\u2028", 10**30]
        assert "odd" in exchange.request.unexpressed
        assert exchange.request.at.endswith("+00:00")
        turn = proxy_turn(exchange)
        assert [message.text for message in turn.asked.messages] == ["Hi"]
        assert turn.message.text == f"Answer {number}."
        assert exchange.reply.usage == Usage(input_tokens=number + 1)
        assert set(exchange.reply.dropped) == {"max_tokens"}  # which a script does not heed
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(StoreError, match="exists"):
        Recorder(path, [], 1 << 20)


KILLED = """
import os, signal, socket, sys
import anyio, httpx2
from pathlib import Path
from honestly.models import Proxy, assistant_message
class Model:
    name, calls = "m", 0
    async def __call__(self, messages, tools=(), settings=None):
        self.calls += 1
        if self.calls > 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return assistant_message(f"Answer {self.calls}.")
async def main():
    async with Proxy(Model(), token="trial-0123456789abcdef", record=Path(sys.argv[1])) as proxy:
        url = proxy.serve(socket.create_server(("127.0.0.1", 0)))
        async with httpx2.AsyncClient(base_url=url, headers={"x-api-key": "trial-0123456789abcdef"}, trust_env=False) as client:
            for _ in range(3):
                await client.post("/v1/messages", json={"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]})
anyio.run(main)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["record.jsonl", "record.jsonl.zst"])
def test_who_is_killed_leaves_all_that_happened(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    first, second, third = read_exchanges(path)
    assert [proxy_turn(exchange).message.text for exchange in (first, second)] == ["Answer 1.", "Answer 2."]
    assert third.reply is None
    assert proxy_turn(third).asked.messages == (Message(role="user", text="Hi"),)
    data = path.read_bytes()
    for cut in range(0, len(data), max(1, len(data) // 40)):  # a disk that was full in the midst of a line
        path.write_bytes(data[:cut])
        found = read_exchanges(path)
        assert [exchange.request for exchange in found] == [each.request for each in (first, second, third)][
            : len(found)
        ]


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    for data in (
        b'{"kind": "other"}\n',
        b"[1]\n",
        b"\xff\n",
        b'{"kind": "reply", "n": 1, "status": "x"}\n',
        b"[" * 9999 + b"\n",
    ):
        path.write_bytes(data)
        with pytest.raises(FormatError, match=r"line 1"):
            read_exchanges(path)
    packed = tmp_path / "other.zst"
    packed.write_bytes(b"not packed")
    with pytest.raises(FormatError, match="not what its name says"):
        read_exchanges(packed)
    with pytest.raises(StoreError, match="cannot be read"):
        read_exchanges(tmp_path / "none")


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": NaN}',
        b'{"a": "\\ud800"}',
        b"\xff",
        b'{"a": 1e999}',
        b"[" * 2000,
        b'"\\u0000"',
        b"{} {}",
        b"1\n2",
        b'"a\nb"',
    ],
)
def test_whatever_comes_can_be_written_down_and_read_again(data: bytes) -> None:
    raw, text = json_or_text(data)
    line = encode(ProxyRequest(n=0, at="", method="", path="", dialect="", operation="", body=raw, text=text))
    again = msgspec.json.decode(line, type=ProxyRequest)
    kept = again.text.encode() if again.text else bytes(again.body)
    assert kept in {data.replace(b"\n", b" "), data.decode("utf-8", "backslashreplace").encode()}


@pytest.mark.anyio
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this machine")
async def test_a_record_that_cannot_be_written_ends_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.O_EXCL", 0)  # a device exists already
    statuses = []

    async def trial() -> None:
        async with proxied(numbered(), record=Path("/dev/full")) as (_, client):
            statuses.extend([(await client.post("/v1/messages", json=HI)).status_code for _ in range(2)])

    with pytest.raises(StoreError, match="could not be written"):
        await trial()
    assert statuses == [200, 403]


@pytest.mark.anyio
async def test_a_full_record_ends_the_trial() -> None:
    async with proxied(numbered(), limits=ProxyLimits(record_bytes=2000)) as (proxy, client):
        statuses = [(await client.post("/v1/messages", json=HI)).status_code for _ in range(6)]
    assert statuses[0] == 200
    assert statuses[-1] == 403
    assert len(encode(proxy.exchanges)) < 5000


async def recorded(stream: bool) -> tuple[list[Exchange], list[bytes]]:
    """A conversation of two turns, and one beside it, in each dialect."""
    replies = []
    async with proxied(numbered()) as (proxy, client):
        for place, body in PATHS.values():
            for text in ("Hi", "Something else"):
                asked = json.loads(json.dumps(body).replace("Hi", text))
                if stream and "contents" not in asked:
                    asked |= {"stream": True} | ({"stream_options": {"include_usage": True}} if "chat" in place else {})
                replies.append((await client.post(place, json=asked)).content)
    return proxy.exchanges, replies


@pytest.mark.anyio
@pytest.mark.parametrize("stream", [False, True])
async def test_a_record_answers_again_byte_for_byte_in_any_order(stream: bool) -> None:
    exchanges, replies = await recorded(stream)
    behind = Recorded(exchanges)
    async with proxied(behind) as (proxy, client):
        for exchange in reversed(exchanges):
            path = next(place for place, _ in PATHS.values() if place.endswith(exchange.request.path))
            again = await client.post(path, content=bytes(exchange.request.body))
            assert again.content == replies[exchange.request.n]
    assert (behind.left, behind.divergences) == (0, [])
    usages = [exchange.reply.usage.input_tokens for exchange in proxy.exchanges]
    assert usages == [exchange.reply.usage.input_tokens for exchange in reversed(exchanges)]


@pytest.mark.anyio
async def test_a_replay_says_where_it_diverged() -> None:
    async with proxied(numbered()) as (proxy, client):
        turns = [{"role": "user", "content": "Fix it."}]
        for n in range(2):
            said = (await client.post("/v1/chat/completions", json={"model": "m", "messages": turns})).json()
            turns += [
                said["choices"][0]["message"],
                {"role": "tool", "tool_call_id": f"call-{n}-0", "content": f"at {n}:00"},
            ]
        other = {"model": "m", "messages": [{"role": "user", "content": "A title?"}]}
        await client.post("/v1/chat/completions", json=other)
    behind = Recorded(proxy.exchanges)
    async with proxied(behind) as (_, client):
        later = json.loads(json.dumps(turns[:3]).replace("at 0:00", f"at 5:00 with {TOKEN}"))
        again = await client.post("/v1/chat/completions", json={"model": "m", "messages": later})
        assert again.json()["choices"][0]["message"]["content"] == "Answer 1."
        assert (await client.post("/v1/chat/completions", json=other)).json()["choices"][0]["message"][
            "content"
        ] == "Answer 2."
        assert behind.left == 1
        assert (await client.post("/v1/messages", json=HI)).status_code == 410
    found, none = behind.divergences
    assert (found.n, found.path, found.recorded) == (1, "messages[2].content", "at 0:00")
    assert found.found.startswith("at 5:00")
    assert none.n is None


@pytest.mark.anyio
async def test_failures_are_replayed_too() -> None:
    from honestly.errors import ModelError

    async def fail() -> Message:
        raise ModelError("overloaded", transient=True, status=529)

    async with proxied(Told(fail)) as (proxy, client):
        before = await client.post("/v1/messages", json=HI)
    async with proxied(Recorded(proxy.exchanges)) as (_, client):
        after = await client.post("/v1/messages", json=HI)
    assert (before.status_code, before.content) == (after.status_code, after.content)
