"""Hidden checks: one sandbox holds the checks, another the work, and a fresh wire between them for every check.

Neither sandbox can reach the other in any other way. The grader calls the candidate over the wire and keeps the time;
file and command requests it sends to the host, which does them through the trusted supervisor of the candidate's
sandbox. Whatever the candidate does to its process, its wire or its clock ends as a check that did not pass, never as
one that did.
"""

import math
import random
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import anyio

from honestly.errors import HonestlyError, SandboxBusyError, SandboxError, SandboxLimitError, VerifierError
from honestly.records import Check, CheckRun, Checks, Tree, digest
from honestly.sandbox import Sandbox
from honestly.sandbox._guest._cpu_time import crowding, further_seconds, is_starved
from honestly.verify._guest import wire
from honestly.verify._open import OpenBox
from honestly.verify._tool import run_tool
from honestly.verify.wire._channel import ChannelGone, HostChannel, send_files
from honestly.verify.wire._nursery import Nursery
from honestly.verify.wire._pages import Pages
from honestly.verify.wire._slot import Slot
from honestly.verify.wire._slots import Slots
from honestly.verify.wire._told import MALFORMED, NO_RESULT, GraderReport, told_of_frame, with_grader

_BEGIN_S = 30.0
_HOST_SPARE_S = 5.0
_PATIENCE = 4.0
_STARVED = 0.5
"""Of the time that a check took: whose browser has waited for its turn to run for longer was not slow by itself."""
_LONG = 0.05
"""Of what is left for all checks: how long one is from which on it is seen what it got."""
_LARGEST_READ = wire.MAX_FRAME * 3 // 4
"""Bytes of a file that fit a frame as base64."""


async def run_grader(checks: Checks, final: Tree, seed: int, slots: Slots) -> CheckRun:
    """Runs every expected check over the final workspace, in an order that the seed decides.

    Args:
        checks: hidden checks, `runner="grader"`.
        final: the workspace as the agent left it.
        seed: what the checks' random inputs derive from; unknown to the agent.
        slots: where sandboxes come from.

    Raises:
        VerifierError: the grader could not do its work, for a reason that is not the candidate's.
        SandboxError: a sandbox broke.
    """
    waiting = in_order(checks, seed)[::-1]
    done: dict[str, Check] = {}
    again: set[str] = set()
    left = _Left(checks.timeout_s)
    with suppress(_OutOfTimeError):
        while waiting:
            async with slots.slot_for() as slot:
                compiled = await slots.compiler.compiled_tree(final, slot)
                work = _Work(checks.files.hash, checks.files, compiled, seed, slots, left)
                await slot.far.prepare(final)
                while waiting and not slot.spoilt:
                    name = waiting[-1]
                    started = anyio.current_time()
                    used = slot.uses
                    tried = await _try_check(slot, work, name)
                    if tried.result is None and used and not slot.spoilt:
                        tried = await _try_check(slot, work, name)
                    if tried.starved and not slot.spoilt:
                        tried = await _try_check(slot, work, name, _PATIENCE)
                    done[name] = (tried.result or NO_RESULT).check(name, anyio.current_time() - started)
                    if slot.lost and done[name].status != "passed" and name not in again:
                        again.add(name)  # an accident, unless it happens again
                    else:
                        waiting.pop()
    late = {name: Check(id=name, status="timeout", message="not reached in time") for name in waiting}
    note = f"stopped after {checks.timeout_s:g} s" if late else ""
    return CheckRun(checks=tuple((done | late)[name] for name in checks.expected), note=note)


def in_order(checks: Checks, seed: int) -> list[str]:
    """The expected checks in the order in which a seed has them run."""
    if len(checks.expected) == 1:
        return list(checks.expected)
    return random.Random(seed).sample(checks.expected, len(checks.expected))[::-1]  # noqa: S311 - an order, no secret


@dataclass(frozen=True, slots=True)
class _Work:
    """The shared state of all checks of one verification."""

    name: str
    checks: Tree
    final: Tree
    seed: int
    open_box: OpenBox
    left: "_Left"


@dataclass(slots=True)
class _Left:
    """The time left for all checks."""

    seconds: float


class _OutOfTimeError(Exception):
    """The time for all checks is over."""


