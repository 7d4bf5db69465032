"""Noise components: exact unbiasedness by enumeration, identities, jackknife, and what a single sample cannot show."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from honestly import stats
from honestly.errors import StatisticsError
from honestly.stats import Policy, Scores
from honestly.stats._special import binomial_pmf

# Three kinds of questions: chance of drawing one, success of A, success of B.
KINDS = ((0.5, 0.9, 0.6), (0.3, 0.2, 0.4), (0.2, 0.5, 0.5))


def expectations(samples_a, samples_b):
    """Exact expected components over every draw of N questions and every outcome, for K per question."""
    n = len(samples_a)
    total = np.zeros(6)
    for kinds in itertools.product(KINDS, repeat=n):
        draw = math.prod(kind[0] for kind in kinds)
        ranges = [range(k + 1) for k in (*samples_a, *samples_b)]
        chances = [kind[1] for kind in kinds] + [kind[2] for kind in kinds]
        samples = (*samples_a, *samples_b)
        tables = [binomial_pmf(np.arange(k + 1), k, p) for k, p in zip(samples, chances, strict=True)]
        for outcome in itertools.product(*ranges):
            weight = draw * math.prod(table[c] for table, c in zip(tables, outcome, strict=True))
            total += weight * np.array(components_of(outcome[:n], samples_a, outcome[n:], samples_b))
    return total


def components_of(passed_a, samples_a, passed_b, samples_b):
    from honestly.stats._noise import jackknifed_variance

    value, kept, noise, within = [], [], [], []
    for passed, samples in ((passed_a, samples_a), (passed_b, samples_b)):
        c, k = np.array(passed, dtype=float), np.array(samples, dtype=float)
        s2 = np.where(k > 1, c * (k - c) / (k * np.maximum(k - 1, 1)), 0.0)
        value.append(c / k)
        kept.append(s2 * (1 - 1 / k))
        noise.append(s2 / k)
        within.append(s2)
    alone = jackknifed_variance(value[0], -noise[0])[0], within[0].mean(), jackknifed_variance(value[0], kept[0])[0]
    gap = value[0] - value[1]
    data = jackknifed_variance(gap, -noise[0] - noise[1])[0]
    return *alone, data, (within[0] + within[1]).mean(), jackknifed_variance(gap, kept[0] + kept[1])[0]


def truth():
    weight, a, b = np.array(KINDS).T
    prediction_a, prediction_b = weight @ (a * (1 - a)), weight @ (b * (1 - b))
    data_a = weight @ a**2 - (weight @ a) ** 2
    data = weight @ (a - b) ** 2 - (weight @ (a - b)) ** 2
    return (
        data_a,
        prediction_a,
        data_a + prediction_a,
        data,
        prediction_a + prediction_b,
        data + prediction_a + prediction_b,
    )


@pytest.mark.parametrize(("samples_a", "samples_b"), [((2, 2), (2, 2)), ((2, 3), (3, 2))])
def test_every_component_is_exactly_unbiased(samples_a, samples_b):
    np.testing.assert_allclose(expectations(samples_a, samples_b), truth(), rtol=1e-12)


@pytest.mark.parametrize(("samples_a", "samples_b"), [((1, 1, 1), (1, 1, 1)), ((2, 2), (1, 1)), ((1, 3), (2, 1))])
def test_the_total_is_exactly_unbiased_for_every_mixture(samples_a, samples_b):
    found = expectations(samples_a, samples_b)
    np.testing.assert_allclose(found[[2, 5]], np.array(truth())[[2, 5]], rtol=1e-12)


def scores_of(passed, samples):
    passed = np.atleast_2d(passed)
    questions = [f"q{i}" for i in range(passed.shape[1])]
    return Scores.from_counts(list("ABCD")[: len(passed)], questions, passed, np.asarray(samples) - passed)


@pytest.fixture
def pair():
    rng = np.random.default_rng(15)
    samples = rng.integers(2, 6, (2, 25))
    return scores_of(rng.binomial(samples, rng.random((2, 25))), samples).resolve()


def test_total_is_data_and_prediction(pair):
    for parts in (stats.noise_components(pair, "A"), stats.paired_noise(pair, "A", "B")):
        assert parts.total.value == pytest.approx(parts.data.value + parts.prediction.value, abs=1e-15)
        assert sum(parts.prediction_by_agent) == pytest.approx(parts.prediction.value)
        assert parts.reason is None


def test_the_library_equals_the_formulas(pair):
    found = stats.paired_noise(pair, "A", "B")
    passed = np.rint(pair.mean * pair.n)
    expected = components_of(passed[0], pair.n[0], passed[1], pair.n[1])
    alone = stats.noise_components(pair, "A")
    values = [alone.data, alone.prediction, alone.total, found.data, found.prediction, found.total]
    np.testing.assert_allclose([part.value for part in values], expected, rtol=1e-12)


def test_jackknife_equals_leaving_questions_out(pair):
    for name in ("prediction", "data", "total"):
        found = getattr(stats.paired_noise(pair, "A", "B"), name)
        left_out = []
        for question in range(25):
            rest = pair.select(questions=np.arange(25) != question)
            left_out.append(getattr(stats.paired_noise(rest, "A", "B"), name).value)
        se = np.sqrt(24 / 25 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
        assert found.jackknife_se == pytest.approx(se, rel=1e-9)
        assert found.interval[0] < found.value < found.interval[1]


def test_standard_errors_and_reruns(pair):
    parts, estimate = stats.noise_components(pair, "A"), stats.score(pair, "A")
    assert parts.se_total == pytest.approx(np.sqrt(parts.total.value / 25))
    assert parts.se_total**2 == pytest.approx(parts.se_data**2 + parts.se_prediction**2)
    assert parts.se_if_rerun(1) == pytest.approx(parts.se_total)
    assert parts.se_if_rerun(math.inf) == pytest.approx(parts.se_data)
    even = scores_of(np.random.default_rng(3).binomial(5, 0.5, (1, 30)), 5).resolve()
    assert stats.noise_components(even, "A").se_if_rerun(5) == pytest.approx(stats.score(even, "A").se)
    assert estimate.se < parts.se_total
    paired = stats.paired_noise(pair, "A", "B")
    a, b = paired.prediction_by_agent
    assert paired.se_if_rerun(2, 7) == pytest.approx(np.sqrt((paired.data.value + a / 2 + b / 7) / 25))
    assert paired.se_if_rerun(4) == paired.se_if_rerun(4, 4)
    for samples in ((), (1, 2, 3), (0,), (0.5, 1)):
        with pytest.raises(StatisticsError, match="number of samples"):
            paired.se_if_rerun(*samples)


def test_a_single_sample_shows_only_the_total():
    scores = scores_of([[1, 0, 1, 1], [3, 0, 2, 2]], [[1], [3]]).resolve()
    alone = stats.noise_components(scores, "A")
    assert math.isnan(alone.prediction.value)
    assert math.isnan(alone.data.value)
    assert alone.total.value == pytest.approx(np.var([1, 0, 1, 1], ddof=1))
    assert alone.reason.startswith("4 of 4 questions have a single sample")
    assert math.isnan(alone.se_if_rerun(5))
    assert math.isnan(alone.intraclass_correlation)
    paired = stats.paired_noise(scores, "A", "B")
    within = scores.within[1]
    gap = scores.mean[0] - scores.mean[1]
    # Only B has several samples: S_D² - w_B + V_pB.
    assert paired.total.value == pytest.approx(np.var(gap, ddof=1) - np.mean(within / 3) + within.mean())
    assert math.isnan(paired.prediction_by_agent[0])
    assert paired.prediction_by_agent[1] == pytest.approx(within.mean())


def test_some_single_samples_are_said_and_can_be_left_out():
    scores = scores_of([[1, 2, 4, 0, 5], [0, 3, 1, 2, 5]], [[1, 5, 5, 5, 5], [5, 5, 5, 5, 5]]).resolve()
    assert stats.noise_components(scores, "A").reason.startswith("1 of 5 questions have a single sample")
    assert stats.noise_components(scores, "B").reason is None
    repeated = stats.noise_components(scores.repeated(), "A")
    assert (repeated.n, repeated.reason) == (4, None)


def test_a_negative_data_variance_is_kept():
    """Questions that are all alike: the estimate scatters around zero."""
    parts = stats.noise_components(scores_of([[2, 3, 2, 3, 2, 3]], 5).resolve(), "A")
    assert parts.data.value < 0
    assert parts.data.value == pytest.approx(parts.total.value - parts.prediction.value)
    assert math.isnan(parts.se_data)
    assert math.isnan(parts.se_if_rerun(math.inf))
    assert parts.se_total > 0


def test_the_total_of_yes_no_results_is_the_image_of_the_score():
    resolved = scores_of(np.random.default_rng(8).binomial(5, 0.5, (1, 30)), 5).resolve()
    low, high = stats.score(resolved, "A").interval
    found = stats.noise_components(resolved, "A").total
    assert low < 0.5 < high
    assert found.interval == pytest.approx((min(low * (1 - low), high * (1 - high)), 0.25))
    assert found.interval[0] <= found.value <= found.interval[1]


def test_too_few_questions():
    resolved = scores_of([[2], [3]], 5).resolve()
    parts = stats.noise_components(resolved, "A")
    assert parts.reason == "1 question; at least two are needed"
    assert math.isnan(parts.total.value)
    assert math.isnan(parts.se_total)
    two = stats.noise_components(scores_of([[2, 3]], 5).resolve(), "A")
    assert not math.isnan(two.total.value)
    assert math.isnan(two.data.jackknife_se)
    assert two.reason == "2 questions; intervals need at least three"
    empty = scores_of([[0, 0]], 0)
    assert stats.noise_components(empty.resolve(Policy(missing="drop")), "A").n == 0


def test_questions_that_all_gave_the_same_have_an_interval():
    """Five passes of five on every question show a variance of 0, but not that it is surely 0."""
    resolved = scores_of([[5] * 30, [5] * 30], 5).resolve()
    for parts in (stats.paired_noise(resolved, "A", "B"), stats.noise_components(resolved, "A")):
        assert (parts.prediction.value, parts.data.value, parts.total.value) == (0, 0, 0)
        for part in (parts.prediction, parts.data, parts.total):
            assert math.isnan(part.jackknife_se)
            assert part.interval[0] <= 0 < part.interval[1] < 0.2
        assert parts.reason.endswith("no standard error of prediction, data, total")
    # Three passes of five everywhere: the variance between questions may be as small as 0, and is not large.
    even = stats.noise_components(scores_of([[3] * 30], 5).resolve(), "A")
    assert even.data.interval[0] <= even.data.value < 0 <= even.data.interval[1]


def test_where_few_questions_decide_the_bounds_give_the_interval_of_the_data_variance():
    """Two of thirty questions are passed: 28 more draws without one of them would show nothing."""
    resolved = scores_of([[5, 4] + [0] * 28, [4, 0] + [0] * 28], 5).resolve()
    for parts in (stats.noise_components(resolved, "A"), stats.paired_noise(resolved, "A", "B")):
        (low, high), (least, most) = parts.total.interval, parts.prediction.interval
        assert parts.data.interval == pytest.approx((low - most, high - least))
        assert low <= parts.total.value <= high
        assert "is what those of total and prediction leave" in parts.notes[0]
    mirrored = stats.paired_noise(resolved, "B", "A")
    assert mirrored.data.interval == pytest.approx(parts.data.interval)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("questions", [20, 40])
def test_interval_of_the_data_variance(level, questions):
    """Written out with the correlation of both parts; more to the right than to the left; the same for B - A."""
    rng = np.random.default_rng([questions, 33])
    samples = rng.integers(2, 6, (2, questions))
    resolved = scores_of(rng.binomial(samples, rng.random((2, questions))), samples).resolve()
    found = stats.paired_noise(resolved, "A", "B", level=level).data
    gap, noise = resolved.mean[0] - resolved.mean[1], (resolved.within / resolved.n).sum(axis=0)
    kept = [np.arange(questions) != i for i in range(questions)]
    variances, noises = (np.array(left) for left in zip(*((gap[k].var(ddof=1), noise[k].mean()) for k in kept)))
    errors = [math.sqrt((questions - 1) * part.var()) for part in (variances, noises)]
    spread, (se, se_noise), rho = gap.var(ddof=1), errors, np.corrcoef(variances, noises)[0, 1]
    t, z = scipy_stats.t.ppf(0.5 + level / 2, questions - 1), scipy_stats.norm.ppf(0.5 + level / 2)
    c = questions / max(1, questions - z)
    ends = []
    for sign, end in ((-1, spread * np.exp(-t * se / spread)), (1, c * spread * np.exp(z * c * se / spread))):
        a, b = abs(end - spread), t * se_noise
        ends.append(found.value + sign * math.sqrt(a * a + b * b - 2 * rho * a * b))
    assert found.interval == pytest.approx(tuple(ends), rel=1e-9)
    low, high = found.interval
    assert high - found.value > found.value - low > 0
    assert stats.paired_noise(resolved, "B", "A", level=level).data.interval == found.interval


def test_graded_scores_divide_too():
    rng = np.random.default_rng(9)
    values = np.clip(rng.random(20)[:, None] + rng.normal(0, 0.1, (20, 4)), 0.01, 0.99)
    rows = [("A", f"q{i:02}", j, values[i, j]) for i in range(20) for j in range(4)]
    parts = stats.noise_components(Scores.from_rows(rows).resolve(), "A")
    assert parts.prediction.value == pytest.approx(values.var(axis=1, ddof=1).mean())
    assert parts.data.value == pytest.approx(values.mean(axis=1).var(ddof=1) - values.var(axis=1, ddof=1).mean() / 4)
    low, high = parts.total.interval
    assert high - parts.total.value == pytest.approx(parts.total.value - low)
