"""`Scores`: every way in, everything refused, and what a policy does."""

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from shared_data import terminal_bench

from honestly import stats
from honestly.errors import StatisticsError
from honestly.stats import Policy, Scores
from honestly.stats._retried import until_passed

quick = settings(deadline=None, max_examples=50)

ROWS = [
    ("b", "q2", 0, "passed"),
    ("a", "q1", 0, "passed"),
    ("a", "q1", 1, "failed"),
    ("a", "q2", 0, "limit"),
    ("b", "q1", 0, "void"),
]


def test_rows_become_counts():
    scores = Scores.from_rows(ROWS)
    assert (scores.agents, scores.questions) == (("a", "b"), ("q1", "q2"))
    np.testing.assert_array_equal(scores.passed, [[1, 0], [0, 1]])
    np.testing.assert_array_equal(scores.failed, [[1, 0], [0, 0]])
    np.testing.assert_array_equal(scores.limit, [[0, 1], [0, 0]])
    np.testing.assert_array_equal(scores.void, [[0, 0], [1, 0]])
    assert scores.missing.sum() == 0


def test_bools_and_grades():
    scores = Scores.from_rows(
        [("a", "q", 0, True), ("a", "q", 1, 0), ("a", "q", 2, np.float64(0.25)), ("a", "q", 3, np.bool_(False))]
    )
    assert (scores.passed[0, 0], scores.failed[0, 0], scores.graded.count[0, 0]) == (1, 2, 1)
    resolved = scores.resolve()
    assert resolved.mean[0, 0] == pytest.approx(1.25 / 4)
    assert resolved.within[0, 0] == pytest.approx(np.var([1, 0, 0.25, 0], ddof=1))
    assert not resolved.binary


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([1, 0, 1, 1], "bare list"),
        ([("a", 1)], "expected .agent, question, sample, outcome"),
        (["a,q,0,passed"], "expected .agent, question"),
        ([("a", "q", 0, "success")], "one of passed, failed, limit, void"),
        ([("a", "q", 0, None)], "say 'void'"),
        ([("a", "q", 0, float("nan"))], "number in .0, 1."),
        ([("a", "q", 0, 1.5)], "number in .0, 1."),
        ([("a", "q", 0, True), ("a", "q", 0, False)], r"1 trials occur twice: \('a', 'q', sample 0\)"),
        ([("a", "q", 0, True, "c"), ("a", "q", 1, True, "d")], "in cluster 'c' in one row and in 'd'"),
        ([("a", "q", 0, True, "c"), ("a", "r", 0, True)], "1 questions have no cluster"),
        ([], "no trials were given"),
    ],
)
def test_what_rows_may_not_be(rows, message):
    with pytest.raises(StatisticsError, match=message):
        Scores.from_rows(rows)


def test_duplicates_are_listed_but_not_all_of_them():
    rows = [("a", f"q{i}", 0, True) for i in range(9)] * 2
    with pytest.raises(StatisticsError, match=r"9 trials occur twice: .*'q4'.*, …"):
        Scores.from_rows(rows)


def test_planned_samples_make_missing_ones_visible():
    scores = Scores.from_rows(ROWS, planned=2)
    np.testing.assert_array_equal(scores.missing, [[0, 1], [1, 1]])
    with pytest.raises(StatisticsError, match="'a' has 2 samples of question 'q1', but 1 were planned"):
        Scores.from_rows(ROWS, planned=1)


def test_without_a_plan_only_an_empty_cell_is_missing():
    scores = Scores.from_counts("AB", ["q1", "q2", "q3"], [[2, 1, 0], [1, 1, 1]], [[1, 2, 0], [0, 0, 0]])
    np.testing.assert_array_equal(scores.missing, [[0, 0, 3], [0, 0, 0]])
    # Two counts are equally common: the larger one, which makes the missing cell weigh no less than it might.
    tied = Scores.from_counts("AB", ["q1", "q2", "q3"], [[2, 4, 0], [0, 0, 0]], 0)
    np.testing.assert_array_equal(tied.missing, [[0, 0, 4], [1, 1, 1]])
    with pytest.raises(StatisticsError, match="3 samples are missing, in 1 cells of 1 agents"):
        scores.resolve()


