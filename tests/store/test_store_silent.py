"""A database that says nothing for a while: agents go on, their time is their own, and nothing is lost or done twice."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from threading import Timer

import anyio
import pytest

from honestly.records import Agent, Outcome
from honestly.runner import LocalExecutor, Plan, Redo, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import open_or_create
from honestly.tasks import load_suite

TASKS = load_suite("embedded", only=["split-bill", "stock-holds", "config-layers"])


class Sleeper:
    """An agent that sleeps, in a sandbox."""

    record = Agent(name="sleeper")

    async def __call__(self, run, box):
        await box.exec(["sleep", "4"], timeout=8.0)


def busy_s() -> float:
    """Seconds for which this thread ran, or was ready to."""
    return sum(map(int, Path("/proc/thread-self/schedstat").read_text().split()[:2])) / 1e9


async def longest_standstill(found: list[float]) -> None:
    """The longest time for which the event loop did nothing, though it could have."""
    while True:
        before, busy = time.monotonic(), busy_s()
        await anyio.sleep(0.02)
        found[0] = max(found[0], time.monotonic() - before - 0.02 - (busy_s() - busy))


async def watched(plan, study, executor, found):
    async with anyio.create_task_group() as group:
        group.start_soon(longest_standstill, found)
        state = await run_plan(plan, study, executor, redo=Redo(waits_s=()))
        group.cancel_scope.cancel()
    return state


@pytest.mark.slow
@pytest.mark.parametrize("silent_s", [75.0])
def test_a_silent_database_changes_no_outcome_and_holds_no_agent_up(server, address, silent_s):
    plan = Plan(TASKS, [Sleeper()], 8)
    with open_or_create(address) as study:
        begin = Timer(4.0, server.signal, [signal.SIGSTOP])
        end = Timer(4.0 + silent_s, server.signal, [signal.SIGCONT])
        begin.start()
        end.start()
        found = [0.0]
        state = anyio.run(watched, plan, study, LocalExecutor(open_sandbox, 3), found)
        end.join()
        assert state.done == 24
    with open_or_create(address) as study:
        assert {trial.outcome for trial in study.trials()} == {Outcome.FAILED}
        assert len(study.trial_ids()) == 24
        assert not any(trial.earlier for trial in study.trials())
    assert found[0] < 0.2
