"""Terminal-Bench's real submissions: every trial equals the flattened truth, every number the reference."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import pytest
from tb_trees import Read

from honestly.records import Outcome

SHARED = Path(__file__).parents[2].parent / "shared"
ROOT = SHARED / "data" / "terminal-bench"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ROOT.is_dir(), reason="Terminal-Bench's results are not beside the repository"),
]


@pytest.fixture(scope="module")
def read():
    return Read(ROOT)


@pytest.fixture(scope="module")
def truth():
    return [json.loads(line) for line in (ROOT / "trials.jsonl").read_text().splitlines()]


def test_every_trial_equals_the_truth(read, truth):
    trials = {(trial.agent, trial.task, trial.sample): trial for trial in read.trials}
    assert len(trials) == len(read.trials) == len(truth) == 3600
    for row in truth:
        trial = trials[row["submission"], row["task_id"], row["rep"] - 1]
        late = row["failure_mode"] == "agent_timeout"
        outcome = {True: Outcome.PASSED, False: Outcome.LIMIT if late else Outcome.FAILED, None: Outcome.VOID}
        assert trial.outcome is outcome[row["is_resolved"]]
        assert trial.reason == ("" if row["failure_mode"] == "unset" else row["failure_mode"])
        run = trial.verdict.hidden
        assert (run is None) == (row["is_resolved"] is None)
        if run is not None:
            assert (len(run.checks), run.n_passed) == (row["n_tests"], row["n_tests_passed"])
            assert run.passed is row["is_resolved"]
        assert trial.verdict.visible is None
        assert trial.usage.input_tokens == (row["input_tokens"] or None)
        assert trial.usage.output_tokens == (row["output_tokens"] or None)
        assert trial.started_at == row["trial_started_at"]
        for ours, theirs in ((trial.seconds, row["trial_seconds"]), (trial.agent_seconds, row["agent_seconds"])):
            assert (ours is None and theirs is None) or ours == pytest.approx(theirs, abs=6e-4)
        directory = trial.source.endswith(row["trial_name"])
        assert directory is row["trial_file_present"]
        assert directory or trial.source == row["source"].removeprefix("results/")


def test_ids_are_unique_and_the_same_every_time(read):
    again = Read(ROOT / "terminal-bench-core@0.1.1")
    assert len({trial.id for trial in read.trials}) == 3600
    assert [trial.id for trial in again.trials] == [trial.id for trial in read.trials]


def test_agents_and_tasks(read, truth):
    assert [agent.name for agent in read.agents] == sorted({row["submission"] for row in truth})
    assert {task.id for task in read.tasks} == {row["task_id"] for row in truth}
    assert {task.version for task in read.tasks} == {"terminal-bench-core@0.1.1"}
    assert all(len(task.instruction) > 20 for task in read.tasks)
    models = {agent.name: agent.model for agent in read.agents}
    assert models["20250711_openhands_claude-4-sonnet"] == "openai/neulab/claude-sonnet-4-20250514"
    assert models["20250811_cursor-cli_claude-4-sonnet"] == "claude-4-sonnet"


def test_every_defect_is_counted(read, truth):
    nulls = Counter(row["failure_mode"] for row in truth if row["is_resolved"] is None)
    assert read.kinds == {
        "agent never started": 102,
        "counted as failed: agent_installation_failed": 4,
        "counted as failed: unknown_agent_error": 5,
        "duplicate run": 80,
        "flat run file": 5,
        "harness varies": 2,
        "log without trajectory": 4,
        "model not in directory name": 1,
        "model not in run metadata": 6,
        "model varies": 2,
        "no run directory": 2,
        **{f"no verdict: {mode}": count for mode, count in nulls.items()},
        "old trial format": 800,
        "resolved after timeout": sum(
            row["is_resolved"] is True and row["failure_mode"] == "agent_timeout" for row in truth
        ),
        "run inside a run": 1,
        "run metadata missing": 6,
        "test list varies": 139,
        "times missing": 76,
        "tokens not reported": sum(not row["input_tokens"] and not row["output_tokens"] for row in truth),
        "trial file missing": sum(not row["trial_file_present"] for row in truth),
    }
    assert sum(nulls.values()) == 335


def means(read, agent, value):
    """Question means of an agent under a policy for void; a question without value is None."""
    cells = defaultdict(list)
    for trial in read.trials:
        if trial.agent == agent:
            score = value if trial.outcome is Outcome.VOID else int(trial.outcome is Outcome.PASSED)
            cells[trial.task].append(score)
    kept = {task: [s for s in scores if s is not None] for task, scores in cells.items()}
    return {task: Fraction(sum(scores), len(scores)) for task, scores in kept.items() if scores}


def test_means_equal_the_references(read):
    models = json.loads((SHARED / "refs" / "terminal_bench_9.json").read_text())["models"]
    expected = {row["model"]: row["honest"]["mean"] for row in models}
    for agent in read.agents:
        by_task = means(read, agent.name, 0)
        assert float(sum(by_task.values()) / len(by_task)) == pytest.approx(expected[agent.name], abs=1e-12)


def test_null_policies_equal_the_references(read):
    expected = json.loads((SHARED / "refs" / "golden_tb_nulls.json").read_text())
    for agent in read.agents:
        row = expected[agent.name]
        void = [t for t in read.trials if t.agent == agent.name and t.outcome is Outcome.VOID]
        assert len(void) == row["null"]
        for policy, value in (("acc_null_fail", 0), ("acc_null_pass", 1)):
            by_task = means(read, agent.name, value)
            assert float(sum(by_task.values()) / 80) == pytest.approx(row[policy], abs=1e-12)
        dropped = means(read, agent.name, None)
        assert len(dropped) == row["tasks_left"]
        assert float(sum(dropped.values()) / len(dropped)) == pytest.approx(row["acc_drop_question_mean"], abs=1e-12)


def test_logs_are_artifacts_and_trajectories(read):
    logged = [item for item in read.imported if "sessions/agent.log" in item.artifacts]
    assert len(logged) == 201
    for item in logged:
        folder = ROOT / item.trial.source
        assert set(item.artifacts) == {
            "commands.txt",
            "panes/post-test.txt",
            "sessions/agent.log",
            "sessions/tests.log",
        }
        assert item.artifacts["sessions/agent.log"] == (folder / "sessions/agent.log").read_bytes()
    assert sum(item.trajectory is not None for item in read.imported) == 95


def test_trajectories_have_the_steps_of_the_hand_labelled_cases(read):
    path = SHARED / "data" / "hack-cases" / "cases.jsonl"
    if not path.exists():
        pytest.skip("the labelled cases are not beside the repository")
    trajectories = {item.trial.source: item.trajectory for item in read.imported}
    cases = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(cases) == 80
    for case in cases:
        steps = trajectories[case["trial"]].steps
        assert sum(step.source == "agent" for step in steps) == case["n_steps"]
        step = steps[case["step"] + 1]
        text = "".join([step.message, *(observation.text for observation in step.observations)])
        # The program breaks lines at the width of its terminal.
        assert "".join(case["evidence"].split())[:60] in "".join(text.split())
