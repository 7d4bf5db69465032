"""Many trials at once: what a plan takes, how often the study is written, and who is given up; sandboxes only hold files."""

import json
import os
import subprocess
import sys
import tracemalloc
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import anyio
import msgspec
import pytest

from honestly.agents import FunctionAgent
from honestly.errors import ModelError, SandboxError, SandboxLimitError, StoreError
from honestly.records import (
    Agent,
    Checks,
    Edit,
    File,
    Hidden,
    Outcome,
    Preparation,
    Step,
    Suite,
    Task,
    ToolCall,
    Trajectory,
    Tree,
    Trial,
    digest,
)
from honestly.runner import LocalExecutor, Plan, Redo, default_jobs, run_plan, trials_at_once
from honestly.runner._redo import Breaker
from honestly.store import create_study
from instant import Instant, Priced


class Box:
    name = "memory"

    def __init__(self, tree):
        self.tree, self.full = tree, False

    async def snapshot(self):
        if self.full:
            raise SandboxLimitError("more than a sandbox hands out")
        return self.tree


@asynccontextmanager
async def held(tree, **_):
    yield Box(tree)


class Counting:
    """A store that counts how often it is written."""

    def __init__(self, study):
        self.study, self.adds = study, 0

    def __getattr__(self, name):
        return getattr(self.study, name)

    def add(self, items, every=200):
        self.adds += 1
        return self.study.add(items, every)


def suite_of(tasks):
    return Suite(name="s", version="1", tasks=tuple(Task(id=f"t{n}", instruction=f"Do {n}.") for n in range(tasks)))


def agent(name, act=None):
    async def nothing(_run, _box):
        pass

    return FunctionAgent(act or nothing, Agent(name=name))


def run(plan, study, jobs, **redo):
    return anyio.run(partial(run_plan, plan, study, LocalExecutor(held, jobs), redo=Redo(**redo)))


@pytest.mark.parametrize(
    ("order", "known"),
    [
        ({}, "e8410272dcf1dd31de8beb4eb8f2f322"),
        ({"question_by_question": True}, "b95302c99ad46dee63076978767c5b6b"),
        ({"question_by_question": True, "clusters": 3}, "a870ef7dafa332e40b0de295a534122e"),
    ],
)
def test_the_order_of_a_plan_is_what_it_always_was(order, known):
    """Studies of older programs go on in it, and with the same seeds."""
    if "clusters" in order:
        order = order | {"clusters": {f"t{n}": "abc"[n % 3] for n in range(30)}}
    plan = Plan(suite_of(30), [agent("a"), agent("b"), agent("c+x")], 4, 7, **order)
    said = [[t.id, t.task.id, t.actor.record.name, t.sample, t.seeds, t.agent_seed, t.check_seed] for t in plan.trials]
    assert digest(said) == known
    assert [plan.trials[n].id for n in (0, 200, -1)] == [said[n][0] for n in (0, 200, -1)]
    assert [t.id for t in plan.trials[100:120]] == [row[0] for row in said[100:120]]
    with pytest.raises(IndexError):
        plan.trials[360]


def test_a_large_plan_takes_no_memory_for_its_trials():
    suite = suite_of(1000)
    assert suite.hash
    tracemalloc.start()
    try:
        plan = Plan(suite, [agent("a"), agent("b")], 50)
        assert len(plan.trials) == 100_000
        assert len({planned.id for planned in islice(plan.trials, 3)} | {plan.trials[-1].id}) == 4
        assert sum(1 for _ in islice(plan.trials, 5000)) == 5000
        assert tracemalloc.get_traced_memory()[1] < 300_000, "3 bytes a trial"
    finally:
        tracemalloc.stop()


def test_trials_that_end_together_are_stored_together(tmp_path):
    begun, gates = Counter(), [anyio.Event() for _ in range(3)]

    async def act(_run, _box):
        at = begun.total() // 100
        begun["a"] += 1
        if not begun.total() % 100:
            gates[at].set()
        await gates[at].wait()

    with create_study(tmp_path / "s.honestly") as study:
        counting = Counting(study)
        state = run(Plan(suite_of(100), [agent("a", act)], 3), counting, 100, breaker=0)
        assert (state.void, state.missing) == (300, 0)
        assert len(study.trial_ids()) == 300
        assert counting.adds <= 1 + 300 / 10, "one is the plan's"


class Together(Instant):
    """An executor whose trials end all at one time; the steps of one cannot be stored."""

    @asynccontextmanager
    async def submit(self, trials):
        send, receive = anyio.create_memory_object_stream(100)
        call = ToolCall(id="c", name="bash", arguments={"command": msgspec.Raw(b"{")})
        async for result in self._each(trials):
            bad = Trajectory(steps=(Step(source="agent", calls=(call,)),))
            send.send_nowait(replace(result, trajectory=bad) if result.trial.task == "t5" else result)
        send.close()
        yield receive


def test_one_trial_that_cannot_be_stored_takes_no_other_with_it(tmp_path):
    with create_study(tmp_path / "s.honestly") as study:
        plan = Plan(suite_of(10), [Priced()], 1)
        with pytest.raises(StoreError, match="cannot be stored"):
            anyio.run(partial(run_plan, plan, study, Together(), redo=Redo(breaker=0)))
        assert {cell.task for cell in study.cells()} == {f"t{n}" for n in range(10)} - {"t5"}


