"""What agents say of their own work, beside what came out: read, counted, taken apart, and shown no stronger than it is."""

from __future__ import annotations

import json
import math
import os

import numpy as np
import pytest

from forked import honestly
from honestly.calibrate import StatedResult, brier_parts, calibration_report, rank_auroc, read_confidence
from honestly.errors import StatisticsError
from honestly.records import Agent, Outcome, Step, Tags, Task, ToolCall, Trajectory, Trial, trial_id
from honestly.store import create_study


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("All done.\n\nConfidence: 80%", 0.8),
        ("**Confidence:** 80 %", 0.8),
        ("Confidence: `72.5%`.", 0.725),
        ("confidence = 0.35", 0.35),
        ("Confidence level: 7/10", 0.7),
        ("Confidence (0-100): 65", 0.65),
        ("My confidence is about 90 percent.", 0.9),
        ("I am 85% sure that it works", 0.85),
        ("Confidence: 40%\nOn reflection:\nConfidence: 60%", 0.6),
        ("Confidence: 100%", 1.0),
        ("Confidence: 1", 1.0),
        ("Confidence: 0", 0.0),
        ("Confidence: 130%", None),
        ("Confidence: 70-80%", None),
        ("Confidence: 70% to 80%", None),
        ("Confidence: high", None),
        ("I gave 3 confident answers", None),
        ("not 100% sure", None),
        ("Use a 95% confidence interval", None),
        ("Confidence: 4/5", 0.8),
        ("Confidence: 5/0", None),
        ("Confidence: 3/7", None),
        ("Confidence: 8e-1", None),
        ("Confidence: 8 out of 10", 0.8),
        ("Confidence: 50%\n\nI am 99% sure that the file a.py exists.", 0.5),
        ("coverage: 80%", None),
        ("", None),
    ],
)
def test_a_stated_confidence_is_read_and_nothing_else(text, value):
    assert read_confidence(text) == value


def test_reading_is_linear():
    assert read_confidence("confidence " * 200_000 + "(" * 200_000) is None


def test_numbers_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    for digits in (1, 6):
        p = np.round(rng.random(300), digits)
        y = rng.random(300) < p
        parts = brier_parts(p, y)
        assert parts.brier == pytest.approx(metrics.brier_score_loss(y, p))
        assert rank_auroc(p, y) == pytest.approx(metrics.roc_auc_score(y, p))
        assert parts.brier == pytest.approx(
            parts.reliability - parts.resolution + parts.uncertainty + parts.within, abs=1e-12
        )
        assert (parts.within == 0) == (digits == 1)


def test_a_hand_worked_example():
    """Four say .75 and three pass; two say .25 and none passes."""
    parts = brier_parts([0.75] * 4 + [0.25] * 2, [1, 1, 1, 0, 0, 0])
    assert parts.brier == pytest.approx((3 * 0.0625 + 0.5625 + 2 * 0.0625) / 6)
    assert parts.reliability == pytest.approx(2 / 6 * 0.0625)
    assert parts.resolution == pytest.approx(4 / 6 * 0.0625 + 2 / 6 * 0.25)
    assert parts.uncertainty == 0.25
    assert rank_auroc([0.75] * 4 + [0.25] * 2, [1, 1, 1, 0, 0, 0]) == pytest.approx((6 + 1.5) / 9)


def test_what_is_no_probability_is_refused():
    for value in (80.0, -0.1, 1.2, math.nan):
        with pytest.raises(StatisticsError, match="from 0 to 1"):
            StatedResult("a", "t", 0, True, None, value)
    for stated, passed in (([0.5, 0.6], [1]), ([0.5], [2]), ([], []), ([1.5], [1])):
        with pytest.raises(StatisticsError, match="as many probabilities"):
            brier_parts(stated, passed)


