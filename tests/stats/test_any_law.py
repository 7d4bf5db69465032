"""Gaffke's test against random weights and the binomial law, and the note that it stands behind."""

import numpy as np
import pytest

from honestly import stats
from honestly.stats import ResolvedScores
from honestly.stats._any_law import AnyLaw
from honestly.stats._special import binomial_cdf


def any_law_p_value(differences, weights=None, codes=None):
    """Two-sided p-value of "the mean is 0"."""
    return min(1.0, 2.0 * min(AnyLaw(differences, weights, codes).tail_probabilities(0.0)))


def compared(differences, clusters=None, **more):
    means = np.stack([0.5 + np.asarray(differences) / 2, 0.5 - np.asarray(differences) / 2])
    names = ("A", "B"), tuple(f"q{i}" for i in range(means.shape[1]))
    sums = np.full(means.shape, 2), 2 * means, 2 * means**2
    return stats.compare(ResolvedScores.from_sums(names, sums, binary=False, clusters=clusters), "A", "B", **more)


@pytest.mark.parametrize(("questions", "mean"), [(3, 0.3), (10, 0.2), (30, 0.1), (80, -0.05)])
def test_it_is_the_share_of_random_weights_with_the_mean_on_the_other_side(questions, mean):
    rng = np.random.default_rng(questions)
    differences = np.clip(np.round(rng.normal(mean, 0.3, questions), 1), -1, 1)
    weights = rng.exponential(size=(100_000, questions + 1))
    shares = [((weights @ np.append(sign * differences, -1.0)) <= 0).mean() for sign in (1, -1)]
    assert any_law_p_value(differences) == pytest.approx(min(1, 2 * min(shares)), abs=0.008)
    assert any_law_p_value(differences) == pytest.approx(any_law_p_value(-differences), rel=1e-12)


@pytest.mark.parametrize(("wins", "losses"), [(14, 3), (9, 1), (5, 5), (3, 0), (60, 20)])
def test_for_wins_and_losses_it_is_the_exact_binomial_test(wins, losses):
    differences = np.repeat([1.0, -1.0], [wins, losses])
    exact = min(1.0, 2 * float(binomial_cdf(min(wins, losses), wins + losses)))
    assert any_law_p_value(differences) == pytest.approx(exact, rel=1e-10)


def test_far_tails_and_many_questions():
    assert 0 < any_law_p_value(np.random.default_rng(1).normal(0.05, 0.2, 5_000)) < 1e-40
    assert any_law_p_value(np.full(20, 0.01)) == pytest.approx(1.0)


IF = "shown if rare large differences can be excluded"


def test_a_result_that_rests_on_what_was_drawn_is_called_so():
    """Twenty small gains: one loss of .9 in ten questions, which one sample in eight does not show, undoes them."""
    rng = np.random.default_rng(3)
    small = np.linspace(0.05, 0.15, 20)
    found = compared(small)
    assert found.claim.approximate.p_value < 0.001
    assert (found.claim.verdict, found.claim.headline) == (IF, "with room")
    # A loss of everything on so many tasks is not among twenty with probability 5%.
    undrawn = 1 - 0.05 ** (1 / 20)
    assert found.interval[0] == pytest.approx(small.mean() - undrawn * (small.mean() + 1))
    assert found.p_value == pytest.approx((1 + small.mean()) ** -20)
    assert found.claim.guaranteed.p_value == pytest.approx(any_law_p_value(small))
    assert 0.05 < found.p_value < found.claim.guaranteed.p_value
    assert compared(small, method="sign-flip").claim.verdict == IF
    # Large gains prove themselves.
    assert compared(np.tile(small, 10)).claim.verdict == "shown"
    assert compared(np.tile(small, 10)).claim.is_law_free
    assert compared(np.round(rng.normal(0, 0.3, 20), 2)).claim.verdict == "cannot tell"


@pytest.mark.slow
def test_skewed_nulls_are_seldom_shown():
    """A is .1 better on 90% of 20 questions and .9 worse on 10%, at 10 samples: t alone rejects too often."""
    rng, false, said, missed = np.random.default_rng(4), 0, 0, 0
    usual = rng.random((400, 1, 20)) < 0.9
    chances = np.where(usual, [[[0.55], [0.45]]], [[[0.05], [0.95]]])
    for means in rng.binomial(10, chances) / 10:
        found = compared(means[0] - means[1])
        false += found.claim.approximate.p_value <= 0.05
        said += found.claim.verdict == "shown"
        assert found.claim.verdict == "shown" or not found.claim.is_law_free
        missed += not found.claim.answer.interval[0] <= 0 <= found.claim.answer.interval[1]
    assert false > 22
    assert said <= 22
    assert missed <= 22


def test_clusters_and_weights_count_as_what_they_are():
    rng = np.random.default_rng(6)
    means = np.round(rng.normal(0.1, 0.3, 12), 1)
    alone = any_law_p_value(means)
    assert any_law_p_value(np.repeat(means, 4), codes=np.repeat(np.arange(12), 4)) == pytest.approx(alone)
    assert any_law_p_value(means, np.full(12, 3.0)) == pytest.approx(alone)
    assert any_law_p_value(np.append(means, 1.0), np.append(np.ones(12), 1e-9)) == pytest.approx(alone, abs=1e-6)
    small = np.round(np.repeat(0.1 + rng.normal(0, 0.03, 12), 4), 2)
    assert compared(small).claim.is_law_free
    assert compared(small, tuple(f"c{i // 4}" for i in range(48))).claim.verdict == IF


def board(differences):
    """An agent that is better by the differences than each of three equal ones, whose own noise is tiny."""
    noise = np.random.default_rng(8).uniform(-1e-3, 1e-3, (4, differences.size))
    means = 0.3 + noise + np.stack([differences, *np.zeros((3, differences.size))])
    names = tuple("ABCD"), tuple(f"q{i}" for i in range(differences.size))
    return ResolvedScores.from_sums(names, (np.full(means.shape, 2), 2 * means, 2 * means**2), binary=False)


def test_pairs_and_ranks_rest_on_what_is_said_of_each():
    small = 0.1 + np.random.default_rng(7).normal(0, 0.05, 15)
    found = stats.compare_all(board(small))
    assert found.counts().holm == 3
    assert (found.upper(found.headline_holm) <= 0.05).sum() == 0
    assert stats.rank_intervals(board(small), seed=0, bootstraps=1).high.tolist() == [4, 4, 4, 4]
    many = stats.compare_all(board(np.tile(small, 20)))
    assert (many.upper(many.headline_holm) <= 0.05).sum() == 3
    pair = stats.compare(board(small), "A", "B")
    assert pair.claim.answer.p_value == pytest.approx(found.headline_p[0, 1])


def test_all_against_nothing_is_a_finding_however_many_samples():
    for samples in (1, 5):
        names = [f"q{i}" for i in range(20)]
        passed = samples * np.array([[1] * 20, [0] * 20])
        scores = stats.Scores.from_counts(["A", "B"], names, passed, samples - passed).resolve()
        found, pairs = stats.compare(scores, "A", "B"), stats.compare_all(scores)
        assert found.claim.is_law_free
        assert found.p_value == pytest.approx(pairs.p_holm[0, 1])
        assert found.p_value < 1e-4
        assert 0.6 < found.interval[0] < found.interval[1] == pytest.approx(1, abs=1e-5)
        assert stats.rank_intervals(scores, seed=0, bootstraps=1).high.tolist() == [1, 2]
