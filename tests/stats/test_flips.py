"""Flips of questions: the exact test against scipy, and counts and levels against simulated agents of known rates."""

import math

import numpy as np
import pytest
from scipy.stats import fisher_exact as oracle

from honestly.stats import Graded, Policy, Scores, fisher_exact, question_flips, samples_for_certainty

POLICY = Policy(limit="fail", void="fail", missing="drop")


def resolved(passed, samples):
    passed, samples = np.asarray(passed), np.asarray(samples)
    names = [f"q{i}" for i in range(passed.shape[1])]
    return Scores.from_counts(["a", "b"], names, passed, samples - passed).resolve(POLICY)


def drawn(rates, samples, rng):
    return resolved(rng.binomial(samples, rates), np.full(np.shape(rates), samples))


def test_the_exact_test_is_that_of_scipy():
    rng = np.random.default_rng(1)
    for _ in range(300):
        n, m = rng.integers(1, 15, 2).tolist()
        x, y = int(rng.integers(0, n + 1)), int(rng.integers(0, m + 1))
        expected = oracle([[x, n - x], [y, m - y]]).pvalue
        assert fisher_exact(x, y, n, m) == pytest.approx(min(1.0, expected), rel=1e-9)
        assert fisher_exact(x, y, n, m) == fisher_exact(y, x, m, n)


def test_how_many_samples_make_one_flip_certain():
    for questions in (1, 20, 82, 500):
        k = samples_for_certainty(questions)
        assert fisher_exact(0, k, k, k) * questions <= 0.05 < fisher_exact(0, k - 1, k - 1, k - 1) * questions


def test_a_flip_has_its_direction_and_its_certainty():
    found = question_flips(resolved([[0, 8, 4, 1], [8, 0, 4, 5]], [[8] * 4, [8] * 4]), "a", "b")
    assert found.gained_questions.tolist() == [True, False, False, True]
    assert found.lost_questions.tolist() == [False, True, False, False]
    assert found.p_holm[0] == pytest.approx(4 * 2 / math.comb(16, 8))
    assert found.p_holm[2] == 1
    assert found.p_any < 0.001
    turned = question_flips(resolved([[8, 0, 4, 5], [0, 8, 4, 1]], [[8] * 4, [8] * 4]), "a", "b")
    assert turned.p_values.tolist() == found.p_values.tolist()
    assert (turned.gained_questions == found.lost_questions).all()


def test_single_samples_say_nothing_of_noise():
    found = question_flips(resolved([[1, 0, 1], [0, 1, 1]], [[1] * 3, [1] * 3]), "a", "b")
    assert (found.known, math.isnan(found.by_chance), math.isnan(found.between), math.isnan(found.p_any)) == (
        0,
        True,
        True,
        True,
    )
    assert found.p_values.tolist() == [1, 1, 1]
    one_side = question_flips(resolved([[2, 0], [0, 1]], [[4, 4], [1, 1]]), "a", "b")
    assert one_side.known == 2
    assert one_side.by_chance == pytest.approx(2 * (2 / 4 * 2 / 4 * 4 / 3))


def test_grades_move_and_flip_nothing():
    graded = Graded(np.full((2, 2), 2), np.array([[0.4, 2], [1.8, 2]]), np.array([[0.1, 2], [1.7, 2]]))
    zero = np.zeros((2, 2), dtype=np.int64)
    found = question_flips(Scores.from_counts(["a", "b"], ["q", "r"], zero, zero, graded=graded).resolve(), "a", "b")
    assert found.graded
    assert found.passed == pytest.approx(np.array([[0.4, 2], [1.8, 2]]))
    assert not found.gained_questions.any()
    assert not found.lost_questions.any()
    assert np.isnan([*found.p_values, found.p_any, found.between]).all()


@pytest.mark.slow
def test_the_counts_are_unbiased_and_the_tests_keep_their_level():
    rng = np.random.default_rng(3)
    same = rng.beta(0.6, 0.6, 40)
    truth = float((2 * same * (1 - same)).sum())
    runs = [question_flips(drawn([same, same], 3, rng), "a", "b", resamples=400) for _ in range(400)]
    for counted in ([run.by_chance for run in runs], [run.between for run in runs]):
        error = np.std(counted) / math.sqrt(len(counted))
        assert abs(np.mean(counted) - truth) < 4 * error
    assert np.mean([run.p_any <= 0.05 for run in runs]) < 0.08
    assert np.mean([(run.p_holm <= 0.05).any() for run in runs]) <= 0.05


def test_changes_that_cancel_out_are_seen():
    rng = np.random.default_rng(4)
    before = np.array([0.9] * 10 + [0.1] * 10)
    runs = [question_flips(drawn([before, 1 - before], 5, rng), "a", "b", resamples=400) for _ in range(60)]
    assert np.mean([run.p_any <= 0.05 for run in runs]) > 0.99
    real = np.mean([run.between - run.by_chance for run in runs])
    assert real == pytest.approx(20 * 0.8**2, rel=0.05)
