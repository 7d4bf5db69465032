"""How success falls with the length of the work: errors that compound at a constant rate, and whether they do.

If each unit of length (a step, a thousand tokens, a minute of a person's time) fails the work with the same chance, a
task of length `L` passes with probability `exp(-rate L)`: it halves with every `ln 2 / rate` units. `P = exp(-rate
L^shape)` nests this at `shape = 1`; with a shape below 1 errors become rarer in long work (agents recover), above 1
they pile up. Both are binomial regressions of failure with the complementary log-log link, so that `shape` is the
slope on `log L`, and the constant rate is the model with slope 1. Errors take clusters of tasks as independent (CR1
sandwich, Student's t with one degree of freedom per cluster less one per number fitted).

The length of a task is one number for all agents: what trials that passed it took, in the median; where none passed,
what the longest trial took. An agent that fails early would else make the work look short. Minutes are those that the
task declares. Not covered: tasks whose length differs from trial to trial; lengths that a time limit cuts off.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.records import Outcome
from honestly.stats import MeanQuestion, clustered_mean, t_quantile, t_two_sided
from honestly.store import Store
from honestly.tasks import clusters_of

Unit = Literal["steps", "tokens", "minutes"]
Floats = NDArray[np.float64]
_BINS = 5
_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class MeasuredLength:
    """One judged trial at a task whose length is known."""

    agent: str
    task: str
    cluster: str
    passed: bool
    length: float
    """Of the task."""


@dataclass(frozen=True, slots=True)
class LengthBin:
    """Trials at tasks of about the same length."""

    shortest: float
    longest: float
    n: int
    passed: float
    """Share that passed."""
    interval: tuple[float, float]
    predicted: float
    """Share that the constant rate predicts."""


@dataclass(frozen=True, slots=True)
class AgentLength:
    """One agent's success by length; NaN where it cannot be estimated, and `reason` says why."""

    agent: str
    n: int
    tasks: int
    clusters: int
    passed: float
    rate: float
    """Chance of a fatal error per unit of length: `P = exp(-rate L)`."""
    rate_interval: tuple[float, float]
    half: float
    """Length at which half of the work passes."""
    half_interval: tuple[float, float]
    shape: float
    """1 where errors come at a constant rate, below 1 where they become rarer in long work."""
    shape_interval: tuple[float, float]
    shape_p: float
    """Two-sided, of a shape of 1."""
    bins: tuple[LengthBin, ...]
    reason: str


def measured_lengths(store: Store, unit: Unit) -> list[MeasuredLength]:
    """The judged trials of a study at tasks that can be solved, with the length of each task.

    Raises:
        StatisticsError: no task has a length in this unit.
    """
    tasks = {task.id: task for task in store.tasks() if task.tags.variant != "impossible"}
    strict = bool(store.facts().strict)
    judged = [
        (trial, trial.counted_trial(strict=strict).outcome is Outcome.PASSED)
        for trial in store.trials()
        if trial.task in tasks and trial.outcome is not Outcome.VOID
    ]
    if any(trial.score is not None and 0 < trial.score < 1 for trial, _ in judged):
        raise StatisticsError("graded scores neither pass nor fail; give results that say passed or failed (0 or 1)")
    found: dict[str, dict[bool, list[float]]] = defaultdict(lambda: {True: [], False: []})
    for trial, passed in judged:
        taken: float | None = None
        if unit == "steps" and (info := store.trajectory_info(trial.id)) is not None:
            taken = info.steps
        elif unit == "tokens":
            taken = trial.usage.tokens
        elif unit == "minutes":
            taken = tasks[trial.task].tags.minutes
        if taken:
            found[trial.task][passed].append(taken)
    lengths = {task: median(by[True]) if by[True] else max(by[False]) for task, by in found.items()}
    if not lengths:
        where = "[metadata] expert_time_estimate_min of task.toml, or a column `minutes`" if unit == "minutes" else unit
        raise StatisticsError(
            f"no trial of the study has a length in {unit}: expected {where}. Trials of runs and logs have "
            "--unit steps or tokens, tables at most minutes"
        )
    clusters = clusters_of({name: task.tags for name, task in tasks.items()})[0] or {}
    return [
        MeasuredLength(trial.agent, trial.task, clusters.get(trial.task, trial.task), passed, lengths[trial.task])
        for trial, passed in judged
        if trial.task in lengths
    ]


