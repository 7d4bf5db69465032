"""Scores, differences and their tests against known truth. Seeds are fixed, not chosen; bounds are in `simulated`.

Where an estimator is known to miss a bound the test says so in words and holds it to what it does reach.
`evidence.md` lists every estimator with its simulation and what was measured.
"""

import numpy as np
import pytest
import simulated as truth
from simulated import DESIGNS, KINDS, REPLICATES, contained, covers, scores_of, size, study, t_covers, unbiased

from honestly import stats
from honestly.stats import t_quantile, t_two_sided
from honestly.stats._cluster_law import law_p_value
from honestly.stats._intervals import near_the_edge
from sampled import sampled

pytestmark = pytest.mark.slow

grid = pytest.mark.parametrize(
    ("questions", "kind"), sampled(((n, kind) for n in REPLICATES for kind in KINDS), lambda size: size[0] == 20)
)
# One cluster with nearly half of the questions is a case of its own.
every_design = pytest.mark.parametrize("design", sampled(DESIGNS[:-1], 2))


def estimate(values, codes):
    return stats.mean_of_questions(values) if codes is None else stats.clustered_mean(values, codes)


def t_test(found, value=0.0):
    return np.nan_to_num(t_two_sided((found.mean - value) / found.se, found.df), nan=1.0)


@grid
@every_design
def test_score_and_paired_difference(questions, kind, design):
    a, b, codes = study(questions, kind, design)
    score, difference = estimate(a.mean, codes), estimate(a.mean - b.mean, codes)
    assert unbiased(score.mean, truth.MEAN_A, "score")
    assert unbiased(difference.mean, truth.DIFFERENCE, "difference")
    assert t_covers(difference, truth.DIFFERENCE, "difference")
    if kind == 1 and codes is None:
        assert covers(stats.wilson_interval(np.nansum(a.mean, axis=1), score.n), truth.MEAN_A, "score")
    else:
        assert t_covers(score, truth.MEAN_A, "score")
    if codes is None:
        for found in (score, difference):
            # Replicates without any variance have S² = 0; the variance over replicates has an error of sqrt(2/R).
            squares = np.nan_to_num(found.se, nan=0.0) ** 2
            assert np.mean(squares) == pytest.approx(np.var(found.mean), rel=3 * np.sqrt(2 / len(squares)))


@grid
@every_design
def test_size_of_the_paired_test(questions, kind, design):
    a, b, codes = study(questions, kind, design, null=True)
    differences = a.mean - b.mean
    assert size(t_test(estimate(differences, codes)), "t" if codes is None else "CR2")
    if codes is not None:
        assert size(law_p_value(differences[:3_000], codes), "cluster law")
    elif kind == 1:
        # Two agents that were both tried disagree on 44% of the questions. Only the 6.4 disagreements expected among
        # twenty questions of which 28% are missing are so few that the exact size falls short (test_paired_tests.py).
        low = 0.031 if (questions, design) == (20, "missing") else 0.035
        wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
        assert size(stats.mcnemar_mid(wins, losses), "mid-p", low=low)


@grid
def test_one_cluster_with_half_of_the_questions(questions, kind):
    """SWE-bench's proportions: 12 clusters count as four equal ones (six for N = 20).

    In half of the studies the large cluster has by construction no difference of its own at all. A test of the
    difference then rejects less, and with many questions, where nothing else is left, no law of normal effects helps.
    """
    a, b, codes = study(questions, kind, "dominated", null=True, replicates=3_000)
    differences = a.mean - b.mean
    score, difference = estimate(a.mean, codes), estimate(differences, codes)
    assert unbiased(score.mean, truth.MEAN_A, "score")
    # With 500 questions, in 20,000 replicates: CR2 3.2% (K = 1) and 2.5% (K = 5), law 3.6 and 2.4%.
    assert size(t_test(difference), "CR2", low=0.024 if questions == 500 else 0.035)
    assert size(law_p_value(differences, codes), "cluster law", low=0.023 if questions == 500 else 0.035)
    assert t_covers(score, truth.MEAN_A, "score, CR2")
    assert contained(law_p_value(a.mean - truth.MEAN_A, codes) >= 0.05, "score, cluster law")


@every_design
def test_the_intervals_that_the_library_gives(design):
    """The whole way from counts: `score` of every replicate, `compare` of every two, with what is chosen by itself.

    Twelve clusters are so few that the intervals for every law are said, which cover more.
    """
    replicates = 600
    a, b, codes = study(80, 5, design, replicates=replicates)
    both = scores_of(np.concatenate([a.passed, b.passed]), np.concatenate([a.n, b.n]), codes)
    resolved = both.resolve(stats.Policy(missing="drop"))
    single = [stats.score(resolved, f"r{i}").interval for i in range(replicates)]
    high = 1.0 if design == "clustered" else 0.97
    assert covers(single, truth.MEAN_A, "score", high=high)
    pairs = [stats.compare(resolved, f"r{i}", f"r{i + replicates}") for i in range(replicates)]
    assert covers([pair.interval for pair in pairs], truth.DIFFERENCE, "compare", high=high)


