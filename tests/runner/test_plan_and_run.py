"""Planning is pure, running fills what is missing, and whatever goes wrong in a trial is data."""

import itertools
from contextlib import asynccontextmanager
from dataclasses import replace as replace_dataclass
from functools import partial

import anyio
import msgspec
import pytest
from msgspec.structs import replace

from honestly.agents import Run, make_agent
from honestly.errors import AgentError, SandboxError, SandboxUnavailableError, StoreError
from honestly.leaderboards import leaderboard
from honestly.records import Agent, DeclaredRule, Outcome, Step, StudyFacts, Suite, Task, Trial
from honestly.runner import LocalExecutor, Plan, Until, as_declared, rule_for, rule_until, run_attempt, run_plan
from honestly.sandbox import Limits, isolation_layers, open_sandbox
from honestly.store import create_study
from honestly.tasks import clusters_of, load_suite
from shipped import shipped_suite

SUITE = load_suite("embedded", only=["split-bill", "stock-holds"])
LAYERS = tuple(layer.name for layer in isolation_layers().layers if layer.present)


def plan_of(*specs, samples=2, seed=0, suite=SUITE):
    return Plan(suite, [make_agent(spec, suite) for spec in specs], samples, seed)


def run(plan, study, **kwargs):
    return anyio.run(lambda: run_plan(plan, study, LocalExecutor(open_sandbox, 2), **kwargs))


def test_a_plan_is_the_same_wherever_it_is_made():
    plan = plan_of("honest", "nop", samples=3)
    assert [t.id for t in plan.trials] == [t.id for t in plan_of("honest", "nop", samples=3).trials]
    assert len({t.id for t in plan.trials}) == len(plan.trials) == 2 * 2 * 3
    assert {t.id for t in plan.trials}.isdisjoint(t.id for t in plan_of("honest", "nop", seed=1).trials)
    assert [t.id for t in plan.trials[:8]] == [t.id for t in plan_of("honest", "nop", samples=2).trials]


def test_rounds_come_one_after_the_other_in_random_order():
    trials = plan_of("honest", "nop", "oracle", samples=3).trials
    assert [t.sample for t in trials] == sorted(t.sample for t in trials)
    rounds = [[(t.task.id, t.actor.record.name) for t in trials if t.sample == k] for k in range(3)]
    assert rounds[0] != rounds[1]
    assert sorted(rounds[0]) == sorted(rounds[1])


def test_what_cannot_be_planned_is_refused():
    with pytest.raises(AgentError, match="two agents are called nop"):
        plan_of("nop", "nop")
    with pytest.raises(AgentError, match="at least 1"):
        plan_of("nop", samples=0)


@pytest.mark.slow
def test_a_second_run_repeats_nothing_and_a_larger_one_adds(tmp_path):
    with create_study(tmp_path / "s.honestly") as study:
        first = run(plan_of("oracle", "nop", samples=1), study)
        assert (first.done, first.total, first.void) == (4, 4, 0)
        before = {trial.id: trial for trial in study.trials()}
        seen = []
        again = run(plan_of("oracle", "nop", samples=1), study, progress=seen.append)
        assert again.done == 4
        assert len(seen) == 1
        run(plan_of("oracle", "nop", "special-case", samples=2), study)
        after = {trial.id: trial for trial in study.trials()}
        assert len(after) == 12
        assert all(after[key] == trial for key, trial in before.items())
        assert study.facts().samples == 2
        assert {agent.name for agent in study.agents()} == {"oracle", "nop", "special-case"}


