"""HTTP/1.1 on a socket, for a server among strangers: bounded heads and bodies, nobody waited for without end.

h11 knows the protocol, this file the socket. A connection serves one request after the other. A request's body is only
read when its head has been judged, and a reply is written as it comes; a copy of it is kept for the record.
"""

from __future__ import annotations

import gzip
import io
import socket
import time
import zlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel
import h11

from honestly.errors import HonestlyError
from honestly.models._zstd import zstd

__all__ = ["Connection", "Head", "Held", "ProxyLimits", "Refusal", "Reply", "plain"]

_CHUNK = 1 << 16
_LINGER_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyLimits:
    """What one proxy takes from those who connect to it."""

    connections: int = 64
    """At once; who finds no room waits."""
    head_bytes: int = 1 << 16
    """Of a request's head."""
    body_bytes: int = 32 << 20
    """Of a request's body, unpacked too."""
    bodies_bytes: int = 256 << 20
    """Of all requests that are being answered, together."""
    reply_bytes: int = 64 << 20
    """Of one reply; one that is longer is broken off."""
    record_bytes: int = 8 << 30
    """Of the record, before it is compressed; when it is full, nothing more is answered."""
    server_tools: bool = False
    """Whether a provider may do for a request what reaches the network: search, fetch, run code, call others."""
    idle_s: float = 300.0
    """Seconds until a connection is closed on which no request comes."""
    stall_s: float = 60.0
    """Seconds that a client may take to send the next piece of a request, or to take the next piece of a reply."""
    patience_s: float = 10.0
    """Seconds after which a stream is begun though the model has not answered, and kept alive. Until then a failure can
    be said with its status."""
    answer_s: float = 1200.0
    """Seconds until an answer is given up."""


