"""All pairs at once equal the pairs one by one, whatever is missing, weighted, clustered or shared."""

import math

import numpy as np
import pytest

from honestly import stats
from honestly.stats import Policy, Scores

AGENTS, QUESTIONS = 7, 40


def build(samples, hole=0.0, graded=False):
    """Seven agents on forty questions, with this share of empty cells; agent 6 repeats agent 5."""
    rng = np.random.default_rng([samples, int(hole * 10)])
    n = np.full((AGENTS, QUESTIONS), samples) * (rng.random((AGENTS, QUESTIONS)) >= hole)
    chance = np.clip(np.linspace(0.3, 0.6, AGENTS)[:, None] + rng.uniform(-0.3, 0.3, QUESTIONS), 0, 1)
    passed = rng.binomial(n, chance)
    n[6], passed[6] = n[5], passed[5]
    labels = [f"a{i}" for i in range(AGENTS)], [f"q{i:02}" for i in range(QUESTIONS)]
    scores = Scores.from_counts(*labels, passed, n - passed)
    if not graded:
        return scores
    rows = [
        (agent, question, k, float(rng.random() ** (1 + i / 4)))
        for i, agent in enumerate(labels[0])
        for question in labels[1]
        for k in range(samples)
    ]
    return Scores.from_rows(rows)


def clusters(scores):
    return scores.with_clusters([f"c{i % 9 * (i % 2)}" for i in range(QUESTIONS)])


def weights(scores):
    return scores.with_weights({q: 1.0 + i % 5 for i, q in enumerate(scores.questions)})


CASES = {
    "several samples": build(5),
    "single samples": build(1),
    "holes": build(5, 0.2),
    "holes in single samples": build(1, 0.2),
    "graded": build(3, graded=True),
    "clusters": clusters(build(5)),
    "clusters and holes": clusters(build(5, 0.2)),
    "weights": weights(build(5)),
    "weights and holes": weights(build(2, 0.2)),
    "weights and clusters": weights(clusters(build(5))),
    "shared samples": build(5).with_shared_samples(["a0", "a1", "a2"]),
}


def same(ours, theirs):
    return ours == pytest.approx(theirs, rel=1e-9, abs=1e-14, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("method", ["auto", "t"])
def test_equal_to_one_pair_at_a_time(name, method):
    resolved = CASES[name].resolve(Policy(missing="drop"))
    table = stats.compare_all(resolved, method=method)
    for i, a in enumerate(resolved.agents):
        for j, b in enumerate(resolved.agents):
            if i == j:
                continue
            found = stats.compare(resolved, a, b, method=method)
            assert table.n[i, j] == found.n
            assert same(table.difference[i, j], found.difference)
            assert same(table.se[i, j], found.se)
            assert same(table.df[i, j], found.df)
            p_value, (low, high) = table.p_value, table.interval()
            if method == "auto":
                p_value, (low, high) = table.headline_p, table.headline_interval()
            assert same(p_value[i, j], found.p_value)
            assert same(table.prediction[i, j], found.noise.prediction.value)
            assert same(table.data[i, j], found.noise.data.value)
            assert same(table.total[i, j], found.noise.total.value)
            if method == "t" and np.isnan(found.se):  # there, `compare` goes by the bounds of a difference alone
                assert np.isnan([low[i, j], high[i, j]]).all()
                assert found.interval[0] <= found.difference <= found.interval[1] or not found.n
            else:
                assert (low[i, j], high[i, j]) == pytest.approx(found.interval, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("name", CASES)
def test_symmetric_to_the_last_bit(name):
    table = stats.compare_all(CASES[name].resolve(Policy(missing="drop")))
    for matrix in (table.se, table.df, table.p_value, table.p_holm, table.p_bh, table.data, table.total, table.n):
        np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(table.difference, -table.difference.T)
    for matrix in (table.difference, table.se, table.p_value, table.data):
        assert np.isnan(np.diag(matrix)).all()


def test_identical_agents_are_not_estimable_rather_than_infinitely_different():
    table = stats.compare_all(CASES["several samples"].resolve())
    assert table.difference[5, 6] == 0
    assert np.isnan(table.se[5, 6])
    assert table.p_value[5, 6] == table.p_holm[5, 6] == 1
    assert np.isfinite(table.upper(table.p_value)).sum() == AGENTS * (AGENTS - 1) // 2


def test_nearly_identical_agents_keep_their_digits():
    """Subtracting sums of squares would leave eight digits of one pass in a thousand on one of 2,000 questions."""
    passed = np.random.default_rng(4).binomial(1_000, 0.5, 2_000)
    other = passed.copy()
    other[7] += 1
    labels = ["a", "b"], [str(i) for i in range(2_000)]
    resolved = Scores.from_counts(*labels, [passed, other], 1_000 - np.array([passed, other])).resolve()
    assert stats.compare_all(resolved).se[0, 1] == pytest.approx(stats.compare(resolved, "a", "b").se, rel=1e-12)


def test_the_same_difference_everywhere_is_not_estimable():
    passed = np.random.default_rng(4).binomial(8, 0.5, 200)
    labels = ["a", "b"], [str(i) for i in range(200)]
    resolved = Scores.from_counts(*labels, [passed, passed + 1], 9 - np.array([passed, passed + 1])).resolve()
    table = stats.compare_all(resolved)
    assert table.difference[0, 1] == pytest.approx(-1 / 9)
    assert np.isnan(table.se[0, 1])
    assert table.p_value[0, 1] == pytest.approx(2 * (1 + 1 / 9) ** -200)


def test_corrections_and_counts_are_those_of_the_family():
    table = stats.compare_all(CASES["several samples"].resolve())
    p_value = table.upper(table.p_value)
    np.testing.assert_array_equal(table.upper(table.p_holm), stats.holm_adjusted(p_value))
    np.testing.assert_array_equal(table.upper(table.p_bh), stats.benjamini_hochberg(p_value))
    assert table.counts(0.1) == stats.count_significant(p_value, 0.1)
    assert len(table.pairs()) == 21
    assert table.pairs()[1] == ("a0", "a2")
    np.testing.assert_array_equal(table.statistic, table.difference / table.se)


def test_one_agent_and_one_question():
    alone = stats.compare_all(Scores.from_counts(["a"], ["q", "r"], [[1, 0]], [[1, 2]]).resolve())
    assert alone.pairs() == []
    assert alone.counts().family == 0
    short = stats.compare_all(Scores.from_counts(["a", "b"], ["q"], [[1], [0]], [[1], [2]]).resolve())
    assert math.isnan(short.se[0, 1])
    assert math.isnan(short.total[0, 1])
