"""Reasons that differ in numbers, ids and addresses alone are one; what they hold never acts on a terminal."""

import pytest
import report_studies as studies
from hypothesis import given, strategies as st
from rich.console import Console

from honestly.records import Check, CheckRun, Outcome, Trial, Verdict
from honestly.trials import failure_reasons, trial_reason

AT = "ModelError: http://{}/v1/chat: no connection after {} s (trial {}, asked {} times)"


def void(reason):
    return Trial(id="t", agent="a", task="x", sample=0, outcome=Outcome.VOID, reason=reason)


def failed(*statuses, message="", visible=None, tampered=()):
    checks = tuple(Check(id=f"c{n}", status=status, message=message) for n, status in enumerate(statuses))
    verdict = Verdict(hidden=CheckRun(checks=checks), visible=studies.checks(visible), tampered=tampered)
    return Trial(id="t", agent="a", task="x", sample=0, outcome=Outcome.FAILED, verdict=verdict)


def test_numbers_ids_and_addresses_make_no_difference():
    one = trial_reason(void(AT.format("127.0.0.1:8123", "0.5", "2f4e70529884aa", 6)))
    other = trial_reason(void(AT.format("gpu-7.example.org", "12", "00a1b2c3d4e5", 31)))
    assert one.masked_text == other.masked_text
    assert one.id == other.id
    assert one.reason != other.reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HTTP 401: refused", "HTTP 503: refused"),
        ("exit status 127", "exit status 1"),
        ("ModelError: no key", "SandboxError: no key"),
    ],
)
def test_what_differs_in_more_stays_apart(one, other):
    assert trial_reason(void(one)).id != trial_reason(void(other)).id


def test_a_verdict_says_why_where_no_reason_is_on_record():
    found = trial_reason(
        failed("passed", "failed", message="the solution raised builtins.KeyError: 'x7'", visible=True)
    )
    assert "KeyError" in found.masked_text
    assert "1 of 2; c1" in found.reason
    kinds = [
        failed("failed", visible=True),
        failed("failed", visible=False),
        failed("missing", "missing"),
        failed("timeout"),
        failed("failed", tampered=("wrote conftest.py",)),
        failed(),
    ]
    assert len({trial_reason(each).masked_text for each in kinds}) == len(kinds)
    assert not trial_reason(Trial(id="t", agent="a", task="x", sample=0, outcome=Outcome.PASSED)).id


@given(st.text(max_size=300))
def test_any_reason_becomes_one_harmless_line(text):
    line = trial_reason(void(text)).masked_text
    assert line.isprintable()
    assert len(line) <= 400
    assert trial_reason(void(line)).masked_text == line


def test_a_study_says_its_reasons_and_what_shows_them(tmp_path):
    path = tmp_path / "it's.honestly"
    trials = [
        studies.trial("a", "x", n, Outcome.VOID, reason=AT.format("10.0.0.1:80", n, f"{n:032x}", n)) for n in range(12)
    ]
    trials += [studies.trial("b", "x", n, Outcome.LIMIT, reason="\x1b]0;owned\x07\u202etime limit") for n in range(2)]
    trials += [studies.trial("b", "twin", 0, Outcome.FAILED, visible=False, hidden=False)]
    tasks = [studies.task("x"), studies.task("twin", impossible=True)]
    with studies.study(path, ["a", "b"], tasks, trials) as store:
        found = failure_reasons(store, str(path))
        assert [(each.outcome, each.trials) for each in found.reasons] == [("void", 12), ("limit", 2), ("failed", 1)]
        assert "impossible" in found.reasons[2].reason
        assert not failure_reasons(store, str(path), only=())
        assert [each.outcome for each in found.only_outcomes(Outcome.LIMIT).reasons] == ["limit"]
    console = Console(width=80)
    with console.capture() as shown:
        console.print(found, crop=False)
    text = shown.get()
    assert "--outcome void --why" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.slow
def test_terminal_benchs_reasons_are_those_of_its_harness(tmp_path):
    with studies.terminal_bench(tmp_path / "tb.honestly") as store:
        found = {(each.outcome, each.reason): each.trials for each in failure_reasons(store).reasons}
    assert found["void", "parse_error"] == 131
    assert found["limit", "agent_timeout"] == 774
    assert sum(found.values()) == 3600 - 1371
