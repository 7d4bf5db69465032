"""What a refusal of a table advises works: each command that it names ends, without the same question, at the truth.

Also what columns may be beside tasks and scores: the most that a score could be, measures, other scales.
"""

import json
import re
import shlex

import numpy as np
import pytest

from honestly import studies
from honestly.command import with_columns_asked
from honestly.errors import FormatError
from honestly.formats import AS_IT_STANDS, TableRules, columns_said, importer_of
from honestly.formats._table_cells import cell_number, cell_share

AGENTS, TASKS = ("gpt-5", "claude", "o3 mini"), [f"q{at}" for at in range(12)]
_NAMED = re.compile(
    r"--columns ('(?:[^']|'\"'\"')*'|\S+?)(?=[;,]?\s|[;,]?$)|--scale (-?[\d.]+:-?[\d.]+)|--allow-refused"
)


@pytest.fixture
def table(read_both_ways, tmp_path, monkeypatch):
    """Writes lines as a file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def write(*rows, name="t.csv"):
        path = tmp_path / name
        lines = [",".join(f'"{cell}"' if "," in str(cell) else str(cell) for cell in row) for row in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


def scores(path, **said):
    report = with_columns_asked(path, lambda place: studies.open(place, **said)).report()
    return {row.name: row.honest for row in report.board.agents}


def refusal(path, **said):
    with pytest.raises(FormatError) as caught:
        scores(path, **said)
    return str(caught.value)


def advised(said, message):
    """The options that a message names, each beside those that were given before."""
    for found in _NAMED.finditer(message):
        columns, scale = found[1], found[2]
        if columns and ("NAME" in columns or "…" in columns):
            continue
        if columns:
            after = re.match(r" --scale (\S+)", message[found.end() :])
            yield {**said, "columns": shlex.split(columns)[0]} | ({"scale": after[1]} if after else {})
        elif scale:
            yield {**said, "scale": scale}
        else:
            yield {**said, "allow_refused": True}
    if "WORST:BEST, which these numbers do not show" in message and not _NAMED.search(message):
        yield {**said, "scale": "0:5"}  # what a reader knows


def check_advice(path, said, before=()):
    """Follows all that is advised; what it led to, by what was said."""
    try:
        return [(said, scores(path, **said))]
    except FormatError as error:
        message = str(error)
    assert message not in before, f"asked again after {said}: {message}"
    assert len(before) < 5
    ways = list(advised(said, message))
    return [each for way in ways for each in check_advice(path, way, (*before, message))]


def one_of(dice, values):
    return values[dice.integers(len(values))]


def drawn(dice):
    """A table with names that say little, perhaps a maximum, an id, an expected grade, and other measures."""
    agent = one_of(dice, ["model", "Model Name", "system", "assistant_id", "LLM, version"])
    task = one_of(dice, ["task", "id", "question_id", "Prompt #", "case, no", "a/b task"])
    most = one_of(dice, ["", "", "max_score", "points_possible", "out_of", "total", "n_tests"])
    outcome = one_of(dice, ["score", "points", "correct", "Score (pts)", "grade", "tests/passed"])
    more = [
        name for name in ("uuid", "run_id", "expected_score", "latency", "exit_status", "f1") if dice.random() < 0.25
    ]
    names = [agent, task, outcome, *([most] if most else []), *more]
    graded, top = dice.random() < 0.5, one_of(dice, [1, 1, 5, 100])
    rows, truth = [], {}
    for name in AGENTS:
        for at, each in enumerate(TASKS):
            end = 3 + 2 * (at % 3) if most else top
            score = int(dice.integers(0, end + 1)) if most or not graded else round(float(dice.random() * end), 2)
            truth.setdefault(name, []).append(score / end)
            extra = {"uuid": f"u{len(rows)}", "expected_score": "1", "latency": f"{dice.gamma(2):.2f}"}
            extra |= {"run_id": f"r-{len(rows)}", "exit_status": str(at % 2), "f1": f"{dice.random():.2f}"}
            rows.append([name, each, score, *([end] if most else []), *(extra[one] for one in more)])
    order = dice.permutation(len(names))
    table = [[row[at] for at in order] for row in [names, *rows]]
    return table, {name: float(np.mean(each)) for name, each in truth.items()}


def check_drawn(table, seed):
    rows, truth = drawn(np.random.default_rng(seed))
    ends = check_advice(table(*rows), {})
    assert any(found == pytest.approx(truth) for _, found in ends), (rows[0], truth, ends)


@pytest.mark.parametrize("seed", range(25))
def test_each_command_that_is_advised_ends_and_one_at_the_truth(table, seed):
    check_drawn(table, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_many_commands_that_are_advised_end_and_one_at_the_truth(table, seed):
    check_drawn(table, seed)


def with_most(name, ends, scores=None):
    rows = [[a, t, (scores or (lambda at: at % 4))(at + 1), ends(at)] for a in "ab" for at, t in enumerate(TASKS)]
    return [["model", "task", "score", name], *rows]


@pytest.mark.parametrize("name", ["max_score", "Max Score", "points_possible", "out_of", "score_max", "total_points"])
def test_a_score_counts_as_a_part_of_the_most_that_it_could_be(table, name):
    path, told = table(*with_most(name, lambda at: 4 + at % 2)), []
    board = studies.open(path, tell=told.append).report().board
    truth = np.mean([(at + 1) % 4 / (4 + at % 2) for at in range(len(TASKS))])
    assert [row.honest for row in board.agents] == pytest.approx([truth, truth])
    assert f"'score' counts as a part of '{name}'" in " ".join(told)


def test_the_scale_that_is_given_counts_and_not_the_column(table):
    path = table(*with_most("max_score", lambda at: 4 + at % 2))
    assert scores(path, scale="0:5")["a"] == pytest.approx(np.mean([(at + 1) % 4 / 5 for at in range(len(TASKS))]))


@pytest.mark.parametrize(
    ("ends", "score"), [(lambda at: 4, lambda at: at % 2), (lambda at: 4 + at, lambda at: 0.25 * (at % 4))]
)
def test_whether_scores_up_to_one_are_parts_is_asked(table, ends, score):
    path = table(*with_most("max_score", ends, score))
    said = refusal(path)
    assert "nothing says what 'score' is beside 'max_score'" in said
    found = [each["a"] for _, each in check_advice(path, {})]
    each = [score(at + 1) for at in range(len(TASKS))]
    whole = [ends(at) for at in range(len(TASKS))]
    assert found == pytest.approx([np.mean(np.divide(each, whole)), np.mean(each)])


def test_the_best_of_several_attempts_is_no_maximum(table):
    """It differs between the agents of a task."""
    dice = np.random.default_rng(0)
    rows = [[a, t, mean := int(dice.integers(2, 50)), mean + int(dice.integers(9))] for a in "ab" for t in TASKS]
    assert "beside 'max_score'" in refusal(table(["model", "task", "score", "max_score"], *rows))


def test_a_maximum_beside_agents_is_of_all_of_them(table):
    rows = [[t, 4 + at % 2, at % 4, 4] for at, t in enumerate(TASKS)]
    path = table(["task", "max_score", "gpt", "claude"], *rows)
    assert "--columns 'task=task,agent=*,outcome=*/max_score'" in refusal(path)
    truth = {"gpt": np.mean([at % 4 / (4 + at % 2) for at in range(12)]), "claude": 0.9}
    assert scores(path, columns="task=task,agent=*,outcome=*/max_score") == pytest.approx(truth)


def test_columns_on_different_scales_are_no_agents_or_tasks_of_one_table(table):
    rows = [[t, at % 10 / 10, 0.5, at % 6] for at, t in enumerate(TASKS)]
    path = table(["task", "gpt", "claude", "llama"], *rows)
    assert "'claude' reaches 0.5, and 'llama' 5" in refusal(path)
    assert set(scores(path, columns="task=task,agent=*,none=llama")) == {"gpt", "claude"}
    path = table(["task", "gpt", "claude", "llama", "o3"], *([*row, 70] for row in rows))
    assert set(scores(path, columns="task=task,agent=*,none=llama,none=o3")) == {"gpt", "claude"}
    rows = [[name, 90 - at, 40 + at, 7 + at / 10] for at, name in enumerate(AGENTS)]
    path = table(["model", "mmlu", "gsm8k", "mt"], *rows)
    assert "none=mt' without these" in refusal(path)
    assert "none=mt' without these" in refusal(path, columns="agent=model,task=*")
    assert len(scores(path, columns="agent=model,task=*", scale="0:100")) == 3


@pytest.mark.parametrize("names", [("helpful", "harmless"), ("pass@1", "pass@10"), ("easy", "hard")])
def test_scores_of_an_agent_are_tasks_where_that_is_said(table, names):
    path = table(["model", *names], *([name, 0.25, at / 4] for at, name in enumerate(AGENTS)))
    way = "agent=model,task=NAME,task=NAME of those" if "@" in names[0] else "'agent=model,task=*'"
    assert f"--columns {way}" in refusal(path)
    assert scores(path, columns="agent=model,task=*")["claude"] == 0.25
    path = table(["model", *names], *([name, 0, at % 2] for at, name in enumerate(AGENTS)))
    assert "@" in names[0] or scores(path)["claude"] == 0.5


def test_a_leaderboard_without_tasks_is_told_so(table):
    path = table(["Rank", "Model", "Accuracy"], *([at, name, 0.9] for at, name in enumerate(AGENTS)))
    assert "with one score for each agent, a table does not show how much of a lead is chance" in refusal(path)
    path = table(["Model", "Answer Rate", "#Puzzles", "rounds"], *([name, 0.9, 0.5, 1] for name in AGENTS))
    assert "Say what counts: if they are measures of all tasks, give a table with results of single" in refusal(path)


@pytest.mark.parametrize(
    ("names", "way"),
    [
        ("id,model,category,score", "agent=model,task=id,outcome=score"),
        ("task,resolved,steps,cost", "task=task,outcome=resolved"),
        ("case,assistant,expected_score,grade", "agent=assistant,task=case,outcome=grade"),
        ("model,task,expected_score,predicted_score", "agent=…,task=…,outcome=…"),
    ],
)
def test_what_columns_may_be_is_proposed(table, names, way):
    cells = {"model": "ab", "assistant": "ab", "category": "xy", "steps": "789"}
    rows = [
        [cells.get(name, [f"{name}{at}", at % 2][name not in {"id", "task", "case"}])[at % 2 :][:1]
         if name in cells else f"{name}{at // 2}" if name in {"id", "task", "case"} else at % 2 for name in names.split(",")]
        for at in range(8)
    ]  # fmt: skip
    assert f"--columns {way}" in refusal(table(names.split(","), *rows))


def test_totals_of_an_agent_are_no_agent(table):
    """Also a mean over all tasks under other words; where it is another number, it is asked."""
    rows = [[a, t, at % 2] for a in AGENTS for at, t in enumerate(TASKS)]
    total = [[f"{a} total", "12 tasks", "50%"] for a in AGENTS] + [[a, "Mean across tasks", 0.5] for a in AGENTS]
    path = table(["model", "task", "passed"], *rows, *total)
    assert scores(path) == dict.fromkeys(AGENTS, 0.5)
    path = table(["model", "task", "passed"], *rows, ["claude (avg)", "all", 0.7])
    assert "agent 'claude (avg)' is called as a mean of others is" in refusal(path)


def test_a_column_that_the_first_lines_lack_can_be_named(tmp_path):
    rows = [{"model": "m", "task": at, "passed": True} | ({"mode": "blind"} if at > 2 else {}) for at in range(5)]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = scores(tmp_path / "t.jsonl", columns="agent=model,condition=mode")
    assert found == {"m": 1.0, "m|blind": 1.0}
    assert "'modes', which is not a column" in refusal(tmp_path / "t.jsonl", columns="condition=modes")


def test_what_the_columns_of_a_table_in_a_folder_may_be_is_proposed(table, tmp_path):
    table(("start", "end", "customer_id"), *((at, at + 1, f"c{at}") for at in range(30)), name="inputs.csv")
    table(("case", "verdict_x", "completion_tokens"), *((f"c{at}", "pass", 7) for at in range(9)), name="runs.csv")
    (tmp_path / ".gitkeep").touch()
    message = refusal(tmp_path)
    assert "by its content; runs.csv: if it is a table of results" in message
    assert "--columns task=case,outcome=verdict_x where" in message, "a count of tokens is no outcome"


@pytest.mark.parametrize("beside", ["Difference", "Gap (gpt-claude)", "\u0394", "Notes"])
def test_what_stands_beside_two_agents_is_none(table, beside):
    """Notes are left out; a difference is asked, as are agents with a measure's word that both have."""
    text = "so it is" if beside == "Notes" else "0.25"
    rows = [[t, 0.75, 0.5, text] for t in TASKS]
    path = table(["task", "gpt accuracy", "claude accuracy", beside], *rows)
    if beside != "Notes":
        assert f"none={beside}' without these" in refusal(path)
        assert scores(path, columns=f"task=task,agent=*,none={beside}") == {
            "gpt accuracy": 0.75,
            "claude accuracy": 0.5,
        }
    else:
        assert scores(path) == {"gpt accuracy": 0.75, "claude accuracy": 0.5}


