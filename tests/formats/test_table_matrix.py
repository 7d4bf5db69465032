"""Tables of many shapes: what is read is the truth that was put in, and what is refused is named with its remedy.

Laws, of which each draw of a table checks all:

1. A column that nobody reads and that tells rows apart never makes one agent's samples of several things.
2. A measure of which less is better by its name ranks nobody until the user says its direction.
3. A number in any country's notation is read as what it is, or its cell is named.
4. A refusal names the file and a column, a cell or the columns that there are, and an option that mends it; what it
   proposes works.
"""

import json
import re
from dataclasses import dataclass, field

import numpy as np
import pytest

from honestly import studies
from honestly.command import with_columns_asked
from honestly.errors import FormatError

AGENTS, TASKS = ("gpt-5", "claude", "o3 mini"), [f"q{at}" for at in range(24)]
AGENT_NAMES = ("agent", "model", "Model Name", "llm", "model_id")
TASK_NAMES = ("task", "task_id", "Question", "question_id", "problem_id", "instance_id")
OUTCOME_NAMES = ("score", "passed", "Accuracy", "is_correct", "success", "reward")
WORDS = [("1", "0"), ("true", "false"), ("Yes", "no"), ("passed", "failed"), ("1.0", "0.0"), ("WAHR", "FALSCH")]
WORDS += [("\u2713", "\u2717"), (" correct", "incorrect "), ("ja", "nein")]
MARKS = ("sample", "seed", "run", "attempt", "trial_id", "")
FACTORS = ("judge", "benchmark", "metric", "prompt_template", "x7", "Grader")


@dataclass
class Case:
    """A table, what is told of it, and what it comes to."""

    rows: list[dict[str, str]]
    truth: dict[str, float]
    said: dict[str, str] = field(default_factory=dict)
    refusal: str = ""
    """A column or a cell that a refusal has to name; empty where there is nothing to refuse."""
    remedies: list[dict[str, str]] = field(default_factory=list)
    """What mends it; the truth follows from the first."""


def decimal(value, sign):
    return f"{value:.3f}".replace(".", sign)


NOTATIONS = {
    "point": lambda value: f"{value:.3f}",
    "short": lambda value: f"{value:.3f}".removeprefix("0"),
    "comma": lambda value: decimal(value, ","),
    "exponent": lambda value: f"{value:.2e}",
    "percent": lambda value: f"{100 * value:.1f}%",
    "percent, comma": lambda value: f"{decimal(100 * value, ',')} %",
    "fraction and percent": lambda value: f"{round(value * 1000)}/1000 ({100 * value:.1f}%)",
    "percent and fraction": lambda value: f"{100 * value:.1f}% ({round(value * 1000)}/1000)",
    "fraction": lambda value: f"{round(value * 1000)}/1000",
    "bold": lambda value: f"**{value:.3f}**",
    "error": lambda value: f"{value:.3f} \u00b1 0.01",
    "interval": lambda value: f"{value:.3f} [0.000, 1.000]",
    "count and percent": lambda value: f"{round(value * 1000)} ({100 * value:.1f}%)",
    "mark and percent": lambda value: ("\u2705" if value >= 0.5 else "\u26a0\ufe0f") + f" {100 * value:.1f}%",
}


FAULTS = ("", "", "", "", "factor", "factor", "two names", "less", "unknown", "points", "spread", "either")
LESS = ("wer", "error_rate", "Latency", "val_loss", "FVD \u2193")


def one_of(dice, values):
    return values[dice.integers(len(values))]


def cell(dice, fault, share, written_as):
    """A share of 1, as it is written, or as a fault has it."""
    if fault == "points":
        return f"{100 * share:.1f}"
    if fault == "spread":
        return f"{share:.2f} (0.01)"
    if fault == "either":
        return f"{dice.integers(1, 9)},{dice.integers(100, 999)}"
    return NOTATIONS[written_as](share) if isinstance(written_as, str) else written_as[share == 0]


