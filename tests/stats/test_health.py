"""Benchmark health: oracles, planted defects, and data that cannot answer."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as oracle
from shared_data import Counts, terminal_bench

from honestly.errors import StatisticsError
from honestly.stats import (
    Band,
    Policy,
    ResolvedScores,
    Scores,
    item_quality,
    kendall_w,
    pair_inconsistency,
    question_difficulty,
    score_saturation,
    score_separation,
    split_half,
    suite_agreement,
    tau_b,
)
from honestly.stats._agreement import average_ranks


def resolve(data: Counts) -> ResolvedScores:
    correct, count = data.correct.astype(int), data.count.astype(int)
    return Scores.from_counts(data.agents, data.questions, correct, count - correct).resolve()


def scores(means: np.ndarray, samples: int = 10) -> ResolvedScores:
    passed = np.rint(np.asarray(means) * samples).astype(int)
    names = [f"a{i}" for i in range(passed.shape[0])], [f"q{i}" for i in range(passed.shape[1])]
    return Scores.from_counts(*names, passed, samples - passed).resolve()


# --- real leaderboards --------------------------------------------------------------------------------------------


@pytest.mark.published
def test_saturation_of_real_leaderboards() -> None:
    agents, tasks, passed, failed, unscored = terminal_bench()
    resolved = Scores.from_counts(agents, tasks, passed, failed + unscored).resolve()
    found = score_saturation(resolved, top=2)
    assert found.best == found.top[0] == "20250923_droid_claude-4-1-opus"
    assert found.headroom == pytest.approx(1 - 0.5875)
    assert 0 < found.certain_headroom < found.headroom
    assert found.never * 80 == question_difficulty(resolved).counts[Band.NEVER]
    assert found.separable == 0
    assert score_saturation(resolved, top=9).separable > 0.5


# --- oracles ------------------------------------------------------------------------------------------------------

small_scores = st.lists(st.integers(0, 4), min_size=3, max_size=9)


@settings(deadline=None)
@given(small_scores, st.randoms(use_true_random=False))
def test_ranks_and_tau_equal_scipy(values: list[int], random: object) -> None:
    x = np.array(values, dtype=float)
    y = np.array(random.sample(values, len(values)), dtype=float)  # type: ignore[attr-defined]
    assert average_ranks(x) == pytest.approx(oracle.rankdata(-x))
    assert float(tau_b(x, y)) == pytest.approx(oracle.kendalltau(x, y).statistic, nan_ok=True)


@given(st.integers(3, 7), st.integers(2, 5), st.integers(0, 10**6))
def test_concordance_is_friedmans_statistic(agents: int, judges: int, seed: int) -> None:
    table = np.random.default_rng(seed).normal(size=(agents, judges))
    w = kendall_w(table)
    mean_rho = np.mean([oracle.spearmanr(table[:, i], table[:, j]).statistic for i in range(judges) for j in range(i)])
    assert w == pytest.approx(((judges - 1) * mean_rho + 1) / judges)
    if judges >= 3:
        friedman = oracle.friedmanchisquare(*(row for row in table)).statistic
        assert w == pytest.approx(friedman / (judges * (agents - 1)))


def test_item_rest_equals_corrcoef_also_with_missing_cells() -> None:
    rng = np.random.default_rng(0)
    n = rng.integers(0, 4, size=(8, 15))
    passed = rng.binomial(n, rng.random((1, 15)))
    names = [f"a{i}" for i in range(8)], [f"q{i}" for i in range(15)]
    resolved = Scores.from_counts(*names, passed, n - passed, planned=n).resolve(Policy(missing="drop"))
    found = item_quality(resolved)
    for column in range(15):
        have = n[:, column] > 0
        others = np.delete(resolved.mean, column, axis=1)[have]
        rest = np.nanmean(others, axis=1)
        own = resolved.mean[have, column]
        if own.std() > 0 and rest.std() > 0:
            assert found.item_rest[column] == pytest.approx(np.corrcoef(own, rest)[0, 1])
            assert found.tau[column] == pytest.approx(oracle.kendalltau(own, rest).statistic)


# --- known truth --------------------------------------------------------------------------------------------------


def test_a_planted_wrong_reference_is_the_first_suspect() -> None:
    rng = np.random.default_rng(1)
    ability, hardness = np.linspace(-2, 2, 20), rng.normal(0, 1, 60)
    chance = 1 / (1 + np.exp(hardness - ability[:, None]))
    chance[:, 7] = 1 - chance[:, 7]
    resolved = scores(rng.binomial(5, chance) / 5, 5)
    assert item_quality(resolved).suspect_questions[0] == "q7"


def test_split_half_reliability_predicts_a_rerun_on_new_questions() -> None:
    """Spearman-Brown's value is the correlation of the scores on two independent sets of questions of full size."""
    rng = np.random.default_rng(3)
    ability = rng.normal(0, 0.5, 25)
    found, repeated = [], []
    for _ in range(60):
        hardness = rng.normal(0, 1, (2, 60))
        chance = 1 / (1 + np.exp(hardness[:, None, :] - ability[:, None]))
        passed = rng.binomial(1, chance)
        found.append(split_half(scores(passed[0], 1), splits=30, seed=1).spearman_brown)
        repeated.append(np.corrcoef(passed[0].mean(1), passed[1].mean(1))[0, 1])
    assert np.mean(found) == pytest.approx(np.mean(repeated), abs=0.02)


