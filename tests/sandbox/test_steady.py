"""A program that was stopped with all that it has started, and goes on: no deadline came, and what was judged is judged again."""

from __future__ import annotations

import time

import pytest

from frozen import said_with_a_standstill
from honestly.sandbox._guest.clock import SteadyClock

COUNTS = """
import time
from honestly.sandbox._guest.clock import TICK_S, SteadyClock
clock, real = SteadyClock(), time.monotonic()
print("go", flush=True)
began = clock.now()
while clock.now(TICK_S) < began + 1.5:
    time.sleep(TICK_S)
print(time.monotonic() - real, clock.lost)
"""
LOOP = """
import time, anyio
from honestly.sandbox import keep_clock_steady, stood_still_s
async def main():
    async with anyio.create_task_group() as group:
        group.start_soon(keep_clock_steady)
        await anyio.sleep(0.1)
        before, began, real = stood_still_s(), anyio.current_time(), time.monotonic()
        print("go", flush=True)
        with anyio.move_on_after(1.5):
            await anyio.sleep(60)
        print(time.monotonic() - real, anyio.current_time() - began, stood_still_s() - before)
        group.cancel_scope.cancel()
anyio.run(main)
"""
TICKS = "import time\\nfor _ in range({}): time.sleep(0.02)\\n"
COMMAND = f"""
import anyio
from honestly.records import Tree
from honestly.sandbox import open_sandbox
async def main():
    async with open_sandbox(Tree.of({{}})) as box:
        print("go", flush=True)
        slow = await box.exec(["python3", "-c", "{TICKS.format(60)}"], timeout=2.5)
        print(slow.code, slow.seconds < 2.5)
        endless = await box.exec(["sleep", "60"], timeout=0.5)
        print(endless.timed_out)
anyio.run(main)
"""
JUDGED = """
import anyio
from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.sandbox import open_sandbox, stood_still_s
from honestly.verify import verify
CHECK = '''
import time
def test_it(ws):
    began = time.monotonic()
    with ws.limit(1.5):
        assert ws.load("calc").value() == 3
    assert time.monotonic() < began + 1.5  # the check's own clock goes on
'''
SLOW = "import time\\ndef value():\\n    for _ in range(40): time.sleep(0.02)\\n    return 3\\n"
checks = Checks(runner="grader", files=Tree.of({"check_it.py": CHECK}), expected=("check_it.test_it",), timeout_s=60.0)
task = Task(id="t", instruction="", hidden=Hidden(checks=checks, reference=Edit()))
async def main():
    async def say():
        await anyio.sleep(1.0)
        print("go", flush=True)
    async with anyio.create_task_group() as group:
        group.start_soon(say)
        for _ in range(4):
            verdict = await verify(task, Tree.of({"calc.py": SLOW}), seed=1, open_box=open_sandbox)
            print(verdict.hidden.checks[0].status, flush=True)
    print(stood_still_s() > 1)
anyio.run(main)
"""


@pytest.mark.slow
def test_a_clock_does_not_count_that_its_program_was_stopped():
    (line,) = said_with_a_standstill(COUNTS, 2.0)
    real, lost = map(float, line.split())
    assert 1.5 < lost < 2.5
    assert real > 3.2


@pytest.mark.slow
def test_who_computes_has_not_stood_still():
    clock, end = SteadyClock(), time.thread_time() + 1.2
    while time.thread_time() < end:
        pass
    clock.now()
    assert clock.lost == 0.0


@pytest.mark.slow
def test_deadlines_of_an_event_loop_do_not_come_meanwhile():
    (line,) = said_with_a_standstill(LOOP, 3.0)
    real, counted, stood = map(float, line.split())
    assert real > 4.2
    assert counted < 2.2
    assert 2.0 < stood < 4.5


@pytest.mark.slow
def test_a_command_has_its_time_all_the_same():
    assert said_with_a_standstill(COMMAND, 3.0) == ["0 True", "True"]


@pytest.mark.slow
def test_what_is_judged_meanwhile_is_judged_again():
    *verdicts, stood = said_with_a_standstill(JUDGED, 2.0)
    assert set(verdicts) == {"passed"}
    assert len(verdicts) in (3, 4)  # a quick machine has judged once before the standstill
    assert stood == "True"
