"""The gate's rule: false red and false green at most alpha, no certainty out of nothing, one law behind all ends."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from honestly.errors import StatisticsError
from honestly.stats import Estimand, Policy, ResolvedScores, Scores, mcnemar_exact, regression_test, wilson_interval
from sampled import sampled

sys.path.append(str(Path(__file__).parents[2] / "bench"))  # at the end: a bench of this name must hide no library
from gate import EDGE, NULL, POWER, Kind, verdicts

pytestmark = pytest.mark.slow

THESE = Estimand.THESE_QUESTIONS


def two(agent, baseline, samples, clusters=None):
    passed = np.array([agent, baseline])
    questions = [f"q{at}" for at in range(passed.shape[1])]
    made = Scores.from_counts(["agent", "baseline"], questions, passed, samples - passed)
    return (made if clusters is None else made.with_clusters(clusters)).resolve()


def judged(agent, baseline, samples=1, **how):
    return regression_test(two(agent, baseline, samples), "agent", "baseline", **how)


def held(count, studies):
    """Whether a rate is not above 5%, but by chance."""
    return wilson_interval(count, studies, 0.999)[0] <= 0.05


@pytest.mark.parametrize("kind", [Kind(20, 1), Kind(12, 5), Kind(12, 5, estimand=THESE)], ids=str)
def test_agents_that_are_equal_seldom_turn_a_build_red(kind):
    found = verdicts(kind, 200)
    assert held(found["worse"], 200)


@pytest.mark.parametrize("kind", NULL, ids=str)
def test_of_two_thousand_studies_of_equal_agents_at_most_alpha_are_red(kind):
    found = verdicts(kind, 2000)
    assert held(found["worse"], 2000)
    assert held(found["not worse"], 2000)  # a gap of 0 is the boundary, too


@pytest.mark.parametrize("kind", sampled(EDGE, quick=0), ids=str)
def test_of_two_thousand_studies_at_the_boundary_at_most_alpha_are_red_and_at_most_alpha_green(kind):
    found = verdicts(kind, 2000)
    assert held(found["worse"], 2000)
    assert held(found["not worse"], 2000)


def test_at_the_boundary_both_errors_are_rare():
    found = verdicts(Kind(20, 5, 0.1, 0.1, "broken"), 200)
    assert held(found["worse"], 200)
    assert held(found["not worse"], 200)


def test_what_is_there_is_found():
    assert verdicts(Kind(60, 5, 0.0, 0.3), 50)["worse"] > 45
    assert verdicts(Kind(300, 5, 0.1, 0.0), 20)["not worse"] > 18
    assert POWER


def test_single_samples_of_these_questions_are_the_exact_sign_test():
    for wins, losses in ((0, 4), (0, 5), (1, 7), (3, 12)):
        ties = 30 - wins - losses
        agent, baseline = [1] * wins + [0] * losses + [1] * ties, [0] * wins + [1] * losses + [1] * ties
        found = judged(agent, baseline, estimand=THESE)
        assert found.p_worse == pytest.approx(mcnemar_exact(wins, losses) / 2, abs=1e-6)
        assert (found.verdict == "worse") == (found.p_worse <= 0.05)
        assert judged(agent, baseline).p_worse >= found.p_worse  # never surer of new questions


def test_the_verdict_is_what_the_interval_shows():
    rng = np.random.default_rng(4)
    for at in range(60):
        gap = float(rng.choice([0, 0.05, 0.2]))
        agent, baseline = rng.binomial(3, rng.uniform(0.2, 0.9, (2, 25)))
        found = judged(agent, baseline, 3, gap=gap, estimand=THESE if at % 2 else Estimand.NEW_QUESTIONS)
        low, high = found.interval
        assert low <= found.difference <= high
        assert found.verdict == ("worse" if high < -gap else "not worse" if low > -gap else "cannot tell")


@pytest.mark.parametrize("passes", [0, 1])
@pytest.mark.parametrize("questions", [1, 2, 20])
def test_results_that_are_all_alike_give_no_certainty(passes, questions):
    found = judged([passes] * questions, [passes] * questions, gap=0.05)
    assert found.verdict == "cannot tell"
    assert found.difference == 0
    assert found.interval == pytest.approx((-(1 - 0.05 ** (1 / questions)), 1 - 0.05 ** (1 / questions)), abs=1e-4)
    enough = judged([passes] * 60, [passes] * 60, gap=0.05)
    assert enough.verdict == "not worse"  # the rule of three: 0.95 ^ 60 is less than 5%


def test_one_question_can_not_speak_for_others_and_many_samples_of_it_for_itself():
    assert judged([0], [10], 10).verdict == "cannot tell"
    assert judged([0], [10], 10, estimand=THESE).verdict == "worse"
    assert judged([0], [1], 1, estimand=THESE).verdict == "cannot tell"


def test_questions_of_one_cluster_count_as_one():
    agent, baseline = [0] * 12, [1, 2] * 6
    alone = judged(agent, baseline, 2)
    together = regression_test(two(agent, baseline, 2, {f"q{at}": "one" for at in range(12)}), "agent", "baseline")
    assert (alone.verdict, together.verdict) == ("worse", "cannot tell")


def test_how_much_more_it_takes_is_enough():
    rng = np.random.default_rng(8)
    ease = rng.uniform(0.1, 0.9, 40)
    small = judged(rng.binomial(3, ease), rng.binomial(3, ease), 3, gap=0.06)
    assert small.verdict == "cannot tell"
    assert small.detectable > 0.06
    need = small.questions_needed
    green = 0
    for _ in range(60):
        ease = rng.uniform(0.1, 0.9, need)
        green += judged(rng.binomial(3, ease), rng.binomial(3, ease), 3, gap=0.06).verdict == "not worse"
    assert green > 36  # the pilot's variance is an estimate
    assert small.samples_needed is None  # however often they are repeated, forty questions do not exclude a loss of 7%
    more = judged(rng.binomial(1, [0.5] * 100), rng.binomial(1, [0.5] * 100), 1, gap=0.1, estimand=THESE)
    assert more.samples_needed is None  # single samples do not show their noise
    more = judged(rng.binomial(2, [0.5] * 100), rng.binomial(2, [0.5] * 100), 2, gap=0.1, estimand=THESE)
    assert 2 < more.samples_needed < 20
    none = judged([1, 0] * 20, [0, 1] * 20, 1)
    assert none.questions_needed is none.samples_needed is None
    assert none.detectable > 0


def test_what_cannot_be_decided_is_refused():
    with pytest.raises(StatisticsError, match="gap must lie between"):
        judged([1], [1], gap=1.0)
    with pytest.raises(StatisticsError, match="level must lie between"):
        judged([1], [1], alpha=0.5)
    uneven = Scores.from_counts(["agent", "baseline"], ["q", "r"], [[1, 2], [1, 1]], [[0, 0], [0, 0]]).resolve()
    with pytest.raises(StatisticsError, match="more samples of some"):
        regression_test(uneven, "agent", "baseline", estimand=THESE)
    apart = Scores.from_counts(["agent", "baseline"], ["q", "r"], [[1, 0], [0, 1]], [[0, 0], [0, 0]]).resolve(
        Policy(missing="drop")
    )
    with pytest.raises(StatisticsError, match="no question in common"):
        regression_test(apart, "agent", "baseline")
    assert not math.isnan(judged([1, 0], [1, 1]).p_worse)


@pytest.mark.slow
def test_exactly_these_tasks_find_less_than_a_stratified_test_that_holds_for_many_samples_only():
    """Twenty tasks of ten samples: what each finds of a loss of 10 points, and says of equal agents, at 5%."""
    rng, found = np.random.default_rng(7), {}
    chance = rng.beta(1, 1, 20)
    for loss in (0.1, 0.0):
        said = np.zeros(2)
        for _ in range(300):
            passed = rng.binomial(10, [np.clip(chance - loss, 0, 1), chance])
            names = ["a", "b"], [f"q{i}" for i in range(20)]
            resolved = Scores.from_counts(*names, passed, 10 - passed).resolve()
            these = regression_test(resolved, "a", "b", estimand=Estimand.THESE_QUESTIONS)
            rate = passed / 10
            z = (rate[0] - rate[1]).sum() / np.sqrt((rate * (1 - rate) / 9).sum())
            said += these.verdict == "worse", z <= -1.645
        found[loss] = said / 300
    print("found, and false: gate", found[0.1][0], found[0.0][0], "stratified z", found[0.1][1], found[0.0][1])
    assert 0.4 < found[0.1][0] < found[0.1][1] < 0.85
    assert found[0.0][0] <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
def test_equal_agents_with_skewed_grades_pass_with_the_gap_that_is_named(sign):
    """Rare large losses, or gains: the gap counts what the guaranteed answer costs, of which t knows nothing."""
    rng, names = np.random.default_rng(46), (("a", "b"), tuple(f"q{i}" for i in range(53)))

    def judged(gap):
        grades = 0.5 + np.stack([sign * (rng.gamma(0.3, 0.1, 53) - 0.03), np.zeros(53)])
        scores = ResolvedScores.from_sums(names, (np.ones(grades.shape, int), grades, grades**2), binary=False)
        return regression_test(scores, "a", "b", gap=gap)

    gap = float(np.median([judged(0.0).detectable for _ in range(60)]))
    passed = np.mean([judged(gap).verdict == "not worse" for _ in range(120)])
    assert 0.7 <= passed < 0.95, (gap, passed)
