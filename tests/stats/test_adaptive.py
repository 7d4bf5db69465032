"""Adaptive second rounds: exact unbiasedness by simulation, a smaller error at the same cost, and optimal counts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_data import terminal_bench

from honestly.errors import StatisticsError
from honestly.stats import Scores
from honestly.stats._adaptive import _neyman_counts, plan_extra_samples
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores


def resolved(passed: np.ndarray, samples: int, **more: object) -> ResolvedScores:
    agents, questions = passed.shape
    names = [f"agent {i}" for i in range(agents)], [f"q{i}" for i in range(questions)]
    scores = Scores.from_counts(*names, passed, samples - passed)
    if more:
        scores = scores.with_shared_samples(*more["shared"])  # type: ignore[misc]
    return scores.resolve()


def similar_agents(rng: np.random.Generator, agents: int, questions: int) -> np.ndarray:
    """Chances of success: questions range from hopeless to certain, agents differ a little on each."""
    difficulty = rng.beta(0.3, 0.4, questions)
    return np.clip(difficulty + rng.normal(0, 0.08, (agents, questions)), 0, 1)


@pytest.mark.slow
def test_two_rounds_are_unbiased_and_better_than_even_spreading() -> None:
    rng = np.random.default_rng(17)
    agents, questions, first, added, runs = 5, 100, 3, 4, 300
    chance = similar_agents(rng, agents, questions)
    truth = chance.mean(1)
    noise = chance * (1 - chance)
    adaptive, naive, variance = (np.empty((runs, agents)) for _ in range(3))
    for run in range(runs):
        passed = rng.binomial(first, chance)
        plan = plan_extra_samples(resolved(passed, first), added * questions)
        assert (plan.extra.sum(1) == added * questions).all()
        adaptive[run] = ((passed + rng.binomial(plan.extra, chance)) / (first + plan.extra)).mean(1)
        variance[run] = (noise / (first + plan.extra)).mean(1) / questions
        own = passed / first
        rate = (own + own.mean(1, keepdims=True)) / 2
        own_plan = plan_extra_samples(resolved(passed, first), added * questions, guide=rate * (1 - rate))
        naive[run] = ((passed + rng.binomial(own_plan.extra, chance)) / (first + own_plan.extra)).mean(1)
    bias = adaptive.mean(0) - truth
    assert np.abs(bias / truth).max() < 0.01
    assert np.abs(bias).max() < 4 * math.sqrt(variance.mean() / runs)
    # The variance given the plan is the variance of the score: its mean is given the plan the truth.
    assert adaptive.var(0, ddof=1).mean() == pytest.approx(variance.mean(), rel=0.1)
    even = noise.mean(1) / questions / (first + added)
    assert math.sqrt(variance.mean() / even.mean()) < 0.975
    # What the rule protects from: a guide from the cell's own results bends the score.
    assert ((naive.mean(0) - truth) / truth).mean() < -0.005
    assert abs((bias / truth).mean()) < 0.002


@pytest.mark.published
def test_gain_on_terminal_bench_chances() -> None:
    _, _, passed, _, _ = terminal_bench()
    chance = passed / 5
    rng = np.random.default_rng(3)
    ratios = []
    for _ in range(15):
        plan = plan_extra_samples(resolved(rng.binomial(3, chance), 3), 3 * 80)
        variance = chance * (1 - chance)
        ratios.append(np.sqrt((variance / (3 + plan.extra)).sum() / (variance / 6).sum()))
    assert 0.9 < np.mean(ratios) < 0.97


def test_an_agent_never_guides_itself() -> None:
    rng = np.random.default_rng(4)
    passed = rng.integers(0, 6, (3, 40))
    changed = passed.copy()
    changed[1] = rng.integers(0, 6, 40)
    one, other = (plan_extra_samples(resolved(p, 5), 100) for p in (passed, changed))
    assert (one.extra[1] == other.extra[1]).all()
    assert (one.extra[0] != other.extra[0]).any()
    # Nor does one that shares its samples.
    shared = resolved(passed, 5, shared=[["agent 0", "agent 1"]])
    also = resolved(changed, 5, shared=[["agent 0", "agent 1"]])
    assert (plan_extra_samples(shared, 100).extra[0] == plan_extra_samples(also, 100).extra[0]).all()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(0.01, 0.25), min_size=2, max_size=5),
    st.integers(1, 3),
    st.integers(0, 12),
)
def test_counts_are_optimal_for_equal_prices(variances: list[float], first: int, budget: int) -> None:
    v = np.array(variances)
    found = _neyman_counts(v, np.full(v.size, float(first)), np.ones(v.size), budget)
    assert found.sum() - first * v.size == budget
    counts = np.full(v.size, float(first))
    for _ in range(budget):
        counts[np.argmax(v / counts / (counts + 1))] += 1
    assert (v / found).sum() == pytest.approx((v / counts).sum(), rel=1e-9)


def test_dear_questions_get_fewer_samples_and_the_budget_holds() -> None:
    passed = np.tile(np.array([[1, 2]]), (2, 20))
    price = np.repeat([1.0, 9.0], 20)
    plan = plan_extra_samples(resolved(passed, 3), 200, cost=price)
    assert (plan.cost <= 200 * (1 + 1e-9)).all()
    assert plan.extra[:, :20].mean() > 2 * plan.extra[:, 20:].mean()
    assert (plan.expected_ratio <= 1 + 1e-9).all()
    assert plan.estimand is Estimand.THESE_QUESTIONS
    with pytest.raises(StatisticsError):
        plan_extra_samples(resolved(passed, 3), 200, cost=0.0)


def test_nothing_uncertain_and_nothing_to_spend() -> None:
    passed = np.zeros((2, 6), dtype=int)
    plan = plan_extra_samples(resolved(passed, 3), 12)
    assert plan.extra.sum() == 0
    assert np.isnan(plan.expected_ratio).all()
    assert plan_extra_samples(resolved(passed + 1, 3), 0).extra.sum() == 0


@pytest.mark.parametrize(
    "broken",
    [
        lambda: plan_extra_samples(resolved(np.ones((1, 5), dtype=int), 2), 10),
        lambda: plan_extra_samples(resolved(np.ones((2, 5), dtype=int), 2), -1),
        lambda: plan_extra_samples(resolved(np.ones((2, 5), dtype=int), 2), 1, guide=np.ones(4)),
        lambda: plan_extra_samples(resolved(np.ones((2, 5), dtype=int), 2), 1, guide=np.full(5, np.nan)),
        lambda: plan_extra_samples(resolved(np.ones((2, 5), dtype=int), 2, shared=[["agent 0", "agent 1"]]), 1),
    ],
)
def test_what_cannot_be_planned_is_refused(broken: object) -> None:
    with pytest.raises(StatisticsError):
        broken()  # type: ignore[operator]


def test_unequal_first_rounds_are_said() -> None:
    scores = Scores.from_counts(["a", "b"], ["q", "r"], [[1, 0], [1, 1]], [[1, 1], [0, 1]])
    assert "unequal counts" in plan_extra_samples(scores.resolve(), 4).notes[-1]


def test_empty_cells_are_refused() -> None:
    scores = Scores.from_counts(["a", "b"], ["q", "r"], [[1, 0], [1, 1]], [[1, 0], [1, 1]])
    from honestly.stats import Policy

    with pytest.raises(StatisticsError, match="no sample"):
        plan_extra_samples(scores.resolve(Policy(missing="drop")), 4)
