"""Running the command-line client of a container engine: bytes in, bounded bytes out, an exit code."""

import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import anyio
import anyio.abc
import anyio.lowlevel

from honestly._group import flat_group
from honestly.errors import SandboxError, SandboxUnavailableError
from honestly.sandbox._guest._commands import Capture
from honestly.sandbox._pipes import PipeEnd
from honestly.scratch import owned_words

T = TypeVar("T")
_READS = 4


@dataclass(frozen=True, slots=True)
class EndedProgram:
    """The end of a client's run."""

    code: int
    stdout: bytes
    stderr: bytes
    dropped: tuple[int, int]
    """Bytes of standard output and of standard error that were not kept."""
    seconds: float


class Client:
    """A running client. Its captured output is read while somebody waits for its end, or something else is run
    (`run_beside`).
    """

    def __init__(self, process: anyio.abc.Process, captures: list[Capture], feed: tuple[PipeEnd, bytes] | None) -> None:
        self._process = process
        self._captures = captures
        self._feed = feed
        self._began = time.monotonic()
        self._reading = anyio.Lock()
        self._ended: EndedProgram | None = None

    @classmethod
    async def start(
        cls,
        words: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        stdin: int | bytes = b"",
        stdout: int = -1,
        keep: int = 1 << 16,
    ) -> "Client":
        """Start a client.

        Args:
            words: Program and arguments.
            env: Its whole environment; None for this program's.
            stdin: What it reads from its standard input; or a descriptor.
            stdout: Descriptor of its standard output; -1 to capture it.
            keep: Bytes to keep of each stream that is captured.

        Raises:
            SandboxUnavailableError: There is no such program.
            ValueError: A word has a null byte.
        """
        outputs = [os.pipe() for _ in range(1 if stdout >= 0 else 2)]
        given = os.pipe() if isinstance(stdin, bytes) else (stdin, -1)
        streams = [given[0], *([stdout] if stdout >= 0 else []), *(writer for _, writer in outputs)]
        feed = (PipeEnd(given[1]), stdin) if isinstance(stdin, bytes) else None
        try:
            process = await _opened_process(words, streams, env)
        except BaseException:
            for reader, _ in outputs:
                os.close(reader)
            if feed:
                feed[0].close()
            raise
        finally:
            for _, writer in outputs:
                os.close(writer)
            if feed:
                os.close(given[0])
        return cls(process, [Capture(reader, keep) for reader, _ in outputs], feed)

    async def wait(self) -> EndedProgram:
        """Wait for its end, and for that of its output; again, if the first time was cancelled."""
        if self._ended is None:
            await self.run_beside(self._process.wait, to_the_end=True)
        if self._ended is None:  # no other task was faster
            await self._process.aclose()
            kept = [capture.result() for capture in self._captures]
            (out, lost_out), (err, lost_err) = kept if len(kept) == 2 else [(b"", 0), *kept]
            seconds = time.monotonic() - self._began
            self._ended = EndedProgram(await self._process.wait(), out, err, (lost_out, lost_err), seconds)
        return self._ended

    async def run_beside(self, work: Callable[[], Awaitable[T]], *, to_the_end: bool = False) -> T:
        """Do something, and meanwhile feed and read the client, so that it is not held up."""
        async with flat_group() as tasks:
            tasks.start_soon(self._serve)
            done = await work()
            if not to_the_end:
                tasks.cancel_scope.cancel()
        return done

    async def kill(self) -> None:
        """Kill the client itself, whatever becomes of what it has asked for; wait for its end even if cancelled."""
        with suppress(ProcessLookupError):
            self._process.kill()
        with anyio.CancelScope(shield=True):
            await self.wait()

    async def _serve(self) -> None:
        async with self._reading, anyio.create_task_group() as tasks:
            for capture in self._captures:
                tasks.start_soon(_drain_capture, capture)
            if self._feed:
                tasks.start_soon(_fill_pipe, *self._feed)


async def _opened_process(
    words: Sequence[str], streams: Sequence[int], env: Mapping[str, str] | None
) -> anyio.abc.Process:
    """A process with these three streams, in a session of its own."""
    try:
        return await anyio.open_process(
            owned_words(words),
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            env=env,
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        advice = "install it, or use the sandbox of namespaces"
        raise SandboxUnavailableError(f"{words[0]} cannot be run ({error.strerror}); {advice}") from error


async def _drain_capture(capture: Capture) -> None:
    while capture.open:
        more = capture.drain_pipe(_READS)
        if not capture.open:
            os.close(capture.fd)
        elif more:
            await anyio.lowlevel.checkpoint()
        else:
            await anyio.wait_readable(capture.fd)


async def _fill_pipe(pipe: PipeEnd, data: bytes) -> None:
    """Write to a client's standard input, as far as it reads; what a cancellation interrupts is not resumed."""
    try:
        with suppress(SandboxError):
            await pipe.write(data)
    finally:
        pipe.close()
