"""A few planned looks at a growing difference: alpha spending after Lan and DeMets.

The level is a budget that is spent over the looks by a function of the share of questions seen. O'Brien-Fleming-like
spending keeps nearly all of it for the end (early stops only for huge gaps, the last look almost as sharp as an
ordinary test); Pocock-like spending makes all looks about equally sharp. Boundaries come from the exact joint
distribution of the looks' z statistics, a Brownian motion seen at the planned shares, by numerical recursion.

Not covered: stopping for futility, and adding looks that were not planned (use a test of `_anytime.py`).
"""

import math
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._sequential import (
    NOWHERE,
    Decision,
    Fed,
    RuleVerdict,
    check_level,
    paired_test,
    two_sided_z,
    winning_side,
)
from honestly.stats._special import gauss_legendre, normal_ppf, normal_sf

Floats = NDArray[np.float64]
Spending = Literal["obrien-fleming", "pocock"]

_MOST_LOOKS = 100
_LARGEST_Z = 30.0  # beyond every boundary: its tail is below 1e-196


def alpha_spent(share: float, alpha: float = 0.05, spending: Spending = "obrien-fleming") -> float:
    """Two-sided level spent when a share of the questions has been seen.

    Each side spends half of it: O'Brien-Fleming-like `2 (1 - Phi(z_{a/2} / sqrt(share)))` and Pocock-like
    `a log(1 + (e - 1) share)` with `a = alpha / 2` per side (Lan & DeMets 1983, Biometrika 70:659).

    Raises:
        StatisticsError: if the share is not in (0, 1] or the name of the function is unknown.
    """
    if not 0 < share <= 1:
        raise StatisticsError(f"the share of questions seen must lie in (0, 1], not {share}")
    side = alpha / 2
    if spending == "obrien-fleming":
        return 2 * float(2 * normal_sf(-normal_ppf(side / 2) / math.sqrt(share)))
    if spending == "pocock":
        return 2 * side * math.log(1 + (math.e - 1) * share)
    raise StatisticsError(f"unknown spending function {spending!r}; choose 'obrien-fleming' or 'pocock'")


@lru_cache(maxsize=64)
def look_boundaries(
    shares: tuple[float, ...], alpha: float = 0.05, spending: Spending = "obrien-fleming"
) -> tuple[float, ...]:
    """Boundaries `b_k` such that the first `|Z_k| >= b_k` happens at look k with the probability spent there.

    The density of the Brownian motion that has not crossed yet is carried from look to look by Gauss-Legendre
    quadrature (Armitage, McPherson & Rowe 1969, JRSS A 132:235); each boundary is found by bisection.

    Args:
        shares: questions seen at each look over all questions, increasing, the last at most 1.
        alpha: two-sided level of the whole run.
        spending: how it is divided.

    Raises:
        StatisticsError: if the shares do not increase within (0, 1], or are more than 100.
    """
    if len(shares) > _MOST_LOOKS:
        raise StatisticsError(f"{len(shares)} looks are too many to plan; up to {_MOST_LOOKS}, or an anytime test")
    if not shares or any(b <= a for a, b in zip((0.0, *shares), shares, strict=False)) or shares[-1] > 1:
        raise StatisticsError(f"looks must be at increasing shares in (0, 1], not {shares}")
    check_level(alpha, None)
    boundaries: list[float] = []
    spent, time = 0.0, 0.0
    points, mass = np.zeros(1), np.ones(1)
    for share in shares:
        step = math.sqrt(share - time)
        due = max(alpha_spent(share, alpha, spending) - spent, 0.0)
        boundary = _boundary(points, mass, step, math.sqrt(share), due)
        boundaries.append(boundary)
        spent, time = spent + due, share
        # Nodes and probability masses of the motion after the step, inside the boundary.
        edge = boundary * math.sqrt(share)
        nodes, weights = gauss_legendre(96)
        # A boundary far out would waste the nodes where there is no mass.
        reach = min(edge, float(np.abs(points).max()) + 9.0 * step)
        after = reach * nodes
        density = np.exp(-0.5 * ((after[:, None] - points) / step) ** 2) / (step * math.sqrt(2 * math.pi))
        points, mass = after, reach * weights * (density @ mass)
    return tuple(boundaries)


def _boundary(points: Floats, mass: Floats, step: float, scale: float, due: float) -> float:
    """The z at which the probability of a first crossing is what is due at this look."""
    low, high = 0.0, _LARGEST_Z
    for _ in range(70):
        middle = 0.5 * (low + high)
        edge = middle * scale
        crossing = float(np.sum(mass * (normal_sf((edge - points) / step) + normal_sf((edge + points) / step))))
        low, high = (middle, high) if crossing > due else (low, middle)
    return 0.5 * (low + high)


class PlannedLooks(Fed):
    """Group-sequential test: a verdict is possible only at the planned looks.

    At a look the p-value of the ordinary paired test (`FixedSize`) is turned into a z and compared with the boundary,
    so that a look at few questions keeps its level (Jennison & Turnbull 2000, *Group Sequential Methods*, the
    significance level approach). The interval is the repeated one, at the look's own level, which holds whether or
    not the run stops there.
    """

    __slots__ = ("_boundaries", "_looks")

    def __init__(self, alpha: float, looks: tuple[int, ...], spending: Spending = "obrien-fleming") -> None:
        """Plan the looks.

        Args:
            alpha: two-sided level of the whole run.
            looks: numbers of questions at which to look, increasing; the last one is the end of the run.
            spending: how the level is divided over them.

        Raises:
            StatisticsError: if the looks do not increase from at least 2.
        """
        if not looks or looks[0] < 2:
            raise StatisticsError(f"looks must be numbers of questions from 2 on, not {looks}")
        shares = tuple(look / looks[-1] for look in looks)
        self._boundaries = dict(zip(looks, look_boundaries(shares, alpha, spending), strict=True))
        self._looks = looks
        super().__init__()

    @property
    def look_boundaries(self) -> dict[int, float]:
        """|z| to be reached at each look, by number of questions."""
        return dict(self._boundaries)

    def _current_decision(self) -> Decision:
        if self._moments.n in self._boundaries:
            return self._look_decision()
        m = self._moments
        following = next(look for look in self._looks if look > m.n)
        mean = m.mean if m.n else math.nan
        reason = f"the next look is at {following} questions"
        return Decision(
            RuleVerdict.CONTINUE, m.n, mean, NOWHERE, "mean difference", math.nan, math.inf, math.nan, reason
        )

    def _look_decision(self) -> Decision:
        m = self._moments
        needed = self._boundaries[m.n]
        level = 2 * float(normal_sf(needed))
        p, interval = paired_test(m, level)
        evidence = two_sided_z(p)
        if evidence >= needed:
            verdict, reason = winning_side(m.mean), f"|z| = {evidence:.2f} reached {needed:.2f} at {m.n} questions"
        elif m.n == self._looks[-1]:
            verdict, reason = RuleVerdict.UNDECIDED, f"|z| = {evidence:.2f} stayed below {needed:.2f} at the last look"
        else:
            verdict, reason = RuleVerdict.CONTINUE, f"|z| = {evidence:.2f} stayed below {needed:.2f} at {m.n} questions"
        return Decision(verdict, m.n, m.mean, interval, "mean difference", evidence, needed, p, reason)
