"""Plans: their numbers are those of the statistics, their bounds contain them, and early stopping keeps its power."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from report_studies import reference, study, task, trial
from test_report_figures import labels

from honestly.comparisons import comparison
from honestly.errors import AgentError, StatisticsError
from honestly.plans import PlanBasis, PlanBudget, PlanQuestion, pilot_basis, prior_basis, study_plan
from honestly.plans._basis import neighbours_basis
from honestly.records import Outcome
from honestly.scores import Declared
from honestly.stats import (
    BettingTest,
    Caps,
    Demands,
    DesignPrices,
    DesignVariance,
    Estimand,
    RuleVerdict,
    Scores,
    WinLossTest,
    best_purchase,
    design_power,
    detectable_gap,
    headline_gap,
    pilot_variance,
    questions_needed,
)
from sampled import sampled


def paired(data, a, b):
    return DesignVariance(data + a + b, (a, b), Estimand.NEW_QUESTIONS)


def basis_of(variance, bounds=()):
    return PlanBasis("pilot", "variance from a test", "", variance, bounds, "in a test")


def sizes(plan):
    return {(size.gap, size.samples): size for size in plan.sizes}


# --- reference values ---------------------------------------------------------------------------------------------


@pytest.mark.published
def test_sizes_and_gaps_equal_the_reference():
    """The reference holds medians over pairs, of which only totals go together: hence one basis for each K."""
    golden, budget = reference("golden_tb_power.json"), reference("golden_budget_allocation.json")
    for samples, key in ((1, "K1"), (5, "K5"), (20, "K20")):
        gap = golden["mde80"][key]
        total = 80 * (gap / Demands().detectable_effect(math.inf)) ** 2
        plan = study_plan(basis_of(paired(total, 0, 0)), PlanQuestion((0.05,), (samples,), questions=80))
        assert plan.at_hand[0].gap == pytest.approx(gap, rel=1e-12)
        if key in golden["n_needed_5pp"]:
            wanted = golden["n_needed_5pp"][key]
            assert plan.sizes[0].exact == pytest.approx(wanted, rel=1e-4)
            assert plan.sizes[0].questions == math.ceil(wanted)
            assert f"you need {math.ceil(wanted)} questions at {samples} sample" in plan.sentence
    total = 80 * (golden["mde80"]["K5"] / Demands().detectable_effect(math.inf)) ** 2
    holm = PlanQuestion((0.05,), (5,), questions=80, demands=Demands(comparisons=78))
    found = study_plan(basis_of(paired(total, 0, 0)), holm)
    assert found.at_hand[0].gap == pytest.approx(golden["mde80_holm78_K5"], rel=1e-9)
    figure = PlanQuestion((0.05,), (1,), questions=80)
    basis = basis_of(paired(budget["vd"], 0.1, 0.1))
    drawn = study_plan(basis, figure).figures["plan"].vega["data"]["values"]
    (floor,) = [row["gap"] * math.sqrt(row["questions"] / 80) for row in drawn if row["samples"] == "endless"][-1:]
    assert floor == pytest.approx(golden["mde80"]["Kinf"], rel=1e-6)


@pytest.mark.published
def test_the_purchase_is_that_of_the_reference():
    golden = reference("golden_budget_allocation.json")
    variance = paired(golden["vd"], golden["vp"] / 2, golden["vp"] / 2)
    for row in golden["grid"]:
        prices = DesignPrices(row["cq"], (row["run_cost"],) * 2)
        asked = PlanQuestion(budget=PlanBudget(row["budget"], prices, Caps()))
        found = study_plan(basis_of(variance), asked).purchase
        expected = best_purchase(variance, prices, row["budget"])
        assert (found.questions, found.samples) == (expected.bought.questions, expected.bought.samples)
        assert found.cost <= row["budget"] + 1e-9
        assert found.gap == pytest.approx(expected.detectable_gap, rel=1e-12)
        assert row["se"] * (1 - 1e-9) <= found.se <= row["se"] * 1.1


# --- properties ---------------------------------------------------------------------------------------------------

variances = st.builds(paired, *[st.floats(0.001, 0.3)] * 3)
demands = st.builds(Demands, st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([0.5, 0.8, 0.95]), st.integers(1, 50))


@given(variances, variances, demands, st.booleans(), st.integers(1, 20), st.floats(0.01, 0.5))
@settings(max_examples=60, deadline=None)
def test_every_number_agrees_with_every_other(one, other, wanted, early, samples, gap):
    basis = basis_of(one, (one, other))
    asked = PlanQuestion((gap,), (samples,), demands=wanted, early=early)
    size = study_plan(basis, asked).sizes[0]
    low, high = sorted(study_plan(basis_of(v), asked).sizes[0].questions for v in (one, other))
    assert (size.low, size.high) == (low, high)
    assert size.low <= size.questions <= size.high
    if not early:
        both = (samples, samples)
        ordinary = questions_needed(one, gap=gap, samples=both, demands=wanted).questions
        # `room` at alpha: a mean of `gap` is above 0 with the share that so few questions may miss at -1.
        missed = 1 - wanted.alpha_each ** (1 / size.exact)
        assert size.exact >= ordinary * (1 - 1e-9)
        assert missed / (1 - missed) <= gap * (1 + 1e-9)
        fewer = headline_gap(one, questions=max(size.exact - 1, 1.0), samples=both, demands=wanted)
        assert size.exact == pytest.approx(ordinary) or fewer > gap
    back = study_plan(basis, PlanQuestion((gap,), (samples,), size.questions, wanted, early)).at_hand[0]
    assert back.gap <= gap * (1 + 1e-9)
    if size.questions > 21:
        fewer = PlanQuestion((gap,), (samples,), size.questions - 1, wanted, early)
        before = study_plan(basis, fewer).at_hand[0].gap
        assert before is None or before > gap * (1 - 1e-9)


@given(variances, demands, st.integers(1, 20), st.floats(0.02, 0.4))
@settings(max_examples=40, deadline=None)
def test_stopping_early_never_costs_nothing_and_more_samples_never_hurt(variance, wanted, samples, gap):
    def needed(**options):
        return study_plan(basis_of(variance), PlanQuestion((gap,), demands=wanted, **options)).sizes

    fixed, early = needed(samples=(samples,))[0], needed(samples=(samples,), early=True)[0]
    assert early.questions >= min(fixed.questions, 20)
    assert early.questions >= fixed.questions
    counts = [size.questions for size in needed(samples=(1, 2, 5, 10))]
    assert counts == sorted(counts, reverse=True)


# --- early stopping -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("samples", sampled([5, 1]))
def test_a_run_that_may_stop_early_finds_the_gap_it_was_planned_for(samples):
    """At the planned size, at least the wanted power; on average hardly more questions than the ordinary test."""
    variance, gap = paired(0.116, 0.067, 0.067), 0.15
    asked = PlanQuestion((gap,), (samples,), early=True)
    most = study_plan(basis_of(variance), asked).sizes[0].questions
    fixed = questions_needed(variance, gap=gap, samples=(samples, samples)).questions
    rng = np.random.default_rng(11)
    found, used = 0, 0
    runs = 400 if samples == 1 else 60
    disagree = variance.per_question((samples, samples)) + gap**2
    for _ in range(runs):
        draws = rng.choice([1.0, -1.0, 0.0], most, p=[(disagree + gap) / 2, (disagree - gap) / 2, 1 - disagree])
        test = WinLossTest(0.05, most) if samples == 1 else BettingTest(0.05, most)
        for draw in draws:
            if test.update(float(draw)).stop:
                break
        found += test.decision.verdict is RuleVerdict.FIRST
        used += test.decision.questions
    print(f"{samples} samples: {fixed} questions, allowed {most}, used {used / runs:.0f}, found {found / runs:.2f}")
    assert 0.8 <= found / runs <= 0.98
    assert used / runs < 1.3 * fixed < most


# --- where variances come from ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_named_pair_is_planned_with_its_own_variance_and_interval(bench):
    """Prediction noise is the reference's; clusters are inferred from ids here, and were given there."""
    golden, plain = reference("terminal_bench_9.json"), []
    for pair in golden["pairs"][::5]:
        wanted = pair["honest"]
        basis = pilot_basis(bench, (pair["a"], pair["b"]))
        assert math.fsum(basis.variance.prediction) == pytest.approx(wanted["var_pred"], rel=1e-9)
        low, high = (bound.total for bound in basis.bounds)
        assert (low + high) / 2 == pytest.approx(basis.variance.total, rel=1e-9)
        plan = study_plan(basis, PlanQuestion(questions=80, samples=(5,)))
        error = math.sqrt(basis.variance.per_question((5, 5)) / 80)
        effect = Demands().detectable_effect(math.inf, basis.variance.freedom)
        # Of others the guaranteed answer is planned, which finds less.
        plain.append(1.5 * basis.variance.plain_units <= 80 * basis.variance.units)
        assert (plan.at_hand[0].gap == pytest.approx(effect * error, rel=1e-9)) == plain[-1]
        assert plan.at_hand[0].gap >= effect * error * (1 - 1e-9)
        assert 1 < effect / Demands().detectable_effect(math.inf) < 1.1
        # The plan's variance is estimated without bias, the comparison's robust error with its own degrees of freedom.
        assert error == pytest.approx(comparison(bench, pair["a"], pair["b"]).robust.se, rel=0.1)
        assert plan.at_hand[0].low < plan.at_hand[0].gap < plan.at_hand[0].high
        assert plan.agents == (pair["a"], pair["b"])
    assert sum(plain) >= len(plain) / 2
    assert not all(plain)


