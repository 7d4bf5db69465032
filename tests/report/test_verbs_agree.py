"""Studies are drawn, and every verb says what the others say, in the direction and the strength of the numbers beside it.

Agents with unequal sets of tasks, all or nothing, unequal categories, grades that lie on a few values, rows that are
refused, few clusters, single and several samples; every answer says what it takes for granted. The slow half counts
false sentences where the truth that was put in is that two agents are equal.
"""

from io import StringIO

import numpy as np
import pytest
from report_studies import study, task, trial
from rich.console import Console

from honestly import studies
from honestly.comparisons import GateRule, comparison, diff_report, gate_report, threshold_report
from honestly.errors import StatisticsError
from honestly.formats import TableRules
from honestly.leaderboards import leaderboard, score_breakdown
from honestly.leaderboards._ladder import ladder_report
from honestly.records import Outcome
from honestly.store import open_study
from honestly.studies import import_results
from sampled import sampled

NAMES = ("ann", "bob", "cy")
IF = "if rare large differences can be excluded"
KINDS = ("equal", "better", "nothing", "unequal", "rare", "graded", "refused", "few")
EQUAL = {"equal", "unequal", "rare", "graded", "refused", "few"}
SKEW = "no more skewed than those seen"


def drawn(path, kind, seed, tasks=24):
    """A study of three agents, and what is true of ann and bob over such tasks: the expected difference."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    ease = rng.beta(2, 2, tasks)
    chance = np.stack([ease, ease, ease * 0.5])
    if kind == "better":
        chance[0] = np.clip(ease + 0.35, 0, 1)
    if kind == "nothing":
        chance[0], chance[1] = 1, 0
    if kind == "rare":  # mean difference 0: a little better on most, lost on the others
        rare = rng.random(tasks) < 0.1
        chance[0], chance[1] = np.where(rare, 0.05, 0.55), np.where(rare, 0.95, 0.45)
    if kind in {"graded", "refused"}:
        return tabled(path, rng, chance, refused=kind == "refused")
    samples = 1 if seed % 3 == 0 else 4
    category = np.array(["a", "b", "c"])[np.searchsorted([0.1, 0.3], rng.random(tasks))]
    if kind == "few":  # which lean to one of the two, whose mean over more such clusters is that of the other
        lean = np.repeat(rng.normal(0, 0.15, 6), tasks // 6)
        chance[0], chance[1] = np.clip(chance[0] + lean, 0, 1), np.clip(chance[1] - lean, 0, 1)
    made = [{"cluster": f"c{i * 6 // tasks}"} if kind == "few" else {} for i in range(tasks)]
    asked = [
        task(f"t{i:02}", category=str(category[i]), date=f"2024-{1 + i % 12:02}-01", **made[i]) for i in range(tasks)
    ]
    has = rng.random((3, tasks)) < (0.7 if kind == "unequal" else 1.1)
    trials = [
        trial(NAMES[a], f"t{i:02}", k, Outcome.PASSED if rng.random() < chance[a, i] else Outcome.FAILED)
        for a in range(3)
        for i in range(tasks)
        for k in range(samples)
        if has[a, i]
    ]
    return study(path, NAMES, asked, trials, samples=samples)


def tabled(path, rng, chance, *, refused):
    """A table: grades of five values, most of them at the ends; or passes, of which rows of one agent are refused."""
    lines = ["agent,task,sample,score,category,date"]
    for a, i in np.ndindex(chance.shape):
        for k in range(3):
            passed = rng.random() < chance[a, i]
            score = f"{rng.choice([0.9, 1] if passed else [0, 0, 0.25])}" if not refused else f"{int(passed)}"
            lost = refused and a == 1 and rng.random() < 0.1  # whatever it scored
            lines.append(f"{NAMES[a]},t{i:02},{k},{'?' if lost else score},{'abc'[i % 3]},2024-{1 + i % 12:02}-01")
    path.with_suffix(".csv").write_text("\n".join(lines) + "\n")
    import_results(path.with_suffix(".csv"), path, "table", rules=TableRules(go_on=True))
    return open_study(path)


def check_pair(made, pair):
    """One pair of the board against `compare`, `diff`, `gate` and `--margin`."""
    alone = comparison(made, pair.a, pair.b, margin=0.1)
    assert pair.interval == pytest.approx(alone.interval, abs=1e-5)
    assert pair.p_value == pytest.approx(alone.p_value)
    low, high = alone.interval
    assert low <= pair.difference <= high
    assert (alone.p_value <= 0.05) == (not low <= 0 <= high)
    ahead = alone.verdict.startswith(("a is ahead", "b is ahead"))
    if ahead:
        assert (alone.difference > 0) == alone.verdict.startswith("a")
        winner, loser = (pair.a, pair.b) if alone.difference > 0 else (pair.b, pair.a)
        assert alone.sentence.startswith(f"{winner} is ahead of {loser} by ")
        assert (IF in alone.sentence) == (IF in alone.verdict) == (alone.p_value > 0.05)
    elif alone.verdict == "cannot tell":
        assert "cannot tell" in alone.sentence
    if not ahead or IF in alone.verdict:
        assert alone.claim is None or alone.claim.shown != "shown"
    assert diff_report(made, pair.a, pair.b).overall.sentence == comparison(made, pair.a, pair.b).sentence
    assert pair.verdict == (alone.claim.shown if alone.claim else "cannot tell")
    assert alone.claim is None or len(pair.assumed) == len(alone.claim.assumed)
    assert [SKEW in " ".join(each.assumed) for each in (pair, alone.claim or pair)] == [len(pair.assumed) == 3] * 2
    gate = gate_report(made, None, (pair.a, pair.b), GateRule(gap=0.1))
    assert gate.assumed == alone.margin.assumed == pair.assumed[:2]
    # One decision with one side, asked by two verbs.
    shown = alone.margin.verdict in {"equivalent", "a is not worse"}
    assert (gate.verdict == "not worse") == shown
    least, most = alone.margin.interval  # of all that spoilt trials may count as
    assert least - 1e-5 <= gate.interval[0] <= gate.interval[1] <= most + 1e-5
    assert alone.other_policies or gate.interval == pytest.approx((least, most), abs=1e-5)
    if gate.verdict == "worse":
        assert alone.difference < 0
        assert "WORSE" in gate.message
    return alone


def check_study(made):
    board = leaderboard(made)
    for pair in board.pairs:
        if not pair.n:
            continue
        alone = check_pair(made, pair)
        if f"{pair.a} leads with" in board.sentence and pair.b == board.agents[1].name:
            assert alone.difference > 0
            without_condition = "also after correcting for all pairs" in board.sentence and IF not in board.sentence
            assert not without_condition or alone.claim.shown == "shown"
    for row in board.agents:
        low, high = row.interval
        assert low <= row.honest <= high
        assert len(row.assumed) >= 2
        least = threshold_report(made, row.name, row.honest)
        assert least.verdict == ("cannot tell" if row.honest else "at least")
        assert least.assumed == row.assumed[:2]
        assert not row.rank_interval or len(row.rank_assumed) >= 2
    for a in board.agents:  # A rank says of two agents what their pair says after Holm.
        better = sum(
            pair.p_holm <= 0.05 and (pair.difference > 0) == (pair.b == a.name)
            for pair in board.pairs
            if a.name in {pair.a, pair.b} and pair.p_holm is not None and pair.difference
        )
        assert a.rank_interval[0] <= 1 + better
        parted = a.rank_interval != (1, len(board.agents))
        assert not parted or a.rank_verdict != "cannot tell"
        assert a.rank_verdict != "shown" or parted
        if a.rank_verdict == "shown":
            assert any(pair.verdict == "shown" for pair in board.pairs if a.name in {pair.a, pair.b})
    assert (IF in board.sentence) <= any(IF in pair.verdict for pair in board.pairs)
    groups = score_breakdown(board, "category", ["2024-07-01"])
    assert all(len(each.assumed) >= 2 for each in groups.windows)
    assert all(len(each.assumed) >= 2 for group in groups.groups for each in group.pairs)
    for pair in groups.macro.pairs if groups.macro else ():
        if pair.interval and pair.p_value is not None:
            assert (pair.p_value <= 0.05) == (not pair.interval[0] <= 0 <= pair.interval[1])
    ladder = ladder_report(board, NAMES)
    assert len(ladder.assumed) == 2
    for rung in ladder.submissions[1:]:
        assert rung.announced == (rung.p_value <= rung.level)
        assert not rung.announced or rung.difference > 0
        if rung.announced:
            assert comparison(made, rung.agent, rung.against).claim.guaranteed.p_value <= 0.05
    return board


@pytest.mark.slow
@pytest.mark.parametrize("kind", sampled(["unequal", "nothing", "equal", "better", "rare"], quick=1))
def test_verbs_agree_with_each_other(tmp_path, kind):
    for seed in range(2):
        check_study(drawn(tmp_path / f"{kind}{seed}", kind, seed))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_is_stronger_than_the_truth(tmp_path, kind):
    """Of equal agents at most one in twenty is called ahead, by any verb; of 60 studies, at most seven (99.8%)."""
    said = dict.fromkeys(("compare", "compare unconditionally", "worse", "not worse"), 0)
    said |= dict.fromkeys(("leads", "ladder", "group", "window", "rank", "suspected"), 0)
    for seed in range(60):
        made = drawn(tmp_path / f"{kind}{seed}", kind, seed)
        if 2 <= seed < 8:  # the first two are checked above
            check_study(made)
        try:
            alone = comparison(made, "ann", "bob")
        except StatisticsError:
            continue
        if alone.claim is None:  # its samples are suspected of depending on results, which they do not
            said["suspected"] += 1
            continue
        gates = [gate_report(made, None, ("ann", "bob"), GateRule(gap=gap)) for gap in (0.0, 0.1)]
        said["compare"] += not alone.interval[0] <= 0 <= alone.interval[1]
        said["compare unconditionally"] += alone.claim.shown == "shown"
        said["worse"] += gates[0].verdict == "worse"
        said["not worse"] += gates[0].verdict == "not worse"
        if kind in {"better", "nothing"}:
            assert not alone.verdict.startswith("b is ahead")
            assert all(each.verdict != "worse" for each in gates)
        board = leaderboard(made)
        row, other = (next(each for each in board.agents if each.name == name) for name in ("ann", "bob"))
        said["rank"] += row.rank_interval[1] < other.rank_interval[0] and row.rank_verdict == "shown"
        said["rank"] += other.rank_interval[1] < row.rank_interval[0] and other.rank_verdict == "shown"
        said["leads"] += (
            "also after correcting for all pairs" in board.sentence and "cy" not in board.sentence.split(":")[0]
        )
        said["ladder"] += ladder_report(board, ("bob", "ann")).submissions[1].announced
        found = score_breakdown(board, "category", ["2024-07-01=ann"])
        pairs = [pair for group in found.groups for pair in group.pairs if {pair.a, pair.b} == {"ann", "bob"}]
        said["group"] += any(pair.verdict == "shown" and (pair.p_holm or 0) <= 0.05 for pair in pairs)
        said["window"] += any(each.p_holm is not None and each.p_holm <= 0.05 for each in found.windows)
    if kind in EQUAL:
        assert max(said.values()) <= 7, said
    if kind in {"better", "nothing"}:
        assert said["compare unconditionally"] >= 40, said


def test_void_trials_that_both_have_alike_are_said_by_every_verb(tmp_path, monkeypatch):
    """Half of the trials of both: the difference is halved, and no policy changes who is ahead."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "t.csv"
    rows = [f"{a},t{i},{'error' if i % 2 else int(i % 20 < (16 if a == 'A' else 12))}" for a in "AB" for i in range(80)]
    path.write_text("\n".join(["agent,task,outcome", *rows]))
    study, said = studies.open(path), "80 of 160 trials are void (40 of A, 40 of B) and counted as failed"
    compared = study.compare("A", "B")
    assert f"{said}; without them the difference is +20.0 points" in compared.caution
    with study.store() as made:
        texts = (gate_report(made, None, ("A", "B")).notes, diff_report(made, "A", "B").notes, study.plan().warnings)
        least = threshold_report(made, "A", 0.1).notes
    for notes in texts:
        assert said in " ".join(notes)
    assert "40 of 80 trials are void and counted as failed" in " ".join(least)
    path.write_text("\n".join(["agent,task,outcome", *rows]).replace("error", "0"))
    assert "void" not in studies.open(path).compare("A", "B").caution


