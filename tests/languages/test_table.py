"""Cells, rank correlations and what is told of them, on samples whose truth is known."""

import csv
import json
import math
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from honestly.errors import FormatError
from honestly.languages import JudgedProgram, ProgramRun, ProgramSample, cells_of, correlations_of, read_corpus
from honestly.languages._report import LanguagesReport
from honestly.stats import spearman_correlation

SHARED = Path(__file__).parents[3] / "shared" / "data" / "languages"


def judged(language, passes, samples, model="m", stage="answer", tokens=None):
    """Samples of one language: how many of each puzzle pass."""
    return [
        JudgedProgram(
            ProgramSample(language=language, puzzle=f"p{at}", model=model, sample=n, code="x", tokens=tokens),
            ProgramRun("passed") if n < count else ProgramRun(stage, "1"),
        )
        for at, count in enumerate(passes)
        for n in range(samples)
    ]


def test_a_cell_is_the_unbiased_estimate_with_the_puzzle_as_unit():
    (cell,) = cells_of(judged("go", [0, 1, 4, 4], 4, tokens=10))
    assert (cell.n, cell.samples, cell.failures, cell.tokens) == (4, 16, {"wrong-answer": 7}, 10)
    assert list(cell.pass_at) == [1, 2, 3, 4]
    for k, rate in cell.pass_at.items():
        values = [1 - math.comb(4 - c, k) / math.comb(4, k) for c in (0, 1, 4, 4)]
        assert rate.value == pytest.approx(np.mean(values))
        assert 0 <= rate.low < rate.value < rate.high <= 1


def test_pass_at_k_goes_no_further_than_the_puzzle_with_the_fewest_samples():
    (cell,) = cells_of([*judged("go", [1], 5), *judged("go", [0, 2], 3)[3:]])
    assert max(cell.pass_at) == 3
    (cell,) = cells_of(judged("go", [1], 200))
    assert max(cell.pass_at) == 128


def test_one_puzzle_has_no_interval():
    (cell,) = cells_of(judged("go", [1], 2))
    assert math.isnan(cell.pass_at[1].low)


@pytest.mark.slow
def test_intervals_cover_new_puzzles():
    """400 tables of 20 puzzles with 2 samples: the truth is the mean chance over all puzzles that there could be."""
    random, covered, truth = np.random.default_rng(7), 0, 0.5
    for _ in range(400):
        counts = random.binomial(2, random.beta(1.0, 1.0, size=20))
        (cell,) = cells_of(judged("go", counts.tolist(), 2))
        covered += cell.pass_at[1].low <= truth <= cell.pass_at[1].high
    assert 0.92 <= covered / 400 <= 0.98


def test_models_and_languages_come_in_order():
    cells = cells_of([*judged("zig", [1], 1, "b"), *judged("go", [1], 1, "b"), *judged("zig", [1], 1, "a")])
    assert [(cell.model, cell.language) for cell in cells] == [("a", "zig"), ("b", "go"), ("b", "zig")]


@pytest.mark.published
@pytest.mark.skipif(not SHARED.exists(), reason="../shared/data/languages is not there")
@pytest.mark.parametrize(
    ("model", "k", "published"),
    [
        ("GPT-4.1 Mini", 1, 0.86),
        ("Gemini 3 Flash", 1, 0.81),
        ("OLMo 3.1", 1, 0.93),
        ("Kimi K2.5", 1, 0.81),
        ("GLM-5", 1, 0.74),
        ("OLMo 3.1", 128, 0.90),
        ("GPT-4.1 Mini", 128, 0.65),
    ],
)
def test_published_correlations_come_out_again(model, k, published):
    corpus = read_corpus(SHARED / "corpus.csv")
    rows = [row for row in csv.DictReader((SHARED / "pass_at_k.csv").open()) if row["model"] == model]
    values = [float(row[f"pass_at_{k}"]) for row in rows]
    assert spearman_correlation([corpus[row["language"].lower()] for row in rows], values).value == pytest.approx(
        published, abs=0.006
    )


def test_a_corpus_is_a_table_of_sizes(tmp_path):
    path = tmp_path / "corpus.csv"
    path.write_text("language,gb\nPython,60.4\nC++,9\n")
    assert read_corpus(path) == {"python": 60.4, "cpp": 9.0}
    path.write_text("language,gb\nPython,much\n")
    with pytest.raises(FormatError, match="line 2"):
        read_corpus(path)


def report():
    names = ("python", "go", "rust", "zig", "c")
    rows = [
        judged(name, [5, 5 - at, 4 - at], 5, model, stage)
        for at, name in enumerate(names)
        for model, stage in (("m", "compile"), ("\x1b[31mn", "time"))
    ]
    cells = cells_of([each for row in rows for each in row])
    corpus = {"python": 60.0, "go": 20.0, "rust": 9.0, "zig": 0.2}
    return LanguagesReport(
        tuple(cells),
        tuple(correlations_of(cells, corpus)),
        {"go": "1.19"},
        {"lua": "apt-get install lua5.4"},
        0.95,
        ("A note.",),
    )


def test_the_report_as_plain_data_is_json_of_the_fixed_form():
    plain = json.loads(json.dumps(report().to_plain(), allow_nan=False))
    cell = plain["cells"][0]
    assert {"language", "model", "n", "samples", "pass_at", "failures"} <= set(cell)
    assert set(cell["pass_at"]["1"]) == {"value", "low", "high"}
    assert plain["left_out"] == {"lua": "apt-get install lua5.4"}
    first = plain["correlations"][0]
    assert (first["k"], first["spearman"], first["languages"]) == (
        1,
        pytest.approx(1.0),
        ["python", "go", "rust", "zig"],
    )


def test_the_report_in_a_terminal_and_its_figure():
    console = Console(width=110, record=True, file=StringIO())
    console.print(report())
    text = console.export_text()
    for words in ("pass@1", "Python", "api-confusion", "Spearman 1.00", "lua is left out", "A note."):
        assert words in text
    assert "\x1b" not in text
    (figure,) = report().figures.values()
    assert figure.svg.count("Python") >= 2
    assert "\x1b" not in figure.svg
    assert len(figure.vega["data"]["values"]) == 2 * 5 * 5
