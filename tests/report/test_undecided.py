"""Passes that prove nothing: shown with their reason in every report, and failed where the policy is strict."""

import json

import pytest
import report_studies
from click.testing import CliRunner
from msgspec.structs import replace

from honestly.cli import cli
from honestly.records import Check, CheckRun, Outcome, Verdict
from honestly.runner import JudgedSample
from honestly.runner._results_file import JudgedResult
from honestly.samples import RatesView, pass_rates
from honestly.studies import Study
from sampled import sampled

AGENTS = ("inside", "wire")


@pytest.fixture
def made(tmp_path):
    """One agent's passes are all undecided, but one; the other's are sure."""
    trials = []
    for number in range(6):
        for agent in AGENTS:
            trial = report_studies.trial(agent, f"t{number}", 0, Outcome.PASSED, visible=True, hidden=True)
            doubt = {0: {}, 1: {"c": "unguarded", "d": "form"}, 2: {"c": "chance", "d": "form"}}.get(
                number, {"c": "form"}
            )
            if agent == "inside" and doubt:
                checks = tuple(Check(id=name, status="passed") for name in doubt)
                verdict = Verdict(visible=trial.verdict.visible, hidden=CheckRun(checks=checks, undecided=doubt))
                trial = replace(trial, verdict=verdict, outcome=Outcome.FAILED if number == 2 else Outcome.PASSED)
            trials.append(trial)
    path = tmp_path / "made.honestly"
    report_studies.study(path, AGENTS, [report_studies.task(f"t{n}") for n in range(6)], trials).close()
    return path


def said(*words):
    found = CliRunner().invoke(cli, [*map(str, words), "--json"], catch_exceptions=False)
    return json.loads(found.stdout)


def rows(report):
    return {row["name"]: (row["honest"], row["undecided"]) for row in report["agents"]}


@pytest.mark.slow
def test_a_report_says_what_is_undecided_and_why_and_a_strict_one_counts_it_as_failed(made):
    undecided = {"chance": 1, "form": 3, "unguarded": 1}
    lenient, strict = said("report", made), said("report", made, "--strict")
    assert rows(lenient) == {"inside": (pytest.approx(5 / 6), undecided), "wire": (1, {})}
    assert rows(strict) == {"inside": (pytest.approx(1 / 6), undecided), "wire": (1, {})}
    assert (lenient["policy"]["undecided"], strict["policy"]["undecided"]) == ("pass", "fail")
    assert "4 trials passed, undecided (3 by form and 1 by unguarded): counted as passed" in str(lenient["warnings"])
    assert "counted as failed, by the strict policy" in str(strict["warnings"])
    assert "1 trial passed by chance, and not again: counted as failed" in str(lenient["warnings"])
    assert {"undecided: form", "undecided: unguarded"} < {group["reason"] for group in strict["reasons"]}
    text = CliRunner().invoke(cli, ["report", str(made)], env={"COLUMNS": "140"}, catch_exceptions=False).stdout
    assert "undecided" in next(line for line in text.splitlines() if "interval" in line)
    page = Study(made).report().write_html(made.with_suffix(".html")).read_text()
    assert '<td title="1 by chance, 3 by form, 1 by unguarded">5</td>' in page


def test_pairs_are_compared_under_the_same_policy(made):
    assert said("compare", made, "wire", "inside")["difference"] == pytest.approx(1 / 6)
    assert said("compare", made, "wire", "inside", "--strict")["difference"] == pytest.approx(5 / 6)


