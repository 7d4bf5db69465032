"""What a table says that may be meant otherwise is said of its data: names that look alike, columns that contradict."""

import gzip

import numpy as np
import pytest

from honestly import studies
from honestly.errors import FormatError, StatisticsError


@pytest.fixture
def opened(read_both_ways, tmp_path):
    """Opens a table of these lines, with what is told of it."""

    def open_table(*lines, **said):
        path, told = tmp_path / "t.csv", []
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return studies.open(path, **said, tell=told.append), told

    return open_table


def rows(*agents):
    return [f"{agent},t{at},{at % 2}" for agent in agents for at in range(4)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Claude", "Claude "),
        ("Caf\u00e9", "Cafe\u0301"),
        ("gpt 5", "gpt\u00a05"),
        ("o3", "o\u200b3"),
        ("K2", "\uff2b2"),
    ],
)
def test_agents_whose_names_look_alike_are_said_to_be_two(opened, one, other):
    study, told = opened("agent,task,passed", *rows(one, other, "another"))
    report = study.report()
    assert len(report.board.agents) == 3
    one, other = sorted((one, other))
    assert f"{one!a} and {other!a} look alike, and are agents of their own" in told[-1]
    assert ascii(other) in " ".join(report.to_plain()["data"]["doubts"])
    assert not any("alike" in line for line in opened("agent,task,passed", *rows("claude", "Claude", "clаude-2"))[1])


def test_it_is_said_which_of_two_columns_counts_where_they_contradict(opened):
    lines = [f"{agent},t{at},{at % 2},{0.3 if at == 2 else at // 2 % 2}" for agent in "ab" for at in range(4)]
    study, told = opened("agent,task,passed,score", *lines)
    assert "2 rows have a score that contradicts passed, which counts" in told[-1]
    assert study.report().board.agents[0].honest == 0.5
    agreeing = [f"{agent},t{at},{at % 2},{at % 2}" for agent in "ab" for at in range(4)]
    assert not any("contradict" in line for line in opened("agent,task,passed,score", *agreeing)[1])


def test_rows_of_an_agents_task_in_another_file_are_samples_only_if_that_is_said(opened, tmp_path):
    (tmp_path / "u.csv").write_text("\n".join(["agent,task,passed", *rows("a")]))
    opened("agent,task,passed", *rows("a"))
    with pytest.raises(FormatError, match=r"u\.csv:2: t\.csv has rows of 'a' on 't0', too, and nothing says whether"):
        studies.open(tmp_path)
    (row,) = studies.open(tmp_path, allow_refused=True).report().board.agents
    assert row.trials == 8


def test_a_table_that_is_not_clear_beside_results_is_left_out_if_that_is_said(opened, tmp_path):
    (tmp_path / "README.md").write_text("| Model | Our Result | Reported |\n|---|---|---|\n| a | 23.8 | 61.6 |\n")
    opened("agent,task,passed", *rows("a"))
    with pytest.raises(FormatError, match=r"README\.md: .*; to leave the file out: --allow-refused"):
        studies.open(tmp_path)
    study = studies.open(tmp_path, allow_refused=True)
    assert [row.honest for row in study.report().board.agents] == [0.5]
    assert study.report().to_plain()["data"]["refused"]["table not clear"] == 1


@pytest.mark.parametrize("number", ["0_1", "\uff11", "1_0", "\u0661"])
def test_what_only_python_takes_for_a_number_is_no_outcome(opened, number):
    with pytest.raises(FormatError, match=r"1 of 5 outcomes not understood in 'score': .*Write a number as 0.5"):
        opened("agent,task,score", *rows("a"), f"a,u,{number}")
    study, told = opened("agent,task,score", *rows("a"), f"a,u,{number}", allow_refused=True)
    assert "1 outcome not understood" in told[-1]
    assert [row.n for row in study.report().board.agents] == [5]


