"""Senders and receivers, really run: what one writes is not there for another to read, later or at the same time.

Two forks of one ordinary sandbox, between which there is no wall, and two processes without any sandbox, show that the
same senders and receivers work where something is shared.
"""

from __future__ import annotations

import json
import marshal
import os
import socket
from pathlib import Path

import pytest

from honestly.records import Tree
from honestly.sandbox import Extent, WarmSandbox, open_sandbox
from honestly.sandbox.covert import CHANNELS, CovertChannel, Way, When, measure_channels

pytestmark = pytest.mark.anyio
STATE = [channel for channel in CHANNELS if not channel.timing]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def named(*words: str) -> list[CovertChannel]:
    return [channel for channel in CHANNELS if any(word in channel.name for word in words)]


@pytest.mark.slow
@pytest.mark.parametrize("when", When)
async def test_nothing_passes_between_samples(when: When) -> None:
    leaks = await measure_channels(Way.SAMPLES, STATE, when=when)
    assert {leak.channel.name: leak.bits for leak in leaks if leak.bits > 0} == {}
    unmeasured = {leak.channel.name for leak in leaks if leak.bits != leak.bits}
    assert unmeasured == {one.name for one in STATE if one.later_only and when is When.AT_ONCE}


async def test_locks_waits_and_notices_do_not_pass_between_samples_at_the_same_time() -> None:
    leaks = await measure_channels(Way.SAMPLES, named("of a library", "on a page", "of a device"), when=When.AT_ONCE)
    assert {leak.channel.name: (leak.bits, leak.note) for leak in leaks if leak.bits != 0} == {}


@pytest.mark.slow
@pytest.mark.parametrize("word", ["processes and threads", "numbers of files", "of the network"])
async def test_the_meter_sees_what_persists(word: str) -> None:
    (leak,) = await measure_channels(Way.FORKS, named(word), turns=40)
    assert leak.bits > 0.5


async def test_the_meter_sees_what_two_share_at_the_same_time() -> None:
    tried = named("record locks of a library", "flock of a library", "notices of a folder")
    leaks = await measure_channels(Way.FORKS, tried, when=When.AT_ONCE)
    leaks += await measure_channels(Way.BARE, named("waits on a page, by mask"), when=When.AT_ONCE)
    assert [leak.channel.name for leak in leaks if not leak.bits > 0] == []
    assert leaks[0].bits > 4, "an offset is a whole byte"


@pytest.mark.slow
async def test_attacks_work_where_no_wall_is() -> None:
    places = ((Way.FORKS, When.AT_ONCE), (Way.BARE, When.AT_ONCE), (Way.BARE, When.LATER))
    failing = [channel for channel in STATE if not channel.uncontrolled]
    for turns in (90, 270, 810):  # what else the machine does may drown what is read; the longer, the less
        for way, when in places:
            leaks = [(await measure_channels(way, [channel], turns, when=when))[0] for channel in failing]
            failing = [leak.channel for leak in leaks if not leak.bits > 0]
    assert [channel.name for channel in failing] == []


@pytest.mark.slow
@pytest.mark.parametrize("way", [Way.BOXES, Way.MACHINE, Way.IMAGES, Way.HIDDEN])
async def test_only_what_is_known_to_be_open_passes_between_sandboxes(way: Way) -> None:
    leaks = await measure_channels(way, STATE, 42, when=When.AT_ONCE)
    assert [leak for leak in leaks if leak.bits != 0 and not leak.is_known] == []


def test_each_row_of_the_table_has_channels_or_a_reason_for_none() -> None:
    """`channels_by_row.json` names the channels of each row of `channels.md`, or says "none: " and why."""
    text = Path(__file__).with_name("channels.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    by_row = json.loads(Path(__file__).with_name("channels_by_row.json").read_text())
    assert [row[0] for row in rows] == list(by_row)
    named = [(name, "**open**" in row[1]) for row in rows for name in by_row[row[0]]]
    assert {name for name, _ in named if not name.startswith("none: ")} == {channel.name for channel in CHANNELS}
    assert {channel.name for channel in CHANNELS if channel.open} <= {name for name, is_open in named if is_open}


@pytest.mark.slow
async def test_what_fails_is_not_measured_and_never_zero() -> None:
    crashes = CovertChannel("crashes", "def send(bit): 1 / 0\ndef look(): return 0")
    dies = CovertChannel("dies", "def send(bit): os._exit(1)\ndef look(): return 0", apart="dies")
    refused = CovertChannel("refused", "def send(bit): os.open('/nowhere', 0)\ndef look(): return 0", apart="refused")
    found = await measure_channels(Way.SAMPLES, [crashes, dies, refused], 30, when=When.AT_ONCE)
    assert [leak.bits != leak.bits for leak in found] == [True, True, False]
    assert "ZeroDivisionError" in found[0].note
    assert "no answer" in found[1].note
    assert found[2].note.startswith("refused")


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
    # A thread with a descriptor of it, clone3, a descriptor of a process: the kernel would say that arguments are wrong.
    numbered = [libc.syscall(*call) * ctypes.get_errno() for call in ((56, 0x11000, 0), (435, 0, 0), (434, 1, 0))]
    os.write(wire, repr((wait, max(found), numbered)).encode() + b"\\n")
    os.read(wire, 1)
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of calls are those of x86-64")
async def test_no_cell_is_seen_waiting_or_numbers_processes_or_sees_file_systems_of_others() -> None:
    async with open_sandbox(Tree(), extent=Extent.CELLS) as box:
        assert isinstance(box, WarmSandbox)
        await box.load(marshal.dumps([("program", compile(_SEEN_ELSEWHERE, "program", "exec"))]))
        _, (near, far) = ends = [socket.socketpair() for _ in range(2)]
        await box.fork_each([far], ends[0][1], -1)
        near.settimeout(30)
        assert near.recv(99) == b"((-1, 11), -1, [-1, -38, -1])\n"  # "try again", where others would see a timeout
        for pair in ends:
            for end in pair:
                end.close()


async def test_too_few_turns_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 30"):
        await measure_channels(turns=4)
