"""The interval of a paired difference of shares: against its parts, symmetric, and covering known truths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from honestly.errors import StatisticsError
from honestly.stats import mean_of_questions, share_difference_interval, t_interval, wilson_interval
from sampled import sampled

STUDIES = 600


def tasks(rng: np.random.Generator, mean: float, shape: tuple[int, int]) -> np.ndarray:
    return rng.beta(2 * mean, 2 * (1 - mean), size=shape)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "n", "k", "least"),
    sampled([(0.9, 0.4, 50, 5, 0.93), (0.4, 0.1, 30, 1, 0.93), (0.9, 0.1, 30, 3, 0.93), (0.05, 0.01, 50, 5, 0.915)]),
)
def test_it_covers_the_truth(first: float, second: float, n: int, k: int, least: float) -> None:
    rng = np.random.default_rng(5)
    p = tasks(rng, first, (STUDIES, n))
    a, b = rng.binomial(k, p) / k, rng.binomial(k, p * second / first) / k
    ends = np.array([share_difference_interval(*pair) for pair in zip(a, b, strict=True)])
    covered = ((ends[:, 0] <= first - second) & (first - second <= ends[:, 1])).mean()
    assert least <= covered <= 0.98, covered


def test_in_the_middle_it_is_the_t_interval_up_to_a_little() -> None:
    rng = np.random.default_rng(6)
    p = tasks(rng, 0.5, (1, 400))[0]
    a, b = rng.binomial(4, p) / 4, rng.binomial(4, 0.5 * p + 0.2) / 4
    e = mean_of_questions(a - b)
    expected = t_interval(float(e.mean), float(e.se), 399.0, 0.95, -1.0)
    assert share_difference_interval(a, b) == pytest.approx(expected, abs=0.003)


def test_where_nothing_differs_it_still_says_how_little_is_known() -> None:
    none = np.zeros(20)
    upper = float(wilson_interval(0, 20)[1])
    assert share_difference_interval(none, none) == pytest.approx((-upper, upper))
    low, high = share_difference_interval(none, np.ones(20))
    assert low == -1
    assert -1 < high < -0.6


def test_exchanging_the_two_turns_it_around() -> None:
    rng = np.random.default_rng(7)
    a, b = rng.random(30), rng.random(30)
    groups = rng.integers(0, 9, 30)
    for clusters in (None, groups):
        low, high = share_difference_interval(a, b, clusters=clusters)
        assert share_difference_interval(b, a, clusters=clusters) == pytest.approx((-high, -low))


def test_copies_of_a_task_add_nothing() -> None:
    rng = np.random.default_rng(8)
    a, b = rng.random(25), rng.random(25)
    once = share_difference_interval(a, b)
    thrice = share_difference_interval(np.repeat(a, 3), np.repeat(b, 3), clusters=np.repeat(np.arange(25), 3))
    assert thrice == pytest.approx(once, abs=0.01)
    assert share_difference_interval(np.repeat(a, 3), np.repeat(b, 3))[1] < once[1] - 0.02


def test_too_little_is_nan_and_nonsense_is_refused() -> None:
    assert all(map(math.isnan, share_difference_interval(np.array([1.0]), np.array([0.0]))))
    one = np.zeros(3, dtype=np.int64)
    assert all(map(math.isnan, share_difference_interval(np.ones(3), np.zeros(3), clusters=one)))
    for first, second in (
        (np.ones(2), np.ones(3)),
        (np.array([1.0, np.nan]), np.ones(2)),
        (np.full(2, 2.0), np.ones(2)),
    ):
        with pytest.raises(StatisticsError):
            share_difference_interval(first, second)