def test_the_row_of_such_a_number_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["agent,task,score", *rows("a"), "a,u,0_1", "a,v,0_1"]) + "\n")
    with pytest.raises(FormatError, match=r"'0_1' \(2\) from t.csv:6 on"):
        studies.open(path)
    path.write_text("\n".join(["agent,task,score,usd", *(f"{row},1" for row in rows("a")), "a,u,1,1_0"]) + "\n")
    with pytest.raises(FormatError, match=r"t.csv:6: row refused: usd '1_0' is not a number"):
        studies.open(path)


def test_rows_that_repeat_a_cell_without_a_number_are_said_to_be_samples(opened):
    study, _ = opened("agent,task,passed", *rows("a"), *rows("a"), *rows("b"))
    said = "4 rows repeat an agent and a task without a sample number: more samples, not copies"
    assert said in study.report().board.data.sentence
    assert [row.trials for row in study.report().board.agents] == [8, 4]
    numbered = [f"{row},{at // 4}" for at, row in enumerate([*rows("a"), *rows("a")])]
    study, _ = opened("agent,task,passed,sample", *numbered)
    assert study.report().board.data.sentence == ""


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_that_are_left_out_are_missing_samples(opened, first):
    """b lacks three numbers of four; c has one sample of each task, which is a plan."""
    lines = [
        f"{agent},t{at},{sample},{at % 2}" for agent in "ab" for at in range(4) for sample in range(first, first + 4)
    ]
    gone = {f"b,t1,{first},1", f"b,t1,{first + 2},1", f"b,t2,{first + 1},0"}
    lines = [line for line in lines if line not in gone] + [f"c,t{at},{first},1" for at in range(4)]
    board = opened("agent,task,sample,passed", *lines)[0].report().board
    assert {row.name: row.missing for row in board.agents} == {"a": 0, "b": 3, "c": 0}


def test_numbers_of_a_whole_table_name_no_missing_samples(opened):
    """Rows numbered through, as runs are: no task has all the numbers."""
    lines = [f"{line},{at}" for at, line in enumerate(rows("a", "b") * 2)]
    board = opened("agent,task,passed,sample", *lines)[0].report().board
    assert [row.missing for row in board.agents] == [0, 0]


def test_an_agent_on_another_scale_is_refused_and_not_told_to_be_bad(opened):
    lines = [f"a,t{at},{10 * at}" for at in range(9)] + [f"b,t{at},{at / 10}" for at in range(9)]
    with pytest.raises(FormatError, match="all scores of 'b' lie between 0 and 1, on a scale of 0 to 100"):
        opened("agent,task,score", *lines, scale="0:100")
    assert opened("agent,task,score", *lines, scale="0:100", allow_refused=True)[0].report().board.agents[1].n == 9
    nothing = [line if line[0] == "a" else f"b,t{at},0" for at, line in enumerate(lines)]
    assert opened("agent,task,score", *nothing, scale="0:100")[0].report().board.agents[1].honest == 0


@pytest.mark.parametrize(
    ("is_share", "said"),
    [
        (lambda agent, at: at >= 5, r"all scores of 35 of 40 tasks \('t.*, …\)"),
        (lambda agent, at: at == 5, r"all scores of 1 of 40 tasks \('t5'\)"),
        (lambda agent, at: agent == "b" and at >= 20, "20 of 40 scores of 'b' above 0"),
    ],
)
def test_a_part_on_another_scale_is_refused_by_task_and_by_agent(opened, is_share, said):
    lines = [
        f"{agent},t{at},{(11 + 2 * at) / (100 if is_share(agent, at) else 1)}" for agent in "ab" for at in range(40)
    ]
    with pytest.raises(FormatError, match=f"{said} lie between 0 and 1, on a scale of 0 to 100"):
        opened("agent,task,score", *lines, scale="0:100")
    assert opened("agent,task,score", *lines, scale="0:100", allow_refused=True)[0].report().board.agents[0].n == 40


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.3, 1), (0.1, 1), (8, 1)])
def test_low_scores_of_one_scale_are_no_other(opened, a, b):
    """Also where a quarter of all scores, or more than half, are below 1 of 100."""
    stopped = 0
    for seed in range(20):
        grades = 100 * np.random.default_rng(seed).beta(a, b, (2, 60))
        lines = [f"{agent},t{at},{grades[row, at]:.4f}" for row, agent in enumerate("ab") for at in range(60)]
        try:
            opened("agent,task,score", *lines, scale="0:100")
        except FormatError:
            stopped += 1
    assert stopped <= 1


