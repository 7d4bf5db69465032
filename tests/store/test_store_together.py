"""Several runners at work on one study in a real PostgreSQL: what they may spend together."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from threading import Thread

import anyio
import pytest
from postgres_study import sql

from honestly.records import Conditions, Edit, Outcome, Tree, Trial, Usage
from honestly.runner import Oversight, Plan, Redo, TrialResult, _spending, read_study_budget, run_plan
from honestly.store import ClaimResult, open_or_create, open_study
from honestly.tasks import load_suite
from instant import Priced

TASKS = load_suite("embedded", only=["split-bill", "stock-holds", "config-layers"])
PLAN = Plan(TASKS, [Priced()], 8)


async def first_of(trials, most):
    """So many of them, or all that are left."""
    for _ in range(most):
        try:
            yield await anext(trials)
        except StopAsyncIteration:
            return


class Several:
    """An executor with some trials in flight at a time, which end together and have cost something."""

    def __init__(self, jobs: int, outcome: Outcome = Outcome.PASSED) -> None:
        self.jobs, self.outcome, self.began = jobs, outcome, 0

    @asynccontextmanager
    async def submit(self, trials):
        yield self._each(trials)

    async def _each(self, trials):
        while flying := [each async for each in first_of(trials, self.jobs)]:
            self.began += len(flying)
            await anyio.sleep(0.05)
            for planned in flying:
                trial = Trial(
                    id=planned.id, agent=planned.actor.record.name, task=planned.task.id, sample=planned.sample,
                    outcome=self.outcome, usage=Usage(usd=1.0, input_tokens=100), seconds=0.05,
                    started_at=datetime.now(UTC).isoformat(),
                )  # fmt: skip
                yield TrialResult(trial, None, Edit.between(Tree(), Tree()), Conditions())


def together(address: str, budget: str, *executors: Several) -> list:
    """Runs the plan with all of them at the same time, each with a store of its own; how each ended."""
    ended = []

    async def one(executor: Several) -> None:
        with open_or_create(address) as study:
            over = Oversight(read_study_budget(budget))
            ended.append(await run_plan(PLAN, study, executor, redo=Redo(waits_s=()), oversight=over))

    async def all_of_them() -> None:
        async with anyio.create_task_group() as group:
            for executor in executors:
                group.start_soon(one, executor)

    anyio.run(all_of_them)
    return ended


def test_runners_begin_no_more_trials_together_than_the_budget_says(address):
    executors = Several(3), Several(2)
    ended = together(address, "10 trials", *executors)
    assert sum(each.began for each in executors) == 10
    assert all(each.began for each in executors)
    assert all("10 trials have started" in state.stopped for state in ended)
    with open_study(address) as study:
        assert len(study.cells()) == 10
    more = together(address, "13 trials", *executors)
    assert sum(each.began for each in executors) == 13
    assert max(state.done for state in more) == 13


def test_a_void_trial_done_again_is_no_further_one_whoever_does_it(address):
    together(address, "4 trials", Several(2, Outcome.VOID), Several(2, Outcome.VOID))
    again = Several(2), Several(2)
    together(address, "4 trials", *again)
    assert sum(each.began for each in again) == 4
    with open_study(address) as study:
        assert [len(trial.earlier) for trial in study.trials()] == [1] * 4


@pytest.mark.parametrize("budget", ["8 usd", "800 tokens"])
def test_what_the_others_spend_counts(address, budget, monkeypatch):
    monkeypatch.setattr(_spending, "_EVERY_S", 0.0)
    monkeypatch.setattr(_spending, "_SHARE", 0.0)
    executors = Several(1), Several(1)
    ended = together(address, budget, *executors)
    assert sum(each.began for each in executors) in (8, 9)  # one may be in flight elsewhere
    assert all("spent" in state.stopped for state in ended)


def test_time_before_this_run_counts_and_nothing_twice(address, make, monkeypatch):
    monkeypatch.setattr(_spending, "_EVERY_S", 0.0)
    monkeypatch.setattr(_spending, "_SHARE", 0.0)

    began = datetime.now(UTC)

    def trial(sample: int, before: float, seconds: float, **changes: object) -> Trial:
        start = began - timedelta(seconds=before)
        cost = Usage(usd=1.0)
        return make.trial(
            0, 0, sample, outcome=Outcome.VOID, usage=cost, seconds=seconds, started_at=start.isoformat(), **changes
        )

    with open_or_create(address) as mine, open_or_create(address) as other:
        other.add([*make.agents, *make.tasks])
        other.add_trial(trial(0, 100, 10))
        account = _spending.Account(mine, 0.0)
        assert (account.now(0.0).trials, account.now(0.0).usd) == (1, 1.0)
        assert account.now(5.0).seconds == pytest.approx(15, abs=1)
        other.add_trial(trial(1, 95, 10))  # which ran already when this run began
        other.redo_trial(trial(0, 50, 3))
        account.begin(new=True)
        mine.add_trial(own := trial(2, 1, 1))
        account.end(own)
        mine.redo_trial(own)
        account.end(own)
        account.read_stored()
        spent = account.now(6.0)
        assert (spent.trials, spent.usd) == (3, 5.0)
        assert spent.seconds == pytest.approx(6 + 15 + 3, abs=1)
        looked = account._generation
        mine.add_trial(trial(3, 1, 1))
        account.read_stored()
        assert account._generation == looked, "what this run wrote is no news"


@pytest.mark.slow
def test_a_claim_counts_until_its_runner_is_gone_or_its_trial_is_stored(server, address, make):
    trials = [make.trial(0, 0, sample) for sample in range(4)]
    first, second = open_or_create(address), open_or_create(address)
    first.add([*make.agents, *make.tasks])
    assert first.claim("rule", 0) is ClaimResult.OURS, "which is no trial"
    assert [first.claim(trial.id, 0, 2) for trial in trials[:3]] == [
        ClaimResult.OURS,
        ClaimResult.OURS,
        ClaimResult.FULL,
    ]
    assert second.claim(trials[0].id, 0, 2) is ClaimResult.ELSEWHERE
    assert second.claim(trials[2].id, 0, 2) is ClaimResult.FULL
    first.add_trial(trials[0])
    assert second.claim(trials[2].id, 0, 2) is ClaimResult.FULL
    server.stop("immediate")
    assert second.claim(trials[2].id, 0, 3) is ClaimResult.LATER, "nobody can count"
    server.start()
    time.sleep(1)  # until it is asked again
    assert first.cells(), "a connection that was cut is made anew"
    assert second.claim(trials[2].id, 0, 2) is ClaimResult.FULL, "a crash forgets no claim"
    first.close()
    assert second.claim(trials[2].id, 0, 2) is ClaimResult.OURS
    second.add_trial(trials[2])
    assert second.claim(trials[3].id, 0, 3) is ClaimResult.OURS
    assert sql(address, "SELECT trial FROM claims") == [(trials[3].id,)], "of what is stored nobody needs it"
    sql(address, "UPDATE trials SET number = 50 WHERE number = 2")  # numbers may have gaps
    assert second.claim(trials[1].id, 0, 4) is ClaimResult.OURS
    second.close()


@pytest.mark.slow
def test_a_run_waits_for_its_database_where_it_cannot_count(server, address, caplog, monkeypatch):
    monkeypatch.setattr("honestly.runner._queue._AWAY_S", 0.2)

    class Restarting(Several):
        async def _each(self, trials):
            async for each in super()._each(trials):
                if self.began == 2:
                    server.stop("immediate")
                    back.start()
                yield each

    def come_back():
        while said not in caplog.text:
            time.sleep(0.05)
        server.start()

    said, back = "no trial begins until the database of the study is back", Thread(target=come_back, daemon=True)
    executor = Restarting(1)
    (ended,) = together(address, "5 trials", executor)
    back.join()
    assert (executor.began, ended.done) == (5, 5)
    assert caplog.text.count(said) == 1
    with open_study(address) as study:
        assert len(study.cells()) == 5