def test_a_question_that_was_not_asked_is_not_missing():
    scores = Scores.from_counts("AB", ["q1", "q2"], [[1, 0], [1, 1]], [[0, 0], [0, 0]], planned=[[1, 0], [1, 1]])
    assert stats.score(scores.resolve(), "A").n == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "a"], ["q"], 1, 0), "found twice: .'a'"),
        (([], ["q"], 1, 0), "no agent"),
        ((["a"], ["q"], 0.5, 0), "whole counts, not rates"),
        ((["a"], ["q"], -1, 0), "must contain counts"),
        ((["a"], ["q"], [[1, 2]], 0), "expected .agents, questions. = "),
    ],
)
def test_what_counts_may_not_be(arguments, message):
    with pytest.raises(StatisticsError, match=message):
        Scores.from_counts(*arguments)


class TestPolicy:
    scores = Scores.from_counts(["a"], ["q1", "q2"], [[2, 0]], [[1, 0]], limit=[[1, 0]], void=[[1, 2]], planned=6)

    @pytest.mark.parametrize("name", ["limit", "void", "missing"])
    def test_nothing_is_decided_silently(self, name):
        declared = {"limit": "fail", "void": "fail", "missing": "fail"} | {name: "error"}
        with pytest.raises(StatisticsError, match=rf"samples are {name}.*Policy\({name}='fail'\)"):
            self.scores.resolve(Policy(**declared))

    @pytest.mark.parametrize(
        ("policy", "n", "mean"),
        [
            (Policy("fail", "fail", "fail"), [6, 6], [2 / 6, 0]),
            (Policy("drop", "drop", "drop"), [3, 0], [2 / 3, np.nan]),
            (Policy("drop", "pass", "drop"), [4, 2], [3 / 4, 1]),
            (Policy("fail", "pass", "pass"), [6, 6], [4 / 6, 1]),
        ],
    )
    def test_choices(self, policy, n, mean):
        resolved = self.scores.resolve(policy)
        np.testing.assert_array_equal(resolved.n, [n])
        np.testing.assert_allclose(resolved.mean, [mean])
        assert f"policy: {policy}" in resolved.notes

    def test_bounds(self):
        low, high = self.scores.bounds(Policy(limit="fail"))
        np.testing.assert_allclose(low.mean, [[2 / 6, 0]])
        np.testing.assert_allclose(high.mean, [[4 / 6, 1]])
        with pytest.raises(StatisticsError, match="limit"):
            self.scores.bounds()

    def test_in_words(self):
        assert str(Policy("fail", "drop")) == "limit counts as failed; void is left out; missing is refused"

    def test_unknown_choice(self):
        with pytest.raises(StatisticsError, match="choose one of error, fail, drop"):
            Policy(limit="pass")