def test_split_halves_of_clusters_carry_a_warning() -> None:
    means = np.random.default_rng(0).random((4, 20)).round(1)
    clustered = Scores.from_counts(
        list("abcd"), [f"q{i}" for i in range(20)], (means * 10).astype(int), 10 - (means * 10).astype(int)
    ).with_clusters([f"c{i // 5}" for i in range(20)])
    assert "both halves" in split_half(clustered.resolve(), splits=3, seed=0).notes[-1]


# --- suites -------------------------------------------------------------------------------------------------------

NAMES = tuple("abcdef")


def test_suites_that_agree_cannot_be_moved() -> None:
    ability = np.arange(6.0)[:, None]
    found = suite_agreement(ability * [1.0, 3.0, 0.2], NAMES, ("x", "y", "z"), seed=0)
    assert found.rank_diversity == pytest.approx(0)
    assert (found.tau == 1).all()
    assert (found.scale.tau_distance, found.scale.max_rank_change) == (0, 0)
    assert (found.company.tau_distance, found.company.max_rank_change) == (0, 0)


def test_suites_that_disagree_can_be_moved_and_the_choice_does_it() -> None:
    rng = np.random.default_rng(6)
    table = rng.normal(size=(8, 4)) * [1, 1, 5, 1]
    names = tuple(f"a{i}" for i in range(8))
    found = suite_agreement(table, names, tuple("wxyz"), seed=0)
    assert found.rank_diversity > 0.5
    after = (table * found.scale.choice).mean(1)
    moved = (1 - oracle.kendalltau(table.mean(1), after).statistic) / 2
    assert found.scale.tau_distance == pytest.approx(moved)
    assert moved > 0.2
    ranks = oracle.rankdata(-table.mean(1)), oracle.rankdata(-after)
    assert found.scale.max_rank_change == pytest.approx(np.abs(ranks[0] - ranks[1]).max() / 7)
    assert found.scale.choice.max() == 1


def test_company_changes_a_ranking_as_in_condorcets_example() -> None:
    """Two leaders tie against each other in a sense that third agents decide."""
    table = np.array([[3.0, 3.0, 0.0], [2.0, 2.0, 3.0], [1.0, 1.0, 1.0], [0.0, 0.0, 2.0], [-1.0, -1.0, -1.0]])
    found = suite_agreement(table, tuple("pqrst"), ("x", "y", "z"), seed=0, leading=2)
    assert set(found.leading) == {"p", "q"}
    assert found.company.tau_distance == 1
    present = found.company.choice.astype(bool)
    wins = (table[:2, None, :] > table[None, present, :]).mean(2).sum(1)
    assert wins[1] > wins[0]