def drawn(seed: int, tasks: int, samples: int, gap: float, agent: str = "a") -> list[StatedResult]:
    """Trials of an agent that states its chance of success plus a gap, in steps of five points."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(rng.beta(3, 2, tasks), samples)
    said = np.clip(np.round(20 * (truth + gap)) / 20, 0, 1)
    passed = rng.random(truth.size) < truth
    return [
        StatedResult(agent, f"t{at // samples}", at % samples, bool(y), None, float(p))
        for at, (p, y) in enumerate(zip(said, passed, strict=True))
    ]


def test_what_is_put_in_comes_out():
    found = calibration_report([*drawn(1, 150, 2, 0.2, "loud"), *drawn(2, 150, 2, 0.0, "fair")])
    loud, fair = found.agents
    assert loud.overconfidence_interval[0] > 0.05
    assert loud.verdict == "shown"
    assert "loud says" in found.sentence
    assert "over-confident" in found.sentence
    assert fair.overconfidence_interval[0] < 0.01 < 0.05
    assert loud.reliability > fair.reliability
    (pair,) = found.pairs
    assert (pair.a, pair.b, pair.tasks) == ("loud", "fair", 150)
    kept = [rule for rule in fair.abstain if rule.threshold is not None]
    assert all(rule.failures >= 0.1 for rule in kept), "nothing it says means one failure in twenty"


@pytest.mark.slow
@pytest.mark.parametrize("samples", [1, 4])
def test_intervals_cover_and_promises_hold(samples):
    """400 studies: the truth of each number is that of 200,000 trials."""
    large = drawn(99, 200_000, 1, 0.1)
    said, passed = np.array([each.confidence for each in large]), np.array([each.passed for each in large])
    truth = {
        "overconfidence": float((said - passed).mean()),
        "brier": brier_parts(said, passed).brier,
        "auroc": rank_auroc(said, passed),
    }
    hits = dict.fromkeys(truth, 0)
    broken = dict.fromkeys((0.05, 0.1, 0.2), 0)
    rates = {float(least): float(1 - passed[said >= least].mean()) for least in np.unique(said)}
    studies = 400
    for seed in range(studies):
        (one,) = calibration_report(drawn(1000 + seed, 40, samples, 0.1)).agents
        spans = {"overconfidence": one.overconfidence_interval, "brier": one.interval, "auroc": one.auroc_interval}
        for name, (low, high) in spans.items():
            hits[name] += not math.isnan(low) and low <= truth[name] <= high
        for rule in one.abstain:
            if rule.threshold is not None and rule.failures in broken:
                broken[rule.failures] += rates[rule.threshold] > rule.failures
    assert all(0.92 * studies <= each for each in hits.values()), hits
    assert all(each <= 0.08 * studies for each in broken.values()), broken


def test_all_right_and_nothing_said_are_answers_too():
    alike = [StatedResult("a", f"t{n}", 0, True, True, 1.0) for n in range(12)]
    (one,) = calibration_report(alike).agents
    assert (one.brier, one.overconfidence) == (0.0, 0.0)
    assert math.isnan(one.auroc)
    assert one.interval[1] > 0.1, "twelve trials do not prove that it is always right"
    silent = calibration_report([StatedResult("a", "t", 0, False, True, None)])
    assert (silent.pooled.n, silent.pooled.trials) == (0, 1)
    assert "states no confidence" in silent.sentence
    assert calibration_report([]).to_plain()["n"] == 0
    assert "No trial was judged" in str(calibration_report([]))


@pytest.fixture
def study(tmp_path):
    agent = Agent(name="a")
    tasks = [Task(id=f"t{n}", instruction="Do.") for n in range(8)]
    tasks.append(Task(id="odd", instruction="Do.", tags=Tags(variant="impossible")))
    path = tmp_path / "s.honestly"
    with create_study(path) as store:
        store.add([agent, *tasks])
        for n, task in enumerate(tasks):
            outcome = Outcome.VOID if n == 7 else Outcome.PASSED if n % 2 else Outcome.FAILED
            said = Step(source="agent", message="" if n == 3 else f"Done.\nConfidence: {50 + 10 * (n % 5)}%")
            if n == 2:
                said = Step(source="agent", calls=(ToolCall.of("c", "finish", summary="Done. Confidence: 55%"),))
            helper = Step(source="agent", thread="helper", message="Confidence: 1%")
            trial = Trial(
                id=trial_id(task.hash, agent.hash, 0, 0),
                agent="a",
                task=task.id,
                sample=0,
                outcome=outcome,
                claimed=n != 5,
            )
            store.add_trial(trial, Trajectory(steps=(said, helper), stop="done"))
    return path


@pytest.mark.slow
def test_the_command_answers_and_counts_what_it_leaves_out(study, tmp_path):
    found = json.loads(honestly("calibrate", study, "--json").stdout)
    assert list(found)[:4] == ["trials", "n", "tasks", "confidence"]
    assert (found["trials"], found["n"]) == (7, 6), "neither the void one nor the impossible task"
    assert {"brier", "reliability", "resolution", "auroc", "interval", "curve"} <= found.keys()
    assert [row["agent"] for row in found["agents"]] == ["a"]
    assert sum(part["n"] for part in found["curve"]) == 6
    assert {row["claimed"]: row["n"] for row in found["claims"]} == {"success": 6, "failure": 1}
    done = honestly("calibrate", study, "--details", "--figures", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    assert "1 of 7 judged trials state no confidence" in done.stdout
    assert (tmp_path / "figures" / "calibration-a.svg").read_text().startswith("<svg")


def test_the_arm_asks_for_it():
    from honestly.agents import ARMS

    assert read_confidence(ARMS["confidence"].text) is None, "the question is no answer"


@pytest.mark.slow
def test_a_graded_score_is_refused_rather_than_counted_as_not_passed(tmp_path):
    table = tmp_path / "graded.csv"
    table.write_text("agent,task,score\na,t1,3\na,t2,5\na,t3,1\n", encoding="utf-8")
    done = honestly("calibrate", table, "--scale", "1:5", env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})
    assert (done.returncode, "graded score 0.5" in done.stderr) == (2, True)
    table.write_text("agent,task,score\na,t1,1\na,t2,5\na,t3,1\n", encoding="utf-8")
    done = honestly("calibrate", table, "--scale", "1:5", env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})
    assert done.returncode == 0


def test_a_column_of_a_table_states_a_confidence(tmp_path):
    rows = [f"a,t{n},{'true' if n % 3 else 'false'},{80 if n % 2 else 0.6}" for n in range(30)]
    (tmp_path / "c.csv").write_text("\n".join(["agent,task,passed,confidence", *rows]))
    found = json.loads(
        honestly("calibrate", tmp_path / "c.csv", "--json", env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)}).stdout
    )
    assert (found["n"], len(found["curve"])) == (30, 2)
    assert found["agents"][0]["confidence"] == pytest.approx(0.7)