def test_a_column_that_numbers_the_rows_is_no_agent(table):
    rows = [[t, at + 1, at % 6, 5] for at, t in enumerate(TASKS)]
    path = table(["task", "Trace", "gpt", "claude"], *rows, ["Overall", "", 2.5, 5])
    assert "'Trace' seems to number the rows" in refusal(path)
    assert "none=Trace' without these" in refusal(path, columns="task=task,agent=*")
    assert scores(path, columns="task=task,agent=*,none=Trace", scale="0:5") == {"gpt": 0.5, "claude": 1}


def test_what_a_row_cost_is_not_what_each_of_its_cells_cost(table):
    path = table(["model", "q1", "q2", "cost"], *([a, 1, 0, "$$$"] for a in AGENTS))
    assert scores(path) == dict.fromkeys(AGENTS, 0.5)
    path = table(["model", "q1", "q2", "cost"], *([a, 1, 0, 0.5] for a in AGENTS))
    assert studies.open(path).report().board.agents[0].usd in {None, 0}


def test_whose_scores_alone_are_above_one_is_said(table):
    rows = [[a, t, metric, 0.5 + 2 * (metric == "ratio")] for a in "ab" for t in TASKS for metric in ("f1", "ratio")]
    path = table(["model", "task", "metric", "score"], *rows)
    columns = columns_said("agent=model,task=task+metric,outcome=score")
    with pytest.raises(FormatError, match="All of these are of metric 'ratio': where only they are on another scale"):
        list(importer_of("table", TableRules(columns))(path))


