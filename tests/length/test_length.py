"""Success by length: a known compounding rate comes out within its interval, and what is no constant rate is said."""

from __future__ import annotations

import json
import math
import os

import numpy as np
import pytest

from forked import honestly
from honestly.length import MeasuredLength, agent_length, length_report
from honestly.records import Agent, Outcome, Step, Task, Trajectory, Trial, trial_id
from honestly.store import create_study


def drawn(seed: int, tasks: int, samples: int, rate: float, *, shape: float = 1.0, spread: float = 0.0):
    """Trials of an agent whose work fails with chance `rate` at each step; rates of tasks differ by `spread`."""
    rng = np.random.default_rng(seed)
    lengths = np.exp(rng.uniform(math.log(5), math.log(200), tasks)).round()
    noise = np.exp(spread * rng.standard_normal(tasks) - spread**2 / 2)
    return [
        MeasuredLength("a", f"t{at}", f"t{at}", bool(rng.random() < math.exp(-rate * by * length**shape)), length)
        for at, (length, by) in enumerate(zip(lengths, noise, strict=True))
        for _ in range(samples)
    ]


def test_equal_lengths_give_the_closed_form():
    trials = [MeasuredLength("a", f"t{at}", f"t{at}", at % 4 != 0, 30.0) for at in range(40)]
    found = agent_length("a", trials, 0.95)
    assert found.rate == pytest.approx(-math.log(0.75) / 30)
    assert found.half == pytest.approx(math.log(2) / found.rate)
    assert math.isnan(found.shape), "one length cannot say how success falls"
    # The delta method by hand: var(p) = p (1 - p) / (n - 1), and d log(-log p) = dp / (p log p).
    se = math.sqrt(0.75 * 0.25 / 39) / (0.75 * -math.log(0.75))
    assert math.log(found.rate_interval[1] / found.rate) == pytest.approx(2.0227 * se, rel=1e-3)


def test_a_known_rate_comes_out_and_another_law_is_said():
    (found,) = length_report(drawn(1, 60, 5, 0.02), "steps").agents
    assert found.rate_interval[0] < 0.02 < found.rate_interval[1]
    assert found.shape_interval[0] < 1 < found.shape_interval[1]
    assert "nothing speaks against that" in str(length_report(drawn(1, 60, 5, 0.02), "steps"))
    rarer = length_report(drawn(2, 80, 5, 0.25, shape=0.4), "steps")
    assert rarer.agents[0].shape_interval[1] < 1
    assert "become rarer" in str(rarer)


def test_all_passed_or_one_cluster_gives_a_reason_and_no_number():
    passed = agent_length("a", [MeasuredLength("a", f"t{at}", f"t{at}", True, at + 1.0) for at in range(9)], 0.95)
    assert (math.isnan(passed.rate), passed.reason) == (True, "all of its trials passed: a rate needs both")
    one = agent_length("a", [MeasuredLength("a", f"t{at}", "c", at > 3, at + 1.0) for at in range(9)], 0.95)
    assert math.isnan(one.half_interval[0])


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "samples", "spread"), [(60, 1, 0.0), (40, 5, 0.0), (40, 5, 0.5), (150, 2, 0.3)])
def test_intervals_cover(tasks, samples, spread):
    """400 studies each; where tasks differ, the truth is the rate that fits 200,000 trials."""
    big = agent_length("a", drawn(5, 200_000, 1, 0.02, spread=spread), 0.95)
    truth = (0.02, 1.0) if not spread else (big.rate, big.shape)
    hits = np.zeros(2)
    for seed in range(400):
        found = agent_length("a", drawn(100 + seed, tasks, samples, 0.02, spread=spread), 0.95)
        for at, (low, high) in enumerate((found.rate_interval, found.shape_interval)):
            hits[at] += low <= truth[at] <= high
    print(tasks, samples, spread, hits / 400)
    assert (hits >= 0.92 * 400).all(), hits


def test_the_command_takes_the_length_of_a_task_from_trials_that_passed(tmp_path):
    path = tmp_path / "s.honestly"
    with create_study(path) as store:
        agent, tasks = Agent(name="a"), [Task(id=f"t{n}", instruction="Do.") for n in range(6)]
        store.add([agent, *tasks])
        for n, task in enumerate(tasks):
            for sample, passed in enumerate((n < 4, n % 2 == 0)):
                steps = tuple(Step(source="agent", message="x") for _ in range(10 * (n + 1) if passed else 2))
                trial = Trial(
                    id=trial_id(task.hash, agent.hash, sample, 0), agent="a", task=task.id, sample=sample,
                    outcome=Outcome.PASSED if passed else Outcome.FAILED,
                )  # fmt: skip
                store.add_trial(trial, Trajectory(steps=steps, stop="done"))
    done = honestly("stats", "length", path, "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["agents"]
    assert (found["n"], found["tasks"]) == (12, 6)
    assert [each["longest"] for each in found["bins"]][-2:] == [40, 50], "t5, which nobody passed, is 2 steps long"
    done = honestly("stats", "length", path, "--unit", "minutes")
    assert (done.returncode, "expert_time_estimate_min" in done.stderr) == (2, True)


def test_a_table_declares_minutes(tmp_path):
    rows = [f"a,t{n}_{s},{'pass' if (n + s) % 5 else 'fail'}ed,{2**n}" for n in range(8) for s in range(5)]
    (tmp_path / "t.csv").write_text("agent,task,outcome,human_minutes\n" + "\n".join(rows) + "\n", encoding="utf-8")
    done = honestly("stats", "length", tmp_path / "t.csv", "--unit", "minutes", "--figures", tmp_path / "f",
                    env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})  # fmt: skip
    assert "success halves every" in done.stdout, done.stderr
    assert (tmp_path / "f" / "length-a.svg").read_text().startswith("<svg")
