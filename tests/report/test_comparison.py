"""Two agents compared: against reference values, from both sides, and in words."""

import itertools

import msgspec
import pytest
from report_studies import reference, study, task, trial

from honestly.comparisons import comparison
from honestly.errors import AgentError, StatisticsError
from honestly.records import Outcome
from honestly.scores import find_agent
from honestly.stats import Policy

FIXED = ["a", "b", "n", "difference", "se", "interval", "p_value", "verdict"]
P, F, V = Outcome.PASSED, Outcome.FAILED, Outcome.VOID


def cells(path, a, b):
    """A study of agents `a` and `b` from their passes per task, out of five samples; None is a void sample more."""
    tasks = sorted({*a, *b})
    trials = [
        trial(name, t, k, P if k < passes else F)
        for name, results in (("a", a), ("b", b))
        for t, passes in results.items()
        for k in range(5)
    ]
    return study(path, ["a", "b"], [task(t) for t in tasks], trials)


@pytest.mark.slow
def test_every_terminal_bench_pair_equals_the_reference_from_both_sides(bench):
    for pair in reference("terminal_bench_9.json")["pairs"]:
        golden = pair["honest"]
        one, other = comparison(bench, pair["a"], pair["b"]), comparison(bench, pair["b"], pair["a"])
        assert one.n == golden["n"]
        assert one.difference == pytest.approx(golden["diff"], abs=1e-9)
        assert one.independent.se == pytest.approx(golden["se"], abs=1e-9)
        assert one.independent.p_value >= golden["p_t"] * (1 - 1e-9)  # where t alone says too much, Gaffke's
        assert (one.se, one.interval, one.p_value) == (one.robust.se, one.robust.interval, one.robust.p_value)
        assert one.p_value == other.p_value
        assert one.difference == -other.difference
        assert one.interval == pytest.approx((-other.interval[1], -other.interval[0]))
        assert one.sentence == other.sentence
        assert {one.verdict, other.verdict} in ({"a is ahead", "b is ahead"}, {"cannot tell"})
        assert (one.wins, one.losses) == (other.losses, other.wins)
        assert one.needs.detectable == pytest.approx(other.needs.detectable)


@pytest.mark.slow
def test_the_sentence_says_what_the_numbers_say(bench):
    report = comparison(bench, "droid_claude-4-1-opus", "ob1")
    assert (report.a, report.b) == ("20250923_droid_claude-4-1-opus", "ob1-09-10-25")
    assert report.verdict == "cannot tell"
    assert report.sentence == (
        "20250923_droid_claude-4-1-opus is ahead of ob1-09-10-25 by 2.0 points, but the data cannot tell the two apart "
        "(p = 0.70; 95% interval −8.4 to +12.4, 80 tasks)."
    )
    assert report.chance == pytest.approx((report.interval[1] - report.interval[0]) / 2)
    assert "turns on how trials without a verdict count" in report.caution
    clear = comparison(bench, "droid_claude-4-1-opus", "qwen")
    assert clear.verdict == "a is ahead"
    assert "by 39.5 points (p < 0.0001; 95% interval +28.5 to +50.5, 80 tasks)." in clear.sentence
    assert clear.caution == ""


@pytest.mark.slow
def test_equal_scores_are_called_equal(bench):
    report = comparison(bench, "openhands", "goose")
    assert report.verdict == "cannot tell"
    assert "have the same score (95% interval −10.0 to +10.0, 80 tasks): the data cannot tell" in report.sentence


@pytest.mark.slow
def test_deciding_tasks_add_up_to_the_difference(bench):
    report = comparison(bench, "droid_claude-4-1-opus", "openhands")
    assert sum(task.difference for task in report.deciding) / report.n == pytest.approx(report.difference)
    assert [abs(t.difference) for t in report.deciding] == sorted(
        (abs(t.difference) for t in report.deciding), reverse=True
    )
    assert len(report.deciding) == report.wins + report.losses == report.n - report.ties


@pytest.mark.slow
def test_what_it_takes_grows_as_gaps_shrink(bench):
    needs = comparison(bench, "droid_claude-4-1-opus", "ob1").needs
    sizes = [size.questions for size in needs.sizes]
    assert sizes == sorted(sizes)
    assert sizes[0] > 80
    assert all(size.questions_at_one > size.questions for size in needs.sizes)
    assert needs.detectable_at_most_samples < needs.detectable
    assert needs.samples == (5, 5)


@pytest.mark.published
def test_json_has_the_fixed_keys_first_and_says_why_something_is_null(bench, tmp_path):
    plain = msgspec.json.decode(msgspec.json.encode(comparison(bench, "ob1", "goose").to_plain()))
    assert list(plain)[: len(FIXED)] == FIXED
    single = comparison(cells(tmp_path / "x", {"t": 5}, {"t": 0}), "a", "b")
    assert single.verdict == "not estimable"
    plain = msgspec.json.decode(msgspec.json.encode(single.to_plain()))
    assert plain["se"] is plain["p_value"] is None
    assert plain["interval"] == pytest.approx([-0.95, 1.0], abs=1e-5)
    assert plain["difference"] == 1.0
    assert "the standard error needs two" in plain["reasons"]["se"]
    assert "needs two" in plain["sentence"]


def test_clusters_can_take_a_verdict_back(tmp_path):
    """Twenty tasks of four repositories, in which a is always ahead together: four observations, not twenty."""
    a = {f"org__repo{r}-{i}": 5 if r < 3 else 1 for r in range(4) for i in range(5)}
    b = {f"org__repo{r}-{i}": 1 + (i % 2) for r in range(4) for i in range(5)}
    report = comparison(cells(tmp_path / "x", a, b), "a", "b")
    assert report.independent.p_value < 0.05 < report.p_value == report.robust.p_value
    assert report.robust.clusters == 4
    assert report.verdict == "cannot tell"
    assert "but the data cannot tell the two apart (p" in report.sentence
    assert " if tasks were independent; 95% interval" in report.sentence


