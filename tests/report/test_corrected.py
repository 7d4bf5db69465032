"""What stands of the scores after an audit: by hand, and on the published run whose grader counted skipped tests."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
import report_studies as studies
from click.testing import CliRunner
from rich.console import Console

from honestly.agents.external._second import DETECTOR
from honestly.audit import GRADER_DEFECT, audit_study, choose_detectors
from honestly.cli import cli
from honestly.formats import read_terminal_bench
from honestly.leaderboards import corrected_scores, leaderboard, render_html, study_report
from honestly.leaderboards._corrected import TWO_RECORDS
from honestly.records import Agent, Finding, Outcome, Tags, Task, Trial
from honestly.store import create_study

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "terminal-bench" / "terminal-bench-core@0.1.1"


def trial(number: int, agent: str, task: str, outcome: Outcome = Outcome.PASSED) -> Trial:
    return Trial(id=f"{number:032x}", agent=agent, task=task, sample=0, outcome=outcome)


def finding(number: int, state: str, detector: str = "d", version: str = "1", category: str = "hack") -> Finding:
    return Finding(trial=f"{number:032x}", detector=detector, version=version, state=state, category=category)  # type: ignore[arg-type]


@pytest.fixture
def study(tmp_path: Path):
    """Agent a passes all of four tasks, by a defect, by a flagged hack, unread, and honestly; agent b fails one."""
    twin = Task(id="twin", instruction="", tags=Tags(variant="impossible"))
    with create_study(tmp_path / "s.honestly") as opened:
        opened.add([Agent(name="a"), Agent(name="b"), twin, *(Task(id=f"t{i}", instruction="") for i in range(4))])
        for number in range(4):
            opened.add_trial(trial(number, "a", f"t{number}"))
        opened.add_trial(trial(4, "b", "t0", Outcome.FAILED))
        opened.add_trial(trial(5, "b", "t1"))
        opened.add_trial(trial(6, "a", "twin"))
        yield opened


def test_a_study_that_was_never_audited_has_nothing_corrected(study) -> None:
    assert corrected_scores(study) is None


def test_defects_and_flags_are_taken_off_one_after_the_other(study) -> None:
    study.add([finding(n, "clean") for n in (0, 3, 4, 5)])
    study.add(
        [finding(0, "flagged", "grader", category=GRADER_DEFECT), finding(1, "flagged"), finding(2, "unreadable")]
    )
    study.add([finding(6, "flagged")])
    found = corrected_scores(study)
    assert found is not None
    a, b = found.agents
    assert (a.name, a.published.score, a.ran.score, a.unflagged.score) == ("a", 1.0, 0.75, 0.5)
    assert (a.published.passes, a.ran.passes, a.unflagged.passes, a.unread, a.trials) == (4, 3, 2, 1, 4)
    assert a.unflagged.interval is not None
    assert a.unflagged.interval[0] < 0.5 < a.unflagged.interval[1]
    assert b.published == b.ran == b.unflagged
    assert not b.lost_passes
    assert (found.defects, found.flagged, found.unread_share) == (1, 1, 1 / 6)
    assert found.detectors == {"d": "1", "grader": "1"}
    assert not found.notes
    published = {row.name: row.honest for row in leaderboard(study).agents}
    assert published == {"a": a.published.score, "b": b.published.score}


def test_only_the_last_version_of_a_detector_counts_and_unaudited_trials_are_said(study) -> None:
    study.add([finding(1, "flagged"), finding(1, "clean", version="2")])
    found = corrected_scores(study)
    assert found is not None
    assert found.detectors == {"d": "2"}
    assert (found.flagged, found.agents[0].lost_passes) == (0, False)
    assert found.notes == ("5 of 6 trials were not audited; `honestly audit` continues with them.",)
    assert found.unread_share == 5 / 6


def test_terminal_page_and_json_show_it(study, tmp_path: Path) -> None:
    study.add([Agent(name="\x1b[31m<b>evil"), trial(9, "\x1b[31m<b>evil", "t0")][:1])
    study.add_trial(trial(9, "\x1b[31m<b>evil", "t0"))
    study.add([finding(9, "flagged", version="<i>2")])
    found = corrected_scores(study)
    shown = StringIO()
    Console(file=shown, width=80).print(found)
    assert "1 more is flagged" in " ".join(shown.getvalue().split())
    assert "100.0 (1)" in shown.getvalue()
    assert "0.0 (0)" in shown.getvalue()
    assert "\x1b" not in shown.getvalue()
    page = render_html(leaderboard(study), corrected=found)
    assert "What stands of these scores" in page
    assert "<i>2" not in page
    assert "<b>evil" not in page
    study.close()
    done = CliRunner().invoke(cli, ["report", str(tmp_path / "s.honestly"), "--json"])
    said = json.loads(done.stdout)["corrected"]
    assert said["flagged"] == 1
    assert said["agents"][0]["published"]["score"] is not None
    assert said["sentence"].startswith("Of ")


@pytest.mark.published
@pytest.mark.skipif(not DATA.is_dir(), reason="the published results are not beside the checkout")
def test_the_skipped_tests_of_terminal_bench_show_in_the_report(tmp_path: Path) -> None:
    path = tmp_path / "tb.honestly"
    with create_study(path) as opened:
        opened.add(read_terminal_bench(DATA / "20250829_goose_claude-4-sonnet"))
        audit_study(opened, choose_detectors(["skipped-as-passed"]))
        found = corrected_scores(opened)
        published = leaderboard(opened).agents[0].honest
    assert found is not None
    (row,) = found.agents
    assert (row.published.passes, row.ran.passes, row.unflagged.passes) == (165, 161, 161)
    assert row.published.score == published
    assert row.ran.score is not None
    assert row.ran.score < row.published.score
    assert found.sentence == "Of 165 passes, 4 rest on a defect of the grader, and 0 more are flagged as a hack."
    assert found.unread_share == 1, "one detector of verdicts read none of the steps"
    done = CliRunner().invoke(cli, ["report", str(path)])
    assert "4 rest on a defect of the grader" in " ".join(done.stdout.split())


def test_what_a_run_notes_by_itself_is_no_audit(tmp_path):
    assert TWO_RECORDS == DETECTOR
    held = [studies.trial("a", "x", 0, Outcome.PASSED, visible=True, hidden=True)]
    with studies.study(tmp_path / "s.honestly", ["a"], [studies.task("x")], held) as store:
        store.add([Finding(trial=held[0].id, detector=DETECTOR, version="1", state="unreadable")])
        assert study_report(store).corrected is None
        store.add([Finding(trial=held[0].id, detector="special-case", version="1", state="unreadable")])
        assert study_report(store).corrected.unread_share == 1
