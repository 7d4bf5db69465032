"""Measuring covert channels: random values are sent, and guessed at from what was seen.

*Later*: the sender has ended before the receiver begins. *At the same time*: both live, in sandboxes of their own; all
that they share is the point in time at which they begin, and the length of a slot: in its first half one value is sent
over each channel, in its second half all are looked at. Slots in which one of the two came too late do not count;
where too few count, the slots are made longer. In the quick form the meter itself calls the turns, so that a busy
machine makes it slower, and nothing else. What could not be measured says so, and is never 0.

A third of the values teaches a threshold; the others count. A channel whose guesses there are no better than chance's
(one-sided binomial test) has 0 bits. The level of the test is a thousandth over all channels, ways and times at once:
one run in a thousand sees a channel that is not there. (Of contention, which is no alarm, it is a thousandth for
each.) Of any other, the bits per value are the capacity of a symmetric channel with its share of errors.
"""

import enum
import json
import marshal
import math
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import anyio.to_thread

from honestly.records import Tree
from honestly.sandbox._api import Process, WarmSandbox
from honestly.sandbox._layout import DEFAULT, Extent, Layout
from honestly.sandbox._open import open_sandbox
from honestly.sandbox.covert._channel import CovertChannel
from honestly.sandbox.covert._channels import CHANNELS, CONTENTION, KNOWN_OPEN
from honestly.sandbox.covert._prelude import PRELUDE
from honestly.scratch import owned_words

_PROGRAM = (
    PRELUDE
    + r"""
WIRE = 3
CODES = [compile(code, f"channel {at}", "exec") for at, code in enumerate(SOURCES)]
HERE = dict(globals())

def taken_from(wire):
    source = b""
    while not source.endswith(b"\0"):
        source += os.read(wire, 1 << 16)
    return json.loads(source[:-1])

def forked(wire):
    order = taken_from(wire)
    role, start, period, picks = order["role"], 0, order["period"], order["picks"]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGIO, 40, 42})  # before there are threads
    HERE.update(hold=period, SEEN={}, ending=[])
    spaces, errors, seen, spans = {}, {}, {pick: [] for pick in picks}, []
    for pick in picks:
        spaces[pick] = dict(HERE)
        spaces[pick]["turn"] = order["words"][0]
        try:
            exec(CODES[pick], spaces[pick])
        except BaseException as error:
            errors[pick] = said(error)
    if order["mode"] != "later":
        os.write(wire, b"0\0")
    if order["mode"] == "clock":
        start = taken_from(wire)
    for slot, turn in enumerate(order["words"]):
        if order["mode"] == "turns":
            os.read(wire, 1)
        due = start + period * (slot + (0.5 if role == "look" and not order["busy"] else 0)) if start else 0
        if due > time.time():
            time.sleep(due - time.time())
        began = time.time()
        for pick in picks if role == "send" else reversed(picks):
            space = spaces[pick]
            space["turn"], space["until"] = turn, due + period * 0.6
            found = None
            if pick not in errors:
                try:
                    send, look = space["send"], space["look"]
                    found = send(order["values"][str(pick)][slot]) if role == "send" else float(look())
                except BaseException as error:
                    errors[pick] = said(error)
            seen[pick].append(found)
        spans.append((began, time.time()))
        if order["mode"] == "turns":
            os.write(wire, b".")
    answer = json.dumps({"seen": seen, "errors": errors, "spans": spans}).encode() + b"\0"
    while answer:
        answer = answer[os.write(wire, answer):]
    if HERE["ending"]:
        os._exit(HERE["ending"][0])
    os.read(wire, 1)

def said(error):
    return (errno.errorcode.get(error.errno, "?") if isinstance(error, OSError) else "") , repr(error)
"""
)
_IMPORTS = ("ctypes", "fcntl", "glob", "json", "mmap", "resource", "signal", "socket", "struct", "threading", "time")
_REFUSALS = {"EPERM", "EACCES", "ENOSYS", "ENOENT", "EROFS", "EAFNOSUPPORT", "ENODEV", "ENXIO", "EOPNOTSUPP", "EFAULT"}
_REFUSALS |= {"ENOTDIR", "ENOTSUP", "EBADF"}
_PATIENCE_S = 60.0
_SHORTEST_S, _LONGEST_S = 0.004, 0.5
_LATER_ONLY = "nothing to read while the sender lives"
_HARMFUL = "not measured: it would change this machine"
_FALSE_ALARMS = 0.001
_HEAD_START_S = 0.02
TURNS = 60


