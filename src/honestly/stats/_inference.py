"""A question about a mean, and the claim that answers it: where every verb takes its interval, p-value and word from.

A question is an estimand (a score, a paired difference, its distance from a margin), a design (what was drawn, what
each weighs, what belongs together, the limits that no value leaves) and a level. It has two answers:

- *approximate*: Student's t over the units (CR2 over clusters), or the test that was chosen in its place. It takes the
  values for no more skewed than those that were drawn. Its p-value is at least that of as many units,
  whatever each weighs, whose signs agree.
- *with room*: the approximate one, at least as wide as what chance alone may have left out. Of n units of equal weight
  a share `1 - alpha^(1/n)` is missed by a sample with probability alpha, and could lie at the farther limit.
- *guaranteed*: what the approximate answer and Gaffke's test (`_any_law.py`) both find, which holds for every law
  between the limits that was tried. A unit is a question, or the cluster that holds it.

**The rule of the headline.** It is the answer with room, where what was drawn is neither skewed (the units' skewness is
at most `_SKEW sqrt(n)`) nor of two kinds (kurtosis - skewness² - 1, which is 0 for two values, is at least `_SPREAD`).
Else the guaranteed answer is, and for differences over fewer than ten effective clusters. A decision with one side (a
gate, a margin, a ladder) always is the guaranteed one, since t feels skewness there most. docs/methods/headline.md has
the experiment that the rule was chosen by.

**The word.** *Shown* is what the headline finds, with room or guaranteed. What only the approximate answer finds is
shown if rare large differences can be excluded.

Single passes and failures of two agents have their own answer: mid-p McNemar, with the interval that agrees with it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.stats._any_law import AnyLaw, effective_units, independent_units
from honestly.stats._intervals import clopper_pearson_interval, t_interval, wilson_interval, wilson_lowest
from honestly.stats._matched_passes import matched_interval, matched_tails
from honestly.stats._means import FEW_CLUSTERS
from honestly.stats._resolved import ResolvedScores
from honestly.stats._special import t_two_sided

Floats = NDArray[np.float64]
Interval = tuple[float, float]
ClaimVerdict = Literal["shown", "shown if rare large differences can be excluded", "cannot tell"]
CONDITIONAL: ClaimVerdict = "shown if rare large differences can be excluded"

Headline = Literal["approximate", "with room", "guaranteed"]

WILSON = "Wilson's interval"

_SKEW = 0.15
_SPREAD = 0.1
_SWING = 0.015
_SAME = 1e-12


@dataclass(frozen=True, slots=True)
class MeanAnswer:
    """One answer about a mean; the p-value is NaN if only an interval was requested."""

    method: str
    interval: Interval
    p_value: float = math.nan
    """Two-sided, of the null hypothesis that the mean is what was asked about."""
    p_above: float = math.nan
    """One-sided, of the null hypothesis that it is at most that."""
    p_below: float = math.nan
    """One-sided, of the null hypothesis that it is at least that."""
    is_law_free: bool = False
    """Whether the two-sided p-value and the interval hold for every law, as McNemar's do for single passes."""


@dataclass(frozen=True, eq=False)
class MeanClaim:
    """What can be said about a mean, and how strongly."""

    estimate: float
    level: float
    approximate: MeanAnswer
    """Its numbers are NaN where no standard error can be estimated."""
    with_room: MeanAnswer
    """The approximate answer, no narrower than what was not drawn allows for."""
    headline: Headline
    """Which of the answers is said, by the rule of the module."""
    _guarantee: Callable[[], MeanAnswer] = field(repr=False)

    @cached_property
    def guaranteed(self) -> MeanAnswer:
        """The answer for every law, computed when it is first read."""
        return self._guarantee()

    @property
    def answer(self) -> MeanAnswer:
        """The one that is said."""
        if self.headline == "guaranteed":
            return self.guaranteed
        return self.with_room if self.headline == "with room" else self.approximate

    @property
    def verdict(self) -> ClaimVerdict:
        """How strongly it is shown that the mean is not what was asked about."""
        if self.answer.p_value <= 1 - self.level:
            return "shown"
        if self.approximate.p_value <= 1 - self.level:
            return CONDITIONAL
        return "cannot tell"

    @property
    def assumed(self) -> tuple[str, ...]:
        """What the answer that is said takes for granted."""
        return assumptions(is_law_free=self.headline == "guaranteed" or self.approximate.is_law_free)

    @property
    def is_law_free(self) -> bool:
        """Whether it is shown under any law between the limits: by the guaranteed answer."""
        return self.guaranteed.p_value <= 1 - self.level


