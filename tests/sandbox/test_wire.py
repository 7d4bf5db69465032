"""The wire between a sandbox and its owner: what goes in comes out, and a hostile keeper gets errors, not memory."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import pytest
from hypothesis import given, strategies as st

from honestly.errors import SandboxError
from honestly.sandbox import Limits
from honestly.sandbox._channel import Channel
from honestly.sandbox._guest import _wire
from honestly.sandbox._guest.frames import HEAD, FrameError, pack_frame, read
from honestly.sandbox._linux import LinuxSandbox

fields_strategy = st.lists(st.binary(max_size=200), max_size=20)


@given(st.lists(fields_strategy, max_size=5), st.integers(1, 40))
def test_frames_survive_any_cutting(frames: list[list[bytes]], step: int) -> None:
    stream = b"".join(_wire.pack_frame(*fields) for fields in frames)
    inbox, taken = bytearray(), []
    for start in range(0, len(stream), step):
        inbox += stream[start : start + step]
        taken += list(_wire.take_frames(inbox, 1 << 20))
    assert taken == frames
    assert not inbox


@given(st.lists(fields_strategy))
def test_lists_nest(lists: list[list[bytes]]) -> None:
    packed = _wire.pack(*(_wire.pack(*fields) for fields in lists))
    assert [_wire.unpack(inner) for inner in _wire.unpack(packed)] == lists


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_fields_or_an_error(data: bytes) -> None:
    inbox = bytearray(data)
    try:
        for fields in _wire.take_frames(inbox, 1000):
            assert sum(map(len, fields)) <= len(data)
        _wire.unpack(data)
    except FrameError:
        pass
    assert len(inbox) <= len(data)


def test_an_announcement_beyond_the_limit_is_an_error_before_it_is_memory() -> None:
    with pytest.raises(FrameError, match="4294967295 bytes"):
        list(_wire.take_frames(bytearray(b"\xff\xff\xff\xff"), 1 << 20))


@given(st.binary(max_size=300))
def test_a_guest_that_waits_for_a_frame_gets_it_or_an_error(data: bytes) -> None:
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    try:
        content = read(reader, 100)
        assert pack_frame(content) == data[: HEAD + len(content)]
    except (FrameError, EOFError):
        pass
    finally:
        os.close(reader)


@asynccontextmanager
async def box_with_keeper(answer: Callable[[bytes], bytes]) -> AsyncIterator[LinuxSandbox]:
    """A sandbox whose keeper answers each request with arbitrary bytes, and then hangs up."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)

    async def keep() -> None:
        await anyio.wait_readable(theirs)
        request = theirs.recv(1 << 16)
        theirs.send(answer(_wire.unpack(request[4:])[0]))
        theirs.shutdown(socket.SHUT_WR)

    box = LinuxSandbox(Channel(ours, 1 << 16), Limits())
    with theirs:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keep)
            yield box
        await box.close()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer",
    [
        lambda key: b"",
        lambda key: b"\xff\xff\xff\xff",
        lambda key: b"garbage, and then some more of it",
        lambda key: struct.pack("!I", 0),
        _wire.pack_frame,
        lambda key: _wire.pack_frame(b"another", b"ok"),
        lambda key: _wire.pack_frame(key, b"ok"),
        lambda key: _wire.pack_frame(key, b"ok", b"1", b"2"),
        lambda key: _wire.pack_frame(key, b"ok", b"x", b"", b"0", b"0", b"", b""),
        lambda key: _wire.pack_frame(key, b"ok", b"0", b"", b"NaN?", b"0", b"", b""),
        lambda key: _wire.pack_frame(key, b"unavailable"),
        lambda key: _wire.pack_frame(key, b"unavailable", b"x", b"y"),
        lambda key: _wire.pack_frame(key, b"no such status", b"\xff"),
        lambda key: struct.pack("!III", 8, 1 << 31, 0),
        lambda key: _wire.pack_frame(key, b"ok", b"0")[:-3],
    ],
)
async def test_a_hostile_keeper_is_an_error(answer: Callable[[bytes], bytes]) -> None:
    async with box_with_keeper(answer) as box:
        with pytest.raises(SandboxError):
            await box.exec("true")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "fields",
    [(b"link",), (b"socket", b"a", b""), (b"file", b"../a", b""), (b"file", b"/a", b""), (b"file", b"\xff", b"")],
)
async def test_a_hostile_snapshot_is_an_error(fields: tuple[bytes, ...]) -> None:
    reply = (b"ok", *fields)
    async with box_with_keeper(lambda key: _wire.pack_frame(key, *reply)) as box:
        with pytest.raises(SandboxError, match="malformed"):
            await box.snapshot()
