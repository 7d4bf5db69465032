"""The proxy outside: it accepts what comes to a socket inside, and connects to what the list allows.

The listening socket was made in the box's network namespace, which it stays part of; the proxy holds it outside. So the
box needs no route and no helper inside, and reaches nothing else. The proxy runs in a thread with an event loop of its
own: a busy program does not hold it up, and it needs no task group of the program's.

Nothing is decrypted. A plain request is read and written anew (`_request.py`), one to a connection, so that none goes
unlogged; a body is passed on to its announced length.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass

from honestly.sandbox._egress import Egress, EgressRequest
from honestly.sandbox._request import Head, RequestError, read_head

__all__ = ["PROXY_PORT", "Proxy", "proxy_variables"]

PROXY_PORT = 3128
"""Where the proxy is found inside, on the loopback."""

_MOST_HEAD = 1 << 16
_CHUNK = 1 << 16
_HEAD_S, _CONNECT_S = 30.0, 20.0
_REASONS = {
    400: "Bad Request",
    403: "Forbidden",
    502: "Bad Gateway",
}


def proxy_variables() -> dict[str, str]:
    """The variables by which programs find the proxy."""
    url, own = f"http://127.0.0.1:{PROXY_PORT}", "localhost,127.0.0.1,::1"
    names = {"http_proxy": url, "https_proxy": url, "no_proxy": own}
    return names | {name.upper(): value for name, value in names.items()}


class _Refused(Exception):  # noqa: N818 - an answer
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(slots=True)
class _Exchange:
    """One connection of the code inside, as it will be logged."""

    began: float
    head: Head | None = None
    allowed: bool = False
    reason: str = ""
    sent: int = 0
    received: int = 0
    moved: float = 0.0
    """When the last byte came, by the loop's clock."""


