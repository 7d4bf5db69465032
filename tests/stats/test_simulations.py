"""Every estimator against known truth: bias, coverage of the intervals, size of the tests. Seeds are fixed, not chosen.

Bounds are those the project promises: bias within 1%, coverage 93 to 97% at nominal 95%, size 3.5 to 6% at nominal 5%.
Where an estimator is known to miss one of them the test says so in words and holds it to what it does reach.
"""

import numpy as np
import pytest
import simulated as truth
from simulated import probabilities, sample, samples_of, unequal_clusters

from honestly import stats
from honestly.stats._noise import jackknifed_variance, variance_less_noise
from honestly.stats._special import t_quantile, t_two_sided

REPLICATES = {20: 12_000, 80: 6_000, 500: 2_000}
KINDS = (1, 5, "mixed")
DESIGNS = ("plain", "missing", "clustered")
MISSING = 0.15

grid = pytest.mark.parametrize(("questions", "kind"), [(n, kind) for n in REPLICATES for kind in KINDS])
every_design = pytest.mark.parametrize("design", DESIGNS)


def simulate(questions, kind, design, null=False):
    """Cells of A and B and the cluster codes; one seed per case."""
    rng = np.random.default_rng([questions, KINDS.index(kind), DESIGNS.index(design), null])
    codes = unequal_clusters(questions) if design == "clustered" else None
    missing = MISSING if design == "missing" else 0.0
    chances = probabilities(rng, (REPLICATES[questions], questions), codes, null)
    return *(sample(rng, chance, samples_of(kind, questions), missing) for chance in chances), codes


def estimate(values, codes):
    return stats.mean_of_questions(values) if codes is None else stats.clustered_mean(values, codes)


def t_coverage(found, value):
    """How often the 95% t interval contains the value; clipping the interval to its range cannot change that."""
    return np.mean(t_two_sided((found.mean - value) / found.se, found.df) >= 0.05)


def coverage(low, high, value):
    return np.mean((low <= value) & (value <= high))


def close_on_average(values, expected, bias=0.01):
    """The mean of the replicates is within 1% of the truth, give or take its own Monte-Carlo error.

    Four standard errors, because some hundred such means are looked at. That the variance components are unbiased is
    shown without any Monte-Carlo error by enumeration in test_noise.py.
    """
    monte_carlo = np.std(values) / np.sqrt(len(values))
    return abs(np.mean(values) - expected) <= max(bias * abs(expected), 4 * monte_carlo)


@grid
@every_design
def test_score_and_paired_difference(questions, kind, design):
    a, b, codes = simulate(questions, kind, design)
    score, difference = estimate(a.mean, codes), estimate(a.mean - b.mean, codes)
    assert close_on_average(score.mean, truth.MEAN_A)
    assert close_on_average(difference.mean, truth.DIFFERENCE)
    # With those twelve clusters, 93.5 to 96% for the score and 95.5 to 96.5% for the difference in 20,000 replicates.
    assert (0.93 if codes is None else 0.92) <= t_coverage(difference, truth.DIFFERENCE) <= 0.97
    if kind == 1 and codes is None:
        wilson = stats.wilson_interval(np.nansum(a.mean, axis=1), score.n)
        assert 0.93 <= coverage(*wilson, truth.MEAN_A) <= 0.97
    else:
        assert (0.93 if codes is None else 0.92) <= t_coverage(score, truth.MEAN_A) <= 0.97
    if codes is None:
        for found in (score, difference):
            # Replicates without any variance have S² = 0; the variance over replicates has an error of sqrt(2/R).
            squares = np.nan_to_num(found.se, nan=0.0) ** 2
            assert np.mean(squares) == pytest.approx(np.var(found.mean), rel=4 * np.sqrt(2 / len(squares)))


