"""`honestly export` and `honestly import --from atif`: there and back, and what cannot be said is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from honestly.cli import cli
from honestly.records import Agent, Outcome, Picture, Step, Task, Trajectory, Trial
from honestly.store import create_study, open_study


def call(*arguments: object) -> dict[str, Any]:
    done = CliRunner().invoke(cli, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def make(path: Path) -> None:
    steps = (Step(source="user", message="Do.", images=(Picture(data=b"PNG"),)), Step(source="agent", message="Done."))
    with create_study(path) as study:
        study.add(
            [Agent(name="../evil: agent", model="m"), Task(id="q", instruction="Do."), Task(id="r", instruction="R")]
        )
        for sample, task in enumerate(["q", "q", "r"]):
            trial = Trial(id=f"{sample:032d}", agent="../evil: agent", task=task, sample=sample, outcome=Outcome.PASSED)
            study.add_trial(trial, Trajectory(steps=steps, stop="done") if sample else None)


def test_a_study_goes_out_as_atif_and_comes_back(tmp_path: Path) -> None:
    make(tmp_path / "s.honestly")
    told = call("export", tmp_path / "s.honestly", "--to", "atif", tmp_path / "out")
    assert told["written"] == 2
    assert told["left_out"] == {"it has no trajectory": 1}
    (folder,) = (tmp_path / "out").iterdir()
    assert folder.name.startswith("_evil__agent-")
    told = call("import", "--from", "atif", tmp_path / "out", "--out", tmp_path / "again.honestly")
    assert (told["trials"], told["defects"]) == (2, [])
    with open_study(tmp_path / "s.honestly") as before, open_study(tmp_path / "again.honestly") as after:
        assert after.agents() == before.agents()
        trials = list(after.trials())
        assert trials == [trial for trial in before.trials() if before.trajectory(trial.id)]
        assert [after.trajectory(t.id) for t in trials] == [before.trajectory(t.id) for t in trials]


def test_a_folder_that_was_not_made_is_not_named_as_made(tmp_path: Path) -> None:
    make(tmp_path / "s.honestly")
    with open_study(tmp_path / "s.honestly", mode="write") as study:
        study.add([Task(id="s", instruction="S")])
        study.add_trial(Trial(id="9" * 32, agent="../evil: agent", task="s", sample=0, outcome=Outcome.PASSED), None)
    asked = ["export", str(tmp_path / "s.honestly"), "--to", "atif", str(tmp_path / "out"), "--task", "s"]
    assert call(*asked) == {"folder": None, "written": 0, "left_out": {"it has no trajectory": 1}}
    done = CliRunner().invoke(cli, asked)
    assert "nothing was written" in done.stderr
    assert "wrote" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_study_goes_out_as_lines_for_training(tmp_path: Path) -> None:
    make(tmp_path / "s.honestly")
    told = call("export", tmp_path / "s.honestly", "--to", "adp", tmp_path / "out", "--task", "q")
    assert (told["written"], told["left_out"]) == (1, {"it has no trajectory": 1})
    (line,) = (tmp_path / "out" / "full_std.jsonl").read_text().splitlines()
    content = json.loads(line)["content"]
    assert [item["class_"] for item in content] == ["text_observation", "image_observation", "message_action"]
    assert (tmp_path / "out" / content[1]["content"]).read_bytes() == b"PNG"


def test_an_export_writes_over_nothing(tmp_path: Path) -> None:
    make(tmp_path / "s.honestly")
    result = CliRunner().invoke(cli, ["export", str(tmp_path / "s.honestly"), str(tmp_path), "--to", "adp"])
    assert result.exit_code != 0
    assert "is not empty" in str(result.exception)
    assert not (tmp_path / "full_std.jsonl").exists()
