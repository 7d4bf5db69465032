"""Measuring covert channels: random bits are sent, and guessed at from what was seen.

Half of the turns teach a threshold; the other half counts. A channel whose guesses there are no better than a coin's
(one-sided binomial test) has 0 bits; of any other, the bits per sample are the capacity of a binary symmetric channel
with its share of errors: 1 - H(errors / turns).
"""

from __future__ import annotations

import enum
import marshal
import math
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import anyio
import anyio.to_thread

from honestly.records import Tree
from honestly.sandbox._api import WarmSandbox
from honestly.sandbox._layout import Extent
from honestly.sandbox._open import open_sandbox
from honestly.sandbox.covert._channels import CHANNELS, CovertChannel

_PROGRAM = """
import os
def forked(wire):
    source = b""
    while not source.endswith(b"\\0"):
        source += os.read(wire, 1 << 16)
    space = {"seen": 0.0}
    try:
        exec(source[:-1], space)
    except BaseException as error:
        pass
    os.write(wire, repr(float(space["seen"])).encode() + b"\\0")
    os.read(wire, 1)
"""
_PATIENCE_S = 30.0
_ALPHA = 0.001
TURNS = 40


class Way(enum.Enum):
    """From where to where a channel leads."""

    SAMPLES = "from one sample of a series to the next"
    FORKS = "from one fork of a sandbox that shows the machine's programs to the next"
    BOXES = "from one sandbox for Python to the next"
    MACHINE = "from one sandbox that shows the machine's programs to the next"


_EXTENTS = {
    Way.SAMPLES: Extent.CELLS,
    Way.FORKS: Extent.MACHINE,
    Way.BOXES: Extent.PYTHON,
    Way.MACHINE: Extent.MACHINE,
}


@dataclass(frozen=True, slots=True)
class ChannelLeak:
    """What a channel was measured to carry."""

    channel: CovertChannel
    way: Way
    bits: float
    """Bits per sample, 0 to 1; a channel of more levels than two carries more."""
    wrong: int
    """Guesses that were wrong."""
    turns: int
    """Guesses."""


async def measure_channels(
    way: Way = Way.SAMPLES,
    channels: Sequence[CovertChannel] = CHANNELS,
    turns: int = TURNS,
    progress: Callable[[CovertChannel], None] = lambda _: None,
) -> list[ChannelLeak]:
    """Measure channels, one after the other; a fifth of a second each between samples, some seconds between boxes.

    Args:
        way: From where to where.
        channels: Which ones to try.
        turns: Bits to send over each, at least 20; half of them are guessed.
        progress: Told of each channel before it is tried.

    Raises:
        SandboxUnavailableError: This machine does not let us build a sandbox.
    """
    if turns < 20:
        raise ValueError(f"{turns} turns are asked for; expected at least 20, half of which are guessed")
    found = []
    async with AsyncExitStack() as stack:
        box = await stack.enter_async_context(_loaded(_EXTENTS[way])) if way in (Way.SAMPLES, Way.FORKS) else None
        for channel in channels:
            progress(channel)
            bits = [secrets.randbelow(2) for _ in range(turns)]
            scripts = [_scripts(channel, secrets.randbelow(1 << 30), bit) for bit in bits]
            seen = [await (_forked(box, pair) if box else _opened(way, pair)) for pair in scripts]
            found.append(_judged(channel, way, bits, seen))
    return found


def _judged(channel: CovertChannel, way: Way, bits: Sequence[int], seen: Sequence[float]) -> ChannelLeak:
    half = len(bits) // 2
    threshold, above = min(
        ((level, sign) for level in set(seen[:half]) for sign in (True, False)),
        key=lambda rule: sum(((one >= rule[0]) == rule[1]) != bit for one, bit in zip(seen, bits[:half], strict=False)),
    )
    wrong = sum(((one >= threshold) == above) != bit for one, bit in zip(seen[half:], bits[half:], strict=True))
    turns = len(bits) - half
    chance = sum(math.comb(turns, errors) for errors in range(wrong + 1)) / 2**turns
    share = wrong / turns
    entropy = -sum(part * math.log2(part) for part in (share, 1 - share) if part)
    return ChannelLeak(channel, way, 1.0 - entropy if chance < _ALPHA else 0.0, wrong, turns)


def _scripts(channel: CovertChannel, turn: int, bit: int) -> tuple[bytes, bytes]:
    head = f"bit, turn = {bit}, {turn}\n"
    return f"{head}{channel.send}\0".encode(), f"turn = {turn}\n{channel.receive}\0".encode()


async def _forked(box: WarmSandbox, scripts: tuple[bytes, bytes]) -> float:
    """What a receiver sees of what a sender did in the fork before."""
    ends = [socket.socketpair() for _ in range(3)]
    try:
        for script, pair in zip(scripts, ends[1:], strict=True):
            pair[0].send(script)
        await box.fork_each([far for _, far in ends[1:]], ends[0][1], -1)
        for _, far in ends:
            far.close()
        await _answer(ends[1][0])
        ends[0][0].send(b".")
        seen = await _answer(ends[2][0])
    finally:
        for pair in ends:
            for end in pair:
                end.close()
    await box.clear()
    return seen


async def _opened(way: Way, scripts: tuple[bytes, bytes]) -> float:
    """What a receiver sees of what a sender did in the sandbox before."""
    seen = 0.0
    for script in scripts:
        async with _loaded(_EXTENTS[way]) as box:
            near, far = socket.socketpair()
            with near:
                with far:
                    near.send(script)
                    process = await box.fork(far)
                seen = await _answer(near)
            await process.kill()
            await process.wait()
    return seen


@asynccontextmanager
async def _loaded(extent: Extent) -> AsyncIterator[WarmSandbox]:
    async with open_sandbox(Tree(), extent=extent) as box:
        assert isinstance(box, WarmSandbox)
        await box.load(marshal.dumps([("program", compile(_PROGRAM, "program", "exec"))]))
        yield box


async def _answer(end: socket.socket) -> float:
    """What a script has seen; 0 if it ended without a word."""
    end.settimeout(_PATIENCE_S)
    data = b""
    while not data.endswith(b"\0"):
        try:
            part = await anyio.to_thread.run_sync(end.recv, 1 << 10)
        except TimeoutError:
            return 0.0
        if not part:
            return 0.0
        data += part
    return float(data[:-1])
