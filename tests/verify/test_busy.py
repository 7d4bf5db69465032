"""On a busy machine right work passes as on an idle one, and what takes too long by itself is too slow as there."""

import os
import time
from functools import partial

import anyio
import pytest

from busy import busy_machine
from honestly.records import Checks, Edit, Hidden, Task, Tree, Verdict
from honestly.sandbox import open_sandbox
from honestly.sandbox._guest._cpu_time import crowding
from honestly.verify import Slots, Submission, verify_each
from honestly.verify.kernels import KernelOptions, judge_kernel
from unusual import CHECK, UNUSUAL

SHORT = """
def test_it(ws):
    with ws.limit({}):
        assert ws.load("calc").add(1, 2) == 3
"""
MANY = """
def test_it(ws):
    add = ws.load("calc").add
    for n in range(40):
        assert add(n, 2) == n + 2
"""
NEEDS = """
import time
def add(a, b):
    end = time.thread_time() + {}
    while time.thread_time() < end: pass
    return a + b
"""
ASLEEP = "import time\ndef add(a, b):\n    time.sleep(1)\n    return a + b\n"
ENDLESS = "def add(a, b):\n    while True: pass\n"


def judged(check, sources, timeout_s=60.0, names=("test_it",)):
    """The statuses of each source's checks, in order; or its error."""
    expected = tuple(f"check_it.{name}" for name in names)
    checks = Checks(runner="grader", files=Tree.of({"check_it.py": check}), expected=expected, timeout_s=timeout_s)
    task = Task(id="busy", instruction="", hidden=Hidden(checks=checks, reference=Edit()))
    found = {}

    async def run():
        async with Slots(open_sandbox) as slots:
            cases = [Submission(task, Tree.of({"calc.py": source}), 1) for source in sources]
            await verify_each(cases, slots, found.__setitem__)

    anyio.run(run)
    return [
        " ".join(dict.fromkeys(check.status for check in found[at].hidden.checks))
        if isinstance(found[at], Verdict)
        else str(found[at])
        for at in range(len(sources))
    ]


@pytest.mark.slow
def test_a_limit_is_what_the_solution_got_and_not_what_the_clock_says():
    """Of two cores it gets two fifths: on the clock, it takes longer than its limit."""
    with busy_machine(4):
        said = judged(SHORT.format(0.2), [NEEDS.format(0.12), ENDLESS])
    assert said == ["passed", "timeout"]


@pytest.mark.slow
def test_so_it_is_on_a_very_busy_machine_and_sleep_counts():
    with busy_machine(6):
        said = judged(SHORT.format(0.6), [NEEDS.format(0.3), ENDLESS, ASLEEP])
    assert said == ["passed", "timeout", "timeout"]


@pytest.mark.slow
def test_so_is_the_limit_of_all_checks_together():
    with busy_machine(4):
        said = judged(MANY, [NEEDS.format(0.02), NEEDS.format(0.1)], timeout_s=2.0)
    assert said == ["passed", "timeout"]


@pytest.mark.slow
def test_unusual_solutions_pass_beside_four_busy_processes():
    with busy_machine(4):
        said = judged(CHECK, UNUSUAL.values())
    assert {name: each for name, each in zip(UNUSUAL, said, strict=True) if each != "passed"} == {}


KERNEL = """
import time
def kernel(x):
    end = time.thread_time() + {}
    while time.thread_time() < end: pass
    return x
"""


@pytest.mark.slow
def test_a_kernel_has_its_limit_of_the_processors_too():
    options = KernelOptions(fresh=1, repeats=1, timeout_s=0.6)
    with busy_machine(6):
        right, endless, asleep = (
            anyio.run(partial(judge_kernel, lambda x: x, source, lambda rng: [rng.random(9)], options=options))
            for source in (KERNEL.format(0.25), KERNEL.format("1e9"), KERNEL.format("0; time.sleep(2)"))
        )
    assert (right.failed, right.correct) == ("", True)
    assert [endless.failed, asleep.failed] == ["no answer within 0.6 s"] * 2


SLEEPY = (
    "import time  # /proc/: so it is judged by itself\ndef add(a, b):\n    assert time.time() > {}\n    return a + b\n"
)


@pytest.mark.slow
def test_what_fails_on_a_crowded_machine_and_not_again_is_no_failure():
    """What failed once and passed once is void, since nobody knows which of the two the machine made."""
    with busy_machine(6 * (os.cpu_count() or 1)):
        while crowding() < 2.5:
            time.sleep(1)
        began = time.monotonic()
        assert judged(SHORT.format(600), [SLEEPY.format(time.time() + 10**9)]) == ["failed"]
        once = time.monotonic() - began
        found = [judged(SHORT.format(600), [SLEEPY.format(time.time() + once * at / 20)])[0] for at in range(20)]
    assert found[0] == "passed"
    assert any("crowded" in each for each in found), (once, found)


@pytest.mark.slow
def test_many_short_checks_on_a_crowded_machine_are_all_reached():
    """None is long enough to look at what it got, and together they take longer than the time for all by the clock."""
    checks = "".join(f"def test_{at}(ws):\n    ws.run(['true'])\n" for at in range(150))
    with busy_machine(6 * (os.cpu_count() or 1)):
        while crowding() < 2.5:
            time.sleep(1)
        names = [f"test_{at}" for at in range(150)]
        assert judged(checks, [""], 4.0, names) == ["passed"]
