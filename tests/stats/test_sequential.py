"""Sequential tests: level under the null, oracles for the boundaries, and what they refuse."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import integrate, special, stats

from honestly.errors import StatisticsError
from honestly.stats import (
    DifferenceSequence,
    FixedSize,
    MeanQuestion,
    PlannedLooks,
    RuleVerdict,
    SequentialTest,
    StoppingRule,
    WinLossTest,
    alpha_spent,
    look_boundaries,
    parse_claim,
    sequence_radius,
    win_loss_evidence,
)
from sampled import sampled

NEEDED = -math.log(0.05)
SIZE = 500


def run(test: SequentialTest, differences: np.ndarray) -> SequentialTest:
    for difference in differences:
        test.update(float(difference))
    return test


def evidence_paths(differences: np.ndarray) -> np.ndarray:
    return win_loss_evidence((differences > 0).cumsum(-1), (differences < 0).cumsum(-1))


def outside_paths(differences: np.ndarray, tuned_for: float, least: int = 20) -> np.ndarray:
    """Whether zero is outside the confidence sequence, for every run and every number of questions."""
    t = np.arange(1, differences.shape[-1] + 1)
    mean = differences.cumsum(-1) / t
    variance = ((differences**2).cumsum(-1) - t * mean**2) / np.maximum(t - 1, 1)
    return (np.abs(mean) > sequence_radius(t, np.maximum(variance, 0), 0.05, tuned_for)) & (t >= least) & (variance > 0)


# --- level and coverage ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("samples_a", "samples_b"), sampled([(1, 5), (4, 4)]))
def test_difference_sequence_keeps_its_level_with_several_samples(samples_a: int, samples_b: int) -> None:
    rng = np.random.default_rng(samples_a)
    difficulty = rng.beta(0.8, 1.2, size=(3000, SIZE))
    differences = rng.binomial(samples_a, difficulty) / samples_a - rng.binomial(samples_b, difficulty) / samples_b
    assert outside_paths(differences, tuned_for=250).any(1).mean() <= 0.06


def test_the_sequence_covers_the_truth_at_all_times_and_narrows() -> None:
    rng = np.random.default_rng(8)
    chances = [0.1, 0.6, 0.3]
    differences = rng.choice([-1.0, 0.0, 1.0], p=chances, size=(2000, SIZE))
    t = np.arange(1, SIZE + 1)
    mean = differences.cumsum(1) / t
    variance = ((differences**2).cumsum(1) - t * mean**2) / np.maximum(t - 1, 1)
    radius = sequence_radius(t, np.maximum(variance, 0), 0.05, 250)
    missed = (np.abs(mean - 0.2) > radius)[:, 19:].any(1).mean()
    assert missed <= 0.05
    assert radius[:, -1].mean() < 0.5 * radius[:, 49].mean()


@pytest.mark.slow
def test_win_share_interval_covers_at_all_times() -> None:
    rng = np.random.default_rng(4)
    missed = 0
    for _ in range(150):
        test = WinLossTest(alpha=0.1)
        for won in rng.random(60) < 0.6:
            low, high = test.update(1.0 if won else -1.0).interval
            if not low <= 0.6 <= high:
                missed += 1
                break
            if test.decision.stop:
                break
    assert missed / 150 <= 0.1 + 3 * math.sqrt(0.09 / 150)


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_planned_looks_keep_their_level(spending: str) -> None:
    looks = (50, 100, 200, 400)
    boundaries = np.array(look_boundaries(tuple(look / 400 for look in looks), 0.05, spending))
    assert PlannedLooks(0.05, looks, spending).look_boundaries == dict(zip(looks, boundaries, strict=True))
    rng = np.random.default_rng(13)
    runs = 20_000
    steps = rng.normal(size=(runs, 4)) * np.sqrt(np.diff((0, *looks)))
    z = steps.cumsum(1) / np.sqrt(looks)
    crossed = np.abs(z) >= boundaries
    assert crossed.any(1).mean() == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / runs))
    first = np.where(crossed.any(1), crossed.argmax(1), -1)
    spent = [alpha_spent(look / 400, 0.05, spending) for look in looks]
    for k, wanted in enumerate(np.diff((0, *spent))):
        assert (first == k).mean() == pytest.approx(wanted, abs=4 * math.sqrt(max(wanted, 1e-4) / runs))


@pytest.mark.parametrize("runs", sampled([30, 150]))
def test_planned_looks_keep_their_level_under_skew(runs: int) -> None:
    """A little better on 90% of 60 tasks, and lost on the others, with noise: Student's t says so in one run of four."""
    rng, false, by_t = np.random.default_rng(5), 0, 0
    for _ in range(runs):
        usual = rng.random(60) < 0.95
        differences = np.where(usual, 0.9 / 19, -0.9) + rng.uniform(-0.02, 0.02, 60)
        false += run(PlannedLooks(0.05, (20, 40, 60), "pocock"), differences).decision.verdict in (
            RuleVerdict.FIRST,
            RuleVerdict.SECOND,
        )
        looks = (differences[:look] for look in (20, 40, 60))
        by_t += any(stats.ttest_1samp(each, 0).pvalue <= 0.022 for each in looks)
    assert by_t > runs / 5
    assert false / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.slow
