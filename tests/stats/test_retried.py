"""Samples whose number depends on their results: what counts and the order of samples show, and how seldom by chance."""

from dataclasses import replace

import numpy as np
import pytest

from honestly.stats import Scores
from honestly.stats._retried import last_samples


def drawn(rng, rule, questions=80):
    """Outcomes of each question in order."""
    found = []
    for chance in rng.beta(1, 1, questions):
        results = rng.random(5) < chance
        if rule == "first failure":
            ends = np.flatnonzero(~results)
            results = results[: ends[0] + 1] if ends.size else results
        elif rule == "once more":
            results = results[: 1 if results[0] else 2]
        elif rule == "as planned":
            results = results[: 2 + int(rng.integers(4))]
        found.append(results)
    return found


def traced(results):
    passed, samples, last = (np.array([int(f(each)) for each in results]) for f in (np.sum, len, lambda each: each[-1]))
    return last_samples(passed, samples, last)


@pytest.mark.parametrize(("rule", "ends"), [("first failure", "failure"), ("once more", "pass")])
def test_stopping_by_results_is_seen(rule, ends):
    rng = np.random.default_rng(46)
    found = [traced(drawn(rng, rule)) for _ in range(50)]
    assert sum(trace is not None for trace in found) >= 40
    assert all((2 * trace[0] > trace[1]) == (ends == "pass") for trace in found if trace is not None)


def test_numbers_that_were_fixed_before_seldom_look_like_it():
    rng = np.random.default_rng(4)
    assert sum(traced(drawn(rng, "as planned")) is not None for _ in range(400)) <= 20
    same = [np.array([False, True, True])] * 40
    assert traced(same) is None  # as many samples of each: nothing was stopped


def test_scores_say_it_where_they_know_the_order():
    results = [np.array([True] * n + [False]) for n in (1, 2, 3, 1) * 10] + [np.array([True] * 5)] * 10
    passed, samples = (np.array([[int(f(each)) for each in results]]) for f in (np.sum, len))
    scores = Scores.from_counts(["a"], [f"q{i}" for i in range(50)], passed, samples - passed)
    assert not scores.warnings
    told = replace(scores, last_passed=np.array([[int(each[-1]) for each in results]]))
    assert "40 of 40 questions with passes and failures end with a failure" in told.warnings[0].message
    assert told.resolve().notes[-1] == told.warnings[0].message
