"""What a report says of void trials, and of trials that were done again."""

import pytest
from msgspec.structs import replace

from honestly.leaderboards import leaderboard
from honestly.records import Agent, Check, CheckRun, Outcome, Task, Trial, Usage, Verdict
from honestly.stats import Policy
from honestly.store import create_study

PASSED = Verdict(hidden=CheckRun(checks=(Check(id="c", status="passed"),)))
FAILED = Verdict(hidden=CheckRun(checks=(Check(id="c", status="failed"),)))


@pytest.fixture
def study(tmp_path):
    """Two agents at ten tasks; of one, four trials are void."""
    with create_study(tmp_path / "s.honestly") as made:
        made.add([Agent(name="a"), Agent(name="b"), *(Task(id=f"t{n}", instruction="") for n in range(10))])
        for name in "ab":
            for n in range(10):
                void = name == "a" and n < 4
                made.add_trial(
                    Trial(
                        id=f"{name}{n}",
                        agent=name,
                        task=f"t{n}",
                        sample=0,
                        outcome=Outcome.VOID if void else Outcome.PASSED if n % 2 else Outcome.FAILED,
                        reason="ModelError: gone" if void else "",
                        verdict=Verdict() if void else PASSED if n % 2 else FAILED,
                        usage=Usage(usd=0.25),
                    )
                )
        yield made


def again(study, trial_id, outcome):
    held = study.trial(trial_id)
    verdict = {"passed": PASSED, "failed": FAILED}[outcome]
    study.redo_trial(replace(held, outcome=Outcome(outcome), reason="", verdict=verdict))


def test_the_headline_begins_with_void_trials_where_they_are_many(study):
    said = leaderboard(study).sentence
    assert said.startswith(
        "Caution: 4 of 20 trials are void (4 of them of a) and counted as failed; they say nothing about the agents. "
    )
    assert "void (4 of them of a) and left out" in leaderboard(study, Policy(void="drop")).sentence
    for n in range(3):
        again(study, f"a{n}", "passed")
    assert "Caution" not in leaderboard(study).sentence, "one of twenty is not many"


def test_what_void_attempts_cost_is_spent_and_choosing_is_said(study):
    for n in range(4):
        again(study, f"a{n}", "passed")
    board = leaderboard(study)
    assert {row.name: (row.usd, row.void) for row in board.agents} == {"a": (3.5, 0), "b": (2.5, 0)}
    assert [row.usd_per_pass for row in board.agents] == [0.5, 0.5], "seven and five passed"
    assert not any("by choice" in warning for warning in board.warnings), "void is done again by itself"
    again(study, "b0", "passed")
    (said,) = [warning for warning in leaderboard(study).warnings if "by choice" in warning]
    assert said.startswith("1 trial of b had a verdict and were done again by choice; the last attempt counts.")
