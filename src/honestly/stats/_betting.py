"""A test that may stop after any question, for differences of any shape in [-1, 1]: several samples, graded scores.

A gambler starts with 1 and bets a share f of the capital on every question against "the agents are equally good". Under
that null no bet gains on average, whatever the law of the differences, so that the capital reaches `2/alpha` with
probability `alpha/2` at most, over the whole run (Ville's inequality); one gambler bets on each side. Each is a mixture
of shares f, since the best one, about `mean / variance`, is not known before.

Questions that belong together are no independent bets: `ClusterBets` makes each cluster one bet.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._sequential import NOWHERE, Decision, EProcess, RuleVerdict, RunningMoments, log_mean

Floats = NDArray[np.float64]

BETS = np.array([0.02, *np.linspace(0.05, 0.95, 10)])
"""Shares of the capital that are staked. All of it is never: a single -1 would end the game."""

_HALVINGS = 20


def log_capital(values: Floats, counts: Floats, mean: float = 0.0) -> float:
    """Logarithm of what betting on "the mean is higher" has made of 1.

    `mean over f of Π (1 + f (x_i / m - 1))` with `x = (D + 1) / 2` and `m = (mean + 1) / 2`; at `mean = 0` it is
    `Π (1 + f D_i)`. It depends on which differences there were, not on their order, and falls as `mean` rises.

    Args:
        values: distinct differences in [-1, 1], shape (V,).
        counts: how often each was seen, shape (V,).
        mean: the mean that the null says, above -1.
    """
    gain = (values + 1) / (mean + 1) - 1
    return log_mean(np.log1p(BETS[:, None] * gain) @ counts)


class BettingTest(EProcess):
    """Test of a bounded mean by betting: stop as soon as half of either gambler's capital reaches `1/alpha`.

    Valid at every look for every law of the differences, also skewed ones: nothing is asymptotic. The interval is the
    confidence sequence of the same bets: the means at which neither gambler would have reached it.

    Assumes questions in random order. Source: Waudby-Smith & Ramdas 2024, JRSS B 86:1 (arXiv:2010.09686); Ville 1939.
    """

    __slots__ = ("_seen",)

    def __init__(self, alpha: float = 0.05, questions: int | None = None) -> None:
        """Start the test.

        Args:
            alpha: two-sided level over the whole run, however often one looks.
            questions: where the run ends in any case, or None.

        Raises:
            StatisticsError: if alpha is not a probability or the size is below 2.
        """
        self._seen: Counter[float] = Counter()
        super().__init__(alpha, questions)

    def update(self, difference: float) -> Decision:
        """Feed the next question's difference of means, first minus second.

        Raises:
            StatisticsError: if it is not a number between -1 and 1.
        """
        if not self._decision.stop and -1 <= difference <= 1:
            self._seen[difference] += 1
        return super().update(difference)

    def _evidence(self) -> tuple[float, float, tuple[float, float]]:
        if not self._seen:
            return -math.log(2), 0.0, NOWHERE
        values, counts = (np.array(list(part), dtype=np.float64) for part in (self._seen.keys(), self._seen.values()))
        needed = math.log(2 / self._alpha)
        first, second = (log_capital(sign * values, counts) for sign in (1.0, -1.0))
        ends = _lowest_mean(values, counts, needed), -_lowest_mean(-values, counts, needed)
        return max(first, second) - math.log(2), first - second, ends

    def _reason(self, verdict: RuleVerdict) -> str:
        if verdict is RuleVerdict.UNDECIDED:
            return f"the bets did not reach 2/alpha in all {self._moments.n} questions"
        still = verdict is RuleVerdict.CONTINUE
        return "the bets have not reached 2/alpha" if still else "the capital of the bets reached 2/alpha"


class ClusterBets:
    """The betting test where questions come in clusters: a cluster is one bet, made when its last question is in.

    A cluster's bet is on the sum of its differences, divided by the size of the largest cluster so that it lies in
    [-1, 1]. Sums weigh every question alike: their mean is 0 exactly where the question-weighted mean difference is,
    and whatever happens within a cluster is allowed. The price is that small clusters move the capital little.

    Assumes clusters in random order, the questions of each one after the other.
    """

    __slots__ = ("_bets", "_ends", "_fed", "_held", "_most", "_seen")

    def __init__(self, alpha: float, sizes: Sequence[int]) -> None:
        """Start the test.

        Args:
            alpha: two-sided level over the whole run.
            sizes: questions of each cluster, in the order in which they are asked.

        Raises:
            StatisticsError: if alpha is not a probability, there are fewer than two clusters, or one is empty.
        """
        if min(sizes, default=0) < 1:
            raise StatisticsError(f"every cluster needs a question; the sizes are {list(sizes)[:20]}")
        self._bets, self._most = BettingTest(alpha, len(sizes)), max(sizes)
        self._ends = np.cumsum(sizes).tolist()
        self._fed, self._held, self._seen = RunningMoments(), 0.0, 0

    @property
    def decision(self) -> Decision:
        """The state after the clusters that are complete."""
        found = self._bets.decision
        scale = self._most * len(self._ends) / self._ends[-1]
        low, high = (min(max(scale * end, -1.0), 1.0) for end in found.interval)
        return replace(
            found,
            questions=self._seen,
            difference=min(max(scale * found.difference, -1.0), 1.0) if self._seen else math.nan,
            interval=(low, high) if self._seen else NOWHERE,
            reason=found.reason.replace("questions", "clusters"),
        )

    def update(self, difference: float) -> Decision:
        """Feed the next question's difference of means, first minus second.

        Raises:
            StatisticsError: if it is not a number between -1 and 1.
        """
        if not self._bets.decision.stop:
            self._fed.add(difference)
            self._held += difference
            if self._fed.n in self._ends:
                self._bets.update(min(max(self._held / self._most, -1.0), 1.0))
                self._held, self._seen = 0.0, self._fed.n
        return self.decision


def _lowest_mean(values: Floats, counts: Floats, needed: float) -> float:
    """The lowest mean that the bets on a higher one do not reject, from outside; at the mean seen they gain nothing."""
    outside, inside = -1.0, float(values @ counts / counts.sum())
    for _ in range(_HALVINGS):
        middle = 0.5 * (outside + inside)
        if middle <= -1.0:
            break
        if log_capital(values, counts, middle) >= needed:
            outside = middle
        else:
            inside = middle
    return outside
