"""`honestly study` and `honestly show --find`, as a shell types them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.records import Agent, Outcome, Step, Task, Trial
from honestly.store import create_study


def run(*arguments, code=0, given=None):
    found = CliRunner().invoke(cli, [*map(str, arguments)], env={"COLUMNS": "110"}, input=given)
    assert found.exit_code == code, found.output + repr(found.exception)
    return found


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.honestly"
    with create_study(path) as study:
        study.add([Agent(name="a"), Agent(name="b"), Task(id="t", instruction="Do it.")])
        for agent in "ab":
            trial = Trial(id=agent * 32, agent=agent, task="t", sample=0, outcome=Outcome.PASSED)
            study.add_trial(trial, [Step(source="agent", message=f"a Needle\x1b[2J{n} is here") for n in range(40)])
    return path


def test_a_study_goes_and_comes_back(path, tmp_path):
    listed = run("study", "ls", tmp_path).output
    assert "s.honestly" in listed
    assert " 2 " in listed
    assert json.loads(run("study", "rename", path, "t.honestly", "--json").stdout) == {
        "moved": [{"was": str(path), "now": str(tmp_path / "t.honestly")}]
    }
    run("study", "archive", tmp_path / "t.honestly")
    assert "no studies" in run("study", "ls", tmp_path).output
    (found,) = json.loads(run("study", "ls", tmp_path, "--all", "--json").stdout)["studies"]
    assert (found["place"], found["trials"]) == ("archived", 2)
    run("study", "restore", tmp_path / "t.honestly")
    run("study", "drop", tmp_path / "t.honestly")
    assert "dropped" in run("study", "ls", tmp_path, "--all").output
    run("study", "empty", tmp_path, given="n\n", code=1)
    assert "1 study deleted" in run("study", "empty", tmp_path, given="y\n").output
    run("study", "restore", tmp_path / "t.honestly", code=1)


def test_a_text_is_shown_where_it_stands(path):
    shown = run("show", path, "--find", "a needle").output
    assert "step 39" in shown
    assert "\x1b" not in shown
    assert "30 more" not in shown
    few = run("show", path, "--find", "NEEDLE", "--limit", 3, "--agent", "b").output
    assert few.count("a Needle") == 3
    assert "bbbbbb" in few
    assert "aaaaaa" not in few
    found = json.loads(run("show", path, "--find", "needle", "--json").stdout)["hits"]
    assert len(found) == 80
    assert found[0] == {
        "trial": "a" * 32, "step": 0, "where": "message", "start": 2, "end": 8, "times": 1,
        "before": "a ", "quote": "Needle", "after": "\x1b[2J0 is here",
    }  # fmt: skip
    assert json.loads(run("show", path, "--find", "no such", "--json").stdout) == {"hits": []}
    assert "find" in run("show", path, "a/t", "--find", "x", code=2).output


def test_a_table_of_results_is_not_renamed(tmp_path):
    (tmp_path / "t.csv").write_text("agent,task,passed\na,t,1\n")
    done = CliRunner().invoke(cli, ["study", "rename", str(tmp_path / "t.csv"), "x"])
    assert "is not a study; expected a file that honestly made" in str(done.exception)
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]
    done = CliRunner().invoke(cli, ["study", "rm", str(tmp_path / "absent")])
    assert str(done.exception).startswith(f"there is no study {tmp_path}/absent")
