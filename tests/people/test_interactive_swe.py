"""The tables of InteractiveSWE come out of the ordinary `compare`, from the file of its 0/1 outcomes."""

import json
from collections import Counter
from pathlib import Path

import pytest
from scipy.special import stdtr, stdtrit

import honestly
from honestly.stats import mcnemar_exact

SHARED = Path(__file__).parents[3] / "shared"
PUBLISHED = {"claude_sonnet3.5": (92, 14), "claude_haiku_3.5": (77, 19), "deepseek-v2": (23, 15)}
"""Tasks that questions to the user won and lost, against the same underspecified issue without."""


@pytest.mark.slow
@pytest.mark.published
def test_every_pair_is_that_of_the_reference(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rows = [json.loads(line) for line in (SHARED / "data" / "evals" / "interactive_swe.jsonl").read_text().splitlines()]
    times = Counter(row["example_id"] for row in rows)
    common = [row for row in rows if times[row["example_id"]] == 12]  # under all models and conditions
    (tmp_path / "common.jsonl").write_text("".join(json.dumps(row) + "\n" for row in common))
    study = honestly.open(tmp_path / "common.jsonl")
    reference = json.loads((SHARED / "refs" / "interactive_swe.json").read_text())
    assert len(reference["pairs"]) == 66
    for pair in reference["pairs"]:
        found, expected = study.compare(pair["a"], pair["b"]), pair["honest"]
        assert (found.n, found.wins, found.losses) == (497, expected["wins"], expected["losses"])
        assert found.difference == pytest.approx(expected["diff"], abs=1e-12)
        assert found.independent.se == pytest.approx(expected["se"], rel=1e-9)
        assert found.se == pytest.approx(expected["se_cr2"], rel=1e-9)
        by_t = found.claim.approximate
        half = float(stdtrit(expected["df_bm"], 0.975)) * expected["se_cr2"]
        assert 2 * stdtr(found.df, -abs(found.difference) / found.se) == pytest.approx(expected["p_cr2"], rel=1e-6)
        assert by_t.p_value >= expected["p_cr2"] * (1 - 1e-6)  # at least what so few clusters can show
        assert by_t.interval == pytest.approx((expected["diff"] - half, expected["diff"] + half), abs=1e-9)
        assert found.p_value >= by_t.p_value  # the headline has room for what 12 clusters cannot show
        p = float(mcnemar_exact(found.wins, found.losses))
        assert p == pytest.approx(expected["p_mcnemar_exact"], rel=1e-9)
    for model, (won, lost) in PUBLISHED.items():
        found = study.compare(f"{model}|interaction", f"{model}|underspecified")
        assert (found.wins, found.losses) == (won, lost)
