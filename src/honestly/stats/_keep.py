"""Keep a change, or drop it: the decision of a loop that improves something, at a level that holds over the whole loop.

A loop tries many changes. Each is measured beside what is kept so far (the incumbent), pair by pair, on seeds or
instances that both share; a difference is the gain of one pair, positive where the change is better. Keeping whatever
scored higher selects noise: of 100 changes that change nothing about half are kept.

`KeepTest` is an e-value: evidence that has mean 1 at most while the change gains nothing, so that it ever reaches
`1/level` with probability `level` at most, however often one looks and for whatever reason one stops (Ville 1939).
`KeepRule` gives every attempt of a declared number the level `alpha / attempts`, so that the chance that *any* change
is kept without a gain stays below `alpha` over the loop, under any dependence between attempts (Bonferroni). Equal
shares lose to no falling sequence where the number of attempts is known, and late attempts do not starve.

`next_level` is for loops whose number of attempts nobody knows, or that are given more when they have ended. Each test
takes a share of what is left of `alpha`, and a test that keeps nothing has spent it; one that keeps its change gives it
back (Tian & Ramdas 2021, online fallback). Until a change without a gain is kept for the first time, the tests of such
changes have spent `alpha` at most together: that is the chance that it ever happens, however long the loop goes on.

Two kinds of evidence:

- differences with bounds (shares, scores from 0 to 1): the bets of `_betting.py`, valid for every law;
- others (losses, seconds): under "no gain" a difference is as likely `+d` as `-d`. That is exact where the change and
  the incumbent could be swapped without being noticed; a change that only makes the noise lopsided is not covered. The
  evidence is the mean over a of `prod exp(a D_i) / cosh(a D_i)`, which no outlier can raise by more than a factor of 2
  (de la Peña 1999, Annals of Probability 27:1; the mixture over a is ours).

Not covered: a metric that the change itself can forge; the size of what was kept, which is selected and so too high.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from honestly.errors import StatisticsError
from honestly.stats._betting import BETS
from honestly.stats._sequential import log_mean

Choice = Literal["keep", "drop", "continue"]

_SCALES = np.array([0.1, 0.2, 0.35, 0.6, 1.0, 1.8, 4.0])
"""How strongly the evidence reacts to a difference, in units of one over the SD of a difference."""
_EARLY = 20
"""Where no end is known, test k of those that keep nothing has `alpha 19 / ((k + 18) (k + 19))`: 1/20 of alpha, and at
the hundredth 1/739. With `1 / k (k + 1)` that would be 1/10100."""
_HOPELESS = (-1.0, 4.0)
_FEWEST = 3
_STRONGEST = 1e100  # beyond it numbers would overflow


def next_level(alpha: float, spent: Sequence[float], left: int | None = None) -> float:
    """The level of a loop's next test, always above 0.

    Args:
        alpha: chance, at most, that the whole loop keeps any change without a gain.
        spent: levels of the tests so far that kept nothing; those that kept a change have spent none.
        left: attempts that are still to come, this one included, where their number is declared: they share alike, and
            one share stays for a loop that is given more.

    Raises:
        StatisticsError: more was spent than there is.
    """
    if not 0 < alpha < 1 or (left is not None and left < 1) or not sum(spent) < alpha:
        raise StatisticsError(f"nothing is left of alpha {alpha} after {sum(spent)}, for {left} attempts")
    return (alpha - sum(spent)) / (len(spent) + _EARLY if left is None else left + 1)


@dataclass(frozen=True)
class KeepRule:
    """The rule for keeping changes, declared before a loop starts."""

    alpha: float = 0.05
    """Chance, at most, that the loop keeps any change without a gain."""
    attempts: int = 100
    """The most changes that the loop will try."""
    most: int = 300
    """The most pairs that are measured for one change."""
    minimum_gain: float = 0.0
    """What a change must gain more than, in units of the metric."""
    bound: float | None = None
    """The largest size that a difference can have; None where there is no bound."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise StatisticsError(f"alpha must lie between 0 and 1, not {self.alpha}")
        if self.attempts < 1 or self.most < _FEWEST:
            raise StatisticsError(
                f"a loop has at least 1 attempt and {_FEWEST} pairs, not {self.attempts}, {self.most}"
            )
        if not (self.minimum_gain >= 0 and math.isfinite(self.minimum_gain)):
            raise StatisticsError(f"the minimum gain must be 0 or more, not {self.minimum_gain}")
        if self.bound is not None and not self.minimum_gain < self.bound < math.inf:
            raise StatisticsError(f"no difference beyond {self.bound} can gain more than {self.minimum_gain}")

    @property
    def level(self) -> float:
        """The share of alpha that one attempt has."""
        return self.alpha / self.attempts

    def test(self, scale: float = math.nan) -> "KeepTest":
        """The test of one attempt.

        Args:
            scale: about the SD of a difference, from the incumbent measured against itself before the loop. A wrong one
                costs power, not validity. NaN where it is not known: then the size of the first difference is taken.
        """
        return KeepTest(self, scale)


