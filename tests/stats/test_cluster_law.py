"""The law of the cluster-robust statistic: Student's t where it must be, Imhof's integral, and its size."""

import numpy as np
import pytest
from simulated import REPOSITORIES, STEPS, scores_of, size, unequal_clusters

from honestly import stats
from honestly.errors import StatisticsError
from honestly.stats import t_quantile, t_two_sided
from honestly.stats._cluster_law import law_p_value, law_quantile, null_tail, upper_correlation
from honestly.stats._means import cluster_sums
from sampled import sampled

SHAPES = {"12 unequal": STEPS * 6, "12 repositories": REPOSITORIES}


def design(sizes):
    sums = cluster_sums(np.zeros(sizes.sum()), np.repeat(np.arange(sizes.size), sizes))
    return sums.weight[None], sums.square[None], sums.correction[None]


@pytest.mark.parametrize(("clusters", "each"), sampled([(3, 4), (2, 5), (12, 10), (5, 1), (40, 3)]))
def test_equal_clusters_have_students_t_whatever_their_correlation(clusters, each):
    rng = np.random.default_rng(clusters)
    codes = np.repeat(np.arange(clusters), each)
    values = rng.normal(size=(6, codes.size)) + rng.normal(size=(6, clusters))[:, codes]
    found = stats.clustered_mean(values, codes)
    expected = t_two_sided(found.mean / found.se, clusters - 1.0)
    np.testing.assert_allclose(law_p_value(values, codes), expected, rtol=1e-6)
    assert law_quantile(values[0], codes, None, 0.95) == pytest.approx(t_quantile(0.95, clusters - 1.0), rel=1e-9)


@pytest.mark.parametrize("correlation", [0.0, 0.05, 0.6])
@pytest.mark.parametrize("square", [0.3, 4.0, 20.0])
def test_equal_to_imhofs_integral(correlation, square):
    integrate = pytest.importorskip("scipy.integrate")
    sizes = np.array([9, 4, 2, 1])
    w, q, c = (part[0] for part in design(sizes))
    spread = np.diag(np.sqrt((1 - correlation) * q + correlation * w * w))
    centre = np.eye(4) - np.outer(w, np.ones(4))
    form = spread @ (np.ones((4, 4)) - square * centre.T @ np.diag(c) @ centre) @ spread
    values = np.linalg.eigvalsh(form)

    def integrand(u):
        return np.sin(0.5 * np.arctan(values * u).sum()) / (u * np.prod((1 + (values * u) ** 2) ** 0.25))

    scale = np.abs(values).max()
    imhof = 0.5 + integrate.quad(lambda u: integrand(u / scale) / scale, 0, np.inf, limit=500)[0] / np.pi
    found = null_tail(np.array([square]), np.array([correlation]), design(sizes))
    assert float(found[0]) == pytest.approx(imhof, abs=1e-6)


@pytest.mark.parametrize(
    ("shape", "correlation", "exact"),
    [
        ("12 unequal", 0.0, 0.0485),
        ("12 unequal", 0.05, 0.0536),
        ("12 unequal", 1.0, 0.0555),
        ("12 repositories", 0.0, 0.0291),
        ("12 repositories", 0.01, 0.0459),
        ("12 repositories", 0.05, 0.0535),
        ("12 repositories", 1.0, 0.0561),
    ],
)
def test_exact_size_of_the_default_test(shape, correlation, exact):
    """Bell and McCaffrey's t with normal values; docs/methods/evidence.md quotes these numbers."""
    sizes = SHAPES[shape]
    df = float(stats.clustered_mean(np.zeros(sizes.sum()), np.repeat(np.arange(12), sizes)).df)
    found = null_tail(np.array([t_quantile(0.95, df) ** 2]), np.array([correlation]), design(sizes))
    assert float(found[0]) == pytest.approx(exact, abs=5e-5)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("correlation", sampled([0.05, 0.0, 0.01, 0.3]))
def test_size_with_the_correlation_estimated(shape, correlation):
    sizes = SHAPES[shape]
    codes, rng = np.repeat(np.arange(12), sizes), np.random.default_rng([sizes.sum(), int(100 * correlation)])
    shared = rng.normal(size=(1_500, 12))[:, codes]
    values = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * rng.normal(size=shared.shape)
    assert size(law_p_value(values, codes), f"law, {shape}, correlation {correlation}")


def test_the_correlation_is_rather_too_large_than_too_small():
    codes, rng = unequal_clusters(200), np.random.default_rng(3)
    shared = np.sqrt(0.2) * rng.normal(size=(2_000, 12))[:, codes]
    found = upper_correlation(shared + np.sqrt(0.8) * rng.normal(size=shared.shape), codes)
    assert 0.65 < np.mean(found > 0.2) < 0.85
    assert upper_correlation(np.repeat([0.0, 1.0], 3), np.repeat([0, 1], 3)) == 1
    assert upper_correlation(np.arange(4.0), np.arange(4)) == 0


def test_score_and_compare_offer_it():
    rng = np.random.default_rng(8)
    codes = unequal_clusters(120, REPOSITORIES)
    resolved = scores_of(rng.binomial(3, [[0.7], [0.5]], (2, 120)), 3, codes).resolve()
    for level in (0.9, 0.95, 0.99):
        found = stats.compare(resolved, "r0", "r1", method="cluster-law", level=level)
        other = stats.compare(resolved, "r1", "r0", method="cluster-law", level=level)
        # The interval holds what the test does not reject.
        assert (found.interval[0] <= 0) == (found.p_value > 1 - level)
        assert found.p_value == pytest.approx(other.p_value)
        assert found.se == stats.compare(resolved, "r0", "r1").se
        assert "law" in found.method
    single = stats.score(resolved, "r0", method="cluster-law")
    assert single.interval[0] < single.mean < single.interval[1]
    assert single.clusters.clusters == 12
    with pytest.raises(StatisticsError, match="needs clusters"):
        stats.compare(resolved.ignoring_clusters(), "r0", "r1", method="cluster-law")


def test_no_error_no_law():
    values, codes = np.array([[0.3, 0.3, 0.3, 0.3], [0.1, 0.9, np.nan, np.nan]]), np.array([0, 0, 1, 1])
    assert np.isnan(law_p_value(values, codes)).all()
    assert np.isnan(law_quantile(values[1], codes, None, 0.95))
    assert law_p_value(np.zeros((0, 4)), codes).shape == (0,)
