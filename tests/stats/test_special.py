"""Our special functions against scipy, over wide ranges and far into the tails."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from honestly.stats import _special as special

# A loaded machine is no reason to fail.
quick = settings(deadline=None, max_examples=50)

special_functions = pytest.importorskip("scipy.special")
distributions = pytest.importorskip("scipy.stats")

RELATIVE = 1e-12
# Below this the oracle itself loses digits (Boost's incomplete beta is 28% off at 1e-270).
ORACLE_FLOOR = 1e-230


def agree(ours, theirs, relative=RELATIVE):
    """Equal to `relative` wherever the oracle can be trusted."""
    checked = np.abs(theirs) > ORACLE_FLOOR
    assert checked.mean() > 0.5
    np.testing.assert_allclose(ours[checked], theirs[checked], rtol=relative, atol=0)


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


def test_two_sided_t_over_the_whole_useful_range(rng):
    t = np.exp(rng.uniform(-8, 3.5, 20_000))
    df = np.exp(rng.uniform(-0.6, 9, 20_000))
    agree(special.t_two_sided(t, df), 2 * distributions.t.sf(t, df))


def test_two_sided_t_keeps_its_digits_at_1e_minus_90():
    # 9.712e-81 is the smallest p-value of the LiveCodeBench reference; go beyond it.
    t = np.linspace(18, 25, 200)
    ours, theirs = special.t_two_sided(t, 1054), 2 * distributions.t.sf(t, 1054)
    assert theirs.min() < 1e-90
    agree(ours, theirs)


def test_t_at_its_edges():
    assert special.t_two_sided(0.0, 5) == 1
    assert special.t_two_sided(np.inf, 5) == 0
    assert np.isnan(special.t_two_sided(np.nan, 5))
    assert np.isnan(special.t_two_sided(1.0, -1.0))
    # P(|T| > t) ~ c t^-df: the power law must survive where t squared overflows.
    near, far = special.t_two_sided([1e150, 1e170], 0.5)
    assert far / near == pytest.approx(1e-10, rel=1e-10)
    np.testing.assert_allclose(special.t_two_sided([0.5, 3.0, 9.0], np.inf), 2 * distributions.norm.sf([0.5, 3.0, 9.0]))


def test_t_tails_and_quantiles(rng):
    p = 10 ** rng.uniform(-60, -0.01, 2_000)
    df = np.exp(rng.uniform(0, 8, 2_000))
    quantile = special.t_ppf(p, df)
    agree(quantile, distributions.t.ppf(p, df))
    agree(special.t_two_sided(quantile, df) / 2, np.minimum(p, 1 - p))
    np.testing.assert_array_equal(special.t_ppf([0.0, 0.5, 1.0], 3), [-np.inf, 0.0, np.inf])
    assert np.isnan(special.t_ppf(1.5, 3))
    np.testing.assert_allclose(special.t_ppf(0.975, np.inf), distributions.norm.ppf(0.975))
    assert special.t_quantile(0.95, 79) == pytest.approx(distributions.t.ppf(0.975, 79), rel=RELATIVE)


def test_normal(rng):
    z = rng.uniform(-36, 36, 5_000)
    agree(special.normal_sf(z), distributions.norm.sf(z))
    agree(special.normal_cdf(z), distributions.norm.cdf(z))
    p = 10 ** rng.uniform(-280, -0.001, 5_000)
    agree(special.normal_ppf(p), distributions.norm.ppf(p))
    assert special.normal_ppf(0.0) == -np.inf
    assert special.normal_ppf(1.0) == np.inf
    assert np.isnan(special.normal_ppf(-0.1))


def test_incomplete_beta(rng):
    a, b = np.exp(rng.uniform(-2, 9, 20_000)), np.exp(rng.uniform(-2, 9, 20_000))
    x = np.clip(rng.beta(a, b) * rng.uniform(0.8, 1.2, 20_000), 1e-9, 1 - 1e-9)
    agree(special.beta_cdf(x, a, b), special_functions.betainc(a, b, x))
    np.testing.assert_array_equal(special.beta_cdf([-1.0, 0.0, 1.0, 2.0], 2, 3), [0, 0, 1, 1])
    assert np.isnan(special.beta_cdf(0.5, 0.0, 1.0))


def test_beta_quantile(rng):
    a, b, p = np.exp(rng.uniform(-1, 7, 2_000)), np.exp(rng.uniform(-1, 7, 2_000)), rng.uniform(0, 1, 2_000)
    agree(special.beta_ppf(p, a, b), distributions.beta.ppf(p, a, b))
    np.testing.assert_array_equal(special.beta_ppf([0.0, 1.0], 2, 3), [0, 1])
    assert np.isnan(special.beta_ppf(0.5, -1.0, 1.0))


def test_log_gamma_and_log_beta(rng):
    x = np.exp(rng.uniform(-5, 12, 5_000))
    np.testing.assert_allclose(special.lgamma(x), special_functions.gammaln(x), rtol=1e-13, atol=1e-14)
    assert np.isnan(special.lgamma(0.0))
    # One large and one small parameter is where the naive difference of log-gammas loses its digits.
    n = np.array([1.0, 9.0, 11.0, 1e3, 1e6, 1e9])
    np.testing.assert_allclose(special.log_beta(n, 2.0), -np.log(n) - np.log(n + 1), rtol=1e-15)
    np.testing.assert_allclose(
        special.log_beta(3.0, n), np.log(2) - np.log(n) - np.log(n + 1) - np.log(n + 2), rtol=1e-15
    )


def test_binomial(rng):
    n = rng.integers(1, 3_000, 5_000)
    k, p = rng.integers(0, n + 1), rng.uniform(0.01, 0.99, 5_000)
    for ours, theirs in (
        (special.binomial_pmf, distributions.binom.pmf),
        (special.binomial_cdf, distributions.binom.cdf),
    ):
        agree(ours(k, n, p), theirs(k, n, p))
    np.testing.assert_array_equal(special.binomial_pmf([-1, 4, 0, 3], [3, 3, 3, 3], [0.5, 0.5, 0.0, 1.0]), [0, 0, 1, 1])
    np.testing.assert_array_equal(special.binomial_cdf([-1, 3, 5], 3), [0, 1, 1])


def test_binomial_tail_against_exact_integers():
    n, k = 2_000, 600
    exact = Fraction(sum(math.comb(n, i) for i in range(k + 1)), 2**n)
    assert exact < Fraction(1, 10**70)
    assert float(special.binomial_cdf(k, n)) == pytest.approx(float(exact), rel=RELATIVE)


@quick
@given(t=st.floats(0, 1e6), df=st.floats(0.1, 1e6))
def test_t_is_a_probability_and_symmetric(t, df):
    two_sided = float(special.t_two_sided(t, df))
    assert 0 <= two_sided <= 1
    assert special.t_two_sided(-t, df) == two_sided


@quick
@given(x=st.floats(1e-9, 1), a=st.floats(0.05, 1e4), b=st.floats(0.05, 1e4))  # less is lost in 1 - x
def test_beta_tails_mirror(x, a, b):
    assert float(special.beta_cdf(x, a, b)) + float(special.beta_cdf(1 - x, b, a)) == pytest.approx(1)
