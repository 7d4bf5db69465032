"""When an agent is given up: an endpoint is away for a while, or dead, by a clock that leaps over waiting.

Real are the plan, the queue, the executor, the study, and the model that asks again; simulated is the endpoint.
"""

import asyncio
import random
import selectors
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
import pytest
from msgspec.structs import replace

from honestly.agents import FunctionAgent
from honestly.errors import ModelError, SandboxLimitError
from honestly.models import Message, RetryModel
from honestly.records import Agent, Outcome, Suite, Task, Tree, Trial
from honestly.runner import LocalExecutor, Plan, Redo, run_plan
from honestly.runner._redo import Breaker
from honestly.store import create_study

NEVER = float("inf")
FLYING = [100, pytest.param(1000, marks=pytest.mark.slow)]


class Leaping(selectors.DefaultSelector):
    def __init__(self):
        super().__init__()
        self.now, self.threads = 0.0, None

    def select(self, timeout=None):
        if self.threads is not None and self.threads.borrowed_tokens and timeout:
            return super().select(None)  # a thread is at work, which takes no time by this clock, and will wake us
        self.now += timeout or 0.0
        return super().select(timeout if timeout is None else 0)


class Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self._leaping = Leaping()
        super().__init__(self._leaping)

    def time(self):
        return self._leaping.now


class Endpoint:
    """Answers take 1 to 20 seconds; while it is down connections are refused at once, and those that wait break."""

    name = "endpoint"

    def __init__(self, down, up):
        self.down, self.up, self._dice = down, up, random.Random(1)

    async def __call__(self, messages, tools=(), settings=None):
        now, latency = anyio.current_time(), self._dice.uniform(1, 20)
        breaks = now + latency > self.down and now < self.up
        await anyio.sleep(max(0.0, self.down - now) if breaks else latency)
        if breaks:
            raise ModelError("there is no connection", transient=True)
        return Message(role="assistant", text="Yes.")


class Box:
    name = "memory"

    done = False

    async def snapshot(self):
        if self.done:
            raise SandboxLimitError("it has failed: its trial is not void")
        return Tree()


@asynccontextmanager
async def box(tree, **_):
    yield Box()


def flown(tmp_path, endpoint, flying):
    """A run of twice as many trials as are in flight, three questions each; what came of it, and when it had."""
    model, begun = RetryModel(endpoint), []

    async def ask(_run, box):
        begun.append(anyio.current_time())
        for _ in range(3):
            await model([])
        box.done = True

    async def go():
        asyncio.get_running_loop()._leaping.threads = anyio.to_thread.current_default_thread_limiter()
        suite = Suite(name="s", version="1", tasks=(Task(id="t", instruction="Do."),))
        plan = Plan(suite, [FunctionAgent(ask, Agent(name="a"))], 2 * flying)
        with create_study(tmp_path / "s.honestly") as study:
            return await run_plan(plan, study, LocalExecutor(box, flying), redo=Redo()), anyio.current_time()

    return *anyio.run(go, backend_options={"loop_factory": Loop}), begun


@pytest.mark.slow
@pytest.mark.parametrize("flying", FLYING)
def test_an_outage_of_half_a_minute_gives_nobody_up(tmp_path, flying):
    state, _, begun = flown(tmp_path, Endpoint(20, 50), flying)
    assert (state.given_up, state.done, state.void) == ({}, 2 * flying, 0)
    assert state.redone > flying / 2, "most of those in flight were void, and tried again"
    assert len(begun) == state.total + state.redone, "none was void twice"


@pytest.mark.parametrize("flying", FLYING)
def test_a_dead_endpoint_is_given_up_within_two_minutes_and_twice_as_many_voids_as_were_in_flight(tmp_path, flying):
    state, ended, begun = flown(tmp_path, Endpoint(20, NEVER), flying)
    assert list(state.given_up) == ["a"]
    assert ended < 20 + 120
    assert max(begun) < 20 + 60, "the last that begins: two rounds of asking again, of 15 to 31 s, are over"
    assert len(begun) - state.done <= 2 * flying + 5


def void(n, reason="down"):
    return Trial(id=str(n), agent="a", task="t", sample=0, outcome=Outcome.VOID, reason=reason)


def test_of_those_in_flight_together_one_counts_and_then_each_that_began_later():
    breaker = Breaker(3)
    for n in range(100):
        breaker.note(void(n), began=n / 100, now=1 + n)
        breaker.note(void(100), began=1 + n, now=1 + n)
    assert breaker.open == {}, "one of many, and one trial after it, however often"
    breaker.note(void(101), began=1, now=102)
    assert breaker.open == {"a": "down"}


def test_another_reason_or_a_verdict_begins_anew():
    for other in (void(9, "away"), replace(void(9), outcome=Outcome.FAILED)):
        breaker = Breaker(3)
        for n, trial in enumerate((void(1), void(2), other, void(3), void(4))):
            breaker.note(trial, n, n + 1)
        assert breaker.open == {}
        breaker.note(void(5), 6, 7)
        assert breaker.open == {"a": "down"}