def drawn_case(dice):
    """A long table of one seed: a design, a notation, columns next to it, and perhaps one of the faults."""
    names = {what: one_of(dice, each) for what, each in (("agent", AGENT_NAMES), ("task", TASK_NAMES))}
    names["outcome"] = one_of(dice, OUTCOME_NAMES)
    fault, mark, samples = one_of(dice, FAULTS), one_of(dice, MARKS), int(dice.integers(1, 4))
    graded = fault in {"less", "points", "spread", "either"} or dice.random() < 0.6
    written_as = one_of(dice, list(NOTATIONS)) if graded else one_of(dice, WORDS)
    factor = one_of(dice, FACTORS)
    if fault == "two names":
        names["agent"], factor = "agent", "model"
    levels = [f"{factor}-{at}" for at in range(2)] if fault in {"factor", "two names"} else [""]
    case, shares = Case([], {}), {}
    cells = [(agent, level) for agent in AGENTS for level in levels]
    for agent, level in cells:
        mean = dice.uniform(0.3, 0.8)
        for task, sample in ((task, sample) for task in TASKS for sample in range(samples)):
            share = round(float(dice.beta(4 * mean, 4 * (1 - mean))), 3) if graded else float(dice.random() < mean)
            row = {names["agent"]: agent, names["task"]: task, names["outcome"]: cell(dice, fault, share, written_as)}
            row |= {mark: str(sample + 1)} if mark and samples > 1 else {}
            case.rows.append(row | ({factor: level} if level else {}))
            shares.setdefault(f"{agent}|{level}".removesuffix("|"), []).append(share)
    case.truth = {agent: np.mean(each) for agent, each in shares.items()}
    return add_columns(with_fault(case, dice, fault, names, factor), dice)


def with_fault(case, dice, fault, names, factor):
    """What a fault renames, what has to be said of it, and what mends it."""
    if fault == "factor":
        case.refusal, case.remedies = factor, [{"columns": f"condition={factor}"}]
    elif fault == "points":
        case.refusal, case.remedies = names["outcome"], [{"scale": "0:100"}]
    elif fault in {"spread", "either"}:
        case.refusal = "(0.01)" if fault == "spread" else ","
    elif fault in {"less", "unknown"}:
        unknown = one_of(dice, [("agent", "planner_key"), ("task", "id"), ("outcome", "judgement")])
        what, new = unknown if fault == "unknown" else ("outcome", one_of(dice, LESS))
        case.rows = [{new if name == names[what] else name: text for name, text in row.items()} for row in case.rows]
        columns = ",".join(f"{each}={name}" for each, name in {**names, what: new}.items())
        case.refusal, case.remedies = new, [{"columns": columns}]
        if fault == "less":
            case.said, case.remedies = {"columns": columns}, [{"columns": columns, "scale": "1:0"}]
            case.truth = {agent: 1 - share for agent, share in case.truth.items()}
    return case


def add_columns(case, dice):
    """Columns that say nothing of who did what, in any order; and the rows in any order."""
    chosen = dice.random(8) < 0.3
    for at, row in enumerate(case.rows):
        more = {
            "latency_s": f"{dice.gamma(2):.2f}",
            "n_tokens": str(dice.integers(100, 9000)),
            "finish_reason": "stop" if dice.random() < 0.8 else "length",
            "timed_out": str(dice.random() < 0.3),
            "response": f'it said "{dice.integers(9999)}", twice',
            "row": str(at),
            "temperature": "0.7",
            "created_at": f"2026-01-{at % 28 + 1:02}",
        }
        row |= {name: text for use, (name, text) in zip(chosen, more.items(), strict=True) if use}
    names = list(case.rows[0])
    order = dice.permutation(len(names))
    if dice.random() < 0.5:
        dice.shuffle(case.rows)
    case.rows = [{names[at]: row[names[at]] for at in order} for row in case.rows]
    return case


def written(case, path, dice):
    """The table as a file of one of many kinds."""
    kind = ["csv", "semicolon", "tab", "json", "lines", "nested", "markdown"][dice.integers(7)]
    names = list(case.rows[0])
    if kind in {"json", "lines", "nested"}:
        path = path.with_suffix(".jsonl" if kind == "lines" else ".json")
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in case.rows)
        nested = ({} if len(names) > 20 or "claude" in names else {"run": {"at": "2026"}}) | {"results": case.rows}
        text = lines if kind == "lines" else json.dumps(nested if kind == "nested" else case.rows, indent=1)
        path.write_text(text, encoding="utf-8")
        return path
    sign = {"csv": ",", "semicolon": ";", "tab": "\t", "markdown": " | "}[kind]

    def line(cells):
        if kind == "markdown":
            return f"| {sign.join(cells)} |"
        return sign.join('"' + cell.replace('"', '""') + '"' if re.search(r'[",;\t]', cell) else cell for cell in cells)

    lines = [line(names), *(line(row.values()) for row in case.rows)]
    if kind == "markdown":
        lines.insert(1, "|" + "---|" * len(names))
    above = [[], [], ["Results of March"], ["# made by a script"], ["", "Results" + "," * (len(names) - 1)]]
    lines = above[dice.integers(len(above))] + lines
    end = "\r\n" if dice.random() < 0.3 else "\n"
    text = end.join(lines) + end * int(dice.integers(1, 3))
    path.write_bytes(("\ufeff" if dice.random() < 0.3 else "").encode() + text.encode())
    return path


