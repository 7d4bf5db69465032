"""What does Ray add to a trial? CPU of all processes, beside the same trials without Ray, in this process.

python bench/on_ray.py [TRIALS]     (extra `honestly[ray]`; no cluster may run on this machine)

The agent does nothing. `no sandbox`: trials that end before they have one, which leaves what carrying them takes.
"""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import anyio

from honestly.agents import make_agents
from honestly.errors import SandboxError
from honestly.records import Tree
from honestly.runner import LocalExecutor, Plan, RayExecutor, RayOptions
from honestly.sandbox import Sandbox, open_sandbox
from honestly.tasks import load_suite

SUITE = load_suite("embedded", only=["split-bill"])
ROUNDS, TICKS = 3, os.sysconf("SC_CLK_TCK")


def cpu_s() -> float:
    """CPU seconds of this process and of all below it, those that have ended included."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            lines.append((int(path.parent.name), path.read_text().rpartition(")")[2].split()))
        except OSError:
            continue
    parents = {pid: int(fields[1]) for pid, fields in lines}

    def ours(pid: int) -> bool:
        while pid > 1 and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid == os.getpid()

    return sum(sum(map(int, fields[11:15])) for pid, fields in lines if ours(pid)) / TICKS


@asynccontextmanager
async def no_box(tree: Tree, **how: object) -> AsyncIterator[Sandbox]:
    if tree.files:
        raise SandboxError("this trial ends here")
    async with open_sandbox(tree, **how) as box:  # with which nodes are looked at
        yield box


async def rounds(executor: LocalExecutor | RayExecutor, trials: int) -> list[float]:
    """CPU seconds of a trial, by round."""
    found = []
    plan = Plan(SUITE, make_agents(["nop"], SUITE), trials)
    for _ in range(ROUNDS + 1):
        begun = cpu_s()
        async with executor.submit(plan.trials) as results:
            assert len([each async for each in results]) == trials
        found.append((cpu_s() - begun) / trials)
    return found[1:]  # in the first, workers start


async def main(trials: int) -> None:
    print(
        f"{trials} trials, {ROUNDS} rounds, load {os.getloadavg()[0]:.0f}; CPU ms a trial, median (lowest to highest)"
    )
    for name, box in (("no sandbox", no_box), ("sandbox", open_sandbox)):
        alone = await rounds(LocalExecutor(box, 2), trials)
        async with RayExecutor(box, RayOptions()) as executor:
            on_ray = await rounds(executor, trials)
        for where, found in (("this process", alone), ("Ray", on_ray)):
            print(
                f"{name:10}  {where:12}  {median(found) * 1e3:6.1f} ({min(found) * 1e3:.1f} to {max(found) * 1e3:.1f})"
            )


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 100)