@pytest.mark.parametrize(
    ("names", "rows", "way"),
    [
        ("Question,Expected,Actual,Score,Pass", "q{at},a,b,{at}.5,{mark}", "task=Question,outcome=Pass"),
        ("instance_id,match,orig_status", "i{at},True,{word}", "task=instance_id,outcome=orig_status"),
        ("task_num,pi_exit,verify_status", "{at},0,{bit}", "agent=\u2026,task=\u2026,outcome=\u2026"),
        ("run_id,track,model,M1,gen_seconds,status", "r{at},B,m{bit},1,2.5,ok", "agent=\u2026,task=\u2026,outcome=\u2026"),
        ("Benchmark,GPT,Claude,Delta", "b{at},0.5,0.6,+0.1", "'task=Benchmark,agent=*,none=Delta'"),
        ("Model,Easy,Hard,decline", "m{at},0.5,0.4,-1 pp", "agent=Model,task=Easy,task=Hard"),
        ("task,gpt,llama", "t{at},{okx},x", "'task=task,agent=*'"),
        ("No,Query,gpt,llama", "{at},q{at},0.5,{bit}", "'task=Query,agent=*,none=No'"),
        ("Document Type,before,after,Improvement", "d{at},0.5,0.6,+0.1", "'task=Document Type,agent=*,none=Improvement'"),
        ("Test Case,Expected,Result", "c{at},a,{odd}", "'task=Test Case,outcome=Result'"),
        ("dataset,precision,accuracy,classifier_name", "d{at},0.5,0.{at},c{bit}", "agent=classifier_name,task=dataset,outcome=accuracy"),
        ("case_id,refused,passed", "c{at},{bit},True", "task=case_id,outcome=passed, or outcome=refused"),
        ("dataset,0,1,2", "d{at},0.5,0.6,0.{at}", "'task=dataset,sample=*'"),
        ("task,0,1,2", "d{at},0.5,0.6,0.{at}", "'task=task,sample=*'"),
        ("case,gpt_score,gpt_ms,o3_score,o3_ms", "c{at},0.5,{at},0.25,{at}", "task=case,agent=gpt_score,agent=o3_score"),
        ("task,gptMatch,gptFailed,o3Match,o3Failed", "t{at},1,0,{bit},0", "task=task,agent=gptMatch,agent=o3Match if these are agents"),
        ("project_id,class_name,coverage", "p,c{at},0.{at}", "task=class_name,outcome=coverage"),
        ("endpoint_id,Method,Passed", "e{at},{verb},{bit}", "task=endpoint_id,outcome=Passed"),
        ("LLM_reasoning,case,grade", "r{bit},c{at},0.5", "task=case,outcome=grade"),
        ("Runs,Avg steps / task,Avg Score", "1,1.{at},0.5", "agent=\u2026,task=\u2026,outcome=\u2026"),
        ("model,game,quality,total_score", "m{bit},g{at},0.25,0.{at}", "agent=model,task=game,outcome=total_score"),
        ("algorithm,dataset,rmse_test,r2_test", "a{bit},d{half},{at}.5,0.{at}", "agent=algorithm,task=dataset,outcome=r2_test"),
        ("Label,F1,PPV,TP,FN", "l{at},0.5,0.{at},3{at},{at}", "agent=\u2026,task=\u2026,outcome=\u2026"),
        ("Name,json,ttl", "n{at},-,x", "agent=\u2026,task=\u2026,outcome=\u2026"),
        ("model,task,score,harness", "m,t{half},0.{at},h{bit}", "agent=model,task=task,outcome=score,condition=harness (other agents)"),
        ("algo,correct_ratio_t1,correct_ratio_t2", "a{at},0.5,0.{at}", "agent=\u2026,task=\u2026,outcome=\u2026"),
        ("Task,Trial 1,Trial 2", "t{at},{mark},\u2705", "'task=Task,sample=*'"),
        ("task,run1,run2,pass@2", "t{at},{bit},1,1", "'task=task,sample=*,none=pass@2'"),
        ("model,task,rep_1,rep_2,mean", "m{bit},t{half},{bit},1,0.5", "'agent=model,task=task,sample=*'"),
        ("task,trial 1,trial 2,pass@2", "t{at},1{at}s,2{at}s,1", "agent=\u2026,task=\u2026,outcome=\u2026"),
        ("Metric,Before,After", "m{at},0.5,0.{at}", "agent=\u2026,task=\u2026,outcome=\u2026"),
        ("Models,case,Accuracy,Accuracy_gpt,Completeness_gpt,Accuracy_o3,Completeness_o3", "m,c{at},0.5,0.5,0.5,0.5,0.5", "agent=Models,task=case,outcome=Accuracy,"),
        ("model,task,score,game", "m,t{half},0.{at},g{bit}", "agent=model,task=task+game,outcome=score (other tasks)"),
        ("task,gpt,o3,Worth it?", "t{at},0.5,0.{at},{mark}", "'task=task,agent=*,none=Worth it?'"),
        ("task,gpt,o3,variance", "t{at},0.5,0.{at},0.1", "'task=task,agent=*,none=variance'"),
        ("Aspect,before,after,plus", "a{at},2/5,{at}/9,+{at}", "'task=Aspect,agent=*,none=plus'"),
        ("Method,1/5,2/5", "m{at},96.3,9{at}.1", "agent=Method,task=1/5,task=2/5"),
    ],
)  # fmt: skip
def test_what_is_advised_first_is_what_counts(table, names, rows, way):
    words = [
        {"at": at, "bit": at % 2, "mark": "\u2705\u274c"[at % 2], "word": ("resolved", "unresolved")[at % 2], "okx": ("ok", "x")[at % 2], "odd": "\u26a0\ufe0f MINOR" if at == 3 else "\u2705 PASS", "verb": ("GET", "POST")[at % 2], "half": at // 2}
        for at in range(8)
    ]  # fmt: skip
    path = table(names.split(","), *(rows.format(**each).split(",") for each in words))
    first, *later = refusal(path).split("--columns ")[1:]
    assert (later[0] if "NAME" in first else first).startswith(way)


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        ("judge", "sample=judge (each judgement is a sample) or agent=judge (the judges are compared)"),
        (
            "judge_model",
            "sample=judge_model (each judgement is a sample) or agent=judge_model (the judges are compared)",
        ),
        ("Task ID", "task=Task ID (it alone is the task) or task=task+Task ID (other tasks) or sample="),
        ("metric", ""),
    ],
)
def test_where_nobody_knows_what_tells_rows_apart_no_command_runs(table, name, ways):
    rows = [[t, at / 20 + (v == "b"), v] for at, t in enumerate(TASKS[:9]) for v in "ab"]
    said = refusal(table(["task", "score", name], *rows), columns="task=task,outcome=score")
    assert "--columns " not in said.replace("Say it in --columns, next to the rest: ", "")
    assert ways in said if ways else "Measures are no samples: keep the rows of one. " in said


