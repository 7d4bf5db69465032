"""Holm and Benjamini-Hochberg against statsmodels, and their laws."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from honestly import stats
from honestly.errors import StatisticsError

# A loaded machine is no reason to fail.
quick = settings(deadline=None, max_examples=50)

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 7, 50, 400])
def test_equal_to_statsmodels(size):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    # Small, large and tied p-values.
    p = np.round(np.random.default_rng(size).beta(0.3, 1, size), 3)
    np.testing.assert_allclose(stats.holm_adjusted(p), multitest.multipletests(p, method="holm")[1], rtol=1e-12)
    np.testing.assert_allclose(stats.benjamini_hochberg(p), multitest.multipletests(p, method="fdr_bh")[1], rtol=1e-12)


@quick
@given(p_values, st.randoms())
def test_order_does_not_matter_and_nothing_becomes_more_significant(p, random):
    order = list(range(len(p)))
    random.shuffle(order)
    for adjust in (stats.holm_adjusted, stats.benjamini_hochberg):
        adjusted = adjust(p)
        np.testing.assert_array_equal(adjust([p[i] for i in order]), adjusted[order])
        assert np.all(adjusted >= np.array(p))
        assert np.all(adjusted <= 1)
    assert np.all(stats.holm_adjusted(p) >= stats.benjamini_hochberg(p) * (1 - 1e-15))


def test_a_comparison_that_could_not_be_tested_stays_in_the_family():
    np.testing.assert_allclose(stats.holm_adjusted([0.01, np.nan, 0.02]), [0.03, np.nan, 0.04])
    np.testing.assert_allclose(stats.benjamini_hochberg([0.01, np.nan, 0.02]), [0.03, np.nan, 0.03])


def test_three_counts():
    counts = stats.count_significant([0.001, 0.02, 0.03, 0.04, 0.2])
    assert counts == stats.SignificanceCounts(family=5, uncorrected=4, holm=1, benjamini_hochberg=4, alpha=0.05)
    assert stats.count_significant([]).family == 0


def test_refuses_what_is_no_p_value():
    with pytest.raises(StatisticsError, match="p-values"):
        stats.holm_adjusted([0.5, 1.5])
    with pytest.raises(StatisticsError, match="flat list"):
        stats.benjamini_hochberg([[0.5]])
