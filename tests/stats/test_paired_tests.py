"""McNemar and sign flips against exact enumeration, scipy and statsmodels."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from honestly import stats
from honestly.errors import StatisticsError
from honestly.stats._special import binomial_pmf
from sampled import sampled

# A loaded machine is no reason to fail.
quick = settings(deadline=None, max_examples=50)

counts = st.integers(0, 200)


@quick
@given(counts, counts)
def test_mcnemar_equals_the_binomial_test(wins, losses):
    distributions = pytest.importorskip("scipy.stats")
    n, few = wins + losses, min(wins, losses)
    exact = distributions.binomtest(wins, n, 0.5).pvalue if n else 1.0
    assert float(stats.mcnemar_exact(wins, losses)) == pytest.approx(exact, rel=1e-11)
    mid = 2 * distributions.binom.cdf(few, n, 0.5) - distributions.binom.pmf(few, n, 0.5)
    assert float(stats.mcnemar_mid(wins, losses)) == pytest.approx(min(1, mid), rel=1e-11)
    assert stats.mcnemar_mid(wins, losses) == stats.mcnemar_mid(losses, wins)
    assert stats.mcnemar_mid(wins, losses) <= stats.mcnemar_exact(wins, losses)


def test_mcnemar_equals_statsmodels():
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    expected = tables.mcnemar([[40, 12], [25, 3]], exact=True).pvalue
    assert float(stats.mcnemar_exact(12, 25)) == pytest.approx(expected, rel=1e-12)


def test_mcnemar_refuses_expected_wins():
    with pytest.raises(StatisticsError, match="several samples"):
        stats.mcnemar_mid(2.5, 1)
    with pytest.raises(StatisticsError, match="negative"):
        stats.mcnemar_exact(-1, 1)


@pytest.mark.parametrize(
    ("questions", "share", "size"),
    sampled(
        [
            (20, 0.1, 0.0023),
            (20, 0.2, 0.0171),
            (20, 0.3, 0.0320),
            (20, 0.4, 0.0392),
            (80, 0.1, 0.0379),
            (500, 0.1, 0.0493),
        ],
        5,
    ),
)
def test_exact_size_of_the_mid_p_test(questions, share, size):
    """Each question is a disagreement with this chance, won by either with equal chance: nothing is simulated."""
    disagreements = np.arange(questions + 1)
    rejected = []
    for n in disagreements:
        wins = np.arange(n + 1)
        rejected.append(binomial_pmf(wins, n, 0.5) @ (stats.mcnemar_mid(wins, n - wins) <= 0.05))
    assert not np.any(rejected[:5])
    assert binomial_pmf(disagreements, questions, share) @ np.array(rejected) == pytest.approx(size, abs=5e-5)


def enumerated(differences):
    signs = np.array(list(itertools.product((-1, 1), repeat=len(differences))))
    sums = np.abs(signs @ np.array(differences))
    return float(np.mean(sums >= abs(sum(differences)) - 1e-9))


@quick
@given(st.lists(st.sampled_from([0, 0.2, -0.4, 0.6, 1.0, -1.0, 0.5, -0.75]), min_size=1, max_size=9))
def test_sign_flips_equal_full_enumeration(differences):
    assert stats.sign_flip(differences) == pytest.approx(enumerated(differences), rel=1e-12)
    assert stats.sign_flip([-d for d in differences]) == stats.sign_flip(differences)
    assert stats.sign_flip([*differences, 0.0]) == stats.sign_flip(differences)


def test_exact_sign_flips_reach_far_beyond_any_resampling():
    assert stats.sign_flip([0.2] * 300) == pytest.approx(2.0**-299, rel=1e-12)


def test_random_signs_where_there_is_no_common_unit():
    rng = np.random.default_rng(2)
    differences = rng.normal(0.3, 1, 12)
    exact = enumerated(differences)
    with pytest.raises(StatisticsError, match="seed"):
        stats.sign_flip(differences)
    found = stats.sign_flip(differences, seed=1)
    assert found == stats.sign_flip(-differences, seed=1)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))
    # The smallest p-value that can be reported is one in resamples + 1, never zero.
    assert stats.sign_flip(np.full(60, np.pi), seed=1, resamples=500) == pytest.approx(1 / 501)


def test_sign_flips_need_complete_pairs():
    with pytest.raises(StatisticsError, match="missing"):
        stats.sign_flip([0.2, np.nan])
    assert stats.sign_flip([0.0, 0.0]) == 1