def scores(path, said):
    """The score of each agent, by the way that a command opens a table."""
    report = with_columns_asked(path, lambda place: studies.open(place, **said)).report()
    return {row.name: row.honest for row in report.board.agents}, len(report.board.tasks)


@pytest.fixture
def way(read_both_ways, tmp_path):
    return tmp_path / "t.csv"


def check(seed, place, drawn=drawn_case):
    dice = np.random.default_rng(seed)
    case = drawn(dice)
    path = written(case, place, dice)
    ways = [case.said]
    if case.refusal:
        with pytest.raises(FormatError) as caught:
            scores(path, case.said)
        said = str(caught.value)
        assert case.refusal in said
        assert path.name in said
        assert "--" in said
        assert len(said) < 1500
        ways = case.remedies
    for told in ways[:1]:
        found, tasks = scores(path, told)
        assert found == pytest.approx(case.truth, abs=1e-9)
        assert tasks == len(TASKS)


@pytest.mark.parametrize("seed", range(12))
def test_a_table_is_the_truth_or_is_refused_with_its_remedy(way, seed):
    check(seed, way)


def drawn_wide(dice):
    """A wide table of one seed: agents or tasks are columns, next to numbers and words that are neither."""
    is_agents = dice.random() < 0.6
    notation = one_of(dice, list(NOTATIONS))
    shares = {agent: dict(zip(TASKS, np.round(dice.beta(2, 2, len(TASKS)), 3), strict=True)) for agent in AGENTS}
    truth = {agent: np.mean(list(each.values())) for agent, each in shares.items()}
    lead = one_of(dice, TASK_NAMES if is_agents else AGENT_NAMES)
    rows = []
    for name in TASKS if is_agents else AGENTS:
        each = {agent: shares[agent][name] for agent in AGENTS} if is_agents else shares[name]
        rows.append({lead: name} | {column: NOTATIONS[notation](float(share)) for column, share in each.items()})
    beside = one_of(dice, ["", "", "seed", "latency_ms", "Average", "category", "judge"])
    if beside == "category" and not is_agents:
        beside = ""
    words = {"category": ["math", "code"], "judge": ["j1", "j2"]}.get(beside, ["0", "1"])
    rows = [row | ({beside: words[at % 2]} if beside else {}) for at, row in enumerate(rows)]
    if dice.random() < 0.3 and is_agents and not beside:
        # What pandas writes for a column without a name.
        rows = [{"" if name == lead else name: text for name, text in row.items()} for row in rows]
    return Case(rows, truth, refusal="judge" if beside == "judge" else "")


@pytest.mark.parametrize("seed", range(12))
def test_a_wide_table_is_the_truth_or_is_refused_with_its_columns(way, seed):
    check(seed, way, drawn_wide)


@pytest.mark.parametrize(
    ("found", "columns"),
    [
        ({agent: {task: at % 2 for at, task in enumerate(TASKS)} for agent in AGENTS}, "agent=key1,task=key2,outcome=value"),
        ({agent: [{"task": task, "passed": at % 2} for at, task in enumerate(TASKS)] for agent in AGENTS}, "agent=key1"),
        ({task: dict.fromkeys(AGENTS, at % 2) for at, task in enumerate(TASKS)}, "task=key1,agent=*"),
        ([{"model": agent, "by": {task: at % 2 for at, task in enumerate(TASKS)}} for agent in AGENTS], "task=*"),
        ([{"model": each, "runs": [{"task": task, "passed": at % 2} for at, task in enumerate(TASKS)]} for each in AGENTS], ""),
        ([{"model": each, "task": task, "score": {"acc": at % 2}} for each in AGENTS for at, task in enumerate(TASKS)], "outcome=score.acc"),
    ],
)  # fmt: skip
def test_nested_json_is_rows_of_keys_or_says_which_there_are(way, found, columns):
    path = way.with_suffix(".json")
    path.write_text(json.dumps(found))
    if columns:
        with pytest.raises(FormatError) as caught:
            scores(path, {})
        assert "--columns" in str(caught.value)
        names = re.findall(r"=([\w.]+)", columns)
        assert all(name in str(caught.value) for name in names)
    assert scores(path, {"columns": columns} if columns else {})[0] == dict.fromkeys(AGENTS, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1300))
def test_many_tables_are_the_truth_or_are_refused_with_their_remedies(way, seed):
    check(seed, way, drawn_wide if seed % 3 else drawn_case)