@grid
@every_design
def test_size_of_the_paired_test(questions, kind, design):
    a, b, codes = simulate(questions, kind, design, null=True)
    differences = a.mean - b.mean
    found = estimate(differences, codes)
    size = np.mean(t_two_sided(found.mean / found.se, found.df) <= 0.05)
    if codes is not None:
        # Twelve clusters like SWE-bench's count as four equal ones (six for N = 20). Measured in 20,000 replicates, K = 1
        # and 5: .041 for N = 20, .036 for 80, .025 to .033 for 500; references .028 to .059. See `clustered_mean` for why
        # that is not corrected.
        assert 0.02 <= size <= 0.06
        return
    # A t test on twenty yes/no differences is as coarse as they are.
    assert 0.035 <= size <= 0.06
    if kind == 1:
        mid = np.mean(stats.mcnemar_mid((differences > 0).sum(axis=1), (differences < 0).sum(axis=1)) <= 0.05)
        # Two agents that were both tried disagree on 44% of the questions. Only the 6.4 disagreements expected among
        # twenty questions of which 28% are missing are so few that the exact size of mid-p falls short: 3.4%.
        assert (0.03 if (questions, design) == (20, "missing") else 0.035) <= mid <= 0.06


@grid
def test_unpaired_difference(questions, kind):
    a, b, _ = simulate(questions, kind, "plain")
    # B's questions are those of another replicate, so that nothing pairs them.
    first, second = stats.mean_of_questions(a.mean), stats.mean_of_questions(np.roll(b.mean, 1, axis=0))
    variances = np.nan_to_num(np.array([first.se**2, second.se**2]))
    df = variances.sum(axis=0) ** 2 / (variances**2 / (questions - 1)).sum(axis=0)
    error = (first.mean - second.mean - truth.DIFFERENCE) / np.sqrt(variances.sum(axis=0))
    assert 0.93 <= np.mean(t_two_sided(error, df) >= 0.05) <= 0.97


def components(a, b):
    """Value, correction and truth of each component; see `honestly.stats._noise`."""
    difference = a.mean - b.mean
    both = truth.PREDICTION_A + truth.PREDICTION_B
    return {
        "prediction": (None, a.within, truth.PREDICTION_A),
        "data": (a.mean, -a.within / a.n, truth.DATA_A),
        "total": (a.mean, a.within * (1 - 1 / a.n), truth.DATA_A + truth.PREDICTION_A),
        "paired prediction": (None, a.within + b.within, both),
        "paired data": (difference, -a.within / a.n - b.within / b.n, truth.DATA_DIFFERENCE),
        "paired total": (
            difference,
            a.within * (1 - 1 / a.n) + b.within * (1 - 1 / b.n),
            truth.DATA_DIFFERENCE + both,
        ),
    }


@pytest.mark.parametrize("null", [False, True])
@pytest.mark.parametrize(("questions", "kind"), [(n, kind) for n in REPLICATES for kind in (5, "mixed")])
def test_noise_components(questions, kind, null):
    drawn = components(*simulate(questions, kind, "plain", null)[:2])
    if null:
        # B's own questions are then as A's, which changes what is true of B.
        drawn = {name: (*parts[:2], truth.UNDER_NULL.get(name, parts[2])) for name, parts in drawn.items()}
    for name, (value, correction, expected) in drawn.items():
        found, se = jackknifed_variance(value, correction)
        assert close_on_average(found, expected), name
        if name == "total":
            # Near its maximum at 1/4 a jackknife of p(1-p) covers too little; `noise` maps the score's interval.
            continue
        half = t_quantile(0.95, questions - 1.0) * se
        plain = coverage(found - half, found + half, expected)
        if name.endswith("data"):
            assert 0.93 <= coverage(*variance_less_noise(value, -correction, 0.95), expected) <= 0.97, name
            assert plain < 0.92 or (questions, name) != (20, "paired data"), "what the other interval is for"
        else:
            # The prediction variance of one agent at N = 20: 93.1% in 40,000 replicates.
            assert 0.925 <= plain <= 0.97, name