def assumptions(*, is_law_free: bool = True) -> tuple[str, ...]:
    """The assumptions of an answer."""
    always = "units independent of one another", "numbers of samples that no result decided"
    return always if is_law_free else (*always, "values no more skewed than those seen")


@dataclass(frozen=True, eq=False)
class MeanQuestion:
    """A mean of bounded values that is asked about, with its estimated error."""

    mean: float
    se: float
    df: float
    values: Floats
    """Of the questions, none missing, shape (N,)."""
    weights: Floats | None = None
    """Of the questions, shape (N,); None for equal ones."""
    codes: NDArray[np.int64] | None = None
    """Cluster of each question, shape (N,); None for independent ones."""
    limits: Interval = (-1.0, 1.0)

    @cached_property
    def units(self) -> float:
        """Independent questions, or clusters, of equal weight that would count as much as these."""
        return effective_units(self.values, self.weights, self.codes)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether what was drawn is neither skewed nor of two kinds."""
        units, share = independent_units(self.values, self.weights, self.codes)
        return bool(is_plain(*shape_of(units, share), self.units))

    @cached_property
    def _is_constant(self) -> bool:
        """Whether several units have one value."""
        units, _ = independent_units(self.values, self.weights, self.codes)
        return bool(units.size > 1 and np.ptp(units) <= _SAME)

    @cached_property
    def _law(self) -> AnyLaw:
        return AnyLaw(self.values, self.weights, self.codes, self.limits)

    @classmethod
    def of_questions(
        cls,
        resolved: ResolvedScores,
        columns: NDArray[np.int64],
        values: Floats,
        found: tuple[float, float, float],
        *,
        clustered: bool,
        limits: Interval = (-1.0, 1.0),
    ) -> "MeanQuestion":
        """The question about values of some questions, with the weights and clusters of the scores.

        Args:
            resolved: the scores.
            columns: which questions.
            values: theirs.
            found: mean, standard error and degrees of freedom.
            clustered: whether the clusters count.
            limits: that no value leaves: 0 and 1 of scores, -1 and 1 of differences.
        """
        codes = resolved.cluster_codes if clustered else None
        return cls(
            *found,
            values,
            None if resolved.weights is None else resolved.weights[columns],
            None if codes is None else codes[columns],
            limits,
        )

    def claim(
        self,
        level: float,
        about: float | None = None,
        *,
        name: str = "Student's t",
        approximate: MeanAnswer | None = None,
    ) -> MeanClaim:
        """The claim at this level.

        Args:
            level: coverage of the intervals; a p-value of `1 - level` shows something.
            about: the mean that the null hypothesis names, strictly between the limits; None for an interval alone.
            name: how the standard error was found.
            approximate: the answer in place of Student's t.
        """
        found = approximate or self._by_t(level, about, name)
        if found.is_law_free:
            return MeanClaim(self.mean, level, found, found, "approximate", lambda: self._matched(level, about, found))
        few = self.codes is not None and self.units < FEW_CLUSTERS and self.limits[0] < 0
        plain = not few and not math.isnan(found.interval[0]) and self._is_plain
        low, high = (float(end) for end in room(self.mean, self.units, level, self.limits))
        ends = min(found.interval[0], low), max(found.interval[1], high)
        p_value = found.p_value
        said = found
        if about is not None:
            p_value = float(np.fmax(p_value, room_p_value(self.mean, about, self.units, self.limits)))
            if not math.isnan(found.p_value) or (self._is_constant and self.mean != about):
                # Of values that are all the same t is endless, however few they are.
                count = independent_units(self.values, self.weights, self.codes)[0].size
                said = replace(found, p_value=float(np.fmax(found.p_value, sign_p_value(count))))
        return MeanClaim(
            self.mean,
            level,
            said,
            replace(found, interval=ends, p_value=p_value),
            "with room" if plain else "guaranteed",
            lambda: self._guaranteed(level, about, found),
        )

    def _guaranteed(self, level: float, about: float | None, found: MeanAnswer) -> MeanAnswer:
        low, high = self._law.bounds((1 - level) / 2)
        above, below = (math.nan, math.nan) if about is None else self._law.tail_probabilities(about)
        return MeanAnswer(
            "Gaffke's test" if math.isnan(found.interval[0]) else f"{found.method}, and Gaffke's test",
            (
                float(np.fmin(min(low, self.mean), found.interval[0])),
                float(np.fmax(max(high, self.mean), found.interval[1])),
            ),
            float(np.fmax(min(1.0, 2 * min(above, below)), found.p_value)),
            float(np.fmax(above, found.p_above)),
            float(np.fmax(below, found.p_below)),
        )

    def _matched(self, level: float, about: float | None, found: MeanAnswer) -> MeanAnswer:
        """Single passes and failures: each end, and each side, by the exact McNemar test and its kin."""
        counts = int((self.values > 0).sum()), int((self.values < 0).sum()), self.values.size
        low, high = matched_interval(*counts, level, mid=False)
        sides = (math.nan, math.nan) if about is None else matched_tails(*counts, about)
        return MeanAnswer("exact McNemar test and its interval", (float(low), float(high)), found.p_value, *sides)

    def _by_t(self, level: float, about: float | None, name: str) -> MeanAnswer:
        interval = t_interval(self.mean, self.se, self.df, level, self.limits[0])
        if about is None:
            return MeanAnswer(name, interval)
        t = (self.mean - about) / self.se
        return MeanAnswer(
            name, interval, float(t_two_sided(t, self.df)), upper_t_tail(t, self.df), upper_t_tail(-t, self.df)
        )


def room(mean: ArrayLike, units: ArrayLike, level: float, limits: Interval) -> tuple[Floats, Floats]:
    """Where the mean may be if the share that a sample misses with probability `1 - level` lies at a limit."""
    centre = np.asarray(mean, dtype=np.float64)
    missed = 1 - (1 - level) ** (1 / np.asarray(units, dtype=np.float64))
    return centre - missed * (centre - limits[0]), centre + missed * (limits[1] - centre)


def room_p_value(mean: ArrayLike, about: float, units: ArrayLike, limits: Interval) -> Floats:
    """The level at which `room` reaches a mean strictly between the limits."""
    centre = np.asarray(mean, dtype=np.float64)
    least = np.where(centre > about, limits[0], limits[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = np.where(centre == about, 1.0, (about - least) / (centre - least))
    return np.asarray(kept ** np.asarray(units, dtype=np.float64))


def sign_p_value(units: ArrayLike) -> Floats:
    """The smallest two-sided p-value of so many units that are all on one side, if both sides were as likely."""
    return np.asarray(2.0 ** (1 - np.asarray(units, dtype=np.float64)))


def room_gap(units: float, alpha: float) -> float:
    """The least mean difference of so many units whose `room` leaves 0 out."""
    return float(alpha ** (-1 / units) - 1)


def room_units(gap: float, alpha: float) -> float:
    """The fewest units with which a mean difference of `gap` leaves 0 out of its `room`."""
    return -math.log(alpha) / math.log1p(gap)


def shape_of(units: Floats, share: Floats) -> tuple[Floats, Floats]:
    """How skewed units of shape (..., M) are, either way, and how far from two values; NaN where all are the same.

    The second is kurtosis - skewness² - 1. `share`: what each weighs.
    """
    each = share / share.sum(axis=-1, keepdims=True)
    centred = units - (each * units).sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (each * centred**2).sum(axis=-1)
        skewed = np.abs((each * centred**3).sum(axis=-1)) / variance**1.5
        return np.asarray(skewed), np.asarray((each * centred**4).sum(axis=-1) / variance**2 - skewed**2 - 1)


def is_plain(skewed: Floats, spread: Floats, units: ArrayLike) -> NDArray[np.bool_]:
    """Whether so many units are neither skewed nor of two kinds; false where all are the same."""
    most = _SKEW * np.sqrt(np.asarray(units, dtype=np.float64))
    return np.asarray((skewed <= most) & (spread >= _SPREAD))


def least_plain_units(skewed: Floats, spread: Floats) -> float:
    """The fewest units of a shape with which `is_plain` holds; endless where it never does."""
    return math.ceil(float((skewed / _SKEW) ** 2)) if spread >= _SPREAD else math.inf


def claim_of_passes(passes: int, n: int, level: float) -> MeanClaim:
    """Wilson's interval where its exact coverage holds at each score in it, else Clopper and Pearson's."""
    low, high = wilson_interval(passes, n, level)
    holds = bool(wilson_lowest(n, level)[passes] >= level - _SWING)
    wilson = MeanAnswer(WILSON, (float(low), float(high)), is_law_free=True)
    return MeanClaim(
        passes / n,
        level,
        wilson,
        wilson,
        "approximate" if holds else "guaranteed",
        lambda: _clopper_pearson_answer(passes, n, level),
    )


def _clopper_pearson_answer(passes: int, n: int, level: float) -> MeanAnswer:
    low, high = clopper_pearson_interval(passes, n, level)
    return MeanAnswer("Clopper and Pearson's interval", (float(low), float(high)))


def upper_t_tail(t: float, df: float) -> float:
    """One-sided p-value: the probability that Student's t exceeds `t`."""
    half = float(t_two_sided(t, df)) / 2
    return half if not t < 0 else 1 - half