def test_agents_without_common_tasks(tmp_path):
    report = comparison(cells(tmp_path / "x", {"t1": 3, "t2": 2}, {"t3": 3}), "a", "b")
    assert report.n == 0
    assert report.verdict == "not estimable"
    assert "no task in common" in report.sentence
    assert report.needs.sizes == ()


@pytest.mark.published
def test_a_policy_can_be_declared(bench):
    report = comparison(bench, "droid_claude-4-1-opus", "ob1", Policy(limit="fail", void="drop", missing="drop"))
    assert report.difference < 0
    assert report.policy.void == "drop"
    assert "failed" in {other.name for other in report.other_policies}
    with pytest.raises(StatisticsError, match="samples are void"):
        comparison(bench, "ob1", "goose", Policy(limit="fail", missing="drop"))


def test_impossible_tasks_are_not_compared(tmp_path):
    trials = [trial(n, t, k, P if n == "a" and k else F) for n in "ab" for t in ("t", "u", "x") for k in range(3)]
    made = study(tmp_path / "x", ["a", "b"], [task("t"), task("u"), task("x", impossible=True)], trials)
    assert comparison(made, "a", "b").n == 2
    only = study(tmp_path / "y", ["a", "b"], [task("x", impossible=True)], [])
    with pytest.raises(StatisticsError, match="no standard task"):
        comparison(only, "a", "b")


@pytest.mark.published
def test_an_agent_is_not_compared_with_itself(bench):
    with pytest.raises(StatisticsError, match="itself"):
        comparison(bench, "ob1", "ob1-09")


NAMES = ["2025_droid_claude-4-1-opus", "2025_droid_claude-4-sonnet", "ob1-09-10-25", "ob1"]


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("ob1", "ob1"), ("ob1-09", "ob1-09-10-25"), ("OPUS", NAMES[0]), ("4-sonnet", NAMES[1]), (NAMES[1], NAMES[1])],
)
def test_agents_are_found_by_name_or_by_a_part_that_only_they_have(wanted, name):
    assert find_agent(NAMES, wanted) == name


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("droid", r"fits several agents: 2025_droid_claude-4-1-opus, 2025_droid_claude-4-sonnet; give more"),
        ("ob2", r"there is no agent 'ob2' \(did you mean 'ob1'\?\); the study has: 2025_droid"),
        ("zzz", r"there is no agent 'zzz'; the study has"),
        ("\x1b[31m", r"there is no agent '\\\\x1b\[31m'"),
        ("", "there is no agent"),
    ],
)
def test_unknown_agents_are_answered_with_those_there_are(wanted, message):
    with pytest.raises(AgentError, match=message):
        find_agent(NAMES, wanted)


def test_long_lists_of_names_are_cut():
    with pytest.raises(AgentError, match="and 80 more"):
        find_agent([f"agent-{i:03d}" for i in range(100)], "nobody")
    with pytest.raises(AgentError, match="has: none"):
        find_agent([], "nobody")


def test_symmetry_holds_for_small_and_odd_studies(tmp_path):
    for i, (x, y) in enumerate(itertools.product(({"t": 5, "u": 0, "v": 3}, {"t": 1, "u": 1}), repeat=2)):
        made = cells(tmp_path / str(i), x, y)
        one, other = comparison(made, "a", "b"), comparison(made, "b", "a")
        assert one.p_value == other.p_value
        assert one.difference == -other.difference


def test_a_gap_that_cannot_be_known_is_not_printed_as_one(tmp_path):
    trials = [trial(name, t, 0, V) for name in "ab" for t in "xyz"]
    with study(tmp_path / "s.honestly", ["a", "b"], [task(t) for t in "xyz"], trials) as store:
        sentence = comparison(store, "a", "b").sentence
    assert "the same score" in sentence
    assert "the data cannot tell the two apart" in sentence
    assert "–" not in sentence


def test_more_samples_are_never_said_to_find_less(tmp_path):
    """Of ten tasks with nearly all noise within: the upper end of what lies between tasks is above all there is."""
    cells = [(a, i, k) for a in "ab" for i in range(10) for k in range(5)]
    trials = [
        trial(a, f"t{i}", k, Outcome.PASSED if (i * 7 + k * 3 + (a == "a")) % 5 < 2 else Outcome.FAILED)
        for a, i, k in cells
    ]
    made = comparison(study(tmp_path / "s", "ab", [task(f"t{i}") for i in range(10)], trials, samples=5), "a", "b")
    low, high = made.needs.floor_interval
    assert low < made.needs.detectable <= high
    assert f"more samples of the same tasks bring that to {100 * low:.1f} at best" in " ".join(str(made).split())


def test_a_policy_that_turns_the_verdict_is_shown_where_it_leaves_both_scores_as_they_are(tmp_path):
    names = [f"t{at:02}" for at in range(50)]
    rows = [trial("a", name, 0, V if at < 20 else P) for at, name in enumerate(names)]
    rows += [trial("b", name, 0, F if at < 15 else P) for at, name in enumerate(names)]
    found = comparison(study(tmp_path / "s", ["a", "b"], [task(name) for name in names], rows), "a", "b")
    # Left out and passed, a has 100% and b 70%; but left out it is of the 30 tasks at which both always pass.
    assert [(other.name, other.difference) for other in found.other_policies] == [
        ("left out", pytest.approx(0.0)),
        ("passed", pytest.approx(0.3)),
    ]
    assert "Who is ahead turns on how trials without a verdict count" in found.caution
