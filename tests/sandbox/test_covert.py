"""Senders and receivers, really run: what one sample writes is not there for the next to read.

The way of all samples before there were cells, from one fork of an ordinary sandbox to the next, shows that the same
senders and receivers work where something persists.
"""

from __future__ import annotations

import marshal
import os
import socket

import pytest

from honestly.records import Tree
from honestly.sandbox import Extent, WarmSandbox, open_sandbox
from honestly.sandbox.covert import CHANNELS, CovertChannel, Way, measure_channels

pytestmark = pytest.mark.anyio
STATE = [channel for channel in CHANNELS if not channel.timing]
OPEN_BETWEEN_BOXES = {"numbers of pipes and sockets", "numbers of process descriptors"}
"""Counters of the whole machine that a program which makes pipes and processes can read: docs/memory.md."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def named(word: str) -> list[CovertChannel]:
    return [channel for channel in CHANNELS if word in channel.name]


@pytest.mark.slow  # `honestly doctor` does the same in fewer turns, in the tests of the command line
async def test_nothing_persists_from_one_sample_to_the_next() -> None:
    leaks = await measure_channels(Way.SAMPLES, STATE, turns=60)
    assert {leak.channel.name: leak.bits for leak in leaks if leak.bits} == {}


async def test_names_that_were_looked_up_are_forgotten() -> None:
    (leak,) = await measure_channels(Way.SAMPLES, named("looked up"))
    assert leak.bits == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("word", ["processes and threads", "numbers of files", "network"])
async def test_the_meter_sees_what_persists(word: str) -> None:
    (leak,) = await measure_channels(Way.FORKS, named(word), turns=40)
    assert leak.bits > 0.5


@pytest.mark.slow
async def test_only_known_counters_persist_between_sandboxes() -> None:
    leaks = await measure_channels(Way.BOXES)
    carried = {leak.channel.name for leak in leaks if leak.bits and not leak.channel.timing}
    assert carried <= OPEN_BETWEEN_BOXES


_KEEPER = """
import os, sys
def forked(wire):
    frame = sys._getframe()
    while "handler" not in frame.f_locals:
        frame = frame.f_back
    keeper = frame.f_locals["self"]
    os.write(wire, repr(max(keeper._series.fork.pid, keeper._box._cell)).encode() + b"\\n")
    os.read(wire, 1)
"""


async def test_no_cell_learns_the_number_of_the_one_before() -> None:
    async with open_sandbox(Tree(), extent=Extent.CELLS) as box:
        assert isinstance(box, WarmSandbox)
        await box.load(marshal.dumps([("program", compile(_KEEPER, "program", "exec"))]))
        ends = [socket.socketpair() for _ in range(3)]
        await box.fork_each([far for _, far in ends[1:]], ends[0][1], -1)
        for near, _ in ends[1:]:
            near.settimeout(30)
            assert int(near.recv(99)) < 512  # descriptors: numbers of processes are of the whole machine
            ends[0][0].send(b".")
        for near, far in ends:
            near.close()
            far.close()


_SEEN_ELSEWHERE = """
import ctypes, os
def forked(wire):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    libc.mmap.restype = ctypes.c_void_p
    page = libc.mmap(None, ctypes.c_size_t(4096), 1, 2, os.open(os.sys.executable, 0), ctypes.c_long(0))
    word, pause = ctypes.c_uint32.from_address(page).value, (ctypes.c_long * 2)(0, 1)
    wait = libc.syscall(202, ctypes.c_void_p(page), 0, word, pause, None, 0), ctypes.get_errno()
    found = [libc.syscall(136, ctypes.c_long(number), ctypes.create_string_buffer(64)) for number in range(100)]
    os.write(wire, repr((wait, max(found))).encode() + b"\\n")
    os.read(wire, 1)
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of calls are those of x86-64")
async def test_no_cell_is_seen_waiting_or_sees_file_systems_of_others() -> None:
    async with open_sandbox(Tree(), extent=Extent.CELLS) as box:
        assert isinstance(box, WarmSandbox)
        await box.load(marshal.dumps([("program", compile(_SEEN_ELSEWHERE, "program", "exec"))]))
        _, (near, far) = ends = [socket.socketpair() for _ in range(2)]
        await box.fork_each([far], ends[0][1], -1)
        near.settimeout(30)
        assert near.recv(99) == b"((-1, 11), -1)\n"  # "try again", where others would see a timeout
        for pair in ends:
            for end in pair:
                end.close()


async def test_too_few_turns_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 20"):
        await measure_channels(turns=4)
