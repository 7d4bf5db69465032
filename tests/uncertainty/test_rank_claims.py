"""Who is first is said where it is so, and not where methods are alike; coverage is what was promised."""

import numpy as np
import pytest

from honestly.uncertainty import AnswerTable, evaluate_methods, uncertainty_report


def drawn(seed: int, questions: int, better: float = 0.0) -> AnswerTable:
    """Three methods of which the first may be better."""
    rng = np.random.default_rng(seed)
    right, said = rng.integers(0, 4, questions), {}
    for name in ("x", "y", "z"):
        logits = rng.normal(size=(questions, 4))
        logits[np.arange(questions), right] += 2.0 + better * (name == "x")
        p = np.exp(1.3 * logits)
        said[name] = p / p.sum(1, keepdims=True)
    ids = [str(each) for each in range(questions)]
    return AnswerTable([""] * questions, ids, right, np.ones((questions, 4), bool), said)


def sentence(seed: int, questions: int, better: float = 0.0) -> str:
    found = evaluate_methods(drawn(seed, questions, better), seed=seed, replicates=60)
    return uncertainty_report(found, model="", questions=questions, alpha=0.1, seed=seed).sentence


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_better_method_is_first_and_who_is_alike_is_not_ranked(seed: int) -> None:
    assert sentence(seed, 200, 1.5).startswith("x is first of 3 methods by UAcc with lac")
    assert sentence(seed, 200).startswith("Which of 3 methods")


@pytest.mark.slow
def test_claims_about_methods_that_are_alike_are_rare_and_coverage_holds() -> None:
    """100 sets of each size: no seed changes the conclusion."""
    for questions in (60, 200):
        told = [not sentence(seed, questions).startswith("Which") for seed in range(100)]
        assert sum(told) <= 8
        assert np.mean([sentence(seed, questions, 1.5).startswith("x is first") for seed in range(20)]) >= 0.75
    rows = [
        each
        for seed in range(60)
        for each in evaluate_methods(drawn(seed, 200), seed=seed, replicates=2).methods
        if each.score == "lac"
    ]
    assert np.mean([row.coverage_unfilled for row in rows]) == pytest.approx(0.9, abs=0.012)
    inside = [row.interval[0] <= row.coverage_unfilled <= row.interval[1] for row in rows]
    assert np.mean(inside) >= 0.9


def test_groups_and_tasks_are_split_whole_and_alone() -> None:
    table = drawn(3, 120)
    grouped = AnswerTable(
        ["a"] * 60 + ["b"] * 60,
        [str(each // 3) for each in range(120)],
        table.labels,
        table.present,
        table.probabilities,
    )
    found = evaluate_methods(grouped, replicates=2)
    assert {(row.task, row.n, row.calibration) for row in found.tasks} == {("a", 30, 30), ("b", 30, 30)}
    for row in found.methods:
        parts = [each for each in found.tasks if (each.name, each.score) == (row.name, row.score)]
        assert row.set_size == pytest.approx(np.mean([each.set_size for each in parts]))
        assert row.accuracy == pytest.approx(np.mean([each.accuracy for each in parts]))


def test_equally_likely_options_count_alike_in_whatever_order_they_stand() -> None:
    rng = np.random.default_rng(3)
    p, right = rng.multinomial(12, [0.4, 0.3, 0.2, 0.1], 200) / 12, rng.integers(0, 4, 200)
    ids, seen = [str(each) for each in range(200)], []
    for turned in (False, True):
        options, labels = (p[:, ::-1], 3 - right) if turned else (p, right)
        table = AnswerTable([""] * 200, ids, labels, np.ones((200, 4), bool), {"x": options})
        found = evaluate_methods(table, replicates=2)
        seen.append([(each.score, each.accuracy, each.set_size, each.coverage) for each in found.methods])
    assert seen[0] == seen[1]
    alike = AnswerTable([""] * 200, ids, np.full(200, 3), np.ones((200, 4), bool), {"x": np.full((200, 4), 0.25)})
    for each in evaluate_methods(alike, replicates=2).methods:
        assert (each.accuracy, each.set_size, each.coverage) == (0.25, 4.0, 1.0)


def test_the_sentence_of_one_method_leaves_out_what_disturbs_it() -> None:
    table = drawn(1, 100)
    p = {"none": table.probabilities["x"], "none+cue-wrong": table.probabilities["y"]}
    found = evaluate_methods(
        AnswerTable(table.tasks, table.groups, table.labels, table.present, p),
        bases={"none+cue-wrong": "none"},
        replicates=2,
    )
    said = uncertainty_report(found, model="", questions=100, alpha=0.1, seed=1).sentence
    assert said.count("(") == 3
    assert all(f"{each.set_size:.2f} ({each.score})" in said for each in found.methods if each.name == "none")
