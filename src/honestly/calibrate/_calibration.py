"""Stated probabilities of success against outcomes: Brier score and its parts, ranking, calibration, abstention.

Trials of one task are alike, so that all errors take tasks as clusters; every interval and verdict is an answer of
`MeanQuestion`, as elsewhere. The Brier score is the mean of `(p - y)²`; over groups of equal stated values it is

    reliability - resolution + uncertainty

with the means of `(p_k - y_k)²` and `(y_k - y)²`, weighted by `n_k`, and `y (1 - y)` (Murphy 1973).
With many different values the groups are ten ranges, and what is within them is a fourth part (Stephenson, Coelho &
Jolliffe 2008, Wea. Forecasting 23:752), so that the sum holds all the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.calibrate._stated import StatedResult
from honestly.errors import StatisticsError
from honestly.stats import MeanAnswer, MeanQuestion, clustered_mean, holm_adjusted, t_interval

Floats = NDArray[np.float64]
_MOST_VALUES = 20
"""Different stated values up to which each is a group of its own."""
_RANGES = 10
_FAILURES = (0.01, 0.05, 0.1, 0.2)
"""Error rates for which a rule of abstention is looked for."""


@dataclass(frozen=True, slots=True)
class BrierParts:
    """A Brier score taken apart: `brier = reliability - resolution + uncertainty + within`."""

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    """Of values that differ within a range; 0 where each value is a group of its own."""


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Trials with similar stated confidence."""

    confidence: float
    """Mean of what they stated."""
    passed: float
    """Share that passed."""
    n: int
    interval: tuple[float, float]
    """Of the share."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """To answer only from a stated confidence on, so that of the answers at most a share fails."""

    failures: float
    """The share that is promised."""
    threshold: float | None
    """Answer from here on; None where no threshold is shown to keep the promise."""
    answered: float
    """Share of the trials at or above it."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What became of trials by what the agent claimed."""

    claimed: str
    """`success`, `failure` or `nothing`."""
    n: int
    passed: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class AgentCalibration:
    """What one agent stated, and how its trials ended."""

    agent: str
    trials: int
    """Judged."""
    n: int
    """Of these, with a stated confidence: all numbers but `claims` are of them."""
    tasks: int
    confidence: float
    """Mean of what was stated."""
    passed: float
    overconfidence: float
    """Mean of stated minus passed."""
    overconfidence_interval: tuple[float, float]
    overconfidence_p: float
    verdict: str
    """How strongly it is shown that `overconfidence` is not 0."""
    brier: float
    interval: tuple[float, float]
    """Of the Brier score."""
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    auroc: float
    """Probability that a trial that passed had stated more than one that failed; ties count half."""
    auroc_interval: tuple[float, float]
    curve: tuple[CalibrationBin, ...]
    coverage: tuple[tuple[float, float, float], ...]
    """For each threshold from the highest down: threshold, share answered, share of these that failed."""
    abstain: tuple[Abstention, ...]
    claims: tuple[Claims, ...]


@dataclass(frozen=True, slots=True)
class CalibrationPair:
    """Two agents' Brier scores on common tasks; a negative difference if the first is better."""

    a: str
    b: str
    tasks: int
    difference: float
    interval: tuple[float, float]
    p_value: float
    p_holm: float
    """Over all pairs."""


def brier_parts(stated: ArrayLike, passed: ArrayLike) -> BrierParts:
    """The Brier score of stated probabilities and its parts.

    Args:
        stated: probabilities, shape (n,).
        passed: 0 or 1, shape (n,).

    Raises:
        StatisticsError: they are no such numbers, or not as many of both.
    """
    p, y = np.asarray(stated, dtype=np.float64), np.asarray(passed, dtype=np.float64)
    if (
        p.ndim != 1
        or p.shape != y.shape
        or not p.size
        or not ((p >= 0) & (p <= 1)).all()
        or not np.isin(y, (0, 1)).all()
    ):
        raise StatisticsError("expected as many probabilities from 0 to 1 as results, each of which is 0 or 1")
    groups = _groups(p)
    reliability = resolution = 0.0
    for group in groups:
        share = group.sum() / p.size
        reliability += share * (p[group].mean() - y[group].mean()) ** 2
        resolution += share * (y[group].mean() - y.mean()) ** 2
    brier, uncertainty = float(((p - y) ** 2).mean()), float(y.mean() * (1 - y.mean()))
    within = brier - (reliability - resolution + uncertainty)
    return BrierParts(
        brier, float(reliability), float(resolution), uncertainty, 0.0 if abs(within) < 1e-12 else float(within)
    )


