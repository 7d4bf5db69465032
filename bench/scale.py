"""Can one machine drive 20,000 trials at a time, and what holds it up: the models, or us?

python bench/scale.py [--flying 20000] [--planned 30000] [--turns 10] [--median 8] [--sigma 1]

The real plan, queue, executor, agent's loop, journals and SQLite study; simulated are the models, whose answers take
log-normal times of seconds to minutes, the sandboxes, which take a second to open and run nothing, and the clock. That
leaps over time in which everybody waits, and otherwise goes by the CPU time that this process has really used: so our
own work delays trials as it would on a core of our own, whatever else this machine does, and an hour takes minutes.
Waiting for the disk is not in it.

Printed: CPU per turn, memory per trial in flight, how much of the time that trials were in flight they waited for a
model or a sandbox, and how long all took beside what the latencies alone would take, in the same order and places.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import selectors
import tempfile
import time
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import partial
from heapq import heapreplace
from pathlib import Path

import anyio
from simulated import Simulated, cpu, held, peak, plan_of, resident

from honestly.runner import LocalExecutor, Progress, Redo, run_plan
from honestly.store import create_study, unfinished_folder

OPENING_S = 1.0


class Leaping(selectors.DefaultSelector):
    """A selector that leaps over the time until the next timer, instead of waiting for it."""

    def __init__(self) -> None:
        super().__init__()
        self.leapt = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.leapt += timeout or 0.0
        return super().select(timeout if timeout is None else 0)


class Loop(asyncio.SelectorEventLoop):
    """An event loop by the clock described above."""

    def __init__(self) -> None:
        self._clock = Leaping()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.leapt + time.process_time()


class Watch:
    """Latencies as they are drawn, and what came of the trials."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked, self._dice = asked, random.Random(1)
        self._mine: ContextVar[int] = ContextVar("mine")
        self.latencies: list[float] = []
        """Of each trial, in the order in which they began, s."""
        self.flying = self.most = self.resident = 0
        self.in_flight = self.began = self.ended = 0.0

    async def opened(self) -> None:
        """A sandbox opens, and with it a trial begins."""
        self._mine.set(len(self.latencies))
        self.latencies.append(0.0)
        self.began = self.began or anyio.current_time()
        self.flying += 1
        self.most = max(self.most, self.flying)
        if self.flying == self._asked.flying:
            self.resident = max(self.resident, resident())
        await self._sleep(self._dice.expovariate(1 / OPENING_S))

    async def answered(self, _turn: int) -> None:
        """A model answers."""
        await self._sleep(self._dice.lognormvariate(0, self._asked.sigma) * self._asked.median)

    async def _sleep(self, seconds: float) -> None:
        self.latencies[self._mine.get()] += seconds
        await anyio.sleep(seconds)

    def stored(self, state: Progress) -> None:
        """A trial is in the study."""
        if state.latest is not None:
            self.flying -= 1
            self.in_flight += state.latest.seconds or 0.0
            self.ended = anyio.current_time()

    def pace(self) -> float:
        """Seconds that all of it takes where nothing but the latencies takes time."""
        places = [0.0] * self._asked.flying
        for latency in self.latencies:
            heapreplace(places, places[0] + latency)
        return max(places)


async def simulate(asked: argparse.Namespace, watch: Watch, folder: Path) -> None:
    """Runs the plan and keeps the study in `folder`."""

    @asynccontextmanager
    async def box(tree, **how):
        await watch.opened()
        async with held(tree, **how) as opened:
            yield opened

    plan = plan_of(asked.planned, Simulated(asked.turns, watch.answered))
    with create_study(folder / "study.honestly") as study:
        executor = LocalExecutor(box, asked.flying, unfinished_folder(study.path))
        state = await run_plan(plan, study, executor, watch.stored, redo=Redo(breaker=0))
        assert (state.missing, len(study.trial_ids())) == (0, asked.planned), state


def main() -> None:
    """Simulates, and prints what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flying", type=int, default=20_000)
    parser.add_argument("--planned", type=int, default=30_000)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--median", type=float, default=8.0, help="Of a model's answer, seconds.")
    parser.add_argument(
        "--sigma", type=float, default=1.0, help="Of its logarithm: at 1, one in 40 takes 7 times as long."
    )
    asked = parser.parse_args()
    watch, before, began = Watch(asked), resident(), cpu()
    with tempfile.TemporaryDirectory() as folder:
        run = partial(simulate, asked, watch, Path(folder))
        anyio.run(run, backend_options={"loop_factory": Loop})
    turns, used, took = asked.planned * asked.turns, cpu() - began, watch.ended - watch.began
    print(f"{asked.planned:,} trials of {asked.turns} turns, {watch.most:,} at a time")
    print(f"answers of models: median {asked.median} s, sigma {asked.sigma}; sandboxes open in {OPENING_S} s")
    print(f"CPU: {1e3 * used / turns:.3f} ms a turn, {turns / used:,.0f} turns/s/core, {used:,.0f} s in all")
    print(f"memory: {(watch.resident - before) / watch.most / 1e3:.1f} kB a trial in flight; peak {peak() >> 20:,} MiB")
    print(f"of the time in flight {sum(watch.latencies) / watch.in_flight:.2%} were latencies")
    print(f"all took {took:,.0f} s ({turns / took:,.0f} turns/s); the latencies alone would take {watch.pace():,.0f} s")


if __name__ == "__main__":
    main()
