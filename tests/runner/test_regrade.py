"""Kept work judged again by corrected hidden checks: without an agent, and only where agents saw the same task."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.records import Finding, Outcome, Review
from honestly.store import open_study

TASKS = Path(__file__).parents[2] / "suites" / "embedded"


def called(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


def outcomes(path):
    with open_study(path) as study:
        return {(cell.agent, cell.task): cell.outcome for cell in study.cells()}


@pytest.fixture
def place(tmp_path):
    """A suite of two tasks, and a study of it whose trials were reviewed and audited."""
    for name in ("split-bill", "stock-holds"):
        shutil.copytree(TASKS / name, tmp_path / "suite" / name)
    made = called("run", tmp_path / "suite", "-a", "oracle", "-a", "nop", "-o", tmp_path / "old.honestly")
    assert made.exit_code == 0, made.output
    with open_study(tmp_path / "old.honestly", "write") as study:
        for trial in study.trial_ids():
            study.add([
                Finding(trial=trial, detector="d", version="1", state="clean"),
                Review(trial=trial, label="fine", reviewer="r", at="2026-01-01T00:00:00+00:00"),
            ])  # fmt: skip
    return tmp_path


def mend(place, task, text="\n\ndef test_never():\n    raise AssertionError('asked for too much')\n"):
    (check,) = (place / "suite" / task / "tests").glob("check_*.py")
    check.write_text(check.read_text() + text)


def test_only_trials_of_corrected_checks_get_a_new_verdict_and_a_run_continues_the_study(place):
    mend(place, "split-bill")
    made = called("study", "regrade", place / "old.honestly", place / "suite", "-o", place / "new.honestly", "--json")
    assert made.exit_code == 0, made.output
    said = json.loads(made.stdout)
    assert (said["judged"], said["unchanged_tasks"], said["left"]) == (4, 2, {})  # one is an impossible twin
    assert [(each["agent"], each["task"], each["was"], each["now"]) for each in said["changed"]] == [
        ("oracle", task, "passed", "failed") for task in ("split-bill", "split-bill.impossible")
    ]
    before = outcomes(place / "old.honestly")
    assert outcomes(place / "new.honestly") == before | {
        ("oracle", task): Outcome.FAILED for task in ("split-bill", "split-bill.impossible")
    }
    with open_study(place / "new.honestly") as study, open_study(place / "old.honestly") as old:
        assert (
            "judged again with other hidden checks of 2 tasks: split-bill, split-bill.impossible"
            in study.facts().errata[0]
        )
        assert {review.trial for review in study.reviews()} == study.trial_ids()
        assert not list(study.findings())
        assert sum(trial.usage == other.usage for trial in study.trials() for other in [same(old, trial)]) == 6
    again = called("run", place / "suite", "-a", "oracle", "-a", "nop", "-o", place / "new.honestly")
    assert "has 6 of 6 trials" in again.output
    assert outcomes(place / "new.honestly")["oracle", "split-bill"] is Outcome.FAILED
    # The same command again has nothing left to do.
    assert (
        called("study", "regrade", place / "old.honestly", place / "suite", "-o", place / "new.honestly").exit_code == 0
    )


def same(study, trial):
    (found,) = (each for each in study.trials(trial.agent, trial.task) if each.sample == trial.sample)
    return found


def test_what_agents_would_see_otherwise_is_refused_and_so_is_nothing_to_do(place):
    words = ("study", "regrade", place / "old.honestly", place / "suite", "-o", place / "new.honestly")
    assert "no task of the study has other hidden checks" in str(called(*words).exception)
    mend(place, "split-bill")
    (place / "suite" / "split-bill" / "instruction.md").write_text("Do something else.\n")
    refused = str(called(*words).exception)
    assert "split-bill: instruction changed, so the agents worked on another task" in refused
    assert not (place / "new.honestly").exists()