def rank_auroc(stated: ArrayLike, passed: ArrayLike) -> float:
    """Area under the ROC curve, ties counted half; NaN where all passed, or none."""
    y = np.asarray(passed, dtype=bool)
    with np.errstate(invalid="ignore"):
        return float(np.divide(_wins(np.asarray(stated, dtype=np.float64), y)[y].sum(), y.sum() * (~y).sum()))


def _wins(p: Floats, y: NDArray[np.bool_]) -> Floats:
    """For each that passed, how many that failed stated less, ties half; for each other, how many that passed more."""
    good, bad = np.sort(p[y]), np.sort(p[~y])
    below = (np.searchsorted(bad, p, "left") + np.searchsorted(bad, p, "right")) / 2
    above = good.size - (np.searchsorted(good, p, "left") + np.searchsorted(good, p, "right")) / 2
    return np.where(y, below, above)


def agent_calibration(agent: str, results: Sequence[StatedResult], level: float) -> AgentCalibration:
    """The calibration of one agent's trials; NaN where nothing was stated."""
    told = [each for each in results if each.confidence is not None]
    p = np.array([each.confidence for each in told], dtype=np.float64)
    y = np.array([each.passed for each in told], dtype=np.float64)
    tasks = [each.task for each in told]
    gap = _mean_answer(p - y, tasks, level, (-1.0, 1.0), about=0.0)
    parts = brier_parts(p, y) if told else BrierParts(*[math.nan] * 5)
    return AgentCalibration(
        agent=agent,
        trials=len(results),
        n=len(told),
        tasks=len(set(tasks)),
        confidence=_finite_mean(p),
        passed=_finite_mean(y),
        overconfidence=_finite_mean(p - y),
        overconfidence_interval=gap[0].interval,
        overconfidence_p=gap[0].p_value,
        verdict=gap[1],
        brier=parts.brier,
        interval=_mean_answer((p - y) ** 2, tasks, level)[0].interval,
        reliability=parts.reliability,
        resolution=parts.resolution,
        uncertainty=parts.uncertainty,
        within=parts.within,
        auroc=rank_auroc(p, y) if told else math.nan,
        auroc_interval=_auroc_interval(p, y, tasks, level),
        curve=tuple(
            CalibrationBin(
                _finite_mean(p[group]),
                _finite_mean(y[group]),
                int(group.sum()),
                _mean_answer(y[group], [task for task, own in zip(tasks, group, strict=True) if own], level)[
                    0
                ].interval,
            )
            for group in _groups(p)
        ),
        coverage=tuple(
            (float(least), float((p >= least).mean()), _finite_mean(1 - y[p >= least])) for least in np.unique(p)[::-1]
        ),
        abstain=tuple(_abstention(p, y, tasks, failures, level) for failures in _FAILURES) if told else (),
        claims=tuple(_claims(results, level)),
    )


def calibration_pairs(results: Sequence[StatedResult], level: float) -> tuple[CalibrationPair, ...]:
    """Every pair of agents that stated something at the same tasks: two or more."""
    squares: dict[str, dict[str, list[float]]] = {}
    for each in results:
        if each.confidence is not None:
            square = (each.confidence - each.passed) ** 2
            squares.setdefault(each.agent, {}).setdefault(each.task, []).append(square)
    found = []
    for a, b in combinations(squares, 2):
        both = [task for task in squares[a] if task in squares[b]]
        if len(both) > 1:
            gaps = np.array([np.mean(squares[a][task]) - np.mean(squares[b][task]) for task in both])
            found.append(
                (a, b, len(both), _finite_mean(gaps), _mean_answer(gaps, both, level, (-1.0, 1.0), about=0.0)[0])
            )
    adjusted = holm_adjusted([answer.p_value for *_, answer in found]) if found else ()
    return tuple(
        CalibrationPair(a, b, n, gap, answer.interval, answer.p_value, float(holm))
        for (a, b, n, gap, answer), holm in zip(found, adjusted, strict=True)
    )


