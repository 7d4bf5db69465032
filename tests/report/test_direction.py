"""Every sentence that says who is ahead says what the paired comparison on common tasks says, whatever tasks agents have."""

import io
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from report_studies import study, task, trial
from rich.console import Console

from honestly.comparisons import comparison
from honestly.leaderboards import leaderboard, study_report
from honestly.records import Outcome

EASY, ALL = range(30), range(80)
NAMES = ("ann", "bob", "cy")
AHEAD = re.compile(r"\b(ann|bob|cy) is ahead of (ann|bob|cy) by ([\d.]+) points")
LEADS = re.compile(r"\b(ann|bob|cy) leads with [\d.]+%, ([\d.]+) points ahead of (ann|bob|cy)\b")


def of_values(path, values):
    """A study with one sample a cell; NaN is a task that the agent does not have. Rows are agents."""
    asked = [task(f"t{i}", category="xyz"[i % 3]) for i in range(values.shape[1])]
    trials = [
        trial(NAMES[a], f"t{i}", 0, Outcome.PASSED if values[a, i] else Outcome.FAILED)
        for a, i in zip(*np.nonzero(~np.isnan(values)), strict=True)
    ]
    return study(path, NAMES[: len(values)], asked, trials, samples=1)


def test_an_agent_that_ran_easy_tasks_alone_does_not_lead(tmp_path):
    values = np.full((2, 80), np.nan)
    values[0, EASY] = np.arange(30) % 5 > 0  # 80% of thirty easy tasks
    values[1, ALL] = np.arange(80) < 38  # all of these, and 8 of the others
    made = of_values(tmp_path / "x", values)
    said = leaderboard(made).sentence
    assert said.startswith(
        "ann has the highest score, 80.0%, over its own 30 tasks; on the 30 tasks that both have, bob "
    )
    assert "bob is ahead of ann by 20.0 points: more than chance" in said
    assert comparison(made, "ann", "bob").verdict == "b is ahead"


def test_agents_without_a_common_task_are_not_ordered(tmp_path):
    values = np.full((2, 20), np.nan)
    values[0, :10], values[1, 10:] = 1, np.arange(10) % 2
    said = leaderboard(of_values(tmp_path / "x", values)).sentence
    assert "have no task in common: nothing says which is better" in said
    assert "leads" not in said


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.integers(3, 24))
def test_every_direction_is_that_of_the_comparison(tmp_path_factory, seed, agents, tasks):
    rng = np.random.default_rng(seed)
    ease = rng.random(tasks)
    values = (rng.random((agents, tasks)) < ease * rng.uniform(0.5, 1.5, (agents, 1))).astype(float)
    values[rng.random((agents, tasks)) < (ease < rng.random((agents, 1))) * rng.random()] = np.nan
    values[np.arange(agents), rng.integers(tasks, size=agents)] = 1.0  # nobody without a task
    made = of_values(tmp_path_factory.mktemp("study") / "x", values)
    report = study_report(made, by="category")
    board = report.board

    def gap(one, other):
        each = values[NAMES.index(one)] - values[NAMES.index(other)]
        return float(np.nanmean(each)) if np.isfinite(each).any() else np.nan

    heads = [(one, other, points) for one, points, other in LEADS.findall(board.sentence)]
    heads += AHEAD.findall(board.sentence)
    for one, other, points in heads:
        assert float(points) == pytest.approx(100 * gap(one, other), abs=0.051)
        assert float(points) > 0
    for pair in board.pairs:
        if not pair.n:
            continue
        found = comparison(made, pair.a, pair.b)
        for one, other, points in AHEAD.findall(found.sentence):
            assert float(points) == pytest.approx(100 * gap(one, other), abs=0.051)
        assert {"a is ahead": pair.a, "b is ahead": pair.b}.get(found.verdict) in {
            None, pair.a if gap(pair.a, pair.b) > 0 else pair.b}  # fmt: skip
        if (pair.a, pair.b) in {(one, other) for one, other, _ in heads} and pair.p_value is not None:
            assert ("more than chance" in board.sentence) == (found.p_value <= 0.05)
    for leader in re.findall(r"\b(ann|bob|cy) leads with", board.sentence):
        assert all(gap(leader, other) >= -1e-9 or np.isnan(gap(leader, other)) for other in NAMES[:agents])
    out = io.StringIO()
    Console(width=200, file=out).print(report.breakdown)
    means = [each for group in (*report.breakdown.groups, report.breakdown.macro) if group for each in group.pairs]
    gaps = [(pair.a, pair.b, pair.difference) for pair in means if pair.difference is not None]
    gaps += [(b, a, -difference) for a, b, difference in gaps]
    for one, other, points in AHEAD.findall(out.getvalue()):
        assert any((a, b) == (one, other) and abs(100 * d - float(points)) < 0.051 for a, b, d in gaps)