def test_planned_looks_on_small_samples_of_real_differences() -> None:
    rng = np.random.default_rng(21)
    false = 0
    for differences in rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], p=[0.1, 0.15, 0.5, 0.15, 0.1], size=(1500, 60)):
        false += run(PlannedLooks(0.05, (20, 40, 60), "pocock"), differences).decision.verdict in (
            RuleVerdict.FIRST,
            RuleVerdict.SECOND,
        )
    assert false / 1500 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1500)


# --- oracles ------------------------------------------------------------------------------------------------------


def test_boundaries_equal_published_tables() -> None:
    """Five equal looks at two-sided 0.05, as printed by ldbounds and gsDesign."""
    fifths = (0.2, 0.4, 0.6, 0.8, 1.0)
    obrien = [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]
    pocock = [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]
    # The tables come from coarser quadrature: their second boundary spends 3e-7 too much (see the integral below).
    assert look_boundaries(fifths) == pytest.approx(obrien, abs=1.5e-4)
    assert look_boundaries(fifths, 0.05, "pocock") == pytest.approx(pocock, abs=1.5e-4)
    assert look_boundaries((1.0,)) == pytest.approx([stats.norm.ppf(0.975)], abs=1e-9)


def test_boundaries_equal_bivariate_normal_integrals() -> None:
    one, two = (edge * math.sqrt(share) for edge, share in zip(look_boundaries((0.2, 0.4)), (0.2, 0.4), strict=True))

    def crossing_later(x: float) -> float:
        later = stats.norm.sf(two - x, scale=math.sqrt(0.2)) + stats.norm.sf(two + x, scale=math.sqrt(0.2))
        return float(stats.norm.pdf(x, scale=math.sqrt(0.2)) * later)

    crossing = integrate.quad(crossing_later, -one, one, epsabs=1e-14)[0]
    assert crossing == pytest.approx(alpha_spent(0.4) - alpha_spent(0.2), abs=1e-12)
    first, second = look_boundaries((0.5, 1.0), 0.05, "pocock")
    law = stats.multivariate_normal([0, 0], [[1, math.sqrt(0.5)], [math.sqrt(0.5), 1]])
    inside = law.cdf([first, second], lower_limit=[-first, -second])
    assert 1 - inside == pytest.approx(0.05, abs=1e-6)


@given(st.integers(0, 400), st.integers(0, 400))
def test_evidence_is_the_beta_mixture(wins: int, losses: int) -> None:
    wanted = (wins + losses) * math.log(2) + special.betaln(0.5 + wins, 0.5 + losses) - special.betaln(0.5, 0.5)
    assert float(win_loss_evidence(wins, losses)) == pytest.approx(wanted, abs=1e-9)


# --- the objects compute what the arrays say ----------------------------------------------------------------------


