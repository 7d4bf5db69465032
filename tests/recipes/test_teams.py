"""Single, Ralph and a team as agents: their members, what they claim, and budgets that are really the same."""

from __future__ import annotations

import random
import re
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import AgentLimits, Honest, Run, Scaffold, agent_again, call_tokens, make_agent
from honestly.errors import AgentError
from honestly.models import Message, ScriptedModel, assistant_message, tool_call
from honestly.records import Checks, Step, Suite, Task, Tree, Usage
from honestly.runner import Planned, TrialResult, run_attempt
from honestly.sandbox import open_sandbox
from sampled import sampled

PAGE = Path(__file__).parents[2] / "docs" / "teams.md"
TESTS = Tree.of({"test_b.py": "import unittest, b\nclass T(unittest.TestCase):\n def test_b(self): assert b.x == 1\n"})
VISIBLE = Checks(runner="unittest", files=TESTS, expected=("test_b.T.test_b",))
TASK = Task(id="q", instruction="Make x 1.", workspace=Tree.of({"b.py": "x = 0\n"}).over(TESTS), visible=VISIBLE)
BARE = Task(id="bare", instruction="Make x 1.", workspace=TASK.workspace)
SUITE = Suite(name="s", version="1", tasks=(TASK,))
U = Usage(input_tokens=90, output_tokens=10, usd=0.01)
LOOPS = ("single", "ralph:iterations=3", "team:rounds=2")


def fix(value: int = 1) -> Message:
    return assistant_message("I set x.", tool_call("bash", command=f"echo x = {value} > b.py"), usage=U)


def done(left: str = "", outcome: str = "done") -> Message:
    return assistant_message("", tool_call("finish", outcome=outcome, summary="It works.", not_done=left), usage=U)


def matched(**budget: float) -> AgentLimits:
    (kind,) = budget
    return AgentLimits(turns=None, match=kind, **budget)  # type: ignore[arg-type]


def tried(spec: str, *turns: object, limits: AgentLimits = AgentLimits(), task: Task = TASK) -> TrialResult:
    agent = make_agent(spec, SUITE, ScriptedModel(turns), limits)  # type: ignore[arg-type]
    return anyio.run(run_attempt, Planned("t" * 32, task, agent, 0), open_sandbox)


def threads(found: TrialResult) -> list[str]:
    """Who spoke, each time that somebody else did."""
    spoke = [step.thread for step in found.trajectory.steps if step.model]
    return spoke[:1] + [after for before, after in pairwise(spoke) if after != before]


def left(found: TrialResult) -> str:
    return found.final.write.text("b.py") if "b.py" in found.final.write.files else "as it was"


def test_the_members_of_a_team_work_one_after_the_other_each_in_a_thread_of_its_own() -> None:
    found = tried("team:rounds=3", done(), fix(), done(), done(), done("x is no number"), *[done()] * 4)
    assert threads(found) == ["planner", "coder", "tester", "reviewer"] * 2
    assert (found.trajectory.stop, found.trial.claimed, left(found)) == ("done", True, "x = 1\n")
    told = {step.thread: step.message for step in found.trajectory.steps if step.source == "system"}
    assert len(set(told.values())) == len(told) == 4
    assert all(f"You are the {name}" in text for name, text in told.items())
    sent_back = [step for step in found.trajectory.steps if "sent the work back" in step.message]
    assert {step.thread for step in sent_back} == {"planner", "coder"}
    assert all("x is no number" in step.message for step in sent_back)


def test_what_the_reviewer_does_not_accept_is_not_claimed() -> None:
    found = tried("team:rounds=1", done(), fix(), done(), done(), done("no tests"))
    assert (found.trajectory.stop, found.trial.claimed) == ("cannot", False)


def test_a_member_that_says_nothing_does_not_stop_the_team() -> None:
    silent = [assistant_message("", usage=U)] * 3
    found = tried("team:rounds=1", done(), *silent, done(), done())
    assert threads(found) == ["planner", "coder", "tester", "reviewer"]
    assert any("The coder ended without a word." in step.message for step in found.trajectory.steps)
    assert found.trial.claimed is True
    nobody = tried("team:rounds=2", *silent * 8)
    assert (nobody.trial.claimed, nobody.trajectory.stop) == (None, "3 malformed replies in a row")


