"""The difference of two pass rates on the same questions, one sample each: intervals that agree with McNemar's test.

Of n questions the first agent alone passed `wins`, the second alone `losses`. The difference is `d (2θ - 1)`: the share
d of questions on which the two disagree, and the share θ of those that the first one wins. Both are binomial, each with
Clopper and Pearson's confidence distribution, a Beta; the distribution of the product, with d taken from whichever side
is the worse, gives the bounds (melding). So the interval reaches 0 exactly where McNemar's test says so: the exact one,
or with half of what was observed counted in θ's Beta, as mid-p does.

**Which of the two.** Mid-p, but for agents that agree on at most a tenth of the questions: where they never agree, its
size at 5% is up to 7.7% (16 questions). By this rule it is at most 5.2%, whatever the number of questions and the share
on which they disagree.

Exact: no end misses more than 2.5% at 95%. By the rule: both ends together miss at most 5.2%, one alone up to 4% where
the other agent never wins. All by enumeration of all studies (tests/stats/test_matched_passes.py).

Source: Fay & Lumbard 2021, Statistics in Medicine 40:1147.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.stats._paired_tests import mcnemar_exact, mcnemar_mid
from honestly.stats._special import beta_cdf, gauss_legendre, log_beta, normal_ppf

Floats = NDArray[np.float64]

_NODES = 24
_REACH = 8.0  # standard deviations of θ that are integrated over
_STEPS = 12
_NEAR = 1e-6
_LEAST = 1e-13


def takes_mid(wins: ArrayLike, losses: ArrayLike, n: ArrayLike) -> NDArray[np.bool_]:
    """Where mid-p is taken: the agents agree on more than a tenth of the questions."""
    both, disagreements = np.asarray(n), np.asarray(wins) + np.asarray(losses)
    return np.asarray(10 * (both - disagreements) > both)


def matched_p_value(wins: ArrayLike, losses: ArrayLike, n: ArrayLike) -> Floats:
    """McNemar's two-sided p-value, mid-p or exact by the rule of the module."""
    return np.where(takes_mid(wins, losses, n), mcnemar_mid(wins, losses), mcnemar_exact(wins, losses))


def matched_interval(
    wins: ArrayLike, losses: ArrayLike, n: ArrayLike, level: float = 0.95, *, mid: bool | None = None
) -> tuple[Floats, Floats]:
    """Lower and upper ends of the difference of the pass rates.

    Args:
        wins: questions that only the first agent passed, shape (P,).
        losses: questions that only the second passed.
        n: questions.
        level: coverage.
        mid: agree with mid-p McNemar; false: with the exact test, where each end alone holds at `(1 - level) / 2`;
            None: by the rule of the module.
    """
    if mid is None:
        won, lost, both = np.broadcast_arrays(wins, losses, n)
        by_mid = takes_mid(won, lost, both)
        ends = np.empty((2, *by_mid.shape))
        for kind, held in ((True, by_mid), (False, ~by_mid)):
            if held.any():
                ends[:, held] = matched_interval(won[held], lost[held], both[held], level, mid=kind)
        return ends[0], ends[1]
    table = np.stack([np.atleast_1d(each) for each in np.broadcast_arrays(wins, losses, n)]).astype(np.float64)
    distinct, place = np.unique(table, axis=1, return_inverse=True)
    tail = (1 - level) / 2
    low = _lower_end(distinct[0], distinct[1], distinct[2], tail, mid=mid)
    high = -_lower_end(distinct[1], distinct[0], distinct[2], tail, mid=mid)
    shape = np.broadcast(wins, losses, n).shape
    return low[place].reshape(shape), high[place].reshape(shape)


def matched_tails(wins: int, losses: int, n: int, about: float) -> tuple[float, float]:
    """Exact one-sided p-values of "the difference is at most this" and "at least this"."""
    more, less, size = (np.array([float(each)]) for each in (wins, losses, n))
    return (
        float(_share_at_most(np.array([about]), more, less, size, mid=False)[0]),
        float(_share_at_most(np.array([-about]), less, more, size, mid=False)[0]),
    )


