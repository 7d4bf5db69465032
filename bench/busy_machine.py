"""How many right solutions does a busy machine cost? None may be failed for it; void is no verdict.

    python bench/busy_machine.py unusual [--load 4] [--times 3] [--jobs 2]
    python bench/busy_machine.py references [SOURCE ...] [--count 300] [--times 3] [--load 8 20] [--jobs 2] [--seed 0]

`unusual` judges the solutions of tests/unusual.py, each of which takes something unusual of the machine: threads,
processes, depth, output. `references` draws reference solutions by a seed, as many of each source as there are, and
judges each so many times. A SOURCE is a file of problems or a suite (a name or a folder; Exercism's track, QuixBugs'
repository); `plus:FILE` is HumanEval+ with inputs as bench/plus.py makes them of HumanEval. Without any: embedded and
versa, and what of HumanEval, MBPP, Exercism and QuixBugs lies in ../shared/data; what is not there is said.

`--load` is how many processes do nothing but run meanwhile, each in a session of its own, at the usual priority. Prints
for each load how many judgements failed and how many were void, their share with a 95% interval (Clopper and Pearson's,
of judgements, as if they were independent), the load that the machine told of, and each that did not pass.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import anyio
from plus import problems_plus

from honestly.errors import HonestlyError, TaskError
from honestly.formats import read_problems
from honestly.records import Checks, Edit, Hidden, Task, Tree, Verdict
from honestly.sandbox import open_sandbox
from honestly.stats import clopper_pearson_interval
from honestly.tasks import load_suite, prepare_task, runnable_tasks
from honestly.verify import Slots, Submission, verify_each
from verify import rows_of

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))
from busy import busy_machine  # noqa: E402
from unusual import CHECK, UNUSUAL  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
HUMANEVAL = DATA / "humaneval" / "HumanEval.jsonl.gz"
USUAL = (str(HUMANEVAL), f"plus:{HUMANEVAL}", str(DATA / "mbpp.jsonl"), str(DATA / "exercism"), str(DATA / "quixbugs"))
TOGETHER = 8


class Case:
    """A right solution of a task."""

    def __init__(self, name: str, task: Task, final: Tree) -> None:
        self.name, self.task, self.final = name, task, final


def unusual() -> list[Case]:
    """The solutions of tests/unusual.py."""
    checks = Checks(
        runner="grader", files=Tree.of({"check_it.py": CHECK}), expected=("check_it.test_it",), timeout_s=60
    )
    task = Task(
        id="squares",
        instruction="squares",
        hidden=Hidden(checks=checks, reference=Edit(write=Tree.of({"calc.py": ""}))),
    )
    return [Case(name, task, Tree.of({"calc.py": source})) for name, source in UNUSUAL.items()]


def of_source(source: str, folder: Path, most: int, rng: random.Random) -> list[tuple[str, Task]]:
    """Tasks of a source, so many where making them takes time, in an order by lot; none where it is not there."""
    path = Path(source.removeprefix("plus:"))
    label = ("plus " if source.startswith("plus:") else "") + path.name
    if source.startswith("plus:") and path.exists():
        rows, drawn_rows, made = rows_of(path), folder / "drawn.jsonl.gz", folder / "plus.jsonl.gz"
        with gzip.open(drawn_rows, "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in rng.sample(rows, min(most, len(rows))))
        problems_plus(drawn_rows, 100, made)
        tasks: Sequence[Task] = read_problems(made).tasks
    elif path.is_file():
        tasks = read_problems(path).tasks
    else:
        try:
            kept, left_out = runnable_tasks(load_suite(source))
            print(*(f"left out: {source}:{entry}" for entry in left_out), sep="\n", end="\n" if left_out else "")
            tasks = kept.tasks
        except TaskError as error:
            print(f"left out: {source} ({str(error)[:80]})")
            return []
    found = [
        (f"{label}:{task.id}", task)
        for task in tasks
        if task.hidden is not None
        and task.tags.variant == "standard"
        and not task.site  # what became of its site is judged, and no site is played on here
        and (task.hidden.reference.write.files or task.hidden.reference.delete)
    ]
    return rng.sample(found, len(found))


def drawn(sources: Sequence[str], count: int, seed: int, folder: Path) -> list[Case]:
    """References of all sources, an equal share of each as far as it has so many, with what their tasks install."""
    rng = random.Random(seed)
    most = -(-count // len(sources))
    pools = [tasks for source in sources if (tasks := of_source(source, folder, most, rng))]
    cases: list[Case] = []
    while len(cases) < count and any(pools):
        for name, task in [pool.pop() for pool in pools if pool]:
            try:
                ready = anyio.run(prepare_task, task)
            except HonestlyError as error:
                print(f"left out: {name} ({str(error)[:80]})")
                continue
            assert ready.hidden is not None
            cases.append(Case(name, ready, ready.hidden.reference.apply(ready.workspace)))
    return cases[:count]


async def judged(cases: Sequence[Case], jobs: int, seed: int) -> dict[str, list[str]]:
    """What did not pass, in words: failed, or void."""
    wrong: dict[str, list[str]] = {"failed": [], "void": []}

    def note(some: Sequence[Case], number: int, verdict: Verdict | HonestlyError) -> None:
        name = some[number].name
        if isinstance(verdict, HonestlyError):
            wrong["void"].append(f"{name}: {verdict}")
        elif verdict.hidden is None or not verdict.hidden.passed:
            checks = verdict.hidden.checks if verdict.hidden else ()
            said = [f"{check.status} {check.message[:100]}" for check in checks if check.status != "passed"]
            wrong["failed"].append(f"{name}: {said[:2]}")

    async def work(queue: Iterator[Case], slots: Slots) -> None:
        while some := list(islice(queue, TOGETHER)):
            submitted = [Submission(case.task, case.final, seed) for case in some]
            await verify_each(submitted, slots, partial(note, some))

    queue = iter(random.Random(seed).sample(cases, len(cases)))
    async with Slots(open_sandbox) as slots, anyio.create_task_group() as group:
        for _ in range(jobs):
            group.start_soon(work, queue, slots)
    return wrong


def measure(cases: Sequence[Case], load: int, times: int, jobs: int) -> int:
    """Judges all cases so many times beside so many busy processes; returns how many judgements failed."""
    wrong: dict[str, list[str]] = {"failed": [], "void": []}
    loads, began = [], time.monotonic()
    for seed in range(times):
        with busy_machine(load):
            for kind, some in anyio.run(judged, cases, jobs, seed).items():
                wrong[kind] += some
            loads.append(os.getloadavg()[0])
        done, lost = (seed + 1) * len(cases), {kind: len(some) for kind, some in wrong.items()}
        print(
            f"load {load}: {done} judgements in {time.monotonic() - began:.0f} s, {lost}", file=sys.stderr, flush=True
        )
    seconds, total = time.monotonic() - began, times * len(cases)
    cores = len(os.sched_getaffinity(0))
    told = " ".join(f"{each:.1f}" for each in loads)
    print(f"load {load} on {cores} cores (told: {told}): {total} judgements in {seconds:.0f} s")
    for kind, some in wrong.items():
        low, high = clopper_pearson_interval(len(some), total)
        print(f"  {kind:7} {len(some):4}  {len(some) / total:7.2%}  [{low:.2%}, {high:.2%}]", *some, sep="\n      ")
    return len(wrong["failed"])


def main() -> int:
    """Judges, and says what was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["unusual", "references"])
    parser.add_argument("sources", nargs="*")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--load", type=int, nargs="+", default=None, help="4, or 8 and 20 for references")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.what == "unusual":
            cases, loads = unusual(), given.load or [4]
        else:
            sources = given.sources or ["embedded", "versa", *USUAL]
            cases, loads = drawn(sources, given.count, given.seed, Path(folder)), given.load or [8, 20]
        origins = Counter(case.name.partition(":")[0] for case in cases) if given.what == "references" else {}
        print(
            f"{len(cases)} solutions",
            *(f"{number} of {name}" for name, number in origins.items()),
            sep=", ",
            flush=True,
        )
        return 1 if sum(measure(cases, load, given.times, given.jobs) for load in loads) else 0


if __name__ == "__main__":
    sys.exit(main())
