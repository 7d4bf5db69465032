"""Validity: the decomposition, its errors by simulation, and orders that hang on trials nobody scored."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from honestly.errors import StatisticsError
from honestly.stats import Policy, Scores, score, score_validity


def scores(passed: object, failed: object, **more: object) -> Scores:
    shape = np.shape(passed)
    names = [f"a{i}" for i in range(shape[0])], [f"q{i}" for i in range(shape[1])]
    return Scores.from_counts(*names, passed, failed, **more)  # type: ignore[arg-type]


# --- identities and known truth -----------------------------------------------------------------------------------

cells = st.integers(0, 3)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(cells, cells, cells, cells), min_size=6, max_size=6))
def test_decomposition_and_bounds_hold(raw: list[tuple[int, int, int, int]]) -> None:
    table = np.array(raw).reshape(2, 3, 4)
    table[..., 1] += table.sum(-1) == 0
    passed, failed, void, limit = np.moveaxis(table, -1, 0)
    data = scores(passed, failed, void=void, limit=limit)
    found = score_validity(data)
    known = found.scorable > 0
    assert (found.correct_if_scorable * found.scorable)[known] == pytest.approx(found.strict[known], abs=1e-12)
    assert (found.strict <= found.upper + 1e-12).all()
    low, high = data.bounds(Policy(limit="fail"))
    for i, agent in enumerate(data.agents):
        assert found.strict[i] == pytest.approx(score(low, agent).mean)
        assert found.upper[i] == pytest.approx(score(high, agent).mean)
        dropped = score(data.resolve(Policy(limit="fail", void="drop", missing="drop")), agent).mean
        assert found.lenient[i] == pytest.approx(dropped, nan_ok=True)
    assert found.scorable + found.broken == pytest.approx(1)
    both = score_validity(data, limit="unscored")
    assert both.scorable + both.broken + both.out_of_limits == pytest.approx(1)
    assert (found.rank_best <= found.rank_strict).all()
    assert (found.rank_strict <= found.rank_worst).all()


def test_rank_bounds_are_those_of_every_possible_completion() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        outcome = rng.choice(3, p=[0.4, 0.4, 0.2], size=(3, 4))
        found = score_validity(scores((outcome == 0) * 1, (outcome == 1) * 1, void=(outcome == 2) * 1))
        open_cells = np.argwhere(outcome == 2)
        ranks = []
        for verdicts in product([0, 1], repeat=len(open_cells)):
            total = (outcome == 0).astype(int)
            for cell, verdict in zip(open_cells, verdicts, strict=True):
                total[tuple(cell)] = verdict
            sums = total.sum(1)
            ranks.append((sums[None, :] > sums[:, None]).sum(1) + 1)
        assert (found.rank_best == np.min(ranks, axis=0)).all()
        assert (found.rank_worst == np.max(ranks, axis=0)).all()


def test_unreadable_answers_are_a_rate_of_their_own() -> None:
    data = scores([[2, 1], [1, 1]], [[1, 2], [2, 2]])
    found = score_validity(data, unreadable=[[1, 2], [0, 0]])
    assert found.unreadable == pytest.approx([0.5, 0])
    assert found.strict == pytest.approx([0.5, 1 / 3])
    assert found.lenient == pytest.approx([1.0, 1 / 3])
    assert found.correct_if_scorable == pytest.approx([1.0, 1 / 3])
    assert (found.rank_best == [1, 2]).all()
    assert found.decided
    assert found.warnings == ()


def test_graded_samples_count_as_scored() -> None:
    rows = [("a", "q", 0, 0.5), ("a", "q", 1, "void"), ("a", "r", 0, 1.0), ("a", "r", 1, 0.25)]
    found = score_validity(Scores.from_rows(rows))
    assert found.strict == pytest.approx([(0.25 + 0.625) / 2])
    assert found.lenient == pytest.approx([(0.5 + 0.625) / 2])
    assert found.upper == pytest.approx([(0.75 + 0.625) / 2])
    assert found.scorable == pytest.approx([0.75])


def test_clusters_widen_the_errors() -> None:
    rng = np.random.default_rng(3)
    by_cluster = np.repeat(rng.random(8), 10)
    passed = rng.binomial(3, by_cluster)[None, :]
    void = rng.binomial(3 - passed, 0.1)
    data = scores(passed, 3 - passed - void, void=void)
    plain = score_validity(data)
    clustered = score_validity(data.with_clusters([f"c{i // 10}" for i in range(80)]))
    assert clustered.correct_if_scorable_se[0] > 1.5 * plain.correct_if_scorable_se[0]


# --- too little to say --------------------------------------------------------------------------------------------


def test_an_agent_that_was_never_scored_has_no_conditional_accuracy() -> None:
    found = score_validity(scores([[0, 0], [1, 1]], [[0, 0], [0, 1]], void=[[2, 2], [1, 0]]))
    assert found.scorable[0] == 0
    assert np.isnan(found.correct_if_scorable[0])
    assert np.isnan(found.lenient[0])
    assert np.isnan(found.scorable_se[0])
    assert found.rank_lenient[0] == 2
    assert found.warnings


@pytest.mark.parametrize("unreadable", [[[1]], [[3, 0], [0, 0]], [[-1, 0], [0, 0]], [[0.5, 0], [0, 0]]])
def test_impossible_unreadable_counts_are_refused(unreadable: list[list[float]]) -> None:
    with pytest.raises(StatisticsError):
        score_validity(scores([[2, 1], [1, 1]], [[1, 2], [2, 2]]), unreadable=unreadable)
