"""The Ladder: a leaderboard that is looked at often announces a new best only when it is one.

Whoever submits again and again to the same questions, and keeps what scored best, collects luck: the best of many equal
agents looks better than each of them is. So a submission is compared, question by question, with the best announced so
far, at a level that falls with each submission and whose sum stays below `alpha`.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from honestly.errors import StatisticsError
from honestly.stats._compare import compare
from honestly.stats._resolved import ResolvedScores
from honestly.stats._special import gauss_legendre, normal_ppf

_NODES = 200


@dataclass(frozen=True, slots=True)
class Rung:
    """A submission, and whether it was announced."""

    agent: str
    against: str
    """The best announced before it; empty for the first."""
    difference: float
    """Its mean lead over that one, on the questions that both have; NaN for the first."""
    needed: float
    """The lead from which on it would have been announced, about; NaN for the first, and without common questions."""
    p_value: float
    """One-sided: of the null hypothesis that it is not better."""
    level: float
    """The part of `alpha` that was spent on it."""
    announced: bool


@dataclass(frozen=True, slots=True)
class Ladder:
    """Submissions in their order."""

    rungs: tuple[Rung, ...]
    alpha: float
    """Probability, at most, that anything but a better agent is announced."""
    optimism: float
    """By how much the best score of so many equal agents exceeds their true score, on average; NaN if not estimable."""

    @property
    def best_announced(self) -> str:
        """The last that was announced."""
        return next(rung.agent for rung in reversed(self.rungs) if rung.announced)


def climb_ladder(
    resolved: ResolvedScores,
    order: Sequence[str] | None = None,
    *,
    alpha: float = 0.05,
    apart: Collection[frozenset[str]] = (),
) -> Ladder:
    """Go through submissions in their order, and announce those that are better than the best before.

    Submission t = 1, 2, ... after the first is tested at level `6 alpha / (π t)²`, one-sided: the guaranteed answer of
    `_inference.py`, which Student's t, with clusters, and Gaffke's test must both find. The sum of all levels is
    `alpha`, however many come.

    Assumes that a submission is not built from the announcements about earlier ones in such a way that it answers these
    very questions better and no others. What is then gained is small, but not bounded by `alpha`
    (docs/methods/ladder.md measures it).

    Args:
        resolved: The scores.
        order: Agents in the order in which they were submitted; that of `resolved` if None.
        alpha: Probability of any false announcement.
        apart: Pairs that cannot be compared: none of the two is announced after the other.

    Raises:
        StatisticsError: An agent is unknown or named twice, or the level is not between 0 and 0.5.

    Source: Blum & Hardt 2015, arXiv:1502.04585, whose parameter-free form asks for one standard error at each step.
    """
    names = tuple(order) if order is not None else resolved.agents
    if not names or len(set(names)) != len(names):
        raise StatisticsError(f"a ladder needs agents, each named once; found {', '.join(names) or 'none'}")
    if not 0 < alpha < 0.5:
        raise StatisticsError(f"a level must lie between 0 and 0.5; found {alpha:g}")
    rungs = [Rung(names[0], "", math.nan, math.nan, math.nan, 0.0, announced=True)]
    best, errors = names[0], []
    resolved.row(best)
    for number, name in enumerate(names[1:], 1):
        found = compare(resolved, name, best)
        level = 6 * alpha / (math.pi * number) ** 2
        p = needed = math.nan
        if found.question is not None and frozenset((name, best)) not in apart:
            answer = found.question.claim(1 - 2 * level, 0.0).guaranteed
            p, needed = answer.p_above, found.difference - answer.interval[0]
        rungs.append(Rung(name, best, found.difference, needed, p, level, announced=p <= level))
        errors += [found.se] if found.se > 0 else []
        best = name if p <= level else best
    typical = float(np.median(errors)) / math.sqrt(2) if errors else math.nan
    return Ladder(tuple(rungs), alpha, typical * _expected_maximum(len(names)))


def _expected_maximum(count: int) -> float:
    """Mean of the largest of so many standard normal numbers: the integral of `Φ⁻¹(u^(1/count))` over u."""
    nodes, weights = gauss_legendre(_NODES)
    return float(weights @ normal_ppf(((nodes + 1) / 2) ** (1 / count)) / 2)
