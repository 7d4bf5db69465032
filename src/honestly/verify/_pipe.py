"""The host's end of a guest program: frames over the pipes of a process in a sandbox.

Payloads are passed on unread. Sizes are bounded, so that a hostile guest cannot make the host hold more than one frame.
"""

from __future__ import annotations

from honestly.errors import SandboxError
from honestly.sandbox import Process, Sandbox
from honestly.verify._guest.wire import MAX_FRAME
from honestly.verify._programs import BOOT, program

__all__ = ["BrokenPipe", "Guest"]


class BrokenPipe(Exception):  # noqa: N818  (an event of the protocol, turned into data by the broker)
    """The guest ended, or sent what is not a frame."""


class Guest:
    """A running guest program."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._buffer = bytearray()

    @classmethod
    async def start(cls, box: Sandbox, *modules: str) -> Guest:
        """Starts the program made of `modules` in `box`."""
        guest = cls(await box.start(BOOT))
        try:
            await guest._process.send(program(*modules))
        except SandboxError as error:
            raise BrokenPipe(str(error)) from error
        return guest

    async def send(self, kind: bytes, payload: bytes) -> None:
        """Sends one frame.

        Raises:
            BrokenPipe: the guest no longer reads.
        """
        try:
            await self._process.send(len(payload).to_bytes(4, "big") + kind + payload)
        except SandboxError as error:
            raise BrokenPipe(str(error)) from error

    async def receive(self) -> tuple[bytes, bytes]:
        """Next frame: its kind and payload.

        Raises:
            BrokenPipe: the guest ended, or announces a frame that is too large.
        """
        head = await self._exactly(5)
        size = int.from_bytes(head[:4], "big")
        if size > MAX_FRAME:
            raise BrokenPipe(f"a frame of {size} bytes was announced; {MAX_FRAME} are allowed")
        return head[4:], await self._exactly(size)

    async def kill(self) -> None:
        """Ends the program."""
        await self._process.kill()

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                part = await self._process.receive(1 << 16)
            except SandboxError as error:
                raise BrokenPipe(str(error)) from error
            if not part:
                raise BrokenPipe("the process ended")
            self._buffer += part
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data
