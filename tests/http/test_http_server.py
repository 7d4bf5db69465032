"""The small HTTP server: every request that two could read in two ways is refused, and nobody is waited for without end."""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

import anyio
import pytest
from hypothesis import given, settings, strategies as st

from honestly.http import Connection, Head, HttpLimits, Peer, Refusal, Reply, connection_requests, serve

LIMITS = HttpLimits(head_bytes=1000, body_bytes=50, connections=2)
HURRIED = HttpLimits(idle_s=0.2, stall_s=0.2)
HEAD = b"POST /path?q HTTP/1.1\r\nHost: a\r\nX-Two:  words here \r\n"
GET = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"


async def heard(*pieces: bytes, end: bool = True, limits: HttpLimits = LIMITS) -> tuple[Head | None, bytes]:
    """The request that comes in pieces, and its body."""
    here, there = socket.socketpair()
    connection, client = Connection(there, limits), Peer(here, 5.0)

    async def say() -> None:
        with suppress(OSError):  # refused before all was said
            for piece in pieces:
                await client.send(piece)
            if end:
                client.end_sending()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(say)
            try:
                head = await connection.next_head()
                return head, b"".join([piece async for piece in connection.body(ask=False)] if head else [])
            except Refusal as error:
                refusal = error
            finally:
                connection.peer.close()
    finally:
        client.close()
    raise refusal


@asynccontextmanager
async def serving(limits: HttpLimits = LIMITS, most: int = 1000) -> AsyncIterator[tuple[str, int]]:
    """A server that answers with the body that it was sent, or tunnels what comes back to where it came from."""

    async def attend(connection: Connection) -> None:
        async for head in connection_requests(connection):
            if head.method == "CONNECT":
                async for data in connection.accept_tunnel():
                    await connection.peer.send(data.upper())
                return
            reply = Reply(connection, limit=40)
            try:
                body = b"".join([piece async for piece in connection.body(ask=True)])
                await reply.send_whole(200, head.target.encode() + b" " + body, kind="text/plain")
            except Refusal as refusal:
                if reply.status:
                    raise ConnectionAbortedError from refusal
                await reply.send_whole(refusal.status, b"refused")

    listener = socket.create_server(("127.0.0.1", 0))
    async with anyio.create_task_group() as group:
        group.start_soon(partial(serve, listener, limits, attend, most=most))
        yield listener.getsockname()
        group.cancel_scope.cancel()


async def told(place: tuple[str, int], data: bytes, *, end: bool = False) -> bytes:
    """What comes back for bytes until the server closes the connection."""
    async with await anyio.connect_tcp(*place) as stream:
        await stream.send(data)
        if end:
            await stream.send_eof()
        found = b""
        try:
            async for piece in stream:
                found += piece
        except anyio.BrokenResourceError:
            pass
        return found


@pytest.mark.anyio
async def test_a_request_is_read_the_same_in_whatever_pieces_it_comes() -> None:
    whole = HEAD + b"content-length: 5\r\n\r\nhello"
    expected = (("host", "a"), ("x-two", "words here"), ("content-length", "5"))
    for size in (1, 2, 7, len(whole)):
        head, body = await heard(*(whole[at : at + size] for at in range(0, len(whole), size)))
        assert head == Head("POST", "/path?q", expected)
        assert head.header_value("x-two") == "words here"
        assert body == b"hello"
    assert (await heard(b"", end=True))[0] is None


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\nhost: a\n\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a\n\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a\rx: y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a\r\nx: \x01\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a\r\nx : y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET  / HTTP/1.1\r\nhost: a\r\n\r\n", 400),
        (b"GET / HTTP/2\r\nhost: a\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\nhost: a\r\n\r\n", 505),
        (b"GET / HTTP/1.1\r\nhost: a", 400),
        (b"\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00", 400),
        (HEAD + b"x: " + b"y" * 1000, 431),
        (HEAD + b"content-length: +1\r\n\r\na", 400),
        (HEAD + b"content-length: 1, 1\r\n\r\na", 400),
        (HEAD + b"content-length: 1\r\nContent-Length: 1\r\n\r\na", 400),
        (HEAD + b"content-length: 1\r\nTransfer-Encoding: chunked\r\n\r\na", 400),
        (HEAD + b"transfer-encoding: gzip, chunked\r\n\r\na", 400),
        (HEAD + b"transfer-encoding: identity\r\n\r\na", 501),
        (HEAD + b"content-length: 51\r\n\r\n" + b"a" * 51, 413),
        (HEAD + b"transfer-encoding: chunked\r\n\r\n33\r\n" + b"a" * 51 + b"\r\n0\r\n\r\n", 413),
        (HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n", 400),
        (HEAD + b"content-length: 5\r\n\r\nabc", 400),
    ],
)
@pytest.mark.anyio
async def test_what_is_ambiguous_broken_or_too_long_is_refused(data: bytes, status: int) -> None:
    for pieces in ([data], [data[at : at + 1] for at in range(len(data))]):
        with pytest.raises(Refusal) as refused:
            await heard(*pieces)
        assert refused.value.status == status