class Refusal(HonestlyError):  # noqa: N818 - an answer, not a failure
    """A request is not answered, and why."""

    def __init__(self, status: int, reason: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Head:
    """A request without its body."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    """Names in small letters."""

    def header(self, name: str) -> str:
        """The first header of this name; empty where there is none."""
        return next((value for key, value in self.headers if key == name), "")


@dataclass(slots=True)
class Reply:
    """A reply that is being written, and what has been."""

    connection: Connection
    limit: int
    status: int = 0
    """0 until it has begun."""
    kind: str = ""
    """Its content type."""
    began: float = 0.0
    """When its first byte went out, by the monotonic clock."""
    copy: bytearray = field(default_factory=bytearray)
    """Its body so far."""

    async def begin(self, status: int, kind: str, headers: Iterable[tuple[str, str]] = ()) -> None:
        """Send the head."""
        self.status, self.kind, self.began = status, kind, time.monotonic()
        own = [("content-type", kind), *headers]
        await self.connection.send(h11.Response(status_code=status, headers=own))

    async def send(self, data: bytes) -> None:
        """Send a piece of the body.

        Raises:
            Refusal: The reply is longer than it may be.
        """
        if len(self.copy) + len(data) > self.limit:
            raise Refusal(502, f"the reply is longer than {self.limit} bytes and is broken off")
        self.copy += data
        await self.note(data)

    async def note(self, data: bytes) -> None:
        """Send a piece that is no part of the answer."""
        if not self.connection.bodiless:
            await self.connection.send(h11.Data(data=data))

    async def end(self) -> None:
        """The body is complete."""
        await self.connection.send(h11.EndOfMessage())

    async def whole(self, status: int, body: bytes, headers: Iterable[tuple[str, str]] = ()) -> None:
        """Send all of it, as JSON."""
        await self.begin(status, "application/json", [("content-length", str(len(body))), *headers])
        await self.send(body)
        await self.end()


@dataclass(slots=True)
class Held:
    """How much of all requests' bodies is in memory."""

    most: int
    taken: int = 0

    def take(self, size: int) -> None:
        """Take in more.

        Raises:
            Refusal: There is no room for it.
        """
        if self.taken + size > self.most:
            raise Refusal(503, "too many large requests at once; ask again")
        self.taken += size


class Connection:
    """One client."""

    def __init__(self, peer: socket.socket, limits: ProxyLimits) -> None:
        """Takes over an accepted socket."""
        peer.setblocking(False)
        self._peer = peer
        self._limits = limits
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head_bytes)
        self.bodiless = False
        """Whether the reply to the request that came last has no body."""

    def close(self) -> None:
        """Close the socket; idempotent."""
        self._peer.close()

    async def linger(self) -> None:
        """Let the client read the last reply, though it still sends: closed at once, the socket would take it away."""
        try:
            self._peer.shutdown(socket.SHUT_WR)
            with anyio.move_on_after(_LINGER_S):
                while True:
                    await anyio.wait_readable(self._peer)
                    if not self._peer.recv(_CHUNK):
                        return
        except OSError:
            return

    async def head(self) -> Head | None:
        """The next request; None where there is none.

        Raises:
            Refusal: It is malformed.
        """
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        elif self._http.our_state is not h11.IDLE:
            return None
        with anyio.move_on_after(self._limits.idle_s):
            event = await self._event()
            if isinstance(event, h11.Request):
                self.bodiless = event.method == b"HEAD"
                size = len(event.target) + sum(len(name) + len(value) for name, value in event.headers)
                if size > self._limits.head_bytes:
                    raise Refusal(431, f"the request's head is longer than {self._limits.head_bytes} bytes")
                headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers)
                return Head(event.method.decode("latin-1"), event.target.decode("latin-1"), headers)
        return None

    async def body(self, held: Held) -> bytes:
        """The body of the request whose head has come, as it was sent; the caller gives back its room.

        Args:
            held: Where its bytes are counted.

        Raises:
            Refusal: It is too long, or does not come.
        """
        body = bytearray()
        try:
            if self._http.they_are_waiting_for_100_continue:
                await self.send(h11.InformationalResponse(status_code=100, headers=[]))
            async for piece in self._pieces():
                held.take(len(piece))
                body += piece
                if len(body) > self._limits.body_bytes:
                    raise Refusal(413, f"the request's body is longer than {self._limits.body_bytes} bytes; send less")
        except BaseException:
            held.taken -= len(body)
            raise
        return bytes(body)

    async def _pieces(self) -> AsyncIterator[bytes]:
        stall_s = self._limits.stall_s
        while True:
            event = None
            with anyio.move_on_after(stall_s):
                event = await self._event()
            if event is None:
                raise Refusal(408, f"the request's body did not come within {stall_s:g} s a piece")
            if not isinstance(event, h11.Data):
                return
            yield bytes(event.data)

    async def hung_up(self) -> None:
        """Wait until the client has closed the connection; forever, if it sends something else."""
        await anyio.wait_readable(self._peer)
        try:
            gone = not self._peer.recv(1, socket.MSG_PEEK)
        except OSError:
            gone = True
        if not gone:
            await anyio.sleep_forever()

    async def send(self, event: h11.Event) -> None:
        """Send an event.

        Raises:
            OSError: The client is gone, or does not take it.
        """
        data = memoryview(self._http.send(event) or b"")
        while data:
            with anyio.move_on_after(self._limits.stall_s) as scope:
                try:
                    data = data[self._peer.send(data) :]
                    await anyio.lowlevel.checkpoint()
                except BlockingIOError:
                    await anyio.wait_writable(self._peer)
            if scope.cancelled_caught:
                raise ConnectionAbortedError(f"the client took nothing for {self._limits.stall_s:g} s")

    async def _event(self) -> h11.Event | None:
        """The next event of the client; None where it has closed the connection.

        Raises:
            Refusal: It speaks something else than HTTP.
        """
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                await anyio.lowlevel.checkpoint()
                try:
                    self._http.receive_data(self._peer.recv(_CHUNK))
                except BlockingIOError:
                    await anyio.wait_readable(self._peer)
        except h11.RemoteProtocolError as error:
            raise Refusal(error.error_status_hint, f"this is no request that is understood here: {error}") from error
        return event if isinstance(event, h11.Request | h11.Data | h11.EndOfMessage) else None


def plain(body: bytes, encoding: str, limit: int) -> bytes:
    """A request's body without its compression.

    Raises:
        Refusal: It is compressed in another way, or wrongly, or to more than `limit` bytes.
    """
    try:
        if encoding in {"", "identity"}:
            return body
        if encoding == "gzip":
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
                found = file.read(limit + 1)
        elif encoding == "zstd":
            with zstd.ZstdFile(io.BytesIO(body)) as packed:
                found = packed.read(limit + 1)
        else:
            raise Refusal(415, f"the body's encoding is {encoding[:40]!r}; expected gzip, zstd or none")
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        raise Refusal(400, f"the body is not the {encoding} that it says: {error}") from error
    if len(found) > limit:
        raise Refusal(413, f"the request's body is longer than {limit} bytes; send less")
    return found
