"""Where studies go that nobody named, and which study is read where none is named."""

import os

import pytest

from forked import honestly
from honestly.records import Agent, Check, CheckRun, Outcome, Task, Trial, Verdict
from honestly.store import create_study, open_study


def study(path, agents=("claude-code@m", "codex@m"), share=0.5):
    path.parent.mkdir(exist_ok=True)
    with create_study(path) as made:
        made.add([*(Agent(name=name) for name in agents), *(Task(id=f"task-{i}", instruction="x") for i in range(8))])
        for a, name in enumerate(agents):
            for i in range(8):
                passed = i < (6 if a == 0 else 16 * share - 4)
                run = CheckRun(checks=(Check(id="c", status="passed" if passed else "failed"),))
                outcome = Outcome.PASSED if passed else Outcome.FAILED
                made.add_trial(
                    Trial(
                        id=f"{path.stem}-{a}-{i}",
                        agent=name,
                        task=f"task-{i}",
                        sample=0,
                        verdict=Verdict(hidden=run),
                        outcome=outcome,
                    )
                )
    return path


@pytest.mark.slow
def test_a_run_without_a_place_goes_to_runs_and_is_read_without_being_named(tmp_path):
    done = honestly("run", "embedded", "-a", "nop", "--task", "api-move", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (made,) = (tmp_path / "runs").glob("embedded-*.honestly")
    shown = honestly("show", cwd=tmp_path)
    assert f"reading runs/{made.name}, the newest under runs/" in shown.stderr
    assert "1 trial" in shown.stdout


@pytest.mark.slow
def test_the_newest_study_is_read(tmp_path):
    old, new = (study(tmp_path / "runs" / f"{name}.honestly") for name in ("old", "new"))
    os.utime(old, (1, 1))
    os.utime(new, (2, 2))
    for words in (["report"], ["compare"], ["compare", "claude", "codex"], ["show", "claude/task-1/0"], ["status"]):
        done = honestly(*words, cwd=tmp_path)
        assert "reading runs/new.honestly" in done.stderr, words
        assert done.returncode == 0, (words, done.stderr)


@pytest.mark.parametrize(
    "words", [["report"], ["show"], ["compare"], ["audit"], ["gate"], ["view"], ["export", "--to", "atif", "-o", "x"]]
)
def test_without_any_study_the_answer_says_where_one_would_be(words, tmp_path):
    done = honestly(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert "Name a STUDY: there is none under runs/" in done.stderr


@pytest.mark.slow
def test_two_studies_are_compared_by_the_agent_that_both_have(tmp_path):
    one = study(tmp_path / "one.honestly", ("mine",))
    two = study(tmp_path / "two.honestly", ("other", "mine"))
    done = honestly("compare", one, two, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '"a": "mine (first)"' in done.stdout
    assert honestly("compare", one, two, "-a", "mine", "-a", "other", cwd=tmp_path).returncode == 0
    refused = honestly("compare", two, "mine", cwd=tmp_path)
    assert refused.returncode == 2
    assert "one agent alone cannot be compared" in refused.stderr


def test_parts_of_names_find_a_trial_and_several_are_listed(tmp_path):
    made = study(tmp_path / "s.honestly")
    assert "claude-code@m at task-3" in honestly("show", made, "claude/task-3/0").stdout
    assert "claude-code@m at task-3" in honestly("show", made, "claude/3").stdout
    several = honestly("show", made, "c/task-3")
    assert "2 trials of the study are" in several.stderr


@pytest.mark.slow
def test_a_refused_preflight_leaves_no_study(tmp_path):
    words = ("run", "embedded", "-a", "honest", "-m", "http://127.0.0.1:9/v1#m", "--task", "api-move")
    for place in ([], ["-o", "mine.honestly"]):
        done = honestly(*words, *place, cwd=tmp_path)
        assert done.returncode != 0
        assert "preflight failed" in done.stderr
        assert list(tmp_path.iterdir()) == []
    with open_study(study(tmp_path / "kept.honestly")) as kept:
        before = len(kept.cells())
    honestly(*words, "-o", "kept.honestly", cwd=tmp_path)
    with open_study(tmp_path / "kept.honestly") as kept:
        assert len(kept.cells()) == before