def test_errors_for_exactly_these_questions():
    """With the questions held, only samples vary, and `se_fixed` squared is their variance on average."""
    rng = np.random.default_rng(9)
    chance, samples = rng.beta(2, 3, (2, 40)), np.where(np.arange(40) % 2, 5, 2)
    passed = rng.binomial(samples, np.repeat(chance, 3_000, axis=0))
    resolved = scores_of(passed, samples).resolve()
    values, squares = resolved.mean.mean(axis=1), []
    for agent in ("r0", "r2999", "r3000"):
        row, found = resolved.row(agent), stats.score(resolved, agent)
        assert found.se_fixed**2 == pytest.approx((resolved.within[row] / samples).sum() / 40**2)
    squares = (resolved.within / samples).sum(axis=1) / 40**2
    expected = (chance * (1 - chance) / samples).sum(axis=1) / 40**2
    for half, own in enumerate(expected):
        rows = slice(half * 3_000, (half + 1) * 3_000)
        assert unbiased(squares[rows], own, "squared error")
        assert np.var(values[rows]) == pytest.approx(own, rel=3 * np.sqrt(2 / 3_000))
    pair = stats.compare(resolved, "r0", "r3000")
    assert pair.se_fixed**2 == pytest.approx(squares[0] + squares[3_000])


@grid
def test_unpaired_difference(questions, kind):
    a, b, _ = study(questions, kind, "plain")
    # B's questions are those of another replicate, so that nothing pairs them.
    first, second = stats.mean_of_questions(a.mean), stats.mean_of_questions(np.roll(b.mean, 1, axis=0))
    variances = np.nan_to_num(np.array([first.se**2, second.se**2]))
    df = variances.sum(axis=0) ** 2 / (variances**2 / (questions - 1)).sum(axis=0)
    error = (first.mean - second.mean - truth.DIFFERENCE) / np.sqrt(variances.sum(axis=0))
    assert contained(t_two_sided(error, df) >= 0.05, "unpaired t")


@pytest.mark.parametrize("questions", sampled([20, 80]))
def test_unpaired_comparison_through_the_library(questions):
    """No question in common: A's come first, and B has half as many."""
    replicates, other = 500, questions // 2
    a, b, _ = study(questions, 5, "plain", replicates=2 * replicates)
    nothing = np.zeros((replicates, other), dtype=int)
    first = np.hstack([a.passed[:replicates], nothing])
    second = np.hstack([np.zeros((replicates, questions), dtype=int), b.passed[replicates:, :other]])
    answered = np.arange(questions + other) < questions
    samples = 5 * np.vstack([np.tile(answered, (replicates, 1)), np.tile(~answered, (replicates, 1))])
    resolved = scores_of(np.vstack([first, second]), samples).resolve(stats.Policy(missing="drop"))
    found = [stats.compare_unpaired(resolved, f"r{i}", f"r{i + replicates}") for i in range(replicates)]
    assert unbiased([one.difference for one in found], truth.DIFFERENCE, "unpaired")
    # With ten questions of B the interval allows for what they may have left out.
    assert covers([one.interval for one in found], truth.DIFFERENCE, "unpaired", high=1.0 if questions == 20 else 0.97)


def test_sizes_of_mcnemar_and_sign_flips():
    a, b, _ = study(80, 1, "plain", null=True)
    differences = (a.mean - b.mean)[:2_000]
    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    flips = np.array([stats.sign_flip(row) for row in differences])
    # For single samples flipping signs is McNemar's exact test, which keeps its level at the price of half a point.
    np.testing.assert_allclose(flips, stats.mcnemar_exact(wins, losses), rtol=1e-9)
    assert size(flips, "exact McNemar", low=0.028, high=0.05)
    a, b, _ = study(20, 5, "plain", null=True)
    assert size([stats.sign_flip(row) for row in (a.mean - b.mean)[:4_000]], "sign flips")


@pytest.mark.parametrize("spread", sampled([1.0, 0.5, 3.0, 10.0, 100.0], 1))
@pytest.mark.parametrize("mean", [0.02, 0.05, 0.1, 0.9])
@pytest.mark.parametrize("questions", sampled([30, 80, 10, 20, 500]))
def test_scores_near_the_edges(spread, mean, questions):
    """Five samples of questions with chances Beta(spread * mean, spread * (1 - mean)).

    Without the cap 88.8% at a mean of 0.05 over 30 questions. Capped it covers too much where questions are alike.
    """
    rng = np.random.default_rng(21)
    chance = rng.beta(spread * mean, spread * (1 - mean), (3_000, questions))
    found = stats.mean_of_questions(rng.binomial(5, chance) / 5)
    ends = np.array(stats.mean_interval(found.mean, found.se, found.df, questions=questions))
    plain = t_quantile(0.95, questions - 1) * found.se * np.array([[-1], [1]]) + found.mean
    chosen = np.where(near_the_edge(found.mean, found.se), ends, plain)
    nothing = np.array(stats.wilson_interval(found.mean * questions, questions))
    chosen = np.where(np.isnan(found.se), nothing, chosen)
    assert covers(tuple(chosen), mean, "near the edge", high=0.995 if spread <= 1 else 1.0)
