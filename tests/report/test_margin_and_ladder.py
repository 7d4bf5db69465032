"""Margins and ladders as a user gets them: on the page, in JSON, and refused where they mean nothing."""

import io
import json

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from report_studies import study, task, trial
from rich.console import Console

from honestly.comparisons import _cli, comparison
from honestly.errors import AgentError, StatisticsError
from honestly.leaderboards import _cli as _report, study_report, submission_order
from honestly.records import Outcome


@pytest.fixture
def made(tmp_path):
    """Three agents on 60 tasks, five trials each: two alike, and one that is better."""
    rng = np.random.default_rng(3)
    tasks = [task(f"t{i}") for i in range(60)]
    trials = []
    for agent, gap in (("old <b>", 0.0), ("same", 0.0), ("better", 0.25)):
        for i in range(60):
            chance = 0.2 + 0.5 * (i % 7) / 7 + gap
            for k in range(5):
                won = rng.random() < chance
                trials.append(trial(agent, f"t{i}", k, Outcome.PASSED if won else Outcome.FAILED))
    return study(tmp_path / "x.honestly", ["old <b>", "same", "better"], tasks, trials, samples=5)


def shown(report):
    console = Console(width=100, file=io.StringIO())
    console.print(report)
    return console.file.getvalue()


def test_a_margin_is_tested_beside_the_comparison(made):
    report = comparison(made, "same", "better", margin=0.1)
    assert report.margin.verdict == "b is not worse"
    assert "better is not worse than same by 10.0 points or more (p" in shown(report)
    assert comparison(made, "old", "same", margin=0.15).margin.verdict == "equivalent"
    assert comparison(made, "old", "same").margin is None
    low, high = report.margin.interval
    ends = report.claim.guaranteed.interval
    assert ends[0] < low < high < ends[1]
    with pytest.raises(StatisticsError, match="a margin must lie between 0 and 1"):
        comparison(made, "same", "better", margin=2)


@pytest.mark.slow
def test_a_ladder_is_on_every_page(made, tmp_path):
    report = study_report(made).with_ladder(["old", "same", "better"])
    assert [row.announced for row in report.ladder.submissions] == [True, False, True]
    assert report.ladder.best == "better"
    assert "3 submissions, 1 of them better than every earlier one" in shown(report)
    assert "new best" in shown(report)
    page = report.write_html(tmp_path / "page.html").read_text()
    assert "Submissions in their order" in page
    assert "old <b>" not in page
    again = study_report(made).with_ladder(["better", "same"])
    assert [row.agent for row in again.ladder.submissions] == ["better", "same"]
    assert again.ladder.best == "better"
    assert study_report(made).to_plain().get("ladder") is None
    with pytest.raises(AgentError, match="no agent 'nobody'"):
        study_report(made).with_ladder(["nobody"])


def test_submissions_are_in_the_order_of_their_first_trials(tmp_path):
    starts = {"late": "2026-03-01T00:00:00Z", "early": "2026-01-01T00:00:00Z", "never": None}
    trials = [replace(trial(agent, "t", 0, Outcome.PASSED), started_at=start) for agent, start in starts.items()]
    known = study(tmp_path / "known", ["late", "early"], [task("t")], trials[:2])
    assert submission_order(known) == ["early", "late"]
    with pytest.raises(StatisticsError, match=r"does not say when 1 of its agents were first tried .*never.*--ladder"):
        submission_order(study(tmp_path / "unknown", list(starts), [task("t")], trials))


def test_both_have_an_option(made, tmp_path):
    made.close()
    path = str(tmp_path / "x.honestly")
    said = json.loads(CliRunner().invoke(_cli.compare, [path, "same", "better", "--margin", "10", "--json"]).stdout)
    assert said["margin"]["verdict"] == "b is not worse"
    said = json.loads(CliRunner().invoke(_report.report, [path, "--ladder", "same,better", "--json"]).stdout)
    assert [row["agent"] for row in said["ladder"]["submissions"]] == ["same", "better"]
    assert "margin" in CliRunner().invoke(_cli.compare, [path, "same", "better", "--margin", "0"]).output