@pytest.mark.slow
@pytest.mark.parametrize("kept", sampled([True, False]))
def test_all_that_asks_a_study_has_the_same_option_and_heeds_what_the_study_was_run_with(made, kept, tmp_path):
    option = () if kept else ("--strict",)
    other = tmp_path / "other.honestly"
    said("merge", made, "--out", other)
    lenient = CliRunner().invoke(cli, ["gate", str(made), "-a", "inside", "--baseline-agent", "wire", "--json"])
    assert json.loads(lenient.stdout)["difference"] == pytest.approx(-1 / 6)
    if kept:
        with Study(made).store("write") as store:
            store.set_facts(replace(store.facts(), strict=True))
    gate = said("gate", made, "-a", "inside", "--baseline-agent", "wire", *option)
    assert gate["difference"] == pytest.approx(-5 / 6)
    assert said("gate", other, "--baseline", made, "-a", "inside", "--baseline-agent", "wire", *option)[
        "difference"
    ] == pytest.approx(-5 / 6), "both as one policy counts"
    diff = said("diff", made, "wire", "inside", *option)
    assert (diff["lost"], diff["overall"]["difference"]) == (5, pytest.approx(5 / 6))
    audit = said("audit", made, *option)
    assert {row["arm"]: row["published"] for row in audit["standings"]} == {"inside": 1, "wire": 6}
    said("export", made, tmp_path / "table", "--to", "table", *option)
    rows = (tmp_path / "table/trials.csv").read_text().splitlines()
    assert sum(",passed," in row for row in rows) == 7
    said("merge", made, other, "--out", tmp_path / "both.honestly")
    assert Study(tmp_path / "both.honestly").report().to_plain()["study"].get("strict", False) is kept


def test_a_study_that_was_run_strictly_is_reported_so_for_good(made):
    study = Study(made)
    with study.store("write") as store:
        store.set_facts(replace(store.facts(), strict=True))
        assert store.tally() == {Outcome.PASSED: 7, Outcome.FAILED: 5}
        assert sum(each.trials for each in store.ended().counts if each.outcome is Outcome.PASSED) == 7
    assert rows(said("report", made))["inside"][0] == pytest.approx(1 / 6)
    assert said("report", made)["study"]["strict"] is True
    assert [row.reason for row in study.trials().where("undecided=form")] == ["undecided: form"] * 3
    assert study.trials().where("undecided=form").trials[0].outcome is Outcome.FAILED


@pytest.mark.slow
def test_a_strict_run_fails_a_pass_of_tests_whose_twins_are_told_by_their_form(tmp_path):
    exercise = tmp_path / "track" / "exercises" / "practice" / "add"
    for path, text in {
        ".meta/config.json": '{"files": {"solution": ["add.py"], "test": ["add_test.py"], "example": [".meta/right.py"]}}',
        ".meta/right.py": "def add(a, b):\n    return a + b\n",
        ".docs/instructions.md": "Add.",
        "add.py": "def add(a, b):\n    pass\n",
        "add_test.py": "import pytest\n\nfrom add import add\n\ndef test_add():\n    assert add(2, 3) == 5\n",
    }.items():
        (exercise / path).parent.mkdir(parents=True, exist_ok=True)
        (exercise / path).write_text(text)
    for name, options, honest in (("lenient", (), 1), ("strict", ("--strict",), 0)):
        out = tmp_path / f"{name}.honestly"
        run = said("run", tmp_path / "track", "--agent", "oracle", "--out", out, *options)
        assert run["undecided"] == {"oracle": {"form": 1}}
        assert rows(said("report", out)) == {"oracle": (honest, {"form": 1})}


def test_undecided_samples_are_counted_apart_and_fail_where_the_policy_is_strict():
    found = [
        JudgedSample("p", 0, JudgedResult(status="passed", result="", checks={"c": "passed"}), ()),
        JudgedSample("p", 1, JudgedResult(status="passed", result="", checks={"c": "passed"}, undecided=("c",)), ()),
        JudgedSample("p", 2, JudgedResult(status="undecided", result="", checks={"c": "undecided"}, again="void"), ()),
        JudgedSample("p", 3, JudgedResult(status="failed", result="", checks={"c": "failed"}, undecided=("d",)), ()),
    ]
    lenient, strict = pass_rates(found, [1]), pass_rates(found, [1], strict=True)
    assert (lenient.estimates[0].value, strict.estimates[0].value) == (0.5, 0.25)
    assert (lenient.undecided, lenient.outcomes["undecided"]) == (2, 1)
    assert ("strict" in lenient.summary(), strict.summary()["strict"]) == (False, True)
    assert RatesView(lenient, "p")
