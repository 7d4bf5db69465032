"""The macro mean over groups: identities, and coverage under a law whose truth is known."""

import numpy as np
import pytest

from honestly import stats
from honestly.errors import StatisticsError
from honestly.stats import t_interval


def test_one_group_is_the_plain_mean_and_equal_groups_are_the_stratified_one():
    values = np.random.default_rng(1).random((3, 12))
    plain, one = stats.mean_of_questions(values), stats.macro_mean(values, ["a"] * 12)
    for name in ("n", "mean", "se", "df"):
        np.testing.assert_allclose(getattr(one, name), getattr(plain, name), rtol=1e-12)
    two = stats.macro_mean(values, ["a"] * 4 + ["b"] * 8)
    a, b = values[:, :4], values[:, 4:]
    np.testing.assert_allclose(two.mean, (a.mean(axis=1) + b.mean(axis=1)) / 2)
    square_a, square_b = a.var(axis=1, ddof=1) / 4, b.var(axis=1, ddof=1) / 8
    np.testing.assert_allclose(two.se, np.sqrt(square_a + square_b) / 2)
    np.testing.assert_allclose(two.df, (square_a + square_b) ** 2 / (square_a**2 / 3 + square_b**2 / 7))


def test_welch_is_the_macro_mean_of_two_groups_with_one_sign_turned():
    from scipy import stats as scipy

    a, b = np.random.default_rng(2).random(7), 3 * np.random.default_rng(3).random(11)
    found = stats.macro_mean(np.concatenate([a, -b])[None], ["a"] * 7 + ["b"] * 11)
    welch = scipy.ttest_ind(a, b, equal_var=False)
    assert float(found.mean[0] / found.se[0]) == pytest.approx(welch.statistic)
    assert float(found.df[0]) == pytest.approx(welch.df)


def test_what_lies_between_groups_is_no_noise_and_what_is_unknown_is_said():
    apart = np.array([[0.0, 0.1, 1.0, 0.9]])
    assert float(stats.macro_mean(apart, list("aabb")).se[0]) == pytest.approx(np.sqrt(0.005 / 2 * 2) / 2)
    assert np.isnan(stats.macro_mean(apart, list("aabc")).se[0])  # groups of one question
    assert np.isnan(stats.macro_mean(np.array([[0.0, 0.0, 1.0, 1.0]]), list("aabb")).se[0])
    assert np.isnan(stats.macro_mean(np.array([[np.nan, np.nan, 1.0, 0.0]]), list("aabb")).mean[0])
    assert np.isfinite(stats.macro_mean(np.array([[0.0, 0.0, 1.0, 0.0]]), list("aabb")).se[0])
    assert np.isnan(stats.macro_mean(apart, list("aabb"), clusters=list("xxyy")).se[0])
    with pytest.raises(StatisticsError, match="3 groups"):
        stats.macro_mean(apart, list("abc"))


@pytest.mark.parametrize(("samples", "shared"), [(1, False), (5, False), (3, True)])
def test_coverage_with_eleven_groups_of_six_hard_tasks(samples, shared):
    """Success rates between 2 and 60% over groups; tasks in pairs of one cluster where `shared`."""
    rng, groups, each, level, covered = np.random.default_rng(7), 11, 6, 0.95, 0
    rates, runs = np.linspace(0.02, 0.6, groups), 2_000
    names = [f"g{k}" for k in range(groups) for _ in range(each)]
    pairs = [f"c{i // 2}" for i in range(groups * each)] if shared else None
    hardness = rng.beta(*np.array([[2 * r, 2 * (1 - r)] for r in np.repeat(rates, each)]).T, size=(runs, groups * each))
    if shared:
        hardness = np.repeat(hardness[:, ::2], 2, axis=1)
    found = stats.macro_mean(rng.binomial(samples, hardness) / samples, names, pairs)
    for mean, se, df in zip(found.mean, found.se, found.df, strict=True):
        low, high = t_interval(float(mean), float(se), float(df), level, 0.0)
        covered += low <= rates.mean() <= high
    assert 0.925 <= covered / runs <= 0.975
