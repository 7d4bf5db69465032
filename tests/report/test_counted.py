"""A long table is counted, and says what the same table says that was imported row by row."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from honestly import studies
from honestly.cli import cli
from honestly.comparisons import comparison
from honestly.errors import FormatError
from honestly.formats import TableRules, count_table
from honestly.leaderboards import study_report
from honestly.records import Outcome
from honestly.scores import CountedTable, study_scores
from honestly.store import open_study
from honestly.studies import TableStudy, import_results

pytest.importorskip("polars", reason="long tables are counted with polars, in the extra `tables`")

import polars as pl


def written(path: Path, *, agents: int = 4, tasks: int = 30, samples: int = 3, graded: bool = False) -> Path:
    """A table with clusters and every kind of outcome."""
    rng = np.random.default_rng(7)
    words = ["0", "1", "passed", "failed", "limit", "void", "true"] + (["0.25", "0.5"] if graded else [])
    rows = [
        {
            "model": f"m{a}", "question": f"q{q}", "epoch": k, "score": str(rng.choice(words)), "cluster": f"c{q // 5}",
            "usd": None if a == 0 and q == k else k + 0.25,
        }
        for a in range(agents)
        for q in range(tasks)
        for k in range(samples)
    ]  # fmt: skip
    frame = pl.DataFrame(rows)
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_counted_and_imported_say_the_same(tmp_path, kind, graded):
    path = written(tmp_path / f"t.{kind}", graded=graded)
    import_results(path, tmp_path / "s.honestly", "table")
    kept = studies.open(tmp_path / "s.honestly")
    counted = TableStudy(path)
    assert counted.row_count == 4 * 30 * 3
    one, other = kept.report().to_plain(), counted.report().to_plain()
    differing = {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}
    # Reasons stand with trials; the counted table has none.
    assert differing <= {"reasons", "study"}
    assert len(one["agents"]) == 4
    pair = [each.compare("m0", "m1").to_plain() for each in (kept, counted)]
    assert pair[0] == pair[1]


@pytest.mark.parametrize("numbered", [True, False])
def test_the_last_sample_of_a_counted_table_is_that_of_the_imported_one(tmp_path, numbered):
    rng = np.random.default_rng(3)
    rows = [
        f"m{a},q{q}x,{k if numbered else ''},{rng.choice(['0', '1', '0.25', '0.5', 'void', 'limit'])}"
        for q in range(40) for k in rng.permutation(rng.integers(1, 5)) for a in range(2)
    ]  # fmt: skip
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["agent,task,sample,score", *rows]))
    import_results(path, tmp_path / "s.honestly", "table")
    with open_study(tmp_path / "s.honestly") as study:
        kept = study_scores(study)
    counted = study_scores(CountedTable(path))
    for name in ("observed", "last_passed", "last_extreme"):
        assert (getattr(kept, name) == getattr(counted, name)).all(), name
    assert {-1, 0, 1} <= {*counted.last_extreme.ravel().tolist()}


def test_what_cannot_be_counted_is_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("agent,task,score,mood\na,t,1,x\na,u,maybe,x\n,t,1,x\na,u,7,x\na,t,0,x\n")
    with pytest.raises(FormatError, match="1 of 5 scores in 'score' are outside 0 to 1: they reach from 7 to 7"):
        count_table(path)
    void = {"7": Outcome.VOID}
    with pytest.raises(
        FormatError, match=r"1 of 5 rows refused, .*1 of 5 outcomes not understood in 'score': 'maybe' \(1\)"
    ):
        count_table(path, TableRules(outcomes=void))
    counts = count_table(path, TableRules(outcomes=void, go_on=True))
    assert counts.rows == 4
    assert [(each.kind, each.count, each.effect) for each in counts.defects] == [
        ("column left out", 1, "noted"), ("row refused", 1, "refused"),
        ("outcome not understood", 1, "repaired"), ("samples without a number", 1, "noted")]  # fmt: skip
    path.write_text("llm,task,acc\na,t,1\nb,t,0\n")
    named = TableRules({"agent": "llm", "outcome": "acc"})
    assert [each.name for each in CountedTable(path, named).agents()] == ["a", "b"]
    for text, words in (
        ("planner,task,acc\na,t,1\n", "no column for its agent"),
        ("agent,task,score,count\na,t,0.5,2\n", "cells with a number of samples"),
        ("agent,task,score,sample\na,t,1,0\na,t,1,0\n", "1 rows repeat a sample"),
    ):
        path.write_text(text)
        with pytest.raises(FormatError, match=words):
            count_table(path)


def test_tables_of_nothing_and_of_one_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("agent,task,score\na,t,1\n")
    assert study_report(CountedTable(path)).to_plain()["agents"][0]["honest"] == 1.0
    path.write_text("agent,task,score\n")
    with pytest.raises(FormatError):
        comparison(CountedTable(path), "a", "b")


def test_a_long_table_is_counted_where_a_short_one_is_imported(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = written(tmp_path / "t.csv")
    shown = CliRunner().invoke(cli, ["report", str(path), "--json"], catch_exceptions=False)
    short = json.loads(shown.stdout)
    assert "imported as table" in shown.stderr
    monkeypatch.setattr("honestly.studies._open._LONG_BYTES", 10)
    shown = CliRunner().invoke(cli, ["report", str(path), "--json"], catch_exceptions=False)
    assert "its 360 rows are counted, not imported" in shown.stderr
    assert json.loads(shown.stdout)["agents"] == short["agents"]
    told = CliRunner().invoke(cli, ["compare", str(path), "m0", "m1", "--json"], catch_exceptions=False)
    assert json.loads(told.stdout)["a"] == "m0"
    for text in ("agent,task,score\na,t,1\nb,t\n", "task,a,b\nt,1,0\nu,0,1\n", 'agent,task,score\na,t,1\nb,t,"1\n'):
        path.write_text(text)
        shown = CliRunner().invoke(cli, ["report", str(path), "--allow-refused"], catch_exceptions=False)
        assert "imported as table" in shown.stderr, text
