"""Unfair comparisons are stopped until somebody says that it does not matter, and shown in any case."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from report_studies import study, task, trial

from honestly.comparisons import comparison, diff_report, gate_report, pair_section
from honestly.errors import StatisticsError, UnfairComparisonError
from honestly.leaderboards import leaderboard, score_breakdown
from honestly.leaderboards._ladder import ladder_report
from honestly.records import Agent, Conditions, Defect, Outcome, StudyFacts, Tags, Task
from honestly.scores import UNFAIR, Declared, Pairing
from honestly.store import create_study
from honestly.studies import gate, open as open_study

P, F = Outcome.PASSED, Outcome.FAILED


def tried(path, agents, tasks=None, *, passes=3, **facts):
    """A study in which every agent passes all but the first task."""
    tasks = tasks or [task(f"t{at}") for at in range(6)]
    store = create_study(path, StudyFacts(**facts))
    store.add([*agents, *tasks])
    for agent in agents:
        rows = [
            replace(trial(agent.name, each.id, k, F if not at else P), id=f"{path.name}-{agent.name}-{each.id}-{k}")
            for at, each in enumerate(tasks)
            for k in range(passes)
        ]
        store.add([(row, None, {}) for row in rows])
    return store


def harness(name, version):
    return Agent(name=name, settings={"harness": version})


def what(found):
    return [(each.kind, each.blocks) for each in found.unfair]


@pytest.mark.parametrize(
    ("one", "other", "kinds"),
    [
        (harness("a", "0.2.7"), harness("b", "0.2.17"), [("harness", False)]),
        (harness("a", "0.2.7"), harness("b", "0.3.0"), [("harness", True)]),
        (harness("a", "0.2.7, 0.2.8"), harness("b", "0.2.8"), [("harness", False)] * 2),
        (harness("a", "0.2.7, 0.3.1"), harness("b", ""), [("harness", True)]),
        (harness("a", "0.2.7"), harness("b", ""), []),
        (harness("a", ""), harness("b", ""), []),
        (
            Agent(name="a", program="lm-eval", version="4b5c1f"),
            Agent(name="b", program="lm-eval", version="9c"),
            [("harness", True)],
        ),
        (
            Agent(name="a", program="inspect", version="0.3.1"),
            Agent(name="b", program="inspect", version="0.3.9"),
            [("harness", False)],
        ),
        (Agent(name="a", program="codex", version="1.0"), Agent(name="b", program="codex", version="2.0"), []),
        (
            Agent(name="a", program="inspect", settings={"time_limit": 600}),
            Agent(name="b", program="inspect", settings={"time_limit": 900}),
            [("limits", True)],
        ),
        (
            Agent(name="a", program="inspect", settings={"token_limit": 9}),
            Agent(name="b", program="inspect"),
            [("limits", True)],
        ),
        (Agent(name="a", program="inspect", settings={"token_limit": 9}), Agent(name="b", program="harbor"), []),
        (Agent(name="a", settings={"timeout_multiplier": 2.0}), Agent(name="b", program="other"), [("limits", True)]),
        (Agent(name="a", settings={"max_turns": 5}), Agent(name="b", settings={"max_turns": 50}), []),
        (
            Agent(name="a", settings={"dataset": "core@0.1.1"}),
            Agent(name="b", settings={"dataset": "core@0.2"}),
            [("task-hashes", True)],
        ),
    ],
    ids=lambda value: str(getattr(value, "settings", "")) or None,
)
def test_what_differs_beside_two_agents_of_a_study(tmp_path, one, other, kinds):
    made = tried(tmp_path / "s", [one, other])
    found = comparison(made, "a", "b", declared=Declared(despite=UNFAIR))
    assert what(found) == kinds
    for each in found.unfair:
        assert each.what[1:] in " ".join(str(found).split())
    stopping = {kind for kind, blocks in kinds if blocks}
    if not stopping:
        assert comparison(made, "a", "b").verdict == found.verdict
        return
    with pytest.raises(UnfairComparisonError) as error:
        comparison(made, "a", "b")
    assert all(kind in str(error.value) for kind in stopping)
    assert comparison(made, "a", "b", declared=Declared(despite=stopping)).difference == found.difference
    with pytest.raises(UnfairComparisonError):
        comparison(made, "a", "b", declared=Declared(despite=set(UNFAIR) - stopping))


@pytest.mark.slow
def test_a_report_shows_the_board_and_calls_such_pairs_not_comparable(tmp_path):
    made = tried(tmp_path / "s", [harness("a", "0.2.7"), harness("b", "0.3.0"), harness("c", "0.3.4")])
    board = leaderboard(made)
    assert [row.honest for row in board.agents] == pytest.approx([5 / 6] * 3)
    unlike = {(pair.a, pair.b): pair.not_comparable for pair in board.pairs}
    assert "the harness was of version 0.2.7 for a, 0.3.0 for b" in unlike["a", "b"]
    assert unlike["b", "c"] == ""
    assert any("2 of 3 pairs of agents can't be compared fairly" in text for text in board.warnings)
    allowed = leaderboard(made, declared=Declared(despite=["harness"]))
    assert not any(pair.not_comparable for pair in allowed.pairs)
    # Nothing parts them: no pair, no rank, no group, no rung.
    sure = tried(tmp_path / "u", [harness("a", "0.2.7"), harness("b", "0.3.0")])
    for at in range(20):
        sure.add([task(f"x{at}", category="xy"[at % 2])])
        sure.add([(trial(name, f"x{at}", 0, outcome), None, {}) for name, outcome in (("a", P), ("b", F))])
    apart = leaderboard(sure)
    assert (apart.significance.family, apart.significance.holm) == (0, 0)
    assert [(row.rank_interval, row.rank_verdict) for row in apart.agents] == [((1, 2), "cannot tell")] * 2
    assert [(pair.p_value, pair.verdict) for pair in apart.pairs] == [(None, "cannot tell")]
    groups = score_breakdown(apart, "category")
    assert {pair.p_holm for group in (*groups.groups, groups.macro) if group for pair in group.pairs} == {None}
    assert not ladder_report(apart, ("b", "a")).submissions[1].announced
    assert ladder_report(leaderboard(sure, declared=Declared(despite=["harness"])), ("b", "a")).submissions[1].announced
    led = tried(tmp_path / "t", [harness("a", "0.2.7"), harness("b", "0.3.0")])
    led.add([(trial("a", "t0", 9, P), None, {})])
    assert "not comparable: the harness" in leaderboard(led).sentence


def test_ids_that_stood_for_several_results_stop_a_comparison(tmp_path):
    made = tried(tmp_path / "s", [Agent(name="a"), Agent(name="b")])
    made.add([Defect(kind="duplicate run", where="x", count=80)])
    assert what(comparison(made, "a", "b")) == [("duplicates", False)]
    made.add([Defect(kind="duplicate sample", where="y", count=2)])
    with pytest.raises(UnfairComparisonError, match="noted 'duplicate sample' 2 times"):
        comparison(made, "a", "b")
    assert comparison(made, "a", "b", declared=Declared(despite=["duplicates"])).n == 6


TASKS = [task(f"t{at}") for at in range(6)]


def two(tmp_path, tasks, agents=(Agent(name="a"), Agent(name="a")), facts=({}, {})):
    return (
        tried(tmp_path / "one", [agents[0]], TASKS, **facts[0]),
        tried(tmp_path / "two", [agents[1]], tasks, **facts[1]),
    )


def test_tasks_of_other_content_stop_a_gate_and_are_left_out_of_a_diff(tmp_path):
    other = [replace(TASKS[0], instruction="something else"), *TASKS[1:]]
    old, new = two(tmp_path, other)
    with pytest.raises(UnfairComparisonError, match="1 task has other content in the one study than in the other: t0"):
        gate_report(new, old)
    found = gate_report(new, old, declared=Declared(despite=["task-hashes"]))
    assert (found.n, what(found)) == (6, [("task-hashes", True)])
    assert "Unfair: 1 task has other content" in " ".join(str(found).split())
    shown = diff_report(old, "a", "a", new)
    assert (shown.n, what(shown.overall)) == (5, [("task-hashes", True)])
    assert "Unfair" in str(shown)
    assert "1 task changed from study to study and left out: t0" in shown.notes


def test_another_time_limit_is_no_other_content(tmp_path):
    old, new = two(tmp_path, [replace(each, timeout_s=60.0) for each in TASKS])
    with pytest.raises(UnfairComparisonError, match=r"6 tasks have another time limit .* with --despite limits"):
        gate_report(new, old)
    found = gate_report(new, old, declared=Declared(despite=["limits"]))
    assert found.unfair[0].tasks == tuple(each.id for each in TASKS)


def test_other_tags_are_no_difference_and_a_bare_id_is_none_that_is_known(tmp_path):
    tagged = [replace(each, tags=Tags(category="other", cluster="c")) for each in TASKS]
    old, new = two(tmp_path, tagged)
    assert what(gate_report(new, old)) == []
    bare = [replace(each, instruction="") for each in TASKS]
    (tmp_path / "b").mkdir()
    old, new = two(tmp_path / "b", bare)
    found = gate_report(new, old)
    assert (found.n, what(found)) == (6, [("task-hashes", False)])


def test_studies_of_other_programs_are_compared_by_their_version(tmp_path):
    facts = [{"ran": (Conditions(program=version),)} for version in ("0.1.0", "0.2.0")]
    old, new = two(tmp_path, TASKS, facts=facts)
    with pytest.raises(UnfairComparisonError, match=r"version 0\.1\.0 for"):
        gate_report(new, old)


def test_the_very_same_attempts_are_no_comparison(tmp_path):
    first = study(tmp_path / "1", ["a"], TASKS, [trial("a", each.id, 0, P) for each in TASKS])
    again = study(tmp_path / "2", ["a"], TASKS, [trial("a", each.id, 0, P) for each in TASKS])
    with pytest.raises(UnfairComparisonError, match="attempts at 6 tasks are in both studies, the very same ones"):
        gate_report(again, first)
    assert gate_report(again, first, declared=Declared(despite=["duplicates"])).difference == 0


def test_two_files_of_one_name_that_say_the_same_may_be_two_runs(tmp_path):
    rows = "agent,task,outcome\n" + "".join(f"mine,t{at},passed\n" for at in range(5))
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.csv").write_text(rows)
    found = gate(tmp_path / "new" / "results.csv", tmp_path / "old" / "results.csv", min_gap=50)
    assert ("duplicates", False) in what(found)
    assert any("may be a copy" in each.what for each in found.unfair)
    assert found.verdict == "not worse"  # 5 questions without a flip exclude a loss of half


def test_a_study_is_asked_in_python_and_a_page_is_never_refused(tmp_path):
    tried(tmp_path / "s.honestly", [harness("a", "0.2.7"), harness("b", "0.3.0")]).close()
    asked = open_study(tmp_path / "s.honestly")
    with pytest.raises(UnfairComparisonError):
        asked.compare("a", "b")
    found = asked.compare("a", "b", despite=["harness"])
    assert "Unfair: the harness was of version 0.2.7 for a, 0.3.0 for b." in pair_section(found)
    assert found.to_plain()["unfair"][0]["kind"] == "harness"
    with pytest.raises(StatisticsError, match="--despite does not know 'time'; it takes: task-hashes, limits"):
        Declared(despite=["time"])


def test_the_viewers_page_of_two_agents_shows_what_is_unfair(tmp_path: Path):
    from honestly.web._figures import PAIR, make_pieces
    from honestly.web._library import OpenStudy
    from honestly.web._pages import ServerAddresses

    tried(tmp_path / "s.honestly", [harness("a", "0.2.7"), harness("b", "0.3.0")]).close()
    page = make_pieces(OpenStudy(tmp_path / "s.honestly", "k"), ServerAddresses(), (PAIR, "a", "b"))["pair"]
    assert "harness was of version 0.2.7 for a, 0.3.0 for b" in page


def test_two_tables_that_know_tasks_by_id_alone_are_no_caution():
    """No two tables say more; where one study knows its tasks and the other does not, that is said."""
    tables, own = [Task(id="t0", instruction="")], [Task(id="t0", instruction="Mend it.")]
    assert list(Pairing(tables, tables).unfair()) == []
    assert "holds nothing but the id" in str(next(iter(Pairing(tables, own).unfair())))
