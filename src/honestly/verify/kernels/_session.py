"""A process with a kernel in it, and calls that are timed from outside of it.

Inputs and outputs of a call lie in shared memory that is ours: made anew, filled (outputs with what is no number), and
handed over together with the word to begin. The time of a call is by our clock, from before that word until the outputs
have been copied into our own memory. So the inputs cannot be known before it begins, and what is judged was there when
it ended: work that is put off, to another thread, to a lazy object, to whatever we ask next, is within the time or is
missing from the outputs. The process's CPU time is read from the kernel, by the process id that came with its first
message, before it imported anything of the candidate's. A call's limit counts what the sandbox got (`_cpu_time`).

Not covered: CPU time of children that the process has not waited for; and sandboxes that let no descriptors pass, which
are those of container engines.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import anyio.from_thread
import anyio.to_thread
import numpy as np

from honestly.errors import SandboxBusyError
from honestly.records import Tree
from honestly.sandbox import Limits, Sandbox, WarmSandbox, packages_layout
from honestly.sandbox._guest._cpu_time import CpuTime, further_seconds, is_starved
from honestly.sandbox._guest.frames import FrameError, pack_frame, take_frames
from honestly.verify._guest import wire
from honestly.verify._programs import BOOT, guest_program

if TYPE_CHECKING:
    from honestly.verify._open import OpenBox

T = TypeVar("T")
Array: TypeAlias = np.ndarray[Any, Any]
Arrays: TypeAlias = tuple[Array, ...]
_CREDENTIALS = struct.Struct("3i")
_LONGEST_REPLY = 1 << 16
_ALIGNED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelOptions:
    """How a kernel is judged."""

    module: str = "solution"
    """Name of the candidate's module."""
    entry: str = "kernel"
    """Its function: takes the arrays of one input, returns an array or a tuple of them."""
    tolerance: float = 0.02
    """Largest error of a right output, relative to the largest value and to the root of the mean square."""
    lost_bits: float = 8.0
    """Bits of precision that may be lost against the reference in the inputs' own precision."""
    faster: float = 5.0
    """How much faster known inputs may be than fresh ones."""
    fresh: int = 8
    """Inputs that nobody has seen, and in each round of a comparison so many more."""
    repeats: int = 8
    """Calls with an input that is known."""
    baseline: str = ""
    """Source of a module like the candidate's, with which its speed is compared; empty for no comparison."""
    rounds: int = 9
    """Rounds of a comparison: fewer than six give no interval."""
    flops: float = 0.0
    """Operations in single precision that a right kernel needs at least; 0 where that is not known."""
    bytes: float = 0.0
    """Bytes that it moves at least; 0 for those of its outputs."""
    timeout_s: float = 60.0
    """Seconds for each single call, of a machine that does nothing else."""
    memory_mb: int = 1024
    packages: tuple[str, ...] = ("numpy",)
    """Installed packages that the candidate sees."""


class GoneError(Exception):
    """The candidate raised, ended, or took too long."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One call, as seen from outside."""

    seconds: float
    """From before the inputs could be seen until the outputs lay in our memory."""
    cpu_s: float
    """What the process used of the processors meanwhile; NaN where nobody can tell."""
    output: Arrays
    modified: bool
    """Whether the inputs' memory holds something else now."""