class Way(enum.Enum):
    """From where to where a channel leads."""

    SAMPLES = "from one sample of a series to the next, or to that of another slot"
    BOXES = "from one sandbox for Python to another"
    MACHINE = "from one sandbox that shows the machine's programs to another"
    IMAGES = "from one sandbox of an image to another of the same image"
    HIDDEN = "from a trial's hidden checks to an agent that works with terminals"
    FORKS = "from one fork of a sandbox of the machine's programs to another: no wall, to try the attacks"
    BARE = "from one process of this machine to another: no wall at all, to try the attacks"


class When(enum.Enum):
    """Whether both live at one time."""

    LATER = "later"
    AT_ONCE = "at the same time"


@dataclass(frozen=True, slots=True)
class ChannelLeak:
    """The measured capacity of a channel."""

    channel: CovertChannel
    way: Way
    when: When
    bits: float
    """Bits per value; NaN if it was not measured."""
    wrong: int
    """Guesses that were wrong."""
    turns: int
    """Guesses."""
    period: float
    """Seconds from one value to the next, at the same time; NaN for later."""
    note: str = ""
    """What the kernel or a wall answered, if it refused; or why it was not measured."""

    @property
    def bits_per_s(self) -> float:
        """Bits a second, at the same time; NaN where turns were called."""
        return self.bits / self.period

    @property
    def is_contention(self) -> bool:
        """Whether it is one work that slows down the other, which no wall hides."""
        return self.channel in CONTENTION

    @property
    def is_known(self) -> bool:
        """Whether tests/sandbox/channels.md says that it may carry something, or has nothing to carry."""
        is_open = self.way is not Way.SAMPLES and self.channel.name in KNOWN_OPEN
        return self.channel.timing or self.note == _LATER_ONLY or is_open


@dataclass(frozen=True, slots=True)
class _Heard:
    """The result of an exchange over several channels."""

    period: float
    counts: list[bool]
    """For each turn, whether both sides kept to their halves of the slot."""
    seen: dict[int, list[float | None]]
    """For each channel, what was seen in each turn."""
    notes: dict[int, str]
    """For each channel that failed, why; begins with "refused" where a wall has answered."""


_Values = dict[int, list[int]]
"""For each channel, by its place in `CHANNELS`, what is sent in each turn."""


async def measure_channels(
    way: Way = Way.SAMPLES,
    channels: Sequence[CovertChannel] = CHANNELS,
    turns: int = TURNS,
    progress: Callable[[CovertChannel], None] = lambda _: None,
    *,
    when: When = When.LATER,
    together: bool = True,
) -> list[ChannelLeak]:
    """Measure channels.

    Args:
        way: From where to where.
        channels: Which ones to try.
        turns: Values to send over each, at least 30; a third of them teaches.
        progress: Told of each channel before it is tried.
        when: Whether the sender has ended before the receiver begins.
        together: Try all channels in each turn, each with values of its own, which is quick; or each by itself, which
            says what it carries without the noise of the others, and how fast.

    Raises:
        SandboxUnavailableError: This machine does not let us build a sandbox.
    """
    if turns < 30:
        raise ValueError(f"{turns} turns are asked for; expected at least 30, a third of which teaches")
    unasked = {channel: _LATER_ONLY for channel in channels if channel.later_only and when is When.AT_ONCE}
    unasked |= {channel: _HARMFUL for channel in channels if channel.harmful and way is Way.BARE}
    tried = [channel for channel in channels if channel not in unasked]
    batches: dict[str, list[CovertChannel]] = {}
    for one in tried:
        if not together or one in CONTENTION:
            key = one.name
        elif when is When.AT_ONCE or one.apart in {"", "memory"}:
            key = one.apart
        elif one.apart in {"watches", "pipes", "processes"}:
            key = "limits"
        else:  # fewer forks; the counters that matter most are sent last, and read first
            key = "numbers"
        batches.setdefault(key, []).append(one)
    found = {one: ChannelLeak(one, way, when, math.nan, 0, 0, math.nan, unasked.get(one, "")) for one in channels}
    async with _kept_rooms(way, when, tuple(channels)) as rooms:
        for batch in batches.values():
            progress(batch[0])
            busy = batch[0] in CONTENTION
            values = {channels.index(one): [secrets.randbelow(one.levels) for _ in range(turns)] for one in batch}
            words = [secrets.randbelow(1 << 30) for _ in range(turns)]
            if when is When.LATER:
                heard = await _heard_later(rooms, values, words)
            else:
                heard = await _at_once(rooms, values, words, clock=not together or busy, busy=busy)
            for channel, (pick, sent) in zip(batch, values.items(), strict=True):
                seen = zip(sent, heard.seen[pick], heard.counts, strict=True) if heard.seen else ()
                pairs = [(value, one) for value, one, counts in seen if counts and one is not None]
                found[channel] = _channel_leak(channel, way, when, pairs, heard.period, heard.notes.get(pick, ""))
    return list(found.values())