def test_objects_stop_where_the_arrays_cross() -> None:
    rng = np.random.default_rng(6)
    for _ in range(30):
        differences = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.65, 0.25], size=200)
        evidence = evidence_paths(differences)
        exact = run(WinLossTest(0.05, 200), differences).decision
        at = int((evidence >= NEEDED).argmax()) + 1 if (evidence >= NEEDED).any() else 200
        assert exact.questions == at
        assert math.log(exact.evidence) == pytest.approx(evidence[at - 1], abs=1e-9)
        assert exact.p_value == pytest.approx(min(1, math.exp(-evidence[:at].max())), rel=1e-9)
        crossed = outside_paths(differences, tuned_for=100)
        asymptotic = run(DifferenceSequence(0.05, 200), differences).decision
        assert asymptotic.questions == (int(crossed.argmax()) + 1 if crossed.any() else 200)
        assert (asymptotic.evidence >= asymptotic.threshold) == crossed.any()
        assert (asymptotic.interval[0] > 0 or asymptotic.interval[1] < 0) == crossed.any()


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=80))
def test_exchanging_the_agents_mirrors_the_verdict(differences: list[float]) -> None:
    mirror = {RuleVerdict.FIRST: RuleVerdict.SECOND, RuleVerdict.SECOND: RuleVerdict.FIRST}
    makers = [
        lambda: WinLossTest(0.2, 60),
        lambda: DifferenceSequence(0.2, 60, least=5),
        lambda: FixedSize(0.2, 30),
        lambda: PlannedLooks(0.2, (10, 30, 60)),
    ]
    for make in makers:
        one = run(make(), np.array(differences)).decision
        other = run(make(), -np.array(differences)).decision
        assert other.verdict == mirror.get(one.verdict, one.verdict)
        assert other.questions == one.questions
        assert other.p_value == pytest.approx(one.p_value, nan_ok=True)


@given(st.integers(0, 30), st.lists(st.sampled_from([-1.0, 1.0]), max_size=40))
def test_ties_carry_no_evidence(ties: int, decided: list[float]) -> None:
    plain = run(WinLossTest(0.001), np.array(decided)).decision
    diluted = run(WinLossTest(0.001), np.array([0.0] * ties + decided)).decision
    assert diluted.evidence == plain.evidence
    assert diluted.interval == plain.interval


def test_fixed_size_is_silent_until_its_size_and_then_is_the_ordinary_test() -> None:
    rng = np.random.default_rng(9)
    graded = rng.normal(0.1, 0.2, 50).clip(-1, 1)
    test = FixedSize(0.05, 50)
    for difference in graded[:-1]:
        assert test.update(difference).verdict is RuleVerdict.CONTINUE
    final = test.update(graded[-1])
    mean, by_t = graded.mean(), stats.ttest_1samp(graded, 0).pvalue
    claim = MeanQuestion(mean, graded.std(ddof=1) / math.sqrt(50), 49, graded).claim(0.95, 0.0)
    assert claim.approximate.p_value == pytest.approx(by_t, rel=1e-9)
    assert by_t < final.p_value == pytest.approx(claim.answer.p_value)
    assert final.interval == pytest.approx(claim.answer.interval)
    assert final.verdict is RuleVerdict.FIRST
    assert test.update(-1.0) is final
    binary = run(FixedSize(0.05, 16), np.array([1.0] * 9 + [-1.0] * 3 + [0.0] * 4)).decision
    tails = stats.binom.cdf(3, 12, 0.5), stats.binom.pmf(3, 12, 0.5)
    assert binary.p_value == pytest.approx(2 * tails[0] - tails[1])
    assert binary.verdict is RuleVerdict.UNDECIDED


# --- too little to say, and nonsense ------------------------------------------------------------------------------


def test_equal_differences_give_no_verdict_but_a_reason() -> None:
    constant = run(DifferenceSequence(0.05, 60), np.full(40, 0.2)).decision
    assert constant.verdict is RuleVerdict.CONTINUE
    assert "spread is unknown" in constant.reason
    assert all(math.isnan(end) for end in constant.interval)
    for gain, verdict in ((0.02, RuleVerdict.UNDECIDED), (0.2, RuleVerdict.FIRST)):
        looked = run(PlannedLooks(0.05, (20, 40)), np.full(40, gain)).decision
        assert looked.verdict is verdict  # a lost task in ten would make a gain of .02 a loss, and 40 may miss it
        assert looked.p_value == pytest.approx(min(1, 2 * (1 + gain) ** -40))
    nothing = run(WinLossTest(0.05, 30), np.zeros(30)).decision
    assert nothing.verdict is RuleVerdict.UNDECIDED
    assert all(math.isnan(end) for end in nothing.interval)
    sweep = run(WinLossTest(0.05), np.ones(30)).decision
    assert (sweep.verdict, sweep.questions) == (RuleVerdict.FIRST, 7)
    assert sweep.interval[0] > 0.5
    assert sweep.interval[1] == 1.0