@pytest.mark.slow
def test_a_study_carries_its_conditions_whoever_runs_it(tmp_path):
    """From Python, with and without walls, and after trials of which nobody recorded anything."""
    with create_study(tmp_path / "s.honestly") as study:
        run(plan_of("oracle", samples=1), study)
        facts = study.facts()
        (there,) = facts.ran
        assert all([there.program, there.kernel, there.python, there.processors]), there
        (isolation,) = study.isolations()
        assert (facts.sandbox, facts.sandbox_layers) == (isolation.kind, isolation.layers) == ("namespaces", LAYERS)
        assert isolation.memory_mb == Limits().memory_mb
        assert leaderboard(study).isolation == {"namespaces": 2}
        assert not any("sandbox" in warning for warning in leaderboard(study).warnings)
        bare = LocalExecutor(partial(open_sandbox, unsafe=True), 2)
        anyio.run(run_plan, plan_of("oracle", "nop", samples=1), study, bare)
        assert study.facts().ran == facts.ran, "it is the same machine"
        assert (study.facts().sandbox, study.facts().sandbox_layers) == ("none", ())
        board = leaderboard(study)
        assert board.isolation == {"namespaces": 2, "none": 2}
        assert board.warnings[0].startswith("2 of 4 trials ran without a sandbox")
        run(plan_of("oracle", "nop", "special-case", samples=1), study)
        assert study.facts().sandbox == "none", "what was weak once stays on record"


@pytest.mark.slow
def test_walls_are_not_believed_of_a_sandbox_that_is_not_ours(tmp_path):
    class Theirs:
        def __init__(self, box, name):
            self._box, self.name = box, name

        def __getattr__(self, name):
            return getattr(self._box, name)

    @asynccontextmanager
    async def opened(tree, *, name, **kwargs):
        async with open_sandbox(tree, **kwargs) as box:
            yield Theirs(box, name)

    with create_study(tmp_path / "s.honestly") as study:
        for samples, name in enumerate(("namespaces", "none"), 1):
            executor = LocalExecutor(partial(opened, name=name), 2, provider=f"theirs:{name}")
            anyio.run(run_plan, plan_of("oracle", samples=samples), study, executor)
        found = {(one.kind, one.provider, one.layers) for one in study.isolations()}
        assert found == {("namespaces", "theirs:namespaces", None), ("none", "theirs:none", None)}
        assert study.facts().sandbox_layers == ()


def test_trials_of_unknown_conditions_do_not_become_safe_by_later_ones(tmp_path):
    with create_study(tmp_path / "s.honestly") as study:
        plan = plan_of("nop", samples=1)
        planned = plan.trials[0]
        study.add([*SUITE.tasks, *(actor.record for actor in plan.actors)])
        study.set_facts(StudyFacts(suite=SUITE.name, suite_hash=SUITE.hash, seed=0))
        study.add_trial(Trial(id=planned.id, agent="nop", task=planned.task.id, sample=0, outcome=Outcome.FAILED))
        assert run(plan, study).done == 2
        assert study.facts().sandbox == "unknown"
        board = leaderboard(study)
        assert board.isolation == {"namespaces": 1, "unknown": 1}
        assert board.warnings[0].startswith("1 of 2 trials may have run without a sandbox")


def test_a_study_of_another_seed_is_not_continued_and_fewer_tasks_are_no_other_suite(tmp_path):
    with create_study(tmp_path / "s.honestly") as study:
        run(plan_of("nop", samples=1), study)
        with pytest.raises(StoreError, match="started with seed 0, but 1"):
            run(plan_of("nop", samples=1, seed=1), study)
        assert run(plan_of("nop", samples=1, suite=replace(SUITE, tasks=SUITE.tasks[:1])), study).done == 1
        with pytest.raises(StoreError, match="started with suite "):
            run(plan_of("nop", samples=1, suite=replace(SUITE, name="other")), study)
        study.set_facts(replace(study.facts(), registration="what was promised"))
        with pytest.raises(StoreError, match="started with suite_hash"):
            run(plan_of("nop", samples=1, suite=replace(SUITE, tasks=SUITE.tasks[:1])), study)
        assert len(study.trial_ids()) == 2