@pytest.mark.parametrize(("questions", "kind", "replicates"), [(20, 5, 1_000), (80, 5, 400), (80, "mixed", 400)])
def test_noise_with_missing_cells_through_the_library(questions, kind, replicates):
    """The whole way from counts: dropped cells leave every component unbiased, and the intervals cover."""
    a, b, _ = simulate(questions, kind, "missing")
    found = {name: [] for name in ("prediction", "data", "total", "paired data", "paired total")}
    covered, paired_covered = [], []
    for replicate in range(replicates):
        n = np.stack([a.n[replicate], b.n[replicate]])
        means = np.nan_to_num(np.stack([a.mean[replicate], b.mean[replicate]]))
        passed = np.rint(means * n).astype(int)
        scores = stats.Scores.from_counts("AB", [str(i) for i in range(questions)], passed, n - passed)
        resolved = scores.resolve(stats.Policy(missing="drop"))
        alone, paired = stats.noise(resolved, "A"), stats.paired_noise(resolved, "A", "B")
        found["prediction"].append(alone.prediction.value)
        found["data"].append(alone.data.value)
        found["total"].append(alone.total.value)
        found["paired data"].append(paired.data.value)
        found["paired total"].append(paired.total.value)
        low, high = alone.total.interval
        covered.append(low <= truth.DATA_A + truth.PREDICTION_A <= high)
        low, high = paired.data.interval
        paired_covered.append(low <= truth.DATA_DIFFERENCE <= high)
    data, prediction, paired_data = truth.DATA_A, truth.PREDICTION_A, truth.DATA_DIFFERENCE
    assert close_on_average(found["prediction"], prediction)
    assert close_on_average(found["data"], data)
    assert close_on_average(found["total"], data + prediction)
    assert close_on_average(found["paired data"], paired_data)
    assert close_on_average(found["paired total"], paired_data + prediction + truth.PREDICTION_B)
    assert 0.93 <= np.mean(covered) <= 0.975
    # 95% of 20,000 replicates with 20 questions, too; a jackknife covers 88% there.
    assert 0.93 <= np.mean(paired_covered) <= 0.975


def test_only_one_agent_has_several_samples():
    """K = 5 against K = 1: the total of one sample each is still unbiased."""
    rng = np.random.default_rng(8)
    chances = probabilities(rng, (5_000, 80))
    a, b = sample(rng, chances[0], 5), sample(rng, chances[1], 1)
    found, _ = jackknifed_variance(a.mean - b.mean, a.within * (1 - 1 / a.n))
    assert close_on_average(found, truth.DATA_DIFFERENCE + truth.PREDICTION_A + truth.PREDICTION_B)


def test_sizes_of_mcnemar_and_sign_flips():
    a, b, _ = simulate(80, 1, "plain", null=True)
    differences = (a.mean - b.mean)[:2_000]
    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    assert np.mean(stats.mcnemar_exact(wins, losses) <= 0.05) <= 0.05
    flips = np.array([stats.sign_flip(row) for row in differences])
    # For single samples flipping signs is McNemar's exact test.
    np.testing.assert_allclose(flips, stats.mcnemar_exact(wins, losses), rtol=1e-9)
    a, b, _ = simulate(20, 5, "plain", null=True)
    flips = [stats.sign_flip(row) for row in (a.mean - b.mean)[:4_000]]
    assert 0.035 <= np.mean(np.array(flips) <= 0.05) <= 0.06


def test_pass_at_k_is_unbiased():
    """E[1 - (1-p)^k] for p ~ Beta(2, 3) is 1 - B(2, 3+k) / B(2, 3)."""
    rng = np.random.default_rng(3)
    questions, replicates, samples = 80, 1_000, 5
    chance = rng.beta(2, 3, (replicates, questions))
    passed = rng.binomial(samples, chance)
    labels = [f"r{i}" for i in range(replicates)], [f"q{i}" for i in range(questions)]
    resolved = stats.Scores.from_counts(*labels, passed, samples - passed).resolve()
    for k in (2, 3, 5):
        any_pass = 1 - np.prod([(3 + j) / (5 + j) for j in range(k)])
        all_pass = np.prod([(2 + j) / (5 + j) for j in range(k)])
        for measure, expected in ((stats.pass_at_k, any_pass), (stats.pass_all_k, all_pass)):
            found = [measure(resolved, agent, k) for agent in labels[0]]
            assert close_on_average([f.value for f in found], expected)
            low, high = np.array([f.interval for f in found]).T
            # A rate of 5% on 80 questions jumps in steps of 1 in 80, and the coverage with it.
            assert 0.925 <= coverage(low, high, expected) <= 0.975


@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 3.0), (3.0, 0.3), (1.0, 9.0), (20.0, 5.0)])
@pytest.mark.parametrize("questions", [20, 80])
def test_scores_near_the_edges(alpha, beta, questions):
    """Where t would cover 90%: few effective passes or failures."""
    rng = np.random.default_rng(21)
    found = stats.mean_of_questions(rng.binomial(5, rng.beta(alpha, beta, (8_000, questions))) / 5)
    low, high = stats.mean_interval(found.mean, found.se, found.df)
    nothing = stats.wilson_interval(found.mean * questions, questions)
    low, high = (np.where(np.isnan(found.se), edge, end) for edge, end in zip(nothing, (low, high), strict=True))
    assert 0.93 <= coverage(low, high, alpha / (alpha + beta)) <= 0.97


