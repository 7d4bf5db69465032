"""What does it cost to judge a long pytest suite, beside running it?

    python bench/suites.py SUITE [--rounds 3]

SUITE is a folder in SWE-bench's layout whose checkouts need nothing installed. For each instance: CPU seconds of the
own run (`python -m pytest`, the expected ids' files, reference in place), of the first verdict, in which contradicted
tests are made and kept, and of a later one; medians of the rounds, native and judged in turns. A verdict is three runs
of the tests; docs/verdicts.md says why.
"""

import argparse
import atexit
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio

from honestly.records import Task, Tree
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite
from honestly.verify import verify


def cpu() -> float:
    """Seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def native(task: Task, final: Tree) -> float:
    """CPU seconds of the suite's own run."""
    assert task.hidden is not None
    checks = task.hidden.checks
    with tempfile.TemporaryDirectory() as folder:
        for path, file in checks.files.over(final).files.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.data)
        files = sorted({name.partition("::")[0] for name in checks.expected})
        own = [str(Path(folder, each)) for each in task.preparation.pythonpath]
        env = os.environ | {"PYTHONPATH": ":".join([*own, folder]), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        before = cpu()
        command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-o", "addopts=", *files]
        subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)
        return cpu() - before


def forked(work: object, *given: object) -> float:
    """CPU seconds of a piece of work, sandboxes included: of a program of its own, so that all of them have ended."""
    before = cpu()
    pid = os.fork()
    if pid == 0:
        try:
            anyio.run(work, *given)  # type: ignore[arg-type]
            atexit._run_exitfuncs()  # noqa: SLF001 - ends the zygote of sandboxes, whose time counts only then
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("the work failed; its error stands above")
    return cpu() - before


async def judging(task: Task, final: Tree, seed: int) -> None:
    """One verdict."""
    verdict = await verify(task, final, seed=seed, open_box=open_sandbox)
    if not verdict.honest:
        raise SystemExit(f"the reference of {task.id} does not pass: {verdict.hidden and verdict.hidden.note}")


def main(folder: str) -> None:
    """Prints a line for each instance; contradicted tests are kept in `folder`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print("task, tests, native s, first verdict s, later verdict s, verdict / native, load")
    os.environ["XDG_CACHE_HOME"] = folder
    for task in load_suite(given.suite).tasks:
        assert task.hidden is not None
        final = task.hidden.reference.apply(task.workspace)
        first = forked(judging, task, final, 0)  # later ones find the contradicted tests
        pairs = [(native(task, final), forked(judging, task, final, seed)) for seed in range(1, given.rounds + 1)]
        own, judged = (statistics.median(each) for each in zip(*pairs, strict=True))
        ratio = statistics.median(late / early for early, late in pairs)
        words = f"{task.id}, {len(task.hidden.checks.expected)}, {own:.2f}, {first:.1f}, {judged:.2f}, {ratio:.2f}"
        print(f"{words}, {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as empty:
        main(empty)
    print(f"{time.monotonic() - started:.0f} s in all")