@pytest.mark.anyio
async def test_what_does_not_come_is_not_waited_for() -> None:
    assert await heard(end=False, limits=HURRIED) == (None, b"")
    for data in (b"GET / HT", HEAD + b"content-length: 5\r\n\r\nabc"):
        with pytest.raises(Refusal) as refused:
            await heard(data, end=False, limits=HURRIED)
        assert refused.value.status == 408


@pytest.mark.anyio
async def test_one_connection_serves_many_requests_and_those_sent_ahead_are_judged_too() -> None:
    post = HEAD + b"content-length: 2\r\n\r\nhi"
    asks = HEAD + b"Expect: 100-continue\r\ntransfer-encoding: chunked\r\n\r\n2\r\nho\r\n0\r\n\r\n"
    async with serving() as place:
        found = await told(place, GET + post + asks + b"GET / HTTP/1.1\nhost: a\n\n", end=True)
    assert re.findall(rb"HTTP/1.1 (\d+)", found) == [b"200", b"200", b"100", b"200", b"400"]
    assert found.count(b"/path?q hi") == found.count(b"/path?q ho") == 1
    assert found.endswith(
        b'{"error": {"message": "this is not a request that is understood here: its head is malformed"}}'
    )


@pytest.mark.anyio
async def test_a_tunnel_takes_over_with_what_was_sent_ahead() -> None:
    async with serving() as place:
        found = await told(place, b"CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\nahead\n", end=True)
    assert found == b"HTTP/1.1 200 Connection established\r\n\r\nAHEAD\n"


@pytest.mark.anyio
async def test_a_reply_that_is_too_long_breaks_off_and_a_client_that_is_gone_harms_nobody() -> None:
    async with serving() as place:
        found = await told(place, b"GET /" + b"y" * 60 + b" HTTP/1.1\r\nhost: a\r\n\r\n")
        assert b"yyyy" not in found.partition(b"\r\n\r\n")[2]
        for _ in range(5):
            async with await anyio.connect_tcp(*place) as stream:
                await stream.send(GET)
        assert (await told(place, GET, end=True)).startswith(b"HTTP/1.1 200")


@pytest.mark.anyio
async def test_who_finds_no_room_waits_and_after_the_last_nobody_is_let_in() -> None:
    async with serving(HttpLimits(connections=1), most=2) as place:
        async with await anyio.connect_tcp(*place) as first:
            await first.send(GET)
            await first.receive()
            answers: list[bytes] = []

            async def second() -> None:
                answers.append(await told(place, GET, end=True))

            async with anyio.create_task_group() as group:
                group.start_soon(second)
                await anyio.sleep(0.05)
                assert not answers
                await first.aclose()
        assert answers[0].startswith(b"HTTP/1.1 200")
        with pytest.raises(OSError, match="connect"):
            await anyio.connect_tcp(*place)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.sampled_from([GET, HEAD, b"\r\n", b"\n", b" ", b"\r", b"content-length: 3", b"abc"]) | st.binary(max_size=9)
    )
)
def test_any_bytes_are_requests_or_refused(pieces: Sequence[bytes]) -> None:
    async def listen() -> None:
        with suppress(Refusal):
            head, _ = await heard(*pieces)
            assert head is None or re.fullmatch(r"[!-~]+", head.target)

    anyio.run(listen)
