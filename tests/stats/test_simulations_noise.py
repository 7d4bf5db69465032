"""Variances, repeatability and pass rates against known truth; see test_simulations.py for what all of this means."""

import numpy as np
import pytest
import simulated as truth
from simulated import (
    DESIGNS,
    REPLICATES,
    contained,
    covers,
    probabilities,
    sample,
    samples_of,
    scores_of,
    study,
    unbiased,
)

from honestly import stats
from honestly.stats import bounded_interval, t_quantile, t_two_sided
from honestly.stats._noise import jackknifed_variance, largest_within, variance_less_noise
from honestly.stats._passk import share_of_draws
from sampled import sampled

pytestmark = pytest.mark.slow

RUNS = {20: 6_000, 80: 4_000, 500: 2_500}
repeated = pytest.mark.parametrize(
    ("questions", "kind"), sampled(((n, kind) for n in REPLICATES for kind in (5, "mixed")), lambda size: size[0] == 20)
)
every_design = pytest.mark.parametrize("design", DESIGNS[:-1])


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
        "paired total": (difference, a.within * (1 - 1 / a.n) + b.within * (1 - 1 / b.n), truth.DATA_DIFFERENCE + both),
    }


@pytest.mark.parametrize("null", [False, True])
@repeated
def test_noise_components(questions, kind, null):
    drawn = components(*study(questions, kind, "plain", null=null)[:2])
    if null:
        # B's own questions are then as A's, which changes what is true of B.
        drawn = {name: (*parts[:2], truth.UNDER_NULL.get(name, parts[2])) for name, parts in drawn.items()}
    for name, (value, correction, expected) in drawn.items():
        found, se = jackknifed_variance(value, correction)
        assert unbiased(found, expected, name)
        if name == "total":
            # Near its maximum at 1/4 a jackknife of p(1-p) covers too little; `noise` maps the score's interval.
            continue
        half = t_quantile(0.95, questions - 1.0) * se
        if name.endswith("data"):
            assert covers(variance_less_noise(value, -correction, 0.95), expected, name)
            plain = np.mean(abs(found - expected) <= half)
            assert plain < 0.92 or (questions, name) != (20, "paired data"), "what the other interval is for"
        elif name == "prediction":
            most = largest_within(samples_of(kind, questions)).mean()
            assert covers(bounded_interval(found, se, questions - 1.0, most, questions, 0.95), expected, name)
        else:
            assert covers((found - half, found + half), expected, name)


@pytest.mark.parametrize(("questions", "kind"), sampled([(20, 5), (80, 5), (80, "mixed")]))
def test_noise_with_missing_cells_through_the_library(questions, kind):
    """The whole way from counts: dropped cells leave every component unbiased, and the intervals cover."""
    replicates = 600
    a, b, _ = study(questions, kind, "missing", replicates=replicates)
    both = scores_of(np.concatenate([a.passed, b.passed]), np.concatenate([a.n, b.n]))
    resolved = both.resolve(stats.Policy(missing="drop"))
    alone = [stats.noise_components(resolved, f"r{i}") for i in range(replicates)]
    pairs = [stats.paired_noise(resolved, f"r{i}", f"r{i + replicates}") for i in range(replicates)]
    data, prediction = truth.DATA_A, truth.PREDICTION_A
    both_predictions = prediction + truth.PREDICTION_B
    for part, expected in (("prediction", prediction), ("data", data), ("total", data + prediction)):
        assert unbiased([getattr(found, part).value for found in alone], expected, part)
        # The total's interval is the score's, which allows for what twenty questions may have left out.
        high = 0.999 if (part, questions) == ("total", 20) else 0.97
        assert covers([getattr(found, part).interval for found in alone], expected, part, high=high)
    for part, expected in (
        ("prediction", both_predictions),
        ("data", truth.DATA_DIFFERENCE),
        ("total", truth.DATA_DIFFERENCE + both_predictions),
    ):
        assert unbiased([getattr(found, part).value for found in pairs], expected, f"paired {part}")
        assert covers([getattr(found, part).interval for found in pairs], expected, f"paired {part}")
    # What a rerun with other numbers of samples would have for an error follows from them.
    rerun = [found.se_if_rerun(10, 3) ** 2 * found.n for found in pairs]
    assert unbiased(np.nan_to_num(rerun), truth.DATA_DIFFERENCE + prediction / 10 + truth.PREDICTION_B / 3, "rerun")


