"""The betting test: against the formula, symmetric, ordered bets aside, and keeping its level where t does not."""

import math
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from honestly import stats
from honestly.errors import StatisticsError
from honestly.stats._betting import BETS
from sampled import sampled

pytestmark = pytest.mark.slow

sys.path.append(str(Path(__file__).parents[2] / "bench"))  # at the end: a bench of this name must hide no library
gamblers_capital = import_module("grid.procedures").gamblers_capital


def skewed(rng, kind, shape):
    """Differences with mean 0: A is .1 better on 90% of the questions and .9 worse on 10%, at 10 samples or exactly."""
    usual = rng.random(shape) < 0.9
    if kind == "exact":
        return np.where(usual, 0.1, -0.9)
    if kind == "equal":
        chance = rng.beta(2, 3, shape)
        return (rng.binomial(10, chance) - rng.binomial(10, chance)) / 10
    chances = np.where(usual, [[[0.6]], [[0.5]]], [[[0.05]], [[0.95]]])
    return -np.diff(rng.binomial(10, chances) / 10, axis=0)[0]


def stops(differences):
    """Whether either gambler has 2/alpha, at every look, one row per run."""
    return (gamblers_capital(differences) >= math.log(40)).any(axis=0)


def ever(differences):
    return stops(differences).any(axis=1)


def asymptotic(differences):
    """The same for the difference sequence."""
    n = np.arange(1, differences.shape[1] + 1)
    mean = differences.cumsum(axis=1) / n
    variance = ((differences**2).cumsum(axis=1) - n * mean**2) / np.maximum(n - 1, 1)
    radius = stats.sequence_radius(n, np.maximum(variance, 0), 0.05, n[-1] / 2)
    return (np.abs(mean) > radius) & (n >= 20) & (variance > 1e-12)


def test_capital_verdict_and_interval_are_those_of_the_formula():
    rng = np.random.default_rng(1)
    for gap in (0.0, 0.15, -0.3):
        differences = np.clip(np.round(rng.normal(gap, 0.4, 60), 1), -1, 1)
        test, mirrored = (stats.StoppingRule("a", "b", "betting", 60).start() for _ in range(2))
        for at, difference in enumerate(differences.tolist()):
            decision, other = test.update(difference), mirrored.update(-difference)
            seen = differences[: at + 1]
            assert decision.evidence == pytest.approx(
                max(np.mean([np.prod(1 + f * sign * seen) for f in BETS]) for sign in (1, -1)) / 2
            )
            low, high = decision.interval
            assert decision.stop == bool(ever(seen[None])[0] or at == 59)
            assert (low > 0) == (decision.verdict is stats.RuleVerdict.FIRST)
            assert (high < 0) == (decision.verdict is stats.RuleVerdict.SECOND)
            assert other.interval == pytest.approx((-high, -low))
            if decision.stop:
                break
    with pytest.raises(StatisticsError, match="between -1 and 1"):
        stats.BettingTest().update(1.5)
    certain = stats.BettingTest(questions=50)
    while not certain.decision.stop:
        certain.update(1.0)
    assert certain.decision.questions < 10
    assert math.isfinite(certain.decision.evidence)


@pytest.mark.parametrize("questions", sampled([80, 30, 200, 500]))
@pytest.mark.parametrize("kind", sampled(["skewed", "exact", "equal"]))
def test_skewed_nulls_are_seldom_told_apart_at_any_look(kind, questions):
    differences = skewed(np.random.default_rng(questions), kind, (3_000, questions))
    found, before = ever(differences).mean(), asymptotic(differences).any(axis=1).mean()
    print(f"{kind}, {questions} questions: false verdicts {found:.3f}, of the difference sequence {before:.3f}")
    assert found <= 0.05


def test_the_interval_covers_at_all_times():
    rng, missed = np.random.default_rng(3), 0
    for _ in range(60):
        test = stats.BettingTest()
        for difference in (0.2 + skewed(rng, "exact", 60) * 0.8).tolist():
            low, high = test.update(difference).interval
            if not low <= 0.2 <= high:
                missed += 1
                break
            if test.decision.stop:
                break
    assert missed <= 3


