"""Programs that sandboxes begin with in memory: loaded once for all, and never in place of another."""

from __future__ import annotations

import marshal
import os
import signal
import socket

import pytest
from box_processes import ended, zygotes

from honestly.records import Tree
from honestly.sandbox import Sandbox, WarmSandbox, open_sandbox, preload

pytestmark = pytest.mark.anyio

SHARED = "import os\nloaded_by = os.getpid()\n"
OWN = """
import os, {shared}
prepared = []
def prepare():
    prepared.append(os.getpid())
def forked(wire):
    os.write(wire, f"{name} {{{shared}.loaded_by}} {{prepared}}".encode())
"""


def program(name: str, shared: str) -> bytes:
    sources = {shared: SHARED, name: OWN.format(name=name, shared=shared)}
    return marshal.dumps([(module, compile(source, module, "exec")) for module, source in sources.items()])


async def said(box: Sandbox, wanted: bytes) -> list[str]:
    """What a fork says: the program's name, who loaded the module that programs share, and who prepared it."""
    assert isinstance(box, WarmSandbox)
    await box.load(wanted)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = await box.fork(theirs)
        await process.wait()
        words = ours.recv(1 << 12).decode().split(maxsplit=2)
    await box.clear()
    return words


async def test_what_is_preloaded_is_loaded_once_for_all_boxes_to_come() -> None:
    one, two = program("first_one", "shared_of_these"), program("second_one", "shared_of_these")
    async with open_sandbox(Tree()) as before:
        preload(one)
        preload(two)
        preload(one)
        async with open_sandbox(Tree()) as a, open_sandbox(Tree()) as b:
            zygote = str(zygotes()[0])
            assert await said(a, one) == await said(b, one) == ["first_one", zygote, f"[{zygote}]"]
            assert await said(a, two) == ["second_one", zygote, f"[{zygote}]"]
            assert await said(a, one) == ["first_one", zygote, f"[{zygote}]"]
        name, loader, _ = await said(before, one)  # opened before, it loads the program by itself
        assert name == "first_one"
        assert loader != zygote


async def test_the_next_zygote_has_it_too() -> None:
    mine = program("third_one", "shared_by_none")
    preload(mine)
    async with open_sandbox(Tree()):
        old = zygotes()[0]
    os.kill(old, signal.SIGKILL)
    assert ended(old, within_s=5)
    async with open_sandbox(Tree()) as box:
        new = zygotes()[0]
        assert new != old
        assert await said(box, mine) == ["third_one", str(new), f"[{new}]"]


async def test_one_that_is_too_large_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="a program of 200000 bytes cannot be preloaded; expected at most 196608"):
        preload(bytes(200_000))
    async with open_sandbox(Tree()) as box:
        assert (await box.exec("true")).code == 0
