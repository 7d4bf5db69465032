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
    assert "as if failures had been left out" in scores.warnings[0].message  # which is all that counts show
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
    passed[1] = 0
    scores = Scores.from_counts(["a", "b"], [f"q{i}" for i in range(50)], passed, samples - passed)
    assert compare(scores, "a", "b").p_value < 0.001
    told = replace(scores, last_passed=np.array([[int(each[-1]) for each in results], [-1] * 50])).resolve(Policy())
    found = compare(told, "a", "b")
    assert found.claim is None
    assert np.isnan([found.p_value, *found.interval]).all()
    assert found.reason == "the number of samples of a seems to depend on their results"
    assert any("was sampled until one failed" in note for note in found.notes)
    assert np.isnan(compare_all(told).headline_p).all()


def test_a_stop_at_a_good_grade_is_seen_where_the_order_is_known():
    """Two equal agents with grades, one of them sampled until a grade of 0.7, or four samples."""
    rng, seen, shown = np.random.default_rng(15), 0, 0
    for _ in range(40):
        rows = []
        for question, chance in enumerate(rng.random(60)):
            for agent in "ab":
                for sample in range(4):
                    grade = float(np.clip(rng.normal(chance, 0.2), 0.001, 0.999))
                    rows.append((agent, f"q{question}", sample, grade))
                    if agent == "b" and grade >= 0.7:
                        break
        rng.shuffle(rows)  # the order is that of the samples' numbers
        scores = Scores.from_rows(rows)
        seen += "b" in {warning.agent for warning in scores.warnings}
        shown += compare(scores, "a", "b").p_value <= 0.05
        assert "a" not in {warning.agent for warning in scores.warnings}
    assert seen >= 36
    assert shown <= 2


def test_fixed_numbers_of_grades_seldom_look_stopped():
    rng, seen = np.random.default_rng(3), 0
    for _ in range(300):
        rows = [
            ("a", f"q{question}", sample, float(grade))
            for question in range(40)
            for sample, grade in enumerate(rng.beta(1, 1, rng.integers(1, 5)) * 0.9 + 0.05)
        ]
        seen += bool(Scores.from_rows(rows).warnings)
    assert seen <= 15


def lost(rng, drop, questions=60, samples=5):
    """One agent twice; of the second, failures are left out, or any trial."""
    chances = rng.random(questions)
    results = rng.random((2, questions, samples)) < chances[:, None]
    kept = rng.random((2, questions, samples)) >= (drop if isinstance(drop, float) else 0.3)
    kept[0] = True
    kept |= results if isinstance(drop, float) else False
    return Scores.from_counts(
        ["a", "b"], [f"q{i}" for i in range(questions)], (results & kept).sum(2), (~results & kept).sum(2)
    )


def test_failures_that_were_left_out_are_seen():
    rng = np.random.default_rng(14)
    found = [{warning.agent for warning in lost(rng, 0.8).warnings} for _ in range(60)]
    assert sum("b" in each for each in found) >= 45
    assert not any("a" in each for each in found)
    at_random = [lost(rng, None).warnings for _ in range(300)]
    assert sum(bool(each) for each in at_random) <= 15


def test_numbers_that_agents_share_are_a_plan():
    """Hard questions, with fewer samples of every agent."""
    samples = np.repeat([2, 5], 20)
    passed = np.stack([np.repeat([0, 5], 20), np.array([0, 2] * 10 + [4] * 20)])
    names = [f"q{i}" for i in range(40)]
    assert not Scores.from_counts(["a", "b"], names, passed, samples - passed).dependent_samples(["a", "b"])
    passed[0, 0] = 2
    alone = Scores.from_counts(["a"], names, passed[:1], samples - passed[:1])
    assert "questions with fewer samples have lower scores" in alone.dependent_samples(["a"])[0]


@pytest.mark.parametrize(("agents", "lost"), [(2, 0.3), (20, 0.1), (20, 0.3), (50, 0.1)])
def test_of_many_honest_agents_with_lost_rows_seldom_one_is_suspected(agents, lost):
    """A caution in at most a tenth of 100 sound studies: 18 at most, with chance 99%."""
    rng, suspected = np.random.default_rng([agents, round(10 * lost)]), 0
    names, order = ([f"m{i}" for i in range(agents)], [f"q{i}" for i in range(60)]), np.arange(5)
    for _ in range(100):
        eta = rng.logistic(size=60) + rng.normal(0, 0.5, (agents, 1))
        won, kept = rng.random((agents, 60, 5)) < 1 / (1 + np.exp(-eta))[..., None], rng.random((agents, 60, 5)) > lost
        samples, passed = kept.sum(axis=2), (won & kept).sum(axis=2)
        at = np.where(kept, order, -1).max(axis=2)
        last = np.where(samples > 0, np.take_along_axis(won, at[..., None], axis=2)[..., 0], -1)
        scores = Scores.from_counts(*names, passed, samples - passed, planned=np.full(samples.shape, 5))
        suspected += any("samples" in each.kind for each in replace(scores, last_passed=last.astype(int)).warnings)
    print(f"{agents} agents, {lost:.0%} lost: one suspected in {suspected} of 100")
    assert suspected <= 18
