"""Hidden checks: one sandbox holds the checks, another the work, and a fresh wire between them for every check.

Neither sandbox can reach the other in any other way. The grader calls the candidate over the wire and keeps the time;
file and command requests it sends to the host, which does them through the trusted supervisor of the candidate's
sandbox. Whatever the candidate does to its process, its wire or its clock ends as a check that did not pass, never as
one that did.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

import anyio

from honestly.errors import HonestlyError, VerifierError
from honestly.records import Check, CheckRun, Checks, Tree, digest
from honestly.sandbox import WORKSPACE, Sandbox
from honestly.verify._guest import wire
from honestly.verify._guests import Guest, GuestGone

__all__ = ["OpenBox", "run_grader"]

OpenBox = Callable[[Tree], AbstractAsyncContextManager[Sandbox]]
"""Opens a fresh sandbox over a tree of files."""

_END_S = 10.0
_BEGIN_S = 30.0
_HOST_SPARE_S = 5.0
_LARGEST_READ = wire.MAX_FRAME * 3 // 4
"""Bytes of a file that fit a frame as base64."""
_STATUSES = ("passed", "failed", "error", "timeout")
_MALFORMED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""What a request of a malformed task raises; it becomes the grader's error, never the host's."""


async def run_grader(checks: Checks, final: Tree, seed: int, open_box: OpenBox) -> CheckRun:
    """Runs every expected check over the final workspace.

    Args:
        checks: hidden checks, `runner="grader"`.
        final: the workspace as the agent left it.
        seed: what the checks' random inputs derive from; unknown to the agent.
        open_box: opens sandboxes.

    Raises:
        VerifierError: the grader could not do its work, for a reason that is not the candidate's.
    """
    done: list[Check] = []
    async with AsyncExitStack() as stack:
        near = await stack.enter_async_context(open_box(checks.files))
        far = await stack.enter_async_context(open_box(final.under("work")))
        broker = _Broker(near, far)
        stack.push_async_callback(broker.close)
        with anyio.move_on_after(checks.timeout_s):
            for name in checks.expected:
                done.append(await broker.check(name, seed))
    late = [Check(id=name, status="timeout", message="not reached in time") for name in checks.expected[len(done) :]]
    note = f"stopped after {checks.timeout_s:g} s" if late else ""
    return CheckRun(checks=(*done, *late), note=note)


