"""Columns of a table: asked for once in a terminal, kept, and asked for no more; without a terminal a clear error."""

from __future__ import annotations

import json
import os

import pytest
from terminal import Terminal

from forked import honestly
from honestly.store import open_study

TABLE = "planner,nr,worth,n_run,note\ngpt,q1,1,0,a\ngpt,q2,0,0,b\nclaude,q1,0.5,0,\x1b[31m\nclaude,q2,1,0,d\n"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def environment(place):
    return {"XDG_CONFIG_HOME": str(place / "config"), "XDG_CACHE_HOME": str(place / "cache")}


def asked(place, *words):
    return Terminal("-m", "honestly", *words, cwd=place, env=environment(place))


def run(place, *words):
    return honestly(*words, cwd=place, env=os.environ | environment(place))


def outcomes(place, name):
    with open_study(place / name) as study:
        return {(cell.agent, cell.task, cell.score, str(cell.outcome)) for cell in study.cells()}


WANTED = {
    ("gpt", "q1", None, "passed"), ("gpt", "q2", None, "failed"),
    ("claude", "q1", 0.5, "failed"), ("claude", "q2", None, "passed"),
}  # fmt: skip


@pytest.mark.slow
def test_a_terminal_is_asked_once(place):
    first = asked(place, "import", "t.csv", "--out", "one.honestly")
    first.until("who acted")
    assert "gpt, claude" in first.shown
    assert "\x1b[31m" not in first.shown
    first.press("plannr\r")
    first.until("did you mean 'planner'?")
    first.until("who acted")
    first.press("planner\r")
    first.until("what was asked")
    first.press("2\r")
    first.until("what came of it")
    first.press("planner\r")
    first.until("is the agent already")
    first.until("what came of it")
    first.press("worth\r")
    first.until("which repetition")
    first.press("-\r")
    first.until("saved in")
    assert first.ended() == 0
    assert outcomes(place, "one.honestly") == WANTED
    again = run(place, "import", "t.csv", "--out", "two.honestly", "--json")
    assert again.returncode == 0, again.stderr
    kinds = {each["kind"]: each["detail"] for each in json.loads(again.stdout)["defects"]}
    assert "agent=planner, task=nr, outcome=worth, by " in kinds["columns as they were named before"]
    assert outcomes(place, "two.honestly") == WANTED
    told = run(place, "report", "t.csv")
    assert "claude" in told.stdout, told.stderr


@pytest.mark.slow
def test_a_wide_table_is_asked_for_with_a_star(place):
    (place / "w.csv").write_text("what,a,b\nq1,1,0\nq2,0,1\n")
    program = asked(place, "import", "w.csv", "--out", "w.honestly")
    for words, keys in (("who acted", "*\r"), ("what was asked", "what\r"), ("which repetition", "\r")):
        program.until(words)
        program.press(keys)
    assert program.ended() == 0
    assert {cell[:2] for cell in outcomes(place, "w.honestly")} == {(a, q) for a in "ab" for q in ("q1", "q2")}


@pytest.mark.slow
def test_without_a_terminal_nothing_is_asked(place):
    done = run(place, "import", "t.csv", "--out", "x.honestly")
    assert done.returncode == 2
    assert "is in no format that is known by its content" in done.stderr
    assert "--columns" in done.stderr
    assert not (place / "x.honestly").exists()


@pytest.mark.slow
def test_columns_that_are_given_are_kept_and_win(place):
    given = ("--columns", "agent=planner,task=nr,outcome=worth")
    assert "kept in" in run(place, "import", "t.csv", "--out", "one.honestly", *given).stderr
    assert run(place, "import", "t.csv", "--out", "two.honestly").returncode == 0
    assert outcomes(place, "two.honestly") == WANTED
    other = ("--columns", "agent=planner,task=nr,outcome=n_run")
    assert run(place, "import", "t.csv", "--out", "three.honestly", *other).returncode == 0
    assert {cell[3] for cell in outcomes(place, "three.honestly")} == {"failed"}


def test_a_table_that_says_itself_what_it_is_changes_nothing(place):
    (place / "plain.csv").write_text("agent,task,score,other\na,q,1,0\n")
    done = run(place, "import", "plain.csv", "--out", "p.honestly", "--columns", "agent=agent,task=task,outcome=other")
    assert done.returncode == 0
    assert not (place / "config").exists()


@pytest.mark.slow
@pytest.mark.parametrize("content", ["{", "[]", '{"k": 1}', "\0\xff"])
def test_damaged_settings_say_nothing(content, place):
    (place / "config" / "honestly").mkdir(parents=True)
    (place / "config" / "honestly" / "columns.json").write_text(content)
    assert run(place, "import", "t.csv", "--out", "x.honestly").returncode == 2


