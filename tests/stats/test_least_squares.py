"""Least squares with errors of groups: those of statsmodels, and too little data is said."""

import numpy as np
import pytest

from honestly.errors import StatisticsError
from honestly.stats import least_squares


@pytest.mark.parametrize("groups", [30, 120])
def test_slopes_and_errors_are_those_of_statsmodels(groups):
    import statsmodels.api as sm  # two seconds

    rng = np.random.default_rng(groups)
    codes = np.arange(120) % groups
    x = np.column_stack([np.ones(120), rng.normal(size=(120, 2))])
    y = x @ [1.0, 0.5, -0.2] + rng.normal(size=groups)[codes] + rng.normal(size=120)
    found = least_squares(x, y, codes.tolist())
    other = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    np.testing.assert_allclose(found.slopes, other.params, atol=1e-10)
    np.testing.assert_allclose(found.se, other.bse, rtol=1e-9)
    np.testing.assert_allclose(np.column_stack([found.low, found.high]), other.conf_int(), rtol=1e-7)
    np.testing.assert_allclose(found.p_value, other.pvalues, rtol=1e-6)


def test_too_few_rows_or_groups_are_said():
    with pytest.raises(StatisticsError, match="2 rows in 2 groups cannot tell 2 columns apart"):
        least_squares(np.eye(2), np.ones(2), "ab")
    with pytest.raises(StatisticsError, match="1 groups"):
        least_squares(np.ones((5, 1)), np.ones(5), "aaaaa")
