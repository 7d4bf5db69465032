"""A study with graded trials, exported in each format that is also read, comes back to the same scores."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from honestly import studies
from honestly.cli import cli
from honestly.errors import NoResultsError
from honestly.formats import EXPORTERS
from honestly.records import Agent, Outcome, Step, Tags, Task, Trajectory, Trial
from honestly.store import create_study
from honestly.studies import STUDY_EXPORTERS

NOT_READ = {"markdown", "model-index", "bundle", "duckdb", "mlflow", "wandb"}
"""What `honestly report` refuses, whatever it holds."""
OF_PATCHES = {"swe-bench"}
"""What holds no verdict."""
WITHOUT_TAGS = {"adp", "evalplus", "junit", "otel", "samples", "scout"}
"""What does not say how much a task counts, and which are twins."""
ENDS = [
    (Outcome.FAILED, 0.25),
    (Outcome.PASSED, None),
    (Outcome.FAILED, None),
    (Outcome.FAILED, 0.9),
    (Outcome.PASSED, 1.0),
]


def made(path, **tags):
    """A study of two agents, six tasks and two samples."""
    steps = (Step(source="user", message="do it"), Step(source="agent", message="done"))
    with create_study(path) as store:
        tasks = [
            Task(id=f"t{number}", instruction="do it", tags=Tags(**{name: of(number) for name, of in tags.items()}))
            for number in range(6)
        ]
        store.add([*(Agent(name=name) for name in "AB"), *tasks])
        for at, (agent, number, sample) in enumerate((a, n, s) for a in "AB" for n in range(6) for s in range(2)):
            outcome, score = ENDS[at % 5]
            trial = Trial(id=f"{at:032}", agent=agent, task=f"t{number}", sample=sample, outcome=outcome, score=score)
            kept = {"patch.diff": b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "solution.py": b"x = 1\n"}
            store.add([(trial, Trajectory(steps=steps), kept)])
    return path


def asked(*words):
    done = CliRunner().invoke(cli, list(map(str, words)), catch_exceptions=False)
    return done.exit_code, done.stdout, done.output


def scores(place):
    """The scores and intervals of all agents, as `report` has them."""
    code, out, said = asked("report", place, "--json")
    assert code == 0, said
    return {row["name"]: (round(row["honest"], 9), *row["interval"]) for row in json.loads(out)["agents"]}


TAGS = {
    "weight": lambda number: 1.0 + number,
    "cluster": lambda number: f"c{number // 2}",
    "variant": lambda number: "impossible" if number == 5 else "standard",
}
READ = sorted({*EXPORTERS.each_name(), *STUDY_EXPORTERS.each_name()} - NOT_READ - OF_PATCHES)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return made(tmp_path_factory.mktemp("graded") / "s.honestly", **TAGS)


@pytest.mark.parametrize("kind", READ)
def test_an_export_that_is_read_has_the_scores_of_its_study(kind, study, tmp_path):
    code, _, said = asked("export", study, "--to", kind, "--out", tmp_path / "out")
    assert code == 0, said
    assert scores(tmp_path / "out") == scores(study)


@pytest.mark.parametrize("kind", sorted(NOT_READ - {"duckdb", "mlflow", "wandb"}))
def test_what_is_no_result_is_not_read_as_one(kind, study, tmp_path):
    assert asked("export", study, "--to", kind, "--out", tmp_path / "out")[0] == 0
    with pytest.raises(NoResultsError):
        asked("report", tmp_path / "out")


def test_predictions_hold_no_patch_that_nobody_kept(study, tmp_path):
    assert asked("export", study, "--to", "table", "--out", tmp_path / "table")[0] == 0
    said = asked("export", tmp_path / "table" / "trials.csv", "--to", "swe-bench", "--out", tmp_path / "out")[2]
    assert "its patch was not kept" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("way", ["frame.csv", "frame.parquet", "list.json"])
def test_trials_of_a_notebook_or_a_list_are_read_with_their_grades(way, study, tmp_path, read_both_ways):
    if way == "list.json":  # which says nothing of tasks
        study = made(tmp_path / "s.honestly")
        (tmp_path / way).write_text(asked("show", study, "--json")[1])
    else:
        frame = studies.open(study).frame("trials", "polars")
        frame.write_csv(tmp_path / way) if way == "frame.csv" else frame.write_parquet(tmp_path / way)
    assert scores(tmp_path / way) == scores(study)
