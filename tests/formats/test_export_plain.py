"""Trials as a table and as JUnit's XML, and what comes back of them."""

from __future__ import annotations

import pytest
from published import items, trials

from honestly.formats import EXPORTERS, Exported, Remark
from honestly.records import Agent, Check, CheckRun, Outcome, Tags, Task, Trial, Usage, Verdict

NAMES = ("plain", 'odd "name", <b>&\n=1+1 \x01 é')


def made():
    """Trials of two agents with every outcome."""
    tags = Tags(cluster="repo", weight=2.0, category="repair", language="python", difficulty="hard", date="2026-01-31")
    for agent in map(lambda name: Agent(name=name), NAMES):  # noqa: C417 - each record once
        for number, outcome in enumerate(Outcome):
            failed = CheckRun(checks=(Check(id="test_a", status="failed", message="]]> <no>"),))
            yield Exported(
                Trial(
                    id=f"{agent.name}{number}", agent=agent.name, task=f"t.{number // 2}", sample=number % 2, outcome=outcome,
                    reason="why <&>", seconds=1.5, usage=Usage(usd=0.25), verdict=Verdict(hidden=failed),
                    score=0.3 if outcome is Outcome.FAILED else None,
                ),
                agent, Task(id=f"t.{number // 2}", instruction="", tags=tags), None,
            )  # fmt: skip


def test_a_table_comes_back_whole(tmp_path):
    assert set(EXPORTERS.make_object("table")(made(), tmp_path)) == {""}
    back = {(trial.agent, trial.task, trial.outcome, trial.score, trial.usage.usd) for trial in trials(items(tmp_path))}
    assert back == {(each.trial.agent, each.trial.task, each.trial.outcome, each.trial.score, 0.25) for each in made()}


def test_junit_comes_back_as_far_as_it_can_say(tmp_path):
    remarks = [said for said in EXPORTERS.make_object("junit")(made(), tmp_path) if said]
    assert [type(each) for each in remarks] == [Remark, Remark]
    assert "it is graded, which JUnit cannot say: written as failed" in remarks[0]
    assert 'message="graded 0.3; why ' in (tmp_path / "plain.xml").read_text()
    found = trials(items(tmp_path))
    assert len(list(tmp_path.iterdir())) == 2
    said = {Outcome.PASSED: "passed", Outcome.FAILED: "failed", Outcome.LIMIT: "failed", Outcome.VOID: "void"}
    wanted = sorted((each.trial.task, said[each.trial.outcome]) for each in made())
    assert sorted((trial.task, trial.outcome.value) for trial in found) == wanted
    assert {trial.agent for trial in found} == {"plain", NAMES[1].replace("\x01", "?")}
    messages = {check.message for trial in found for check in trial.verdict.hidden.checks if check.message}
    assert any("test_a: failed ]]> <no>" in message for message in messages)


@pytest.mark.parametrize("name", ["table", "junit"])
def test_nothing_to_write_is_nothing_wrong(name, tmp_path):
    assert list(EXPORTERS.make_object(name)([], tmp_path)) == []