class Proxy:
    """A running proxy."""

    def __init__(self, listener: socket.socket, egress: Egress) -> None:
        """Start it on a listening socket, which it takes over."""
        self._listener = listener
        self._egress = egress
        self._left = egress.max_bytes
        self._tasks: set[asyncio.Task[None]] = set()
        self._room = asyncio.Semaphore(egress.max_connections)
        self._failure: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="honestly-egress", daemon=True)
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

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _serve(self) -> None:
        self._listener.setblocking(False)
        accepting = self._loop.create_task(self._accept())
        accepting.add_done_callback(self._check)
        await self._stopping.wait()
        for task in (accepting, *self._tasks):
            task.cancel()
        await asyncio.gather(accepting, *self._tasks, return_exceptions=True)
        self._listener.close()

    async def _accept(self) -> None:
        for _ in range(self._egress.max_requests):
            await self._room.acquire()  # who finds no room waits inside, and costs nothing here
            peer, _ = await self._loop.sock_accept(self._listener)
            reader, writer = await asyncio.open_connection(sock=peer, limit=_MOST_HEAD)
            task = self._loop.create_task(self._answer(reader, writer))
            self._tasks.add(task)
            task.add_done_callback(self._done)
        self._listener.close()
        reason = f"more than {self._egress.max_requests} requests; no more are taken"
        self._egress.log(EgressRequest(time.time(), "", "", 0, False, reason, 0, 0, 0.0))

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._room.release()
        self._check(task)

    def _check(self, task: asyncio.Task[None]) -> None:
        """End the proxy if a task of its own has failed."""
        if not task.cancelled() and (error := task.exception()):
            self._failure = self._failure or error
            self._stopping.set()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        exchange = _Exchange(time.time())
        clock = self._loop.time()
        try:
            try:
                await self._exchange(exchange, reader, writer)
            except _Refused as refusal:
                exchange.reason = str(refusal)
                await _refuse(writer, refusal)
            except (OSError, asyncio.IncompleteReadError) as error:
                exchange.reason = exchange.reason or f"the connection broke ({error})"
            except asyncio.CancelledError:
                exchange.reason = "the sandbox was closed"
                raise
        finally:
            writer.close()
            head = exchange.head
            self._egress.log(
                EgressRequest(
                    time=exchange.began,
                    method=head.method if head else "",
                    host=head.host if head else "",
                    port=head.port if head else 0,
                    allowed=exchange.allowed,
                    reason=exchange.reason,
                    sent=exchange.sent,
                    received=exchange.received,
                    seconds=self._loop.time() - clock,
                )
            )

    async def _exchange(self, exchange: _Exchange, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = exchange.head = await self._head(reader)
        if not self._egress.allows(head.host, head.port):
            raise _Refused(403, "not on the list")
        out_reader, out_writer = await self._connect(head)
        try:
            exchange.allowed = True
            if head.onward:
                out_writer.write(head.onward)
                exchange.sent += len(head.onward)
                upward = self._move(exchange, reader, out_writer, "sent", head.body)
            else:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                upward = self._move(exchange, reader, out_writer, "sent", None)
            exchange.moved = self._loop.time()
            await _both(upward, self._move(exchange, out_reader, writer, "received", None))
        finally:
            out_writer.close()

    async def _head(self, reader: asyncio.StreamReader) -> Head:
        try:
            async with asyncio.timeout(_HEAD_S):
                return read_head(await reader.readuntil(b"\r\n\r\n"))
        except RequestError as error:
            raise _Refused(400, str(error)) from error
        except asyncio.LimitOverrunError as error:
            raise _Refused(400, f"the head is longer than {_MOST_HEAD} bytes") from error
        except TimeoutError as error:
            raise _Refused(400, f"there was no head within {_HEAD_S:.0f} s") from error

    async def _connect(self, head: Head) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to an address that was checked."""
        try:
            async with asyncio.timeout(_CONNECT_S):
                found = await self._loop.getaddrinfo(head.host, head.port, type=socket.SOCK_STREAM)
                addresses = list(dict.fromkeys(str(place[0]) for *_, place in found))
                checked = [address for address in addresses if self._egress.allows_address(address, head.port)]
                if not checked:
                    raise _Refused(403, "it is at no public address")
                return await self._first(checked, head.port)
        except TimeoutError as error:
            raise _Refused(502, f"there was no connection within {_CONNECT_S:.0f} s") from error
        except OSError as error:
            raise _Refused(502, f"there was no connection ({error.strerror or error})") from error

    async def _first(self, addresses: list[str], port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the first address that answers; this machine's own ones must be on the list themselves."""
        failure = OSError("no address")
        for address in addresses:
            try:
                reader, writer = await asyncio.open_connection(address, port)
            except OSError as error:
                failure = error
                continue
            here, there = writer.get_extra_info("sockname"), writer.get_extra_info("peername")
            if here[0] != there[0] or self._egress.allows(str(there[0]), port):
                return reader, writer
            writer.close()
            raise _Refused(403, "it is at an address of this machine")
        raise failure

    async def _move(
        self,
        exchange: _Exchange,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        direction: str,
        length: int | None,
    ) -> None:
        """Pass on so many bytes, or all that come; then, of all, the end."""
        while length is None or length > 0:
            try:
                async with asyncio.timeout(self._egress.idle_s):
                    data = await source.read(_CHUNK if length is None else min(length, _CHUNK))
            except TimeoutError:
                if self._loop.time() - exchange.moved < self._egress.idle_s:
                    continue
                exchange.reason = exchange.reason or f"idle for {self._egress.idle_s:.0f} s"
                raise ConnectionAbortedError("idle") from None
            if not data:
                break
            exchange.moved = self._loop.time()
            if len(data) > self._left:
                exchange.reason = f"more than {self._egress.max_bytes} bytes"
                raise ConnectionAbortedError("too much")
            self._left -= len(data)
            length = None if length is None else length - len(data)
            setattr(exchange, direction, getattr(exchange, direction) + len(data))
            sink.write(data)
            await sink.drain()
        if length is None and sink.can_write_eof():
            sink.write_eof()


async def _both(one: Awaitable[None], other: Awaitable[None]) -> None:
    """Wait for both; if one breaks, for neither."""
    tasks = [asyncio.ensure_future(one), asyncio.ensure_future(other)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _refuse(writer: asyncio.StreamWriter, refusal: _Refused) -> None:
    text = f"honestly: {refusal}\n".encode(errors="replace")
    head = f"HTTP/1.1 {refusal.status} {_REASONS[refusal.status]}\r\nContent-Type: text/plain\r\n"
    writer.write(f"{head}Content-Length: {len(text)}\r\nConnection: close\r\n\r\n".encode() + text)
    with suppress(OSError):
        await writer.drain()