@pytest.mark.parametrize(
    "rule",
    [
        StoppingRule("x", "y", "win-loss", 500),
        StoppingRule("x", "y", "difference-sequence", 500, alpha=0.01, tuned_for=80.0, least=30),
        StoppingRule("x", "y", "planned-looks", 300, looks=(100, 200, 300), spending="pocock"),
        StoppingRule("x", "y", "fixed", 80),
    ],
)
def test_rules_survive_json_and_start_tests(rule: StoppingRule) -> None:
    again = StoppingRule.from_plain(json.loads(json.dumps(rule.to_plain())))
    assert again == rule
    assert parse_claim(rule.claim_text) == ("x", "y")
    differences = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], p=[0.05, 0.65, 0.3], size=rule.questions)
    decision = run(again.start(), differences).decision
    assert decision.verdict is RuleVerdict.FIRST
    assert decision.questions <= rule.questions


@pytest.mark.parametrize(
    "broken",
    [
        {"method": "guess"},
        {"second": "x"},
        {"first": ""},
        {"alpha": 0},
        {"alpha": float("nan")},
        {"alpha": "0.05"},
        {"questions": 1},
        {"questions": True},
        {"questions": 10.5},
        {"looks": [5, 10]},
        {"method": "planned-looks"},
        {"method": "planned-looks", "looks": [100, 50]},
        {"method": "planned-looks", "looks": [50, 100]},
        {"method": "planned-looks", "looks": [50, "500"]},
        {"method": "planned-looks", "looks": list(range(2, 501))},
        {"method": "planned-looks", "looks": [1, 500]},
        {"method": "planned-looks", "looks": [100, 500], "spending": "all at once"},
        {"method": "difference-sequence", "tuned_for": -1},
        {"method": "difference-sequence", "tuned_for": float("inf")},
        {"method": "difference-sequence", "least": 1},
        {"surprise": 1},
        {1: "a key that JSON does not have", "surprise": 2},
    ],
)
def test_rules_from_elsewhere_are_checked(broken: dict[str, object]) -> None:
    plain = {"first": "x", "second": "y", "method": "win-loss", "questions": 500}
    with pytest.raises(StatisticsError):
        StoppingRule.from_plain({**plain, **broken})


def test_a_rule_needs_its_fields() -> None:
    with pytest.raises(StatisticsError, match="lacks"):
        StoppingRule.from_plain({"first": "x"})


@pytest.mark.parametrize(("text", "pair"), [("A>B", ("A", "B")), (" b < a ", ("a", "b"))])
def test_claims_are_read(text: str, pair: tuple[str, str]) -> None:
    assert parse_claim(text) == pair


@pytest.mark.parametrize("text", ["A", "A>", ">B", "A>B>C", "A>A", "A=B", "A<B>C", ""])
def test_unclear_claims_are_refused(text: str) -> None:
    with pytest.raises(StatisticsError):
        parse_claim(text)


@pytest.mark.parametrize("difference", [math.nan, 1.5, -2.0, math.inf])
def test_impossible_differences_are_refused(difference: float) -> None:
    for test in (WinLossTest(), DifferenceSequence(), FixedSize(0.05, 10), PlannedLooks(0.05, (10, 20))):
        with pytest.raises(StatisticsError):
            test.update(difference)
    with pytest.raises(StatisticsError, match="one pass-or-fail sample"):
        WinLossTest().update(0.5)


def test_shares_beyond_the_end_are_refused() -> None:
    for shares in ((), (0.5, 0.5), (0.5, 1.1), (0.0, 1.0)):
        with pytest.raises(StatisticsError):
            look_boundaries(shares)
    with pytest.raises(StatisticsError):
        alpha_spent(0.0)