class _Broker:
    """The two guests, and what they ask of the host; one check at a time."""

    def __init__(self, near: Sandbox, far: Sandbox) -> None:
        self._near, self._far = near, far
        self._grader: Guest | None = None
        self._candidate: Guest | None = None
        self._number = 0

    async def close(self) -> None:
        """Ends both guests."""
        for guest in (self._grader, self._candidate):
            if guest is not None:
                await guest.kill()

    async def check(self, name: str, seed: int) -> Check:
        """Runs one check in a fresh process of the candidate's and a fresh copy of its workspace."""
        started = anyio.current_time()
        self._number += 1
        copy = f"check-{self._number}"
        near_end, far_end = socket.socketpair()
        with near_end, far_end:
            grader = await self._begin(name, seed, near_end)
            if not await self._admit(copy, far_end):
                await self._end_grader()  # it has begun the check, and would report on it during the next one
                return Check(id=name, status="error", message="the solution's sandbox takes no more processes")
        try:
            status, message = await self._listen(grader, f"{WORKSPACE}/{copy}")
        except GuestGone:
            # It runs only trusted code; what can bring it down is what the candidate made it read.
            await self._end_grader()
            status, message = "error", "the grader did not survive what the solution sent"
        await self._dismiss()
        return Check(id=name, status=status, message=message, seconds=round(anyio.current_time() - started, 4))

    async def _end_grader(self) -> None:
        if self._grader is not None:
            await self._grader.kill()
        self._grader = None

    async def _begin(self, name: str, seed: int, wire_end: socket.socket) -> Guest:
        """Tells the grader which check to run, and over which wire."""
        try:
            if self._grader is None:
                self._grader = await Guest.start(self._near, "wire", "grader")
            question = wire.dumps([name, int(digest(seed, name), 16)], None)
            await self._grader.send(wire.START, question, descriptor=wire_end.fileno())
        except GuestGone as error:
            raise VerifierError(f"the grader of check {name} ended before it began: {error}") from error
        return self._grader

    async def _admit(self, copy: str, wire_end: socket.socket) -> bool:
        """Has a process made for the candidate, with the other end of the wire; False if its sandbox is spoilt."""
        alone = b"0" if self._far.name == "none" else b"1"
        try:
            if self._candidate is None:
                self._candidate = await Guest.start(self._far, "wire", "candidate")
            await self._candidate.send(wire.START, alone + copy.encode(), descriptor=wire_end.fileno())
            with anyio.fail_after(_BEGIN_S):
                await self._candidate.receive()
        except (TimeoutError, GuestGone):
            if self._candidate is not None:
                await self._candidate.kill()
            self._candidate = None
            return False
        return True

    async def _listen(self, grader: Guest, copy: str) -> tuple[Any, str]:
        while True:
            kind, payload = await grader.receive()
            if kind == wire.DONE:
                return _result(payload)
            await grader.send(wire.HOST, await self._serve(payload, copy))

    async def _dismiss(self) -> None:
        """Has everything killed that the check left in the candidate's sandbox."""
        if self._candidate is None:
            return
        try:
            with anyio.fail_after(_END_S):
                await self._candidate.send(wire.END, b"")
                await self._candidate.receive()
        except (TimeoutError, GuestGone):
            await self._candidate.kill()
            self._candidate = None

    async def _serve(self, payload: bytes, copy: str) -> bytes:
        """Does a file or command request of the grader's in the candidate's sandbox."""
        try:
            limit, name, *arguments = wire.loads(payload, None)
            seconds = arguments[-1] + _HOST_SPARE_S if name == "run" else limit
            with anyio.fail_after(seconds):
                return wire.dumps([True, await _HOST[name](self._far, copy, *arguments)], None)
        except (HonestlyError, TimeoutError, wire.WireError, *_MALFORMED) as error:
            return wire.dumps([False, f"{type(error).__name__}: {error}"], None)


def _result(payload: bytes) -> tuple[Any, str]:
    """Status and message of a check; what is no text in the message, as escapes."""
    try:
        status, message = wire.loads(payload, None)
        if status in _STATUSES:
            return status, message.encode("utf-8", "backslashreplace").decode()
    except (wire.WireError, *_MALFORMED):
        pass
    raise VerifierError("the grader sent what is not a result: the hidden checks must leave its channel alone")


async def _run(box: Sandbox, copy: str, command: list[str], stdin: str, env: dict[str, str], seconds: float) -> object:
    result = await box.exec(command, cwd=copy, stdin=stdin.encode(), env=env, timeout=seconds)
    return [result.code, result.stdout, result.stderr, result.timed_out]


async def _read(box: Sandbox, copy: str, path: str) -> bytes:
    data = await box.read(f"{copy}/{_inside(path)}")
    if len(data) > _LARGEST_READ:
        raise wire.WireError(f"{path} has {len(data)} bytes, too many for the wire ({_LARGEST_READ})")
    return data


async def _write(box: Sandbox, copy: str, path: str, data: bytes) -> None:
    await box.write(f"{copy}/{_inside(path)}", data)


async def _delete(box: Sandbox, copy: str, path: str) -> None:
    await box.exec(["rm", "-f", "--", f"{copy}/{_inside(path)}"])


async def _files(box: Sandbox, copy: str) -> list[str]:
    found = await box.exec(["find", ".", "-type", "f", "-not", "-path", "*/__pycache__/*", "-print0"], cwd=copy)
    return sorted(name.removeprefix("./") for name in found.stdout.decode("utf-8", "replace").split("\0") if name)


def _inside(path: str) -> str:
    """`path`, if it is one that a tree of files may hold."""
    return next(iter(Tree.of({path: b""}).files))


_HOST: dict[str, Callable[..., Any]] = {"run": _run, "read": _read, "write": _write, "delete": _delete, "files": _files}
