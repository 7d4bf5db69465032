"""Groups of tasks and windows in time: each number is that of the tasks alone, and all that is asked is one family."""

import io
import json

import msgspec
import numpy as np
import pytest
from report_studies import study, task, trial
from rich.console import Console
from scipy import stats as scipy_stats

from honestly import studies
from honestly.errors import AgentError, StatisticsError
from honestly.leaderboards import leaderboard, render_html, score_breakdown, study_report
from honestly.records import Outcome
from honestly.scores import DEFAULT_POLICY, study_scores
from honestly.stats import Scores, compare, compare_all, compare_unpaired, holm_adjusted, score

AGENTS = ("good", "fair", "poor")


def dated(path, *, clusters=False, seed=3, tasks=48):
    """Tasks of three difficulties and twelve months, on which `fair` falls after June."""
    rng = np.random.default_rng(seed)
    asked, trials = [], []
    for i in range(tasks):
        level = ("easy", "medium", "hard")[i % 3]
        month = 1 + i % 12
        tags = {"cluster": f"source {i // 4}"} if clusters else {}
        asked.append(task(f"t{i}", difficulty=level, date=f"2024-{month:02d}-15", **tags))
        for agent, chance in zip(AGENTS, (0.9, 0.3 if month > 6 else 0.8, 0.3), strict=True):
            for k in range(3):
                won = rng.random() < chance
                trials.append(trial(agent, f"t{i}", k, Outcome.PASSED if won else Outcome.FAILED))
    return study(path, AGENTS, asked, trials, samples=3)


@pytest.mark.parametrize("clusters", [False, True])
def test_a_group_is_what_its_tasks_alone_would_say(tmp_path, clusters):
    made = dated(tmp_path / "x", clusters=clusters)
    board = leaderboard(made)
    found = score_breakdown(board, "difficulty")
    assert [group.name for group in found.groups] == ["easy", "hard", "medium"]
    resolved = study_scores(made).resolve(DEFAULT_POLICY)
    every = []
    for group in found.groups:
        level = np.array([int(name[1:]) % 3 for name in resolved.questions])
        part = resolved.select(questions=level == ("easy", "medium", "hard").index(group.name))
        assert group.tasks == 16
        for row in group.agents:
            alone = score(part, row.agent)
            assert (row.honest, row.se, row.interval) == (alone.mean, alone.se, alone.interval)
        family = compare_all(part).headline_p
        for pair in group.pairs:
            alone = compare(part, pair.a, pair.b, level=1 - 0.05 / 9)
            assert (pair.difference, pair.se) == pytest.approx((alone.difference, alone.se), rel=1e-9)
            assert pair.p_value == pytest.approx(alone.claim.answer.p_value, rel=1e-9)
            assert pair.p_value == pytest.approx(family[part.row(pair.a), part.row(pair.b)], rel=1e-9)
            every.append(pair)
    assert [pair.p_holm for pair in every] == pytest.approx(holm_adjusted([pair.p_value for pair in every]).tolist())
    apart = sum(pair.p_holm <= 0.05 for pair in every)
    assert (0 if clusters else 1) <= apart < len(every)
    assert f"Of 9 differences (3 groups by difficulty, 3 pairs each) {apart} are more than chance" in found.notes[0]


def test_tasks_of_people_and_of_programs_are_never_mixed_in_silence(tmp_path):
    kinds = ("", "from-mutants", "from-tests")
    asked = [task(f"t{i}", made=kinds[i % 3]) for i in range(12)]
    won = dict(zip(kinds, (Outcome.PASSED, Outcome.FAILED, Outcome.PASSED), strict=True))
    trials = [trial("good", each.id, k, won[each.tags.made]) for each in asked for k in range(2)]
    board = leaderboard(study(tmp_path / "x", ("good",), asked, trials, samples=2))
    (said,) = [text for text in board.warnings if "--by made" in text]
    assert "4 tasks by from-mutants, 4 tasks by from-tests and 4 tasks by people" in said
    groups = score_breakdown(board, "made").groups
    assert {group.name: group.agents[0].honest for group in groups} == {
        "from-mutants": 0.0, "from-tests": 1.0, "people": 1.0
    }  # fmt: skip
    alone = [each for each in asked if each.tags.made == ""]
    only = leaderboard(study(tmp_path / "y", ("good",), alone, trials[:2], samples=2))
    assert not any("--by made" in text for text in only.warnings)


