"""Intervals that agree with McNemar's test: against integration by scipy, and their coverage by enumeration."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, binom, multinomial

from honestly import stats
from honestly.stats._matched_passes import matched_interval, matched_p_value, matched_tails


@pytest.mark.parametrize(("wins", "losses", "n"), [(6, 3, 20), (9, 0, 15), (1, 7, 60)])
def test_a_tail_is_the_integral_over_both_shares(wins, losses, n):
    apart = wins + losses
    for about in (-0.2, 0.0, 0.1):
        share = beta(apart, n - apart + 1) if about >= 0 else beta(apart + 1, n - apart)
        theta = beta(wins, losses + 1)

        def at_most(x, about=about, share=share):
            if about >= 0:
                return share.cdf(about / (2 * x - 1)) if x > 0.5 else 1.0
            return share.sf(-about / (1 - 2 * x)) if x < 0.5 else 0.0

        cuts = [0.0, *sorted({0.5, (1 + about) / 2}), 1.0]
        expected = sum(quad(lambda x: at_most(x) * theta.pdf(x), a, b)[0] for a, b in pairwise(cuts))
        assert matched_tails(wins, losses, n, about)[0] == pytest.approx(expected, abs=1e-4)


def test_the_level_holds_however_seldom_agents_agree():
    """Exactly, of all studies of equal agents; mid-p alone has up to 7.7%, at 16 questions on which they never agree."""
    worst, by_mid = 0.0, 0.0
    for n in (5, 8, 16, 17, 18, 43):
        wins, losses = (np.ravel(each) for each in np.mgrid[0 : n + 1, 0 : n + 1])
        apart = wins + losses
        wins, losses, apart = wins[apart <= n], losses[apart <= n], apart[apart <= n]
        found = matched_p_value(wins, losses, n) <= 0.05
        for share in (0.5, 0.7, 0.8, 0.85, 0.8875, 0.92, 0.94, 0.955, 0.97, 0.98, 0.99, 1.0):
            chance = binom.pmf(apart, n, share) * binom.pmf(wins, apart, 0.5)
            worst = max(worst, chance[found].sum())
            by_mid = max(by_mid, chance[stats.mcnemar_mid(wins, losses) <= 0.05].sum())
    assert worst <= 0.053
    assert by_mid > 0.07


@pytest.mark.slow
def test_an_interval_reaches_0_where_its_test_says_so():
    wins, losses = (np.ravel(each) for each in np.mgrid[0:16, 0:16])
    for mid, test in ((True, stats.mcnemar_mid), (False, stats.mcnemar_exact)):
        low, high = matched_interval(wins, losses, 40, 0.95, mid=mid)
        found = test(wins, losses) <= 0.05
        assert (((low > 0) | (high < 0)) == found).all()
        other, _ = matched_interval(losses, wins, 40, 0.95, mid=mid)
        np.testing.assert_allclose(high, -other)
        assert ((low <= (wins - losses) / 40) & ((wins - losses) / 40 <= high)).all()


def test_one_sided_decisions_on_single_samples_are_exact():
    scores = stats.Scores.from_counts(
        ["A", "B"], [f"q{i}" for i in range(30)], np.zeros((2, 30), int), np.ones((2, 30), int)
    )
    found = stats.regression_test(scores.resolve(), "A", "B", gap=0.1)
    # Thirty ties: a loss of more than this many tasks would have shown with probability 95%.
    assert found.interval[0] == pytest.approx(-(1 - 0.05 ** (1 / 30)), abs=1e-5)
    assert found.verdict == "not worse"


@pytest.mark.parametrize("n", [10, pytest.param(20, marks=pytest.mark.slow), pytest.param(45, marks=pytest.mark.slow)])
def test_no_rates_are_covered_less_often_than_promised(n):
    """All studies that there can be: 95% by the rule, and 2.5% at each end by the exact one."""
    wins, losses = (np.ravel(each) for each in np.mgrid[0 : n + 1, 0 : n + 1])
    wins, losses = wins[wins + losses <= n], losses[wins + losses <= n]
    tables = np.stack([wins, losses, n - wins - losses], axis=1)
    (low, high), (least, most) = (matched_interval(wins, losses, n, 0.95, mid=mid) for mid in (None, False))
    for win in np.linspace(0.005, 0.95, 12):
        for loss in np.linspace(0.005, 0.95, 12)[: int(12 * (1 - win))]:
            chance = multinomial.pmf(tables, n, [win, loss, max(1 - win - loss, 0)])
            assert chance[(low - 1e-6 > win - loss) | (win - loss > high + 1e-6)].sum() <= 0.05
            assert chance[least - 1e-6 > win - loss].sum() <= 0.025
            assert chance[win - loss > most + 1e-6].sum() <= 0.025