@pytest.mark.parametrize("questions", [20, 80])
@pytest.mark.parametrize("kind", ["pass@k", "pass^k"])
def test_paired_difference_of_pass_at_k(questions, kind):
    """Two of five samples. Truth: A's from Beta(2, 3); B is A on half of the questions, Beta(2, 2) on the others."""
    a, b, _ = simulate(questions, 5, "plain")
    replicates = 700
    passed = np.rint(np.concatenate([a.mean[:replicates], b.mean[:replicates]]) * 5).astype(int)
    labels = [f"{agent}{i}" for agent in "AB" for i in range(replicates)], [f"q{i}" for i in range(questions)]
    resolved = stats.Scores.from_counts(*labels, passed, 5 - passed).resolve()
    both_pass = 2 * 3 / (5 * 6), 2 * 3 / (4 * 5)
    both_fail = 3 * 4 / (5 * 6), 2 * 3 / (4 * 5)
    gap = (1 - truth.SAME) * (both_pass[0] - both_pass[1] if kind == "pass^k" else both_fail[1] - both_fail[0])
    found = [stats.compare_pass(resolved, f"A{i}", f"B{i}", 2, kind=kind) for i in range(replicates)]
    assert close_on_average([f.difference for f in found], gap)
    low, high = np.array([f.interval for f in found]).T
    assert 0.93 <= coverage(low, high, gap) <= 0.97


@pytest.mark.parametrize("questions", [20, 80])
def test_unpaired_comparison_through_the_library(questions):
    a, b, _ = simulate(questions, 5, "plain")
    replicates, other = 1_500, questions // 2
    covered, gaps = [], []
    for replicate in range(replicates):
        # No question in common: A's come first, and B has half as many.
        passed = np.zeros((2, questions + other), dtype=int)
        passed[0, :questions] = np.rint(a.mean[replicate] * 5)
        passed[1, questions:] = np.rint(b.mean[replicates + replicate, :other] * 5)
        samples = np.zeros_like(passed)
        samples[0, :questions] = samples[1, questions:] = 5
        scores = stats.Scores.from_counts("AB", [str(i) for i in range(questions + other)], passed, samples - passed)
        found = stats.compare_unpaired(scores.resolve(stats.Policy(missing="drop")), "A", "B")
        gaps.append(found.difference)
        covered.append(found.interval[0] <= truth.DIFFERENCE <= found.interval[1])
    assert close_on_average(gaps, truth.DIFFERENCE)
    assert 0.93 <= np.mean(covered) <= 0.97


@pytest.mark.parametrize("samples", [1, 5])
def test_false_discoveries_in_a_family_of_equal_agents(samples):
    """Ten pairs of five equal agents: Holm keeps the chance of any false one; alone, a third of families has one."""
    rng = np.random.default_rng([samples, 31])
    alone, holm, bh = [], [], []
    for _ in range(1_000):
        passed = rng.binomial(samples, np.broadcast_to(rng.beta(2, 3, 80), (5, 80)))
        resolved = stats.Scores.from_counts("ABCDE", [str(i) for i in range(80)], passed, samples - passed).resolve()
        table = stats.compare_all(resolved)
        pairs = np.triu_indices(5, 1)
        alone.append(np.any(table.p_value[pairs] <= 0.05))
        holm.append(np.any(table.p_holm[pairs] <= 0.05))
        bh.append(np.any(table.p_bh[pairs] <= 0.05))
    assert np.mean(alone) > 0.2
    # When every null is true the share of false discoveries is 1 whenever there is any, so that BH controls the same.
    assert 0.02 <= np.mean(holm) <= np.mean(bh) <= 0.06


