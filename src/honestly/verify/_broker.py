"""Hidden checks: one sandbox holds the checks, another the work, and the broker between them passes frames.

Neither sandbox can reach the other. The grader asks; the broker forwards calls to the candidate's process, does file
and command requests itself through the sandbox's own trusted supervisor, and keeps the time. Whatever the candidate
does to its process, its pipe or its clock ends as a check that did not pass, never as one that did.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio

from honestly.errors import HonestlyError, VerifierError
from honestly.records import Check, CheckRun, Checks, Tree, digest
from honestly.sandbox import Sandbox
from honestly.verify._guest import wire
from honestly.verify._pipe import BrokenPipe, Guest

__all__ = ["OpenBox", "run_grader"]

OpenBox = Callable[[Tree], AbstractAsyncContextManager[Sandbox]]
"""Opens a fresh sandbox over a tree of files."""

_START_LIMIT_S = 30.0
_HOST_SPARE_S = 5.0
_MALFORMED = (TypeError, ValueError, KeyError, IndexError)
"""What a request of a malformed task raises; it becomes the grader's error, never the host's."""
_ENDED = b"the solution's process ended before it answered"


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
    async with open_box(checks.files) as near, open_box(final) as far:
        broker = _Broker(near, far)
        with anyio.move_on_after(checks.timeout_s):
            for name in checks.expected:
                done.append(await broker.check(name, seed))
    late = [Check(id=name, status="timeout", message="not reached in time") for name in checks.expected[len(done) :]]
    note = f"stopped after {checks.timeout_s:g} s" if late else ""
    return CheckRun(checks=(*done, *late), note=note)


class _Broker:
    """The two guests and what is going on between them; one check at a time."""

    def __init__(self, near: Sandbox, far: Sandbox) -> None:
        self._near, self._far = near, far
        self._grader: Guest | None = None
        self._candidate: Guest | None = None
        self._number = 0
        self._heard = False
        """Whether the candidate has sent anything during this check."""

    async def check(self, name: str, seed: int) -> Check:
        """Runs one check in a fresh process of the candidate's and a fresh copy of its workspace."""
        started = anyio.current_time()
        self._number += 1
        self._heard = False
        if self._grader is None:
            self._grader = await Guest.start(self._near, "wire", "grader")
        if self._candidate is None:
            self._candidate = await Guest.start(self._far, "wire", "candidate")
        copy = f"/tmp/check-{self._number}"  # noqa: S108  (in the sandbox)
        try:
            await self._candidate.send(wire.START, (b"1" if self._far.name != "none" else b"0") + copy.encode())
            await self._grader.send(wire.CALL, wire.dumps([name, int(digest(seed, name), 16)], None))
            status, message = await self._relay(self._grader, copy)
        except BrokenPipe as error:
            if not self._heard:
                raise VerifierError(f"check {name}: the grader ended by itself: {error}") from error
            self._grader = None
            status, message = "error", "the grader did not survive the solution's reply"
        await self._end_candidate()
        return Check(id=name, status=status, message=message, seconds=round(anyio.current_time() - started, 4))

    async def _relay(self, grader: Guest, copy: str) -> tuple[Any, str]:
        while True:
            kind, payload = await grader.receive()
            if kind == wire.DONE:
                status, message = wire.loads(payload, None)
                return status, message
            if kind == wire.HOST:
                await grader.send(wire.RESULT, await self._host(payload, copy))
            elif kind == wire.CALL:
                answer = await self._ask(kind, payload[4:], int.from_bytes(payload[:4], "big") / 1000)
                await grader.send(*answer)
            else:
                await grader.send(*await self._ask(kind, payload, _START_LIMIT_S))

    async def _ask(self, kind: bytes, payload: bytes, limit: float) -> tuple[bytes, bytes]:
        """The candidate's next frame, or a DONE frame that says why there is none."""
        if self._candidate is None:
            return wire.DONE, _ENDED
        try:
            with anyio.fail_after(limit):
                await self._candidate.send(kind, payload)
                self._heard = True
                answer_kind, answer = await self._candidate.receive()
        except TimeoutError:
            await self._drop_candidate()
            return wire.DONE, b"timeout"
        except BrokenPipe as error:
            await self._drop_candidate()
            return wire.DONE, f"{_ENDED.decode()}: {error}".encode()
        if answer_kind in {wire.RESULT, wire.CALLBACK}:
            return answer_kind, answer
        await self._drop_candidate()
        return wire.DONE, _ENDED

    async def _end_candidate(self) -> None:
        """Lets the candidate's child end; one that will not is killed with its parent."""
        if self._candidate is None:
            return
        try:
            with anyio.fail_after(2.0):
                await self._candidate.send(wire.DONE, b"")
                kind, _payload = await self._candidate.receive()
        except (TimeoutError, BrokenPipe):
            kind = b""
        if kind != wire.DONE:
            await self._drop_candidate()

    async def _drop_candidate(self) -> None:
        if self._candidate is not None:
            await self._candidate.kill()
            self._candidate = None

    async def _host(self, payload: bytes, copy: str) -> bytes:
        """Does a file or command request of the grader's in the candidate's sandbox."""
        try:
            limit, name, *arguments = wire.loads(payload, None)
            seconds = arguments[-1] + _HOST_SPARE_S if name == "run" else limit
            with anyio.fail_after(seconds):
                return wire.dumps([True, await _HOST[name](self._far, copy, *arguments)], None)
        except (HonestlyError, TimeoutError, wire.WireError, *_MALFORMED) as error:
            return wire.dumps([False, f"{type(error).__name__}: {error}"], None)


async def _run(box: Sandbox, copy: str, command: list[str], stdin: str, env: dict[str, str], timeout: float) -> object:  # noqa: ASYNC109, PLR0913, RUF100
    result = await box.exec(command, cwd=copy, stdin=stdin.encode(), env=env, timeout=timeout)
    return [result.code, result.stdout, result.stderr, result.timed_out]


async def _read(box: Sandbox, copy: str, path: str) -> bytes:
    return await box.read(f"{copy}/{_inside(path)}")


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
