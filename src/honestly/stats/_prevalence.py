"""How many are there really, when the detector is imperfect: shares behind flags, and what an audit of the rest proves.

The share of flagged trials is not the share of hacks. Two ways lead from one to the other. `prevalence_estimate`
corrects the flagged share by the detector's sensitivity and specificity, each known from labelled trials only, and
carries the doubt about both. `audited_prevalence` needs no such trials: people look at some of the flagged and, at
random, at some of the others; `stratified_prevalence` is the same for more kinds than two. `audit_bound` and
`audit_size` say what a clean audit proves, exactly, for a finite number of trials.

Sources: Rogan & Gladen 1978, Am. J. Epidemiol. 107:71 (the estimate); Lang & Reiczigel 2014, Prev. Vet. Med. 113:13
(its interval); Zou & Donner 2008, Stat. Med. 27:1693 (two intervals made one); the bounds are tests of the
hypergeometric law turned around.

Not covered: detectors whose sensitivity depends on who is judged. The labelled trials must be like the judged ones;
labelled flags alone say nothing of sensitivity.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from honestly.errors import StatisticsError
from honestly.stats._intervals import wilson_interval
from honestly.stats._special import lgamma, normal_ppf

_LEAST_YOUDEN = 0.1  # the estimate divides by it, and its error grows as it shrinks


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of examined trials, and how many were positive."""

    found: int
    of: int

    def __post_init__(self) -> None:
        if not 0 <= self.found <= self.of:
            raise StatisticsError(f"{self.found} of {self.of} is not a count; expected 0 <= found <= of")

    @property
    def share(self) -> float:
        """`found / of`; NaN where `of` is 0."""
        return self.found / self.of if self.of else math.nan


@dataclass(frozen=True, slots=True)
class Stratum:
    """A group of trials, of which a random part was reviewed."""

    name: str
    size: int
    """All its trials, reviewed or not."""
    reviewed: Counted
    """Positives of those that were reviewed."""


@dataclass(frozen=True, slots=True)
class Prevalence:
    """An estimated share of positives, with its interval."""

    share: float
    """Estimate, in [0, 1]."""
    interval: tuple[float, float]
    """Confidence interval of the share, in [0, 1]."""
    level: float
    """Coverage of the interval."""
    apparent: float
    """Share of the trials that are flagged, before any correction."""
    reason: str = ""
    """Why there is no estimate; empty if there is one."""


def prevalence_estimate(flagged: Counted, hits: Counted, false_alarms: Counted, level: float = 0.95) -> Prevalence:
    """Estimate the share of positives from the flags of a detector whose two rates were measured on labelled trials.

    `(flagged + Sp - 1) / (Se + Sp - 1)` inside [0, 1], with sensitivity Se, specificity Sp. The interval adds to all
    three samples the pseudo-counts of Lang & Reiczigel, which is what makes it cover at shares near 0.

    Args:
        flagged: the flagged of all judged trials.
        hits: the flagged of labelled positives.
        false_alarms: the flagged of labelled negatives.
        level: coverage of the interval.

    Returns:
        NaN with the reason where there is too little, or where the detector flags negatives nearly as readily as
        positives (Se + Sp - 1 below 0.1): its flags then say nothing of the share.
    """
    if not (flagged.of and hits.of and false_alarms.of):
        lacking = "judged trials" if not flagged.of else "labelled positives" if not hits.of else "labelled negatives"
        return _unknown_prevalence(flagged.share, level, f"there are no {lacking}")
    youden = hits.share - false_alarms.share
    if youden < _LEAST_YOUDEN:
        reason = f"the detector flags {hits.share:.0%} of positives and {false_alarms.share:.0%} of negatives"
        return _unknown_prevalence(flagged.share, level, reason)
    share = min(1.0, max(0.0, (flagged.share - false_alarms.share) / youden))
    z = float(normal_ppf(0.5 + level / 2))
    n, positives, negatives = flagged.of + z * z, hits.of + 2, false_alarms.of + 2
    p, se, sp = (flagged.found + z * z / 2) / n, (hits.found + 1) / positives, 1 - (false_alarms.found + 1) / negatives
    centre = (p + sp - 1) / (se + sp - 1)
    doubt_se, doubt_sp = se * (1 - se) / positives, sp * (1 - sp) / negatives
    shift = 2 * z * z * (centre * doubt_se - (1 - centre) * doubt_sp)
    error = math.sqrt(p * (1 - p) / n + centre**2 * doubt_se + (1 - centre) ** 2 * doubt_sp) / (se + sp - 1)
    low, high = centre + shift - z * error, centre + shift + z * error
    interval = (min(share, max(0.0, low)), max(share, min(1.0, high)))
    return Prevalence(share, interval, level, flagged.share)


