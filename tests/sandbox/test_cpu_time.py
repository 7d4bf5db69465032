"""Limits in seconds: what work got decides, not what the clock says; what could not be read is never nothing."""

from __future__ import annotations

import marshal
import math
import os
import signal
import socket
from contextlib import suppress

import anyio
import pytest
from box_processes import descendants, zygotes

from busy import busy_machine
from honestly.records import Tree
from honestly.sandbox import Extent, WarmSandbox, open_sandbox
from honestly.sandbox._guest._cpu_time import MOST, CpuTime, further_seconds, is_starved

pytestmark = pytest.mark.anyio

EMPTY = Tree()
CORES = len(os.sched_getaffinity(0))
BURNS = """
import os, time
def forked(wire):
    end = time.process_time() + 0.3
    while time.process_time() < end: pass
    os.write(wire, b"done")
    time.sleep(60)
"""
NEEDS = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\nprint('done')"


@pytest.mark.parametrize("extent", [Extent.CELLS, Extent.MACHINE, Extent.PYTHON])
async def test_what_a_fork_used_is_read(extent: Extent) -> None:
    ours, theirs = socket.socketpair()
    turns, other = socket.socketpair()
    async with open_sandbox(EMPTY, extent=extent) as box:
        assert isinstance(box, WarmSandbox)
        await box.load(marshal.dumps([("burns", compile(BURNS, "burns", "exec"))]))
        with ours, turns:
            with theirs, other:
                await box.fork_each([theirs], other, -1)
            ours.setblocking(False)
            await anyio.wait_readable(ours)
            used = await box.used()
    assert used is not None
    assert used.cpu >= 0.3
    assert used.waited > 0


async def test_what_nobody_runs_is_not_known() -> None:
    async with open_sandbox(EMPTY) as box:
        assert isinstance(box, WarmSandbox)
        assert await box.used() is None


@pytest.mark.parametrize(
    ("got", "over", "late", "expected"),
    [
        (CpuTime(3.0, 0.01), 0.0, 0.0, 0.0),  # it had all of its time
        (CpuTime(0.1, 0.0), 0.0, 0.0, 0.0),  # it slept
        (CpuTime(1.0, 2.0), 0.0, 0.0, 2.0),  # others ran
        (CpuTime(1.0, 2.0), 1.5, 0.1, 0.5),  # of which most was given back
        (CpuTime(3.0 * CORES, 90.0), 0.0, 0.0, 0.0),  # it crowded itself out
        (CpuTime(0.1, 0.0), 50.0, 50.0, 3.0),  # nobody ran
        (None, 0.0, 0.0, math.inf),
    ],
)
def test_what_is_given_back(got: CpuTime | None, over: float, late: float, expected: float) -> None:
    seconds = further_seconds(3.0, 3.0 + over, over, got, late)
    assert seconds >= 9.0 if expected == math.inf else seconds == pytest.approx(expected)


def test_nothing_is_given_without_end() -> None:
    assert further_seconds(3.0, 3.0 * MOST, 3.0 * (MOST - 1), None, 0.0) == 0.0
    assert is_starved(3.1 * MOST, 3.1 * MOST - 3.0)
    assert not is_starved(11 * 3.0, 10 * 3.0)


@pytest.mark.slow
async def test_a_command_on_a_busy_machine_has_its_time() -> None:
    with busy_machine(8):
        async with open_sandbox(EMPTY) as box:
            right = await box.exec(["python3", "-I", "-S", "-c", NEEDS.format(0.4)], timeout=0.8)
            endless = await box.exec(["sh", "-c", "while :; do :; done"], timeout=0.3)
            asleep = await box.exec(["sleep", "20"], timeout=0.3)
    assert (right.code, right.stdout) == (0, b"done\n")
    assert (endless.timed_out, asleep.timed_out) == (True, True)
    assert asleep.seconds < 20


@pytest.mark.slow
async def test_a_deadline_that_passed_while_nobody_ran_begins_anew() -> None:
    """As when a machine is suspended, or all of its processes are stopped."""
    async with open_sandbox(EMPTY) as box, anyio.create_task_group() as tasks:
        results = []

        async def run() -> None:
            results.append(await box.exec("touch begun; sleep 1; sleep 1", timeout=2.2))

        tasks.start_soon(run)
        while not (await box.snapshot()).files:  # noqa: ASYNC110 - the box tells of no event
            await anyio.sleep(0.01)
        (zygote,) = zygotes()
        stopped = descendants(zygote)
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        await anyio.sleep(4)
        for pid in reversed(stopped):
            with suppress(ProcessLookupError):  # the first `sleep` may have ended just then
                os.kill(pid, signal.SIGCONT)
    assert results[0].code == 0


@pytest.mark.slow
async def test_work_that_crowds_itself_out_gains_nothing() -> None:
    """Fifty processes that are all ready wait for each other most of the time."""
    crowd = "import os\nfor _ in range(40): os.fork() or any(iter(int, 1))\nimport time\ntime.sleep(600)"
    async with open_sandbox(EMPTY) as box:
        result = await box.exec(["python3", "-I", "-S", "-c", crowd], timeout=1.0)
    assert result.timed_out