def test_yes_or_no_beside_ratings_is_another_scale(opened):
    dice = np.random.default_rng(1)
    lines = [
        f"{agent},t{at},{dice.integers(0, 2) if at % 2 else dice.integers(1, 6)}" for agent in "ab" for at in range(60)
    ]
    with pytest.raises(FormatError, match=r"of 60 tasks .* lie between 0 and 1, on a scale of 0 to 5"):
        opened("agent,task,score", *lines, scale="0:5")
    weak = [f"{agent},t{at},{at % (2 if agent == 'b' else 6)}" for agent in "ab" for at in range(12)]
    with pytest.raises(FormatError, match="all scores of 'b' lie between 0 and 1, on a scale of 0 to 5"):
        opened("agent,task,score", *weak, scale="0:5")


@pytest.mark.parametrize(
    "chances", [(1, 1, 1, 1, 1, 1), (3, 4, 3, 2, 1, 1), (6, 2, 1, 1, 1, 1), (4, 1, 1, 1, 1, 4), (0, 1, 2, 3, 3, 1)]
)
def test_low_ratings_are_no_other_scale(opened, chances):
    """In at most a tenth of studies where half of all ratings are 0."""
    stopped = 0
    for seed in range(20):
        dice = np.random.default_rng(seed)
        rated = dice.choice(6, (2, 60), p=np.array(chances) / sum(chances))
        lines = [f"{agent},t{at},{rated[row, at]}" for row, agent in enumerate("ab") for at in range(60)]
        try:
            opened("agent,task,score", *lines, scale="0:5")
        except FormatError:
            stopped += 1
    assert stopped <= 2


def test_ids_that_repeat_in_several_categories_are_not_taken_for_one_task(opened):
    lines = [f"{agent},{at},{at % 2},{kind}" for agent in "ab" for kind in ("gsm", "mmlu") for at in range(4)]
    with pytest.raises(FormatError, match=r"task '0' is of 'gsm' in one row and 'mmlu' in another \(4 of 4 tasks"):
        opened("agent,task,passed,category", *lines)
    study, _ = opened("agent,task,passed,category", *lines, allow_refused=True)
    assert [group.name for group in study.report(by="category").breakdown.groups] == ["gsm"]
    own = [f"{agent},{kind}/{at},{at % 2},{kind}" for agent in "ab" for kind in ("gsm", "mmlu") for at in range(4)]
    assert opened("agent,task,passed,category", *own)[0].report().board.agents[0].n == 8


def test_a_column_that_is_named_to_be_the_agent_is_no_condition_too(opened):
    lines = [f"{agent},t{at},{at % 2}" for agent in ("control", "credits") for at in range(4)]
    study, _ = opened("condition,task,passed", *lines, columns="agent=condition,task=task,outcome=passed")
    assert sorted(row.name for row in study.report().board.agents) == ["control", "credits"]


def test_a_tag_that_any_row_says_is_the_tasks(opened):
    """The first row of each task leaves it open."""
    lines = [line for at in range(6) for line in (f"a,t{at},1,,,3", f"b,t{at},0,2024-0{at + 1}-01,kind{at % 2},3")]
    study, _ = opened("agent,task,passed,date,category,difficulty", *lines)
    assert {each.name for each in study.report(by="category").breakdown.groups} == {"kind0", "kind1"}
    with pytest.raises(StatisticsError, match="no task of the study has a difficulty"):  # a number is none of the three
        study.report(by="difficulty")
    assert "those of the first row count" not in study.report().board.data.sentence


