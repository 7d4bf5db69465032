"""A started command, seen from outside: its pipes are held here, and the keeper does not see what goes through."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from honestly.errors import SandboxError
from honestly.sandbox._api import Result
from honestly.sandbox._channel import FOREVER_S, Call, Channel

__all__ = ["LinuxProcess", "result"]

_CHUNK = 1 << 18


class LinuxProcess:
    """A started command; see `Process`."""

    def __init__(self, channel: Channel, call: Call, stdin: int, stdout: int) -> None:
        self._channel = channel
        self._call = call
        self._stdin = stdin
        self._stdout = stdout
        self._busy = 0
        self._released = False
        self._result: Result | None = None
        os.set_blocking(stdin, False)
        os.set_blocking(stdout, False)

    async def send(self, data: bytes) -> None:
        """Write to its standard input; see `Process.send`."""
        view = memoryview(data)
        with self._in_use():
            while view:
                if self._stdin < 0:
                    raise SandboxError("the process's standard input is closed")
                try:
                    view = view[os.write(self._stdin, view[:_CHUNK]) :]
                except BlockingIOError:
                    await anyio.wait_writable(self._stdin)
                except BrokenPipeError:
                    raise SandboxError("the process has closed its standard input, or has ended") from None

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """Read from its standard output; see `Process.receive`."""
        with self._in_use():
            while self._stdout >= 0:
                try:
                    return os.read(self._stdout, max_bytes)
                except BlockingIOError:
                    await anyio.wait_readable(self._stdout)
        return b""

    async def close_stdin(self) -> None:
        """End its standard input; see `Process.close_stdin`."""
        if self._stdin >= 0 and not self._busy:
            os.close(self._stdin)
            self._stdin = -1

    async def wait(self) -> Result:
        """Wait for its end; see `Process.wait`."""
        if self._result is None:
            self._result = result(await self._channel.reply(self._call, FOREVER_S))
        return self._result

    async def kill(self) -> None:
        """Kill it and all that it started; see `Process.kill`."""
        await self._channel.tell(b"kill", self._call.key)

    def release(self) -> None:
        """Close the pipes, now or when the last call that uses them returns."""
        self._released = True
        if not self._busy:
            for fd in (self._stdin, self._stdout):
                if fd >= 0:
                    os.close(fd)
            self._stdin = self._stdout = -1

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            if self._released:
                self.release()


def result(fields: list[bytes]) -> Result:
    """Decode the reply to `exec` and `start`."""
    code, killed_by, seconds, dropped, stdout, stderr = fields
    ended = None if killed_by in {b"deadline", b"memory"} else int(code)
    return Result(ended, stdout, stderr, killed_by == b"deadline", int(dropped), float(seconds), killed_by == b"memory")