def test_no_pair_differs_after_correction_that_does_not_alone(tmp_path, monkeypatch):
    """With the condition counted on both sides; of grades with rare losses most findings carry it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rng, path = np.random.default_rng(5), tmp_path / "t.csv"
    grades = {a: np.where(rng.random(40) < 0.05, 0.1, 0.6 + 0.03 * a + rng.normal(0, 0.02, 40)) for a in range(5)}
    rows = [f"m{a},t{i},{grade:.3f}" for a, each in grades.items() for i, grade in enumerate(each)]
    path.write_text("\n".join(["agent,task,score", *rows]))
    report = studies.open(path).report().board
    found = report.significance
    assert 0 < found.conditional + found.holm <= found.conditional_alone + found.uncorrected
    assert found.conditional > 0
    assert (
        f"{found.uncorrected} without the correction and {found.conditional_alone} more under that condition"
        in report.sentence
    )


@pytest.mark.parametrize(("void", "said"), [(3, False), (20, True)])
def test_a_few_void_trials_that_change_nothing_are_no_caution_of_the_short_answer(tmp_path, monkeypatch, void, said):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "t.csv"
    rows = [f"{a},t{i},{'void' if i < void else int(i % 10 < (8 if a == 'A' else 4))}" for a in "AB" for i in range(90)]
    path.write_text("\n".join(["agent,task,outcome", *rows]))
    report, console = studies.open(path).report(), Console(file=StringIO(), width=100)
    console.print(report.brief())
    assert ("Not every trial has a verdict" in console.file.getvalue()) == said
    assert "Not every trial has a verdict" in " ".join(report.board.warnings)