def test_benjamini_hochberg_keeps_the_share_of_false_discoveries():
    """Half of twenty independent nulls are false; the expected share is then half of 5%."""
    rng = np.random.default_rng(32)
    shares, any_holm = [], []
    for _ in range(4_000):
        p = t_two_sided(rng.normal(np.repeat([0.0, 3.0], 10)), np.inf)
        found = stats.benjamini_hochberg(p) <= 0.05
        shares.append(found[:10].sum() / max(1, found.sum()))
        any_holm.append(np.any(stats.holm(p)[:10] <= 0.05))
    assert np.mean(shares) == pytest.approx(0.025, abs=4 * np.std(shares) / np.sqrt(len(shares)))
    assert np.mean(any_holm) <= 0.05


def test_intraclass_correlation_tends_to_its_truth():
    """A ratio of two unbiased estimates is itself unbiased only for many questions; measured: right within 1% from 20 on."""
    expected = truth.DATA_A / (truth.DATA_A + truth.PREDICTION_A)
    for questions in REPLICATES:
        a, _, _ = simulate(questions, 5, "plain")
        data = jackknifed_variance(a.mean, -a.within / 5)[0]
        total = jackknifed_variance(a.mean, a.within * 0.8)[0]
        assert close_on_average(data / total, expected), questions
        passed = np.rint(a.mean[:1] * 5).astype(int)
        scores = stats.Scores.from_counts("A", [str(i) for i in range(questions)], passed, 5 - passed).resolve()
        assert stats.noise(scores, "A").intraclass_correlation == pytest.approx(data[0] / total[0])


@pytest.mark.parametrize("questions", [20, 80])
def test_consistency_is_unbiased(questions):
    """E[1 - 4 p(1-p)] for p ~ Beta(2, 3); the published estimator is too high by 4 E[p(1-p)] / K."""
    rng = np.random.default_rng(4)
    passed = rng.binomial(5, rng.beta(2, 3, (1_000, questions)))
    labels = [f"r{i}" for i in range(1_000)], [f"q{i}" for i in range(questions)]
    resolved = stats.Scores.from_counts(*labels, passed, 5 - passed).resolve()
    found = [stats.consistency(resolved, agent) for agent in labels[0]]
    expected = 1 - 4 * truth.PREDICTION_A
    assert close_on_average([f.outcome for f in found], expected)
    assert close_on_average([f.inflated for f in found], expected + 4 * truth.PREDICTION_A / 5)
    low, high = np.array([f.interval for f in found]).T
    assert (0.92 if questions == 20 else 0.93) <= coverage(low, high, expected) <= 0.97


def test_probability_of_the_top_is_even_between_equals():
    """Between two equal agents P(top) is about uniform: half on average, and below 5% about that often."""
    rng = np.random.default_rng(14)
    top = []
    for seed in range(600):
        passed = rng.binomial(5, np.broadcast_to(rng.beta(2, 3, 80), (2, 80)))
        resolved = stats.Scores.from_counts("AB", [str(i) for i in range(80)], passed, 5 - passed).resolve()
        top.append(stats.rank_intervals(resolved, seed=seed, bootstraps=200).p_top[0])
    assert np.mean(top) == pytest.approx(0.5, abs=4 * np.std(top) / np.sqrt(len(top)))
    assert 0.02 <= np.mean(np.array(top) < 0.05) <= 0.085


def test_simultaneous_rank_intervals_cover_all_true_ranks_together():
    rng = np.random.default_rng(12)
    agents, questions, replicates = 8, 80, 150
    ability = np.linspace(0.3, 0.65, agents)
    ability[3] = ability[4]
    true_low = np.array([1 + np.sum(ability > own) for own in ability])
    true_high = np.array([agents - np.sum(ability < own) for own in ability])
    simultaneous, marginal = [], []
    for seed in range(replicates):
        # A shared threshold per question makes the agents as correlated as real ones.
        chance = np.clip(ability[:, None] + rng.uniform(-0.3, 0.3, questions), 0, 1)
        passed = rng.binomial(5, chance)
        labels = [f"a{i}" for i in range(agents)], [f"q{i}" for i in range(questions)]
        resolved = stats.Scores.from_counts(*labels, passed, 5 - passed).resolve()
        found = stats.rank_intervals(resolved, seed=seed, bootstraps=400)
        simultaneous.append(np.all((found.low <= true_low) & (true_high <= found.high)))
        marginal.append(np.all((found.marginal_low <= true_low) & (true_high <= found.marginal_high)))
    assert np.mean(simultaneous) >= 0.93
    assert np.mean(marginal) < np.mean(simultaneous)