def test_search_beyond_exact_size_finds_what_exhaustion_finds() -> None:
    rng = np.random.default_rng(9)
    table = rng.normal(size=(6, 14))
    from honestly.stats import _suites

    found = suite_agreement(table, NAMES, tuple(f"s{i}" for i in range(14)), seed=2)
    scaled = table / table.std(0, ddof=1)
    every = (np.arange(2**14)[:, None] >> np.arange(14)) % 2 == 1
    tau, _ = _suites._ranking_shift(table.mean(1), scaled @ np.where(every, 1.0, 0.01).T)
    assert found.scale.tau_distance >= 0.9 * tau.max()


# --- invariances and refusals -------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_order_of_agents_and_questions_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    means = rng.binomial(4, rng.random((1, 12)), (6, 12)) / 4
    rows, columns = rng.permutation(6), rng.permutation(12)
    one, other = scores(means, 4), scores(means[rows][:, columns], 4)
    assert pair_inconsistency(one).share_quantiles() == pytest.approx(
        pair_inconsistency(other).share_quantiles(), nan_ok=True
    )
    assert question_difficulty(one).counts == question_difficulty(other).counts
    a, b = item_quality(one), item_quality(other)
    assert a.tau[columns] == pytest.approx(b.tau, nan_ok=True)
    assert a.item_rest[columns] == pytest.approx(b.item_rest, nan_ok=True)
    share = pair_inconsistency(one).weaker_share
    assert np.nanmax(share, initial=0) <= 0.5
    assert np.array_equal(share, share.T, equal_nan=True)


def test_what_nobody_can_tell_is_nan() -> None:
    same = scores(np.ones((4, 6)), 2)
    assert all(math.isnan(value) for value in pair_inconsistency(same).share_quantiles())
    assert np.isnan(item_quality(same).tau).all()
    halves = split_half(same, splits=5, seed=0)
    assert math.isnan(halves.tau)
    assert halves.reason
    assert math.isnan(score_separation(same).ratio)
    full = score_saturation(same)
    assert (full.headroom, full.always, full.informative, full.separable) == (0, 1, 0, 0)
    assert math.isnan(score_saturation(same, top=1).separable)
    constant = suite_agreement(np.ones((3, 2)), ("a", "b", "c"), ("x", "y"), seed=0)
    assert math.isnan(constant.concordance)
    assert math.isnan(constant.scale.tau_distance)


def test_a_question_without_samples_has_no_band() -> None:
    counts = Scores.from_counts(["a", "b"], ["q", "r"], [[1, 0], [1, 0]], [[1, 0], [0, 0]], planned=[[2, 1], [1, 1]])
    found = question_difficulty(counts.resolve(Policy(missing="drop")))
    assert found.band == (Band.EASY, None)
    assert found.names(Band.EASY) == ("q",)
    assert np.isnan(found.low[1])


@pytest.mark.parametrize(
    "broken",
    [
        lambda: item_quality(scores(np.eye(2))),
        lambda: split_half(scores(np.eye(2)), seed=0),
        lambda: split_half(scores(np.ones((3, 6))), splits=0, seed=0),
        lambda: score_separation(scores(np.ones((1, 6)))),
        lambda: score_saturation(scores(np.ones((2, 6))), top=0),
        lambda: suite_agreement(np.ones((2, 2)), ("a", "b"), ("x", "y"), seed=0),
        lambda: suite_agreement(np.full((3, 2), np.nan), ("a", "b", "c"), ("x", "y"), seed=0),
        lambda: suite_agreement(np.ones((3, 2)), ("a", "b", "c"), ("x", "y"), seed=0, least_scale=0),
        lambda: suite_agreement(np.ones((3, 2)), ("a", "b", "c"), ("x", "y"), seed=0, leading=4),
    ],
)
def test_too_little_is_refused(broken: object) -> None:
    with pytest.raises(StatisticsError):
        broken()  # type: ignore[operator]
