"""What `--on` may name, and what of a run holds where its trials run elsewhere; on real clusters, test_ray.py shows it."""

import importlib.util
import pickle
from dataclasses import replace

import anyio
import pytest

from honestly.agents import make_agent, make_agents
from honestly.errors import HonestlyError, ModelError
from honestly.models import RetryModel, make_model
from honestly.records import Outcome, encode
from honestly.runner import LOST, Plan, RayOptions, Redo, read_on, run_plan
from honestly.runner._execute import in_parallel
from honestly.runner._ray import lost_attempt
from honestly.store import create_study
from honestly.studies import Execution, carry_out
from honestly.tasks import load_suite

SUITE = load_suite("embedded", only=["split-bill", "stock-holds"])


def test_what_on_names():
    assert read_on("") is read_on("local") is None
    assert read_on("ray") == RayOptions()
    assert read_on("ray://head:10001") == RayOptions(address="ray://head:10001")
    assert read_on("ray:address=ray://head:10001,cpus=.25,memory-mb=900,env=A_KEY+B") == RayOptions(
        address="ray://head:10001", cpus=0.25, memory_mb=900, env=("A_KEY", "B")
    )


@pytest.mark.parametrize(
    ("typed", "trouble"),
    [
        ("rya", "did you mean 'ray'.*expected local, ray"),
        ("local:cpus=1", "expected local, ray"),
        ("ray:cpu=1", "no setting 'cpu' .did you mean 'cpus'"),
        ("ray:cpus=0", "'cpus' of --on ray is '0'"),
        ("ray:memory-mb=1.5", "'memory-mb' of --on ray is '1.5'"),
        ("somewhere:8000", "expected local, ray"),
    ],
)
def test_what_it_cannot_be(typed, trouble):
    with pytest.raises(HonestlyError, match=trouble):
        read_on(typed)


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed here")
def test_without_ray_it_says_what_to_install(tmp_path):
    plan = Plan(SUITE, make_agents(["nop"], SUITE), 1)
    with create_study(tmp_path / "s.honestly") as study, pytest.raises(HonestlyError, match=r"'honestly\[ray\]'"):
        anyio.run(carry_out, plan, study, Execution(on="ray"))


def test_a_task_is_the_same_where_it_arrives():
    """Its hash too: defaults are left out of it, also where they have come a long way."""
    for task in SUITE.tasks:
        there = pickle.loads(pickle.dumps(task))
        assert there == task
        assert encode(there) == encode(task)
        assert there.hash == task.hash


def test_agents_arrive_as_they_were_and_their_keys_do_not(monkeypatch):
    monkeypatch.setenv("HONESTLY_MODEL_KEY", "sk-not-for-travelling")
    model = RetryModel(make_model("http://127.0.0.1:1/v1#small"))
    agents = [make_agent("honest:temperature=0.5", SUITE, model), make_agent("special-case", SUITE)]
    sent = [pickle.dumps(agent) for agent in agents]
    assert not any(b"sk-not" in each for each in sent)
    assert [pickle.loads(each).record for each in sent] == [agent.record for agent in agents]
    there = pickle.loads(pickle.dumps(model._model))
    assert there._endpoint.secrets == ("sk-not-for-travelling",)
    monkeypatch.delenv("HONESTLY_MODEL_KEY")
    with pytest.raises(ModelError, match="set HONESTLY_MODEL_KEY there, because keys are not sent"):
        pickle.loads(sent[0])
    bare = make_model("http://127.0.0.1:1/v1#small")
    assert pickle.loads(pickle.dumps(bare)).name == bare.name


class Mortal:
    """An executor whose workers die with the first trials that they are given, of one agent."""

    def __init__(self, deaths, once=True):
        self.deaths, self.once, self.seen = deaths, once, []

    def submit(self, trials):
        return in_parallel(trials, 1, self._one)

    async def _one(self, planned):
        self.seen.append(planned.id)
        dies = len(self.seen) <= self.deaths
        return (
            lost_attempt(planned, "", OSError("killed"), again=self.once and self.seen.count(planned.id) == 1)
            if dies
            else done(planned)
        )


def done(planned):
    lost = lost_attempt(planned, "", OSError(), again=False)
    trial = lost.trial.__class__(
        id=planned.id, agent=lost.trial.agent, task=planned.task.id, sample=planned.sample, outcome=Outcome.FAILED
    )
    return replace(lost, trial=trial, lost=False)


def test_lost_trials_begin_once_more_and_give_no_agent_up(tmp_path):
    plan, executor = Plan(SUITE, make_agents(["nop"], SUITE), 4), Mortal(8)
    with create_study(tmp_path / "s.honestly") as study:
        state = anyio.run(lambda: run_plan(plan, study, executor, redo=Redo(waits_s=(0.3, 0.3), breaker=3)))
        trials = study.trials()
        assert (state.done, state.redone, dict(state.given_up)) == (8, 8, {})
        assert all([a.reason.startswith(LOST) for a in trial.earlier] == [True] for trial in trials)
        assert study.facts().sandbox == "unknown"  # of those that ended; nobody says how they were isolated


def test_what_is_lost_twice_stays_void_and_in_the_end_gives_its_agent_up(tmp_path):
    plan, executor = Plan(SUITE, make_agents(["nop"], SUITE), 4), Mortal(100)
    with create_study(tmp_path / "s.honestly") as study:
        state = anyio.run(lambda: run_plan(plan, study, executor, redo=Redo(waits_s=(0.01,) * 5, breaker=3)))
        assert (state.done, state.void + state.missing) == (0, 8)
        assert list(state.given_up) == ["nop"]
        assert max(executor.seen.count(name) for name in executor.seen) == 2