def _lower_end(wins: Floats, losses: Floats, n: Floats, tail: float, *, mid: bool) -> Floats:
    """Where the distribution has this tail: false position (Illinois) on the normal scale."""

    def off(about: Floats) -> Floats:
        share = _share_at_most(about, wins, losses, n, mid=mid)
        return normal_ppf(np.clip(share, _LEAST, 1 - _LEAST)) - float(normal_ppf(tail))

    at_null = off(np.zeros_like(n))
    # The bound lies on the side of 0 that the test is on.
    low, high = np.where(at_null <= 0, 0.0, -1.0), np.where(at_null <= 0, 1.0, 0.0)
    edge = float(normal_ppf(_LEAST) - normal_ppf(tail))
    under, over = np.where(at_null <= 0, at_null, edge), np.where(at_null <= 0, -edge, at_null)
    last = np.zeros_like(n)
    for _ in range(_STEPS):
        middle = np.where(high - low < _NEAR, low, (low * over - high * under) / (over - under))
        found = off(middle)
        less = found <= 0
        over, under = np.where(less & (last < 0), over / 2, over), np.where(~less & (last > 0), under / 2, under)
        low, under = np.where(less, middle, low), np.where(less, found, under)
        high, over = np.where(less, high, middle), np.where(less, over, found)
        last = np.where(less, -1.0, 1.0)
        if bool(((high - low < _NEAR) | (np.abs(found) < _NEAR)).all()):
            break
    return np.where(np.abs(under) <= np.abs(over), low, high)


def _share_at_most(about: Floats, wins: Floats, losses: Floats, n: Floats, *, mid: bool) -> Floats:
    """Probability under the lower confidence distribution that `d (2θ - 1)` is at most `about`, shape (P,)."""
    apart, lead = wins + losses, about >= 0
    # The share on which they disagree is the smaller one where the first leads, else the larger one.
    first = np.where(lead, apart, apart + 1)
    split = (1 + about) / 2  # where d would have to be 1
    nodes, mass = gauss_legendre(_NODES)
    total = np.zeros_like(about)
    for shift in (0.0, 1.0) if mid else (0.0,):
        a, b = wins + shift, apart - wins + 1 - shift
        centre = a / (a + b)
        spread = _REACH * np.sqrt(centre * (1 - centre) / (a + b + 1))
        from_ = np.where(lead, np.maximum(split, centre - spread), np.maximum(0.0, centre - spread))
        to = np.where(lead, np.minimum(1.0, centre + spread), np.minimum(split, centre + spread))
        width = np.maximum(to - from_, 0.0)
        theta = from_[:, None] + width[:, None] * (nodes + 1) / 2
        p, q = np.where(a > 0, a, 1.0)[:, None], np.where(b > 0, b, 1.0)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            density = np.exp((p - 1) * np.log(theta) + (q - 1) * np.log1p(-theta) - log_beta(p, q))
            share = np.abs(about)[:, None] / np.abs(2 * theta - 1)
        under = _beta_cdf(share, first[:, None], (n + 1 - first)[:, None])
        inside = np.where(lead[:, None], under, 1 - under)
        integral = np.where(width[:, None] > 0, inside * density, 0.0) @ mass * width / 2
        usual = np.where(lead, beta_cdf(split, p[:, 0], q[:, 0]), 0.0) + integral
        # A θ of 0 or 1 for certain.
        alone = _beta_cdf(np.abs(about), first, n + 1 - first)
        total += np.where(a <= 0, np.where(lead, 1.0, 1 - alone), np.where(b <= 0, np.where(lead, alone, 0.0), usual))
    return np.clip(total / (2 if mid else 1), 0.0, 1.0)


def _beta_cdf(x: Floats, a: Floats, b: Floats) -> Floats:
    """That of Beta(a, b), with Beta(0, b) all at 0 and Beta(a, 0) all at 1."""
    inside = beta_cdf(np.minimum(x, 1.0), np.where(a > 0, a, 1.0), np.where(b > 0, b, 1.0))
    return np.where(a <= 0, 1.0, np.where(b <= 0, np.where(x >= 1, 1.0, 0.0), inside))
