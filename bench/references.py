"""Do the reference solutions of a set of problems pass, every time? One that fails once in ten times is a flaky judge.

    python bench/references.py PROBLEMS [--times 10] [--jobs N]

PROBLEMS is a file of HumanEval, EvalPlus or MBPP (`honestly.formats.read_problems`). Each time, every reference is
judged once, in sandboxes, `jobs` at a time; what did not pass is printed. Exit status 1 if anything did not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import anyio

from honestly.formats import problem_name, read_problems
from honestly.records import Task
from honestly.runner import default_jobs
from honestly.sandbox import open_sandbox
from honestly.verify import Slots, verify


async def once(tasks: list[Task], slots: Slots, jobs: int, seed: int) -> list[str]:
    """What did not pass, in words."""
    failed: list[str] = []

    async def work(queue: Iterator[Task]) -> None:
        for task in queue:
            final = task.hidden.reference.apply(task.workspace)
            verdict = await verify(task, final, seed=seed, open_box=slots)
            failed.extend(
                f"{problem_name(task.id)} {check.status}: {check.message}"
                for check in verdict.hidden.checks
                if check.status != "passed"
            )

    queue = iter(tasks)
    async with anyio.create_task_group() as group:
        for _ in range(jobs):
            group.start_soon(work, queue)
    return failed


async def main(problems: Path, times: int, jobs: int) -> int:
    tasks = [task for task in read_problems(problems).tasks if task.hidden.reference.write.files]
    wrong = 0
    async with Slots(open_sandbox) as slots:
        for number in range(times):
            begin = time.perf_counter()
            failed = await once(tasks, slots, jobs, seed=number)
            wrong += len(failed)
            seconds = time.perf_counter() - begin
            print(
                f"{number + 1:3}: {len(tasks)} references, {len(failed)} checks not passed, {seconds:.2f} s",
                *failed,
                sep="\n     ",
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=default_jobs())
    options = parser.parse_args()
    sys.exit(anyio.run(main, options.problems, options.times, options.jobs))
