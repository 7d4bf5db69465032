"""Tables as studies: what a row says, what is refused with its place, and what it comes to."""

import gzip
import json
import zlib
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st
from published import items, refusals

from forked import honestly
from honestly.errors import FormatError
from honestly.formats import (
    AS_IT_STANDS,
    Imported,
    TableRules,
    columns_said,
    count_table,
    importer_of,
    outcomes_said,
    scale_of,
)
from honestly.leaderboards import leaderboard
from honestly.records import Agent, Defect, Outcome, Task
from honestly.store import open_study
from honestly.studies import import_results
from zstd_module import zstd


def of(kind, found):
    return [each for each in found if isinstance(each, kind)]


def read(path, text):
    path.write_text(text)
    return list(importer_of("table")(path))


def ruled(path, rules=AS_IT_STANDS):
    return list(importer_of("table", rules)(path))


def test_a_csv_of_trials_with_everything_that_tasks_can_say(tmp_path):
    found = read(
        tmp_path / "t.csv",
        "model,question,outcome,usd,cluster,weight,category,language,difficulty,date,mood\n"
        "a,q1,passed,0.5,repo,2,repair,Python,Hard,2026-01-31T08:00:00Z,fine\n"
        "a,q1,limit,,repo,2,repair,Python,Hard,2026-01-31,fine\n"
        "b,q1,0,,repo,3,repair,Python,Hard,2026-01-31,fine\n",
    )
    assert [agent.name for agent in of(Agent, found)] == ["a", "b"]
    [only] = of(Task, found)
    tags = only.tags
    assert (tags.cluster, tags.weight, tags.category, tags.language) == ("repo", 2.0, "repair", "python")
    assert (tags.difficulty, tags.date) == ("hard", "2026-01-31")
    trials = [each.trial for each in of(Imported, found)]
    assert [(t.agent, t.sample, t.outcome) for t in trials] == [
        ("a", 0, Outcome.PASSED), ("a", 1, Outcome.LIMIT), ("b", 0, Outcome.FAILED)]  # fmt: skip
    assert [t.usage.usd for t in trials] == [0.5, None, None]
    assert {d.kind: d.count for d in of(Defect, found)} == {
        "column left out": 1, "tags vary": 1, "samples without a number": 1}  # fmt: skip


@pytest.mark.slow
def test_a_packed_csv_is_read_and_of_a_damaged_one_what_stands_before_the_damage(tmp_path):
    text = "model,question,outcome\n" + "".join(f"a,q{number**2},1\n" for number in range(4000))
    for pack in (gzip.compress, zstd.compress):
        (tmp_path / "t").write_bytes(pack(text.encode()))
        assert len(of(Imported, importer_of("table")(tmp_path / "t"))) == 4000
    packer = zlib.compressobj(wbits=31)
    damaged = packer.compress(text.encode()) + packer.flush(zlib.Z_FULL_FLUSH) + b"\xff" * 9
    (tmp_path / "t").write_bytes(damaged)
    found = []
    with pytest.raises(FormatError, match=r"cannot be read as a table.* rows before are not the whole table"):
        found.extend(importer_of("table")(tmp_path / "t"))
    assert len(of(Imported, found)) > 3000


