"""The proxy outside: it accepts what comes to a socket inside, and connects to what the list allows.

The listening socket was made in the box's network namespace, which it stays part of; the proxy holds it outside. So the
box needs no route and no helper inside, and reaches nothing else. The proxy runs in a thread with an event loop of its
own: a busy program does not hold it up, and it needs no task group of the program's.

Nothing is decrypted. A plain request is read and written anew (`_request.py`), one to a connection, so that none goes
unlogged; a body is passed on to its announced length.
"""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial

import anyio
import h11

from honestly.http import Connection, HttpLimits, Peer, Refusal, Reply, serve
from honestly.sandbox._egress import Egress, EgressRequest
from honestly.sandbox._request import Onward, read_request

PROXY_PORT = 3128
"""Where the proxy is found inside, on the loopback."""

_HEAD_S, _CONNECT_S = 30.0, 20.0
_NOWHERE = Onward("", "", 0, b"")
_Place = tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]


def proxy_variables() -> dict[str, str]:
    """The variables by which programs find the proxy."""
    url, own = f"http://127.0.0.1:{PROXY_PORT}", "localhost,127.0.0.1,::1"
    names = {"http_proxy": url, "https_proxy": url, "no_proxy": own}
    return names | {name.upper(): value for name, value in names.items()}


@dataclass(slots=True)
class _Exchange:
    """One connection of the code inside, as it will be logged."""

    began: float = field(default_factory=time.time)
    asked: Onward = _NOWHERE
    allowed: bool = False
    reason: str = ""
    sent: int = 0
    received: int = 0
    moved: float = 0.0
    """When the last byte came, by the loop's clock."""

    def break_off(self, reason: str) -> None:
        """Note why it ended; the first reason is the true one, what follows from it is not."""
        self.reason = self.reason or reason


