"""Standard errors of a mean over questions: against dense matrices and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from honestly import stats
from honestly.stats import t_two_sided
from honestly.stats._means import cluster_summary

# A loaded machine is no reason to fail.
quick = settings(deadline=None, max_examples=50)


def dense_cr2(values, codes, weights):
    """CR2 and Bell-McCaffrey by definition: the working covariance of the cluster sums as a full matrix."""
    share = weights / weights.sum()
    member = np.equal.outer(codes, np.unique(codes)).astype(float)
    projection = np.eye(len(values)) - np.outer(np.ones(len(values)), share)
    contrast = member.T * share
    covariance = contrast @ projection @ projection.T @ contrast.T
    plain = np.diag(contrast @ contrast.T)
    scale = np.sqrt(plain / np.diag(covariance))
    sums = contrast @ projection @ values
    adjusted = covariance * np.outer(scale, scale)
    return np.sqrt(((scale * sums) ** 2).sum()), np.trace(adjusted) ** 2 / np.trace(adjusted @ adjusted)


@pytest.fixture
def rng():
    return np.random.default_rng(6)


@pytest.mark.parametrize("weighted", [False, True])
def test_cr2_equals_its_definition(rng, weighted):
    for questions, clusters in ((12, 4), (40, 7), (30, 30)):
        values, codes = rng.random(questions), rng.integers(0, clusters, questions)
        weights = rng.uniform(0.5, 3, questions) if weighted else np.ones(questions)
        found = stats.clustered_mean(values, codes, weights if weighted else None)
        se, df = dense_cr2(values, codes, weights)
        assert float(found.mean) == pytest.approx(np.average(values, weights=weights))
        assert float(found.se) == pytest.approx(se, rel=1e-12)
        assert float(found.df) == pytest.approx(df, rel=1e-10)


def test_cr1_equals_statsmodels(rng):
    api = pytest.importorskip("statsmodels.api")
    values, codes = rng.random(50), rng.integers(0, 8, 50)
    fit = api.OLS(values, np.ones(50)).fit(cov_type="cluster", cov_kwds={"groups": codes})
    # statsmodels' factor G/(G-1) comes with (N-1)/(N-k), which is 1 for a mean.
    assert float(stats.clustered_mean(values, codes, kind="CR1").se) == pytest.approx(fit.bse[0], rel=1e-12)


def test_clusters_of_one_question_are_no_clusters(rng):
    values = rng.random((3, 25))
    plain, single = stats.mean_of_questions(values), stats.clustered_mean(values, np.arange(25))
    np.testing.assert_allclose(single.se, plain.se, rtol=1e-12)
    np.testing.assert_allclose(single.df, plain.df, rtol=1e-10)


def test_equal_weights_are_no_weights(rng):
    values = rng.random(25)
    weighted, plain = stats.mean_of_questions(values, np.full(25, 3.0)), stats.mean_of_questions(values)
    assert (float(weighted.mean), float(weighted.se)) == pytest.approx((float(plain.mean), float(plain.se)))


def test_weighted_error_is_unbiased_for_equal_variances():
    rng = np.random.default_rng(7)
    weights = np.array([5.0, 1, 1, 1, 2, 2, 0.5, 0.5, 3, 1])
    found = stats.mean_of_questions(rng.normal(0.5, 0.2, (40_000, 10)), weights)
    truth = 0.04 * (weights**2).sum() / weights.sum() ** 2
    assert np.mean(found.se**2) == pytest.approx(truth, rel=0.01)
    # One question carries a third of the weight: the test then errs on the safe side.
    assert np.mean(t_two_sided((found.mean - 0.5) / found.se, found.df) <= 0.05) <= 0.05


def test_left_out_questions_leave_no_trace(rng):
    values, codes = rng.random(30), rng.integers(0, 6, 30)
    kept = rng.random(30) < 0.6
    with_holes = np.where(kept, values, np.nan)
    for found, expected in (
        (stats.mean_of_questions(with_holes), stats.mean_of_questions(values[kept])),
        (stats.clustered_mean(with_holes, codes), stats.clustered_mean(values[kept], codes[kept])),
    ):
        assert int(found.n) == int(expected.n) == kept.sum()
        np.testing.assert_allclose(
            [found.mean, found.se, found.df], [expected.mean, expected.se, expected.df], rtol=1e-12
        )


@pytest.mark.parametrize("values", [[], [np.nan, np.nan], [0.3], [0.3, np.nan], [0.3, 0.3, 0.1 + 0.2]])
def test_no_error_bar_is_nan_and_never_zero(values):
    array = np.array(values, dtype=float)
    assert np.isnan(stats.mean_of_questions(array).se)
    if array.size:
        assert np.isnan(stats.clustered_mean(array, np.zeros(array.size, dtype=int)).se)


def test_one_cluster_has_no_error_bar(rng):
    found = stats.clustered_mean(rng.random(9), np.zeros(9, dtype=int))
    assert np.isnan(found.se)
    assert np.isnan(found.df)


def test_effective_clusters():
    summary = cluster_summary(np.array([0, 0, 0, 1, 2, 2]), np.array([True, True, True, True, True, False]))
    assert (summary.clusters, summary.effective) == (3, pytest.approx(25 / 11))
    assert "3 clusters that count as 2.3" in summary.cluster_warning
    many = cluster_summary(np.arange(12), np.full(12, True))
    assert (many.effective, many.cluster_warning) == (12, None)


@quick
@given(st.lists(st.floats(0, 1), min_size=3, max_size=20), st.data())
def test_negating_the_values_only_negates_the_mean(values, data):
    array = np.array(values)
    codes = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values))))
    for kind in ("CR2", "CR1"):
        found, mirrored = stats.clustered_mean(array, codes, kind=kind), stats.clustered_mean(-array, codes, kind=kind)
        assert mirrored.mean == -found.mean
        np.testing.assert_array_equal(mirrored.se, found.se)
