"""Where the processes of checks come from: forks of a program in one sandbox, one at a time, nothing left between two.

A sandbox that keeps an interpreter warm forks it; in any other, a small parent is started by command and forks itself.
"""

import re
import signal
import socket
from collections.abc import Sequence
from typing import Protocol

import anyio

from honestly.errors import SandboxError, VerifierError
from honestly.records import Tree
from honestly.sandbox import Process, Sandbox, WarmSandbox
from honestly.sandbox._guest._cpu_time import CpuTime
from honestly.verify._guest import wire
from honestly.verify._programs import BOOT, PACKAGE, guest_code, guest_program
from honestly.verify.wire._channel import ChannelGone, HostChannel

_WIRE = ("arrays", "scalars", "wire")
_NEEDS = {"service": ("asking", "pages", "rewriting", "worktests", "grader"), "candidate": ("compiler",)}
_END_S = 30.0
_IMPORT = re.compile(rb"^\s*(?:from|import)[ \t]+([A-Za-z_]+)", re.MULTILINE)
_SCANNED = 1 << 20
_COMMON = frozenset(
    (  # noqa: SIM905
        "abc array ast base64 bisect calendar collections contextlib copy csv dataclasses datetime decimal difflib "
        "enum fractions functools hashlib heapq inspect io itertools json logging math numbers operator pathlib random "
        "re statistics string struct textwrap threading time types typing unicodedata unittest uuid warnings weakref"
    ).split()
)
"""What is worth importing ahead, and does nothing else when it is imported."""
_AHEAD = _COMMON | {"numpy"}
"""Of installed packages the one that most need: slow to import, and without threads, which a fork would lack."""


class Nursery(Protocol):
    """Forks of one program in one sandbox."""

    box: Sandbox
    folder: str
    """Working directory of the present fork, relative to the sandbox's workspace; "." or its name."""

    async def prepare(self, tree: Tree) -> None:
        """Makes what the Python files of a tree import, of the library and of packages, cheaper for forks to come."""
        ...

    async def fork(self, end: socket.socket) -> None:
        """Has a fresh process do the program's work with `end`, which the caller closes.

        Raises:
            SandboxError: the process could not be made.
        """
        ...

    in_series: bool
    """Whether `fork_each` can be asked for."""

    async def fork_each(self, ends: Sequence[socket.socket], turns: socket.socket, core: int, /) -> None:
        """Has fresh processes do the work, one after the other; see `WarmSandbox.fork_each`.

        Raises:
            SandboxError: the first process could not be made.
        """
        ...

    async def cpu_used(self) -> CpuTime | None:
        """The processor time that the fork, commands, and what they started got and lacked, as far as they live; None
        if not known.

        Forks to come could find it in their memory.
        """
        ...

    async def confirm(self) -> None:
        """Does nothing.

        Raises:
            SandboxError: the sandbox broke.
        """
        ...

    async def clear(self) -> bool:
        """Ends the fork and everything that it started, and deletes every file.

        Returns:
            Whether the fork had ended before, since it was busy for longer than it had given itself.

        Raises:
            SandboxError: it cannot be done; close the sandbox instead.
            VerifierError: there never was a fork.
        """
        ...


async def make_nursery(box: Sandbox, module: str, *, cells: bool = False) -> Nursery:
    """The nursery of a guest module's `forked` in `box`, whose forks are cells if it has those and `cells` is said."""
    if isinstance(box, WarmSandbox):
        await box.load(guest_code(*_needed_modules(module)))
        return _Cells(box) if cells else _Warm(box)
    ours, theirs = socket.socketpair()
    with theirs:
        await box.start(BOOT, stdio=theirs)
    control = HostChannel(ours)
    await control.write(guest_program(*_needed_modules(module), "cold"))
    return _Cold(box, control, f"{PACKAGE}.{module}".encode())


def _needed_modules(module: str) -> tuple[str, ...]:
    return *_WIRE, *_NEEDS[module], module


class _Warm:
    """Forks of the interpreter that the sandbox keeps warm."""

    folder = "."
    in_series = False

    def __init__(self, box: WarmSandbox) -> None:
        self.box: Sandbox = box
        self._warm = box
        self._imported: set[str] = set()
        self._process: Process | None = None

    async def prepare(self, tree: Tree) -> None:
        named = {
            name.decode()
            for path, file in tree.files.items()
            if path.endswith(".py") and b"import" in file.data
            for name in _IMPORT.findall(file.data[:_SCANNED])
        }
        if new := (named & _AHEAD) - self._imported:
            await self._warm.load(b"", sorted(new))
            self._imported |= new

    async def fork(self, end: socket.socket) -> None:
        self._process = await self._warm.fork(end)

    async def fork_each(self, ends: Sequence[socket.socket], turns: socket.socket, core: int, /) -> None:
        await self._warm.fork_each(ends, turns, core)

    async def cpu_used(self) -> CpuTime | None:
        return await self._warm.used()

    async def confirm(self) -> None:
        await self._warm.confirm()

    async def clear(self) -> bool:
        await self._warm.clear()
        if self._process is None:
            return False
        try:
            code = (await self._process.wait()).code
        except SandboxError as error:
            raise VerifierError(f"a process for the check could not be made: {error}") from error
        self._process = None
        return code == -signal.SIGVTALRM


class _Cells(_Warm):
    """Forks that are cells: always of a series, if only of one."""

    in_series = True
    _turns: socket.socket | None = None

    async def fork(self, end: socket.socket) -> None:
        self._turns, theirs = socket.socketpair()
        with theirs:
            await self._warm.fork_each([end], theirs, -1)

    async def clear(self) -> bool:
        if self._turns is not None:
            self._turns.close()
            self._turns = None
        return await super().clear()


class _Cold:
    """Forks of a parent that was started by command."""

    folder = "."
    in_series = False

    def __init__(self, box: Sandbox, control: HostChannel, entry: bytes) -> None:
        self.box = box
        self._control = control
        self._order = (b"0" if box.name == "none" else b"1") + entry
        self._number = 0

    async def prepare(self, tree: Tree) -> None:
        pass

    async def fork(self, end: socket.socket) -> None:
        self._number += 1
        self.folder = f"fork-{self._number}"
        try:
            await self._control.send(wire.START, self._order, descriptor=end.fileno())
            await self._receive_answer()
        except ChannelGone as error:
            raise SandboxError(f"the parent of the checks' processes is gone: {error}") from error

    async def fork_each(self, _ends: Sequence[socket.socket], _turns: socket.socket, _core: int, /) -> None:
        raise SandboxError("this sandbox forks on order only")

    async def cpu_used(self) -> CpuTime | None:
        return None

    async def confirm(self) -> None:
        pass

    async def clear(self) -> bool:
        try:
            await self._control.send(wire.END, b"")
            await self._receive_answer()
        except ChannelGone as error:
            raise SandboxError(f"the parent of the checks' processes is gone: {error}") from error
        return False

    async def _receive_answer(self) -> None:
        try:
            with anyio.fail_after(_END_S):
                await self._control.receive()
        except TimeoutError as error:
            raise SandboxError(f"the parent of the checks' processes did not answer within {_END_S:g} s") from error