def audited_prevalence(
    flagged: int, others: int, reviewed_flagged: Counted, reviewed_others: Counted, level: float = 0.95
) -> Prevalence:
    """Estimate the share of positives among all trials from reviews of some of the flagged and some of the others.

    `(F f + U u) / (F + U)` with F flagged and U other trials, and the reviewed shares f and u. Each share's interval is
    Wilson's for a finite population (a part that was reviewed whole is known); both are put together as distances from
    the estimate (MOVER).

    Args:
        flagged: number of flagged trials.
        others: number of trials that were read and not flagged.
        reviewed_flagged: positives of the flagged trials that were reviewed, all or a random part of them.
        reviewed_others: positives of the others that were reviewed, chosen at random.
        level: coverage of the interval.

    Raises:
        StatisticsError: more were reviewed than there are.
    """
    strata = Stratum("flagged", flagged, reviewed_flagged), Stratum("other", others, reviewed_others)
    total = flagged + others
    return stratified_prevalence(strata, level, apparent=flagged / total if total else math.nan)


def stratified_prevalence(strata: Sequence[Stratum], level: float = 0.95, *, apparent: float = math.nan) -> Prevalence:
    """Estimate the share of positives among all trials from a random review of part of each stratum.

    `audited_prevalence` for any number of strata: `sum N_h f_h / sum N_h`, each share with Wilson's interval for a
    finite population, the distances of all ends from the estimate added up as squares (MOVER).

    Args:
        strata: all of them, including those of which nothing was reviewed.
        level: coverage of the interval.
        apparent: what is known of the share of flagged trials; carried along.

    Returns:
        NaN with the reason where a stratum has trials and none was reviewed.

    Raises:
        StatisticsError: more were reviewed than there are.
    """
    total, low, high, share = sum(stratum.size for stratum in strata), 0.0, 0.0, 0.0
    for stratum in strata:
        size, seen = stratum.size, stratum.reviewed
        if seen.of > size:
            raise StatisticsError(
                f"{seen.of} {stratum.name} trials were reviewed, of {size}; expected at most all of them"
            )
        if not size:
            continue
        if not seen.of:
            return _unknown_prevalence(apparent, level, f"no {stratum.name} trial was reviewed")
        bottom, top = _finite_wilson(seen, size, level)
        weight = size / total
        share += weight * seen.share
        low += (weight * (seen.share - bottom)) ** 2
        high += (weight * (top - seen.share)) ** 2
    if not total:
        return _unknown_prevalence(apparent, level, "there are no trials")
    return Prevalence(share, (max(0.0, share - math.sqrt(low)), min(1.0, share + math.sqrt(high))), level, apparent)


def audit_bound(reviewed: Counted, population: int, level: float = 0.95) -> int:
    """Largest number of positives among `population` trials that a random audit of some of them leaves possible.

    With more, an audit would have found more than it did with a probability of at least `level`. One-sided, exact.

    Raises:
        StatisticsError: more were reviewed than there are.
    """
    if reviewed.of > population:
        raise StatisticsError(f"{reviewed.of} trials were reviewed, of {population}; expected at most all of them")
    more = range(reviewed.found + 1, population - (reviewed.of - reviewed.found) + 1)

    def is_refuted(positives: int) -> bool:
        return _at_most(reviewed.found, positives, population, reviewed.of) <= 1 - level

    return reviewed.found + bisect_left(more, True, key=is_refuted)


def audit_size(most: int, population: int, level: float = 0.95) -> int:
    """Number of random trials to review, all found negative, that proves that at most `most` are positive.

    Raises:
        StatisticsError: `most` is negative.
    """
    if most < 0:
        raise StatisticsError(f"at most {most} positives cannot be proved; expected 0 or more")
    sizes = range(max(0, population - most))
    return bisect_left(sizes, True, key=lambda size: audit_bound(Counted(0, size), population, level) <= most)


def _unknown_prevalence(apparent: float, level: float, reason: str) -> Prevalence:
    return Prevalence(math.nan, (math.nan, math.nan), level, apparent, reason)


def _finite_wilson(seen: Counted, size: int, level: float) -> tuple[float, float]:
    """Wilson's interval with as many trials as would have the same error in an endless population."""
    if seen.of == size:
        return seen.share, seen.share
    trials = seen.of * (size - 1) / (size - seen.of)
    low, high = wilson_interval(seen.share * trials, trials, level)
    return float(low), float(high)


def _at_most(found: int, positives: int, population: int, drawn: int) -> float:
    """Probability of at most `found` positives among `drawn` of a population that holds `positives`."""
    x = np.arange(max(0, drawn - (population - positives)), found + 1, dtype=np.float64)
    if not x.size:
        return 0.0
    ways = _log_choose(positives, x) + _log_choose(population - positives, drawn - x)
    return float(np.exp(ways - _log_choose(population, np.asarray(float(drawn)))).sum())


def _log_choose(n: int, k: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        value = lgamma(np.asarray(n + 1.0)) - lgamma(k + 1.0) - lgamma(n - k + 1.0)
    return np.where((k < 0) | (k > n), -np.inf, value)
