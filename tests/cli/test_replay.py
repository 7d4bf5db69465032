"""`honestly replay` on a study that `honestly run` has made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.store import open_study

TURNS = [
    {"text": "I look.", "calls": [{"name": "bash", "arguments": {"command": "ls; date; echo $RANDOM"}}]},
    {"calls": [{"name": "finish", "arguments": {"outcome": "done", "summary": "It is done."}}]},
]


@pytest.mark.slow
def test_a_trial_of_a_study_is_played_again(tmp_path: Path) -> None:
    script, study = tmp_path / "script.jsonl", tmp_path / "s.honestly"
    script.write_text("\n".join(map(json.dumps, TURNS)))
    common = ["run", "embedded", "--task", "split-bill", "--agent", "honest", "--model", f"script:{script}"]
    done = CliRunner().invoke(cli, [*common, "--out", str(study), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    with open_study(study) as opened:
        (trial,) = opened.trial_ids()
    script.unlink()
    again = CliRunner().invoke(
        cli, ["agent", "replay", str(study), trial[:6], "--json"], catch_exceptions=False, standalone_mode=False
    )
    told = json.loads(again.stdout)
    assert told["trial"] == trial
    assert told["outcome"] == {"recorded": "failed", "replayed": "failed"}
    differing = [(one["step"], one["what"]) for one in (*told["differences"], *told["noise"])]
    assert {what for _, what in differing} == {"observation 1"}
    assert again.return_value == (0 if told["same"] else 1)
    shown = CliRunner().invoke(cli, ["agent", "replay", str(study), trial])
    assert "steps were replayed" in shown.stderr
    assert "outcome: failed; recorded: failed" in shown.stderr


def test_no_trial_and_no_recording(tmp_path: Path) -> None:
    study = tmp_path / "s.honestly"
    common = ["run", "embedded", "--task", "split-bill", "--agent", "nop", "--out", str(study), "--json"]
    assert CliRunner().invoke(cli, common, catch_exceptions=False).exit_code == 0
    missing = CliRunner().invoke(cli, ["agent", "replay", str(study), "zzz"])
    assert "expected an id" in str(missing.exception)
    with open_study(study) as opened:
        (trial,) = opened.trial_ids()
    known = CliRunner().invoke(cli, ["agent", "replay", str(study), trial])
    assert "no recording of a model" in str(known.exception)
