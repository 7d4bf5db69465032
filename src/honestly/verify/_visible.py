"""Visible checks: test files that run in the same process as the work, as most harnesses run them.

The files are the task's own, put back before the run, and every expected test is counted by its id: what is not
reported is missing. Still, the tested code shares the process and can lie; this is why their result is called the
visible score and never the honest one.
"""

from __future__ import annotations

import secrets
from typing import Literal

import msgspec

from honestly.records import Check, CheckRun, Checks, Tree
from honestly.verify._programs import BOOT, program
from honestly.verify._slots import OpenBox

__all__ = ["run_unittest"]


class _Event(msgspec.Struct):
    nonce: str
    id: str = ""
    status: Literal["passed", "failed", "error", "skipped"] | None = None
    message: str = ""
    end: bool = False


_EVENT = msgspec.json.Decoder(_Event)


async def run_unittest(checks: Checks, final: Tree, open_box: OpenBox) -> tuple[CheckRun, tuple[str, ...]]:
    """Runs the visible checks over the final workspace.

    Returns:
        What came of each expected test, and the signs of tampering that were seen.
    """
    nonce = secrets.token_hex(16)
    request = msgspec.json.encode({"nonce": nonce, "expected": checks.expected}) + b"\n"
    async with open_box(checks.files.over(final)) as box:
        result = await box.exec(BOOT, stdin=program("unittest_run") + request, timeout=checks.timeout_s)
    seen: dict[str, Check] = {}
    tampered: set[str] = set()
    ended = False
    for line in result.stdout.splitlines():
        event = _event(line)
        if event is None or event.nonce != nonce:
            tampered.add("the channel of the test runner carried lines that are not its own")
        elif event.end:
            ended = True
        elif event.id in checks.expected and event.status is not None:
            _note(seen, Check(id=event.id, status=event.status, message=event.message))
    absent: Literal["timeout", "missing"] = "timeout" if result.timed_out else "missing"
    done = tuple(seen.get(name) or Check(id=name, status=absent) for name in checks.expected)
    note = "" if ended else ("ran out of time" if result.timed_out else "the test process ended before its last test")
    return CheckRun(checks=done, note=note), tuple(sorted(tampered))


def _event(line: bytes) -> _Event | None:
    try:
        return _EVENT.decode(line)
    except msgspec.DecodeError:
        return None


def _note(seen: dict[str, Check], check: Check) -> None:
    """Keeps the worst report of each test: one that failed in any sub-test failed."""
    before = seen.get(check.id)
    if before is None or before.status == "passed":
        seen[check.id] = check
