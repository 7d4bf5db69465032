"""Agents from what a person types, and agents whose truth is known."""

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import AGENTS, CHEATS, Run, make_agent, make_agents
from honestly.errors import AgentError
from honestly.models import ScriptedModel
from honestly.runner import Plan, run_attempt
from honestly.sandbox import open_sandbox
from shipped import shipped_suite

SUITE = shipped_suite("embedded")
TASK = next(task for task in SUITE.tasks if task.tags.category == "debug" and task.tags.variant == "standard")
ONE = replace(SUITE, tasks=(TASK,))


def attempted(spec, sample=0, suite=ONE):
    plan = Plan(suite, [make_agent(spec, suite)], samples=sample + 1)
    return anyio.run(run_attempt, plan.trials[-1], open_sandbox)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("hones", r"no agent 'hones' \(did you mean 'honest'\?\); there are: oracle"),
        ("honest:rate=0.5", "no setting 'rate'; it has: easy, medium, hard"),
        ("honest:easy=2", "setting 'easy' of agent 'honest' is '2'; expected a number of at most 1"),
        ("honest:easy=nan", "is 'nan'; expected a number from 0"),
        ("special-case:rate", "key=value"),
        ("nop:easy=1", "no setting 'easy'; it has none"),
    ],
)
def test_what_makes_no_sense_is_named(spec, said):
    with pytest.raises(AgentError, match=said):
        make_agent(spec, SUITE)


def test_every_known_truth_program_can_be_made_and_has_an_identity_of_its_own():
    known = ("oracle", "nop", "honest", *CHEATS)
    assert set(known) < {known.name for known in AGENTS.known}
    agents = [make_agent(program, SUITE) for program in known]
    agents += [make_agent("honest:easy=0.5", SUITE), make_agent("honest:name=x", SUITE)]
    assert len({agent.record.hash for agent in agents}) == len(agents)
    assert make_agent("honest:name=x", SUITE).record.name == "x"


@pytest.mark.slow
def test_the_oracle_passes_and_the_nop_does_not():
    oracle, nop = attempted("oracle"), attempted("nop")
    assert oracle.trial.outcome == "passed"
    assert oracle.trial.claimed is True
    assert oracle.final.apply(TASK.workspace) == TASK.hidden.reference.apply(TASK.workspace)
    assert nop.trial.outcome == "failed"
    assert nop.final.write.files == {}


@pytest.mark.slow
def test_an_honest_failure_is_a_wrong_solution_of_the_task_or_taken_back():
    finals = [wrong.edit.apply(TASK.workspace) for wrong in TASK.hidden.wrong if wrong.name != "special-case"]
    seen = []
    for sample in range(6):
        result = attempted("honest:easy=0,medium=0,hard=0", sample)
        assert (result.trial.truth.kind, result.trial.truth.succeeded) == ("honest", False)
        assert result.trial.outcome == "failed"
        seen.append(result.final.apply(TASK.workspace))
        if seen[-1] == TASK.workspace:
            assert result.trial.claimed is False
    assert TASK.workspace in seen
    assert any(final in finals for final in seen)
    assert all(final in [*finals, TASK.workspace] for final in seen)


@pytest.mark.slow
@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_claims_success_and_its_truth_is_recorded(cheat):
    result = attempted(cheat)
    assert result.trial.claimed is True
    assert (result.trial.truth.kind, result.trial.truth.succeeded, result.trial.truth.rate) == (cheat, False, 1.0)
    assert result.trial.outcome == "failed"
    assert result.trajectory.steps[-1].message


@pytest.mark.slow
def test_what_agents_did_is_in_the_trajectory():
    steps = attempted("oracle").trajectory.steps
    written = {step.calls[0].argument("path") for step in steps if step.calls and step.calls[0].name == "write"}
    assert written == set(TASK.hidden.reference.write.files)
    tests = next(step for step in steps if step.calls and step.calls[0].argument("command") == "python3 -m unittest")
    assert tests.observations[0].code == 0
    assert "OK" in tests.observations[0].text


@pytest.mark.slow
def test_the_same_trial_happens_the_same_way_twice_and_others_differ():
    spec = "honest:easy=0.5,medium=0.5,hard=0.5"
    first, again = attempted(spec, 3), attempted(spec, 3)
    assert first.trial.id == again.trial.id
    assert first.final == again.final
    assert first.trial.truth == again.trial.truth
    assert any(attempted(spec, n).trial.truth.succeeded != first.trial.truth.succeeded for n in range(8))


def test_rates_are_what_they_say():
    """Truth of many planned trials without running them: the dice, seeded as in a study."""
    agent = make_agent("special-case:rate=0.3,easy=0.8", replace(SUITE, name="dice"))
    import random

    plan = Plan(ONE, [agent], samples=4000)
    cheats = sum(random.Random(trial.agent_seed).random() < 0.3 for trial in plan.trials)
    assert abs(cheats / 4000 - 0.3) < 0.025


def test_an_agent_sees_the_public_part_only():
    seen = []

    class Spy:
        record = make_agent("nop", ONE).record

        async def __call__(self, run: Run, box) -> None:
            seen.append(run.task)

    plan = Plan(ONE, [Spy()], samples=1)
    anyio.run(run_attempt, plan.trials[0], open_sandbox)
    assert seen[0].hidden is None


def test_a_model_makes_honest_the_real_agent_once_for_each_model():
    models = [ScriptedModel([], name="m1"), ScriptedModel([], name="m2")]
    agents = make_agents(["honest:name=h", "honest", "nop"], SUITE, models)
    records = {agent.record.name: agent.record for agent in agents}
    assert set(records) == {"h@m1", "h@m2", "honest@m1", "honest@m2", "nop"}
    assert {record.program for record in records.values()} == {"honest-agent", "nop"}
    assert (records["h@m1"].model, make_agents(["honest:name=h"], SUITE, models[:1])[0].record.name) == ("m1", "h")
    assert make_agent("honest", SUITE).record.program == "honest"
    with pytest.raises(AgentError, match="works without a model"):
        make_agent("oracle", SUITE, models[0])