def test_a_row_of_means_is_no_task(opened):
    """Where it is the mean it is left out; where it has passes and failures it is a task; else nobody knows."""
    study, _ = opened("agent,task,score", *rows("a", "b"), "a,Average,0.5", "b,Average,0.5")
    board = study.report().board
    assert "task 'Average' is the mean of the others, and is left out" in board.data.sentence
    assert len(board.tasks) == 4
    other = [*rows("a", "b"), "a,Average,0.6", "b,Average,0.5"]
    with pytest.raises(FormatError, match=r"task .Average. is called as a mean of others is.*--allow-refused"):
        opened("agent,task,score", *other)
    study, _ = opened("agent,task,score", *other, allow_refused=True)
    assert len(study.report().board.tasks) == 5
    study, _ = opened("agent,task,score", *rows("a", "b"), "a,sum,1", "b,sum,0")
    assert "a task is called 'sum': leave its row out if it is none" in study.report().board.data.sentence
    assert len(study.report().board.tasks) == 5


def test_a_percentage_is_a_share_on_any_scale(opened):
    lines = [f"{agent},t{at},{share}%" for agent, share in (("a", 100), ("b", 27.5), ("c", 0)) for at in range(4)]
    for said in ({}, {"scale": "0:100"}):
        board = opened("agent,task,score", *lines, **said)[0].report().board
        assert {row.name: row.honest for row in board.agents} == pytest.approx({"a": 1, "b": 0.275, "c": 0})
    with pytest.raises(FormatError, match="not understood"):
        opened("agent,task,score", *lines, "a,t9,127%")


@pytest.mark.parametrize(
    ("ids", "tasks"),
    [(["set/1", "set-1"], 2), (["\u554f1", "\u984c1", "\u00e91", "e1"], 4), (["C++ 1", "C## 1"], 2), (["x=1", "x<1", "x 1"], 3),
     (["a" * 300 + "1", "a" * 300 + "2"], 2)],
)  # fmt: skip
def test_two_tasks_are_never_one(opened, ids, tasks):
    """And each has the same id in a table of its own, but for a separator."""
    study, _ = opened("agent,task,sample,passed", *(f"a,{each},1,{at % 2}" for at, each in enumerate(ids)))
    board = study.report().board
    assert len(board.tasks) == tasks
    assert sum(row.stored for row in board.agents) == tasks
    alone, _ = opened("agent,task,sample,passed", f"a,{ids[-1]},1,1", "a,other,1,1")
    assert {each.id for each in alone.report().board.tasks} & {each.id for each in board.tasks} or ids[0] == "set/1"


def test_a_line_of_a_wide_table_that_is_too_short_loses_its_agent_by_name(tmp_path):
    path = tmp_path / "t.csv"
    cells = [f"m{at},{','.join(str((at + task) % 2) for task in range(40))}" for at in range(90)]
    path.write_text("\n".join([f"agent,{','.join(f't{task}' for task in range(40))}", *cells, "short,1,0,1"]) + "\n")
    with pytest.raises(
        FormatError, match=r"3 of 3,603 rows refused, .*t.csv:92: line refused: it has 4 cells.*'short'"
    ):
        studies.open(path, columns="agent=agent,task=*")


@pytest.mark.parametrize(("cell", "share"), [("NA", None), ("#N/A", None), ("\u22120.5", 0.25), ("1.0000000001", 1)])
def test_what_r_and_spreadsheets_write_is_read(opened, cell, share):  # fmt: skip
    scale = {"scale": "-1:1"} if share == 0.25 else {}
    study, _ = opened("agent,task,score", f"a,t0,{cell}", *(f"a,t{at},1" for at in range(1, 4)), "b,t0,1", **scale)
    (row,) = (each for each in study.report().board.agents if each.name == "a")
    assert row.void == (share is None)
    assert row.honest == pytest.approx(((share or 0) + 3) / 4)


@pytest.mark.parametrize(
    ("cell", "said"),
    [("5,400", "may be 5.400 or 5400"), ("0,945_", "Write a number as 0.5"), ("p" * 500, "--columns outcome=NAME")],
)
def test_what_no_outcome_is_told_in_few_words(opened, cell, said):
    with pytest.raises(FormatError, match=said) as caught:
        opened("agent,task,score", f'a,t0,"{cell}"', "a,t1,1")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("what", ["mean", "Average"])