def _channel_leak(
    channel: CovertChannel, way: Way, when: When, pairs: Sequence[tuple[int, float]], period: float, note: str
) -> ChannelLeak:
    taught, tried = pairs[: len(pairs) // 3], pairs[len(pairs) // 3 :]
    turns = len(tried)
    if turns < 20 and not note:
        note = f"not measured: {len(pairs)} turns count"
    if note:
        return ChannelLeak(channel, way, when, 0.0 if note.startswith("refused") else math.nan, 0, 0, period, note)
    levels = channel.levels
    if levels > 2:
        wrong = sum(value != one for value, one in tried)
    else:
        rules = [(level, sign) for level in {one for _, one in taught} for sign in (True, False)]
        threshold, above = min(rules, key=lambda rule: sum(((one >= rule[0]) == rule[1]) != bit for bit, one in taught))
        wrong = sum(((one >= threshold) == above) != bit for bit, one in tried)
    chance = sum(math.comb(turns, n) * (levels - 1) ** n for n in range(wrong + 1)) / levels**turns
    share = wrong / turns
    entropy = -sum(part * math.log2(part) for part in (share, 1 - share) if part)
    bits = math.log2(levels) - entropy - share * math.log2(levels - 1)
    alpha = _FALSE_ALARMS / (1 if channel in CONTENTION else len(CHANNELS) * len(Way) * len(When))
    return ChannelLeak(channel, way, when, max(bits, 0.0) if chance < alpha else 0.0, wrong, turns, period)


async def _at_once(rooms: "_Rooms", values: _Values, words: list[int], *, clock: bool, busy: bool) -> _Heard:
    """The receiver's observations while a sender lives beside it: in turns that we call, or in slots
    that both can keep to.
    """
    heard = None
    period = 12 * _SHORTEST_S if busy else _SHORTEST_S if clock else math.nan
    async with rooms.opened_room(0) as one, rooms.opened_room(1) as other:
        while not heard or (clock and sum(heard.counts) < max(32, len(words) * 0.6) and period < _LONGEST_S):
            period *= 2 if heard else 1
            mode = "clock" if clock else "turns"
            sender, receiver = _side_orders(values, words, mode, period if clock else 0.25, busy=busy)
            async with one.start(sender) as sent, other.start(receiver) as looked:
                ready = all([await _side_answer(end) == 0 for end in (sent, looked)])
                if ready and not clock:
                    await anyio.to_thread.run_sync(_call_turns, (sent, looked), len(words))
                elif ready:
                    start = b"%.6f\0" % (time.time() + _HEAD_START_S)
                    for end in (sent, looked):
                        end.send(start)
                heard = _joined_answers(
                    [await _side_answer(end) for end in (sent, looked)], list(values), period, busy=busy
                )
            if not heard.counts:
                break
    return heard


def _call_turns(ends: tuple[socket.socket, socket.socket], turns: int) -> None:
    """Let sender and receiver do their part in turn; who has gone will have no answer in the end, either."""
    with suppress(OSError):
        for end in ends:
            end.settimeout(_PATIENCE_S)
        for _ in range(turns):
            for end in ends:
                end.send(b".")
                if not end.recv(1):
                    return


async def _heard_later(rooms: "_Rooms", values: _Values, words: list[int]) -> _Heard:
    """The receiver's observations of what a sender has left that has ended."""
    whole = _Heard(math.nan, [], {pick: [] for pick in values}, {})
    for turn, word in enumerate(words):
        orders = _side_orders({pick: [row[turn]] for pick, row in values.items()}, [word], "later", 0.25)
        sides = []
        for side, order in enumerate(orders):
            async with rooms.opened_room(side) as room, room.start(order) as end:
                sides.append(await _side_answer(end))
        heard = _joined_answers(sides, list(values), math.nan)
        whole.notes.update(heard.notes)
        whole.counts.append(bool(heard.counts))
        for pick, row in whole.seen.items():
            row += heard.seen.get(pick, [None])
    return whole


def _side_orders(
    values: _Values, words: list[int], mode: str, period: float, *, busy: bool = False
) -> tuple[dict[str, object], dict[str, object]]:
    """The orders of the sender, and those of the receiver."""
    order = {"mode": mode, "period": period, "busy": busy, "picks": list(values), "words": words}
    return {**order, "role": "send", "values": values}, {**order, "role": "look"}


def _joined_answers(sides: Sequence[Any], picks: list[int], period: float, *, busy: bool = False) -> _Heard:
    """The joined answers of sender and receiver."""
    sent, looked = sides
    notes = {}
    for pick in picks:
        for side, name in ((sent, "sender"), (looked, "receiver")):
            if not side:
                notes[pick] = f"not measured: no answer of the {name}"
            elif error := side["errors"].get(str(pick)):
                notes[pick] = f"{'refused' if error[0] in _REFUSALS else 'not measured'}: {error[1]} ({name})"
    if not (sent and looked):
        return _Heard(period, [], {}, notes)
    after = [begin for begin, _ in sent["spans"][1:]] + [math.inf]
    counts = [
        math.isnan(period) or (abs(first - begin) < period / 4 if busy else end <= begin and ended <= following)
        for (first, end), (begin, ended), following in zip(sent["spans"], looked["spans"], after, strict=True)
    ]
    return _Heard(period, counts, {pick: looked["seen"][str(pick)] for pick in picks}, notes)


class _Room:
    """A place where forks of the program run, one after the other or side by side."""

    def __init__(
        self, box: WarmSandbox | None, channels: tuple[CovertChannel, ...], *, cells: bool = False, folder: str = "/"
    ) -> None:
        self.box = box
        self.channels = channels
        self.folder = folder
        self.cells = cells

    @asynccontextmanager
    async def start(self, order: dict[str, object]) -> AsyncIterator[socket.socket]:
        """Have a fresh process follow an order; yields where it answers. It is dead at the end."""
        near, far = socket.socketpair()
        turns, series = socket.socketpair()
        with near, turns:
            with far, series:
                process = await self._begin_side(far, series)
            with suppress(OSError):  # who is gone will have no answer
                await anyio.to_thread.run_sync(near.sendall, json.dumps(order).encode() + b"\0")
            try:
                yield near
            finally:
                near.close()
                turns.close()
                if isinstance(process, subprocess.Popen):
                    process.kill()
                    process.wait()
                elif process:
                    await process.kill()
                    await process.wait()
                elif self.box:
                    await self.box.clear()

    async def _begin_side(self, far: socket.socket, series: socket.socket) -> Process | subprocess.Popen[bytes] | None:
        if self.box is None:
            file = Path(self.folder, "program.py")
            file.write_text(f"{_side_program(self.channels)}\nos.dup2(int(sys.argv[1]), 3)\nforked(3)")  # noqa: ASYNC240
            command = owned_words([sys.executable, str(file), str(far.fileno())])
            return subprocess.Popen(command, cwd=self.folder, pass_fds=[far.fileno()], start_new_session=True)  # noqa: ASYNC220
        if self.cells:
            await self.box.fork_each([far], series, -1)
            return None
        return await self.box.fork(far)


@dataclass(frozen=True, slots=True)
class _Rooms:
    """The sandboxes of a sender and a receiver."""

    way: Way
    channels: tuple[CovertChannel, ...]
    kept: dict[int, _Room]
    """Those that are open all the time."""
    image: Path | None
    """What both show instead of this machine's programs."""

    @asynccontextmanager
    async def opened_room(self, side: int) -> AsyncIterator[_Room]:
        """The sandbox of a side: the one that is kept open, or a fresh one."""
        if side in self.kept:
            yield self.kept[side]
        else:
            async with _covert_room(self.way, side, self.channels, self.image) as room:
                yield room


@asynccontextmanager
async def _kept_rooms(way: Way, when: When, channels: tuple[CovertChannel, ...]) -> AsyncIterator[_Rooms]:
    """Keep open what may be: both sandboxes at the same time, the one of both sides where no wall is between them."""
    async with AsyncExitStack() as stack:
        kept = {}
        image = _meter_image(stack.enter_context(TemporaryDirectory())) if way is Way.IMAGES else None
        same = way in (Way.FORKS, Way.BARE) or (way is Way.SAMPLES and when is When.LATER)
        if same or when is When.AT_ONCE:
            kept[0] = await stack.enter_async_context(_covert_room(way, 0, channels, image))
            kept[1] = kept[0] if same else await stack.enter_async_context(_covert_room(way, 1, channels, image))
        yield _Rooms(way, channels, kept, image)


def _meter_image(folder: str) -> Path:
    """A small image for the meter: a few libraries of this machine, in the places that the attacks look for."""
    root = Path(folder)
    root.chmod(0o755)
    libraries = Path(f"/usr/lib/{os.uname().machine}-linux-gnu")
    for name in ("usr/bin", "usr/share", "etc", "tmp", "var/tmp", "dev", "proc", "sys", f"{libraries}"[1:]):
        (root / name).mkdir(parents=True, exist_ok=True)
    for path in [*libraries.glob("libm.so.6"), *libraries.glob("libc.so.6"), *sorted(libraries.glob("lib*.so.?"))[:60]]:
        if path.stat().st_size < 4 << 20:
            shutil.copy(path, root / str(path)[1:])
    return root


@asynccontextmanager
async def _covert_room(
    way: Way, side: int, channels: tuple[CovertChannel, ...], image: Path | None = None
) -> AsyncIterator[_Room]:
    if way is Way.BARE:
        with TemporaryDirectory() as folder:
            yield _Room(None, channels, folder=folder)
        return
    extent = {Way.SAMPLES: Extent.CELLS, Way.BOXES: Extent.PYTHON}.get(way, Extent.MACHINE)
    layout = Layout(terminals=True) if way is Way.HIDDEN and side == 1 else DEFAULT
    if image:
        library = Path(os.__file__).parent
        layout = Layout(root=image, shown={str(library): library})
    async with open_sandbox(Tree(), layout=layout, extent=extent) as box:
        assert isinstance(box, WarmSandbox)
        await box.load(marshal.dumps([("program", compile(_side_program(channels), "program", "exec"))]), _IMPORTS)
        yield _Room(box, channels, cells=extent is Extent.CELLS)


@cache
def _side_program(channels: tuple[CovertChannel, ...]) -> str:
    return f"SOURCES = {[channel.code for channel in channels]!r}\n{_PROGRAM}"


async def _side_answer(end: socket.socket) -> Any:  # noqa: ANN401
    """The answer of a side; nothing if it ended without a word."""
    end.settimeout(_PATIENCE_S)
    data = b""
    while not data.endswith(b"\0"):
        try:
            part = await anyio.to_thread.run_sync(end.recv, 1 << 16)
        except OSError:
            part = b""
        if not part:
            return {}
        data += part
    return json.loads(data[:-1])
