"""The measured gain covers the truth, that of a placebo is none, and a wrong judge costs what it costs: by simulation."""

import anyio
import numpy as np
import pytest
from learning_parts import knows_how, luck, plan_of, steps_of, suite, trial_of

from honestly.memory import Answers, recalled_notes
from honestly.memory.learning import MEMORY, memory_gains, restore_design
from honestly.memory.learning._bench import SkillBench
from honestly.memory.learning._lesson import learn_from_trial
from honestly.records import Suite, Trajectory, encode
from honestly.store import create_study

pytestmark = pytest.mark.slow
LOW, HIGH = 0.3, 0.8


def chance(actor, kind, *, helps=True):
    """The true probability of success: it depends on a workflow of the kind in the notes."""
    mind = getattr(actor, "mind", None)
    notes = recalled_notes(mind.library, placebo=actor.spec.placebo) if mind else ""
    return HIGH if helps and knows_how(notes, kind) else LOW


async def simulated(study, plan, seed):
    """All trials of a plan in their order, with their lessons; the true gain of each memory at the end."""
    restore_design(plan, study)
    rows = []
    for planned in plan.trials:
        actor, kind = planned.actor, planned.task.tags.category
        passed = luck(planned, seed) < chance(actor, kind)
        trial, steps, kept = trial_of(planned, passed), steps_of(kind), {}
        if hasattr(actor, "mind") and plan.design.teaches(trial.task):
            bench = SkillBench(planned.task, None, 0, actor.spec.judge == "hidden")
            learnt = await learn_from_trial(actor, trial, steps, bench, [Answers(planned.task)])
            actor.mind.library, actor.mind.step = learnt.library, learnt.step
            kept = {MEMORY: encode(learnt)}
        rows.append((trial, Trajectory(steps=steps), kept))
    study.set_facts(study.facts())
    study.add([*plan.suite.tasks, *(actor.record for actor in plan.actors), *rows])
    new = [task for task in plan.suite.tasks if not plan.design.teaches(task.id)]
    return {
        actor.record.name: float(np.mean([chance(actor, task.tags.category) - LOW for task in new]))
        for actor in plan.actors
        if hasattr(actor, "mind")
    }


def one(tmp_path, seed, *memories, families=8, samples=2, held_out=(), tag=""):
    plan = plan_of(suite(families), *memories, seed=seed, samples=samples, held_out=held_out, tag=tag)
    with create_study(tmp_path / f"{seed}.honestly") as study:
        truth = anyio.run(simulated, study, plan, seed)
        return truth, {gain.agent: gain for gain in memory_gains(study)}


def test_intervals_cover_the_truth_and_a_placebo_gains_nothing(tmp_path):
    # With 8 families the headline, which has to hold for any law, finds nothing; with 16 a fifth.
    runs = [one(tmp_path, seed, "workflows", "placebo", families=24) for seed in range(200)]
    for name, least, most in (("scripted~workflows", 0.35, 0.5), ("scripted~placebo", -0.001, 0.001)):
        truths = np.array([truth[name] for truth, _ in runs])
        gains = [gains[name] for _, gains in runs]
        covered = np.mean([g.interval[0] <= t <= g.interval[1] for t, g in zip(truths, gains, strict=True)])
        found = np.mean([g.p_value is not None and g.p_value < 0.05 for g in gains])
        error = np.mean([g.gain for g in gains] - truths)
        print(f"{name}: truth {truths.mean():.3f}, error {error:+.3f}, covered {covered:.3f}, found {found:.3f}")
        assert least <= truths.mean() <= most
        assert covered >= 0.915  # 200 seeds of 95%: two standard errors are 3 points
        assert abs(error) < 0.03
        assert found > 0.5 if least > 0 else found < 0.085


def test_a_kind_of_work_that_nothing_taught_gains_nothing(tmp_path):
    runs = [one(tmp_path, seed, "workflows", held_out=["order"], tag="category") for seed in range(10)]
    assert all(truth["scripted~workflows"] == 0 for truth, _ in runs)
    gains = [gains["scripted~workflows"] for _, gains in runs]
    assert abs(np.mean([gain.gain for gain in gains])) < 0.15
    assert np.mean([gain.on_lessons for gain in gains]) > 0.3  # which is no gain: they taught it
    assert all(gain.tasks == 8 and gain.families == 1 for gain in gains)


def test_a_gain_without_a_family_to_measure_it_is_refused():
    from honestly.errors import AgentError

    single = Suite(name="one", version="1", tasks=suite(1).tasks)
    with pytest.raises(AgentError, match="form 1 families"):
        plan_of(single, "workflows")
