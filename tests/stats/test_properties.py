"""Laws that hold for all data: symmetry, relabelling, questions that cannot matter, identities, and no crash ever.

What adding a question on which all agents do the same leaves unchanged, exactly: the sum of the differences, wins and
losses, both McNemar tests, the sign-flip test, and the order of the agents. What it does change, and should: the mean
difference (a smaller share of the questions now differs), its standard error, and the t test.
"""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from honestly import stats
from honestly.errors import StatisticsError
from honestly.stats import Policy, Scores

thorough = settings(deadline=None, max_examples=60)


@st.composite
def tables(draw, agents=(2, 4), questions=(1, 8), samples=(0, 4)):
    """Scores of a few agents on a few questions, with cells of 0 to 4 samples, perhaps clusters and weights."""
    a, q = draw(st.integers(*agents)), draw(st.integers(*questions))
    cell = st.integers(*samples).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
    cells = np.array(draw(st.lists(cell, min_size=a * q, max_size=a * q))).reshape(a, q, 2)
    scores = Scores.from_counts(
        [f"a{i}" for i in range(a)], [f"q{i}" for i in range(q)], cells[..., 1], cells[..., 0] - cells[..., 1]
    )
    if draw(st.booleans()):
        scores = scores.with_clusters(draw(st.lists(st.sampled_from("xyz"), min_size=q, max_size=q)))
    if draw(st.booleans()):
        weights = draw(st.lists(st.floats(0.1, 10), min_size=q, max_size=q))
        scores = scores.with_weights(dict(zip(scores.questions, weights, strict=True)))
    return scores


def full(agents=(2, 3), samples=(1, 4)):
    return tables(agents, (2, 8), samples)


