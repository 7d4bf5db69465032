"""A paused sandbox: nothing in it runs, no deadline comes, and it can be closed; as root by a freezer, else by a signal."""

from __future__ import annotations

import anyio
import pytest

from honestly.errors import SandboxError
from honestly.records import Tree
from honestly.sandbox import PausableSandbox, open_sandbox, paused_s, unpaused_limit

pytestmark = pytest.mark.anyio
COUNT = "while :; do echo . >> ticks; sleep 0.01; done"
WAKING = """
import ctypes, os, signal, time
signal.signal(signal.SIGCONT, lambda *_: None)
class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("number", ctypes.c_int), ("how", ctypes.c_int), ("pad", ctypes.c_char * 48)]
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
assert libc.timer_create(1, ctypes.byref(Event(number=signal.SIGCONT, how=0)), ctypes.byref(timer)) == 0
assert libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000), None) == 0
while True:
    with open("ticks", "a") as file:
        file.write(".\\n")
    time.sleep(0.01)
"""
"""Is sent SIGCONT by a timer, every millisecond."""


async def ticks(box: PausableSandbox) -> int:
    """How often the program inside has come round so far."""
    with anyio.fail_after(30):
        while True:
            try:
                return len(await box.read("ticks"))
            except SandboxError:
                await anyio.sleep(0.05)


@pytest.mark.slow
async def test_nothing_runs_nothing_begins_and_no_time_passes() -> None:
    async with open_sandbox(Tree.of({})) as box:
        assert isinstance(box, PausableSandbox)
        await box.start(["sh", "-c", COUNT])
        ended = []

        async def slept() -> None:
            ended.append(await box.exec(["sleep", "1"], timeout=4.0))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(slept)
            with unpaused_limit(box, 20.0) as clock:
                seen = await ticks(box)
                await box.pause()
                paused = await ticks(box)
                due = clock.deadline
                tasks.start_soon(slept)
                await anyio.sleep(5.0)
                assert (await ticks(box), ended) == (paused, [])
                assert due > anyio.current_time() + 1e6
                await box.resume()
                assert clock.deadline < anyio.current_time() + 20.0
        assert paused >= seen
        assert [(each.code, each.timed_out, each.seconds < 4.0) for each in ended] == [(0, False, True)] * 2
        assert paused_s(box) > 4.9
        assert await ticks(box) > paused


@pytest.mark.slow
async def test_a_program_that_is_woken_by_its_own_timer_goes_on_no_further() -> None:
    """Where a freezer holds it, it stands still; where a signal does, it is stopped again, and then killed."""
    async with open_sandbox(Tree.of({})) as box:
        assert isinstance(box, PausableSandbox)
        process = await box.start(["python3", "-c", WAKING])
        await ticks(box)
        await box.pause()
        await anyio.sleep(1.0)
        seen = await ticks(box)
        await anyio.sleep(1.0)
        assert await ticks(box) == seen
        await box.resume()
        await process.kill()
        assert (await process.wait()).code == -9


async def test_a_paused_sandbox_can_be_closed_and_who_waits_may_give_up() -> None:
    with anyio.fail_after(30):
        async with open_sandbox(Tree.of({})) as box:
            assert isinstance(box, PausableSandbox)
            with anyio.move_on_after(1.0):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(box.exec, ["sleep", "100"])
                    await anyio.sleep(0.3)
                    await box.pause()
                    try:
                        await anyio.sleep(100)
                    finally:
                        with anyio.CancelScope(shield=True):
                            await box.resume()
            await box.start(["sh", "-c", COUNT])
            await box.pause()