class Proxy:
    """A running proxy."""

    def __init__(self, listener: socket.socket, egress: Egress) -> None:
        """Start it on a listening socket, which it takes over."""
        self._listener = listener
        self._egress = egress
        self._left = egress.max_bytes
        self._taken = 0
        self._failure: Exception | None = None
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run_loop, name="honestly-egress", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections and the proxy, and wait for both; idempotent.

        Raises:
            Exception: What the log has raised, once.
        """
        if self._thread.is_alive():
            with suppress(RuntimeError):  # it has just ended
                self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
        failure, self._failure = self._failure, None
        if failure:
            raise failure

    def _run_loop(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _serve(self) -> None:
        egress = self._egress
        limits = HttpLimits(
            connections=egress.max_connections, body_bytes=egress.max_bytes, idle_s=_HEAD_S, stall_s=egress.idle_s
        )
        async with anyio.create_task_group() as group:
            group.start_soon(partial(serve, self._listener, limits, self._attend_client, most=egress.max_requests))
            await self._stopping.wait()
            group.cancel_scope.cancel()

    async def _attend_client(self, connection: Connection) -> None:
        """Serve one client; what goes wrong with the proxy itself, as with its log, ends it."""
        try:
            self._taken += 1
            if self._taken == self._egress.max_requests:
                reason = f"more than {self._taken} requests; no more are taken"
                self._log_exchange(_Exchange(reason=reason), 0.0)
            await self._answer_request(connection)
            await connection.peer.linger_for_reader()
        except Exception as error:  # noqa: BLE001 - raised by `close`
            self._failure = self._failure or error
            self._stopping.set()

    async def _answer_request(self, connection: Connection) -> None:
        """Answer one request, and log it."""
        exchange, clock = _Exchange(), self._loop.time()
        try:
            try:
                await self._exchange_with(exchange, connection)
            except Refusal as refusal:
                exchange.reason = str(refusal)
                text = f"honestly: {refusal}\n".encode(errors="replace")
                await Reply(connection).send_whole(refusal.status, text, [("connection", "close")], "text/plain")
        except (OSError, h11.LocalProtocolError) as error:
            exchange.break_off(f"the connection broke ({error})")
        except asyncio.CancelledError:
            exchange.reason = "the sandbox was closed"
            raise
        finally:
            self._log_exchange(exchange, self._loop.time() - clock)

    def _log_exchange(self, exchange: _Exchange, seconds: float) -> None:
        asked = exchange.asked
        self._egress.log(
            EgressRequest(
                time=exchange.began,
                method=asked.method,
                host=asked.host,
                port=asked.port,
                allowed=exchange.allowed,
                reason=exchange.reason,
                sent=exchange.sent,
                received=exchange.received,
                seconds=seconds,
            )
        )

    async def _exchange_with(self, exchange: _Exchange, connection: Connection) -> None:
        head = await connection.next_head()
        if head is None:
            exchange.reason = "the connection was closed, or idle, before a request came"
            return
        asked = exchange.asked = read_request(head)
        if not self._egress.allows_host(asked.host, asked.port):
            raise Refusal(403, "not on the list")
        with closing(await self._connect(asked)) as server:
            exchange.allowed = True
            if asked.head:
                await server.send(asked.head)
                exchange.sent += len(asked.head)
            await self._relay_both(exchange, connection, server)

    async def _connect(self, asked: Onward) -> Peer:
        """Connect to an address that was checked."""
        try:
            with anyio.fail_after(_CONNECT_S):
                found = await self._loop.getaddrinfo(asked.host, asked.port, type=socket.SOCK_STREAM)
                places = [place for *_, place in found if self._egress.allows_address(str(place[0]), asked.port)]
                if not places:
                    raise Refusal(403, "it is at no public address")
                return await self._connect_first(places, asked.port)
        except TimeoutError as error:
            raise Refusal(502, f"there was no connection within {_CONNECT_S:.0f} s") from error
        except OSError as error:
            raise Refusal(502, f"there was no connection ({error.strerror or error})") from error

    async def _connect_first(self, places: list[_Place], port: int) -> Peer:
        """Connect to the first place that answers; this machine's own addresses must be on the list themselves."""
        failure = OSError("no address")
        for place in places:
            address = str(place[0])
            server = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
            server.setblocking(False)
            try:
                await self._loop.sock_connect(server, place)
                # The kernel takes the destination's own address as the source, whatever name or interface it has.
                own = server.getsockname()[0] == server.getpeername()[0]
                if own and not self._egress.allows_host(address, port):
                    raise Refusal(403, "it is at an address of this machine")
            except BaseException as error:
                server.close()
                if not isinstance(error, OSError):
                    raise
                failure = error
            else:
                return Peer(server, self._egress.idle_s)
        raise failure

    async def _relay_both(self, exchange: _Exchange, connection: Connection, server: Peer) -> None:
        """Pass on both directions to their ends; if one breaks, or both are idle, neither."""
        client, tunnel = connection.peer, not exchange.asked.head
        async with anyio.create_task_group() as group:

            async def move(source: AsyncIterator[bytes], sink: Peer, direction: str) -> None:
                try:
                    async for data in source:
                        size = len(data)
                        exchange.moved = self._loop.time()
                        if size > self._left:
                            exchange.break_off(f"more than {self._egress.max_bytes} bytes")
                            raise ConnectionAbortedError("too much")
                        self._left -= size
                        setattr(exchange, direction, getattr(exchange, direction) + size)
                        await sink.send(data)
                    if tunnel or sink is client:  # to some servers, a plain request that is half closed is given up
                        sink.end_sending()
                except (OSError, Refusal) as error:
                    exchange.break_off(f"the connection broke ({error})")
                    group.cancel_scope.cancel()

            exchange.moved = self._loop.time()
            group.start_soon(self._watch, exchange, group.cancel_scope)
            async with anyio.create_task_group() as both:
                upward = connection.accept_tunnel() if tunnel else connection.body(ask=False)
                both.start_soon(move, upward, server, "sent")
                both.start_soon(move, server.remaining_bytes(), client, "received")
            group.cancel_scope.cancel()

    async def _watch(self, exchange: _Exchange, scope: anyio.CancelScope) -> None:
        idle_s = self._egress.idle_s
        while (left := exchange.moved + idle_s - self._loop.time()) > 0:  # noqa: ASYNC110 - bytes set no event
            await anyio.sleep(left)
        exchange.break_off(f"idle for {idle_s:.0f} s")
        scope.cancel()