def test_ralph_begins_anew_each_time_and_ends_when_the_visible_tests_pass() -> None:
    note = assistant_message("I note.", tool_call("bash", command="echo x is in b.py >> RALPH_NOTES.md"), usage=U)
    found = tried("ralph:iterations=9", fix(2), note, done("half of it"), done(), fix(1), done())
    steps = found.trajectory.steps
    assert threads(found) == ["iteration-1", "iteration-2", "iteration-3"]
    ran = [step.message for step in steps if step.message.startswith("[The visible tests")]
    assert ["do not pass" in each for each in ran] == [True, False]
    first_told = [step for step in steps if step.source == "user"]
    assert ["AssertionError" in step.message for step in first_told] == [False, False, True]
    assert (found.trial.claimed, left(found)) == (True, "x = 1\n")
    assert list(found.final.write.files) == ["b.py"], "notes are no part of the work"


def test_tests_that_nothing_runs_in_the_sandbox_do_not_keep_ralph_going() -> None:
    absent = Checks(runner="script", files=TESTS, expected=("exit",), command=("no-such-program", "-v"))
    found = tried("ralph", done(), task=replace(TASK, visible=absent))
    assert (found.trial.claimed, threads(found)) == (True, ["iteration-1"])


@pytest.mark.slow
def test_ralph_that_never_gets_there_claims_nothing() -> None:
    found = tried("ralph:iterations=3", *[done()] * 3)
    assert threads(found) == ["iteration-1", "iteration-2", "iteration-3"]
    assert found.trial.claimed is False


@pytest.mark.parametrize("spec", LOOPS)
def test_whoever_says_done_at_once_spends_the_budget_all_the_same(spec: str) -> None:
    found = tried(spec, *[done()] * 99, limits=matched(tokens=2_000), task=BARE)
    assert sum(call_tokens(step) for step in found.trajectory.steps if step.model) == 2_000
    assert (found.trial.claimed, found.trajectory.stop) == (True, "done")


def test_what_counts_is_how_things_were_when_it_last_ended() -> None:
    for spec, before in (("single", 2), ("ralph", 2), ("team:rounds=1", 5)):
        begin = [done()] * (before - 2) if spec.startswith("team") else []
        begin = [begin[0], fix(), done(), done(), done()] if begin else [fix(), done()]
        found = tried(spec, *begin, *[fix(3)] * 9, limits=matched(tokens=100 * before + 300))
        assert left(found) == "x = 1\n", spec
        assert (found.trial.claimed, found.trajectory.stop) == (True, "done")
        assert "is used up" in found.trajectory.steps[-1].message


@pytest.mark.slow
def test_who_breaks_its_sandbox_afterwards_keeps_what_it_had() -> None:
    breaks = assistant_message(
        "Oh.", tool_call("bash", command="head -c 3000000000 /dev/zero > big; kill -9 -1; rm -rf *"), usage=U
    )
    found = tried("single", fix(), done(), *[breaks] * 9, limits=matched(tokens=500), task=BARE)
    assert (left(found), found.trial.claimed, found.trajectory.stop) == ("x = 1\n", True, "done")
    assert list(found.final.write.files) == ["b.py"]


def test_an_end_that_is_taken_back_counts_as_taken_back() -> None:
    found = tried("single", fix(), done(), fix(3), done(outcome="cannot"), *[fix(4)] * 9, limits=matched(tokens=600))
    assert (left(found), found.trial.claimed, found.trajectory.stop) == ("x = 3\n", False, "cannot")


@pytest.mark.parametrize("spec", sampled(LOOPS))
def test_a_budget_of_one_turn_is_one_turn(spec: str) -> None:
    found = tried(spec, *[fix()] * 5, limits=matched(tokens=1))
    assert sum(bool(step.model) for step in found.trajectory.steps) == 1
    assert (found.trajectory.stop, found.trial.claimed, left(found)) == ("limit: tokens", None, "x = 1\n")


def test_who_spends_nothing_ends_all_the_same() -> None:
    free = assistant_message(
        "",
        tool_call("finish", outcome="done", summary="It works."),
        usage=Usage(input_tokens=0, output_tokens=0, usd=0),
    )
    for limits in (matched(tokens=500), matched(usd=0.5)):
        found = tried("single", *[free] * 9, limits=limits)
        assert sum(bool(step.model) for step in found.trajectory.steps) == 1


class Falling:
    """A model that answers so many times, and never again."""

    name = "falling"

    def __init__(self, *turns: Message) -> None:
        self._turns = list(turns)

    async def __call__(self, messages: object, tools: object = (), settings: object = None) -> Message:
        if not self._turns:
            await anyio.sleep_forever()
        return self._turns.pop(0)


@pytest.mark.slow
def test_a_member_that_never_answers_ends_the_trial_with_its_time() -> None:
    short = replace(BARE, timeout_s=1.0)
    agent = make_agent("team", SUITE, Falling(done()))
    found = anyio.run(run_attempt, Planned("t" * 32, short, agent, 0), open_sandbox)
    assert (found.trajectory.stop, found.trial.claimed, threads(found)) == ("agent_timeout", None, ["planner"])
    agent = make_agent("single", SUITE, Falling(fix(), done(), fix(3)), matched(tokens=9_000))
    found = anyio.run(run_attempt, Planned("t" * 32, short, agent, 0), open_sandbox)
    assert (found.trajectory.stop, found.trial.claimed, left(found)) == ("agent_timeout", True, "x = 1\n")