def test_only_one_agent_has_several_samples():
    """K = 5 against K = 1: the total of one sample each is still unbiased."""
    rng = np.random.default_rng(8)
    chances = probabilities(rng, (5_000, 80))
    a, b = sample(rng, chances[0], 5), sample(rng, chances[1], 1)
    found, _ = jackknifed_variance(a.mean - b.mean, a.within * (1 - 1 / a.n))
    assert unbiased(found, truth.DATA_DIFFERENCE + truth.PREDICTION_A + truth.PREDICTION_B, "total")


@pytest.mark.parametrize(("alpha", "beta"), sampled([(0.1, 0.9), (0.3, 3.0), (1.0, 9.0)]))
def test_the_data_variance_is_covered_where_it_hangs_on_a_handful(alpha, beta):
    """True scores near 0 on nearly all of 20 questions: nobody can know of the rare others, and the bounds allow it."""
    rng = np.random.default_rng(22)
    resolved = scores_of(rng.binomial(5, rng.beta(alpha, beta, (600, 20))), 5).resolve()
    found = [stats.noise_components(resolved, agent) for agent in resolved.agents]
    expected = alpha * beta / ((alpha + beta) ** 2 * (alpha + beta + 1))
    assert covers([one.data.interval for one in found], expected, "data", high=1.0)
    assert np.mean([any("against the rest" in note for note in one.notes) for one in found]) > 0.95
    plain = scores_of(rng.binomial(5, rng.beta(2, 3, (200, 80))), 5).resolve()
    assert not any(stats.noise_components(plain, agent).notes for agent in plain.agents)


def test_intraclass_correlation_tends_to_its_truth():
    """A ratio of two unbiased estimates is itself unbiased only for many questions; measured: within 1% from 20 on."""
    expected = truth.DATA_A / (truth.DATA_A + truth.PREDICTION_A)
    for questions in REPLICATES:
        a, _, _ = study(questions, 5, "plain")
        data = jackknifed_variance(a.mean, -a.within / 5)[0]
        total = jackknifed_variance(a.mean, a.within * 0.8)[0]
        assert unbiased(data / total, expected, f"ICC, {questions} questions")
        resolved = scores_of(a.passed[:1], 5).resolve()
        assert stats.noise_components(resolved, "r0").intraclass_correlation == pytest.approx(data[0] / total[0])


def estimate(values, codes):
    return stats.mean_of_questions(values) if codes is None else stats.clustered_mean(values, codes)


@repeated
@every_design
def test_consistency(questions, kind, design):
    """E[1 - 4 p(1-p)] for p ~ Beta(2, 3); the published estimator is too high by 4 E[p(1-p)] / K."""
    a, _, codes = study(questions, kind, design, replicates=RUNS[questions])
    found = estimate(1 - 4 * a.within, codes)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.nanmean(np.where(a.n > 0, 4 * largest_within(a.n), np.nan), axis=1)
    units = questions if codes is None else 12
    low, high = bounded_interval(1 - found.mean, found.se, found.df, largest, units, 0.95)
    intervals = 1 - high, 1 - low
    expected = 1 - 4 * truth.PREDICTION_A
    assert unbiased(found.mean, expected, "consistency")
    assert covers(intervals, expected, "consistency")
    if (kind, design) == (5, "plain"):
        assert unbiased(((2 * a.mean - 1) ** 2).mean(axis=1), expected + 4 * truth.PREDICTION_A / 5, "published")
    resolved = scores_of(a.passed[:3], a.n[:3], codes).resolve(stats.Policy(missing="drop"))
    for row, agent in enumerate(resolved.agents):
        same = stats.repeat_consistency(resolved, agent)
        assert same.outcome == pytest.approx(found.mean[row])
        assert same.interval == pytest.approx((intervals[0][row], intervals[1][row]))


