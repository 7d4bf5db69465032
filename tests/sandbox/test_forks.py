"""Forks of a box's interpreter beside its commands."""

from __future__ import annotations

import marshal
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from honestly.errors import SandboxError
from honestly.records import Tree
from honestly.sandbox import Extent, WarmSandbox, open_sandbox

pytestmark = pytest.mark.anyio

ECHO = "import os\ndef forked(wire):\n    os.write(wire, b'here')\n    os.write(wire, os.read(wire, 9))\n"


async def test_a_fork_does_not_die_with_the_command_that_began_before_it() -> None:
    """A command is killed with all that has its tag; the fork is made by the same keeper, just afterwards."""
    async with open_sandbox(Tree()) as box:
        assert isinstance(box, WarmSandbox)
        await box.load(marshal.dumps([("echo", compile(ECHO, "echo", "exec"))]))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(box.exec, "touch begun; sleep 1000")
            while not (await box.snapshot()).files:  # noqa: ASYNC110 - the box tells of no event
                await anyio.sleep(0.01)
            ours, theirs = socket.socketpair()
            ours.settimeout(20)
            with ours, theirs:
                process = await box.fork(theirs)
                theirs.close()
                assert await anyio.to_thread.run_sync(ours.recv, 9) == b"here"
                tasks.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    await box.exec("true")  # answered after the command was killed
                    ours.send(b"still")
                    assert await anyio.to_thread.run_sync(ours.recv, 9) == b"still"
                    await process.wait()


async def test_a_cell_dies_with_a_keeper_that_is_killed() -> None:
    """It is in nobody's pid namespace but its own; who renews its files ends it."""

    def first_processes() -> dict[int, int]:
        """Processes of this one's that are the first of a pid namespace, and their parents."""
        found, parents = {}, {}
        for path in Path("/proc").glob("[0-9]*/status"):
            with suppress(OSError):
                fields = dict(line.split(":", 1) for line in path.read_text().splitlines())
                parents[int(fields["Pid"])] = int(fields["PPid"])
                if fields.get("NSpid", "").split()[1:] == ["1"]:
                    found[int(fields["Pid"])] = int(fields["PPid"])
        return {pid: parent for pid, parent in found.items() if is_ours(pid, parents)}

    def is_ours(pid: int, parents: dict[int, int]) -> bool:
        """Whether a process stems from this one: other tests run beside, with cells of their own."""
        while pid in parents and pid != os.getpid():
            pid = parents[pid]
        return pid == os.getpid()

    with suppress(SandboxError):
        async with open_sandbox(Tree(), extent=Extent.CELLS) as box:
            assert isinstance(box, WarmSandbox)
            await box.load(marshal.dumps([("echo", compile(ECHO, "echo", "exec"))]))
            before = first_processes()
            (_, turns), (ours, theirs) = pairs = [socket.socketpair() for _ in range(2)]
            ours.settimeout(20)
            await box.fork_each([theirs], turns, -1)
            assert await anyio.to_thread.run_sync(ours.recv, 9) == b"here"
            mine = {pid: parent for pid, parent in first_processes().items() if pid not in before}
            ((cell, keeper),) = mine.items()
            os.kill(keeper, signal.SIGKILL)
            with anyio.fail_after(20):
                while await anyio.Path(f"/proc/{cell}").exists():  # noqa: ASYNC110 - the kernel tells of no event
                    await anyio.sleep(0.02)
            for end in (end for pair in pairs for end in pair):
                end.close()