def same(ours, theirs):
    return ours == pytest.approx(theirs, rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.slow
@thorough
@given(tables())
def test_exchanging_the_agents_only_changes_the_sign(scores):
    resolved = scores.resolve(Policy(missing="drop"))
    ab, ba = stats.compare(resolved, "a0", "a1"), stats.compare(resolved, "a1", "a0")
    for one, other in ((ab.difference, -ba.difference), (ab.se, ba.se), (ab.p_value, ba.p_value), (ab.df, ba.df)):
        # To the last bit, NaN included.
        assert one == other or (math.isnan(one) and math.isnan(other))
    assert (ab.wins, ab.losses, ab.ties) == (ba.losses, ba.wins, ba.ties)
    assert same(ab.interval, (-ba.interval[1], -ba.interval[0]))
    assert same(ab.noise.data.value, ba.noise.data.value)
    unpaired = stats.compare_unpaired(resolved, "a0", "a1"), stats.compare_unpaired(resolved, "a1", "a0")
    assert same(unpaired[0].p_value, unpaired[1].p_value)


@thorough
@given(tables(), st.randoms())
def test_names_and_order_do_not_matter(scores, random):
    """Questions in another order under other names, agents in another order: the same numbers."""
    rows, columns = list(range(len(scores.agents))), list(range(len(scores.questions)))
    random.shuffle(rows)
    random.shuffle(columns)
    block = np.ix_(rows, columns)
    other = Scores.from_counts(
        [scores.agents[i] for i in rows],
        [f"other{i}" for i in columns],
        scores.passed[block],
        scores.failed[block],
        planned=scores.planned[block],
    )
    if scores.clusters is not None:
        other = other.with_clusters([f"cluster {scores.clusters[i]}" for i in columns])
    if scores.weights is not None:
        other = other.with_weights({f"other{i}": scores.weights[i] for i in columns})
    ours, theirs = (each.resolve(Policy(missing="drop")) for each in (scores, other))
    for agent in scores.agents:
        a, b = stats.score(ours, agent), stats.score(theirs, agent)
        assert same((a.mean, a.se, a.se_fixed, *a.interval), (b.mean, b.se, b.se_fixed, *b.interval))
        parts = stats.noise_components(ours, agent), stats.noise_components(theirs, agent)
        assert same(*(part.data.value for part in parts))
    a, b = stats.compare(ours, "a0", "a1"), stats.compare(theirs, "a0", "a1")
    assert same((a.difference, a.se, a.p_value), (b.difference, b.se, b.p_value))


@thorough
@given(full(), st.integers(0, 1))
def test_a_question_on_which_all_agree_cannot_decide(scores, outcome):
    scores = Scores.from_counts(scores.agents, scores.questions, scores.passed, scores.failed)
    agents, questions = scores.passed.shape
    passed = np.hstack([scores.passed, np.full((agents, 1), outcome)])
    failed = np.hstack([scores.failed, np.full((agents, 1), 1 - outcome)])
    longer = Scores.from_counts(scores.agents, [*scores.questions, "added"], passed, failed)
    ours, theirs = scores.resolve(), longer.resolve()
    a, b = stats.compare(ours, "a0", "a1"), stats.compare(theirs, "a0", "a1")
    assert same(a.difference * questions, b.difference * (questions + 1))
    assert (a.wins, a.losses, a.ties + 1) == (b.wins, b.losses, b.ties)
    tests = ["sign-flip"] if np.any(ours.n > 1) else ["sign-flip", "mcnemar-mid", "mcnemar-exact"]
    if not {*ours.result_driven, *theirs.result_driven} & {"a0", "a1"}:  # of which nothing is said
        for test in tests:
            assert same(*(stats.compare(each, "a0", "a1", method=test).p_value for each in (ours, theirs)))
    means = ours.mean.mean(axis=1), theirs.mean.mean(axis=1)
    gaps = [np.subtract.outer(mean, mean) for mean in means]
    assert np.all((np.abs(gaps[0]) < 1e-12) | (np.sign(gaps[0]) == np.sign(gaps[1])))


@thorough
@given(full(samples=(2, 4)))
def test_total_is_data_and_prediction(scores):
    resolved = Scores.from_counts(scores.agents, scores.questions, scores.passed, scores.failed).resolve()
    table = stats.compare_all(resolved)
    np.testing.assert_allclose(table.total, table.data + table.prediction, atol=1e-14)
    for parts in (stats.noise_components(resolved, "a0"), stats.paired_noise(resolved, "a0", "a1")):
        assert same(parts.total.value, parts.data.value + parts.prediction.value)


@thorough
@given(tables(agents=(2, 4)))
@example(Scores.from_counts(("a0", "a1"), ("q0",), [[0], [1]], [[1], [1]]))
def test_never_a_crash_a_zero_error_or_a_silent_nan(scores):
    resolved = scores.resolve(Policy(missing="drop"))
    for found in stats.score_all(resolved):
        assert math.isnan(found.se) == (found.reason is not None)
        assert found.se != 0
        assert found.se_fixed != 0
        assert math.isnan(found.mean) == (found.n == 0)
        low, high = found.interval
        assert math.isnan(low) or 0 <= low <= found.mean + 1e-12 <= high + 2e-12 <= 1 + 3e-12
        assert math.isnan(low) or high > low
    found = stats.compare(resolved, "a0", "a1")
    assert math.isnan(found.se) == (found.reason is not None)
    assert found.se != 0
    assert math.isnan(found.p_value) or 0 <= found.p_value <= 1
    assert math.isnan(found.interval[0]) or -1 <= found.interval[0] <= found.interval[1] <= 1
    parts = found.noise
    components = parts.prediction, parts.data, parts.total
    figures = [f for part in components for f in (part.value, part.jackknife_se, *part.interval)]
    assert any(map(math.isnan, figures)) == (parts.reason is not None)
    for part in components:
        assert part.jackknife_se != 0
        assert math.isnan(part.interval[0]) or part.interval[0] <= part.value <= part.interval[1]
    table = stats.compare_all(resolved)
    assert same(table.headline_p[0, 1], found.p_value)
    for ends, end in zip(table.headline_interval(0.95), found.interval, strict=True):
        assert ends[0, 1] == pytest.approx(end, abs=1e-5, nan_ok=True)
    assert not (table.se == 0).any()


@thorough
@given(tables(agents=(2, 3), samples=(0, 4)), st.integers(1, 5))
def test_pass_at_k_is_ordered_or_refused(scores, k):
    resolved = scores.resolve(Policy(missing="drop"))
    some = resolved.n[0] > 0
    if np.any(resolved.n[0, some] < k):
        with pytest.raises(StatisticsError, match="needs"):
            stats.pass_at_k(resolved, "a0", k)
        return
    best, worst = stats.pass_at_k(resolved, "a0", k), stats.pass_all_k(resolved, "a0", k)
    assert math.isnan(best.value) == (not some.any())
    if some.any():
        mean = stats.score(resolved, "a0").mean
        assert 0 <= worst.value <= mean + 1e-12
        assert mean <= best.value + 1e-12
        assert best.value <= 1 + 1e-12


@thorough
@given(tables(), st.sampled_from(["fail", "drop", "pass"]))
def test_every_policy_lies_between_the_bounds(scores, choice):
    low, high = scores.bounds()
    resolved = scores.resolve(Policy(missing=choice))
    for row in range(len(scores.agents)):
        if not np.all(resolved.n[row] > 0) or scores.weights is not None:
            continue
        assert low.mean[row].mean() - 1e-12 <= resolved.mean[row].mean() <= high.mean[row].mean() + 1e-12


@thorough
@given(tables(agents=(2, 4), samples=(1, 4)))
def test_ranks_contain_themselves(scores):
    resolved = scores.resolve()
    units = len(set(scores.clusters)) if scores.clusters is not None else len(scores.questions)
    if units < 2:
        with pytest.raises(StatisticsError, match="at least two"):
            stats.rank_intervals(resolved, seed=1)
        return
    found = stats.rank_intervals(resolved, seed=1, bootstraps=20)
    assert np.all((found.low >= 1) & (found.low <= found.rank))
    assert np.all((found.rank <= found.high) & (found.high <= len(scores.agents)))
    assert found.p_top.sum() == pytest.approx(1)