@repeated
@every_design
@pytest.mark.parametrize("name", ["pass@k", "pass^k"])
def test_pass_rates(questions, kind, design, name):
    """E[1 - (1-p)^k] for p ~ Beta(2, 3) is 1 - B(2, 3+k) / B(2, 3), E[p^k] likewise.

    The interval that is said is never narrower than t's, and holds where twelve skewed clusters are all there is.
    """
    a, b, codes = study(questions, kind, design, replicates=RUNS[questions])
    for k in (2, 3, 5) if kind == 5 else (2,):
        share = np.prod([((3 if name == "pass@k" else 2) + j) / (5 + j) for j in range(k)])
        expected = 1 - share if name == "pass@k" else share
        values, others = (_rates(one, k, name) for one in (a, b))
        found = estimate(values, codes)
        assert unbiased(found.mean, expected, f"{name}, k = {k}")
        said = _said(a, codes, k, name)
        assert covers([one.interval for one in said], expected, f"{name}, k = {k}", high=1.0)
        for row, one in enumerate(said):
            assert one.value == pytest.approx(found.mean[row])
            assert one.se == pytest.approx(found.se[row], nan_ok=True)
            if codes is not None or k < 5:
                half = t_quantile(0.95, found.df[row]) * found.se[row]
                assert not one.interval[0] > max(found.mean[row] - half, 0) + 1e-9
                assert not one.interval[1] < min(found.mean[row] + half, 1) - 1e-9
        # The difference of two agents; B is A on half of the questions, and Beta(2, 2) on the others.
        gap = estimate(values - others, codes)
        own = np.prod([(2 + j) / (4 + j) for j in range(k)])
        expected = (1 - truth.SAME) * (own - share) * (1 if name == "pass@k" else -1)
        assert unbiased(gap.mean, expected, "difference")
        inside = t_two_sided((gap.mean - expected) / gap.se, gap.df)[~np.isnan(gap.se)] >= 0.05
        assert contained(inside, "difference", high=0.995 if (k, questions) == (5, 20) else 0.97)


def _said(cells, codes, k, name):
    """What the library says of the first 300 replicates."""
    resolved = scores_of(cells.passed[:300], cells.n[:300], codes).resolve(stats.Policy(missing="drop"))
    rate = stats.pass_at_k if name == "pass@k" else stats.pass_all_k
    return [rate(resolved, agent, k) for agent in resolved.agents]


def _rates(cells, k, name):
    good = cells.n - cells.passed if name == "pass@k" else cells.passed
    share = np.where(cells.n >= k, share_of_draws(good, np.maximum(cells.n, k), k), np.nan)
    return 1 - share if name == "pass@k" else share


@pytest.mark.parametrize("questions", sampled(REPLICATES))
@pytest.mark.parametrize("design", ["plain", "clustered"])
def test_what_was_scored_and_what_was_right(questions, design):
    """Beta(1, 6) of the samples are spoilt: P(scorable) = 6/7, and P(correct | scorable) is the mean ability."""
    replicates = 1_500
    a, _, codes = study(questions, 5, design, replicates=replicates)
    rng = np.random.default_rng([questions, 7])
    spoilt = rng.binomial(5, rng.beta(1, 6, a.mean.shape))
    passed = rng.hypergeometric(a.passed, a.n - a.passed, a.n - spoilt)
    names = [f"r{i}" for i in range(replicates)], [f"q{i}" for i in range(questions)]
    scores = stats.Scores.from_counts(*names, passed, a.n - spoilt - passed, void=spoilt)
    if codes is not None:
        scores = scores.with_clusters([f"c{code}" for code in codes])
    found = stats.score_validity(scores)
    df = (
        float(stats.clustered_mean(np.arange(questions, dtype=float), codes).df) if codes is not None else questions - 1
    )
    for name, expected in (("scorable", 6 / 7), ("correct_if_scorable", truth.MEAN_A)):
        value, half = getattr(found, name), t_quantile(0.95, df) * getattr(found, f"{name}_se")
        assert unbiased(value, expected, name)
        assert covers((value - half, value + half), expected, name)
