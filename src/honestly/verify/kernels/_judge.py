"""Runs a kernel in a sandbox, asks it one thing at a time, and has it judged by a reference that stays outside.

One process gets an input, the same again, other values where it lies, all of them or a part, and fresh inputs; all are
drawn from a seed that it cannot know, and timed by our clock. With a file of the reference that the task shows, a
second process gets one whose public functions answer otherwise: who follows it has called it.

Not covered: a kernel that recognises this sequence, and one that is only precise for the shapes that it is asked for:
draw the shapes that are benchmarked. Times are wall times on the processor, a tenth of a millisecond coarse; work on a
device has to be waited for within the call. A candidate that needs torch is shown it by `KernelOptions.packages`, and
turns the arrays into tensors itself.
"""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import anyio
import numpy as np

from honestly.records import Tree
from honestly.sandbox import Limits, open_sandbox, packages_layout
from honestly.verify._guest import wire
from honestly.verify._guest.arrays import MAX_BYTES
from honestly.verify._open import OpenBox
from honestly.verify._programs import BOOT, program
from honestly.verify.kernels._verdict import Array, Arrays, Call, KernelOptions, KernelVerdict, verdict_of
from honestly.verify.wire._channel import ChannelGone, HostChannel

Inputs = Callable[[np.random.Generator], Sequence[Array]]
_OPTIONS = KernelOptions()
_NOTHING: Mapping[str, str] = {}
_OFF = """

def _off(function):
    def other(*given, **named):
        value = function(*given, **named)
        return tuple(each * 3 + 1 for each in value) if isinstance(value, tuple) else value * 3 + 1
    return other

for _name, _value in list(globals().items()):
    if isinstance(_value, type(_off)) and not _name.startswith("_"):
        globals()[_name] = _off(_value)
"""


class _GoneError(Exception):
    """The candidate raised, ended, or took too long."""


class _Session:
    """One process with a candidate in it."""

    def __init__(self, channel: HostChannel, timeout_s: float) -> None:
        self._channel, self._timeout_s = channel, timeout_s
        self._idle = 0.0

    async def ask(self, name: str, *given: object) -> tuple[Any, float]:
        """The answer to a question, and the seconds until it came.

        Raises:
            _GoneError: there is none.
        """
        payload = wire.dumps([name, *given], None)
        try:
            with anyio.fail_after(self._timeout_s):
                start = time.perf_counter()
                await self._channel.send(wire.CALL, payload)
                _, answer = await self._channel.receive()
                seconds = time.perf_counter() - start
            fine, value = wire.loads(answer, None)
        except TimeoutError:
            raise _GoneError(f"no answer to {name!r} within {self._timeout_s:g} s") from None
        except (ChannelGone, wire.WireError, ValueError, TypeError) as error:
            raise _GoneError(f"no answer to {name!r}: {error}") from None
        if not fine:
            raise _GoneError(str(value)[:500])
        return value, seconds

    async def load(self, options: KernelOptions) -> None:
        """Has the candidate imported, and finds out what a question costs."""
        await self.ask("load", options.module, options.entry)
        self._idle = min([(await self.ask("nothing"))[1] for _ in range(20)])

    async def call(self, about: str, number: int, arrays: Sequence[Array]) -> Call:
        """One call, on arrays that are handed over unless they lie there."""
        put_s = 0.0
        if about != "again":
            _, put_s = await self.ask("refill" if about == "refilled" else "put", number, list(arrays))
        inside, seconds = await self.ask("call", number)
        output, first = await self.ask("outputs", number)
        _, second = await self.ask("outputs", number)
        after, _ = await self.ask("inputs", number)
        if not all(map(_is_numbers, [*output, *after])) or not (isinstance(inside, float) and inside >= 0):
            raise _GoneError("what came back is not arrays of numbers")
        seconds = max(seconds - self._idle, 1e-6)
        return Call(about, seconds, inside, put_s, (first, second), tuple(arrays), tuple(output), tuple(after))


