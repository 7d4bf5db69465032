"""The decision of a loop: never more false keeps than promised, and real gains found."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from honestly.errors import StatisticsError
from honestly.stats import KeepRule, next_level, wilson_interval


def attempt(rule, draw, scale=math.nan):
    test = rule.test(scale)
    while test.choice == "continue":
        test.feed(draw())
    return test


def loops(rule, draw, count, scale=math.nan):
    """How many loops keep any of their attempts."""
    return sum(any(attempt(rule, draw, scale).choice == "keep" for _ in range(rule.attempts)) for _ in range(count))


NOISE = {
    "normal": lambda rng: rng.normal() - rng.normal(),
    "heavy tails": lambda rng: rng.standard_t(2) - rng.standard_t(2),
    "lopsided": lambda rng: rng.exponential() - rng.exponential(),
}


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISE)
def test_few_loops_without_a_gain_keep_anything(noise):
    rng = np.random.default_rng(3)
    kept = loops(KeepRule(attempts=20, most=100), lambda: NOISE[noise](rng), 150)
    assert wilson_interval(kept, 150)[0] <= 0.05


def test_bounded_differences_need_no_symmetry():
    rng = np.random.default_rng(4)
    # nine times a little better, once much worse: no gain on average, and far from symmetric
    rule = KeepRule(attempts=20, most=100, bound=1.0)
    kept = loops(rule, lambda: 0.1 if rng.random() < 0.9 else -0.9, 150)
    assert wilson_interval(kept, 150)[0] <= 0.05


@pytest.mark.slow
def test_of_2000_loops_of_100_attempts_at_most_5_percent_keep_noise():
    rng = np.random.default_rng(5)
    kept = loops(KeepRule(), lambda: rng.normal() - rng.normal(), 2000, scale=1.4)
    assert kept / 2000 <= 0.055
    assert wilson_interval(kept, 2000)[0] <= 0.05


def test_a_gain_of_one_standard_deviation_is_found():
    rng = np.random.default_rng(6)
    found = [attempt(KeepRule(), lambda: 1 + rng.normal() - rng.normal(), 1.4) for _ in range(200)]
    assert sum(test.choice == "keep" for test in found) > 170
    assert np.mean([test.n for test in found]) < 60


def test_a_gain_below_the_smallest_that_is_wanted_is_no_gain():
    rng = np.random.default_rng(7)
    rule = KeepRule(attempts=20, most=100, minimum_gain=0.5)
    assert wilson_interval(loops(rule, lambda: 0.5 + rng.normal() - rng.normal(), 100, 1.4), 100)[0] <= 0.05


def test_a_constant_gain_is_kept_after_enough_pairs_and_none_is_dropped_at_once():
    assert attempt(KeepRule(), lambda: 2.0).choice == "keep"
    nothing = attempt(KeepRule(), lambda: 0.0)
    assert (nothing.choice, nothing.n) == ("drop", 3)
    assert attempt(KeepRule(), lambda: -1.0).n == 3


LAWS = {
    **NOISE,
    "coin": lambda rng: rng.choice((-1.0, 1.0)),  # the evidence is a martingale: nothing is left to spare
}


def endless(draw, attempts, gains=()):
    """A loop that nobody knows the end of: which attempts it keeps, until one that gains nothing is."""
    spent, kept = [], []
    for n in range(1, attempts + 1):
        level = next_level(0.05, spent)
        test = attempt(KeepRule(alpha=level, attempts=1, most=60), lambda n=n: draw() + 5 * (n in gains), 1.4)
        if test.choice == "keep":
            kept.append(n)
            if n not in gains:
                break
        else:
            spent.append(level)
    return kept


@pytest.mark.slow
@pytest.mark.parametrize("gains", [(), range(10, 200, 10)], ids=["no gain", "some gains"])
@pytest.mark.parametrize("law", LAWS)
def test_of_300_loops_without_an_end_few_keep_noise_in_150_attempts(law, gains):
    rng = np.random.default_rng(9)
    found = [endless(lambda: LAWS[law](rng), 150, gains) for _ in range(300)]
    wrong = sum(any(n not in gains for n in kept) for kept in found)
    print(f"{law}, {len(gains)} gains: {wrong} of 300 keep noise, {wrong and wilson_interval(wrong, 300)}")
    assert wilson_interval(wrong, 300)[0] <= 0.05
    assert not gains or sum(130 in kept for kept in found) > 150


@given(st.lists(st.tuples(st.booleans(), st.none() | st.integers(1, 1000)), max_size=400))
def test_levels_add_up_to_alpha_at_most_and_never_end(tests):
    spent = []
    for kept, left in tests:
        level = next_level(0.05, spent, left)
        assert level > 0
        if not kept:
            spent.append(level)
    assert sum(spent) < 0.05


def test_levels_share_alike_where_an_end_is_declared_and_fall_slowly_where_none_is():
    spent = []
    for left in range(10, 0, -1):
        spent.append(next_level(0.05, spent, left))
    assert np.allclose(spent, 0.05 / 11)
    spent = []
    for _ in range(1000):
        spent.append(next_level(0.05, spent))
    assert spent[0] == pytest.approx(0.05 / 20)
    assert spent[99] == pytest.approx(0.05 / 739, rel=0.01)
    for wrong in ((0.05, [0.05]), (0.05, [], 0), (1.0, [])):
        with pytest.raises(StatisticsError):
            next_level(*wrong)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30), st.sampled_from([None, 1e301]))
def test_evidence_is_a_number_whatever_comes(differences, bound):
    test = KeepRule(bound=bound).test()
    for difference in differences:
        if test.choice == "continue":
            test.feed(difference)
        assert math.isfinite(test.log_evidence)


def test_what_makes_no_sense_is_refused():
    for wrong in (
        {"alpha": 0},
        {"attempts": 0},
        {"most": 2},
        {"minimum_gain": -1},
        {"bound": 0.0},
        {"bound": math.inf},
    ):
        with pytest.raises(StatisticsError):
            KeepRule(**wrong)
    test = KeepRule(bound=1.0).test()
    for wrong in (math.nan, math.inf, 1.5):
        with pytest.raises(StatisticsError):
            test.feed(wrong)
    for _ in range(3):
        test.feed(-1.0)
    with pytest.raises(StatisticsError, match="has ended"):
        test.feed(1.0)
