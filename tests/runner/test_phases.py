"""What is judged and agents at work never run at one time: not in one run, not in two programs."""

import os
from collections import Counter
from dataclasses import dataclass, field
from textwrap import dedent

import anyio
import pytest
from msgspec.structs import replace

from honestly.records import Agent, Checks, Edit, Hidden, Suite, Task, Tree
from honestly.runner import LocalExecutor, Plan, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import create_study
from honestly.verify import Slots, _phases
from paused import until

TESTS = """
    import unittest
    from calc import add

    class TestCalc(unittest.TestCase):
        def test_add(self):
            self.assertEqual(add(2, 3), 5)
"""
CHECKS = Checks(
    runner="unittest",
    files=Tree.of({"tests/__init__.py": "", "tests/test_calc.py": dedent(TESTS)}),
    expected=("tests.test_calc.TestCalc.test_add",),
    timeout_s=60.0,
)
GOOD = Edit(write=Tree.of({"calc.py": "def add(a, b):\n    return a + b\n"}))
TASK = Task(
    id="calc",
    instruction="Write calc.",
    workspace=Tree.of({"calc.py": ""}),
    hidden=Hidden(checks=CHECKS, reference=GOOD),
)

LOCKS = """
import fcntl, os, struct, time
shared = open(os.__file__, "rb")
def hold(at):
    fcntl.lockf(shared, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, at)
def drop(at):
    fcntl.lockf(shared, fcntl.LOCK_UN, 1, at)
def held(at):
    asked = struct.pack("hhqqi", fcntl.F_WRLCK, 0, at, 1, 0)
    return struct.unpack("hhqqi", fcntl.fcntl(shared, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK
"""
BROADCAST = (
    LOCKS
    + """
import glob, pathlib
found = b"".join(pathlib.Path(path).read_bytes() for path in sorted(glob.glob("**/test_calc.py", recursive=True)))[:40]
if found:
    for at, byte in enumerate(found):
        for bit in range(8):
            if byte >> bit & 1:
                hold(5000 + 8 * at + bit)
    hold(4999)
    time.sleep(1.0)
"""
)
LISTEN = (
    LOCKS
    + """
due = time.monotonic() + 4
while time.monotonic() < due and not held(4999):
    time.sleep(0.005)
bits = [held(5000 + at) for at in range(320)]
print(bytes(sum(bits[8 * at + bit] << bit for bit in range(8)) for at in range(40)))
"""
)


@dataclass
class Scripted:
    """An agent that tells at one task, and listens at another."""

    heard: list[str] = field(default_factory=list)
    record: Agent = field(default_factory=lambda: Agent(name="scripted"))

    async def __call__(self, run, box) -> None:
        if run.task.id == "loud":
            await box.write("calc.py", BROADCAST.encode())
        else:
            done = await box.exec(["python3", "-c", LISTEN], timeout=20.0)
            self.heard.append(done.stdout.decode() or done.stderr.decode())


