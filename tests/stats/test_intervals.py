"""Intervals for a probability: exact coverage, the published coverages, statsmodels, and the edges."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from honestly import stats
from honestly.stats import t_quantile
from honestly.stats._inference import claim_of_passes
from honestly.stats._intervals import wilson_lowest
from honestly.stats._special import binomial_pmf
from sampled import sampled

# A loaded machine is no reason to fail.
quick = settings(deadline=None, max_examples=15)

KINDS = {
    "wilson": stats.wilson_interval,
    "jeffreys": stats.jeffreys_interval,
    "clopper": stats.clopper_pearson_interval,
}


def exact_coverage(low, high, n, p):
    inside = (low <= p) & (p <= high)
    return float(binomial_pmf(np.arange(n + 1), n, p)[inside].sum())


@pytest.mark.parametrize("n", sampled([20, 80, 500]))
def test_coverage_over_all_probabilities(n):
    """Exact at every p: Wilson and Jeffreys are right on average, Clopper and Pearson never too short."""
    successes, probabilities = np.arange(n + 1), np.linspace(0.005, 0.995, 199)
    for kind, interval in KINDS.items():
        ends = interval(successes, n)
        found = np.array([exact_coverage(*ends, n, p) for p in probabilities])
        if kind == "clopper":
            assert found.min() >= 0.95
        else:
            assert 0.945 <= found.mean() <= 0.96
            assert np.mean((found >= 0.93) & (found <= 0.97)) >= (0.7 if n == 20 else 0.9)


@pytest.mark.parametrize(("kind", "method"), [("wilson", "wilson"), ("jeffreys", "jeffreys"), ("clopper", "beta")])
def test_equal_to_statsmodels(kind, method):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    n = 40
    successes = np.arange(1, n)
    for level in (0.8, 0.95, 0.999):
        low, high = KINDS[kind](successes, n, level)
        expected = proportion.proportion_confint(successes, n, alpha=1 - level, method=method)
        np.testing.assert_allclose((low, high), expected, rtol=1e-10)


@pytest.mark.parametrize("interval", KINDS.values())
def test_edges(interval):
    low, high = interval([0, 5], 5)
    assert low[0] == 0
    assert high[1] == 1
    assert 0 < high[0] < 1
    assert 0 < low[1] < 1
    assert all(np.isnan(end) for end in interval(0, 0))


@quick
@given(st.integers(1, 400), st.data())
def test_intervals_are_nested_and_mirror(n, data):
    successes = data.draw(st.integers(0, n))
    for interval in KINDS.values():
        low, high = interval(successes, n)
        assert 0 <= low <= successes / n <= high <= 1
        wider_low, wider_high = interval(successes, n, 0.99)
        assert wider_low <= low
        assert high <= wider_high
        mirrored = interval(n - successes, n)
        assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((float(low), float(high)), abs=1e-9)


def test_interval_of_a_mean():
    """Wilson's with the effective number of questions; in the middle, with many of them, t's to three digits."""
    low, high = stats.mean_interval(0.5, 0.01, 79)
    assert (float(low), float(high)) == pytest.approx(
        (0.5 - 0.01 * t_quantile(0.95, 79), 0.5 + 0.01 * t_quantile(0.95, 79)), abs=1e-4
    )
    assert float(low) + float(high) == pytest.approx(1)
    n, successes = 500, 4
    mean = successes / n
    # With infinite df and the error of n yes/no questions it is Wilson's interval.
    found = stats.mean_interval(mean, np.sqrt(mean * (1 - mean) / n), np.inf)
    assert [float(end) for end in found] == pytest.approx([float(end) for end in stats.wilson_interval(successes, n)])
    assert all(np.isnan(end) for end in stats.mean_interval(0.3, np.nan, 5))
    low, high = stats.mean_interval(0.999, 0.001, [5.0, 50.0])
    assert [float(end[1]) for end in (low, high)] == [float(end) for end in stats.mean_interval(0.999, 0.001, 50.0)]
    assert np.all((low > 0) & (low < 0.999) & (high > 0.999) & (high <= 1))


def test_no_more_effective_questions_than_questions():
    """With infinite df and a cap that binds it is Wilson's interval of the cap, and where none binds nothing changes."""
    capped = stats.mean_interval(0.05, 0.01, np.inf, questions=30)
    assert [float(end) for end in capped] == pytest.approx([float(end) for end in stats.wilson_interval(1.5, 30)])
    assert stats.mean_interval(0.05, 0.04, 29, questions=30) == stats.mean_interval(0.05, 0.04, 29)


@pytest.mark.parametrize("n", [5, 20])
def test_the_lowest_coverage_of_wilson_is_that_of_a_fine_grid(n):
    low, high = stats.wilson_interval(np.arange(n + 1), n)
    p = np.linspace(0, 1, 5_001)[1:-1, None]
    held = (low <= p) & (p <= high)
    coverage = (binomial_pmf(np.arange(n + 1), n, p) * held).sum(axis=1)
    lowest = [coverage[held[:, s]].min() for s in range(n + 1)]
    found = wilson_lowest(n, 0.95)
    np.testing.assert_allclose(found, lowest, atol=5e-3)
    assert np.all(found <= np.array(lowest) + 1e-12)


@pytest.mark.parametrize("n", sampled([10, 5, 20, 30, 45]))
def test_a_score_of_single_samples_covers_at_every_true_score(n):
    """Exactly: Wilson's interval alone falls to 83% at 5 questions."""
    ends = [claim_of_passes(s, n, 0.95).answer.interval for s in range(n + 1)]
    p = np.linspace(0, 1, 2_001)[1:-1, None]
    held = (np.array([low for low, _ in ends]) <= p) & (p <= np.array([high for _, high in ends]))
    assert (binomial_pmf(np.arange(n + 1), n, p) * held).sum(axis=1).min() > 0.93
