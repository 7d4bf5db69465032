"""Fine-tuning data with a trainer's configuration, and a verifier of tries, on studies and against brute force."""

import json
from itertools import combinations

import numpy as np
import pytest
from test_training_data import study  # noqa: F401 - a fixture

from forked import honestly
from honestly.errors import StatisticsError
from honestly.records import Observation, Step, ToolCall
from honestly.train import ScoredTry, trajectory_features, verifier_report
from honestly.train._verifier import best_at_k


def tries(seed: int, signal: float, tasks: int = 80, samples: int = 8) -> list[ScoredTry]:
    rng = np.random.default_rng(seed)
    made = []
    for task in range(tasks):
        ease = rng.random()
        for _ in range(samples):
            passed = bool(rng.random() < ease)
            made.append(
                ScoredTry("a", f"t{task}", f"f{task // 2}", passed, [signal * passed + rng.normal(), rng.normal()])
            )
    return made


def test_best_at_k_is_the_mean_over_all_subsets():
    rng = np.random.default_rng(1)
    for _ in range(20):
        n = int(rng.integers(1, 7))
        scores, passed = rng.integers(0, 3, n).astype(float), (rng.random(n) < 0.5).astype(float)
        for k in range(1, n + 1):
            tops = [
                np.flatnonzero(scores[list(each)] == scores[list(each)].max()) for each in combinations(range(n), k)
            ]
            means = [
                passed[np.array(each)[top]].mean() for each, top in zip(combinations(range(n), k), tops, strict=True)
            ]
            assert best_at_k(scores, passed, k) == pytest.approx(np.mean(means))


def test_a_verifier_gains_where_tries_differ_and_nothing_where_they_do_not():
    good = verifier_report(tries(0, 1.5))
    assert good.curve[2].k == 4
    assert good.curve[2].gain_interval[0] > 0
    assert good.curve[0].best <= good.curve[2].best <= good.curve[2].any
    blind = [verifier_report(tries(seed, 0.0)).curve[2] for seed in range(20)]
    assert sum(each.gain_interval[0] <= 0 <= each.gain_interval[1] for each in blind) >= 17
    assert pytest.approx(np.mean([each.gain for each in blind]), abs=0.02) == 0
    with pytest.raises(StatisticsError, match="ten families"):
        verifier_report(tries(0, 1.0, tasks=6))


@pytest.mark.slow
def test_intervals_of_a_blind_verifier_cover_zero():
    blind = [verifier_report(tries(seed, 0.0)).curve[2] for seed in range(200)]
    assert sum(each.gain_interval[0] <= 0 <= each.gain_interval[1] for each in blind) >= 182
    assert pytest.approx(np.mean([each.gain for each in blind]), abs=0.01) == 0


@pytest.mark.slow
def test_a_forest_gains_too():
    assert verifier_report(tries(0, 1.5), predictor="forest").curve[2].gain_interval[0] > 0


def test_features_see_steps_and_no_verdict():
    call = ToolCall.of("c", "bash", command="pytest")
    bad = Step(source="agent", message="", calls=(call,), observations=(Observation(text="FAILED x", call_id="c"),))
    one, two = trajectory_features([bad]), trajectory_features([bad, bad])
    assert len(one) == len(two)
    assert one != two
    assert len(trajectory_features([])) == len(one)


@pytest.mark.slow
def test_rft_writes_rows_and_a_configuration(study, tmp_path):  # noqa: F811
    done = honestly("train", "rft", study, "--out", tmp_path / "rows", "--model", "tiny", "--held-out", 0, "--json")
    said = json.loads(done.stdout)
    assert said["rows"] == len((tmp_path / "rows" / "train.jsonl").read_text().splitlines()) == 3
    config = (tmp_path / "rows.yaml").read_text()
    assert f'dataset_name: "{tmp_path / "rows"}"' in config
    assert said["then"][0] == f"trl sft --config {tmp_path / 'rows.yaml'}"
    done = honestly("train", "verifier", study)
    assert "ten families" in done.stderr
