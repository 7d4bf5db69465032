"""The two pipes of a started command: written to and read from by tasks, closed without pulling them from under one."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import anyio.lowlevel

from honestly.errors import SandboxError

_CHUNK = 1 << 18


class PipeEnd:
    """One end of a pipe, held by this program."""

    def __init__(self, fd: int) -> None:
        """Take over a descriptor; -1 makes an end that is closed from the start."""
        if fd >= 0:
            os.set_blocking(fd, False)
        self._fd = fd
        self._users = 0
        self._closing = fd < 0

    async def write(self, data: bytes) -> None:
        """Write all bytes.

        Raises:
            SandboxError: The end is closed, or nobody reads any more.
        """
        view = memoryview(data)
        with self._in_use():
            while view:
                if self._closing:
                    raise SandboxError("the process's standard input is closed")
                try:
                    view = view[os.write(self._fd, view[:_CHUNK]) :]
                    await anyio.lowlevel.checkpoint()
                except BlockingIOError:
                    await anyio.wait_writable(self._fd)
                except BrokenPipeError:
                    raise SandboxError("the process has closed its standard input, or has ended") from None

    async def read(self, max_bytes: int) -> bytes:
        """Return what is there, at least one byte; nothing at the end or if closed."""
        with self._in_use():
            while not self._closing:
                try:
                    data = os.read(self._fd, max_bytes)
                except BlockingIOError:
                    await anyio.wait_readable(self._fd)
                    continue
                await anyio.lowlevel.checkpoint_if_cancelled()
                return data
        return b""

    def close(self) -> None:
        """Close the pipe, now or when the task that uses it returns; idempotent."""
        self._closing = True
        if not self._users and self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            if self._closing:
                self.close()


@contextmanager
def command_streams(stdio: socket.socket | None = None) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Standard input and output of a command to be started: its own ends, and ours.

    Its ends are closed on leaving, when it has them; ours only if it could not be started.

    Args:
        stdio: What both are, instead of pipes; there is then no end of ours (-1).
    """
    if stdio is None:
        (stdin_out, stdin_in), (stdout_out, stdout_in) = os.pipe(), os.pipe()
    else:
        stdin_out, stdin_in, stdout_out, stdout_in = os.dup(stdio.fileno()), -1, -1, os.dup(stdio.fileno())
    try:
        yield (stdin_out, stdout_in), (stdin_in, stdout_out)
    except BaseException:
        for fd in {stdin_in, stdout_out} - {-1}:
            os.close(fd)
        raise
    finally:
        os.close(stdin_out)
        os.close(stdout_in)


class Piped:
    """A started command's standard input and output; the rest of `Process` depends on the kind of sandbox."""

    def __init__(self, stdin: int, stdout: int) -> None:
        self._stdin = PipeEnd(stdin)
        self._stdout = PipeEnd(stdout)

    async def send(self, data: bytes) -> None:
        """Write to its standard input; see `Process.send`."""
        await self._stdin.write(data)

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """Read from its standard output; see `Process.receive`."""
        return await self._stdout.read(max_bytes)

    async def close_stdin(self) -> None:
        """End its standard input; see `Process.close_stdin`."""
        self._stdin.close()

    def release(self) -> None:
        """Close both pipes."""
        self._stdin.close()
        self._stdout.close()