def test_cells_with_a_number_of_samples_become_that_many_trials(tmp_path):
    rows = [
        {"model": "m", "condition": "full", "example_id": "x", "pass1": 0.4, "count": 5, "date": 1692662400000},
        {"model": "m", "condition": "full", "example_id": "y", "pass1": True},
    ]
    found = read(tmp_path / "t.jsonl", "\n".join(map(json.dumps, rows)))
    outcomes = Counter((i.trial.task, i.trial.outcome) for i in of(Imported, found))
    assert outcomes == {("x", Outcome.PASSED): 2, ("x", Outcome.FAILED): 3, ("y", Outcome.PASSED): 1}
    assert of(Agent, found)[0].name == "m|full"
    assert of(Task, found)[0].tags.date == "2023-08-22"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "table found nothing in it"),
        ("agent,task\na,b\n", "t.csv: no column is the outcome; say which it is: --columns outcome=NAME"),
        ("agent,task,passed\n,b,1\n", "t.csv:2: row refused: no agent"),
        ("agent,task,passed\na,b,maybe\n", "1 of 1 outcomes not understood in 'passed': 'maybe' (1)"),
        ("agent,task,passed,count\na,b,0.5,3\n", "one row for each graded sample"),
        ("agent,task,score\na,b,1.5\n", "--scale WORST:BEST, which these numbers do not show ("),
        ("agent,task,passed,count\na,b,1,2.5\n", "of a whole number"),
        ("agent,task,passed,weight\na,b,1,-1\n", "weight"),
        ("agent,task,passed,difficulty\na,b,1,vague\n", "difficulty"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(tmp_path, text, words):
    with pytest.raises(FormatError) as caught:
        read(tmp_path / "t.csv", text)
    assert words in str(caught.value)


@given(st.text(alphabet=st.sampled_from('agent,task\npassed"01\x00é\ud800;'), max_size=80))
def test_no_text_breaks_the_reader(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("fuzz") / "t.csv"
    path.write_bytes(b"agent,task,passed\n" + text.encode("utf-8", "surrogatepass"))
    with suppress(FormatError):
        assert len(of(Imported, importer_of("table")(path))) >= 1


def test_a_table_can_be_reported(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "agent,task,passed,cluster\n" + "".join(f"{a},t{i},{(i + a) % 2},c{i // 3}\n" for a in (0, 1) for i in range(9))
    )
    assert import_results(path, tmp_path / "s", "table") == []
    with open_study(tmp_path / "s") as study:
        board = leaderboard(study)
    assert board.clusters.count == 3
    assert board.dependence == "9 questions form 3 clusters, as the tasks declare"


def test_a_row_whose_outcome_is_open_is_void_and_stays_in_the_denominator(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(
        "Agent, Task ,Score,error\na,t1,1,\na,t2,,boom\na,t3,-,\na,t4,error,\na,t5,timeout,\na,t6,Yes,\na,t7,FAIL,\n"
    )
    kept = {each.trial.task: (str(each.trial.outcome), each.trial.reason) for each in of(Imported, items(file))}
    assert kept == {"t1": ("passed", ""), "t2": ("void", "no outcome"), "t3": ("void", "no outcome"), "t4": ("void", ""),
                    "t5": ("limit", ""), "t6": ("passed", ""), "t7": ("failed", "")}  # fmt: skip
    counts = {str(outcome): int(found.sum()) for outcome, found in count_table(file).outcomes.items()}
    assert counts == {"passed": 2, "failed": 1, "limit": 1, "void": 3}


def test_rows_and_columns_that_do_not_fit_are_never_taken_for_others(tmp_path):
    file, go_on = tmp_path / "t.csv", TableRules(go_on=True)
    file.write_text("agent,task,score\na,t1,1\na,b,t1,1\na,t2,0\n")
    with pytest.raises(FormatError, match=r"t.csv: 1 of 3 rows refused, t.csv:3: line refused: it has 4 cells"):
        items(file)
    found = ruled(file, go_on)
    assert [each.trial.task for each in of(Imported, found)] == ["t1", "t2"]
    assert refusals(found) == {"t.csv:3": "line refused: it has 4 cells; expected 3"}
    file.write_text('{"agent": {"name": "a"}, "task": "t", "score": 1}\n{"agent": "a", "task": "t", "score": 1}\n')
    assert refusals(ruled(file, go_on)) == {"t.csv:1": "row refused: agent is dict; expected a text or a number"}


@pytest.mark.parametrize("columns", ["agent,task,score\n", "task,a,b\n"])
@pytest.mark.parametrize(("low", "high"), [(1, 5), (0, 100), (-1, 1), (0, 2), (100, 0), (5, 1)])
def test_a_scale_is_said_and_never_guessed(tmp_path, columns, low, high):
    """Long and wide, read row by row and counted: no board without `--scale`, and the right mean with it."""
    pytest.importorskip("polars", reason="long tables are counted with polars, in the extra `tables`")
    wide, file = columns.startswith("task"), tmp_path / "t.csv"
    scores = [low, high, (low + high) / 2, high]
    rows = [f"t{i},{x},{x}" if wide else f"a,t{i},{x}" for i, x in enumerate(scores)]
    file.write_text(columns + "\n".join(rows) + "\n")
    named = {"agent": "*", "task": "task"} if wide else {}
    said = "--scale WORST:BEST, " + ("such as --scale 0:100 " if {low, high} == {0, 100} else "which these numbers")
    for rules in (TableRules(named), TableRules(named, go_on=True)):  # going on is not for what a score means
        with pytest.raises(FormatError, match=said):
            ruled(file, rules)
    found = ruled(file, TableRules(named, (low, high)))
    values = [1.0 if i.trial.outcome is Outcome.PASSED else i.trial.score or 0.0 for i in of(Imported, found)]
    assert sum(values) / len(values) == pytest.approx(2.5 / 4)
    if not wide:
        with pytest.raises(FormatError, match=said):
            count_table(file)
        counts = count_table(file, TableRules(scale=(low, high)))
        assert (counts.outcomes[Outcome.PASSED].sum(), counts.graded[1].sum()) == (2, 0.5)


def test_an_outcome_that_is_not_understood_stays_in_the_denominator(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("agent,task,outcome\n" + "".join(f"a,t{i},{'Grue' if i < 3 else i % 2}\n" for i in range(400)))
    for defects in (of(Defect, ruled(file)), count_table(file).defects):
        assert sum(each.count for each in defects if each.kind == "outcome not understood") == 3
    kept = [each.trial for each in of(Imported, items(file))]
    assert len(kept) == 400
    assert {each.reason for each in kept if each.outcome is Outcome.VOID} == {"outcome 'Grue' is not understood"}
    counts = count_table(file).outcomes
    assert (counts[Outcome.VOID].sum(), sum(each.sum() for each in counts.values())) == (3, 400)
    file.write_text("agent,task,outcome\na,t1,grue\na,t2,1\na,t3,-1\na,t4,compile_error\na,t5,Time Limit Exceeded\n")
    for read in (ruled, count_table):
        with pytest.raises(FormatError, match="outside 0 to 1"):
            read(file)
        with pytest.raises(FormatError, match=r"1 of 5 outcomes not understood in 'outcome': 'grue' \(1\)"):
            read(file, TableRules(outcomes=outcomes_said(["-1=void"])))
    said = TableRules(outcomes=outcomes_said(["-1=void", "GRUE=failed"]))
    ended = {each.trial.task: str(each.trial.outcome) for each in of(Imported, ruled(file, said))}
    assert ended == {"t1": "failed", "t2": "passed", "t3": "void", "t4": "failed", "t5": "limit"}


def test_an_agent_that_loses_all_its_rows_is_named(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("agent,task,outcome,usd\n" + "".join(f"a,t{i},1,0\n" for i in range(300)) + "b,t1,1,cheap\n")
    with pytest.raises(FormatError, match="agent 'b' has no row left"):
        items(file)
    assert len(of(Imported, ruled(file, TableRules(go_on=True)))) == 300


@pytest.mark.parametrize("text", ["0", "a:b", "1:1", "0:inf", "0:1_0", "\uff10:100"])
def test_what_is_no_scale_is_said(text):
    with pytest.raises(FormatError, match="is not a scale"):
        scale_of(text)


def test_names_with_halves_of_surrogate_pairs_stay_apart(tmp_path):
    rows = [{"agent": name, "task": "t", "outcome": 1} for name in ("a\ud800", "a\udfff", "a?")]
    found = read(tmp_path / "t.jsonl", "\n".join(map(json.dumps, rows)))
    assert [agent.name for agent in of(Agent, found)] == ["a\\ud800", "a\\udfff", "a?"]


@pytest.mark.parametrize("name", ["outcome", "outc\\u006fme"])
def test_a_row_that_has_a_name_twice_is_refused_and_colons_in_values_are_not(tmp_path, name):
    rows = [json.dumps({"agent": "a:b", "task": f"t{number}", "outcome": 1}) for number in range(60)]
    rows.append(f'{{"agent": "a:b", "task": "x", "outcome": 0, "{name}": 1}}')
    for text in ("\n".join(rows), f"[{','.join(rows)}]"):
        found = list(importer_of("table", TableRules(go_on=True))(path_of(tmp_path, text)))
        assert len(of(Imported, found)) == 60
        assert [d.detail for d in of(Defect, found)] == ["it has 'outcome' twice; expected each name once"]
    with pytest.raises(FormatError, match="'outcome' twice"):
        count_table(path_of(tmp_path, "\n".join(rows)))
    assert count_table(path_of(tmp_path, "\n".join(rows[:-1]))).rows == 60


def path_of(folder, text):
    (folder / "t.jsonl").write_text(text)
    return folder / "t.jsonl"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agent,task,outcome\na,t,passed\na,u\n", "it has 2 cells; expected 3"),
        ("agent,task,outcome\na,t,passed,9\na,u,failed\n", "it has 4 cells; expected 3"),
        ("agent,task,task,outcome\na,t,t,passed\n", "two columns are called 'task'"),
        ('agent,task,outcome\na,"t,passed\n', "a quote is opened and never closed"),
        ('agent,task,outcome\na,t,passed\na,"u,failed\n', "a quote is opened and never closed"),
        ("agent,task,outcome\n", "no row below it"),
        ("agent,task\na,t\n", "the columns are agent, task"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(text, said, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    done = honestly("report", "t.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_a_wide_table_with_row_numbers_and_percentages_reads_itself(tmp_path):
    found = read(
        tmp_path / "t.csv", '"","task","gpt","claude"\n' + "".join(f'"{n}","t{n}",{n}0%,85.5%\n' for n in range(1, 5))
    )
    assert sorted(agent.name for agent in of(Agent, found)) == ["claude", "gpt"]
    assert len(of(Imported, found)) == 8


def test_some_columns_of_a_wide_table_are_agents_and_the_others_are_left_out(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("task,score,level,gpt,claude\nt1,0.5,1,0.25,0\nt2,1,0,1,1\n")
    found = ruled(path, TableRules(columns_said("task=task,agent=gpt,agent=claude")))
    assert [agent.name for agent in of(Agent, found)] == ["gpt", "claude"]
    assert [each.trial.score for each in of(Imported, found)] == [0.25, None, None, None]  # no part of the score
    assert [each.detail for each in of(Defect, found) if each.kind == "column left out"] == ["level"]
    with pytest.raises(FormatError, match="names 'opus', which is not a column"):
        ruled(path, TableRules(columns_said("task=task,agent=gpt,agent=opus")))


def test_a_table_in_utf_8_is_not_said_to_be_in_another_encoding(tmp_path):
    (tmp_path / "u.csv").write_text("task,gpt,claude\nt1,\u25cb,\u00d7\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"in no format that is known by its content|it is a table"):
        import_results(tmp_path / "u.csv", tmp_path / "u.honestly")
    (tmp_path / "l.csv").write_bytes("task,gpt,claude\nt1,\u00e9,\u00e9\n".encode("latin1"))
    with pytest.raises(FormatError, match="no text in UTF-8"):
        import_results(tmp_path / "l.csv", tmp_path / "l.honestly")


@pytest.mark.parametrize(("cell", "said"), [("2024/01/15,-1", "above 0"), ("2024-01-15,0", "above 0")])
def test_a_tag_that_makes_no_sense_is_said_with_what_it_should_be(tmp_path, cell, said):
    (tmp_path / "t.csv").write_text(f"agent,task,score,date,weight\na,t,1,{cell}\n")
    with pytest.raises(FormatError, match=f"expected .*{said}"):
        ruled(tmp_path / "t.csv")
