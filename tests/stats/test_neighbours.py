"""Families that nobody declared are seen where their questions stand together, and independent questions seldom."""

import numpy as np
import pytest

from honestly import stats
from honestly.stats import Scores
from honestly.stats._neighbours import alike_neighbours
from sampled import sampled


def differences(rng, size, questions):
    """Of two equal agents, 5 samples; questions of a family have one chance for each agent half of the time."""
    families = -(-questions // size)
    common = np.repeat(rng.beta(0.8, 1.2, (2, families)), size, axis=1)[:, :questions]
    chances = np.where(rng.random(questions) < 0.5, common, rng.beta(0.8, 1.2, (2, questions)))
    return -np.diff(rng.binomial(5, chances), axis=0)[0] / 5


CASES = [(8, 500, 0.9, 1), (1, 80, 0, 0.04), (1, 20, 0, 0.04), (1, 500, 0, 0.04), (2, 500, 0.3, 1), (4, 500, 0.7, 1)]


@pytest.mark.parametrize(
    ("size", "questions", "least", "most"), sampled([*CASES, (25, 500, 0.95, 1), (8, 80, 0.25, 1)], 2)
)
def test_how_often_families_are_seen(size, questions, least, most):
    rng = np.random.default_rng([size, questions])
    seen = np.mean([alike_neighbours(differences(rng, size, questions)) is not None for _ in range(600)])
    print(f"families of {size}, {questions} questions: seen in {seen:.3f}")
    assert least <= seen <= most


def test_a_comparison_says_so_where_clusters_would_change_it():
    rng = np.random.default_rng(0)
    passed = np.repeat(rng.binomial(1, [[0.6], [0.4]], (2, 40)), 5, axis=1) * 4 + rng.binomial(1, 0.5, (2, 200))
    names = [f"q{i:03}" for i in range(200)]
    scores = Scores.from_counts(["A", "B"], names, passed, 5 - passed)
    found = stats.compare(scores.resolve(), "A", "B")
    (note,) = (note for note in found.notes if "neighbouring" in note)
    blocks = stats.compare(scores.with_clusters([f"c{i // 14}" for i in range(200)]).resolve(), "A", "B")
    assert found.p_value < 0.05 < blocks.p_value
    assert f"with blocks of 14 as clusters p = {blocks.p_value:.2g}." in note
    declared = scores.with_clusters([f"c{i // 5}" for i in range(200)])
    assert not any("neighbouring" in note for note in stats.compare(declared.resolve(), "A", "B").notes)
    better = np.stack([3 + passed[0] // 3, passed[1] // 3])  # alike, too, and clear with clusters
    for other in (np.stack([passed[0], passed[0][::-1]]), better):
        made = Scores.from_counts(["A", "B"], names, other, 5 - other)
        assert not any("neighbouring" in note for note in stats.compare(made.resolve(), "A", "B").notes)


@pytest.mark.parametrize("graded", [False, True])
def test_tasks_listed_by_difficulty_are_no_families(graded):
    """Of 300 studies of independent tasks from easy to hard, and one agent that is better, at most 8% show families."""
    rng, seen = np.random.default_rng(15), 0
    for _ in range(300):
        ease = np.sort(rng.normal(0, 2, 100))
        chances = 1 / (1 + np.exp(-ease - np.array([[1.5], [0]])))
        means = np.clip(rng.normal(chances, 0.1), 0, 1) if graded else rng.binomial(5, chances) / 5
        seen += alike_neighbours(means[0] - means[1]) is not None
    print(f"listed by difficulty, graded {graded}: {seen} of 300")
    assert seen <= 24


def test_what_has_no_neighbours_or_no_spread():
    assert alike_neighbours(np.zeros(50)) is None
    assert alike_neighbours(np.repeat([0.5, -0.5], 9)) is None
    assert alike_neighbours(np.repeat([0.5, -0.5], 10)) is not None


def test_differences_that_rounding_alone_sets_apart_show_no_families():
    first = np.arange(40) % 7 / 10
    assert alike_neighbours((first + 0.05) - first) is None
