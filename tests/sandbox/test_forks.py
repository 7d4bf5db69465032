"""Forks of a box's interpreter beside its commands."""

from __future__ import annotations

import marshal
import socket

import anyio
import pytest

from honestly.records import Tree
from honestly.sandbox import WarmSandbox, open_sandbox

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
