"""The interface of sandboxes: limits, results, the two protocols that every kind of sandbox fulfils, and two more that
some do.

A sandbox is a small machine with a workspace, a writable directory that holds the files of a tree: `/workspace`, unless
a layout puts it elsewhere. Commands run in it one after the other or at once; what they leave behind is read back as a
tree. Paths are absolute paths inside the sandbox, or relative to the workspace. This module holds no mechanism;
`_linux.py` and `_unsafe.py` do.
"""

import math
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from honestly.records import Tree
from honestly.sandbox._guest._cpu_time import CpuTime

WORKSPACE = "/workspace"
"""Where the tree's files are inside a sandbox, unless its layout says otherwise."""

HERE = "."
"""The workspace, wherever it lies: where commands start."""

NO_ENV: Mapping[str, str] = {}
"""No variables beside the sandbox's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of the code inside. Each number holds for one sandbox, or for one process where it says so."""

    wall_s: float = 60.0
    """Seconds until a command and everything that it started are killed, unless `exec` names another deadline."""
    cpu_s: int = 600
    """Seconds of CPU time of one process."""
    memory_mb: int = 512
    """MiB of writable memory of one process, and of resident memory of all processes together."""
    reserved_mb: int | None = None
    """MiB of writable memory that one process may reserve, where that is more than it may hold: programs with
    AddressSanitizer reserve 20 TiB and hold little. None for as many as `memory_mb`."""
    processes: int = 64
    """Processes and threads alive at once."""
    file_mb: int = 256
    """MiB of one file."""
    disk_mb: int = 512
    """MiB of all files in the workspace, `/tmp`, `/dev/shm` and private directories together; they live in memory."""
    output_bytes: int = 1 << 20
    """Bytes kept of each output stream of a command: the first and the last half of them, if it wrote more."""
    open_files: int = 512
    """Open descriptors of one process."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if value is not None and not 0 < value < 1 << 40:
                raise ValueError(f"Limits.{name} is {value!r}; expected a positive number below 2**40")

    @property
    def data_mb(self) -> int:
        """MiB of writable memory that one process may reserve."""
        return max(self.memory_mb, self.reserved_mb or 0)


@dataclass(frozen=True, slots=True)
class Result:
    """A command's exit code and output."""

    code: int | None
    """Exit status; minus the signal's number if a signal ended it; None if the deadline or the memory limit did."""
    stdout: bytes
    """What it wrote to standard output; empty for a command that was started with pipes."""
    stderr: bytes
    """What it wrote to standard error."""
    timed_out: bool
    """The deadline ended it."""
    truncated: int
    """Bytes of both streams that were dropped from the middle; a line in the stream says where and how many."""
    seconds: float
    """Wall time from its start to its end."""
    out_of_memory: bool = False
    """The memory limit of the whole sandbox ended it."""
    cpu: float = math.nan
    """Seconds of CPU time of it and of what it waited for; NaN where the sandbox cannot tell."""


class Process(Protocol):
    """A running command that you can send bytes to and receive bytes from."""

    async def send(self, data: bytes) -> None:
        """Write all of `data` to its standard input.

        Raises:
            SandboxError: It has closed its standard input, or is gone.
        """
        ...

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """Return what it wrote to standard output, at least one byte; empty once it has closed the stream."""
        ...

    async def close_stdin(self) -> None:
        """Let it read the end of its standard input; idempotent."""
        ...

    async def wait(self) -> Result:
        """Wait for its end. The result holds what it wrote to standard error (bounded), and no standard output."""
        ...

    async def kill(self) -> None:
        """Kill it and everything that it started; idempotent."""
        ...


