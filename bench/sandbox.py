"""What does a sandbox cost: to open, to run a trivial command in, to keep open by the hundred?

Prints medians and CPU times of one run on this machine; wall times include waiting for the kernel. A plain `subprocess`
of the same command, run in turn with the sandbox, is the lower bound. CPU time is summed over this program, the zygote,
the keepers and the commands.

    python bench/sandbox.py [--rounds 100] [--many 500]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from statistics import median

import anyio

from honestly.records import Tree
from honestly.sandbox import Limits, open_sandbox
from honestly.sandbox._places import base_python

TREE = Tree.of({f"package/module_{number}.py": f"print({number})\n" * 20 for number in range(20)})
TICK = os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    """All living processes below one, itself first."""
    found = [pid]
    with suppress(FileNotFoundError, ProcessLookupError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += descendants(int(child))
    return found


def cpu_ms() -> float:
    """CPU time of this program and everything below it, dead children of living processes included."""
    total = 0.0
    for pid in descendants(os.getpid()):
        with suppress(FileNotFoundError, ProcessLookupError):
            total += int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[13]) + int(fields[14])) * 1000 / TICK
    return total


def memory_mb(pids: list[int]) -> float:
    """Proportional set size, which counts what processes share once."""
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def kernel_mb() -> float:
    """Memory that the kernel holds for itself: slabs, page tables, stacks."""
    wanted = {"Slab:", "PageTables:", "KernelStack:", "Percpu:"}
    lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    return sum(int(fields[1]) for fields in lines if fields[0] in wanted) / 1024


async def opening(rounds: int) -> None:
    """Open and close, one at a time."""
    async with open_sandbox(TREE):
        pass
    opened, closed, spent = [], [], []
    for _ in range(rounds):
        before, start = cpu_ms(), time.perf_counter()
        async with open_sandbox(TREE):
            opened.append(time.perf_counter() - start)
            spent.append(cpu_ms() - before)
            start = time.perf_counter()
        closed.append(time.perf_counter() - start)
    print(f"open   {median(opened) * 1e3:7.2f} ms wall   {median(spent):6.2f} ms CPU")
    print(f"close  {median(closed) * 1e3:7.2f} ms wall")


async def commands(rounds: int) -> None:
    """Run trivial commands, in turn with the same as plain subprocesses."""
    python = [str(base_python()), "-I", "-S", "-c", "pass"]
    async with open_sandbox(TREE) as box:
        for label, argv in (("true", ["/bin/true"]), ("sh -c true", ["/bin/sh", "-c", "true"]), ("python3", python)):
            boxed, plain, boxed_cpu, plain_cpu = [], [], 0.0, 0.0
            for _ in range(rounds):
                before, start = cpu_ms(), time.perf_counter()
                await box.exec(argv)
                boxed.append(time.perf_counter() - start)
                middle, start = cpu_ms(), time.perf_counter()
                subprocess.run(  # noqa: ASYNC221 - nothing else is to run meanwhile
                    argv, stdin=subprocess.DEVNULL, capture_output=True, check=True
                )
                plain.append(time.perf_counter() - start)
                boxed_cpu, plain_cpu = boxed_cpu + middle - before, plain_cpu + cpu_ms() - middle
            print(
                f"exec {label:10} {median(boxed) * 1e3:7.2f} ms wall {boxed_cpu / rounds:6.2f} ms CPU;   subprocess"
                f" {median(plain) * 1e3:6.2f} ms wall {plain_cpu / rounds:6.2f} ms CPU;"
                f"   difference {median(b - p for b, p in zip(boxed, plain, strict=True)) * 1e3:6.2f} ms wall"
            )


async def files(rounds: int) -> None:
    """Write, read and snapshot."""
    async with open_sandbox(TREE) as box:
        for label, call in (
            ("write 1 KiB", lambda: box.write("x", b"x" * 1024)),
            ("read 1 KiB", lambda: box.read("x")),
            ("snapshot of 21 files", box.snapshot),
        ):
            times = []
            for _ in range(rounds):
                start = time.perf_counter()
                await call()
                times.append(time.perf_counter() - start)
            print(f"{label:20} {median(times) * 1e3:6.2f} ms wall")


async def many(count: int) -> None:
    """Keep many sandboxes open at once, each having run a command."""
    kernel = kernel_mb()
    async with AsyncExitStack() as stack:
        start = time.perf_counter()
        for _ in range(count):
            box = await stack.enter_async_context(open_sandbox(TREE, Limits(disk_mb=16)))
            await box.exec(["/bin/true"])
        seconds = time.perf_counter() - start
        pids = descendants(os.getpid())[1:]
        user, kernel = memory_mb(pids), kernel_mb() - kernel
        print(
            f"{count} open at once: {len(pids)} processes, {user:.0f} MB + {kernel:.0f} MB in the kernel"
            f" = {(user + kernel) / count:.2f} MB each; opened in {seconds:.1f} s"
        )


async def main() -> None:
    """Ask all four questions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--many", type=int, default=500)
    options = parser.parse_args()
    await opening(options.rounds)
    await commands(options.rounds)
    await files(options.rounds)
    await many(options.many)


if __name__ == "__main__":
    anyio.run(main)