def agent_length(agent: str, trials: Sequence[MeasuredLength], level: float) -> AgentLength:
    """One agent's fit: the constant rate, its half-length, and whether the rate is constant."""
    length = np.array([each.length for each in trials])
    failed = np.array([not each.passed for each in trials], dtype=np.float64)
    codes = np.unique([each.cluster for each in trials], return_inverse=True)[1].astype(np.int64)
    clusters, nan = int(codes.max()) + 1, (math.nan, math.nan)
    middle = float(np.exp(np.log(length).mean()))
    x = np.log(length / middle)
    reason = ""
    if not 0 < failed.mean() < 1:
        reason = f"all of its trials {'failed' if failed.any() else 'passed'}: a rate needs both"
    elif clusters < 2:
        reason = "its tasks form one cluster: no error can be estimated"
    rate = half = shape = p = math.nan
    rate_interval = half_interval = shape_interval = nan
    if not reason:
        (logged,), (se,) = _fitted(np.ones((x.size, 1)), x, failed, codes)
        around = t_quantile(level, clusters - 1.0) * se
        low, high = (math.exp(logged + sign * around) / middle for sign in (-1, 1))
        rate, rate_interval = math.exp(logged) / middle, (low, high)
        half, half_interval = math.log(2) / rate, (math.log(2) / high, math.log(2) / low)
        if clusters > 2 and np.ptp(x) > 0:
            (_, shape), (_, of_shape) = _fitted(np.stack([np.ones(x.size), x], axis=1), np.zeros(x.size), failed, codes)
            around = t_quantile(level, clusters - 2.0) * of_shape
            shape_interval = shape - around, shape + around
            p = float(t_two_sided(np.float64((shape - 1) / of_shape), np.float64(clusters - 2)))
    return AgentLength(
        agent, len(trials), len({each.task for each in trials}), clusters, float(1 - failed.mean()), rate,
        rate_interval, half, half_interval, shape, shape_interval, p,
        tuple(_bins(length, 1 - failed, codes, rate, level)), reason,
    )  # fmt: skip


def _fitted(
    columns: Floats, offset: Floats, failed: Floats, codes: NDArray[np.int64]
) -> tuple[list[float], list[float]]:
    """Coefficients of `log(-log(1 - P(failed)))` by Fisher's scoring, and their cluster-robust standard errors."""
    at = np.zeros(columns.shape[1])
    at[0] = math.log(-math.log1p(-failed.mean()))
    for _ in range(_ROUNDS):
        hazard = np.exp(np.clip(columns @ at + offset, -30, 6))
        share = -np.expm1(-hazard)
        score = columns * (hazard * (failed - share) / share)[:, None]
        weight = hazard**2 * np.maximum(np.exp(-hazard) / share, 1e-12)
        bread = np.linalg.pinv((columns * weight[:, None]).T @ columns)
        move = np.clip(bread @ score.sum(axis=0), -1, 1)
        if np.abs(move).max() < 1e-10:
            break
        at = at + move
    groups = int(codes.max()) + 1
    sums = np.stack([np.bincount(codes, column, groups) for column in score.T], axis=1)
    spread = groups / (groups - 1) * bread @ (sums.T @ sums) @ bread
    return at.tolist(), np.sqrt(np.diag(spread)).tolist()


def _bins(length: Floats, passed: Floats, codes: NDArray[np.int64], rate: float, level: float) -> list[LengthBin]:
    edges = np.unique(np.quantile(length, np.linspace(0, 1, _BINS + 1)[1:-1], method="lower"))
    which = np.searchsorted(edges, length, side="left")
    found = []
    for at in np.unique(which):
        own = which == at
        taken, of = passed[own], np.unique(codes[own], return_inverse=True)[1].astype(np.int64)
        mean = clustered_mean(taken, of)
        claim = MeanQuestion(float(mean.mean), float(mean.se), float(mean.df), taken, codes=of, limits=(0.0, 1.0))
        predicted = float(np.exp(-rate * length[own]).mean())
        low, high = claim.claim(level, 0.5).answer.interval
        found.append(
            LengthBin(float(length[own].min()), float(length[own].max()), int(own.sum()), float(taken.mean()),
                      (low, high), predicted)
        )  # fmt: skip
    return found