@pytest.mark.slow
def test_a_run_that_died_while_it_wrote_its_plan_can_be_resumed(tmp_path):
    with create_study(tmp_path / "s.honestly") as study:
        study.set_facts(replace(study.facts(), suite=SUITE.name))
        assert run(plan_of("nop", samples=1), study).done == 2


class Scripted:
    """An agent made of one function."""

    def __init__(self, act):
        self.act = act
        self.record = Agent(name="scripted")

    async def __call__(self, run: Run, box) -> None:
        await self.act(run, box)


def attempted(act, task=SUITE.tasks[0], open_box=open_sandbox):
    plan = Plan(replace(SUITE, tasks=(task,)), [Scripted(act)], 1)
    return anyio.run(run_attempt, plan.trials[0], open_box)


def test_an_agent_that_raises_keeps_its_partial_trajectory_and_is_judged():
    async def act(run, box):
        for path, file in SUITE.tasks[0].hidden.reference.write.files.items():
            await box.write(path, file.data)
        run.steps.append(Step(source="agent", message="halfway"))
        raise RuntimeError("my own fault")

    result = attempted(act)
    assert result.trial.outcome == "passed"
    assert result.trial.reason == "agent_error: RuntimeError: my own fault"
    assert [step.message for step in result.trajectory.steps] == ["halfway"]


def test_an_agent_that_runs_out_of_time_is_a_limit_and_keeps_what_it_did():
    async def act(run, box):
        run.steps.append(Step(source="agent", message="slow"))
        await box.exec("sleep 60")

    result = attempted(act, replace(SUITE.tasks[0], timeout_s=0.3))
    assert (result.trial.outcome, result.trial.reason) == ("limit", "agent_timeout")
    assert result.trajectory.stop == "agent_timeout"
    assert len(result.trajectory.steps) == 1


def test_a_broken_sandbox_makes_the_trial_void():
    @asynccontextmanager
    async def broken(tree, **_how):
        raise SandboxError("the machine is on fire")
        yield

    async def act(run, box):
        raise AssertionError("never reached")

    result = attempted(act, open_box=broken)
    assert (result.trial.outcome, result.trial.reason) == ("void", "SandboxError: the machine is on fire")


@pytest.mark.slow
def test_the_final_change_is_kept_as_an_edit(tmp_path):
    with create_study(tmp_path / "s.honestly") as study:
        run(plan_of("oracle", samples=1), study)
        from honestly.records import Edit, decode

        for trial in study.trials():
            task = SUITE.task(trial.task)
            edit = decode(study.artifact(trial.id, "final.json"), Edit)
            assert edit.apply(task.workspace) == task.hidden.reference.apply(task.workspace)
            assert study.trajectory(trial.id).stop == "done"


def test_a_machine_without_sandboxes_stops_the_run_and_fills_no_study(tmp_path):
    @asynccontextmanager
    async def unavailable(tree, **_how):
        raise SandboxUnavailableError("unshare was refused")
        yield

    with create_study(tmp_path / "s.honestly") as study:
        with pytest.raises(SandboxUnavailableError):
            anyio.run(lambda: run_plan(plan_of("nop"), study, LocalExecutor(unavailable, 2)))
        assert study.trial_ids() == frozenset()