class Sandbox(Protocol):
    """A place where untrusted code runs (docs/sandbox.md)."""

    name: str
    """Kind of isolation, as a study records it: "namespaces", an engine of containers, or "none". A study also records
    the box's `limits: Limits`, where it has such an attribute."""

    async def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the command's deadline, not the caller's patience
        env: Mapping[str, str] = NO_ENV,
        stdin: bytes = b"",
        cwd: str = HERE,
    ) -> Result:
        """Run a command to its end.

        Processes that it leaves in the background live on until the sandbox is closed; when the deadline ends it,
        they die with it.

        Args:
            command: Program and arguments; or one string, for `/bin/sh -c`.
            timeout: Seconds until the deadline; None for `Limits.wall_s`.
            env: Variables on top of the sandbox's own.
            stdin: What it reads from standard input.
            cwd: Where it starts.

        Raises:
            SandboxError: The sandbox is closed or broken. That a command fails, or does not exist (127), is a result.
        """
        ...

    async def start(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] = NO_ENV,
        cwd: str = HERE,
        stdio: socket.socket | None = None,
    ) -> Process:
        """Start a command that lives until it ends, is killed, or the sandbox is closed; it has no deadline.

        Args:
            command: Program and arguments.
            env: Variables beside the sandbox's own.
            cwd: Where it begins.
            stdio: What its standard input and output shall be, instead of pipes to the caller: one end of a socket
                pair, over which the caller can pass descriptors too. The caller closes its copy.
        """
        ...

    async def read(self, path: str) -> bytes:
        """Return the content of a file.

        Raises:
            SandboxLimitError: It is larger than `Limits.disk_mb`.
            SandboxError: It does not exist, is not a regular file, or may not be read.
        """
        ...

    async def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Create or replace a file, and the directories above it.

        Raises:
            SandboxLimitError: The disk is full.
            SandboxError: The path is not below a writable directory, or something else is in the way.
        """
        ...

    async def snapshot(self) -> Tree:
        """Return the files of the workspace: plain, executable, and links as links.

        Sockets, pipes, empty directories, and names that are not UTF-8 are left out. Links are never followed.

        Raises:
            SandboxLimitError: The files are more than 100,000, nested deeper than 200, larger than `Limits.disk_mb`, or
                have paths longer than 3800 bytes.
        """
        ...

    async def close(self) -> None:
        """Kill everything inside and forget all files; idempotent."""
        ...


@runtime_checkable
class DoorSandbox(Sandbox, Protocol):
    """A sandbox in which a port can be served from outside (`listen`)."""

    async def listen(self, port: int = 0, address: str = "127.0.0.1") -> socket.socket:
        """Return a socket that listens on the loopback inside; who accepts on it outside answers what connects inside.

        Nothing else becomes reachable by it. The caller closes it; a sandbox without isolation listens on this
        machine's own loopback, where every user of the machine can connect.

        Args:
            port: Where it listens; 0 for any free port, which `getsockname` tells.
            address: In 127.0.0.0/8.

        Raises:
            ValueError: The number is not a port.
            SandboxError: The port is taken, or the sandbox is closed or broken.
        """
        ...


@runtime_checkable
class NetworkedSandbox(DoorSandbox, Protocol):
    """A sandbox whose servers can be reached from outside."""

    async def connect(self, port: int) -> socket.socket:
        """Return a socket, not blocking, that is connected to a port of 127.0.0.1 inside. The caller closes it.

        Raises:
            OSError: Nothing listens there.
            SandboxError: The sandbox is closed or broken.
        """
        ...

    async def open_ports(self) -> frozenset[int]:
        """The TCP ports inside on which something listens at all addresses."""
        ...


@runtime_checkable
class WarmSandbox(Sandbox, Protocol):
    """A sandbox with a warm Python interpreter, whose forks run programs without starting one.

    What a fork works on reaches it over its wire only. Nothing of it is left for the next: processes and files are
    cleared away between the two.
    """

    async def load(self, program: bytes, imports: Sequence[str] = ()) -> None:
        """Take in a program of ours: a marshalled list of (module name, code), the last with `forked(descriptor)`.

        Args:
            program: What every fork goes on with.
            imports: Modules to import ahead, of the standard library or of shown packages; what is not there is left
                to the forks.
        """
        ...

    async def call(self, *, timeout: float, stdin: bytes) -> Result:  # noqa: ASYNC109 - as for `exec`
        """Have a fresh process run the loaded program as a command in the workspace; see `exec`.

        It gets the descriptor of its standard input, and can be told from an interpreter that was started for it by
        nothing but what is imported already.
        """
        ...

    async def fork(self, wire: socket.socket) -> Process:
        """Have a fresh process run the loaded program as the sandbox's user, with `wire`, which the caller closes."""
        ...

    async def fork_each(self, wires: Sequence[socket.socket], turns: socket.socket, core: int) -> None:
        """Have a fresh process do the program's work with each wire, one after the other; see `fork`.

        The first begins at once. Each byte that arrives at `turns` ends one, as `clear` does, and begins the next. The
        end of `turns`, or `clear`, ends the series. The caller closes its copies of all sockets.

        Args:
            wires: At most 60.
            turns: One end of a socket pair; the other is for whoever the processes work with.
            core: The processor to which they keep, best the one that their partner keeps to; -1 for any.

        Raises:
            SandboxError: The first could not begin. What goes wrong later, the next `clear` raises.
        """
        ...

    async def used(self) -> CpuTime | None:
        """Return the seconds that living processes ran, and were ready to run while others did; None if not known.

        Forks to come could find it in their memory.
        """
        ...

    async def confirm(self) -> None:
        """Do nothing.

        Raises:
            SandboxError: The sandbox is closed or broken.
        """
        ...

    async def clear(self) -> None:
        """Kill every process in the sandbox and delete every file in its writable directories.

        Raises:
            SandboxLimitError: There are too many files; close the sandbox instead.
            SandboxError: A series of forks had broken off.
        """
        ...
