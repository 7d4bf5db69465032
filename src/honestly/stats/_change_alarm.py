"""Has a rate risen? An alarm over checkpoints that is rarely false, however many checkpoints there will be.

The same tasks are tried at every checkpoint, and what is counted happens in `found` of `trials` trials. While the mean
rate over these tasks does not rise from one checkpoint to a later one, the alarm sounds with probability alpha at most,
over all checkpoints together and without an end set beforehand.

How: for a rise at checkpoint v to a rate q, above the rate p that is tolerated there, the checkpoints from v on give
the likelihood ratio, the product of `(q/p)^found ((1-q)/(1-p))^(trials-found)`. Its average over a few q, weighted over
v by `1/(v(v+1))` (what is left of the weight stands at 1), is an e-process: its mean is at most 1 while nothing rose,
so by Ville's inequality it reaches `1/alpha` with probability alpha at most. The weights cost little: a rise at the
50th checkpoint must show e^7.8 times as much evidence, and need not make up for the quiet time before.

The tolerated rate is declared; or it is the smallest upper bound that the checkpoints before v give, the first being
the baseline. The bounds are Clopper and Pearson's, at a fifth of alpha for all of them together (the v-th at its
`1/(v(v+1))`), and four fifths are left for the alarm. So a baseline that happened to look good raises no alarm.

Tasks of different difficulty, several trials of one task: given the tasks, trials are independent with rates of their
own, and their number of hits is no more spread than a binomial one with the same mean (Hoeffding 1956, Theorems 3, 4).
The ratio is convex and increasing in the hits, so its mean stays at most 1, and the bounds hold. That is why trials may
be counted, although trials of one task are alike; the price is that the statement is about exactly these tasks.

Not covered: falls of the rate; trials that depend on each other given the task (a shared cache, one seed for all); a
share that could not be read and that changes between checkpoints, which the caller must watch.

Sources: Shin, Ramdas & Rinaldo 2024, E-detectors, NEJSDS 2:229 (sums over change points); Ville 1939; Hoeffding 1956,
Ann. Math. Stat. 27:713; Clopper & Pearson 1934.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._intervals import clopper_pearson_interval
from honestly.stats._prevalence import Counted

Floats = NDArray[np.float64]

_ODDS = np.array([1.5, 2.0, 3.0, 5.0, 10.0, 30.0])
"""By how much the odds of the tolerated rate are multiplied to get the rates that are looked for."""
_BASELINE_SHARE = 0.2
"""Part of alpha that the bounds on the earlier rates take."""


@dataclass(frozen=True, slots=True)
class ChangeAlarm:
    """State of the alarm after the checkpoints so far."""

    tolerated: tuple[float, ...]
    """For each checkpoint the rate above which one that began there counts as a rise; NaN at a baseline."""
    declared: bool
    """Whether the tolerated rate was declared, and not estimated from the checkpoints before."""
    evidence: tuple[float, ...]
    """e-value after each checkpoint."""
    threshold: float
    """What the evidence must reach."""
    raised_at: int | None
    """Index of the checkpoint at which the alarm sounded first, from 0; None while it has not."""
    alpha: float
    """Bound on the probability that it ever sounds while nothing rises."""
    reason: str = ""
    """Why it could not sound yet; empty if it could."""


def change_alarm(checkpoints: Sequence[Counted], *, tolerate: float | None = None, alpha: float = 0.05) -> ChangeAlarm:
    """Whether the rate has risen above what it was before, or above a declared one, at any of the checkpoints.

    Args:
        checkpoints: what was counted at each, in their order, on the same tasks. Without `tolerate` the first is the
            baseline.
        tolerate: the rate up to which nothing counts as a rise, whatever was before.
        alpha: bound on the probability of a false alarm over all checkpoints, present and future.

    Raises:
        StatisticsError: a number makes no sense.
    """
    if not 0 < alpha < 1:
        raise StatisticsError(f"alpha={alpha}; expected a probability between 0 and 1, such as 0.05")
    if tolerate is not None and not 0 < tolerate < 1:
        raise StatisticsError(f"a tolerated rate of {tolerate} makes no sense; expected one between 0 and 1")
    found = np.array([[each.found for each in checkpoints]], dtype=np.float64)
    trials = np.array([[each.of for each in checkpoints]], dtype=np.float64)
    if tolerate is None:
        level, tolerated = (1 - _BASELINE_SHARE) * alpha, tolerated_rates(found, trials, alpha)
    else:
        level, tolerated = alpha, np.full(found.shape, tolerate)
    evidence = alarm_evidence(found, trials, tolerated)[0]
    over = np.flatnonzero(evidence >= 1 / level)
    return ChangeAlarm(
        tolerated=tuple(tolerated[0].tolist()),
        declared=tolerate is not None,
        evidence=tuple(evidence.tolist()),
        threshold=1 / level,
        raised_at=int(over[0]) if over.size else None,
        alpha=alpha,
        reason=_why_silent(tolerated[0]),
    )


def tolerated_rates(found: Floats, trials: Floats, alpha: float = 0.05) -> Floats:
    """The smallest upper bound of the rate that earlier checkpoints give, for each; NaN for the first.

    Args:
        found: what was counted, shape (series, checkpoints).
        trials: out of how many, the same shape.
        alpha: level of the alarm, of which the bounds together take a fifth.
    """
    bounds = np.full(found.shape, np.nan)
    for v in range(1, found.shape[1]):
        tail = _BASELINE_SHARE * alpha / (v * (v + 1))
        upper = clopper_pearson_interval(found[:, :v].sum(axis=1), trials[:, :v].sum(axis=1), 1 - 2 * tail)[1]
        bounds[:, v] = np.fmin(bounds[:, v - 1], upper)
    return bounds


def alarm_evidence(found: Floats, trials: Floats, tolerated: Floats) -> Floats:
    """The e-process, for many series at once.

    Args:
        found: what was counted, shape (series, checkpoints).
        trials: out of how many, the same shape.
        tolerated: for each checkpoint the rate above which one that began there counts as a rise, the same shape; where
            it is not strictly between 0 and 1 (a baseline), no rise can begin.

    Returns:
        Evidence after each checkpoint, shape (series, checkpoints); at most e^700.
    """
    possible = (tolerated > 0) & (tolerated < 1)
    p = np.where(possible, tolerated, 0.5)[:, :, None]
    q = p * _ODDS / (1 - p + p * _ODDS)  # (series, beginnings, rates)
    hit, miss = np.log(q / p), np.log((1 - q) / (1 - p))
    number = np.cumsum(possible, axis=1).astype(np.float64)
    with np.errstate(divide="ignore"):
        weight = np.where(possible, -np.log(number * (number + 1)), -np.inf)
    products = np.zeros(q.shape)
    evidence = np.empty(found.shape)
    for t in range(found.shape[1]):
        begun = slice(0, t + 1)
        products[:, begun] += found[:, t, None, None] * hit[:, begun]
        products[:, begun] += (trials - found)[:, t, None, None] * miss[:, begun]
        each = np.logaddexp.reduce(products[:, begun], axis=2) - math.log(_ODDS.size) + weight[:, begun]
        total = np.logaddexp(np.logaddexp.reduce(each, axis=1), -np.log(number[:, t] + 1))
        evidence[:, t] = np.exp(np.minimum(total, 700.0))  # e^710 overflows
    return evidence


def _why_silent(tolerated: Floats) -> str:
    if not tolerated.size:
        return "there is no checkpoint"
    if tolerated.size == 1 and np.isnan(tolerated[0]):
        return "there is no checkpoint beside the baseline"
    return "" if bool((tolerated < 1).any()) else "the baseline has no trials, or its rate may be 1"
