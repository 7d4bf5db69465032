"""Answering all who connect to a listening socket: so many at once, each until it goes, and the reply to a request."""

import json
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field

import anyio
import h11

from honestly.http._connection import Connection, Head, HttpLimits, Refusal

_WHEN_FULL_S = 0.1


async def serve(
    listener: socket.socket,
    limits: HttpLimits,
    attend: Callable[[Connection], Awaitable[None]],
    *,
    room: anyio.Semaphore | None = None,
    most: int = sys.maxsize,
) -> None:
    """Serve all clients until cancelled; a client that disconnects is not an error.

    Args:
        listener: The listening socket, which is taken over.
        limits: What is taken from those who connect.
        attend: Serves one connection, which is closed after it. What it raises ends the server.
        room: For how many at once; `limits` says it if None. Several listeners may share it.
        most: Close the listener after so many connections, and end when they have ended.
    """
    room = room or anyio.Semaphore(limits.connections)

    async def one(sock: socket.socket) -> None:
        connection = Connection(sock, limits)
        try:
            await attend(connection)
        except (OSError, h11.LocalProtocolError):
            pass  # the client is gone
        finally:
            connection.peer.close()
            room.release()

    listener.setblocking(False)
    async with anyio.create_task_group() as group:
        with listener:
            for _ in range(most):
                await room.acquire()  # who finds no room waits in the kernel's queue, and takes no descriptor
                try:
                    sock = await _accept_socket(listener)
                except BaseException:
                    room.release()
                    raise
                group.start_soon(one, sock)


async def connection_requests(connection: Connection) -> AsyncIterator[Head]:
    """The requests of a connection, one after the other, each when the one before is answered.

    A malformed one is told so, and ends the connection.
    """
    while True:
        try:
            head = await connection.next_head()
        except Refusal as refusal:
            body = json.dumps({"error": {"message": str(refusal)}}).encode()
            await Reply(connection).send_whole(refusal.status, body)
            head = None
        if head is None:
            await connection.peer.linger_for_reader()
            return
        yield head


@dataclass(slots=True)
class Reply:
    """A reply that is being written, and what has been."""

    connection: Connection
    limit: int = 64 << 20
    """Bytes of its body; one that is longer is broken off."""
    status: int = 0
    """0 until it has begun."""
    kind: str = ""
    """Its content type."""
    began: float = 0.0
    """When its first byte went out, by the monotonic clock."""
    copy: bytearray = field(default_factory=bytearray)
    """Its body so far."""

    async def send_head(self, status: int, kind: str, headers: Iterable[tuple[str, str]] = ()) -> None:
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
        await self.send_note(data)

    async def send_note(self, data: bytes) -> None:
        """Send a piece that is not part of the answer."""
        if not self.connection.bodiless:
            await self.connection.send(h11.Data(data=data))

    async def end_body(self) -> None:
        """End the body."""
        await self.connection.send(h11.EndOfMessage())

    async def send_whole(
        self, status: int, body: bytes, headers: Iterable[tuple[str, str]] = (), kind: str = "application/json"
    ) -> None:
        """Send the whole reply."""
        await self.send_head(status, kind, [("content-length", str(len(body))), *headers])
        await self.send(body)
        await self.end_body()


async def _accept_socket(listener: socket.socket) -> socket.socket:
    while True:
        try:
            return listener.accept()[0]
        except BlockingIOError:
            await anyio.wait_readable(listener)
        except OSError:  # no descriptors left, or a client that was gone before it was greeted
            await anyio.sleep(_WHEN_FULL_S)