class TestEvalArena:
    def write(self, tmp_path, *rows):
        path = tmp_path / "rows.jsonl"
        path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n\n")
        return path

    def row(self, **changes):
        return {"benchmark_id": "b", "model": "m", "example_id": "e", "pass1": 0.4, "count": 5} | changes

    def test_read(self, tmp_path):
        path = self.write(
            tmp_path,
            self.row(cluster="c1"),
            self.row(example_id="f", pass1=0.25, count=1, cluster="c2"),
            self.row(model="n", condition="full", correct=2),
            self.row(model="n", condition="full", example_id="f", pass1=-1, count=3),
        )
        scores = Scores.from_eval_arena(path)
        assert scores.agents == ("m", "n|full")
        assert scores.clusters == ("c1", "c2")
        np.testing.assert_array_equal(scores.passed, [[2, 0], [2, 0]])
        np.testing.assert_array_equal(scores.failed, [[3, 0], [3, 0]])
        np.testing.assert_array_equal(scores.missing, [[0, 0], [0, 3]])
        assert scores.graded.total[0, 1] == 0.25

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"count": 10, "pass1": 0.125}, "not a number of passes out of count=10; 8 runs would fit"),
            ({"correct": 3}, "equal to correct=3"),
            ({"pass1": 1.5}, "expected a rate"),
            ({"pass1": "often"}, "expected model, example_id"),
            ({"pass1": float("nan")}, "expected a rate"),
            ({"count": 2.5}, "expected a rate"),
            ({"count": 1e300}, "expected a rate"),
            ({"count": None}, "expected model, example_id"),
        ],
    )
    def test_impossible_lines(self, tmp_path, changes, message):
        with pytest.raises(StatisticsError, match=message):
            Scores.from_eval_arena(self.write(tmp_path, self.row(**changes)))

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            (["{"], "line 1: not JSON"),
            (["[1]"], "expected one JSON object, found list"),
            (["{}"], "expected model, example_id"),
            (["[" * 100_000], "not JSON"),
            ([""], "no trials"),
        ],
    )
    def test_hostile_lines(self, tmp_path, lines, message):
        with pytest.raises(StatisticsError, match=message):
            Scores.from_eval_arena(self.write(tmp_path, *lines))

    def test_repeated_question(self, tmp_path):
        with pytest.raises(StatisticsError, match="line 2: a second line for model 'm' on 'e'"):
            Scores.from_eval_arena(self.write(tmp_path, self.row(), self.row()))

    def test_two_benchmarks(self, tmp_path):
        with pytest.raises(StatisticsError, match="mixes the benchmarks"):
            Scores.from_eval_arena(self.write(tmp_path, self.row(), self.row(benchmark_id="c", example_id="f")))


@pytest.mark.parametrize("library", ["pandas", "polars"])
class TestFrames:
    def test_same_as_rows(self, library):
        frames = pytest.importorskip(library)
        columns = dict(zip(("who", "question", "sample", "outcome"), zip(*ROWS, strict=True), strict=True))
        frame = frames.DataFrame({name: list(values) for name, values in columns.items()})
        scores, expected = Scores.from_frame(frame, agent="who"), Scores.from_rows(ROWS)
        assert (scores.agents, scores.questions) == (expected.agents, expected.questions)
        np.testing.assert_array_equal(scores.passed, expected.passed)
        np.testing.assert_array_equal(scores.void, expected.void)

    def test_clusters_and_absent_columns(self, library):
        frames = pytest.importorskip(library)
        data = {"agent": ["a", "a"], "question": ["q", "r"], "sample": [0, 0], "outcome": [True, False], "repo": "xy"}
        frame = frames.DataFrame(data | {"repo": ["x", "y"]})
        assert Scores.from_frame(frame, cluster="repo").clusters == ("x", "y")
        with pytest.raises(StatisticsError, match=r"no column \['family'\]"):
            Scores.from_frame(frame, cluster="family")


def test_a_list_is_no_frame():
    pytest.importorskip("narwhals")
    with pytest.raises(StatisticsError, match="expected a pandas or polars frame, found list"):
        Scores.from_frame([1, 0, 1])


def test_clusters_and_weights():
    scores = Scores.from_counts(["a"], ["x__y-1", "x__y-2", "x__z-3"], 1, 1)
    assert scores.with_clusters(["u", "u", "v"]).clusters == ("u", "u", "v")
    assert scores.with_clusters({"x__y-1": "u", "x__y-2": "u", "x__z-3": "v", "other": "w"}).clusters == ("u", "u", "v")
    with pytest.raises(StatisticsError, match="no cluster for 1 questions"):
        scores.with_clusters({"x__y-1": "u", "x__y-2": "u"})
    with pytest.raises(StatisticsError, match="2 clusters for 3 questions"):
        scores.with_clusters(["u", "v"])
    inferred = scores.with_inferred_clusters()
    assert inferred.clusters == ("x__y", "x__y", "x__z")
    assert "3 questions form 2 clusters by the repository, inferred from their ids" in inferred.resolve().notes
    assert inferred.with_inferred_clusters() is inferred
    plain = Scores.from_counts(["a"], ["one", "two"], 1, 1)
    assert plain.with_inferred_clusters() is plain
    with pytest.raises(StatisticsError, match="positive numbers"):
        scores.with_weights({"x__y-1": 1.0, "x__y-2": 0.0, "x__z-3": 1.0})
    with pytest.raises(StatisticsError, match="positive numbers"):
        scores.with_weights({"x__y-1": 1.0})