@pytest.mark.slow
def test_without_names_the_plan_is_for_neighbours(bench):
    basis = pilot_basis(bench)
    assert "8 pairs of agents of neighbouring scores" in basis.words
    assert len(basis.bounds) == 10
    assert basis.agents == ()
    totals = sorted(bound.total for bound in basis.bounds)
    assert totals[0] < basis.variance.total < totals[-1]
    plan = study_plan(basis, PlanQuestion((0.05,), questions=80))
    assert plan.warnings == ("The 80 questions at hand are too few for a gap of 5 points.",)
    assert all(size.low <= size.questions <= size.high for size in plan.sizes)


def _neighbours(rng, agents, questions, samples):
    """Agents a point apart, each with questions that suit it; and what a pair of them needs for 10 points."""
    base, own = rng.beta(2, 2, questions), rng.normal(0, 0.15, (agents, questions))
    return rng.binomial(samples, np.clip(base + own + 0.01 * np.arange(agents)[:, None], 0, 1))


@pytest.mark.parametrize(("agents", "questions"), sampled([(3, 30), (4, 20), (6, 40)], quick=1))
def test_the_range_of_neighbours_holds_the_true_need(agents, questions):
    """Of pilots without a named pair; from pair to pair alone the range held it in 43 to 85%."""
    rng, held, studies = np.random.default_rng(46), 0, 40
    many = _neighbours(rng, 2, 100_000, 5) / 5
    truth = float((many[0] - many[1]).var() + 1e-4) * (Demands().detectable_effect(math.inf) / 0.1) ** 2
    for _ in range(studies):
        passed = _neighbours(rng, agents, questions, 5)
        names = [f"a{i}" for i in range(agents)], [f"q{i}" for i in range(questions)]
        basis = neighbours_basis(Scores.from_counts(*names, passed, 5 - passed).resolve())
        low, high = basis.answer_range(lambda each: questions_needed(each, gap=0.1, samples=(5, 5)).questions)
        held += low <= truth <= high
    assert held / studies >= 0.93 - 2 * math.sqrt(0.07 * 0.93 / studies)