class KeepTest:
    """The evidence of one attempt; pairs are fed as they are measured."""

    __slots__ = ("_capital", "_rates", "_squares", "_sum", "choice", "n", "rule")

    def __init__(self, rule: KeepRule, scale: float = math.nan) -> None:
        self.rule = rule
        self.n = 0
        self.choice: Choice = "continue"
        self._sum = self._squares = 0.0
        self._rates = BETS if rule.bound is not None else _SCALES / scale if scale > 0 else None
        self._capital = np.zeros(len(_SCALES if rule.bound is None else BETS))

    @property
    def log_evidence(self) -> float:
        """Logarithm of the e-value, 0 before the first pair."""
        return log_mean(self._capital)

    @property
    def mean(self) -> float:
        """Mean gain of the pairs so far, in units of the metric; NaN before the first."""
        return self._sum / self.n + self.rule.minimum_gain if self.n else math.nan

    def feed(self, difference: float) -> Choice:
        """One more pair: candidate against incumbent, positive where the candidate is better.

        Raises:
            StatisticsError: the difference is not finite, or beyond the bound, or the test has ended.
        """
        if self.choice != "continue":
            raise StatisticsError(f"this attempt has ended with {self.choice!r}")
        bound = self.rule.bound
        if not math.isfinite(difference) or (bound is not None and abs(difference) > bound):
            raise StatisticsError(
                f"a difference must be a number{f' of size {bound} at most' if bound else ''}: {difference}"
            )
        gain = difference - self.rule.minimum_gain
        self.n += 1
        self._sum += gain
        self._squares += min(gain * gain, _STRONGEST)
        if bound is not None:
            # On [-b - m, b - m] the mean 0 lies at (b + m) / 2b of the way; a bet f multiplies by 1 + f gain / (b + m).
            self._capital += np.log1p(BETS * (gain / (bound + self.rule.minimum_gain)))
        elif self._rates is not None:
            with np.errstate(over="ignore"):
                pull = np.clip(self._rates * gain, -_STRONGEST, _STRONGEST)
            self._capital += pull - np.abs(pull) - np.log1p(np.exp(-2 * np.abs(pull))) + math.log(2)
        elif gain:
            self._rates = _SCALES / max(
                abs(gain), 1e-200
            )  # known from now on: a bet may rest on what came before it only
        if self.log_evidence >= -math.log(self.rule.level):
            self.choice = "keep"
        elif self.n >= self.rule.most:
            self.choice = "drop"
        else:
            # To stop early can only prevent a keep. What is far behind where a gain would be by now is given up.
            first, slope = _HOPELESS
            hope = first + slope * math.sqrt(self.n / self.rule.most)
            behind = self._sum <= hope * math.sqrt(self._squares)
            self.choice = "drop" if self.n >= _FEWEST and behind else "continue"
        return self.choice