@pytest.mark.parametrize(
    ("questions", "pattern", "labels"),
    [
        (["a__b-1", "a__b-22", "c__d-3"], "repository", ("a__b", "a__b", "c__d")),
        (["crack", "crack.easy", "other", "raman.hard"], "variant", ("crack", "crack", "other", "raman")),
        (["q#1", "q#2", "r#1"], "test", ("q", "q", "r")),
        (["123::1", "123::2", "7::1"], "test", ("123", "123", "7")),
        (["a-1", "a-2", "b-1"], None, None),
        (["1873_A", "1873_B"], None, None),
        (["a__b-1", "a__b-2"], None, None),
        (["a__b-1", "c__d-2"], None, None),
        (["x.easy", "y.hard"], None, None),
        (["a__b-1", "a__b-2", "x", "y", "z"], None, None),
    ],
)
def test_clusters_are_inferred_only_where_the_pattern_is_clear(questions, pattern, labels):
    found = stats.infer_clusters(questions)
    assert (found.pattern, found.labels) == (pattern, labels) if pattern else found is None


class TestImpossibleSamples:
    def warnings(self, passed, samples=5):
        passed = np.atleast_2d(passed)
        agents, questions = [f"a{i}" for i in range(len(passed))], [f"q{i}" for i in range(passed.shape[1])]
        return Scores.from_counts(agents, questions, passed, samples - passed).warnings

    def test_no_interior_value_is_reported(self):
        (found,) = self.warnings([[5, 0] * 10, [5, 4] * 10])
        assert (found.kind, found.agent) == ("no-interior", "a0")
        assert "up to 5 samples" in found.message

    @pytest.mark.parametrize("passed", [[0] * 20, [5] * 20, [5, 0] * 4])
    def test_silent_when_it_proves_nothing(self, passed):
        assert self.warnings(passed) == ()

    def test_single_samples_are_no_claim(self):
        assert self.warnings([1, 0] * 20, samples=1) == ()

    def test_a_grade_between_is_interior(self):
        rows = [("a", f"q{i}", k, float(i % 2)) for i in range(20) for k in range(3)]
        assert len(Scores.from_rows(rows).warnings) == 1
        assert Scores.from_rows([*rows, ("a", "q0", 3, 0.5)]).warnings == ()


rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("qrst"), st.integers(0, 3), st.sampled_from([0, 1, 0.3, 0.1])),
    unique_by=lambda row: row[:3],
    min_size=1,
)


@quick
@given(rows, st.randoms())
def test_the_order_of_rows_never_shows(data, random):
    shuffled = list(data)
    random.shuffle(shuffled)
    ours, theirs = (Scores.from_rows(order).resolve(Policy(missing="drop")) for order in (data, shuffled))
    assert (ours.agents, ours.questions) == (theirs.agents, theirs.questions)
    np.testing.assert_array_equal(ours.mean, theirs.mean)
    np.testing.assert_array_equal(ours.within, theirs.within)


def test_parts_of_resolved_scores():
    scores = Scores.from_counts("AB", ["q1", "q2", "q3"], [[2, 1, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 1]])
    resolved = scores.resolve(Policy(missing="drop"))
    common, repeated = resolved.on_common_questions(), resolved.repeated()
    assert common.questions == ("q1", "q2")
    assert "2 of 3 questions that every agent has" in common.notes
    assert common.on_common_questions() is common
    assert repeated.questions == ("q1",)
    assert repeated.repeated() is repeated
    assert resolved.select(agents=["B"]).agents == ("B",)
    with pytest.raises(StatisticsError, match="no agent 'C'; there are A, B"):
        resolved.select(agents=["C"])