def test_plans_from_small_pilots_reach_their_power_on_average():
    """Ten questions of five samples: a plan that takes their variance for certain has 78% where it says 80%."""
    rng, power, gap = np.random.default_rng(47), [], 0.15
    many = _neighbours(rng, 2, 100_000, 5) / 5
    truth = float((many[0] - many[1]).var())
    for _ in range(150):
        passed = _neighbours(rng, 2, 10, 5)
        resolved = Scores.from_counts(["a", "b"], [f"q{i}" for i in range(10)], passed, 5 - passed).resolve()
        size = questions_needed(pilot_variance(resolved, "a", "b"), gap=gap, samples=(5, 5)).questions_to_buy
        known = DesignVariance(truth, (0.0, 0.0), Estimand.NEW_QUESTIONS)
        power.append(design_power(known, gap=gap, questions=size, samples=(5, 5)).power)
    assert 0.8 <= np.mean(power) < 0.87


def _outcomes(path, agents, questions, samples):
    rng = np.random.default_rng(3)
    trials = [
        trial(agent, f"q{i}", k, Outcome.PASSED if rng.random() < 0.5 else Outcome.FAILED, usd=price)
        for agent, price in zip(agents, (0.5, None, None), strict=False)
        for i in range(questions)
        for k in range(samples)
    ]
    return study(path, agents, [task(f"q{i}") for i in range(questions)], trials)


