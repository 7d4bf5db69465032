"""Planning: closed forms against scipy, simulation and brute force."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy import stats

from honestly.errors import StatisticsError
from honestly.stats import (
    Caps,
    Demands,
    DesignPrices,
    DesignVariance,
    Estimand,
    Scores,
    best_purchase,
    design_power,
    detectable_gap,
    paired_noise,
    pilot_variance,
    prior_variance,
    questions_needed,
    samples_needed,
    score,
)
from honestly.stats._design import cluster_excess

KINDS = [Demands(), Demands(method="t"), Demands(alpha=0.01, power=0.9, comparisons=5)]


def paired(data: float, a: float, b: float) -> DesignVariance:
    return DesignVariance(data + a + b, (a, b), Estimand.NEW_QUESTIONS)


variances = st.builds(paired, *[st.floats(0.001, 0.5)] * 3)


# --- pilots -------------------------------------------------------------------------------------------------------


def test_pilot_components_are_those_of_the_noise_and_clusters_add_to_the_data_part() -> None:
    rng = np.random.default_rng(1)
    passed = rng.binomial(5, rng.random((2, 30)))
    scores = Scores.from_counts(["a", "b"], [f"q{i}" for i in range(30)], passed, 5 - passed)
    parts, plain = paired_noise(scores.resolve(), "a", "b"), pilot_variance(scores.resolve(), "a", "b")
    assert plain.prediction == parts.prediction_by_agent
    assert (plain.data, plain.total) == pytest.approx((parts.data.value, parts.total.value))
    labels = [f"c{i // 6}" for i in range(30)]
    clustered = pilot_variance(scores.with_clusters(labels).resolve(), "a", "b")
    assert clustered.prediction == plain.prediction
    excess = cluster_excess((passed[0] - passed[1]) / 5, np.repeat(np.arange(5), 6))
    assert clustered.total == pytest.approx(plain.total + excess)
    assert "clusters" in clustered.notes[-1]


def test_excess_of_equal_clusters_is_that_of_their_means() -> None:
    """With G clusters of m questions `N Var(mean)` is m times the variance of the cluster means."""
    values = np.random.default_rng(2).normal(size=(7, 4))
    codes = np.repeat(np.arange(7), 4)
    excess = cluster_excess(values.ravel(), codes)
    assert values.var(ddof=1) + excess == pytest.approx(4 * values.mean(1).var(ddof=1))
    holes = np.append(values.ravel(), [np.nan, np.nan])
    assert cluster_excess(holes, np.append(codes, [3, 9])) == pytest.approx(excess)
    assert cluster_excess(values.ravel(), np.arange(28)) == 0
    assert math.isnan(cluster_excess(values.ravel(), np.zeros(28, dtype=int)))


# --- oracles ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("questions", [2, 3, 8, 30, 500])
@pytest.mark.parametrize("effect", [0.0, 0.7, 2.5, 6.0])
def test_t_power_equals_noncentral_t(questions: int, effect: float) -> None:
    demands = Demands(method="t")
    critical = stats.t.ppf(0.975, questions - 1)
    assert demands.power_at(effect, questions) == pytest.approx(
        stats.nct.sf(critical, questions - 1, effect) if effect else 0.025, rel=1e-6
    )


def test_power_is_what_a_paired_t_test_achieves() -> None:
    rng = np.random.default_rng(5)
    questions, gap = 25, 0.3
    variance = paired(0.2, 0.1, 0.1)
    error = math.sqrt(variance.per_question((2, 2)))
    draws = rng.normal(gap, error, size=(20_000, questions))
    t = draws.mean(1) / (draws.std(1, ddof=1) / math.sqrt(questions))
    achieved = float((t > stats.t.ppf(0.975, questions - 1)).mean())
    planned = design_power(variance, gap=gap, questions=questions, samples=(2, 2), demands=Demands(method="t"))
    assert planned.power == pytest.approx(achieved, abs=4 * math.sqrt(0.25 / 20_000))


# --- identities ---------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(variances, st.integers(2, 3000), st.integers(1, 20), st.sampled_from(KINDS))
def test_the_solvers_invert_one_another(variance: DesignVariance, questions: int, k: int, demands: Demands) -> None:
    gap = detectable_gap(variance, questions=questions, samples=(k, k), demands=demands).gap
    reached = design_power(variance, gap=gap, questions=questions, samples=(k, k), demands=demands)
    assert reached.power == pytest.approx(demands.power, abs=1e-6)
    needed = questions_needed(variance, gap=gap * (1 + 1e-9), samples=(k, k), demands=demands)
    assert needed.questions == pytest.approx(questions, rel=1e-6)
    # Solving for samples inverts too, up to the rounding of a flat tail.
    if sum(variance.prediction) / k > 1e-3 * variance.total:
        again = samples_needed(variance, gap=gap * (1 + 1e-9), questions=questions, demands=demands)
        assert again.samples == (k, k)


@settings(deadline=None, max_examples=40)
@given(variances, st.integers(20, 500), st.integers(1, 30))
def test_more_never_hurts(variance: DesignVariance, questions: int, k: int) -> None:
    def gap(n: int, samples: int) -> float:
        return detectable_gap(variance, questions=n, samples=(samples, samples)).gap

    assert gap(questions + 1, k) < gap(questions, k)
    assert gap(questions, k + 1) < gap(questions, k)
    assert gap(questions, k) > detectable_gap(variance, questions=questions, samples=(math.inf, math.inf)).gap
    student = detectable_gap(variance, questions=questions, samples=(k, k), demands=Demands(method="t")).gap
    assert student > gap(questions, k)


# --- budget -------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@example(paired(0.5, 0.5, 0.5), (35.0, 4.25, 0.25), 200.0, None)
@given(
    variances,
    st.tuples(st.floats(0, 50), st.floats(0.2, 5), st.floats(0.2, 5)),
    st.floats(200, 3000),
    st.one_of(st.none(), st.integers(5, 60)),
)
def test_purchase_is_close_to_the_best_of_all(
    variance: DesignVariance, cost: tuple[float, float, float], budget: float, cap: int | None
) -> None:
    prices = DesignPrices(cost[0], cost[1:])
    found = best_purchase(variance, prices, budget, caps=Caps(questions=cap))
    assert found.bought.cost <= budget * (1 + 1e-9)
    assert all(count == int(count) >= 1 for count in (found.bought.questions, *found.bought.samples))
    assert cap is None or found.bought.questions <= cap
    k_a, k_b = np.meshgrid(np.arange(1, 60), np.arange(1, 60))
    questions = np.minimum(budget // (cost[0] + cost[1] * k_a + cost[2] * k_b), cap or math.inf)
    per_question = variance.data + variance.prediction[0] / k_a + variance.prediction[1] / k_b
    with np.errstate(divide="ignore"):
        best = float(np.sqrt(per_question / questions).min())
    assert found.bought.se <= 1.02 * best
    assert found.ideal.se <= found.rounded.se * (1 + 1e-9)


def test_free_questions_buy_one_sample_and_a_cap_buys_samples() -> None:
    variance = paired(0.115, 0.07, 0.07)
    free = best_purchase(variance, DesignPrices(0, (1, 1)), 1000)
    assert free.bought.samples == (1, 1)
    assert free.bought.questions == 500
    capped = best_purchase(variance, DesignPrices(0, (1, 1)), 1000, caps=Caps(questions=80))
    assert capped.bought.questions == 80
    assert capped.bought.cost > 920
    assert capped.bought.samples == (6, 6)
    assert "all 80 questions" in capped.notes[-1]


def test_a_dear_arm_is_balanced_by_samples_of_the_cheap_one() -> None:
    found = best_purchase(paired(0.05, 0.1, 0.1), DesignPrices(0, (100, 1)), 100_000)
    assert found.bought.samples[0] == 1
    assert found.bought.samples[1] > 3


def test_fixed_questions_need_their_number_and_turn_all_money_into_samples() -> None:
    variance = DesignVariance(0.15, (0.1, 0.05), Estimand.THESE_QUESTIONS)
    with pytest.raises(StatisticsError, match="their number"):
        best_purchase(variance, DesignPrices(1, (1, 1)), 1000)
    found = best_purchase(variance, DesignPrices(1, (1, 1)), 1000, caps=Caps(questions=100))
    assert found.bought.questions == 100
    assert sum(found.bought.samples) == 9
    assert found.bought.samples[0] > found.bought.samples[1]
    rich = best_purchase(variance, DesignPrices(1, (1, 1)), 10_000, caps=Caps(questions=100, samples=7))
    assert rich.bought.samples == (7, 7)
    assert "cap of 7" in rich.notes[-1]
    poor = best_purchase(variance, DesignPrices(1, (1, 1)), 200, caps=Caps(questions=100))
    assert math.isnan(poor.bought.se)
    assert math.isnan(poor.detectable_gap)
    assert "does not pay" in poor.notes[-1]


# --- too little to say --------------------------------------------------------------------------------------------


def test_one_sample_pilot_plans_one_sample_and_nothing_else() -> None:
    passed = np.random.default_rng(0).integers(0, 2, size=(2, 60))
    resolved = Scores.from_counts(["a", "b"], [f"q{i}" for i in range(60)], passed, 1 - passed).resolve()
    variance = pilot_variance(resolved, "a", "b")
    assert variance.total == pytest.approx((passed[0] - passed[1]).var(ddof=1))
    assert math.isnan(variance.data)
    assert detectable_gap(variance, questions=100, samples=(1, 1)).gap > 0
    more = detectable_gap(variance, questions=100, samples=(5, 5))
    assert math.isnan(more.gap)
    assert "not identified" in more.notes[-1]
    bought = best_purchase(variance, DesignPrices(1, (1, 1)), 300)
    assert bought.bought.samples == (1, 1)
    assert bought.bought.questions == 100
    assert math.isnan(bought.ideal.se)


def test_one_arm_is_planned_from_its_own_noise() -> None:
    passed = np.random.default_rng(1).integers(0, 6, size=(1, 60))
    resolved = Scores.from_counts(["a"], [f"q{i}" for i in range(60)], passed, 5 - passed).resolve()
    variance = pilot_variance(resolved, "a")
    assert detectable_gap(variance, questions=60, samples=(5,)).se == pytest.approx(score(resolved, "a").se)
    fixed = pilot_variance(resolved, "a", estimand=Estimand.THESE_QUESTIONS)
    assert fixed.data == pytest.approx(0, abs=1e-12)
    again = detectable_gap(fixed, questions=60, samples=(5,)).se
    assert again == pytest.approx(score(resolved, "a").se_fixed)


def test_samples_cannot_replace_questions() -> None:
    needed = samples_needed(paired(0.2, 0.05, 0.05), gap=0.05, questions=80)
    assert all(math.isnan(count) for count in needed.samples)
    assert "buy questions" in needed.notes[-1]


def test_negative_data_variance_is_kept_but_planned_as_zero() -> None:
    passed = np.array([[2, 2, 3, 2], [2, 3, 2, 2]])
    resolved = Scores.from_counts(["a", "b"], list("wxyz"), passed, 5 - passed).resolve()
    variance = pilot_variance(resolved, "a", "b")
    assert variance.data < 0
    assert variance.per_question((4, 4)) == pytest.approx(sum(variance.prediction) / 4)
    assert any("negative" in note for note in variance.notes)
    assert any("so few questions" in note for note in variance.notes)


def test_a_pilot_that_says_nothing_plans_nothing() -> None:
    resolved = Scores.from_counts(["a", "b"], ["q"], [[1], [0]], [[1], [2]]).resolve()
    variance = pilot_variance(resolved, "a", "b")
    assert "nothing can be planned" in variance.notes[-1]
    for found in (
        detectable_gap(variance, questions=80, samples=(1, 1)).gap,
        design_power(variance, gap=0.1, questions=80, samples=(1, 1)).power,
        questions_needed(variance, gap=0.1, samples=(1, 1), demands=Demands(method="t")).questions,
        samples_needed(variance, gap=0.1, questions=80).samples[0],
        best_purchase(variance, DesignPrices(1, (1, 1)), 100).detectable_gap,
    ):
        assert math.isnan(found)
    assert questions_needed(variance, gap=0.1, samples=(1, 1)).questions_to_buy is None
    sure = DesignVariance(0.0, (0.0, 0.0), Estimand.NEW_QUESTIONS)
    assert design_power(sure, gap=0.1, questions=80, samples=(1, 1), demands=Demands(method="t")).power == 1
    assert math.isnan(design_power(sure, gap=0.0, questions=80, samples=(1, 1)).power)
    one = detectable_gap(paired(0.1, 0.1, 0.1), questions=1, samples=(1, 1), demands=Demands(method="t"))
    assert math.isnan(one.gap)


@pytest.mark.parametrize(
    "broken",
    [
        lambda: prior_variance(0.9, solvable=0.8),
        lambda: prior_variance(0.5, data_share=1.2),
        lambda: Demands(alpha=1.5),
        lambda: Demands(power=0.01),
        lambda: DesignPrices(-1, (1, 1)),
        lambda: DesignPrices(0, (0, 1)),
        lambda: Caps(questions=0),
        lambda: best_purchase(paired(0.1, 0.1, 0.1), DesignPrices(0, (1,)), 10),
        lambda: best_purchase(paired(0.1, 0.1, 0.1), DesignPrices(0, (1, 1)), 0),
        lambda: questions_needed(paired(0.1, 0.1, 0.1), gap=0, samples=(1, 1)),
        lambda: samples_needed(paired(0.1, 0.1, 0.1), gap=-1, questions=9),
        lambda: detectable_gap(paired(0.1, 0.1, 0.1), questions=0, samples=(1, 1)),
        lambda: detectable_gap(paired(0.1, 0.1, 0.1), questions=9, samples=(1,)),
        lambda: detectable_gap(paired(0.1, 0.1, 0.1), questions=9, samples=(0, 1)),
    ],
)
def test_nonsense_is_refused(broken: object) -> None:
    with pytest.raises(StatisticsError):
        broken()  # type: ignore[operator]