@pytest.mark.parametrize("samples", [2, 5, 10])
@pytest.mark.parametrize("gap", [0.05, 0.1, 0.2])
def test_what_validity_costs(gap, samples):
    """Questions asked on average, of at most 500, where A passes each with a chance that is higher by the gap."""
    rng = np.random.default_rng(7)
    chance = rng.beta(2, 3, (1_000, 500)) * (1 - gap)
    differences = (rng.binomial(samples, chance + gap) - rng.binomial(samples, chance)) / samples
    asked = []
    for rule in (asymptotic, stops):
        found = rule(differences)
        asked.append(np.where(found.any(axis=1), found.argmax(axis=1) + 1, 500).mean())
    print(f"gap {gap}, {samples} samples: sequence {asked[0]:.0f}, bets {asked[1]:.0f}")
    assert 0.9 * asked[0] < asked[1] < 1.6 * asked[0]


def fed(rule, differences):
    test = rule.start()
    for difference in differences:
        test.update(difference)
    return test.decision


def test_a_cluster_is_one_bet_on_its_sum():
    rng = np.random.default_rng(5)
    sizes = (3, 1, 5, 2, 4)
    differences = np.round(rng.uniform(-1, 1, 15), 1)
    rule = stats.StoppingRule("a", "b", "betting", 15, clusters=sizes)
    assert stats.StoppingRule.from_plain(rule.to_plain()) == rule
    found, other = fed(rule, differences.tolist()), fed(rule, (-differences).tolist())
    sums = np.array([part.sum() / 5 for part in np.split(differences, np.cumsum(sizes)[:-1])])
    assert found.evidence == pytest.approx(max(np.mean([np.prod(1 + f * s * sums) for f in BETS]) for s in (1, -1)) / 2)
    assert (found.questions, found.difference) == (15, pytest.approx(differences.mean()))
    assert found.interval[0] <= found.difference <= found.interval[1]
    assert (found.interval, found.difference) == (
        pytest.approx((-other.interval[1], -other.interval[0])),
        -other.difference,
    )
    assert "in all 5 clusters" in found.reason
    assert fed(rule, differences[:8].tolist()).questions == 4
    alone = stats.StoppingRule("a", "b", "betting", 15, clusters=(1,) * 15)
    plain = stats.StoppingRule("a", "b", "betting", 15)
    one, same = fed(alone, differences.tolist()), fed(plain, differences.tolist())
    assert (one.evidence, one.interval, one.questions) == (same.evidence, same.interval, same.questions)
    with pytest.raises(StatisticsError, match="hold every question"):
        stats.StoppingRule("a", "b", "betting", 16, clusters=sizes)
    with pytest.raises(StatisticsError, match="clusters are for betting"):
        stats.StoppingRule("a", "b", "win-loss", 15, clusters=sizes)
    with pytest.raises(StatisticsError, match="every cluster needs a question"):
        stats.ClusterBets(0.05, (3, 0, 2))


@pytest.mark.parametrize("correlated", [1.0, 0.5])
def test_clusters_that_win_and_lose_together_keep_the_level(correlated):
    """Clusters of 1 to 12 questions; a cluster's questions all take its own sign, or each its own, at random."""
    rng = np.random.default_rng(7)
    sizes = np.tile([1, 2, 4, 12, 6], 12)
    codes = np.repeat(np.arange(sizes.size), sizes)
    runs = 4_000
    shared = rng.choice([-1.0, 1.0], (runs, sizes.size))[:, codes]
    own = rng.choice([-1.0, 1.0], (runs, codes.size))
    differences = np.where(rng.random((runs, codes.size)) < correlated, shared, own)
    sums = np.add.reduceat(differences, np.cumsum(sizes) - sizes, axis=1) / sizes.max()
    together, alone = ever(sums).mean(), ever(differences).mean()
    print(f"correlation {correlated}: false verdicts {together:.3f}, of bets on single questions {alone:.3f}")
    assert together <= 0.05
    assert alone > 0.1


def test_clusters_are_told_apart_where_there_is_a_difference():
    rng = np.random.default_rng(8)
    rule = stats.StoppingRule("a", "b", "betting", 400, clusters=(4,) * 100)
    gains = np.repeat(rng.normal(0.25, 0.2, (20, 100)), 4, axis=1)
    verdicts = [fed(rule, np.clip(run, -1, 1).tolist()) for run in gains]
    assert all(found.verdict is stats.RuleVerdict.FIRST for found in verdicts)
    assert np.mean([found.questions for found in verdicts]) < 200
    assert all(found.interval[0] > 0 for found in verdicts)