@pytest.mark.parametrize("flying", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_dead_endpoint_among_many_in_flight_gives_its_agent_up_alone(tmp_path, flying):
    begun, gate = Counter(), anyio.Event()

    async def dead(_run, _box):
        begun["dead"] += 1
        if begun.total() == flying:
            gate.set()
        await gate.wait()
        raise ModelError("connection refused", transient=True)

    async def fine(_run, box):
        begun["fine"] += 1
        if begun.total() == flying:
            gate.set()
        await gate.wait()
        box.full = True  # it has failed: its trials are not void

    with create_study(tmp_path / "s.honestly") as study:
        plan = Plan(suite_of(flying), [agent("dead", dead), agent("fine", fine)], 3)
        state = run(plan, study, flying, waits_s=())
        assert state.given_up == {"dead": "ModelError: connection refused"}
        cells = Counter((cell.agent, cell.outcome) for cell in study.cells())
        assert cells == {("fine", Outcome.FAILED): 3 * flying, ("dead", Outcome.VOID): begun["dead"]}
        assert begun["dead"] < 2 * flying, "those in flight, and those that began before these were known"
        assert (state.done, state.missing) == (3 * flying, 3 * flying - begun["dead"])


def test_many_void_trials_are_each_tried_again_and_each_attempt_is_kept(tmp_path):
    seen = Counter()

    async def once_busy(run, _box):
        seen[run.task.id] += 1
        if seen[run.task.id] == 1:
            raise ModelError("busy", transient=True)

    with create_study(tmp_path / "s.honestly") as study:
        state = run(Plan(suite_of(60), [agent("a", once_busy)], 1), study, 60, breaker=0, waits_s=(0.05, 0.05))
        assert (state.redone, state.void, set(seen.values())) == (60, 60, {2})
        assert {len(cell.earlier) for cell in study.cells()} == {1}
        assert {cell.earlier[0].reason for cell in study.cells()} == {"ModelError: busy"}


def test_agents_that_wait_for_models_get_more_places_and_memory_bounds_them_all(tmp_path):
    asks, works = Agent(name="a", model="m"), Agent(name="b")
    cores, meminfo = os.cpu_count(), tmp_path / "meminfo"
    for free, waiting, working in (
        (64 << 20, 4 * cores, cores + 1),
        (3 << 19, min(3, 4 * cores), min(3, cores + 1)),
        (1, 1, 1),
    ):
        meminfo.write_text(f"MemTotal: 99 kB\nMemAvailable: {free} kB\n")
        found = [trials_at_once(agents, meminfo) for agents in ([asks, asks], [asks, works], [])]
        assert found == [waiting, working, working]
    meminfo.write_text(f"MemAvailable: {3 << 20} kB\n")
    large = Task(id="large", instruction="", preparation=Preparation(memory_mb=2048))
    assert trials_at_once([asks], meminfo, [large]) == 1 < trials_at_once([asks], meminfo)
    meminfo.unlink()
    assert trials_at_once([asks], meminfo) == 4 * cores, "a system that does not say"


def test_many_trials_at_once_are_judged_a_few_at_a_time(tmp_path):
    """Their checks would run into time limits otherwise; sandboxes of somebody's own are not bounded by this machine."""
    for provider in ("", "theirs:box"):
        boxes = Counter()

        @asynccontextmanager
        async def counted(tree, *, boxes=boxes, **_):
            agents_own = bool(tree.files)
            boxes["now"] += not agents_own
            boxes["most"] = max(boxes["most"], boxes["now"])
            await anyio.sleep(0.01)
            if not agents_own:
                boxes["now"] -= 1
                raise SandboxError("no tests can be run here")
            yield Box(Tree())

        tasks = tuple(
            Task(
                id=f"t{number}",
                instruction="Do.",
                workspace=Tree(files={"a": File(data=b"a")}),
                hidden=Hidden(
                    checks=Checks(runner="grader", files=Tree(files={"g.py": File(data=b"")}), expected=("x",)),
                    reference=Edit(),
                ),
            )
            for number in range(4 * default_jobs())
        )
        plan = Plan(Suite(name="s", version="1", tasks=tasks), [agent("a")], 1)
        with create_study(tmp_path / f"s{len(provider)}.honestly") as study:
            executor = LocalExecutor(counted, 4 * default_jobs(), provider=provider)
            anyio.run(partial(run_plan, plan, study, executor, redo=Redo(breaker=0, waits_s=())))
            assert {cell.reason for cell in study.cells()} == {"SandboxError: no tests can be run here"}
        assert (boxes["most"] > default_jobs()) == bool(provider)


def test_void_trials_without_end_are_not_remembered_one_by_one():
    """Where no agent is ever given up, or one is already."""
    for least in (0, 5):
        breaker = Breaker(least)
        tracemalloc.start()
        try:
            for n in range(2000):
                void = Trial(id=digest(n), agent="a", task="t", sample=n, outcome=Outcome.VOID, reason="down")
                breaker.note(void, n, n + 1)
            assert tracemalloc.get_traced_memory()[0] < 20_000
        finally:
            tracemalloc.stop()
        assert breaker.open == ({"a": "down"} if least else {})


@pytest.mark.slow
def test_a_trial_in_flight_takes_less_than_22_kb_beside_its_conversation():
    """The conversation stays in memory, since each request repeats all of it: docs/cluster.md."""
    bench = Path(__file__).parents[2] / "bench" / "overhead.py"

    def resident(flying, turn):
        command = [sys.executable, str(bench), "--one", "in_flight", str(flying), "20", str(turn)]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["resident"]

    bare, full = ((resident(1100, turn) - resident(100, turn)) / 1000 for turn in (0, 19))
    assert bare < 22_000
    assert (full - bare) / 19 < 3_000
