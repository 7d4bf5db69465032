"""One score and one pair: methods, refusals, and NaN with a reason instead of a comfortable number."""

import math

import numpy as np
import pytest

from honestly import stats
from honestly.errors import StatisticsError
from honestly.stats import Estimand, Policy, Scores


def scores_of(passed, samples, **more):
    passed = np.atleast_2d(passed)
    agents, questions = "ABCDEFGH"[: len(passed)], [f"q{i}" for i in range(passed.shape[1])]
    return Scores.from_counts(list(agents), questions, passed, np.asarray(samples) - passed, **more)


@pytest.fixture
def rng():
    return np.random.default_rng(14)


@pytest.fixture
def five(rng):
    """Two agents, 30 questions, 5 samples."""
    return scores_of(rng.binomial(5, rng.random((2, 30))), 5)


class TestScore:
    def test_t_equals_scipy(self, five):
        distributions = pytest.importorskip("scipy.stats")
        resolved = five.resolve()
        found = stats.score(resolved, "A", level=0.9)
        values = resolved.mean[0]
        expected = distributions.ttest_1samp(values, 0).confidence_interval(0.9)
        assert found.interval == pytest.approx((expected.low, expected.high))
        assert found.se == pytest.approx(distributions.sem(values))
        assert (found.n, found.trials, found.df) == (30, 150, 29)
        assert found.estimand is Estimand.NEW_QUESTIONS
        assert found.reason is None

    def test_trials_are_never_pooled(self):
        """1 of 1 and 0 of 9: the score is a half, not a tenth."""
        found = stats.score(scores_of([[1, 0]], [1, 9]).resolve(), "A")
        assert found.mean == 0.5

    def test_single_samples_get_wilson(self):
        found = stats.score(scores_of([[1] * 40 + [0] * 40], 1).resolve(), "A")
        assert found.method == "Wilson's interval"
        assert found.interval == tuple(float(end) for end in stats.wilson_interval(40, 80))
        found = stats.score(scores_of([[1] * 3 + [0] * 17], 1).resolve(), "A")
        assert found.method == "Clopper and Pearson's interval"
        assert found.interval == tuple(float(end) for end in stats.clopper_pearson_interval(3, 20))
        assert found.claim.approximate.interval == tuple(float(end) for end in stats.wilson_interval(3, 20))
        assert math.isnan(found.se_fixed)
        assert "20 of 20 questions have a single sample" in found.notes[-1]

    @pytest.mark.parametrize("samples", [1, 5])
    @pytest.mark.parametrize("share", [0, 1])
    def test_all_or_nothing_has_no_zero_width(self, samples, share):
        found = stats.score(scores_of([[samples * share] * 12], samples).resolve(), "A")
        assert found.mean == share
        assert math.isnan(found.se)
        assert "the same value" in found.reason
        exact = [float(end) for end in stats.clopper_pearson_interval(12 * share, 12)]
        assert found.interval == pytest.approx(exact, abs=1e-5)

    def test_equal_clusters_count_as_the_units(self):
        scores = scores_of([[5] * 12], 5).with_clusters(["x"] * 6 + ["y"] * 6)
        found = stats.score(scores.resolve(), "A")
        assert math.isnan(found.se)
        exact = [float(end) for end in stats.clopper_pearson_interval(2, 2)]
        assert found.interval == pytest.approx(exact, abs=1e-5)

    def test_near_the_edge(self):
        found = stats.score(scores_of([[1] + [0] * 19], 5).resolve(), "A")
        assert "Gaffke" in found.method
        assert found.claim.headline == "guaranteed"
        assert 0 == found.interval[0] < found.mean < found.claim.approximate.interval[1] < found.interval[1]
        plain = stats.score(scores_of([[1] + [0] * 19], 5).resolve(), "A", method="t")
        assert plain.interval[0] == 0

    def test_one_question(self):
        found = stats.score(scores_of([[2]], 4).resolve(), "A")
        assert math.isnan(found.se)
        assert found.reason == "one question; the standard error needs two"
        assert found.interval == pytest.approx((0.0125, 0.9875), abs=1e-3)

    def test_nothing_left(self):
        resolved = scores_of([[0, 0]], 0, void=2).resolve(Policy(void="drop"))
        found = stats.score(resolved, "A")
        assert (found.n, found.reason) == (0, "no question has a sample that counts")
        assert all(math.isnan(value) for value in (found.mean, found.se, found.se_fixed, *found.interval))

    def test_one_cluster(self):
        found = stats.score(scores_of([[1, 0, 1]], 1).with_clusters(["x"] * 3).resolve(), "A")
        assert found.reason.startswith("all questions are in one cluster")
        assert all(math.isnan(value) for value in (found.se, *found.interval))

    def test_clusters_warn_when_they_are_few(self, five):
        resolved = five.with_clusters(["x"] * 10 + ["y"] * 12 + ["z"] * 8).resolve()
        found = stats.score(resolved, "A")
        assert found.clusters.clusters == 3
        assert found.method == "CR2 over clusters, Bell-McCaffrey t interval, and Gaffke's test"
        assert any("3 clusters that count as 2.9" in note for note in found.notes)

    def test_fixed_error_is_the_smaller(self, five):
        resolved = five.resolve()
        found = stats.score(resolved, "A")
        assert found.se_fixed == pytest.approx(np.sqrt((resolved.within[0] / 5).sum()) / 30)
        assert found.se_fixed < found.se

    def test_weights_are_in_both_mean_and_error(self, five):
        weights = {f"q{i}": 1.0 + i for i in range(30)}
        resolved = five.with_weights(weights).resolve()
        found, values = stats.score(resolved, "A"), np.array(list(weights.values()))
        assert found.mean == pytest.approx(np.average(resolved.mean[0], weights=values))
        assert found.se == pytest.approx(float(stats.clustered_mean(resolved.mean[0], np.arange(30), values).se))
        doubled = stats.score(five.with_weights({name: 2 * w for name, w in weights.items()}).resolve(), "A")
        assert doubled.se == pytest.approx(found.se)

    def test_refusals(self, five):
        with pytest.raises(StatisticsError, match="needs clusters"):
            stats.score(five.resolve(), "A", method="cluster")
        with pytest.raises(StatisticsError, match="yes/no samples that agree"):
            stats.score(five.resolve(), "A", method="wilson")
        with pytest.raises(StatisticsError, match="no agent 'Z'"):
            stats.score(five.resolve(), "Z")
        with pytest.raises(StatisticsError, match="level=95"):
            stats.score(five.resolve(), "A", level=95)

    def test_all_agents(self, five):
        resolved = five.resolve()
        assert [found.agent for found in stats.score_all(resolved)] == ["A", "B"]