@pytest.mark.parametrize(("most", "is_percent"), [(5, False), (10, False), (30, False), (94, True), (400, False)])
def test_only_percent_is_a_scale_that_numbers_show(table, most, is_percent):
    rows = [[name, task, at * most / 11] for name in AGENTS for at, task in enumerate(TASKS)]
    said = refusal(table(["model", "task", "score"], *rows))
    assert re.findall(r"--scale (-?\d\S*)", said) == (["0:100"] if is_percent else [])
    said = refusal(table(["model", "task", "wer"], *rows), columns="outcome=wer")
    assert re.findall(r"--scale (\S+)", said) == (["100:0", "0:100"] if is_percent else ["MOST:LEAST", "LEAST:MOST"])


def test_a_column_whose_name_has_a_comma_can_be_named():
    assert columns_said("agent=LLM, version,task=a+b,none=x, y,none=z")["agent"] == "LLM, version"


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0.72 \u00b1 0.03", 0.72), ("0.72\u00b10.03", 0.72), ("0,72 +/- 0,03", 0.72), ("0.8 [0.7, 0.9]", 0.8),
        ("0.8 (0.7\u20130.9)", 0.8), ("**0.35** (+0.05)", 0.35), ("0.5*", 0.5), ("0.5\u2020", 0.5), ("-0.5", -0.5), ("~0.84", 0.84), ("<ins>98.1</ins>", 98.1),
        ("0.9 [0.1, 0.2]", None), ("0.8 (0.03)", None), ("1-5", None), ("5 (1)", None), ("\u2705 12", None),
    ],
)  # fmt: skip
def test_what_stands_beside_a_number_is_left_out_or_the_cell_is_none(cell, value):
    assert cell_number(cell) == value