class Session:
    """One process with a candidate in it; it may send us anything."""

    def __init__(self, end: socket.socket, timeout_s: float, box: Sandbox) -> None:
        self._end, self._timeout_s, self._box = end, timeout_s, box
        self._pid, self._kept = 0, -1
        self._before: CpuTime | None = None
        """What the sandbox had got before what is waited for."""

    def close(self) -> None:
        """Hangs up."""
        if self._kept >= 0:
            os.close(self._kept)
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)  # who waits in a thread shall not wait for ever
        self._end.close()

    def cpu_seconds(self) -> float:
        """CPU seconds of the process, its threads included; NaN where nobody can tell."""
        try:
            return time.clock_gettime((~self._pid << 3) | 2) if self._pid else nan  # as clock_getcpuclockid(3) does
        except OSError:
            return nan

    async def load(self, options: KernelOptions) -> None:
        """Has the candidate imported.

        Raises:
            GoneError: It cannot be.
            SandboxBusyError: The machine does not let it come to its end.
        """
        await self._in_thread(self._start_code, guest_program("arrays", "scalars", "wire", "measured"))
        await self.ask_session("load", options.module, options.entry)

    async def ask_session(self, name: str, *given: object) -> Any:  # noqa: ANN401 - whatever the process says
        """The answer to a question; raises what `load` does."""
        return await self._in_thread(self._ask_guest, pack_frame(wire.CALL, wire.dumps([name, *given], None)), [])

    async def call(self, arrays: Arrays, like: Arrays, *, kept: bool = False, again: bool = False) -> Timed:
        """One call.

        Args:
            arrays: its inputs.
            like: arrays with the shapes and kinds of its outputs.
            kept: keep the inputs' memory for another call.
            again: put the inputs where those of the call that kept them lie, before the call begins.

        Raises:
            GoneError: nothing came of it.
            SandboxBusyError: The machine does not let it come to its end.
        """
        return await self._in_thread(self._call_kernel, arrays, like, kept, again)

    def _call_kernel(self, arrays: Arrays, like: Arrays, kept: bool, again: bool) -> Timed:
        given, due = _array_layout(arrays), _array_layout(like)
        # Bytes that are no number in any kind of float.
        room = np.full(_memory_size(like), 255, np.uint8)
        outputs = _shared_memory(room.nbytes)
        inputs = self._kept if again else _shared_memory(_memory_size(arrays))
        try:
            _write(outputs, room, 0)
            for array, (_, _, offset) in zip(arrays, given, strict=True):
                _write(inputs, array, offset)
            message = pack_frame(wire.CALL, wire.dumps(["call", due, [] if again else given, kept], None))
            before = self.cpu_seconds()
            start = time.perf_counter()
            self._ask_guest(message, [outputs] if again else [outputs, inputs])
            # Within the time, so that nothing can be put off until after it.
            _read_memory(outputs, room)
            seconds = time.perf_counter() - start
            cpu_s = self.cpu_seconds() - before
            after = np.empty(_memory_size(arrays), np.uint8)
            _read_memory(inputs, after)
        finally:
            os.close(outputs)
            if kept:
                self._kept = inputs
            elif not again:
                os.close(inputs)
        left = [_array_at(after, array, offset) for array, (_, _, offset) in zip(arrays, given, strict=True)]
        modified = any(one.tobytes() != array.tobytes() for one, array in zip(left, arrays, strict=True))
        output = tuple(_array_at(room, array, offset) for array, (_, _, offset) in zip(like, due, strict=True))
        return Timed(seconds, cpu_s, output, modified)

    def _start_code(self, code: bytes) -> None:
        self._end.settimeout(self._timeout_s)
        try:
            self._end.sendall(code)
            self._receive_reply()
        except (OSError, FrameError) as error:
            raise GoneError(f"the process ended before it began: {error}") from None

    def _ask_guest(self, message: bytes, descriptors: Sequence[int]) -> Any:  # noqa: ANN401 - whatever the process says
        self._end.settimeout(self._timeout_s)
        try:
            if socket.send_fds(self._end, [message], descriptors) != len(message):
                raise GoneError("the process does not read")
            fine, value = wire.loads(self._receive_reply(), None)
        except TimeoutError:
            raise GoneError(f"no answer within {self._timeout_s:g} s") from None
        except (OSError, FrameError, wire.WireError, ValueError, TypeError) as error:
            raise GoneError(f"no answer: {error}") from None
        if fine is not True:
            raise GoneError(str(value)[:500])
        return value

    def _receive_reply(self) -> bytes:
        inbox, began, over = bytearray(), time.monotonic(), 0.0
        due = began + self._timeout_s
        while True:
            for content in take_frames(inbox, _LONGEST_REPLY):
                return content[1:]
            left = due - (now := time.monotonic())
            if left <= 0:
                over -= left
                longer = further_seconds(
                    self._timeout_s, now - began, over, anyio.from_thread.run(self._used_since), -left
                )
                if not longer:
                    raise TimeoutError
                if is_starved(now - began, over):
                    raise SandboxBusyError(f"a call of a kernel waited for processors for most of {now - began:.0f} s")
                over, due = over + longer, now + longer
                continue
            self._end.settimeout(left)
            try:
                part, beside, _, _ = self._end.recvmsg(_LONGEST_REPLY, socket.CMSG_SPACE(_CREDENTIALS.size))
            except TimeoutError:
                continue
            if not part:
                raise GoneError("the process ended")
            inbox += part
            for level, kind, data in beside:
                if not self._pid and (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                    self._pid = _CREDENTIALS.unpack(data)[0]

    async def _in_thread(self, function: Callable[..., T], *given: object) -> T:
        """Waiting in a thread of its own wakes up sooner than an event loop with other work does."""
        self._before = None
        self._before = await self._used_since()
        return await anyio.to_thread.run_sync(partial(function, *given), abandon_on_cancel=True)

    async def _used_since(self) -> CpuTime | None:
        """The processor time that the sandbox got and lacked since what is waited for began; None where
        nobody can tell.
        """
        got = await self._box.used() if isinstance(self._box, WarmSandbox) else None
        return CpuTime(got.cpu - self._before.cpu, got.waited - self._before.waited) if got and self._before else got


@asynccontextmanager
async def open_session(
    candidate: str, shown: Mapping[str, str], options: KernelOptions, open_box: OpenBox
) -> AsyncIterator[Session]:
    """A fresh process in a fresh sandbox, which has imported the candidate; nothing of it is alive afterwards.

    Raises:
        GoneError: The candidate cannot be imported.
        SandboxBusyError: The machine is too busy for it.
    """
    tree = Tree.of({**shown, f"{options.module}.py": candidate})
    limits = Limits(memory_mb=options.memory_mb)
    async with open_box(tree, limits=limits, layout=packages_layout(options.packages)) as box:
        ours, theirs = socket.socketpair()
        session = Session(ours, options.timeout_s, box)
        try:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with theirs:
                await box.start(BOOT, stdio=theirs)
            await session.load(options)
            yield session
        finally:
            session.close()


def _array_layout(arrays: Arrays) -> list[list[object]]:
    """Kind of element, shape, and place in shared memory of each array."""
    places, end = [], 0
    for array in arrays:
        places.append([array.dtype.str, list(array.shape), end])
        end += -(-array.nbytes // _ALIGNED) * _ALIGNED
    return places


def _memory_size(arrays: Arrays) -> int:
    return max(sum(-(-array.nbytes // _ALIGNED) * _ALIGNED for array in arrays), _ALIGNED)


def _array_at(memory: Array, array: Array, offset: object) -> Array:
    """The array of this kind that lies in memory; a boolean as a byte, since it may be neither true nor false."""
    kind = np.dtype(np.uint8) if array.dtype.kind == "b" else array.dtype
    return np.ndarray(array.shape, kind, memory, int(str(offset)))


def _shared_memory(size: int) -> int:
    """A descriptor of new memory that nobody can make smaller."""
    descriptor = os.memfd_create("arrays", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor


def _write(descriptor: int, array: Array, offset: object) -> None:
    view, at = array.reshape(-1).view(np.uint8).data, int(str(offset))
    while view:
        written = os.pwrite(descriptor, view, at)
        view, at = view[written:], at + written


def _read_memory(descriptor: int, memory: Array) -> None:
    view, at = memory.data, 0
    while at < len(view):
        if not (got := os.preadv(descriptor, [view[at:]], at)):
            raise GoneError("shared memory cannot be read")
        at += got