def drawn_measures(dice):
    """One agent's questions with several measures each, or agents with several measures each; written as a wide table.

    Measures are no agents and no tasks: nobody can say so but the user.
    """
    names = list(
        dice.permutation(["retrieval_recall", "answer_f1", "faithfulness", "e2e_correct", "MRR", "exactMatch"])
    )
    share = {name: np.round(dice.beta(2, 2, len(TASKS)), 3) for name in names[: dice.integers(2, 6)]}
    lead, kept = one_of(dice, TASK_NAMES), one_of(dice, list(share))
    rows = [{lead: task} | {name: f"{each[at]:.3f}" for name, each in share.items()} for at, task in enumerate(TASKS)]
    return Case(rows, {"t": share[kept].mean()}, refusal=kept, remedies=[{"columns": f"task={lead},outcome={kept}"}])


def drawn_means(dice):
    """A leaderboard with tasks as columns, of which some are means of the others under any name."""
    lead, tasks = one_of(dice, AGENT_NAMES), TASKS[: dice.integers(3, 9)]
    mean = one_of(dice, ["Overall Acc", "avg_score", "Summary", "Macro F1", "MeanRank", "overall (weighted)"])
    shares = {agent: np.round(dice.beta(2, 2, len(tasks)), 3) for agent in AGENTS}
    at = dice.integers(0, len(tasks))
    rows = []
    for agent, each in shares.items():
        cells = [*zip(tasks, each, strict=True)]
        cells.insert(at, (mean, round(float(dice.dirichlet(np.ones(len(tasks))) @ each), 3)))
        rows.append({lead: agent} | {name: str(value) for name, value in cells})
    truth = {agent: each.mean() for agent, each in shares.items()}
    return Case(rows, truth, refusal=mean, remedies=[{"columns": f"{lead}".join(("agent=", f",task=*,none={mean}"))}])


def drawn_one_agent(dice):
    """A table of one agent, whom no column names."""
    lead, outcome = one_of(dice, [*TASK_NAMES, "id"]), one_of(dice, [*OUTCOME_NAMES, "coding_result"])
    shares = np.round(dice.beta(2, 2, len(TASKS)), 3)
    rows = [{lead: task, outcome: f"{share:.3f}"} for task, share in zip(TASKS, shares, strict=True)]
    columns = {"columns": f"task={lead},outcome={outcome}"}
    case = add_columns(Case(rows, {"t": shares.mean()}, refusal=outcome, remedies=[columns]), dice)
    case.rows = [{name: text for name, text in row.items() if name != "response"} for row in case.rows]
    return case


