"""Boxes of Linux namespaces, seen from outside.

One zygote per program (`_guest/_zygote.py`) forks a keeper per sandbox; this side asks the keeper over a `Channel`.
Deadlines are the keeper's, so that a busy program does not stretch them; the channel only gives up on a keeper that has
stopped answering.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from honestly.errors import SandboxError, SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox._api import HERE, NO_ENV, Limits, Process, Result
from honestly.sandbox._channel import FOREVER_S, GRACE_S, Channel
from honestly.sandbox._guest import _wire
from honestly.sandbox._guest._cpu_time import MOST, CpuTime
from honestly.sandbox._layout import DEFAULT, PACKAGES, Extent, Layout
from honestly.sandbox._machine import argv_of, base_environment, deadline_s, encoded_limits
from honestly.sandbox._packages import layout_variables
from honestly.sandbox._pipes import command_streams
from honestly.sandbox._places import encoded_places
from honestly.sandbox._process import LinuxProcess, decoded_result
from honestly.sandbox._spawner import spawn_keeper
from honestly.sandbox._tree import tree_fields, tree_of

if TYPE_CHECKING:
    from honestly.sandbox._egress import Egress
    from honestly.sandbox._proxy import Proxy

_REPLY_SLACK = 64 << 20
_SNAPSHOT_S = 300.0


class LinuxSandbox:
    """A sandbox behind namespaces; made by `open_sandbox`."""

    name = "namespaces"
    _possible = False
    """Whether this machine has let this program build one."""

    def __init__(self, channel: Channel, limits: Limits, layout: Layout = DEFAULT) -> None:
        self._channel = channel
        self.limits = limits
        self.patience = channel.patience
        self._base = base_environment(layout.workspace)
        self._base |= layout_variables(layout, layout.workspace, PACKAGES)
        self._processes: list[LinuxProcess] = []
        self._proxy: Proxy | None = None

    @classmethod
    async def open(
        cls,
        tree: Tree,
        limits: Limits,
        layout: Layout = DEFAULT,
        egress: Egress | None = None,
        extent: Extent = Extent.MACHINE,
    ) -> LinuxSandbox:
        """Build a sandbox around the files of a tree.

        Raises:
            ValueError: The layout does not fit this machine.
            SandboxUnavailableError: The kernel refuses; the message says what and why.
            SandboxError: The tree's files get in each other's way, or don't fit the disk.
        """
        shown = encoded_places(layout, extent)
        ours, theirs = socket.socketpair()
        with theirs:
            ids = b" ".join(b"%d" % number for number in layout.user or ())
            spawn_keeper(theirs, ids or (b"cells" if extent is Extent.CELLS else b"box"))
        channel = Channel(ours, (limits.disk_mb << 20) + 2 * limits.output_bytes + _REPLY_SLACK)
        box = cls(channel, limits, layout)
        try:
            await channel.ask_keeper(b"open", shown, encoded_limits(limits), _wire.pack(*tree_fields(tree)))
            if egress:
                from honestly.sandbox._proxy import PROXY_PORT, Proxy, proxy_variables

                box._proxy = Proxy(await box.listen(PROXY_PORT), egress)
                box._base |= proxy_variables()
        except SandboxUnavailableError as error:
            await box.close()
            if cls._possible:  # an accident: somebody has killed it as it was built, or memory is short
                raise SandboxError(f"a sandbox could not be built this time: {error}") from error
            raise
        except BaseException:
            await box.close()
            raise
        cls._possible = True
        return box

    async def exec(
        self,
        command: str | Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the command's deadline, not the caller's patience
        env: Mapping[str, str] = NO_ENV,
        stdin: bytes = b"",
        cwd: str = HERE,
    ) -> Result:
        """Run a command to its end; see `Sandbox.exec`."""
        words = _encoded_command(argv_of(command), {**self._base, **env}, cwd)
        return await self._run_until(timeout, b"exec", *words, stdin)

    async def _run_until(self, timeout: float | None, order: bytes, *fields: bytes) -> Result:  # noqa: ASYNC109
        """Have the keeper run something to its end, or to its deadline."""
        seconds = min(deadline_s(timeout, self.limits), FOREVER_S)
        call = await self._channel.send(order, b"%.6f" % seconds, *fields)
        try:
            return decoded_result(await self._channel.reply(call, MOST * seconds + GRACE_S))
        except anyio.get_cancelled_exc_class():
            await self._channel.give_up(call)
            raise

    async def start(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] = NO_ENV,
        cwd: str = HERE,
        stdio: socket.socket | None = None,
    ) -> Process:
        """Start a command with pipes, or on a socket; see `Sandbox.start`."""
        request = _encoded_command(argv_of(command), {**self._base, **env}, cwd)
        with command_streams(stdio) as (theirs, ours):
            call = await self._channel.send(b"start", *request, descriptors=theirs)
        process = LinuxProcess(self._channel, call, *ours)
        self._processes.append(process)
        return process

    async def read(self, path: str) -> bytes:
        """Return the content of a file; see `Sandbox.read`."""
        return b"".join(await self._channel.ask_keeper(b"read", _encoded_path(path)))

    async def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Create or replace a file; see `Sandbox.write`."""
        await self._channel.ask_keeper(b"write", _encoded_path(path), b"1" if executable else b"0", data)

    async def snapshot(self) -> Tree:
        """Return the workspace's files; see `Sandbox.snapshot`."""
        return tree_of(await self._channel.ask_keeper(b"snapshot", patience=_SNAPSHOT_S))

    async def load(self, program: bytes, imports: Sequence[str] = ()) -> None:
        """Take in a program for forks; see `WarmSandbox.load`."""
        await self._channel.ask_keeper(
            b"load", program, _wire.pack(*map(_encoded_text, imports)), _encoded_variables(self._base)
        )

    async def call(self, *, timeout: float, stdin: bytes) -> Result:  # noqa: ASYNC109
        """Have a fresh process run the loaded program as a command; see `WarmSandbox.call`."""
        return await self._run_until(timeout, b"call", stdin)

    async def fork(self, wire: socket.socket) -> Process:
        """Have a fresh process run the loaded program; see `WarmSandbox.fork`."""
        return LinuxProcess(self._channel, await self._channel.send(b"fork", descriptors=(wire.fileno(),)), -1, -1)

    async def fork_each(self, wires: Sequence[socket.socket], turns: socket.socket, core: int) -> None:
        """Fork for each wire in turn; see `WarmSandbox.fork_each`."""
        given = [end.fileno() for end in (turns, *wires)]
        call = await self._channel.send(b"series", b"%d" % len(given), b"%d" % core, descriptors=given)
        await self._channel.reply(call, GRACE_S)

    async def used(self) -> CpuTime | None:
        """Return what processes got and lacked; see `WarmSandbox.used`."""
        seconds = await self._channel.ask_keeper(b"used")
        return CpuTime(*map(float, seconds)) if seconds else None

    async def confirm(self) -> None:
        """Raise an error if it is broken; see `WarmSandbox.confirm`."""
        await self._channel.ask_keeper(b"stands")

    async def clear(self) -> None:
        """Kill every process and delete every file; see `WarmSandbox.clear`."""
        await self._channel.ask_keeper(b"clear")

    async def pause(self) -> None:
        """Let nothing inside run until `resume`; see `PausableSandbox.pause`."""
        await self._channel.ask_keeper(b"pause")
        self.patience.hold_deadlines()

    async def resume(self) -> None:
        """Let everything run again; see `PausableSandbox.pause`."""
        self.patience.go_on()
        await self._channel.ask_keeper(b"resume")

    async def listen(self, port: int = 0, address: str = "127.0.0.1") -> socket.socket:
        """Return a socket that listens on the loopback inside; see `DoorSandbox.listen`."""
        if not 0 <= port < 1 << 16:
            raise ValueError(f"the port is {port!r}; expected a number from 0 to 65535")
        return await self._socket_inside(address.encode(), b"%d" % port)

    async def connect(self, port: int) -> socket.socket:
        """Return a socket that is connected to a port inside; see `NetworkedSandbox.connect`."""
        inside = await self._socket_inside(b"", b"")
        inside.setblocking(False)
        try:
            with suppress(BlockingIOError):
                inside.connect(("127.0.0.1", port))
            await anyio.wait_writable(inside)
            if failed := inside.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                raise OSError(failed, os.strerror(failed))
        except BaseException:
            inside.close()
            raise
        return inside

    async def open_ports(self) -> frozenset[int]:
        """The ports inside on which something listens; see `NetworkedSandbox.open_ports`."""
        tables = await self._channel.ask_keeper(b"ports")
        rows = [line.split() for table in tables for line in table.decode().splitlines()[1:]]
        # 0A is TCP_LISTEN; nothing but zeros stands for all addresses.
        places = [row[1].rpartition(":") for row in rows if row[3] == "0A"]
        return frozenset(int(port, 16) for address, _, port in places if not address.strip("0"))

    async def _socket_inside(self, address: bytes, port: bytes) -> socket.socket:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                call = await self._channel.send(b"socket", address, port, descriptors=(theirs.fileno(),))
            # The keeper has sent the socket before its reply, so that there is nothing to wait for.
            await self._channel.reply(call, GRACE_S)
            ours.setblocking(False)
            _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
        if not descriptors:
            raise SandboxError("the sandbox sent no socket")
        return socket.socket(fileno=descriptors[0])

    async def close(self) -> None:
        """Kill everything inside, and wait until it is dead; see `Sandbox.close`."""
        await self._channel.close()
        for process in self._processes:
            process.release()
        if self._proxy:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._proxy.close)


def _encoded_text(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _encoded_path(value: str) -> bytes:
    if "\0" in value:
        raise SandboxError(f"{value[:80]!r} is not a path: it has a zero byte")
    return _encoded_text(value)


def _encoded_command(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> tuple[bytes, bytes, bytes]:
    """Encode what to run, in which environment, and where."""
    return _wire.pack(*map(_encoded_text, argv)), _encoded_variables(env), _encoded_text(cwd)


def _encoded_variables(env: Mapping[str, str]) -> bytes:
    return _wire.pack(*(_encoded_text(part) for pair in env.items() for part in pair))
