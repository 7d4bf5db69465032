"""JUnit's XML: every case of the real reports, the worst of several results, and files that are none."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from honestly.errors import FormatError
from honestly.formats import Imported, importer_of
from honestly.records import Agent, Defect, Outcome

REAL = Path(__file__).parents[2].parent / "shared" / "data" / "formats" / "junit"


def of(kind, found):
    return [each for each in found if isinstance(each, kind)]


def read(path: Path, text: str) -> list[object]:
    path.write_text(text)
    return list(importer_of("junit")(path))


@pytest.mark.published
def test_the_real_reports_hold_what_was_counted_in_them():
    if not REAL.is_dir():
        pytest.skip("needs formats/junit in ../shared/data, beside the checkout")
    found = list(importer_of("junit")(REAL))
    trials = [item.trial for item in of(Imported, found)]
    refused = {each.where: each.detail for each in of(Defect, found) if each.effect == "refused"}
    names = Counter((trial.source.rpartition(":")[0], trial.task) for trial in trials)
    for name, said in json.loads((REAL / "expected.json").read_text()).items():
        mine = [trial for trial in trials if trial.source.startswith(f"{name}:")]
        if "not_wellformed" in said:
            assert (mine, refused[name]) == ([], f"not well-formed: {said['not_wellformed']}")
            continue
        states = Counter(trial.verdict.hidden.checks[0].status for trial in mine)
        assert (len(mine), states["skipped"], states["error"]) == (said["testcases"], said["skipped"], said["errors"])
        assert states["failed"] == said["failed"]
        assert sum(count - 1 for (file, _), count in names.items() if file == name) == said["dup_names"]
    assert refused["test-reporter__nunit-sample.xml"] == (
        "no format that is known by its content: it looks like XML with the root test-run"
    )


def test_a_case_with_several_results_has_the_worst_and_the_file_says_who(tmp_path):
    found = read(
        tmp_path / "r.xml",
        "<testsuites><testsuite name='s'><properties><property name='agent' value='me'/></properties>"
        "<testcase name='a' time='1,000.5'><skipped/><failure message='no'/><error>worse</error></testcase>"
        "<testcase name='b'><error> why </error><skipped/></testcase><testcase classname='C' name='c'/>"
        "<testcase name='d'><skipped message='later'/></testcase></testsuite></testsuites>",
    )
    trials = {item.trial.task: item.trial for item in of(Imported, found)}
    assert [agent.name for agent in of(Agent, found)] == ["me"]
    assert {name: trial.outcome for name, trial in trials.items()} == {
        "s.a": Outcome.FAILED, "s.b": Outcome.FAILED, "C.c": Outcome.PASSED, "s.d": Outcome.VOID}  # fmt: skip
    checks = {name: trial.verdict.hidden.checks[0] for name, trial in trials.items()}
    assert [(checks[name].status, checks[name].message) for name in ("s.a", "s.b", "s.d")] == [
        ("failed", "no"), ("error", "why"), ("skipped", "later")]  # fmt: skip
    assert trials["s.a"].seconds == 1000.5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><testsuite><testcase name='&a;'/></testsuite>", "document type"),
        ("<testsuite>" * 60, "more than 50 deep"),
        ("<testsuite><testcase name='a'/>", "not well-formed"),
        ("<testsuite/>", "no test cases"),
    ],
)
def test_what_is_no_report_is_refused(tmp_path, text, words):
    with pytest.raises(FormatError, match=words):
        read(tmp_path / "x.xml", text)