@pytest.mark.slow
def test_a_window_says_no_more_than_welchs_test_of_two_samples_of_tasks(tmp_path):
    made = dated(tmp_path / "x")
    found = {row.agent: row for row in score_breakdown(leaderboard(made), cutoffs=["2024-07-01"]).windows}
    resolved = study_scores(made).resolve(DEFAULT_POLICY)
    late = np.array([int(name[1:]) % 12 >= 6 for name in resolved.questions])
    for agent, row in found.items():
        values = resolved.mean[resolved.row(agent)]
        expected = scipy_stats.ttest_ind(values[late], values[~late], equal_var=False)
        low, high = expected.confidence_interval()
        assert (row.n_before, row.n_after) == (24, 24)
        assert row.p_value >= expected.pvalue * (1 - 1e-9)
        assert row.interval[0] <= low < high <= row.interval[1]
        assert row.difference == pytest.approx(values[late].mean() - values[~late].mean())
    assert found["fair"].p_holm < 0.05 < found["good"].p_holm
    one = score_breakdown(leaderboard(made), cutoffs=["2024-07-01=fair"]).windows
    assert [row.agent for row in one] == ["fair"]
    assert one[0].p_holm == one[0].p_value < found["fair"].p_holm


def test_months_and_clusters_are_groups_and_a_cluster_alone_is_about_its_own_tasks(tmp_path):
    board = leaderboard(dated(tmp_path / "x", clusters=True))
    assert [group.name for group in score_breakdown(board, "date").groups][:2] == ["2024-01", "2024-02"]
    found = score_breakdown(board, "cluster")
    assert len(found.groups) == 12
    assert any(row.se for group in found.groups for row in group.agents)
    assert "inside one cluster" in found.notes[1]


@pytest.mark.slow
def test_everything_is_shown_everywhere(tmp_path):
    report = study_report(dated(tmp_path / "x"), by="difficulty", cutoffs=["2024-07-01"])
    plain = json.loads(msgspec.json.encode(report.to_plain()))["breakdown"]
    assert {group["name"] for group in plain["groups"]} == {"easy", "medium", "hard"}
    text, page = repr(report), render_html(report.board, parts=report.breakdown)
    for part in ("difficulty hard: 16 tasks", "pairs differ after Holm", "Before and after a day", "may be harder"):
        assert part in text
    for part in ("By difficulty", "hard: 16 tasks", "Before and after a day", "after Holm&#39;s correction for all"):
        assert part in page
    assert study_report(dated(tmp_path / "y")).breakdown is None


def test_groups_by_parts_are_tertiles_with_the_difference_of_each(tmp_path):
    rng = np.random.default_rng(5)
    asked = [task(f"t{i}", parts=1 + i % 12) for i in range(48)]
    trials = []
    for i in range(48):  # the team gains where there are parts, and loses where there are none
        for agent, chance in (("single", 0.5), ("team", 0.1 if i % 12 < 4 else 0.9)):
            won = [rng.random() < chance for _ in range(4)]
            trials += [trial(agent, f"t{i}", k, Outcome.PASSED if w else Outcome.FAILED) for k, w in enumerate(won)]
    report = study_report(study(tmp_path / "x", ["single", "team"], asked, trials, samples=4), by="parts")
    groups = report.breakdown.groups
    assert [(group.name, group.tasks) for group in groups] == [
        ("1 to 4 parts", 16), ("5 to 8 parts", 16), ("9 to 12 parts", 16)
    ]  # fmt: skip
    gains = [group.pairs[0] for group in groups]
    assert {(pair.a, pair.b) for pair in gains} == {("team", "single")}
    for pair, truth in zip(gains, (-0.4, 0.4, 0.4), strict=True):
        assert pair.interval[0] <= truth <= pair.interval[1]
    assert "team − single: −" in repr(report)


def test_what_cannot_be_grouped_is_said(tmp_path):
    bare = study(tmp_path / "x", ["a"], [task("t"), task("u")], [trial("a", "t", 0, Outcome.PASSED)])
    board = leaderboard(bare)
    for by, words in (("mood", "there is no tag 'mood'"), ("language", "has a language"), ("parts", "how many parts")):
        with pytest.raises(StatisticsError, match=words):
            score_breakdown(board, by)
    with pytest.raises(StatisticsError, match="no clusters to group by"):
        score_breakdown(board, "cluster")
    with pytest.raises(StatisticsError, match="no task of the study has a date"):
        score_breakdown(board, cutoffs=["2024-01-01"])
    made = leaderboard(dated(tmp_path / "y"))
    with pytest.raises(StatisticsError, match="'June' is not a day"):
        score_breakdown(made, cutoffs=["June"])
    with pytest.raises(StatisticsError, match=r"is not a day .YYYY"):
        score_breakdown(made, cutoffs=["2024-13-45"])
    with pytest.raises(AgentError, match="there is no agent 'x'"):
        score_breakdown(made, cutoffs=["2024-01-01=x"])


