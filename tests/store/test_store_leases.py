"""Claims of runners that share a database: kept through cut connections and crashes, lost by who says nothing, on record."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from functools import partial

import anyio
import anyio.to_thread
import pytest
from msgspec.structs import replace
from postgres_study import sql
from test_store_together import Several

from distant import distant
from honestly.errors import StoreError
from honestly.records import Outcome, Usage
from honestly.runner import Plan, Redo, _spending, run_plan
from honestly.store import ClaimResult, _claims, open_or_create, open_study, process_name
from honestly.tasks import load_suite
from instant import Flying, Priced

TASKS = load_suite("embedded", only=["split-bill", "stock-holds", "config-layers"])
OURS, ELSEWHERE = ClaimResult.OURS, ClaimResult.ELSEWHERE


def begun(address, make):
    study = open_or_create(address)
    study.add([*make.agents, *make.tasks])
    return study


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(_claims, "_BEAT_S", 0.1)
    monkeypatch.setattr(_claims, "_MISSED", 4)


def test_a_connection_that_the_server_closes_loses_no_claim_and_begins_nothing_twice(address, make):
    first, second = begun(address, make), open_or_create(address)
    trials = [make.trial(0, 0, sample) for sample in range(3)]
    assert first.claim(trials[0].id, 0) is OURS
    assert second.claim(trials[1].id, 0) is OURS
    sql(address, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'honestly'")
    time.sleep(0.2)
    assert second.claim(trials[0].id, 0) is ELSEWHERE
    assert first.claim(trials[1].id, 0) is ELSEWHERE
    assert first.claim(trials[2].id, 0) is OURS
    first.add_trial(trials[0])
    assert first.waiting == 0
    first.close()
    second.close()


@pytest.mark.slow
def test_a_crash_of_the_server_loses_no_claim(server, address, make):
    first, second = begun(address, make), open_or_create(address)
    trials = [make.trial(0, 0, sample) for sample in range(2)]
    assert (first.claim(trials[0].id, 0), second.claim(trials[1].id, 0)) == (OURS, OURS)
    second._claims._beat(second._last)  # sees that another runner is at work
    server.kill()
    assert second.claim(trials[0].id, 0) is ClaimResult.LATER, "nobody knows who has it"
    server.start()
    time.sleep(1.2)  # until it is asked again
    assert second.claim(trials[0].id, 0) is ELSEWHERE
    first.close()
    second.close()


@pytest.mark.slow
def test_what_another_runner_did_before_it_ended_is_not_done_again_in_a_crash(server, address, make):
    first, second = begun(address, make), open_or_create(address)
    trials = [make.trial(0, 0, sample) for sample in range(2)]
    assert (first.claim(trials[0].id, 0), second.claim(trials[1].id, 0)) == (OURS, OURS)
    first._claims._beat(first._last)
    second.add_trial(trials[1])
    second.close()
    first._claims._beat(first._last)  # sees that nobody else is at work
    server.kill()
    assert first.claim(trials[1].id, 0) is ClaimResult.LATER, "nobody knows whether it is done"
    server.start()
    time.sleep(1.2)
    assert first.claim(trials[1].id, 0) is not OURS
    first.close()


def test_who_says_nothing_is_given_up_and_what_it_did_is_on_record(address, make, quick, caplog):
    first, second = begun(address, make), open_or_create(address)
    trial = make.trial(usage=Usage(usd=2.0, input_tokens=10), started_at="2026-01-01T00:00:00+00:00", seconds=9.0)
    other = replace(trial, usage=Usage(usd=3.0), started_at="2026-01-01T00:00:05+00:00", outcome=Outcome.FAILED)
    assert first.claim(trial.id, 0) is OURS
    first._claims.stop_beating()  # as one does that is frozen
    until = time.monotonic() + 60
    assert second.claim(make.trial(1, 1, 1).id, 0) is OURS
    assert second.claim(trial.id, 0) is ELSEWHERE
    while second.claim(trial.id, 0) is not OURS:
        assert time.monotonic() < until
        time.sleep(0.1)
    second.add_trial(trial)
    first.add_trial(other, make.trajectory(2), {"log": b"mine"})
    assert first.lost == 1
    assert "done by another runner of the study, too" in caplog.text
    with open_study(address) as study:
        held = study.trial(trial.id)
        (lost,) = held.earlier
        assert (held.outcome, held.attempts, study.attempts(trial.id)) == (trial.outcome, 1, 1)
        assert (lost.elsewhere, lost.outcome, lost.usage.usd) == (True, Outcome.VOID, 3.0)
        assert "ended as failed" in lost.reason
        assert study.artifact(trial.id, "earlier/1/log") == b"mine"
        assert _spending.spent_on([held]).usd == 5.0
        assert study.cells()[0].attempts == 1
    assert first.note_lost(other) is False, "it is on record"
    first.close()
    second.close()


def test_a_runner_that_dies_between_two_beats_leaves_its_trials_at_once(address, make):
    first, second = begun(address, make), open_or_create(address)
    trials = [make.trial(0, 0, sample) for sample in range(2)]
    assert (first.claim(trials[0].id, 0), second.claim(trials[1].id, 0)) == (OURS, OURS)
    assert second.claim(trials[0].id, 0) is ELSEWHERE
    with subprocess.Popen(["sleep", "60"]) as process:
        name = f"{process_name(process.pid)} {_claims._pid_namespace()}"
        process.kill()
    sql(address, "UPDATE runners SET process = %s WHERE runner = %s", name, first._claims._runner)
    assert second.claim(trials[0].id, 0) is OURS
    first.close()
    second.close()


def test_a_trial_takes_three_round_trips(server, address, make, state):
    trials = [make.trial(0, 0, sample) for sample in range(12)]
    with distant(server.port, 0.0) as distance:
        far = address.replace(str(server.port), str(distance.port))
        with begun(far, make) as study:
            study.claim(trials[0].id, 0)
            study.add_trial(trials[0])
            study._claims.stop_beating()
            before = distance.trips
            for trial in trials[1:]:
                assert study.claim(trial.id, 0) is OURS
                study.add_trial(trial, make.trajectory(20), {"log": b"x" * 100, "final.json": b"{}"})
            assert (distance.trips - before) / 11 <= 3
    with open_study(address) as study:
        assert len(study.trial_ids()) == 12


def test_trials_that_fly_together_share_their_round_trips(server, address, state):
    plan = Plan(TASKS, [Priced()], 24)
    with distant(server.port, 0.02) as distance:
        far = address.replace(str(server.port), str(distance.port))
        with open_or_create(far) as study:
            before = distance.trips
            assert anyio.run(partial(run_plan, plan, study, Flying(24, 0.3), redo=Redo(waits_s=()))).done == 72
            assert distance.trips - before < 108, "each alone would take 216"
    with open_study(address) as study:
        assert len(study.trial_ids()) == 72


def test_runners_that_ask_for_the_same_trials_share_them_out(address, make):
    first, second = begun(address, make), open_or_create(address)
    trials = [make.trial(0, 0, sample) for sample in range(6)]
    names = [trial.id for trial in trials]
    assert first.claim_all({names[4]: 0, names[1]: 0, names[0]: 1}) == [OURS, OURS, ELSEWHERE], "0 has no attempt"
    assert second.claim_all(dict.fromkeys(names, 0)) == [ELSEWHERE, ELSEWHERE, OURS, OURS, ELSEWHERE, OURS]
    second.add([(trials[2], None, {"log": b"2"}), (trials[3], None, {"log": b"3", "more": b""})])
    with open_study(address, mode="write") as other, pytest.raises(StoreError, match="is not new"):
        other.add([(trials[5], None, {}), (trials[3], None, {})])
    second.add([(trials[5], make.trajectory(2), {"log": b"5"})])
    second.close()
    assert first.claim_all({names[2]: 0, names[0]: 0, names[5]: 1}) == [ELSEWHERE, OURS, OURS]
    first.close()
    with open_study(address) as study:
        assert [study.artifact(names[at], "log") for at in (2, 3, 5)] == [b"2", b"3", b"5"]


@pytest.mark.slow
@pytest.mark.parametrize(("runners", "trials"), [(2, 60), (10, 300)])
def test_runners_begin_no_trial_twice_though_the_server_crashes_and_cuts_connections(
    server, address, quick, runners, trials
):
    """Each with two trials in flight."""
    plan = Plan(TASKS, [Priced()], trials // 3)
    executors = [Several(2) for _ in range(runners)]
    ended = []

    def disturb():
        for _ in range(2):
            time.sleep(1.0)
            with suppress(Exception):
                sql(
                    address,
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'honestly'",
                )
        server.kill()
        time.sleep(2.0)
        server.start()

    async def one(executor):
        with open_or_create(address) as study:
            ended.append(await run_plan(plan, study, executor, redo=Redo(waits_s=())))

    async def both():
        async with anyio.create_task_group() as group:
            for executor in executors:
                group.start_soon(one, executor)
            await anyio.to_thread.run_sync(disturb)

    anyio.run(both)
    with open_study(address) as study:
        done = list(study.trials())
    assert len(done) == trials
    twice = sum(each.elsewhere for trial in done for each in trial.earlier)
    assert sum(executor.began for executor in executors) == trials + twice, "none that is not on record"
    assert twice <= runners, "those that were being begun when it crashed"