class _Time:
    """The time of one check, as the candidate gets it."""

    def __init__(self, far: Nursery, left: _Left) -> None:
        self._far, self._left = far, left
        self._began = anyio.current_time()
        self._over = 0.0
        """Seconds beyond limits of the check's own, which were prolonged."""
        self._longer = 0.0
        """Seconds of the check that are not counted as time of all checks."""

    def elapsed_seconds(self) -> float:
        """Seconds since the check began."""
        return anyio.current_time() - self._began

    def remaining_seconds(self) -> float:
        """Seconds until the time for all checks is over."""
        return self._left.seconds + self._longer - self.elapsed_seconds()

    async def more(self, limit: float, late: float, waited: float) -> float:
        """Seconds by which a limit of the check's own is prolonged, which has passed; 0 if the candidate had it all.

        Args:
            limit: what has passed.
            late: seconds since then.
            waited: those of the check in which the grader was ready to run while others did.

        Raises:
            SandboxBusyError: it has not, and will not get it on this machine.
        """
        seconds = await self._missing_seconds(limit, self._over + late, late, waited)
        self._over += late + seconds
        return seconds

    async def extend_time(self) -> None:
        """Goes on after the time for all checks, if that was not the candidate's. Raises what `further_seconds` does,
        and:

        Raises:
            _OutOfTimeError: it was.
        """
        self._uncount_crowd()
        if (late := -self.remaining_seconds()) < 0:
            return
        got = await self._far.cpu_used()
        # The grader, which is at work and cannot say, takes turns with the candidate, and waits for its own as long.
        waited = min(got.waited, max(0.0, self.elapsed_seconds() - got.cpu - got.waited)) if got else math.nan
        seconds = await self._missing_seconds(max(1.0, self._left.seconds), self._longer + late, late, waited)
        if not seconds:
            raise _OutOfTimeError
        self._longer += late + seconds

    async def _missing_seconds(self, limit: float, over: float, late: float, waited: float) -> float:
        elapsed = self.elapsed_seconds()
        seconds = further_seconds(limit, elapsed, over, with_grader(await self._far.cpu_used(), waited), late)
        if seconds and is_starved(elapsed, over):
            raise SandboxBusyError(f"a check waited for processors for most of {elapsed:.0f} s")
        return seconds

    def take_off(self, seconds: float) -> None:
        """Does not count seconds, if any, by which the limit of a command was prolonged."""
        self._longer += max(0.0, seconds)

    async def end_check(self, waited: float) -> None:
        """Takes what the check has used off the time for all."""
        elapsed = self.elapsed_seconds()
        if elapsed > _LONG * self._left.seconds and (got := with_grader(await self._far.cpu_used(), waited)):
            self._longer = max(self._longer, min(got.waited, elapsed))
        self._uncount_crowd()
        self._left.seconds -= elapsed - self._longer

    def _uncount_crowd(self) -> None:
        """Does not count what a crowded machine makes of a check's time: of commands that have ended, and of checks too
        short to look at, it is not known what they waited.
        """
        self._longer = max(self._longer, self.elapsed_seconds() * (1 - 1 / crowding()))


@dataclass(frozen=True, slots=True)
class _Tried:
    result: GraderReport | None
    """None if the grader died."""
    starved: bool = False
    """Its browser was too slow, but waited for its turn for most of the time."""


async def _try_check(slot: Slot, work: _Work, name: str, patience: float = 1.0) -> _Tried:
    """Runs a check with a fresh process and workspace for the candidate."""
    if work.left.seconds <= 0:
        raise _OutOfTimeError
    near_end, far_end = socket.socketpair()
    with near_end:
        with far_end:
            await slot.far.fork(far_end)
        near_end.setblocking(False)
        # The files are the first on the wire, before the grader has it.
        try:
            with anyio.fail_after(_BEGIN_S):
                await send_files(near_end, work.final)
        except (TimeoutError, ChannelGone) as error:
            raise SandboxError(f"the candidate's process did not take its files: {error}") from error
        near_end.setblocking(True)
        grader = await slot.grader_with(work.checks, work.name)
        try:
            question = wire.dumps([slot.number(work.name), name, int(digest(work.seed, name), 16), patience], None)
            await grader.send(wire.START, question, descriptor=near_end.fileno())
        except ChannelGone as error:
            raise VerifierError(f"the grader of check {name} ended before it began: {error}") from error
    result, late = None, False
    time = _Time(slot.far, work.left)
    async with Pages(work.open_box) as pages:
        try:
            result, late = await _listen(grader, slot, pages, time, work.open_box)
        except ChannelGone:
            if await slot.end_grader():
                result = NO_RESULT  # it would be busy for as long another time
        starved = late and await pages.longest_wait() > _STARVED * time.elapsed_seconds()
    try:
        await time.end_check(result.waited if result else 0.0)
        await slot.far.clear()
    except SandboxError as error:  # whatever the candidate left there, the result is known, and the slot is replaced
        slot.spoilt, slot.lost = True, not isinstance(error, SandboxLimitError)
    return _Tried(result, starved)