@pytest.mark.slow
def test_clusters_on_both_sides_of_a_day_make_the_interval_wide_rather_than_narrow():
    """Sixteen sources with tasks before and after, alike or not: no true change, and how often an interval says so."""
    rng = np.random.default_rng(11)
    codes = np.repeat(np.arange(16), 6)
    late = np.tile([True, False], 48)
    for shared, widest in ((0.0, 0.99), (0.25, 1.0)):
        runs, covered = 400, 0
        for _ in range(runs):
            ease = rng.normal(0, shared, 16)[codes]
            won = (rng.random(96) < np.clip(0.5 + ease, 0.02, 0.98)).astype(np.int64)
            passed = np.stack([np.where(late, won, 0), np.where(late, 0, won)])
            planned = np.stack([late, ~late]).astype(np.int64)
            scores = Scores.from_counts(
                ["from", "before"], [f"q{i}" for i in range(96)], passed, planned - passed, planned=planned
            )
            found = compare_unpaired(scores.with_clusters(list(map(str, codes))).resolve(), "from", "before")
            covered += found.interval[0] <= 0 <= found.interval[1]
        print(f"clusters of spread {shared}: {covered / runs:.3f} of the intervals cover")
        assert 0.93 <= covered / runs <= widest


def test_the_macro_mean_counts_each_group_alike_and_stands_first(tmp_path):
    board = leaderboard(dated(tmp_path / "x", tasks=47))
    found = score_breakdown(board, "difficulty")
    assert found is not None
    assert found.macro is not None
    for row in found.macro.agents:
        parts = [next(each for each in group.agents if each.agent == row.agent) for group in found.groups]
        assert row.honest == pytest.approx(np.mean([each.honest for each in parts]))
        assert row.se == pytest.approx(np.sqrt(sum(each.se**2 for each in parts)) / 3)
        assert row.interval[0] < row.honest < row.interval[1]
    first = found.macro.pairs[0]
    assert first.difference == pytest.approx(np.mean([group.pairs[0].difference for group in found.groups]))
    assert first.p_value <= first.p_holm <= 1
    out = io.StringIO()
    Console(width=100, file=out).print(found)
    text = " ".join(out.getvalue().split())
    assert text.index("Macro mean over 3 difficulties: 47 tasks") < text.index("difficulty easy")
    assert score_breakdown(board, "date").macro is None


@pytest.mark.slow
def test_a_suite_that_says_so_is_reported_by_its_macro_mean_first(tmp_path):
    made = dated(tmp_path / "x")
    made.set_facts(msgspec.structs.replace(made.facts(), headline="difficulty"))
    out = io.StringIO()
    Console(width=100, file=out).print(study_report(made))
    assert out.getvalue().startswith("Macro mean over 3")
    asked = study_report(made, by="date")
    assert asked.breakdown is not None
    assert (asked.breakdown.by, asked.is_headline) == ("date", False)


def test_the_sentence_answers_what_was_asked(tmp_path, monkeypatch):
    """In which categories, and what changed at a day: not who leads."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rows = ["agent,task,category,date,score"]
    for at in range(60):
        kind, day = "ab"[at % 2], f"2024-{1 + at // 5:02}-01"
        rows += [f"new,t{at},{kind},{day},{int(kind == 'a' or at % 4 == 1)}"]
        rows += [f"old,t{at},{kind},{day},{int(kind == 'b' and at % 4 == 1)}"]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    study = studies.open(tmp_path / "t.csv")
    by = study.report(by="category").breakdown.sentence
    assert (
        by == "Ahead in 1 of 2 categories: new by 100.0 points in a (p < 0.0001); in the others the data cannot tell."
    )
    assert "Of new the data show no change from 2024-07-01 on" in study.report(cutoffs="2024-07-01").breakdown.sentence
    console = Console(file=io.StringIO(), width=80)
    console.print(study.report(by="category").brief())
    lines = console.file.getvalue().splitlines()
    assert lines[0].startswith("Ahead in 1 of 2 categories")
    assert len(lines) <= 12
