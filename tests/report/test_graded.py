"""Graded results, from the table that holds them to the page: means of grades, with the errors that these have."""

import sqlite3

import numpy as np
import pytest

from honestly import studies
from honestly.errors import HonestlyError, StatisticsError
from honestly.leaderboards._words import board_notes
from honestly.scores import DEFAULT_POLICY, study_scores
from honestly.stats import pass_at_k


@pytest.fixture
def table(tmp_path):
    """Two agents with three grades at each of forty tasks, some of them 0 or 1; and the grades."""
    rng = np.random.default_rng(8)
    ease = rng.uniform(0.2, 0.7, 40)
    grades = {name: np.clip(rng.normal(ease[:, None] + gap, 0.25, (40, 3)), 0, 1).round(3)
              for name, gap in (("a", 0.2), ("b", 0.0))}  # fmt: skip
    rows = ["agent,task,score"]
    rows += [
        f"{name},t{i:02},{grade}" for name, rows_ in grades.items() for i, row in enumerate(rows_) for grade in row
    ]
    (tmp_path / "grades.csv").write_text("\n".join(rows) + "\n")
    studies.import_results(tmp_path / "grades.csv", tmp_path / "x.honestly", "table")
    return tmp_path / "x.honestly", grades


def test_scores_are_means_of_grades_with_their_errors(table):
    path, grades = table
    report = studies.open(path).report()
    for row in report.board.agents:
        means = grades[row.name].mean(axis=1)
        assert row.honest == pytest.approx(means.mean())
        assert row.se == pytest.approx(means.std(ddof=1) / np.sqrt(40))
        assert row.noise.prediction == pytest.approx(grades[row.name].var(axis=1, ddof=1).mean())
    found = studies.open(path).compare("a", "b")
    differences = grades["a"].mean(axis=1) - grades["b"].mean(axis=1)
    assert found.difference == pytest.approx(differences.mean())
    assert found.se == pytest.approx(differences.std(ddof=1) / np.sqrt(40))
    assert found.verdict == "a is ahead"
    assert any("are graded from 0 to 1" in note for note in board_notes(report.board))
    assert not any("graded" in warning for warning in report.board.warnings)


def test_what_counts_passes_refuses_grades(table):
    with studies.open(table[0]).store() as store:
        resolved = study_scores(store).resolve(DEFAULT_POLICY)
    with pytest.raises(StatisticsError):
        pass_at_k(resolved, "a", 2)


def test_diff_lists_tasks_by_how_far_their_grades_moved(table):
    path, grades = table
    found = studies.open(path).diff("b", "a")
    moved = {f"t{at:02}": one for at, one in enumerate((grades["b"] - grades["a"]).mean(axis=1))}
    assert [one.task for one in found.tasks] == sorted(moved, key=lambda name: -abs(moved[name]))
    assert found.tasks[0].difference == pytest.approx(moved[found.tasks[0].task])
    better = sum(one < 0 for one in moved.values())
    assert found.sentence.startswith(f"Of 40 tasks {better} got better and {40 - better} worse.")
    assert {(one.p_value, one.certainty) for one in found.tasks} == {(None, "")}
    assert (found.gained, found.lost, found.certain, found.p_any) == (0, 0, 0, None)
    before, after = found.tasks[0].results
    assert float(after) - float(before) == pytest.approx(-100 * found.tasks[0].difference, abs=0.11)
    assert "Fisher" not in repr(found)


def test_every_page_of_a_graded_study_is_made(table, tmp_path):
    report = studies.open(table[0]).report().with_ladder(["b", "a"])
    assert "graded from 0 to 1" in report.write_html(tmp_path / "page.html").read_text()
    assert report.ladder.best == "a"
    assert studies.open(table[0]).compare("a", "b", margin=50).margin.verdict == "equivalent"
    assert report.figures


def test_a_trial_in_part_is_shown_with_its_grade(table):
    study = studies.open(table[0])
    row = next(row for row in study.trials() if 0 < row.score < 1)
    assert (row.why.reason, row.why.kind) == (f"graded {row.score:g}", "partial credit")
    assert f"graded {row.score:g}" in str(study.trial(row.id))


def test_a_grade_is_an_ending_of_its_own(table):
    rows = studies.open(table[0]).trials()
    between = {row.id for row in rows if row.score not in {None, 0, 1}}
    assert between
    assert {row.id for row in rows.only_of(outcomes=["graded"])} == between
    assert {row.id for row in rows.where("grade>0", "grade<1")} == between
    assert f"{len(between):,}  graded\n" in str(rows.reasons())
    assert all(f"--outcome {each.ending} " in each.command for each in rows.reasons().reasons)


def test_a_grade_that_is_none_is_refused(table):
    with sqlite3.connect(table[0]) as db:
        db.execute("""UPDATE trials SET record = json_set(record, '$.score', 7) WHERE number = 3""")
    with pytest.raises(HonestlyError):
        studies.open(table[0]).report()


def test_a_grade_is_no_failure_that_has_a_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    graded = [f"{agent},t{at},{0.9 - at / 100}" for agent in "ab" for at in range(6)]
    (tmp_path / "t.csv").write_text("\n".join(["agent,task,score", *graded, "a,t6,0", "b,t6,1"]) + "\n")
    reasons = studies.open(tmp_path / "t.csv").report().reasons.reasons
    assert sum(each.trials for each in reasons) == 1
    assert "partial credit" not in {each.reason for each in reasons}
