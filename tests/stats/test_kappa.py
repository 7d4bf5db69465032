"""Kappa and alpha: against scikit-learn, statsmodels and published values, and their intervals against known truths."""

import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from honestly.stats import cohen_kappa, krippendorff_alpha
from sampled import sampled

pytestmark = pytest.mark.slow

LABELS = ["cannot tell", "hack", "honest", "suspicious"]
RUNS = 120


def labelled(rng, n, people, agreement):
    first = rng.choice(4, n, p=[0.05, 0.2, 0.6, 0.15])
    others = [np.where(rng.random(n) < agreement, first, rng.choice(4, n)) for _ in range(people - 1)]
    return np.stack([first, *others], axis=1)


def named(codes):
    return [[LABELS[code] for code in row] for row in codes]


@pytest.mark.parametrize("agreement", [0.0, 0.4, 0.9])
def test_cohens_kappa_is_that_of_others(agreement):
    codes = labelled(np.random.default_rng(3), 90, 2, agreement)
    first, second = (list(column) for column in zip(*named(codes), strict=True))
    found = cohen_kappa(first, second)
    table = np.zeros((4, 4))
    np.add.at(table, (codes[:, 0], codes[:, 1]), 1)
    assert found.kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
    assert found.kappa == pytest.approx(cohens_kappa(table).kappa, abs=1e-12)
    assert found.raw == np.mean(codes[:, 0] == codes[:, 1])
    assert found.interval[0] < found.kappa < found.interval[1]


def test_alpha_is_fleiss_kappa_but_for_what_it_says():
    codes = labelled(np.random.default_rng(4), 50, 3, 0.6)
    fleiss = fleiss_kappa(aggregate_raters(codes)[0])
    assert krippendorff_alpha(named(codes)).kappa == pytest.approx(1 - (1 - fleiss) * 149 / 150, abs=1e-12)


def test_alpha_of_krippendorffs_example_with_gaps():
    """Krippendorff 2011, Computing Krippendorff's alpha-reliability, example C: 4 observers, 12 units, alpha 0.743."""
    rows = ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."]
    units = [[label for label in unit if label != "."] for unit in zip(*map(str.split, rows), strict=True)]
    found = krippendorff_alpha(units)
    assert round(found.kappa, 3) == 0.743
    assert found.units == 11


def test_what_two_said_of_each_label():
    found = cohen_kappa(["hack", "hack", "honest", "honest"], ["hack", "honest", "honest", "honest"])
    assert [(one.label, one.given) for one in found.labels] == [("hack", 3), ("honest", 5)]
    assert [one.agreement for one in found.labels] == pytest.approx([2 / 3, 4 / 5])


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [([], [], "no unit was labelled by more"), (["honest"] * 9, ["honest"] * 9, "every label is 'honest'")],
)
def test_what_cannot_be_known_is_not_a_number(first, second, reason):
    for found in (cohen_kappa(first, second), krippendorff_alpha(list(zip(first, second, strict=True)))):
        assert math.isnan(found.kappa)
        assert all(map(math.isnan, found.interval))
        assert reason in found.reason


def test_one_task_has_a_kappa_and_no_interval():
    found = cohen_kappa(["hack", "honest", "honest"], ["hack", "honest", "hack"], ["t"] * 3)
    assert found.kappa == pytest.approx(0.4)
    assert math.isnan(found.interval[0])
    assert "one cluster" in found.reason


def test_few_that_all_agree_are_not_sure():
    few = cohen_kappa(["hack"] * 4 + ["honest"] * 6, ["hack"] * 4 + ["honest"] * 6)
    assert few.kappa == few.interval[1] == 1
    assert few.interval[0] < 0.4


def truth_of(joint):
    raw, chance = np.trace(joint), joint.sum(axis=0) @ joint.sum(axis=1)
    return (raw - chance) / (1 - chance)


@pytest.mark.parametrize("measure", sampled(["alpha", "cohen"]))
@pytest.mark.parametrize(
    ("n", "shares", "same"),
    sampled([(40, (0.5, 0.5), 0.9), (40, (0.1, 0.9), 0.9), (60, (0.1, 0.9), 0.4), (60, (0.2, 0.15, 0.65), 0.7)], 2),
    ids=["half", "a tenth", "a tenth, much doubt", "three labels"],
)
def test_the_interval_covers(n, shares, same, measure):
    shares = np.array(shares)
    joint = same * np.diag(shares) + (1 - same) * np.outer(shares, shares)
    rng, k, inside = np.random.default_rng(71), len(shares), []
    for cells in rng.choice(k * k, (RUNS, n), p=joint.ravel()):
        pairs = [LABELS[c] for c in cells // k], [LABELS[c] for c in cells % k]
        found = cohen_kappa(*pairs) if measure == "cohen" else krippendorff_alpha(list(zip(*pairs, strict=True)))
        if not math.isnan(found.kappa):
            inside.append(found.interval[0] <= truth_of(joint) <= found.interval[1])
    print(f"kappa {truth_of(joint):.2f}, n {n}: covered {np.mean(inside):.1%}")
    assert len(inside) > 0.9 * RUNS
    assert np.mean(inside) > 0.91


def test_trials_of_one_task_are_counted_as_what_they_are():
    """20 tasks of 6 trials; people agree or differ about whole tasks. Without clusters the interval is far too narrow."""
    rng, inside, naive = np.random.default_rng(72), [], []
    joint = 0.6 * np.diag([0.3, 0.7]) + 0.4 * np.outer([0.3, 0.7], [0.3, 0.7])
    for cells in rng.choice(4, (RUNS, 20), p=joint.ravel()):
        tasks = np.repeat(np.arange(20), 6)
        pairs = [LABELS[c // 2] for c in cells[tasks]], [LABELS[c % 2] for c in cells[tasks]]
        for results, clusters in ((inside, tasks.tolist()), (naive, None)):
            found = cohen_kappa(*pairs, clusters)
            results.append(found.interval[0] <= truth_of(joint) <= found.interval[1])
    print(f"by task covered {np.mean(inside):.1%}, as if independent {np.mean(naive):.1%}")
    assert np.mean(inside) > 0.925
    assert np.mean(naive) < 0.75
