"""How does a study of 100,000 trials with 20 steps each behave? Adding, opening, counting, reporting, memory.

python bench/large_study.py [--trials 100000] [--steps 20] [--keep FILE]

Ten agents of different strength try 500 tasks as often as it takes; each trial has a verdict of two checks, usage and
a trajectory whose calls and outputs differ from step to step, so that compression has real work. Trials are added 100
at a time, each hundred durable before the next begins, as a busy run does it. Then, each in a process of its own:
opening, the counts that `status` shows, one page of a trajectory, `honestly report`. CPU seconds beside wall time,
since other work on the machine lengthens the one only.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from honestly.records import (
    Agent,
    Check,
    CheckRun,
    Observation,
    Outcome,
    Step,
    StudyFacts,
    Task,
    ToolCall,
    Trajectory,
    Trial,
    Usage,
    Verdict,
    digest,
    encode,
)
from honestly.store import create_study, open_study

AGENTS, TASKS, AT_ONCE = 10, 500, 100
WORDS = "return value import class loop index error file line test assert module path config build parse".split()


def agents() -> list[Agent]:
    return [Agent(name=f"agent-{n}", program="simulated", version="1", model=f"model-{n}") for n in range(AGENTS)]


def tasks() -> list[Task]:
    return [Task(id=f"task-{n:03}", instruction=f"Mend number {n}.") for n in range(TASKS)]


def trial(number: int) -> Trial:
    """A trial whose outcome depends on agent and task, and on chance."""
    dice = random.Random(number)
    sample, cell = divmod(number, AGENTS * TASKS)
    task, agent = divmod(cell, AGENTS)
    passed = dice.random() < (0.2 + 0.06 * agent) * (1.4 - task / TASKS)
    outcome = Outcome.PASSED if passed else dice.choice([Outcome.FAILED] * 8 + [Outcome.LIMIT, Outcome.VOID])
    decided = outcome is not Outcome.VOID
    status = "passed" if passed else "failed"
    checks = CheckRun(checks=(Check(id="visible", status="passed"), Check(id="hidden", status=status)))
    return Trial(
        id=digest("trial", number),
        agent=f"agent-{agent}",
        task=f"task-{task:03}",
        sample=sample,
        outcome=outcome,
        reason="" if decided else "ModelError: overloaded",
        verdict=Verdict(hidden=checks) if decided else Verdict(),
        claimed=passed or dice.random() < 0.3,
        usage=Usage(input_tokens=dice.randrange(1000, 90_000), output_tokens=dice.randrange(100, 9000), usd=0.01),
        started_at="2026-01-01T00:00:00.000+00:00",
        seconds=round(dice.uniform(20, 600), 3),
    )


@cache
def pool() -> tuple[Step, ...]:
    """Steps of which trajectories are drawn; those of one differ, so that compression has its work."""
    dice = random.Random(1)
    return tuple(_step(dice, n) for n in range(2000))


def trajectory(number: int, steps: int) -> Trajectory:
    return Trajectory(steps=tuple(random.Random(number).sample(pool(), steps)), stop="done")


def _step(dice: random.Random, n: int) -> Step:
    said = " ".join(dice.choices(WORDS, k=20))
    seen = "\n".join(f"{dice.randrange(400):4}: {' '.join(dice.choices(WORDS, k=8))}" for _ in range(12))
    call = ToolCall.of(f"call-{n}", "bash", command=f"sed -n {dice.randrange(400)},+12p {dice.choice(WORDS)}.py")
    usage = Usage(input_tokens=dice.randrange(1000, 30_000), output_tokens=dice.randrange(20, 500))
    return Step(
        source="agent", message=said, calls=(call,), observations=(Observation(text=seen, call_id=call.id, code=0),),
        model="simulated", usage=usage, seconds=1.5,
    )  # fmt: skip


def make(path: Path, trials: int, steps: int) -> None:
    """Makes the study, and prints how fast it grew: in its first tenth and in its last."""
    marks, spent = [], 0.0
    with create_study(path, StudyFacts(suite="simulated", suite_hash="0", seed=0)) as study:
        study.add([*agents(), *tasks()])
        for start in range(0, trials, AT_ONCE):
            some = [(trial(n), trajectory(n, steps), {}) for n in range(start, min(start + AT_ONCE, trials))]
            clock, began = time.perf_counter(), cpu()
            study.add(some, every=len(some) + 1)
            spent += cpu() - began
            marks.append(time.perf_counter() - clock)
    tenth = max(1, len(marks) // 10)
    first, last = (AT_ONCE * tenth / sum(some) for some in (marks[:tenth], marks[-tenth:]))
    size, text = path.stat().st_size, sum(len(encode(step)) for step in trajectory(0, steps).steps)
    print(f"{trials:,} trials of {steps} steps ({text:,} bytes of JSON each) added, {AT_ONCE} in a transaction:")
    print(f"  {1e3 * spent / trials:.2f} ms of CPU each, {trials / spent:,.0f} trials/s/core")
    print(f"  by the clock {trials / sum(marks):,.0f}/s; the first tenth {first:,.0f}/s, the last {last:,.0f}/s")
    print(f"  the file has {size / 1e6:,.0f} MB, {size / trials:,.0f} bytes a trial; the writer's peak {peak_mb()} MiB")


def opened(path: Path) -> None:
    open_study(path).close()


def counted(path: Path) -> None:
    with open_study(path) as study:
        assert sum(study.tally().values())


def all_cells(path: Path) -> None:
    with open_study(path) as study:
        assert study.cells()


def paged(path: Path) -> None:
    with open_study(path) as study:
        assert len(list(study.steps(trial(77).id, 5, 10))) == 5


def resumed(path: Path) -> None:
    with open_study(path, "write") as study:
        assert study.trial_ids()


ONES = {"open": opened, "counts": counted, "cells": all_cells, "page": paged, "resume": resumed}
SAID = {
    "open": "opening and closing",
    "counts": "opening, and how many trials ended how",
    "cells": "opening, and a row for each trial",
    "page": "opening, and five steps of one trajectory",
    "resume": "opening for writing, and the ids of all trials",
}


def measure(path: Path, commands: Sequence[str]) -> None:
    """Prints what reading takes, each in a process of its own."""
    print("\nseconds of CPU, by the clock, MiB at most")
    for name, said in SAID.items():
        out, _, _, peak = spent([__file__, "--one", name, str(path)])
        used, clock = map(float, out.split())
        print(f"{used:7.2f}{clock:7.2f}{peak:6}  {said}")
    for command in commands:
        out, used, clock, peak = spent(["-m", "honestly", command, str(path)])
        print(f"{used:7.2f}{clock:7.2f}{peak:6}  honestly {command}, its start included ({len(out):,} characters)")


def spent(words: Sequence[str]) -> tuple[str, float, float, int]:
    """What a Python program printed; its CPU and wall time, s, and its peak, MiB."""
    clock = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([sys.executable, *words], stdout=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0, words
        out.seek(0)
        return out.read(), used.ru_utime + used.ru_stime, time.perf_counter() - clock, used.ru_maxrss // 1024


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    """Makes the study unless it is there, and prints the table; or does one thing, for another process of this one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="Where the study lies, and stays; used again if it is there.")
    parser.add_argument("--commands", default="status,report", help="Commands to measure.")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        clock, began = time.perf_counter(), cpu()
        ONES[asked.one[0]](Path(asked.one[1]))
        print(cpu() - began, time.perf_counter() - clock)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = asked.keep or Path(folder, "large.honestly")
        if not path.exists():
            make(path, asked.trials, asked.steps)
        measure(path, asked.commands.split(","))


if __name__ == "__main__":
    main()
