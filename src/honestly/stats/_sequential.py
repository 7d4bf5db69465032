"""Looking at the difference while it grows, without fooling oneself: tests that may stop after any question.

Looking after every question and stopping at the first |z| > 1.96 declares a winner between two equal agents in 31 to
41% of runs of 500 questions. This file holds what all sequential tests share (`Decision`, the running moments) and
`FixedSize`, the ordinary test at a size locked in advance. The tests that may stop early are beside it: `_anytime.py`
and `_betting.py` (after any question), `_spending.py` (at a few planned looks). `StoppingRule` in
`_stopping.py` stores the choice.

The caller's duty: the order of the questions is drawn at random before the first result, and differences are fed in
that order, one question after another. Results in order of completion are not in random order (easy questions finish
first); hold them back until their predecessors are in.

Not covered: which of more than two agents is best, and questions that form clusters.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._inference import MeanQuestion
from honestly.stats._matched_passes import matched_interval, matched_p_value
from honestly.stats._special import normal_ppf

Floats = NDArray[np.float64]
NOWHERE = (math.nan, math.nan)


class RuleVerdict(StrEnum):
    """The next action, where the differences are "first minus second"."""

    CONTINUE = "continue"
    FIRST = "the first is better"
    SECOND = "the second is better"
    UNDECIDED = "stop without a verdict"


@dataclass(frozen=True, slots=True)
class Decision:
    """State of a sequential test after a question."""

    verdict: RuleVerdict
    """Anything but `CONTINUE` is final."""

    questions: int
    """Questions seen."""

    difference: float
    """Their mean difference. After an early stop it overstates the truth; the interval is what can be quoted."""

    interval: tuple[float, float]
    """Interval that holds however the stop came about; NaN where the method has none yet."""

    interval_is: str
    """What the interval is about."""

    evidence: float
    """e-value, or |z| for planned and fixed sizes."""

    threshold: float
    """What the evidence must reach; infinite where no verdict is due."""

    p_value: float
    """Valid at any stop for the e-value tests, at this look for the others; NaN where none is due."""

    reason: str
    """Why this verdict, in one sentence."""

    @property
    def stop(self) -> bool:
        """Whether the run may end."""
        return self.verdict is not RuleVerdict.CONTINUE


class SequentialTest(Protocol):
    """The interface of a test that may stop early."""

    @property
    def decision(self) -> Decision:
        """The state after the questions fed so far."""

    def update(self, difference: float) -> Decision:
        """Feed the next question's difference of means, first minus second.

        Once a verdict has been reached, further questions change nothing.
        """


class RunningMoments:
    """The differences so far, their mean and variance (Welford), and how many were wins and losses."""

    __slots__ = ("_squares", "losses", "mean", "n", "values", "whole", "wins")

    def __init__(self) -> None:
        self.n, self.wins, self.losses = 0, 0, 0
        self.values: list[float] = []
        self.mean, self._squares = 0.0, 0.0
        self.whole = True

    def add(self, difference: float) -> None:
        """Take in one difference.

        Raises:
            StatisticsError: if it is not a number between -1 and 1.
        """
        if not -1 <= difference <= 1:
            raise StatisticsError(
                f"a difference of two scores lies between -1 and 1, not {difference}; a question without a result "
                f"for both agents must be resolved by the policy before it is fed"
            )
        self.n += 1
        self.values.append(difference)
        self.wins += difference > 0
        self.losses += difference < 0
        self.whole &= difference in (-1, 0, 1)
        step = difference - self.mean
        self.mean += step / self.n
        self._squares += step * (difference - self.mean)

    @property
    def variance(self) -> float:
        """Sample variance (ddof 1); NaN where all differences are equal, so that nothing is known of it."""
        return self._squares / (self.n - 1) if self.n > 1 and self._squares > 1e-12 * self.n else math.nan


def check_level(alpha: float, questions: int | None) -> None:
    """Refuse a level or a size that makes no sense."""
    if not 0 < alpha < 1:
        raise StatisticsError(f"alpha must lie between 0 and 1, not {alpha}")
    if questions is not None and questions < 2:
        raise StatisticsError(f"a run of {questions} question(s) cannot decide anything; plan at least 2")


def winning_side(difference: float) -> RuleVerdict:
    """The side that a significant difference speaks for."""
    return RuleVerdict.FIRST if difference > 0 else RuleVerdict.SECOND


class Fed(ABC):
    """A test to which differences are fed one by one, and which decides anew after each of them."""

    __slots__ = ("_decision", "_moments")

    def __init__(self) -> None:
        self._moments = RunningMoments()
        self._decision = self._current_decision()

    @property
    def decision(self) -> Decision:
        """The state after the questions fed so far."""
        return self._decision

    def update(self, difference: float) -> Decision:
        """Feed the next question's difference of means.

        Raises:
            StatisticsError: if it is not a number between -1 and 1.
        """
        if not self._decision.stop:
            self._moments.add(difference)
            self._decision = self._current_decision()
        return self._decision

    @abstractmethod
    def _current_decision(self) -> Decision:
        """The decision from the differences so far."""


class EProcess(Fed):
    """A test by an e-value: evidence with mean 1 at most while the agents are equally good.

    It reaches `1/alpha` with probability alpha at most over the whole run (Ville 1939), however often one looks.
    """

    __slots__ = ("_alpha", "_most", "_peak")

    interval_is = "mean difference"

    def __init__(self, alpha: float, questions: int | None) -> None:
        check_level(alpha, questions)
        self._alpha, self._most, self._peak = alpha, questions, 0.0
        super().__init__()

    @abstractmethod
    def _evidence(self) -> tuple[float, float, tuple[float, float]]:
        """Logarithm of the e-value, whose side it speaks for (by its sign), and the interval."""

    @abstractmethod
    def _reason(self, verdict: RuleVerdict) -> str:
        """Why this verdict."""

    def _current_decision(self) -> Decision:
        m = self._moments
        log_evidence, side, interval = self._evidence()
        self._peak = max(self._peak, log_evidence)
        verdict = RuleVerdict.CONTINUE
        if log_evidence >= -math.log(self._alpha):
            verdict = winning_side(side)
        elif self._most is not None and m.n >= self._most:
            verdict = RuleVerdict.UNDECIDED
        return Decision(
            verdict,
            m.n,
            m.mean if m.n else math.nan,
            interval,
            self.interval_is,
            math.exp(min(log_evidence, 700.0)),  # e^710 overflows
            1 / self._alpha,
            math.exp(-self._peak),
            self._reason(verdict),
        )


def log_mean(logs: Floats) -> float:
    """Logarithm of the mean of what has these logarithms: of a mixture of bets."""
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).mean()))


class FixedSize(Fed):
    """The ordinary paired test at a size locked in advance: no verdict before, one verdict there.

    Mid-p McNemar when all differences are -1, 0 or 1, else the headline of the paired t-test (`_inference.py`).
    """

    __slots__ = ("_alpha", "_most")

    def __init__(self, alpha: float, questions: int) -> None:
        """Lock the size.

        Raises:
            StatisticsError: if alpha is not a probability or the size is below 2.
        """
        check_level(alpha, questions)
        self._alpha, self._most = alpha, questions
        super().__init__()

    def _current_decision(self) -> Decision:
        m = self._moments
        if m.n < self._most:
            mean = m.mean if m.n else math.nan
            reason = f"the size is locked: no look before {self._most} questions"
            return Decision(
                RuleVerdict.CONTINUE, m.n, mean, NOWHERE, "mean difference", math.nan, math.inf, math.nan, reason
            )
        p, interval = paired_test(m, self._alpha)
        verdict = winning_side(m.mean) if p < self._alpha else RuleVerdict.UNDECIDED
        reason = f"p = {p:.4g} at the locked size of {self._most} questions"
        evidence, needed = two_sided_z(p), two_sided_z(self._alpha)
        return Decision(verdict, m.n, m.mean, interval, "mean difference", evidence, needed, p, reason)


def paired_test(moments: RunningMoments, alpha: float) -> tuple[float, tuple[float, float]]:
    """Two-sided p-value of the ordinary paired test, and its interval with coverage `1 - alpha`, as `compare` has."""
    if moments.whole:
        low, high = matched_interval(moments.wins, moments.losses, moments.n, 1 - alpha)
        return float(matched_p_value(moments.wins, moments.losses, moments.n)), (float(low), float(high))
    error = math.sqrt(moments.variance / moments.n)
    question = MeanQuestion(moments.mean, error, moments.n - 1, np.array(moments.values))
    answer = question.claim(1 - alpha, 0.0).answer
    return answer.p_value, answer.interval


def two_sided_z(p: float) -> float:
    """The |z| whose two-sided p-value is `p`."""
    return math.nan if math.isnan(p) else float(-normal_ppf(p / 2))