class TestCompare:
    def test_t_equals_scipy(self, five):
        distributions = pytest.importorskip("scipy.stats")
        resolved = five.resolve()
        found, expected = stats.compare(resolved, "A", "B"), distributions.ttest_rel(*resolved.mean)
        assert found.method == "paired t test over questions"
        assert (found.statistic, found.df) == (pytest.approx(expected.statistic), 29)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-11)
        interval = expected.confidence_interval()
        assert found.interval == pytest.approx((interval.low, interval.high))
        assert found.wins + found.losses + found.ties == found.n == 30

    def test_unpaired_equals_welch(self, five):
        distributions = pytest.importorskip("scipy.stats")
        resolved = five.resolve()
        found = stats.compare_unpaired(resolved, "A", "B")
        expected = distributions.ttest_ind(*resolved.mean, equal_var=False)
        assert found.difference / found.se == pytest.approx(expected.statistic)
        assert found.df == pytest.approx(expected.df)
        interval = expected.confidence_interval()
        assert found.interval[0] <= interval.low < interval.high <= found.interval[1]
        assert found.p_value >= expected.pvalue
        assert "the agents share 30 questions" in found.notes[-1]

    def test_unpaired_of_disjoint_questions(self):
        scores = scores_of(
            [[3, 1, 0, 0], [0, 0, 2, 5]], [[5, 5, 0, 0], [0, 0, 5, 5]], planned=[[5, 5, 0, 0], [0, 0, 5, 5]]
        )
        found = stats.compare_unpaired(scores.resolve(), "A", "B")
        assert found.n == (2, 2)
        assert found.difference == pytest.approx(-0.3)
        paired = stats.compare(scores.resolve(), "A", "B")
        assert paired.reason == "the agents have 0 tasks in common; the standard error needs two"
        assert all(math.isnan(v) for v in (paired.difference, paired.se, paired.p_value, *paired.interval))

    def test_unpaired_without_variance(self):
        found = stats.compare_unpaired(scores_of([[1, 1], [0, 1]], 1).resolve(), "A", "B")
        assert math.isnan(found.se)
        assert found.interval[0] < 0 < found.interval[1]
        assert found.p_value > 0.05
        one = stats.compare_unpaired(scores_of([[1], [0]], 1).resolve(), "A", "B")
        assert one.reason.startswith("at least one score is of a single question")
        assert all(math.isnan(value) for value in (one.se, one.p_value, *one.interval))

    def test_a_fall_to_nothing_is_seen(self):
        """From 93% of 40 old questions to none of 10 new ones; Welch's test has no error for the new."""
        n = np.array([[1] * 10 + [0] * 40, [0] * 10 + [1] * 40])
        passed = np.array([[0] * 50, [0] * 10 + [1] * 37 + [0] * 3])
        found = stats.compare_unpaired(scores_of(passed, n, planned=n).resolve(), "A", "B")
        assert found.difference == pytest.approx(-0.925)
        assert found.p_value < 1e-4
        assert -1 <= found.interval[0] < found.interval[1] < -0.5

    def test_an_agent_is_never_compared_with_itself(self, five):
        for function in (stats.compare, stats.compare_unpaired, stats.paired_noise):
            with pytest.raises(StatisticsError, match="'A' cannot be compared with itself"):
                function(five.resolve(), "A", "A")

    def test_two_names_for_the_same_samples_are_noticed(self, rng):
        passed = rng.binomial(5, rng.random(30))
        found = stats.compare(scores_of([passed, passed], 5).resolve(), "A", "B")
        assert any("two names for the same samples" in note for note in found.notes)
        assert math.isnan(found.se)
        assert found.p_value == 1
        assert (
            found.reason == "the difference is the same on all 30 questions, so that its variance cannot be estimated"
        )

        unseen = 1 - 0.025 ** (1 / 30)
        assert found.interval == pytest.approx((-unseen, unseen), abs=1e-5)

    def test_an_interval_in_every_case(self):
        """Equal differences bound how often there is another one; the bound counts clusters and weights, not rows."""
        same = scores_of([[5] * 12, [0] * 12], 5)
        unseen = 1 - 0.025 ** (1 / 12)
        assert stats.compare(same.resolve(), "A", "B", method="t").interval == pytest.approx(
            (1 - 2 * unseen, 1), abs=1e-5
        )
        assert (
            stats.compare(same.resolve(), "A", "B").interval
            == stats.compare(scores_of([[1] * 12, [0] * 12], 1).resolve(), "A", "B").interval
        )
        assert stats.compare(same.resolve(), "B", "A", method="t").interval == pytest.approx(
            (-1, 2 * unseen - 1), abs=1e-5
        )
        clusters = same.with_clusters([f"c{i // 2}" for i in range(12)])
        assert stats.compare(clusters.resolve(), "A", "B").interval[0] == pytest.approx(
            1 - 2 * (1 - 0.025 ** (1 / 6)), abs=1e-5
        )
        heavy = same.with_weights({name: 11.0 if name == "q0" else 1.0 for name in same.questions})
        weighted = 1 - 2 * (1 - 0.025 ** ((121 + 11) / 22**2))
        assert stats.compare(heavy.resolve(), "A", "B").interval[0] == pytest.approx(weighted, abs=1e-5)
        cancel = scores_of([[1, 0, 1, 0] * 100, [0, 1, 0, 1] * 100], 1).with_clusters(
            [f"c{i // 2}" for i in range(400)]
        )
        found = stats.compare(cancel.resolve(), "A", "B")
        assert math.isnan(found.se)
        assert found.interval[1] == pytest.approx(1 - 0.025 ** (1 / 200), abs=1e-5)  # all clusters are alike
        one = stats.compare(scores_of([[1], [0]], 1).resolve(), "A", "B")
        assert one.interval == pytest.approx((-0.95, 1), abs=1e-5)

    def test_equal_differences_seldom_hide_a_mean_outside_their_interval(self, rng):
        """The worst case: A loses everything on a rare share of questions and wins a little on all others."""
        missed = []
        for rare in (0.05, 0.1, 0.15, 0.2, 0.3):
            hidden = ~(rng.random((4_000, 20)) < rare).any(axis=1)
            low, _ = stats.MeanQuestion(0.1, math.nan, 19.0, np.full(20, 0.1)).claim(0.95).answer.interval
            missed.append(hidden.mean() * (0.1 - 1.1 * rare < low))
        assert max(missed) <= 0.055

    def test_shared_samples_keep_the_difference_and_lose_the_components(self, five):
        resolved = five.with_shared_samples(["A", "B"]).resolve()
        found, plain = stats.compare(resolved, "A", "B"), stats.compare(five.resolve(), "A", "B")
        assert (found.difference, found.se, found.p_value) == (plain.difference, plain.se, plain.p_value)
        assert math.isnan(found.noise.total.value)
        assert "share samples" in found.noise.reason
        assert any("share samples" in note for note in found.notes)

    def test_single_samples_get_mid_p(self):
        scores = scores_of([[1] * 9 + [0] * 11, [0] * 7 + [1] * 3 + [0] * 10], 1)
        found = stats.compare(scores.resolve(), "A", "B")
        assert (found.wins, found.losses, found.ties) == (7, 1, 12)
        assert found.p_value == float(stats.mcnemar_mid(7, 1))
        exact = stats.compare(scores.resolve(), "A", "B", method="mcnemar-exact")
        assert exact.p_value == float(stats.mcnemar_exact(7, 1)) > found.p_value

    def test_single_samples_that_never_disagree(self):
        found = stats.compare(scores_of([[1, 0, 1], [1, 0, 1]], 1).resolve(), "A", "B")
        assert found.p_value == 1
        assert math.isnan(found.se)

    def test_missing_questions_leave_the_pair(self):
        scores = scores_of([[5, 3, 0, 2], [1, 0, 4, 1]], [[5, 5, 0, 5], [5, 0, 5, 5]])
        resolved = scores.resolve(Policy(missing="drop"))
        found = stats.compare(resolved, "A", "B")
        assert found.n == 2
        assert found.difference == pytest.approx((0.8 + 0.2) / 2)
        assert "2 tasks in common; the agents have 3 and 3" in found.notes

    def test_clusters_decide_the_method_and_can_be_overruled(self, five):
        resolved = five.with_clusters([f"c{i % 11}" for i in range(30)]).resolve()
        clustered, plain = stats.compare(resolved, "A", "B"), stats.compare(resolved, "A", "B", method="t")
        assert clustered.method.startswith("paired CR2")
        assert clustered.clusters.clusters == 11
        assert clustered.difference == pytest.approx(plain.difference)
        assert plain.clusters is None
        assert "the questions are clustered and this test takes them for independent" in plain.notes

    def test_weights(self, five):
        weights = np.linspace(1, 4, 30)
        resolved = five.with_weights({f"q{i}": w for i, w in enumerate(weights)}).resolve()
        found = stats.compare(resolved, "A", "B")
        assert found.difference == pytest.approx(np.average(resolved.mean[0] - resolved.mean[1], weights=weights))
        assert found.noise.reason == "the questions have unequal weights, for which noise components are not defined"
        with pytest.raises(StatisticsError, match="equally weighted"):
            stats.compare(resolved, "A", "B", method="sign-flip")

    def test_sign_flips(self, five):
        resolved = five.resolve()
        found = stats.compare(resolved, "A", "B", method="sign-flip")
        assert found.p_value == stats.sign_flip(resolved.mean[0] - resolved.mean[1])

    def test_fixed_error(self, five):
        resolved = five.resolve()
        expected = np.sqrt((resolved.within / 5).sum()) / 30
        assert stats.compare(resolved, "A", "B").se_fixed == pytest.approx(expected)
        assert math.isnan(stats.compare(scores_of([[1, 0], [0, 1]], 1).resolve(), "A", "B").se_fixed)

    def test_refusals(self, five):
        resolved = five.resolve()
        for method, message in (
            ("cluster", "needs clusters"),
            ("mcnemar-mid", "yes/no samples that agree in each cell"),
            ("wald", "method 'wald' is unknown"),
        ):
            with pytest.raises(StatisticsError, match=message):
                stats.compare(resolved, "A", "B", method=method)
        with pytest.raises(StatisticsError, match="level=0"):
            stats.compare(resolved, "A", "B", level=0)


def test_scores_need_no_call_before_they_are_asked(five):
    resolved = five.resolve()
    assert stats.compare(five, "A", "B") == stats.compare(resolved, "A", "B")
    assert stats.score(five, "A") == stats.score(resolved, "A")
    assert stats.score_all(five) == stats.score_all(resolved)
    assert np.array_equal(stats.compare_all(five).p_value, stats.compare_all(resolved).p_value, equal_nan=True)
    spoilt = scores_of([[1, 0], [0, 1]], 1, void=[[1, 0], [0, 0]])
    for ask in (
        lambda: stats.compare(spoilt, "A", "B"),
        lambda: stats.score(spoilt, "A"),
        lambda: stats.compare_all(spoilt),
    ):
        with pytest.raises(StatisticsError, match="1 samples are void"):
            ask()


def test_importing_and_using_the_room_prints_nothing(capfd, five):
    stats.compare_all(five.resolve())
    stats.rank_intervals(five.resolve(), seed=1, bootstraps=10)
    assert capfd.readouterr() == ("", "")
