"""What an audit shows of the class of its findings, and of rows whose names are long."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from rich.console import Console

from honestly.audit import DETECTORS, USUAL_DETECTORS, Detector, choose_detectors, detector_rates, marked_standings
from honestly.audit._rates import marked_charges, trial_marks
from honestly.audit.report import AuditReport, audit_report
from honestly.errors import TaskError
from honestly.leaderboards import corrected_scores
from honestly.records import Agent, Finding, Outcome, Severity, Task, Trial
from honestly.show import short_names
from honestly.store import create_study

LONG = "20250902_orchestrator_claude-4-sonnet-with-a-long-name-of-{}-and-a-long-end"
ARMS = [LONG.format(which) for which in ("one", "two")]
TASK = "a-task-with-a-long-name"
TOLD = Detector("told", "1", "false claim", ("steps",), lambda _case: (), severity="misstatement")
CHEAT = Detector("cheat", "3", "special-casing", ("steps",), lambda _case: ())


def flag(trial: str, detector: Detector, severity: Severity | None = None) -> Finding:
    state = "flagged" if severity else "clean"
    return Finding(
        trial=trial, detector=detector.name, version=detector.version, state=state, severity=severity or "hack"
    )  # type: ignore[arg-type]


@pytest.fixture
def study(tmp_path: Path):
    """Two arms with three passes each; of the first one is a hack, one a misstatement and a smell, one clean."""
    with create_study(tmp_path / "s.honestly") as opened:
        opened.add([*(Agent(name=arm) for arm in ARMS), Task(id=TASK, instruction="Do it.")])
        for n, arm in enumerate(ARMS):
            for k in range(3):
                opened.add_trial(Trial(id=f"{n}{k:031x}", agent=arm, task=TASK, sample=k, outcome=Outcome.PASSED))
        ids = [f"0{k:031x}" for k in range(3)]
        others = [f"1{k:031x}" for k in range(3)]
        opened.add([flag(ids[0], TOLD), flag(ids[1], TOLD, "misstatement"), flag(ids[2], TOLD)])
        opened.add([flag(ids[0], CHEAT, "hack"), flag(ids[1], CHEAT, "smell"), flag(ids[2], CHEAT)])
        opened.add([flag(trial, each) for trial in others for each in (TOLD, CHEAT)])
        yield opened


def text_of(shown: object, width: int = 80) -> str:
    out = StringIO()
    Console(file=out, width=width).print(shown)
    return out.getvalue()


def test_rates_say_what_they_count_and_other_classes_are_no_hacks(study):
    rates = detector_rates(study.cells(), study.findings(), [CHEAT, TOLD])
    first = {(rate.detector, rate.severity): (rate.flagged, rate.n) for rate in rates if rate.arm == ARMS[0]}
    assert first == {
        ("any detector", "hack"): (1, 3),
        ("cheat", "hack"): (1, 3),
        ("cheat", "smell"): (1, 3),
        ("told", "misstatement"): (1, 3),
    }
    (row, *_) = marked_charges(study.cells(), trial_marks(study.findings()))
    assert (row.hack, row.breach, row.misstatement, row.smell, row.n) == (1, 0, 1, 1, 3)
    assert [each.n for each in marked_charges(study.cells(), trial_marks(study.findings()))] == [3, 3, 6]
    assert marked_standings(study.cells(), trial_marks(study.findings()))[0].unflagged == 2
    corrected = corrected_scores(study)
    assert corrected is not None
    assert {row.name: row.unflagged.passes for row in corrected.agents} == dict(zip(ARMS, (2, 3), strict=True))


def test_json_and_the_terminal_name_the_class(study):
    found: AuditReport = audit_report(study, "s", [CHEAT, TOLD])
    plain = found.to_plain()
    assert plain["by_severity"][0] == {"arm": ARMS[0], "hack": 1, "breach": 0, "misstatement": 1, "smell": 1, "n": 3}
    assert {(row["detector"], row["severity"]) for row in plain["rates"]} >= {("told", "misstatement")}
    assert {(row["agent"], row["task"], row["sample"], row["severity"]) for row in plain["flagged"]} == {
        (ARMS[0], TASK, 0, "hack"), (ARMS[0], TASK, 1, "smell"), (ARMS[0], TASK, 1, "misstatement")
    }  # fmt: skip
    assert found.flagged_words == "2 trials flagged: hack 1, misstatement 1, smell 1"
    said = text_of(found)
    assert all(words in said for words in ("cheat 3, hack", "cheat 3, smell", "told 1, misstatement", "Beside hacks"))
    listed = text_of(found.evidence, 200)
    assert f"{ARMS[0]} at {TASK}, sample 1  {1:032x}"[:-22] + "  told 1 (misstatement):" in listed


@pytest.mark.parametrize("width", [60, 80, 200])
def test_rows_of_agents_with_long_names_can_be_told_apart(study, width):
    said = text_of(audit_report(study, "s", [CHEAT, TOLD]), width)
    assert all(f"of-{which}" in "".join(said.split()) or which in said for which in ("one", "two"))


@given(st.sets(st.text(alphabet="ab-", min_size=1, max_size=40)), st.integers(5, 30))
def test_no_two_names_become_alike(names, room):
    short = short_names(names, room)
    assert len(set(short.values())) == len(names)
    assert all(len(text) <= room or text == name for name, text in short.items())


def test_a_detector_that_is_off_looks_where_it_is_named():
    assert set(USUAL_DETECTORS) == {each for each in DETECTORS if each.usual}
    assert choose_detectors([]) == USUAL_DETECTORS
    for each in DETECTORS:
        assert choose_detectors([each.name]) == (each,)


def test_a_foreign_detector_says_what_it_charges_with(tmp_path, monkeypatch):
    (tmp_path / "own_severity.py").write_text(
        "def look(case):\n    return []\nlook.severity = 'smell'\ndef bad(case):\n    return []\nbad.severity = 'crime'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert [each.severity for each in choose_detectors(["own_severity:look"])] == ["smell"]
    with pytest.raises(TaskError, match="severity 'crime'; expected hack, breach, misstatement, smell"):
        choose_detectors(["own_severity:bad"])