@pytest.mark.parametrize(
    ("cell", "share"),
    [
        ("38 (72%)", 0.72), ("13/20 (65%)", 0.65), ("65% (13/20)", 0.65), ("13/20 (80%)", None), ("3 of 10", 0.3),
        ("3.5 / 5", 0.7), ("\u2705 85%", 0.85), ("\u274c 20%", 0.2), ("\u26a0\ufe0f 2/4", 0.5), ("\u2705 0.9", 0.9),
        ("2/2 (slow, 3 steps)", 1), ("90% (by hand)", 0.9), ("\u2705 1/3", None), ("\u274c 3/3", None), ("61.7% \u00b1 2.1%", 0.617), ("7/5", None), ("12.5 (10%)", None),
    ],
)  # fmt: skip
def test_a_share_beside_a_mark_or_a_count_is_read_or_contradicts(cell, share):
    assert cell_share(cell) == share


@pytest.mark.parametrize(
    ("cell", "outcome"),
    [
        ("\u2714\ufe0f", "passed"), ("\u274c Fail", "failed"), ("PASS \u2705", "passed"), (":x:", "failed"),
        ("\u274c FAIL (timeout)", "failed"), ("\u2705 fail", "None"), ("\U0001f7e2", "passed"), ("\u26a0\ufe0f", "None"),
        ("PASS $0.004", "passed"), ("Pass, 3.87s", "passed"), ("fail (2 min)", "failed"), ("passed 0.62", "None"),
        ("Pass (85%)", "None"), ("\u2705\u274c", "None"), ("correct", "passed"), ("very_wrong", "failed"), ("TN", "passed"), ("FP", "failed"),
    ],
)  # fmt: skip
def test_marks_are_words_and_say_the_same_as_a_word_beside_them(cell, outcome):
    assert str(AS_IT_STANDS.outcome(cell)) == outcome


