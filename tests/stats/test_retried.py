"""Samples whose number depends on their results: what counts and the order of samples show, and how seldom by chance."""

from dataclasses import replace

import numpy as np
import pytest

from honestly.stats import Policy, Scores, compare, compare_all
from honestly.stats._retried import by_rule, last_samples


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
    assert "each of 50 questions was sampled until one failed" in told.warnings[0].message
    assert told.resolve().notes[-1] == told.warnings[0].message


@pytest.mark.parametrize("rule", ["first failure", "once more"])
def test_a_rule_that_every_question_follows_is_seen_however_few_they_are(rule):
    rng = np.random.default_rng(7)
    found = []
    for _ in range(50):
        results = drawn(rng, rule, 20)
        p, n, last = (np.array([int(f(each)) for each in results]) for f in (np.sum, len, lambda each: each[-1]))
        found.append(by_rule(p, n, last))
    assert sum(each == ("until one failed" if rule == "first failure" else "until one passed") for each in found) >= 45


def counted(results):
    return tuple(np.array([int(f(each)) for each in results]) for f in (np.sum, len, lambda each: each[-1]))


@pytest.mark.parametrize("questions", [2, 3, 5, 8, 20])
def test_fixed_numbers_seldom_follow_a_rule_however_few_the_questions(questions):
    rng = np.random.default_rng(questions)
    found = 0
    for _ in range(1000):
        sizes = rng.integers(1, 3, questions)
        chances = rng.beta(0.5, 0.5, questions)
        results = [rng.random(n) < chance for n, chance in zip(sizes, chances, strict=True)]
        found += by_rule(*counted(results)) is not None
    assert found <= 15
    assert questions > 3 or not found


def test_an_agent_that_is_sure_of_each_question_follows_no_rule():
    """Hard questions may have been given more samples: without a pass after a failure nothing was moved."""
    assert by_rule(*counted([np.array([True])] * 10 + [np.array([False, False])] * 10)) is None


def test_of_agents_whose_samples_depend_on_results_nothing_is_said():
    results = [np.array([True] * n + [False]) for n in (1, 2, 3, 1) * 10] + [np.array([True] * 5)] * 10
    passed, samples = (np.array([[int(f(each)) for each in results]] * 2) for f in (np.sum, len))
    samples[1], passed[1] = 5, 1
    scores = Scores.from_counts(["a", "b"], [f"q{i}" for i in range(50)], passed, samples - passed)
    assert compare(scores, "a", "b").p_value < 0.001
    told = replace(scores, last_passed=np.array([[int(each[-1]) for each in results], [-1] * 50])).resolve(Policy())
    found = compare(told, "a", "b")
    assert found.claim is None
    assert np.isnan([found.p_value, *found.interval]).all()
    assert found.reason == "the number of samples of a seems to depend on their results"
    assert any("was sampled until one failed" in note for note in found.notes)
    assert np.isnan(compare_all(told).headline_p).all()