def test_a_pilot_of_single_samples_plans_for_single_samples_only(tmp_path):
    with _outcomes(tmp_path / "s", ["a", "b"], 40, 1) as store:
        basis = pilot_basis(store)
        plan = study_plan(basis, PlanQuestion((0.1,), questions=40))
    assert [size.questions is None for size in plan.first_sizes] == [False, True, True, True]
    assert [found.gap is None for found in plan.at_hand] == [False, True, True, True]
    assert plan.variance.data is None
    assert "only that column is known" in plan.warnings[0]
    assert "questions at 1 sample of each agent. It may as well be" in plan.sentence
    assert basis.prices == (0.5, None)
    drawn = plan.figures["plan"].vega
    assert {row["samples"] for row in drawn["data"]["values"]} == {"1 sample"}


def test_small_and_empty_pilots_say_so(tmp_path):
    with _outcomes(tmp_path / "small", ["a", "b"], 8, 2) as store:
        assert pilot_basis(store).warning == "A pilot of 8 questions gives rough variances only."
        with pytest.raises(AgentError, match="there is no agent 'c'"):
            pilot_basis(store, ("a", "c"))
        with pytest.raises(StatisticsError, match="compared with itself"):
            pilot_basis(store, ("a", "a"))
    with (
        study(tmp_path / "one", ["a"], [task("q")], []) as store,
        pytest.raises(StatisticsError, match="has 1 agent and 1 standard task"),
    ):
        pilot_basis(store)
    with (
        study(tmp_path / "idle", ["a", "b", "c"], [task("q")], []) as store,
        pytest.raises(StatisticsError, match="no two agents"),
    ):
        pilot_basis(store)
    with study(tmp_path / "never", ["a", "b"], [task("q"), task("r")], []) as store:
        plan = study_plan(pilot_basis(store), PlanQuestion(questions=10))
        assert "cannot be said" in plan.sentence
        assert plan.warnings


def test_a_guess_is_called_one_everywhere():
    basis = prior_basis(0.4, data_share=0.3, solvable=0.9)
    plan = study_plan(basis, PlanQuestion())
    assert plan.sentence.startswith("A GUESS, not from data: To see a gap of 5 points with 80% power you need ")
    assert "GUESS" in plan.warnings[0]
    assert "guess" in plan.figures["plan"].caption
    assert plan.variance.total == pytest.approx(0.4 * (1 - 0.4 / 0.9))
    assert plan.variance.data == pytest.approx(0.3 * plan.variance.total)
    size = plan.sizes[0]
    assert (size.low / size.exact, size.high / size.exact) == pytest.approx((0.6, 1.5), abs=0.01)


@pytest.mark.parametrize(
    "wrong", [{"gaps": (5.0,)}, {"gaps": (0.0,)}, {"gaps": (math.nan,)}, {"samples": (0,)}, {"questions": 1}]
)
def test_questions_without_sense_are_refused(wrong):
    with pytest.raises(StatisticsError):
        PlanQuestion(**wrong)


def test_what_was_asked_is_what_is_said():
    basis = basis_of(paired(0.1, 0.05, 0.05))
    money = PlanBudget(300.5, DesignPrices(2.0, (1.0, 9.0)), Caps(20))
    plan = study_plan(basis, PlanQuestion((0.025, 0.1), (3,), 50, Demands(0.1, 0.9, 4, "t"), budget=money))
    assert "a gap of 2.5 points with 90% power" in plan.sentence
    assert "With 50 questions the smallest gap" in plan.sentence
    assert "A budget of 300.50 is best spent on 20 questions" in plan.sentence
    assert "samples of the first and" in plan.sentence
    assert "One of 4 comparisons: each is planned at level 2.5%, Holm's first step." in plan.warnings
    assert [size.gap for size in plan.sizes] == [0.025, 0.1]
    exact = detectable_gap(basis.variance, questions=50, samples=(3, 3), demands=Demands(0.1, 0.9, 4, "t")).gap
    assert plan.at_hand[0].gap == exact
    poor = study_plan(basis, PlanQuestion(budget=PlanBudget(1, DesignPrices(2.0, (1.0, 9.0)), Caps())))
    assert "A budget of 1 does not pay for one sample of each agent." in poor.sentence
    assert poor.purchase.questions is None