def markdown(table, name, *rows):
    lines = [" | ".join(map(str, row)) for row in (rows[0], ["---"] * len(rows[0]), *rows[1:])]
    return table(*([line.replace(",", ";")] for line in lines), name=name)


@pytest.mark.parametrize("name", ["**total**", "Overall", "Per-run mean", "\u5e73\u5747", "Gesamt"])
def test_a_row_of_pooled_counts_is_no_task_and_one_that_is_not_pooled_is_asked(table, name):
    rows = [("task", "gpt", "claude"), ("a", "3/3", "2/3"), ("b", "4/5", "1/5"), ("c", "0/2", "2/2")]
    whole = {"gpt": pytest.approx((1 + 0.8 + 0) / 3), "claude": pytest.approx((2 / 3 + 0.2 + 1) / 3)}
    assert scores(markdown(table, "t.md", *rows, (name, "7/10", "5/10")), columns="task=task,agent=*") == whole
    said = refusal(markdown(table, "t.md", *rows, (name, "7/10", "6/10")), columns="task=task,agent=*")
    assert "is called as a mean of others is" in said


def test_no_run_is_left_out_because_it_reaches_further(table):
    rows = [["a", 1, 1, 1], ["b", 1, 12, 1], ["c", 0, 0, 0]]
    said = refusal(table(["task", "run 1", "run 2", "run 3"], *rows), columns="task=task,sample=*")
    assert "reaches" in said
    assert "none=run" not in said