def _finite_mean(values: Floats) -> float:
    return float(values.mean()) if values.size else math.nan


def _groups(p: Floats) -> list[NDArray[np.bool_]]:
    """Which trials stated the same; or about the same, where there are many different values."""
    values = np.unique(p)
    if values.size <= _MOST_VALUES:
        return [p == value for value in values]
    ranges = np.minimum((p * _RANGES).astype(int), _RANGES - 1)
    return [ranges == number for number in np.unique(ranges)]


def _mean_answer(
    values: Floats,
    tasks: Sequence[str],
    level: float,
    limits: tuple[float, float] = (0.0, 1.0),
    about: float | None = None,
) -> tuple[MeanAnswer, str]:
    """What is said about a mean over trials, with tasks as clusters, and how strongly."""
    if not values.size:
        return MeanAnswer("", (math.nan, math.nan)), "cannot tell"
    codes = np.unique(np.asarray(tasks), return_inverse=True)[1].astype(np.int64)
    found = clustered_mean(values, codes)
    question = MeanQuestion(float(found.mean), float(found.se), float(found.df), values, codes=codes, limits=limits)
    claim = question.claim(level, about)
    return claim.answer, claim.verdict


def _auroc_interval(p: Floats, y: Floats, tasks: Sequence[str], level: float) -> tuple[float, float]:
    """A t interval with the jackknife's standard error, a task left out at a time; NaN where it cannot be had."""
    good = y > 0
    codes = np.unique(np.asarray(tasks), return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    own = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if p.size else []
    within = np.array([_wins(p[one], good[one])[good[one]].sum() for one in own])
    wins, passed, failed = (
        (np.bincount(codes, each) for each in (_wins(p, good), good, ~good)) if p.size else [np.zeros(0)] * 3
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        # Pairs of a task with itself are in the sum of both of their halves.
        left = (wins[...].sum() / 2 - wins + within) / ((passed.sum() - passed) * (failed.sum() - failed))
    left = left[np.isfinite(left)]
    if left.size < 3:
        return math.nan, math.nan
    se = math.sqrt((left.size - 1) / left.size * float(((left - left.mean()) ** 2).sum()))
    if se < 1e-12:
        return math.nan, math.nan
    low, high = t_interval(rank_auroc(p, y), se, left.size - 1, level, 0.0)
    return float(low), float(high)


def _abstention(p: Floats, y: Floats, tasks: Sequence[str], failures: float, level: float) -> Abstention:
    """The lowest threshold that keeps a promise, thresholds tried from the highest down until one is not shown to.

    Each is a test at `1 - level` that more fail; stopping at the first that is not rejected keeps that level for all
    (fixed-sequence testing; Angelopoulos et al. 2022, "Learn then Test", arXiv:2110.01052).
    """
    kept = None
    for least in np.unique(p)[::-1]:
        own = p >= least
        answered = [task for task, one in zip(tasks, own, strict=True) if one]
        if not _mean_answer(1 - y[own], answered, level, about=failures)[0].p_below <= 1 - level:
            break
        kept = float(least)
    return Abstention(failures, kept, 0.0 if kept is None else float((p >= kept).mean()))


def _claims(results: Sequence[StatedResult], level: float) -> list[Claims]:
    found = []
    for claimed, name in ((True, "success"), (False, "failure"), (None, "nothing")):
        own = [each for each in results if each.claimed is claimed]
        if own:
            y = np.array([each.passed for each in own], dtype=np.float64)
            answer = _mean_answer(y, [each.task for each in own], level)[0]
            found.append(Claims(name, len(own), _finite_mean(y), answer.interval))
    return found