def test_a_budget_in_dollars_needs_a_price() -> None:
    unpriced = assistant_message(
        "", tool_call("finish", outcome="done", summary="."), usage=Usage(input_tokens=9, output_tokens=1)
    )
    found = tried("team", *[unpriced] * 9, limits=matched(usd=1.0))
    assert found.trial.outcome == "void"
    assert "the price of 'script' is not known" in found.trial.reason


def test_only_who_can_go_on_is_matched() -> None:
    model = ScriptedModel([done()])
    for spec, trouble in (("honest", "stops when it likes"), ("single:max-turns=9", "its own limits")):
        with pytest.raises(AgentError, match=trouble):
            make_agent(spec, SUITE, model, matched(tokens=100))
    with pytest.raises(AgentError, match="no setting 'rouds'"):
        make_agent("team:rouds=2", SUITE, model)
    with pytest.raises(AgentError, match="stops when it likes"):
        Honest(model, limits=matched(tokens=100))
    assert make_agent("honest:scaffold='team:rounds=3'", SUITE, model, matched(tokens=100)).record.settings["match"]


def test_the_budget_and_the_loop_identify_an_agent_which_can_be_made_again() -> None:
    model = ScriptedModel([done()])
    for spec in LOOPS:
        agent = make_agent(spec, SUITE, model, matched(usd=0.5))
        assert agent.record.settings["match"] == "usd"
        assert "max_turns" not in agent.record.settings
        assert agent.record.settings["scaffold"] == spec
        assert agent_again(agent.record, model).record == agent.record
        assert make_agent(spec, SUITE, model).record.hash != agent.record.hash


class Dice:
    """A model whose answers and their costs are thrown."""

    name = "dice"

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    async def __call__(self, messages: object, tools: object = (), settings: object = None) -> Message:
        usage = Usage(input_tokens=self._dice.randint(1, 900), output_tokens=self._dice.randint(0, 99))
        cost = Usage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, usd=self._dice.random() / 50)
        end = self._dice.choice(("done", "done", "cannot", "asks"))
        finish = tool_call("finish", outcome=end, summary="s", not_done=self._dice.choice(("", "", "more")))
        turns = (
            assistant_message("", tool_call("nothing"), usage=cost),
            assistant_message("", usage=cost),
            assistant_message("Hm.", usage=cost),
        )
        return assistant_message("", finish, usage=cost) if self._dice.random() < 0.5 else self._dice.choice(turns)


async def spent(agent: Honest, box: object, seed: int) -> list[Step]:
    run = Run(task=BARE, seed=seed)
    await agent(run, box)  # type: ignore[arg-type]
    return [step for step in run.steps if step.model]


@pytest.mark.parametrize(("kind", "pairs"), sampled([("tokens", 10), ("tokens", 200), ("usd", 200)]))
def test_in_200_pairs_the_spent_budgets_differ_by_less_than_a_turn(kind: str, pairs: int) -> None:
    limits = matched(**{kind: {"tokens": 4_000, "usd": 0.1}[kind]})

    def cost(step: Step) -> float:
        return call_tokens(step) if kind == "tokens" else step.usage.usd or 0.0

    async def all_pairs() -> None:
        async with open_sandbox(TASK.workspace) as box:
            for seed, other in product(range(pairs // 2), LOOPS[1:]):
                agents = [
                    make_agent(spec, SUITE, Dice(2 * seed + at), limits) for at, spec in enumerate((LOOPS[0], other))
                ]
                first, second = [await spent(agent, box, seed) for agent in agents]  # type: ignore[arg-type]
                gap = abs(sum(map(cost, first)) - sum(map(cost, second)))
                assert gap < max(map(cost, (*first, *second))), (seed, other)

    anyio.run(all_pairs)


def test_the_loop_of_the_docs_works_and_can_be_matched() -> None:
    (text,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(compile(text, "teams.md", "exec"), names)
    agent = Honest(ScriptedModel([fix(), done(), done("x"), *[done()] * 9]), scaffold=Scaffold.of(names["pair"]))
    found = anyio.run(run_attempt, Planned("t" * 32, BARE, agent, 0), open_sandbox)
    assert threads(found) == ["writer", "critic", "writer", "critic", "writer"]
    assert (found.trial.claimed, left(found)) == (True, "x = 1\n")
    assert agent.scaffold is not None
    assert agent.scaffold.goes_on