def test_a_column_of_differences_is_no_agent(table):
    path = table(["task", "gpt", "claude", "change"], *([f"t{at}", 0.5, 0.75, "+0.25"] for at in range(4)))
    odd = table(["task", "gpt", "claude", "A>B"], *([f"t{at}", 0.5, 0.75, "+0.25"] for at in range(4)), name="o.csv")
    assert "none=change" in refusal(path)
    assert "'A>B' seems to hold differences" in refusal(odd)
    assert scores(odd, columns="task=task,agent=*,none=A>B") == {"gpt": 0.5, "claude": 0.75}
    same = table(["task", "gpt", "claude"], *([f"t{at}", "+0.5", "+0.75"] for at in range(4)), name="s.csv")
    assert scores(same, columns="task=task,agent=*") == {"gpt": 0.5, "claude": 0.75}


def test_a_table_in_a_quoted_cell_is_text(tmp_path, read_both_ways):
    path = tmp_path / "t.csv"
    answer = "\"Sizes:\n\n| size | risk |\n|---|---|\n| 3 | 0.1 |\n\nEnd, with 'quotes'\""
    path.write_text(
        "model,task,answer,score\n" + "".join(f"{m},t{at},{answer},{at % 2}\n" for m in "ab" for at in range(4))
    )
    assert scores(path) == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize(("name", "more"), [("grading.csv", ()), ("t.csv", ()), ("judges.csv", ("judge",))])