async def _listen(
    grader: HostChannel, slot: Slot, pages: Pages, time: _Time, open_box: OpenBox
) -> tuple[GraderReport, bool]:
    """The result of a check, and whether it failed while its browser was too slow."""
    late = False
    while True:
        with anyio.move_on_after(time.remaining_seconds()) as scope:
            kind, payload = await grader.receive()
        if scope.cancelled_caught:
            await time.extend_time()
            continue
        if kind == wire.DONE:
            said = told_of_frame(payload)
            return said, late and said.status in ("timeout", "failed")
        reply, too_slow = await _serve(payload, slot.far, pages, time, open_box)
        late |= too_slow
        await grader.send(wire.HOST, reply)


async def _serve(payload: bytes, far: Nursery, pages: Pages, time: _Time, open_box: OpenBox) -> tuple[bytes, bool]:
    """Serves the grader's requests to the candidate's sandbox, the browser or a tool; whether the browser was slow."""
    try:
        limit, name, *arguments = wire.loads(payload, None)
        if name == "page":
            told = await pages.ask_browser(far.box, far.folder, *arguments)
            return wire.dumps([True, told], None), told[0] == "late"
        if name == "late":
            return wire.dumps([True, await time.more(limit, *arguments)], None), False
        if name == "run":  # which has a limit of its own
            command, stdin, env, seconds = arguments
            result = await far.box.exec(command, cwd=far.folder, stdin=stdin.encode(), env=env, timeout=seconds)
            time.take_off(result.seconds - seconds)
            done = [result.code, result.stdout, result.stderr, result.timed_out]
        elif name == "tool":  # so has this, and what it takes is the judge's
            command, files, stdin, env, seconds = arguments
            began, tree = anyio.current_time(), Tree.of(dict(files))
            result = await run_tool(open_box, command, tree, stdin=stdin.encode(), env=env, seconds=seconds)
            time.take_off(anyio.current_time() - began)
            done = [result.code, result.stdout, result.stderr, result.timed_out]
        else:
            with anyio.fail_after(limit + _HOST_SPARE_S):
                done = await _HOST[name](far.box, far.folder, *arguments)
        return wire.dumps([True, done], None), False
    except (VerifierError, SandboxBusyError):
        raise
    except (HonestlyError, TimeoutError, wire.WireError, *MALFORMED) as error:
        return wire.dumps([False, f"{type(error).__name__}: {error}"], None), False


async def _read_file(box: Sandbox, copy: str, path: str) -> bytes:
    data = await box.read(f"{copy}/{_checked_path(path)}")
    if len(data) > _LARGEST_READ:
        raise wire.WireError(f"{path} has {len(data)} bytes, too many for the wire ({_LARGEST_READ})")
    return data


async def _write(box: Sandbox, copy: str, path: str, data: bytes) -> None:
    await box.write(f"{copy}/{_checked_path(path)}", data)


async def _delete(box: Sandbox, copy: str, path: str) -> None:
    await box.exec(["rm", "-f", "--", f"{copy}/{_checked_path(path)}"])


async def _box_files(box: Sandbox, copy: str) -> list[str]:
    found = await box.exec(["find", ".", "-type", "f", "-not", "-path", "*/__pycache__/*", "-print0"], cwd=copy)
    return sorted(name.removeprefix("./") for name in found.stdout.decode("utf-8", "replace").split("\0") if name)


def _checked_path(path: str) -> str:
    """`path`, if it is one that a tree of files may hold."""
    return next(iter(Tree.of({path: b""}).files))


_HOST: dict[str, Callable[..., Any]] = {"read": _read_file, "write": _write, "delete": _delete, "files": _box_files}