# --- the figure ---------------------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        PlanQuestion(),
        PlanQuestion((0.05,), questions=80),
        PlanQuestion((0.001,), (1, 2, 3, 4, 5, 6), questions=2),
        PlanQuestion((0.9,), (10_000,)),
        PlanQuestion((0.1,), questions=10**8, early=True),
    ],
)
@pytest.mark.parametrize("variance", [paired(0.15, 0.06, 0.06), paired(-0.01, 0.1, 0.05), paired(math.nan, 0, 0)])
def test_the_curve_is_well_formed_and_no_label_covers_another(asked, variance):
    basis = basis_of(variance)
    figure = study_plan(basis, asked).figures["plan"]
    root = ElementTree.fromstring(figure.svg)
    assert not re.search(r"nan|inf\b", re.sub(r"<(text|title|desc|style)[^>]*>.*?</\1>", "", figure.svg))
    boxes = list(labels(root))
    wide, high = float(root.get("width")), float(root.get("height"))
    for i, (one, text) in enumerate(boxes):
        assert one[0] >= 0, text
        assert one[1] >= 0, text
        assert one[2] <= wide, text
        assert one[3] <= high, text
        for other, covered in boxes[:i]:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (text, covered)
    assert all(row["gap"] is None or row["gap"] > 0 for row in figure.vega["data"]["values"])


def test_a_pilot_without_any_variance_has_a_curve_too():
    """Two agents that do the same everywhere: every gap is found, and the axis has nothing but the gap asked for."""
    figure = study_plan(basis_of(paired(0.0, 0.0, 0.0)), PlanQuestion((0.1,), questions=40)).figures["plan"]
    assert "40 at hand" in [text for _, text in labels(ElementTree.fromstring(figure.svg))]
    assert not re.search(r"nan|inf\b", re.sub(r"<(text|title|desc|style)[^>]*>.*?</\1>", "", figure.svg))


@pytest.mark.published
def test_a_plan_says_which_clusters_its_pilot_has(bench):
    basis, alone = pilot_basis(bench), pilot_basis(bench, declared=Declared("none"))
    assert "80 questions form 70 clusters" in basis.words
    assert (alone.clusters, "clusters" in alone.words) == ("", False)
    assert basis.variance.total > alone.variance.total
    for early, wanted in ((True, True), (False, False)):
        warnings = study_plan(basis, PlanQuestion((0.1,), (2,), early=early)).warnings
        assert any("makes a cluster one bet" in warning for warning in warnings) == wanted
    assert not any(
        "one bet" in warning for warning in study_plan(alone, PlanQuestion((0.1,), (2,), early=True)).warnings
    )


def test_a_pilot_whose_differences_are_all_alike_gives_no_size(tmp_path):
    names = [f"t{at:02}" for at in range(24)]
    rows = [
        trial(agent, name, 0, Outcome[said]) for agent, said in (("a", "PASSED"), ("b", "FAILED")) for name in names
    ]
    with study(tmp_path / "s", ["a", "b"], [task(name) for name in names], rows) as pilot:
        plan = study_plan(pilot_basis(pilot), PlanQuestion((0.05,)))
        assert all(size.questions is None for size in plan.sizes)
        assert "cannot be said from these data" in plan.sentence
        assert plan.warnings == ("The pilot gives no variance: these data do not show how much the difference varies.",)
        assert comparison(pilot, "a", "b").needs.detectable is None


def test_few_clusters_leave_no_range_of_a_size(tmp_path):
    names = [f"t{at:02}" for at in range(40)]
    rows = [trial("a", name, 0, Outcome.PASSED if at % 20 < 14 else Outcome.FAILED) for at, name in enumerate(names)]
    rows += [trial("b", name, 0, Outcome.PASSED if at < 14 else Outcome.FAILED) for at, name in enumerate(names)]
    with study(tmp_path / "s", ["a", "b"], [task(name) for name in names], rows) as pilot:
        few = Declared({name: f"c{at // 10}" for at, name in enumerate(names)})
        plan = study_plan(pilot_basis(pilot, declared=few), PlanQuestion((0.2,)))
        assert plan.sizes[0].questions is not None
        assert (plan.sizes[0].low, plan.sizes[0].high) == (None, None)
        assert "The questions count as 4.0 equal clusters" in plan.warnings[0]
        assert "may as well be" not in plan.sentence
        assert "may as well be" in study_plan(pilot_basis(pilot), PlanQuestion((0.2,))).sentence