def test_a_model_in_a_file_of_gradings_may_have_judged(table, name, more):
    rows = [[m, f"t{at}", at % 2, *["j" for _ in more]] for m in AGENTS[:2] for at in range(6)]
    path = table(["model", "task", "score", *more], *rows, name=name)
    if name != "grading.csv":
        assert scores(path) == dict.fromkeys(AGENTS[:2], 0.5)
        return
    said = refusal(path)
    assert "task=task,outcome=score,sample=model (who judged)" in said
    assert "agent=model,task=task,outcome=score (who was judged)" in said
    assert scores(path, columns="agent=model,task=task,outcome=score") == dict.fromkeys(AGENTS[:2], 0.5)
    assert scores(path, columns="task=task,outcome=score,sample=model") == {"grading": 0.5}


def test_a_count_of_tokens_is_no_task(table):
    rows = [[f"m{at}", f"{at}5k", at / 8] for at in range(8)]
    assert "one score for each agent" in refusal(table(["model", "new input", "points"], *rows))


def test_columns_that_may_be_measures_are_asked_before_any_command_runs(table):
    rows = [[at, name, 0.5, 0.25 + at / 20, 0.1] for at, name in enumerate(["a", "b", "c", "d"], 1)]
    said = refusal(table(["#", "model", "JUDGE", "coherence", "halo"], *rows))
    assert said.index("measures of all tasks, give a table") < said.index("task=NAME") < said.index("task=*")


def test_a_column_of_all_others_together_is_no_agent(table):
    rows = [
        ("task", "gpt", "claude", "complete"),
        ("a", "0/2", "1/2", "3/4"),
        ("b", "1/1", "2/2", "3/3"),
        ("c", "2/2", "0/2", "4/4"),
    ]
    path = markdown(table, "t.md", *rows)
    assert "'complete' seems to be of the others together" in refusal(path, columns="task=task,agent=*")
    assert "none=complete" in refusal(markdown(table, "u.md", *[(*row, "x y") for row in rows]))
    assert scores(path, columns="task=task,agent=*,none=complete") == {"gpt": pytest.approx(2 / 3), "claude": 0.5}
    pair = [row[:3] for row in rows]
    assert scores(markdown(table, "v.md", *pair), columns="task=task,agent=*") == {
        "gpt": pytest.approx(2 / 3),
        "claude": 0.5,
    }


def test_stars_beside_a_number_are_praise(table):
    path = table(["task", "gpt", "claude"], *([f"t{at}", "9.0 \u2b50", "8.5"] for at in range(4)))
    assert scores(path, scale="0:10") == {"gpt": 0.9, "claude": 0.85}
    path = table(["task", "gpt", "claude"], *([f"t{at}", "\u2b50\u2b50", "8.5"] for at in range(4)))
    assert "not understood" in refusal(path, columns="task=task,agent=*", scale="0:10")


BY_TASK = {"t1": True, "t2": False, "t3": True}


@pytest.mark.parametrize(
    ("found", "columns", "said"),
    [
        ({"method": "m", "rate": 0.9, "per_task": {name: {"solved": each, "tries": 2} for name, each in BY_TASK.items()}}, "task=task,agent=method", {"m": 2 / 3}),
        ([{"method": name, "rate": 0.9, "per_task": BY_TASK} for name in "ab"], "agent=method", {"a": 2 / 3, "b": 2 / 3}),
        ({name: {"rate": 0.9, "by_question": BY_TASK} for name in "ab"}, "agent=key1", {"a": 2 / 3, "b": 2 / 3}),
        ([{"method": name, "rate": 0.9, "per_task": BY_TASK} for name in "ab"], "agent=method,task=per_task.t1,task=per_task.t2", {"a": 0.5, "b": 0.5}),
    ],
)  # fmt: skip
def test_results_by_task_are_rows_and_what_stands_beside_them_is_none(tmp_path, found, columns, said):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(found))
    assert scores(path, columns=columns) == pytest.approx(said)
    assert "rate" not in refusal(path).rpartition("the columns are")[2].split(", ")