@pytest.mark.parametrize("drawn", [drawn_measures, drawn_means, drawn_one_agent])
@pytest.mark.parametrize("seed", range(6))
def test_what_no_name_tells_is_asked_and_the_answer_works(way, seed, drawn):
    dice = np.random.default_rng(seed)
    case, sign = drawn(dice), one_of(dice, ",;\t")
    path = way
    path.write_text("\n".join(sign.join(row) for row in [case.rows[0], *(row.values() for row in case.rows)]) + "\n")
    with pytest.raises(FormatError) as caught:
        scores(path, {})
    assert case.refusal in str(caught.value)
    assert "--columns" in str(caught.value)
    assert scores(path, case.remedies[0])[0] == pytest.approx(case.truth, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_cells_apart_by_blanks_and_names_in_two_rows(way, seed):
    """As write.table of R has them, with and without the numbers of rows, and as pandas writes two levels of columns."""
    dice = np.random.default_rng(seed)
    gap = one_of(dice, [" ", "  ", "\t "])
    numbered, quoted = dice.random(2) < 0.5
    cells = [
        (f'"{agent}"' if " " in agent or quoted else agent, task, f"{dice.random():.3f}")
        for agent in AGENTS
        for task in TASKS
    ]
    lines = [gap.join([*([f'"{at}"'] if numbered else []), *each]) for at, each in enumerate(cells, 1)]
    path = way.with_suffix(".txt")
    path.write_text("\n".join([" ".join(["agent", "task", "score"]), *lines]) + "\n")
    truth = {agent: np.mean([float(each[2]) for each in cells if each[0].strip('"') == agent]) for agent in AGENTS}
    assert scores(path, {"columns": "agent=agent"}) == (pytest.approx(truth), len(TASKS))
    share = dice.random((2, 2, len(TASKS))).round(3)
    blank = dice.random() < 0.5
    above = ["", "gpt", "" if blank else "gpt", "o3", "" if blank else "o3"]
    rows = [[task, *map(str, share[:, :, at].ravel())] for at, task in enumerate(TASKS)]
    index = [["task", "", "", "", ""]] if dice.random() < 0.5 else []
    table = [above, ["" if index else "task", "plain", "tools", "plain", "tools"], *index, *rows]
    way.write_text("\n".join(",".join(row) for row in table) + "\n")
    names = ["gpt|plain", "gpt|tools", "o3|plain", "o3|tools"]
    expected = dict(zip(names, share.reshape(4, -1).mean(axis=1), strict=True))
    assert scores(way, {"columns": "task=task,agent=*"}) == (pytest.approx(expected), len(TASKS))


@pytest.mark.parametrize("named", ["agent=model,task=case,outcome=metric", "agent=model,task=case,outcome=step_score"])
def test_a_list_below_an_object_is_rows_only_where_what_counts_lies_in_it(way, named):
    """The score of a parent is one trial, however many steps lie below it."""
    dice = np.random.default_rng(1)
    found = [
        {"model": agent, "case": task, "metric": round(dice.random(), 3), "steps": [{"step_score": at % 2} for at in range(7)]}
        for agent in AGENTS
        for task in TASKS
    ]  # fmt: skip
    path = way.with_suffix(".jsonl")
    path.write_text("\n".join(map(json.dumps, found)))
    report = studies.open(path, columns=named).report()
    each = 1 if "metric" in named else 7
    assert {row.trials for row in report.board.agents} == {each * len(TASKS)}
    truth = {agent: np.mean([row["metric"] for row in found if row["model"] == agent]) for agent in AGENTS}
    assert scores(path, {"columns": named})[0] == (pytest.approx(truth) if each == 1 else dict.fromkeys(AGENTS, 3 / 7))


def test_copies_of_one_score_are_no_samples(way):
    lines = [
        f"{agent},{task},{at},{(at * 7 + len(agent)) % 97 / 97:.4f}"
        for agent in AGENTS
        for at, task in enumerate(TASKS)
    ]
    way.write_text("\n".join(["agent,task,step,score", *(line for line in lines for _ in range(3))]) + "\n")
    with pytest.raises(FormatError, match=r"the same score each time.*sample=NAME.*--allow-refused"):
        scores(way, {})
    assert scores(way, {"allow_refused": True})[1] == len(TASKS)


def test_a_leaderboard_of_one_score_each_is_said_to_be_one(way):
    way.write_text("model,win_rate,avg_length\n" + "".join(f"m{at},{at}.5,{at}00\n" for at in range(9)))
    with pytest.raises(FormatError, match="no column is the task; with one score for each agent"):
        scores(way, {"columns": "agent=model,outcome=win_rate", "scale": "0:100"})


def test_answers_are_no_outcomes(way):
    rows = [f"{task},{'ABCD'[at % 4]},{'ABCD'[at % 3]},{'ABCD'[at % 4]}" for at, task in enumerate(TASKS)]
    way.write_text("\n".join(["task,target,gpt,claude", *rows]) + "\n")
    with pytest.raises(FormatError, match="seem to be answers, and 'target' the right ones"):
        scores(way, {"columns": "task=task,agent=gpt,agent=claude"})


def test_a_text_in_markdown_has_tables(way):
    rows = [f"| {agent} | {task} | {at % 2} |" for agent in AGENTS for at, task in enumerate(TASKS)]
    other = ["| what | when |", "|---|---|", "| a run | today |", "", "## Results", ""]
    path = way.with_suffix(".md")
    path.write_text(
        "\n".join(["# Title", "", *other, "| who | task | passed |", "|:--|---|--:|", *rows, "", "The end."])
    )
    found = scores(path, {"columns": "agent=who,task=task,outcome=passed"})
    assert found == (dict.fromkeys(AGENTS, 0.5), len(TASKS))
    # A table for each category, with the same names, is one table.
    head = ["", "## More", "", "| who | task | passed |", "|---|---|---|"]
    more = [f"| {agent} | more {task} | 1 |" for agent in AGENTS for task in TASKS]
    path.write_text(path.read_text() + "\n".join([*head, *more]) + "\n")
    found = scores(path, {"columns": "agent=who,task=task,outcome=passed"})
    assert found == (dict.fromkeys(AGENTS, 0.75), 2 * len(TASKS))


def test_tables_of_a_folder_are_of_agents_called_as_their_files(way):
    folder = way.parent / "runs"
    for at, agent in enumerate(("gpt", "claude")):
        (folder / agent).mkdir(parents=True)
        (folder / agent / "metrics.csv").write_text("id,ok\n" + "".join(f"{task},{at}\n" for task in TASKS))
    (folder / "README.md").write_text("# Runs")
    assert scores(folder, {"columns": "task=id,outcome=ok"})[0] == {"gpt": 0, "claude": 1}