@pytest.mark.slow
def test_a_stopping_rule_ends_the_run_and_is_kept_with_its_order(tmp_path):
    suite = shipped_suite("embedded")
    suite = replace(suite, tasks=tuple(task for task in suite.tasks if task.tags.variant == "standard")[:12])
    agents = [make_agent(spec, suite) for spec in ("oracle", "nop")]
    plan = Plan(suite, agents, 1, question_by_question=True)
    rule = rule_for("oracle", "nop", 12, 1, 0.05)
    with create_study(tmp_path / "s.honestly") as study:
        first = anyio.run(lambda: run_plan(plan, study, LocalExecutor(open_sandbox, 2), rule=rule))
        assert first.decision.stop
        assert 12 <= first.done < 24
        assert study.facts().stopping_rule.to_plain() == rule.to_plain()
        assert study.facts().question_order == tuple(task.id for task in plan.question_order)
        again = anyio.run(lambda: run_plan(plan, study, LocalExecutor(open_sandbox, 2), rule=rule))
        assert (again.done, again.decision) == (first.done, first.decision)
        with pytest.raises(StoreError, match="stopping_rule"):
            anyio.run(lambda: run_plan(plan, study, LocalExecutor(open_sandbox, 2)))
        more = replace_dataclass(plan, samples=2)
        with pytest.raises(StoreError, match="started with samples 1, but 2"):
            anyio.run(lambda: run_plan(more, study, LocalExecutor(open_sandbox, 2), rule=rule))
        assert study.facts().samples == 1


def test_the_test_is_fed_in_the_declared_order_whatever_the_order_of_the_trials():
    order, passed, failed = [f"q{i}" for i in range(30)], Outcome.PASSED, Outcome.FAILED
    rule = rule_for("a", "b", 30, 2, 0.05)
    trials = [
        Trial(
            id="", agent=agent, task=task, sample=sample, outcome=passed if (agent == "a") == (i % 5 != 0) else failed
        )
        for i, task in enumerate(order)
        for agent in "ab"
        for sample in range(2)
    ]
    forward, backward = Until(rule, order, 2), Until(rule, order, 2)
    for trial in trials:
        forward.take_trial(trial)
    for trial in reversed(trials):
        early = backward.decision
        backward.take_trial(trial)
    assert early.questions == 0
    assert backward.decision == forward.decision
    assert forward.decision.stop


def test_tasks_of_a_cluster_come_one_after_the_other_and_each_cluster_is_one_bet(tmp_path):
    ids = [f"org__repo{i % 3}-{i}" for i in range(9)] + ["org__lone-1"]
    suite = Suite(name="s", version="1", tasks=tuple(Task(id=name, instruction="?") for name in ids))
    together, why = clusters_of({each.id: each.tags for each in suite.tasks})
    assert "4 clusters by the repository" in why
    actors = [make_agent(f"honest:name={name}", suite) for name in "ab"]
    plan = Plan(suite, actors, 1, 3, True, clusters=together)
    orders = {tuple(t.id for t in replace_dataclass(plan, seed=seed).question_order) for seed in range(5)}
    assert len(orders) == 5
    rule = rule_until("a>b", plan, 0.05)
    assert (rule.method, sorted(rule.clusters)) == ("betting", [1, 3, 3, 3])
    places = [together[task.id] for task in plan.question_order]
    ends = list(itertools.accumulate(rule.clusters))
    assert [len(set(places[end - size : end])) for size, end in zip(rule.clusters, ends, strict=True)] == [1] * 4
    with create_study(tmp_path / "s.honestly") as study:
        old = rule_for("a", "b", 10, 1, 0.05)
        study.set_facts(replace(study.facts(), stopping_rule=msgspec.convert(old.to_plain(), DeclaredRule)))
        assert as_declared(rule, study) == old
        study.set_facts(replace(study.facts(), stopping_rule=msgspec.convert(rule.to_plain(), DeclaredRule)))
        assert as_declared(rule, study) == rule


def test_an_old_study_keeps_the_rule_that_it_declared(tmp_path):
    now = rule_for("a", "b", 30, 2, 0.05)
    old = replace_dataclass(now, method="difference-sequence")
    with create_study(tmp_path / "s.honestly") as study:
        assert as_declared(now, study) == now
        study.set_facts(replace(study.facts(), stopping_rule=msgspec.convert(old.to_plain(), DeclaredRule)))
        assert as_declared(now, study) == old
        other = rule_for("a", "b", 30, 2, 0.01)
        assert as_declared(other, study) == other  # which the run then refuses
