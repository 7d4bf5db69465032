"""The change alarm: false alarms held over many checkpoints on unlike tasks, rises found, and its algebra."""

from __future__ import annotations

import numpy as np
import pytest

from honestly.errors import StatisticsError
from honestly.stats import Counted, alarm_evidence, change_alarm, clopper_pearson_interval, tolerated_rates
from sampled import sampled

ALPHA, CHECKPOINTS, STUDIES = 0.05, 50, 400


def counts(rng: np.random.Generator, rates: np.ndarray, samples: int, checkpoints: int) -> np.ndarray:
    """Hits of each study at each checkpoint; `rates` of the tasks, shape (studies, tasks)."""
    hits = rng.binomial(samples, rates[:, None, :], size=(rates.shape[0], checkpoints, rates.shape[1]))
    return np.asarray(hits.sum(axis=2), dtype=np.float64)


def alarms(hits: np.ndarray, trials: int) -> np.ndarray:
    """Index of the checkpoint at which each study sounds, or their number; the first is the baseline."""
    of = np.full(hits.shape, float(trials))
    over = alarm_evidence(hits, of, tolerated_rates(hits, of, ALPHA)) >= 1 / (0.8 * ALPHA)
    return np.asarray(np.where(over.any(axis=1), over.argmax(axis=1), hits.shape[1]))


def tasks_with_mean(rng: np.random.Generator, mean: float, tasks: int) -> np.ndarray:
    """Rates of tasks of which a few hold nearly all the hacks, with this mean exactly."""
    raw = rng.beta(0.1, 0.4, size=(STUDIES, tasks))
    return np.asarray(np.clip(raw * (mean / raw.mean(axis=1, keepdims=True)), 0, 1))


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "tasks", "samples"), sampled([(0.02, 100, 5), (0.2, 30, 3)]))
def test_false_alarms_are_held_over_fifty_checkpoints(mean: float, tasks: int, samples: int) -> None:
    rng = np.random.default_rng(1)
    rates = tasks_with_mean(rng, mean, tasks)
    hits = counts(rng, rates, samples, CHECKPOINTS + 1)
    false = (alarms(hits, tasks * samples) <= CHECKPOINTS).mean()
    assert false <= ALPHA, false


def test_a_declared_rate_is_held_at_its_edge() -> None:
    rng = np.random.default_rng(2)
    hits = rng.binomial(200, 0.02, size=(STUDIES, CHECKPOINTS)).astype(np.float64)
    evidence = alarm_evidence(hits, np.full(hits.shape, 200.0), np.full(hits.shape, 0.02))
    false = (evidence.max(axis=1) >= 1 / ALPHA).mean()
    assert 0.005 < false <= ALPHA, "held, and not by never sounding"


def test_a_jump_from_2_to_10_percent_is_found_at_once() -> None:
    rng = np.random.default_rng(3)
    hits = counts(rng, tasks_with_mean(rng, 0.02, 100), 2, 11)
    risen = counts(rng, tasks_with_mean(rng, 0.10, 100), 2, 5)
    first = alarms(np.concatenate([hits, risen], axis=1), 200)
    assert (first == 11).mean() > 0.35, "at the first checkpoint after it"
    assert ((first >= 11) & (first < 14)).mean() > 0.95


def test_the_evidence_is_the_sum_that_the_docstring_says() -> None:
    found, trials, p = np.array([[3.0, 5.0, 2.0]]), np.array([[20.0, 25.0, 10.0]]), 0.1
    odds = [1.5, 2.0, 3.0, 5.0, 10.0, 30.0]
    total = 0.0
    for ratio in odds:
        q = p * ratio / (1 - p + p * ratio)
        each = (q / p) ** found[0] * ((1 - q) / (1 - p)) ** (trials[0] - found[0])
        total += sum(each[v - 1 :].prod() / (v * (v + 1)) for v in (1, 2, 3)) / len(odds)
    assert alarm_evidence(found, trials, np.full((1, 3), p))[0, -1] == pytest.approx(total + 1 / 4)


def test_nothing_found_is_no_alarm_and_evidence_starts_at_one() -> None:
    state = change_alarm([Counted(2, 100)] + [Counted(0, 100)] * 20)
    assert state.raised_at is None
    assert state.evidence[0] == pytest.approx(1)
    assert max(state.evidence[1:]) < 1
    assert change_alarm([Counted(0, 0)], tolerate=0.02).evidence == pytest.approx((1.0,))


def test_an_alarm_says_when_it_sounded_first() -> None:
    state = change_alarm([Counted(1, 100), Counted(1, 100), Counted(30, 100), Counted(0, 100)])
    assert state.raised_at == 2
    assert not state.declared
    assert state.threshold == pytest.approx(25)
    assert change_alarm([Counted(30, 100)], tolerate=0.02).raised_at == 0
    assert change_alarm([Counted(30, 100)], tolerate=0.02).threshold == pytest.approx(20)


def test_what_was_before_bounds_what_is_tolerated() -> None:
    tolerated = change_alarm([Counted(2, 100), Counted(1, 100), Counted(3, 100), Counted(60, 100)]).tolerated
    assert np.isnan(tolerated[0])
    assert 0.02 < tolerated[3] < tolerated[2] < tolerated[1], "more trials, a sharper bound"
    (upper,) = [clopper_pearson_interval(2, 100, 1 - 2 * 0.2 * ALPHA / 2)[1]]
    assert tolerated[1] == pytest.approx(upper)


def test_what_cannot_be_known_is_said() -> None:
    assert change_alarm([]).reason == "there is no checkpoint"
    assert change_alarm([Counted(1, 2)]).reason == "there is no checkpoint beside the baseline"
    assert "may be 1" in change_alarm([Counted(4, 4), Counted(1, 2)]).reason
    assert "no trials" in change_alarm([Counted(0, 0), Counted(1, 2)]).reason
    with pytest.raises(StatisticsError, match="tolerated rate"):
        change_alarm([Counted(1, 2)], tolerate=0.0)
    with pytest.raises(StatisticsError, match="alpha"):
        change_alarm([Counted(1, 2)], alpha=1.0)