def test_in_a_notebook():
    scores = Scores.from_rows([*ROWS, ("b", "q2", 1, 0.5)], planned=2).with_clusters(["x", "y"])
    assert repr(scores) == (
        "<Scores of 2 agents x 2 questions in 2 clusters: "
        "2 passed, 1 failed, 1 limit, 1 void, 2 missing, 1 graded samples>"
    )
    resolved = scores.resolve(Policy("fail", "drop", "drop"))
    assert repr(resolved).startswith("<ResolvedScores of 2 agents x 2 questions, 5 samples; policy: limit counts as")


# --- samples whose number depends on results ------------------------------------------------------------------------


def retried(chances, most=5, seed=1):
    """Every question is tried until it passes, at most so often."""
    tries = np.minimum(np.random.default_rng(seed).geometric(chances), most + 1)
    n, passed = np.minimum(tries, most), (tries <= most).astype(int)
    return Scores.from_counts(["A"], [f"q{i}" for i in range(len(n))], [passed], [n - passed])


def test_retrying_until_a_pass_is_seen_and_said_with_every_result():
    scores = retried(np.random.default_rng(2).beta(2, 3, 80))
    (warning,) = scores.warnings
    assert (warning.kind, warning.agent) == ("samples-depend", "A")
    some = ((scores.planned >= 2) & (scores.planned < 5)).sum()
    assert f"A: {some} of {some} questions with 2 to 4 samples have exactly one pass" in warning.message
    assert warning.message in stats.score(scores.resolve(), "A").notes
    assert warning.message in scores.resolve().notes


def test_the_chance_of_single_passes_is_the_largest_that_there_is():
    passed, n = np.array([1, 1, 1, 1, 1, 1, 0, 5]), np.array([2, 2, 2, 2, 3, 3, 5, 5])
    single, some, chance = until_passed(passed, n)
    assert (single, some) == (6, 6)
    assert chance == pytest.approx(0.5**4 * (4 / 9) ** 2)
    assert until_passed(np.array([1, 1, 1, 1, 0, 0, 0, 5]), n) is None
    assert until_passed(np.array([1, 0, 5]), np.array([5, 5, 5])) is None


@pytest.mark.parametrize(("questions", "least"), [(20, 0.8), (80, 0.99)])
def test_how_often_retrying_is_seen(questions, least):
    rng = np.random.default_rng(questions)
    seen = [bool(retried(rng.beta(2, 3, questions), seed=i).warnings) for i in range(300)]
    print(f"{questions} questions: seen in {np.mean(seen):.2f}")
    assert np.mean(seen) >= least


@pytest.mark.parametrize("law", ["one half", "spread", "hard ones more often"])
def test_fixed_numbers_of_samples_seldom_look_retried(law):
    rng, alarms = np.random.default_rng(5), 0
    for _ in range(400):
        chances = np.full(40, 0.5) if law == "one half" else rng.beta(1, 1, 40)
        n = np.where(chances < 0.5, 4, 2) if law == "hard ones more often" else np.tile([2, 5], 20)
        alarms += until_passed(rng.binomial(n, chances), np.append(n[:-1], 5)) is not None
    assert alarms <= 0.05 * 400


@pytest.mark.published
def test_real_agents_with_unequal_numbers_of_samples_do_not_look_retried():
    agents, tasks, passed, failed, void = terminal_bench()
    scores = Scores.from_counts(agents, tasks, passed, failed, void=void)
    assert (void.sum(axis=1) > 0).sum() > 5
    assert scores.warnings == ()


def test_left_out_samples_are_counted_and_bounded():
    scores = Scores.from_counts(["A", "B"], ["q", "r"], [[2, 1], [4, 4]], [[0, 3], [0, 0]], void=[[2, 0], [0, 0]])
    note = next(note for note in scores.resolve(Policy(void="drop")).notes if "points off" in note)
    assert "2 of 16 samples are left out" in note
    assert "up to 25.0 points off" in note
    lower, upper = scores.bounds()
    shifts = [
        abs(each.mean.mean(axis=1) - scores.resolve(Policy(void="drop")).mean.mean(axis=1)) for each in (lower, upper)
    ]
    assert np.max(shifts) <= 0.25
    assert not any("points off" in note for note in scores.resolve(Policy(void="fail")).notes)