@pytest.mark.slow
def test_a_board_of_another_scale_is_never_made(place):
    (place / "s.csv").write_text("agent,task,score\n" + "".join(f"{a},t{i},{(i + k) % 5 + 1}\n"
        for k, a in enumerate("ab") for i in range(20)))  # fmt: skip
    for words in (("report", "s.csv"), ("compare", "s.csv", "a", "b"), ("import", "s.csv", "--out", "s.honestly")):
        without = run(place, *words)
        assert without.returncode == 2
        assert "--scale WORST:BEST, which these numbers do not show" in without.stderr
        assert not without.stdout
    assert not (place / "s.honestly").exists()
    board = json.loads(run(place, "report", "s.csv", "--scale", "1:5", "--json").stdout)
    assert [row["honest"] for row in board["agents"]] == [0.5, 0.5]


@pytest.mark.slow
def test_what_was_refused_of_a_file_is_said(place):
    rows = [f"{a},t{i},{k},{i % 2}\n" for a in "ab" for k in (0, 0) for i in range(20)]
    (place / "d.csv").write_text("agent,task,sample,score\n" + "".join(rows))
    for words in (("report", "d.csv"), ("compare", "d.csv", "a", "b"), ("audit", "d.csv")):
        assert "40 of 80 rows refused" in run(place, *words).stderr
        done = run(place, *words, "--allow-refused", "--json")
        assert "found 80: kept 40, refused 40; refused: 40 duplicate trial" in done.stderr
        data = json.loads(done.stdout)["data"]
        assert (data["found"], data["kept"], data["refused"]) == (80, 40, {"duplicate trial": 40})
    (place / "w.csv").write_text("agent,task,outcome\na,t1,grue\na,t2,passed\nb,t1,failed\nb,t2,passed\n")
    stopped = run(place, "report", "w.csv")
    assert (stopped.returncode, "'grue' (1)" in stopped.stderr) == (2, True)
    assert "--outcome 'grue=OUTCOME' (passed, failed, limit, void)" in stopped.stderr
    going_on = run(place, "report", "w.csv", "--allow-refused", "--json")
    assert "read otherwise: 1 outcome not understood" in going_on.stderr
    assert [row["trials"] for row in json.loads(going_on.stdout)["agents"]] == [2, 2]


def test_a_report_says_by_itself_that_questions_weigh_and_that_tags_vary(place):
    rows = [f"{a},q{i},{9 if i < 3 else 1},{'xy'[k]},{(i + k) % 2}\n" for k, a in enumerate("ab") for i in range(12)]
    (place / "g.csv").write_text("agent,task,weight,category,passed\n" + "".join(rows))
    stopped = run(place, "report", "g.csv")
    assert stopped.returncode == 2
    assert "task 'q0' is of 'x' in one row and 'y' in another (12 of 12 tasks are of several)" in stopped.stderr
    done = run(place, "report", "g.csv", "--allow-refused")
    assert "tags of 12 tasks vary from row to row" in done.stderr
    assert "The questions weigh 1.00 to 9.00 in every score" in done.stdout


def test_a_column_that_is_not_there_is_named_with_those_that_are(place):
    done = run(place, "report", "t.csv", "--columns", "agent=planner,task=nr,outcome=accuracy")
    assert done.returncode == 2
    assert (
        "--columns names 'accuracy', which is not a column; the columns are planner, nr, worth, n_run, note"
        in done.stderr
    )
    assert done.stdout == ""


def test_a_row_of_names_alone_is_called_so(place):
    (place / "names.csv").write_text("agent,task,passed\n")
    done = run(place, "report", "names.csv")
    assert done.returncode == 2
    assert "it has a row of names, agent,task,passed, and no row below it" in done.stderr
    (place / "repository" / ".git").mkdir(parents=True)
    (place / "repository" / "said.txt").write_text(
        "error: HEAD is the first commit here, with none before it, as said\n"
    )
    done = run(place, "report", "repository")
    assert "is a git repository without results; honestly task from repo makes tasks of it" in done.stderr
    (place / "repository" / "names.csv").write_text("agent,task,passed\n")
    assert "(names.csv: it has a row of names, agent,task" in run(place, "report", "repository").stderr


@pytest.mark.parametrize(
    "words", [("--columns", "agent=llm"), ("--scale", "0:100"), ("--outcome", "grue=void"), ("--allow-refused",)]
)
def test_options_about_results_are_refused_with_a_study_and_read_next_to_a_table(place, words):
    (place / "s.csv").write_text("agent,task,passed\ngpt,q1,1\ngpt,q2,0\nclaude,q1,0\nclaude,q2,1\n")
    assert run(place, "study", "import", "s.csv", "--out", "s.honestly").returncode == 0
    for command in (("report", "s.honestly"), ("stats", "diff", "s.honestly", "gpt", "claude"), ("view", "s.honestly")):
        done = run(place, *command, *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"{words[0]} is for other tools' results; s.honestly is a study: leave {words[0]} out" in done.stderr
    both = run(place, "compare", "s.honestly", "s.csv", "--agent", "gpt", "--allow-refused")
    assert both.returncode == 0, both.stderr
    planned = run(place, "stats", "plan", "--score", "0.5", "--gap", "5", *words)
    assert planned.returncode == 2
    assert f"{words[0]} has no effect: it needs --pilot. Leave {words[0]} out." in planned.stderr