def test_an_agent_called_as_a_mean_of_others_is_said(opened, what):
    study, told = opened("agent,task,passed", *rows("a", "b", what))
    assert f"agent '{what}' is the mean of the others, and is left out" in " ".join(told)
    assert len(study.report().board.agents) == 2
    others = [f"{what},t{at},{at // 2 % 2}" for at in range(4)]
    study, told = opened("agent,task,passed", *rows("a", "b"), *others)
    assert f"an agent is called '{what}': leave its column (or its rows) out if it is none" in " ".join(told)
    assert len(study.report().board.agents) == 3


def test_a_first_column_without_a_name_is_the_task_where_it_holds_no_numbers(tmp_path, monkeypatch):
    """As pandas writes a wide table; numbers may be a mere index, so that nothing is guessed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "w.csv"
    path.write_text(",gpt,claude\nt0,1,0\nt1,1,1\n")
    assert [row.name for row in studies.open(path).report().board.agents] == ["gpt", "claude"]
    path.write_text(",gpt,claude\n0,1,0\n1,1,1\n")
    with pytest.raises(FormatError, match="in no format that is known"):
        studies.open(path)
    assert studies.open(path, columns="task=Unnamed: 0,agent=*").report().board.agents[0].n == 2
    path.write_text(",agent,task,passed\n0,a,t,1\n1,a,u,0\n")
    assert studies.open(path).report().board.agents[0].n == 2


@pytest.mark.parametrize("kept", [0.6, 0.98])
def test_a_table_whose_compressed_data_break_off_is_no_table(tmp_path, kept):
    """The agent whose rows came last would be gone, and the other one's score would look whole."""
    path = tmp_path / "t.csv.gz"
    lines = [f"{agent},t{at},{at * 7919 % 2}" for agent in ("a", "b") for at in range(3000)]
    data = gzip.compress("\n".join(["agent,task,passed", *lines]).encode())
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(FormatError, match=r"compressed data break off.* are not the whole table.*--allow-refused"):
        studies.open(path)
    assert "a" in [agent.name for agent in studies.open(path, allow_refused=True).report().board.agents]


def test_a_sample_that_nearly_all_tasks_have_is_missing_where_it_is_not_there(opened):
    """Also where samples have no numbers; an agent whose number of samples varies has a design of its own."""
    gone = {("b", 3, 0), ("b", 3, 1), ("b", 7, 0)}
    cells = [(agent, at, sample) for agent in "ab" for at in range(20) for sample in range(3)]
    lines = [f"{agent},t{at},{at % 2}" for agent, at, sample in cells if (agent, at, sample) not in gone]
    varied = [f"c,t{at},1" for at in range(20) for _ in range(1 + at % 3)]
    board = opened("agent,task,passed", *lines, *varied)[0].report().board
    assert {row.name: row.missing for row in board.agents} == {"a": 0, "b": 3, "c": 0}


@pytest.mark.parametrize("beside", ["seed", "latency_ms", "Average", "n_tokens"])
def test_a_number_beside_the_agents_of_a_wide_table_is_no_agent(tmp_path, monkeypatch, beside):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "w.csv"
    path.write_text(f"task,{beside},gpt,claude\n" + "".join(f"t{at},{at % 2},1,{at % 2}\n" for at in range(8)))
    told = []
    board = studies.open(path, tell=told.append).report().board
    assert {row.name: row.honest for row in board.agents} == {"gpt": 1, "claude": 0.5}
    assert f"1 column not read: '{beside}'" in told[-1]


def test_ids_that_two_programs_write_otherwise_are_said_to_be_alike(opened):
    """No agent has both; where one has, they are two tasks."""
    lines = [f"a,{at:03},{at % 2}" for at in range(1, 9)] + [f"b,{at},{at % 2}" for at in range(1, 9)]
    _, told = opened("agent,task,passed", *lines)
    assert "8 pairs of task ids differ only in zeros, capitals or blanks, such as" in told[-1]
    _, told = opened("agent,task,passed", *lines, *(f"b,{at:03},1" for at in range(1, 9)))
    assert not any("zeros" in line for line in told)