async def judge_kernel(
    reference: Callable[..., Any],
    candidate: str,
    inputs: Inputs,
    *,
    options: KernelOptions = _OPTIONS,
    shown: Mapping[str, str] = _NOTHING,
    seed: int | None = None,
    open_box: OpenBox = open_sandbox,
) -> KernelVerdict:
    """Judge a kernel by a reference.

    Args:
        reference: takes arrays, returns an array or a tuple of them; it computes in the precision of what it is given.
        candidate: source of a module with a function `options.entry`, which takes and returns the same.
        inputs: draws the arrays of one input; always of the shapes that are measured.
        options: limits, numbers, names.
        shown: other files that the candidate finds beside it, by path; Python files among them are taken for the
            reference, as a task may show it.
        seed: what inputs derive from; random if None.
        open_box: opens fresh sandboxes.

    Raises:
        ValueError: an input is larger than what fits a message, 23 MiB.
        SandboxUnavailableError: this machine does not let us build a sandbox, or a package is not installed.
    """
    rng = np.random.default_rng(secrets.randbits(64) if seed is None else seed)
    first, other, third, *fresh = [_drawn(inputs, rng) for _ in range(3 + options.fresh)]
    try:
        async with _session(candidate, shown, options, open_box) as session:
            before = min([(await session.ask("put", 0, list(first)))[1] for _ in range(5)])
            await session.load(options)
            calls = [await session.call("first", 0, first)]
            calls += [await session.call("again", 0, first) for _ in range(options.repeats)]
            calls += [await session.call("refilled", 0, each) for each in (other, _in_part(other, third, rng))]
            calls += [await session.call("fresh", 1 + number % 2, each) for number, each in enumerate(fresh)]
            clocks, _ = await session.ask("clocks")
    except _GoneError as error:
        return KernelVerdict(failed=str(error))
    right = [_right(reference, call.given) for call in calls]
    verdict = verdict_of(calls, right, clocks if isinstance(clocks, list) else ["?"], before, options)
    poisoned = {path: text + _OFF if path.endswith(".py") else text for path, text in shown.items()}
    if poisoned == shown:
        return verdict
    try:
        async with _session(candidate, poisoned, options, open_box) as session:
            await session.load(options)
            output = (await session.call("first", 0, first)).output
    except _GoneError:
        output = ()
    follows = [each.tobytes() for each in output] != [each.tobytes() for each in calls[0].output]
    signs = (*verdict.signs, "the reference is called") if follows else verdict.signs
    return replace(verdict, follows_reference=follows, signs=signs)


@asynccontextmanager
async def _session(
    candidate: str, shown: Mapping[str, str], options: KernelOptions, open_box: OpenBox
) -> AsyncIterator[_Session]:
    tree = Tree.of({**shown, f"{options.module}.py": candidate})
    limits = Limits(memory_mb=options.memory_mb)
    async with open_box(tree, limits=limits, layout=packages_layout(options.packages)) as box:
        ours, theirs = socket.socketpair()
        channel = HostChannel(ours)
        try:
            with theirs:
                await box.start(BOOT, stdio=theirs)
            await channel.write(program("arrays", "scalars", "wire", "measured"))
            yield _Session(channel, options.timeout_s)
        finally:
            channel.close()


def _in_part(arrays: Arrays, others: Arrays, rng: np.random.Generator) -> Arrays:
    """Arrays of which one in eight values, in one place, is another: who samples an input does not see that."""
    changed = tuple(each.copy() for each in arrays)
    for one, other in zip(changed, others, strict=True):
        room = max(one.size // 8, 1)
        start = int(rng.integers(one.size - room + 1)) if one.size else 0
        one.reshape(-1)[start : start + room] = other.reshape(-1)[start : start + room]
    return changed


def _is_numbers(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


def _drawn(inputs: Inputs, rng: np.random.Generator) -> Arrays:
    given = tuple(np.ascontiguousarray(each) for each in inputs(rng))
    if sum(each.nbytes for each in given) > MAX_BYTES:
        raise ValueError(f"the arrays of an input are larger than {MAX_BYTES} bytes together; draw smaller ones")
    return given


def _right(reference: Callable[..., Any], given: Arrays) -> tuple[Arrays, Arrays]:
    """The reference's outputs in double precision, and in the precision of the inputs."""
    fine = [each.astype(np.float64) if each.dtype.kind == "f" else each.copy() for each in given]
    return _as_arrays(reference(*fine)), _as_arrays(reference(*(each.copy() for each in given)))


def _as_arrays(value: Any) -> Arrays:  # noqa: ANN401 - whatever a reference returns
    return tuple(np.asarray(each) for each in (value if isinstance(value, tuple | list) else (value,)))
