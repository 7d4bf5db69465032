"""Trajectories in ADP: real samples with nothing invented and nothing lost, and our own export again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from published import items, of

from honestly.errors import FormatError
from honestly.formats import EXPORTERS, Exported, Imported, importers_for
from honestly.records import Agent, Observation, Outcome, Step, Task, ToolCall, Trajectory, Trial

ADP = Path(__file__).parents[2].parent / "shared" / "data" / "adp"


@pytest.mark.published
@pytest.mark.parametrize(
    "name", ["agenttuning_alfworld", "swe-gym_openhands_sampled_trajectories", "swe-play-trajectories", "swe-smith"]
)
def test_real_samples_hold_what_they_said(name):
    if not ADP.is_dir():
        pytest.skip("needs adp in ../shared/data, beside the checkout")
    path = ADP / name / "sample_std.json"
    assert importers_for(path) == "adp"
    found = of(Imported, items(path))
    rows = json.loads(path.read_text())
    assert len(found) == len(rows)
    for row, each in zip(rows, found, strict=True):
        kinds = Counter(item["class_"] for item in row["content"])
        steps = each.trajectory.steps
        calls = [call for step in steps for call in step.calls]
        assert len(calls) == kinds["api_action"] + kinds["code_action"]
        assert sum(step.source == "agent" for step in steps) == len(calls) + kinds["message_action"]
        seen = [step.message for step in steps if step.source == "user"]
        seen += [one.text for step in steps for one in step.observations]
        assert Counter(seen) == Counter(
            item["content"] for item in row["content"] if item["class_"] == "text_observation"
        )
        programs = [
            str(call.argument("command") or call.argument("code")) for call in calls if call.name in {"bash", "python"}
        ]
        assert set(programs) >= {item["content"] for item in row["content"] if item["class_"] == "code_action"}
        resolved = str(row["details"].get("resolved", "")).lower()
        assert each.trial.outcome.value == {"true": "passed", "false": "failed"}.get(resolved, "void")
    with pytest.raises(FormatError, match="conversations for fine-tuning"):
        items(ADP / name / "sample_sft_openhands.json")


def test_an_export_of_ours_comes_back(tmp_path):
    steps = (
        Step(source="user", message="List it."),
        Step(source="agent", message="Looking.", calls=(ToolCall.of("1", "bash", command="ls"),),
             observations=(Observation(text="a b", call_id="1"),)),
        Step(source="agent", message="Done."),
    )  # fmt: skip
    trial = Trial(id="x", agent="a", task="t", sample=2, outcome=Outcome.LIMIT, reason="time")
    made = [Exported(trial, Agent(name="a", model="m"), Task(id="t", instruction="List it."), Trajectory(steps=steps))]
    assert list(EXPORTERS.make_object("adp")(made, tmp_path)) == [""]
    (back,) = of(Imported, items(tmp_path))
    assert (back.trial.agent, back.trial.task, back.trial.sample, back.trial.outcome) == ("a", "t", 2, Outcome.LIMIT)
    assert [step.source for step in back.trajectory.steps if step.source == "user"] == ["user"]
    calls = [call for step in back.trajectory.steps for call in step.calls]
    assert [(call.name, call.argument("command")) for call in calls] == [("bash", "ls")]
    assert [one.text for step in back.trajectory.steps for one in step.observations] == ["a b"]
    assert {step.message for step in back.trajectory.steps} >= {"List it.", "Done."}
