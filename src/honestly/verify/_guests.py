"""The host's end of a guest program: frames over a socket pair whose other end is the program's standard input.

Sizes are bounded, so that a hostile guest cannot make the host hold more than one frame.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence

import anyio

from honestly.sandbox import Process, Sandbox
from honestly.verify._guest.wire import MAX_FRAME
from honestly.verify._programs import BOOT, program

__all__ = ["Guest", "GuestGone"]

_CHUNK = 1 << 18


class GuestGone(Exception):  # noqa: N818  (an event of the protocol, turned into data by the broker)
    """The guest ended, or sent what is not a frame."""


class Guest:
    """A running guest program."""

    def __init__(self, process: Process, end: socket.socket) -> None:
        self._process = process
        self._socket = end
        self._buffer = bytearray()

    @classmethod
    async def start(cls, box: Sandbox, *modules: str) -> Guest:
        """Starts the program made of `modules` in `box`.

        Raises:
            GuestGone: it ended at once.
            SandboxError: the box is broken.
        """
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        try:
            with theirs:
                guest = cls(await box.start(BOOT, stdio=theirs), ours)
            await guest._write(program(*modules))
        except BaseException:
            ours.close()
            raise
        return guest

    async def send(self, kind: bytes, payload: bytes, *, descriptor: int | None = None) -> None:
        """Sends one frame, and a descriptor with it where one is given.

        Raises:
            GuestGone: the guest no longer reads.
        """
        await self._write(
            len(payload).to_bytes(4, "big") + kind + payload, [descriptor] if descriptor is not None else []
        )

    async def receive(self) -> tuple[bytes, bytes]:
        """Next frame: its kind and payload.

        Raises:
            GuestGone: the guest ended, or announces a frame that is too large.
        """
        head = await self._exactly(5)
        size = int.from_bytes(head[:4], "big")
        if size > MAX_FRAME:
            raise GuestGone(f"a frame of {size} bytes was announced; {MAX_FRAME} are allowed")
        return head[4:], await self._exactly(size)

    async def kill(self) -> None:
        """Ends the program."""
        self._socket.close()
        await self._process.kill()

    async def _write(self, data: bytes, descriptors: Sequence[int] = ()) -> None:
        view = memoryview(data)
        while view:
            try:
                sent = socket.send_fds(self._socket, [view[:_CHUNK]], list(descriptors))
            except BlockingIOError:
                await anyio.wait_writable(self._socket)
            except OSError as error:
                raise GuestGone(str(error)) from error
            else:
                view, descriptors = view[sent:], ()

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                part = self._socket.recv(_CHUNK)
            except BlockingIOError:
                await anyio.wait_readable(self._socket)
                continue
            except OSError as error:
                raise GuestGone(str(error)) from error
            if not part:
                raise GuestGone("the process ended")
            self._buffer += part
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data