@pytest.mark.slow
@pytest.mark.parametrize("programs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_what_judged_work_says_is_heard_by_no_agent_at_work(tmp_path, programs):
    """Work that its hidden tests import sends them, for a second, by locks on a file of the library."""
    agent = Scripted()
    tasks = [replace(TASK, id=name) for name in ("loud", "still")]
    suites = [tasks] if programs == 1 else [tasks[:1], tasks[1:]]

    async def run(number: int) -> None:
        """As programs do that know nothing of each other."""
        plan = Plan(Suite(name="s", version="1", tasks=tuple(suites[number])), [agent], 1)
        with create_study(tmp_path / f"{number}.honestly") as study:
            state = await run_plan(plan, study, LocalExecutor(open_sandbox, 2))
            assert (state.done, state.void) == (len(suites[number]), 0)

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for number in range(programs):
                group.start_soon(run, number)

    anyio.run(all_at_once)
    assert agent.heard == [f"{bytes(40)}\n"]


_LOUD = """
import glob, os
if glob.glob("**/test_calc.py", recursive=True):
    for _ in range(200_000):
        for end in os.pipe(): os.close(end)
def add(a, b): return a + b
"""
_COUNT = """
import os, sys, time
def number():
    ends = os.pipe()
    found = os.fstat(ends[0]).st_ino
    for end in ends: os.close(end)
    return found
processors = os.sched_getaffinity(0)
def newest():
    found = 0
    for one in processors:  # each takes numbers by the thousand
        os.sched_setaffinity(0, {one})
        found = max(found, *(number() for _ in range(1025)))
    return found
last, most, due = newest(), 0, time.monotonic() + int(sys.argv[1])
while time.monotonic() < due and most < 100_000:
    time.sleep(0.1)
    now = newest()
    most, last = max(most, now - last), now
print(most)
"""


@dataclass
class Counting:
    """Two agents: the first one's work makes many pipes when its hidden tests load it; the second one counts pipes."""

    record: Agent
    listens: str
    """The task at which the second one listens."""
    listening: anyio.Event
    """Set as soon as it does; the first one's work ends only then."""
    heard: list[int] = field(default_factory=list)

    async def __call__(self, run, box) -> None:
        if self.record.name == "loud" and run.task.id == "first":
            await box.write("calc.py", _LOUD.encode())
            await self.listening.wait()
            await anyio.sleep(0.5)
        elif self.record.name == "still" and run.task.id == self.listens:
            self.listening.set()
            # Of its own task nothing is judged before it ends; of another soon, or, on a busy machine, late.
            patience = "3" if self.listens == "first" else "100"
            done = await box.exec(["python3", "-c", _COUNT, patience], timeout=120.0)
            self.heard.append(int(done.stdout))


@pytest.mark.slow
@pytest.mark.parametrize("listens", ["first", "second"])
def test_numbers_of_the_machine_tell_an_agent_nothing_of_its_own_task(tmp_path, listens):
    """A pause does not hide how far a counter has moved; so nothing is judged while an agent works on the same task.

    Of another task it may hear: that is no use to it.
    """
    listening = anyio.Event()
    loud, still = (Counting(Agent(name=name), listens, listening) for name in ("loud", "still"))
    suite = Suite(name="s", version="1", tasks=tuple(replace(TASK, id=name) for name in ("first", "second")))
    with create_study(tmp_path / "s.honestly") as study:
        state = anyio.run(run_plan, Plan(suite, [loud, still], 1), study, LocalExecutor(open_sandbox, 4))
        assert (state.done, state.void) == (4, 0)
    (heard,) = still.heard
    assert (heard >= 100_000) == (listens == "second")


@pytest.mark.slow
def test_who_waits_comes_to_his_turn_and_no_task_twice_in_one():
    """Agents that never end and work that is always ready: both go on, in turns, and works of one task one by one."""
    log = []

    async def work(slots, *, task_status) -> None:
        async with slots.phases.agent_place() as place, slots(Tree()) as box:
            await place.begin(box)
            task_status.started()
            await box.exec(["sh", "-c", "while :; do echo . >> ticks; sleep 0.02; done"], timeout=600.0)

    async def judge(slots, task: str, now: Counter) -> None:
        async with slots.phases.judging(task):
            now[task] += 1
            log.append((task, now[task]))
            await anyio.sleep(0.05)
            now[task] -= 1

    async def main() -> None:
        async with Slots(open_sandbox) as slots, anyio.create_task_group() as group:
            await group.start(work, slots)
            with anyio.fail_after(60):
                async with anyio.create_task_group() as judged:
                    now = Counter()
                    for task in "aaab":
                        judged.start_soon(judge, slots, task, now)
            with anyio.fail_after(30):
                await group.start(work, slots)
            group.cancel_scope.cancel()

    anyio.run(main)
    assert sorted(log) == [("a", 1)] * 3 + [("b", 1)]


def test_a_phase_for_whose_end_nobody_waits_goes_on_beside_its_slowest(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(_phases, "_LONGEST_S", 0.1)
    log, slow = [], anyio.Event()

    async def judge(slots, name: str) -> None:
        async with slots.phases.judging(name):
            if name == "slow":
                await slow.wait()
            else:
                await anyio.sleep(0.05)
            log.append(name)

    async def work(slots) -> None:
        async with slots.phases.agent_place() as place, slots(Tree()) as box:
            await place.begin(box)
            log.append("work")

    async def main() -> None:
        async with (
            Slots(open_sandbox, judged=2) as slots,
            Slots(open_sandbox) as other,
            anyio.create_task_group() as group,
        ):
            group.start_soon(judge, slots, "slow")
            with anyio.fail_after(60):
                for number in range(6):
                    await judge(slots, f"{number}")
                group.start_soon(work, other)  # somebody waits now: what is ready comes after it
                await anyio.sleep(0.5)
                group.start_soon(judge, slots, "last")
                await anyio.sleep(0.3)
                slow.set()

    anyio.run(main)
    assert log[:7] == [*map(str, range(6)), "slow"]
    assert set(log[7:]) == {"work", "last"}


@pytest.mark.slow
@pytest.mark.parametrize("crowd", [False, True])
def test_a_program_that_judges_on_and_on_leaves_room_for_another(crowd, tmp_path, monkeypatch):
    """Whether its works come one after the other, or all at once and have to wait for a place."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    log = []

    async def judge(slots, name: str) -> None:
        async with slots.phases.judging(name):
            log.append(name)
            await anyio.sleep(0.9 if crowd else 0.4)

    async def main() -> None:
        async with Slots(open_sandbox, judged=1) as busy, Slots(open_sandbox, judged=1) as other:
            with anyio.fail_after(120):
                async with anyio.create_task_group() as group:
                    if crowd:
                        for number in range(8):
                            group.start_soon(judge, busy, f"{number}")
                    else:
                        group.start_soon(one_by_one, busy)
                    await anyio.sleep(0.3)
                    await judge(other, "other")

    async def one_by_one(slots) -> None:
        for number in range(8):
            await judge(slots, f"{number}")

    anyio.run(main)
    assert sorted(log) == sorted(["other", *map(str, range(8))])
    assert 0 < log.index("other") < (8 if crowd else 4)


@pytest.mark.slow
def test_who_has_waited_longest_judges_next(tmp_path, monkeypatch):
    """Among four programs that judge on and on, nobody comes twice before one that waits; who is dead holds up nobody."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    log = []

    async def judge_on_and_on(name: str) -> None:
        async with Slots(open_sandbox, judged=1) as slots:
            while True:
                async with slots.phases.judging(name):
                    log.append(name)
                    await anyio.sleep(0.1)

    async def main() -> None:
        async with Slots(open_sandbox, judged=1) as slots, anyio.create_task_group() as group:
            for name in "abcd":
                group.start_soon(judge_on_and_on, name)
            await until(lambda: set("abcd") <= set(log))
            (queue,) = tmp_path.glob("honestly/turns/*/queue")
            old = queue / f"{0:020d}-1-1"
            old.touch()
            os.utime(old, (0, 0))
            with anyio.fail_after(120):
                for _ in range(6):
                    log.append("?")
                    async with slots.phases.judging("e"):
                        log.append("e")
                        await anyio.sleep(0.1)
            assert not old.exists()
            group.cancel_scope.cancel()

    anyio.run(main)
    waits = [wait.partition("e")[0] for wait in "".join(log).split("?")[1:]]
    assert max(map(len, waits)) <= 5, waits  # one that is under way, and each of the four once


def test_parts_of_one_program_share_its_phases(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    async def judged_together():
        inside = set()

        async def judge(task):
            async with _phases.open_phases() as phases, phases.judging(task):
                inside.add(task)
                await until(lambda: len(inside) == 2)

        with anyio.fail_after(20):
            async with _phases.open_phases(shared=True) as around, anyio.create_task_group() as group:
                group.start_soon(judge, "a")
                group.start_soon(judge, "b")
                async with _phases.open_phases() as inner:
                    assert inner is around
        async with _phases.open_phases() as later:
            assert later is not around

    anyio.run(judged_together)
