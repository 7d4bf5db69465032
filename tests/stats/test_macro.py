"""The macro mean over groups: identities, and coverage under a law whose truth is known."""

import numpy as np
import pytest

from honestly import stats
from honestly.errors import StatisticsError
from honestly.stats import t_interval
from sampled import sampled


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
    alike = stats.macro_mean(np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0]]), list("aabb"))
    assert np.isnan(alike.se).all()  # a group whose tasks agree shows no error, and the interval allows for one
    assert np.isfinite(alike.interval(0.95)).all()
    assert np.isnan(stats.macro_mean(apart, list("aabc")).interval(0.95)).all()
    assert np.isnan(stats.macro_mean(apart, list("aabc")).p_value[0])
    assert np.isnan(stats.macro_mean(np.array([[np.nan, np.nan, 1.0, 0.0]]), list("aabb")).mean[0])
    assert np.isnan(stats.macro_mean(apart, list("aabb"), clusters=list("xxyy")).se[0])
    with pytest.raises(StatisticsError, match="3 groups"):
        stats.macro_mean(apart, list("abc"))


def test_of_one_group_of_passes_and_failures_the_bounds_are_clopper_and_pearsons():
    for passed in (0, 1, 7, 12):
        values = (np.arange(12) < passed).astype(float)[None]
        low, high = stats.macro_mean(values, ["a"] * 12).interval(0.95)
        exact = stats.clopper_pearson_interval(passed, 12, 0.95)
        found = stats.mean_of_questions(values)
        plain = t_interval(float(found.mean[0]), float(found.se[0]), float(found.df[0]), 0.95, 0.0)
        exact = tuple(map(float, exact))
        ends = exact if np.isnan(found.se[0]) else (min(exact[0], plain[0]), max(exact[1], plain[1]))
        assert (float(low[0]), float(high[0])) == pytest.approx(ends, abs=1e-9)


@pytest.mark.slow
def test_a_p_value_is_where_the_interval_ends_and_signs_and_clusters_are_as_they_should_be():
    rng = np.random.default_rng(4)
    values = rng.choice([-1.0, 0.0, 0.5, 1.0], p=[0.1, 0.3, 0.2, 0.4], size=(12, 15))
    groups = ["a"] * 2 + ["b"] * 6 + ["c"] * 7
    found = stats.macro_mean(values, groups, limits=(-1.0, 1.0))
    for row, p in enumerate(found.p_value):
        if 1e-9 < p < 1:
            low, high = (ends[row] for ends in found.interval(1 - p))
            assert min(abs(low), abs(high)) < 1e-6
    turned = stats.macro_mean(-values, groups, limits=(-1.0, 1.0))
    np.testing.assert_allclose(turned.p_value, found.p_value)
    np.testing.assert_allclose(turned.interval(0.9)[0], -found.interval(0.9)[1])
    doubled = stats.macro_mean(
        np.repeat(values, 2, axis=1), np.repeat(groups, 2), np.repeat(np.arange(15), 2).astype(str), limits=(-1.0, 1.0)
    )
    np.testing.assert_allclose(doubled.p_value, found.p_value, rtol=1e-6)
    np.testing.assert_allclose(doubled.interval(0.95), found.interval(0.95), atol=1e-9)


def test_two_tasks_that_agree_do_not_decide():
    """A category of two tasks, one agent passes both and the other none; elsewhere the two are equal."""
    gaps = np.concatenate([[1.0, 1.0], np.tile([1.0, -1.0], 50)])[None]
    found = stats.macro_mean(gaps, ["tiny"] * 2 + ["b"] * 50 + ["c"] * 50, limits=(-1.0, 1.0))
    assert float(found.mean[0]) == pytest.approx(1 / 3)
    assert float(found.p_value[0]) > 0.1


_SIZES = [(2, 50, 50), (2, 2, 100), (3, 10, 100, 300), (6,) * 11, (20, 20, 20), (5,) * 5, (3,) * 40, (4, 4, 30, 30)]
_LAWS = {
    "2%": ([0.02], None), "10%": ([0.1], None), "30%": ([0.3], None), "half": ([0.5], None), "95%": ([0.95], None),
    "mixed": ([0.1, 0.5, 0.9], None), "graded": (None, (0.05, 0.88, 0.92)), "rare": (None, (0.98, 0.9, 1.0)),
    "equal": (None, [0.1, 0.1]), "ahead": (None, [0.3, 0.05]),
}  # fmt: skip


def _drawn(rng, law, group, shape):
    """Values of a group's questions, and their true mean."""
    chances, other = law
    if chances is not None:
        chance = chances[group % len(chances)]
        return (rng.random(shape) < chance).astype(float), chance
    luck = rng.random(shape)
    if isinstance(other, tuple):  # grades between two ends, and 0 with a small probability
        zero, low, high = other
        return np.where(luck < zero, 0.0, rng.uniform(low, high, shape)), (1 - zero) * (low + high) / 2
    win, loss = other
    return np.where(luck < win, 1.0, np.where(luck < win + loss, -1.0, 0.0)), win - loss


@pytest.mark.slow
@pytest.mark.parametrize("sizes", sampled([(each,) for each in _SIZES], quick=1))
def test_coverage_of_small_and_unequal_groups_and_of_laws_at_the_edges(sizes):
    rng, runs = np.random.default_rng(len(sizes) + sizes[0]), 1_000
    for name, law in _LAWS.items():
        drawn = [_drawn(rng, law, group, (runs, n)) for group, n in enumerate(sizes)]
        truth = float(np.mean([mean for _, mean in drawn]))
        groups = [str(group) for group, n in enumerate(sizes) for _ in range(n)]
        limits = (-1.0 if isinstance(law[1], list) else 0.0, 1.0)
        found = stats.macro_mean(np.concatenate([values for values, _ in drawn], axis=1), groups, limits=limits)
        low, high = found.interval(0.95)
        covered = float(np.mean((low <= truth) & (truth <= high)))
        print(f"{str(sizes)[:20]} {name}: {covered:.3f}, median width {np.median(high - low):.3f}")
        assert covered >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize(("samples", "shared"), sampled([(1, False), (5, False), (3, True)]))
def test_coverage_with_eleven_groups_of_six_hard_tasks(samples, shared):
    """Success rates between 2 and 60% over groups; tasks in pairs of one cluster where `shared`."""
    rng, groups, each, level = np.random.default_rng(7), 11, 6, 0.95
    rates, runs = np.linspace(0.02, 0.6, groups), 2_000
    names = [f"g{k}" for k in range(groups) for _ in range(each)]
    pairs = [f"c{i // 2}" for i in range(groups * each)] if shared else None
    hardness = rng.beta(*np.array([[2 * r, 2 * (1 - r)] for r in np.repeat(rates, each)]).T, size=(runs, groups * each))
    if shared:
        hardness = np.repeat(hardness[:, ::2], 2, axis=1)
    found = stats.macro_mean(rng.binomial(samples, hardness) / samples, names, pairs)
    low, high = found.interval(level)
    covered = np.mean((low <= rates.mean()) & (rates.mean() <= high))
    print(f"{covered:.3f}, median width {np.median(high - low):.3f}")
    assert covered >= 0.935
