"""The declared rule by which a run may stop early, as plain data that a study can store.

A rule is written down before the first trial, with the claim it is about ("A>B"), the level, the method and the
greatest number of questions. Without one the size is locked: `method="fixed"` gives no verdict before the last
question. A report recomputes the rule from what the study stored and checks the run against it.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

import numpy as np

from honestly.errors import StatisticsError
from honestly.stats._anytime import DifferenceSequence, WinLossTest, win_loss_evidence
from honestly.stats._betting import BETS, BettingTest, ClusterBets
from honestly.stats._design import DesignVariance
from honestly.stats._plan import Demands
from honestly.stats._sequential import FixedSize, SequentialTest, check_level, log_mean
from honestly.stats._spending import PlannedLooks, Spending

StoppingMethod = Literal["win-loss", "betting", "difference-sequence", "planned-looks", "fixed"]


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """When a run of two agents over questions in random order may stop.

    The test is two-sided: the run also stops when the second agent turns out better, which refutes the claim.

    Raises:
        StatisticsError: if a field makes no sense, or does not belong to the method.
    """

    first: str
    """Agent that is claimed to be better."""
    second: str
    """Agent it is compared with."""
    method: StoppingMethod
    """`win-loss` for one pass-or-fail sample per question, `betting` for anything, `planned-looks` for a few looks,
    `fixed` for none. `difference-sequence`, sooner but not valid for skewed differences, is what older studies hold."""
    questions: int
    """Where the run ends in any case."""
    alpha: float = 0.05
    """Two-sided level over the whole run."""
    looks: tuple[int, ...] = ()
    """For `planned-looks`: numbers of questions at which to look; the last one must be `questions`."""
    spending: Spending = "obrien-fleming"
    """For `planned-looks`: how the level is divided over the looks."""
    tuned_for: float | None = None
    """For `difference-sequence`: number of questions at which it is sharpest; None for half of `questions`."""
    least: int = 20
    """For `difference-sequence`: no verdict before so many questions."""
    clusters: tuple[int, ...] = ()
    """For `betting`: questions of each cluster, in the order in which they are asked; empty where there are none."""

    def __post_init__(self) -> None:
        if not self.first or not self.second or self.first == self.second:
            raise StatisticsError(f"a stopping rule needs two different agents, not {self.first!r} and {self.second!r}")
        if self.method not in get_args(StoppingMethod):
            raise StatisticsError(
                f"unknown method {self.method!r}; choose one of {', '.join(get_args(StoppingMethod))}"
            )
        check_level(self.alpha, self.questions)
        if (self.method == "planned-looks") != bool(self.looks):
            raise StatisticsError(
                f"method {self.method!r} with looks {self.looks}: looks and planned-looks go together"
            )
        if self.looks and self.looks[-1] != self.questions:
            raise StatisticsError(f"the last look must be at {self.questions} questions, not at {self.looks[-1]}")
        if self.clusters and (self.method != "betting" or sum(self.clusters) != self.questions):
            raise StatisticsError(
                f"method {self.method!r} for {self.questions} questions, {sum(self.clusters)} of them in clusters: "
                "clusters are for betting, and hold every question"
            )
        self.start()

    @property
    def claim_text(self) -> str:
        """The claim in the form that `parse_claim` reads."""
        return f"{self.first}>{self.second}"

    def start(self) -> SequentialTest:
        """A fresh test; feed it differences "first minus second" of question means, in the declared random order."""
        if self.method == "win-loss":
            return WinLossTest(self.alpha, self.questions)
        if self.clusters:
            return ClusterBets(self.alpha, self.clusters)
        if self.method == "betting":
            return BettingTest(self.alpha, self.questions)
        if self.method == "difference-sequence":
            return DifferenceSequence(self.alpha, self.questions, tuned_for=self.tuned_for, least=self.least)
        if self.method == "planned-looks":
            return PlannedLooks(self.alpha, self.looks, self.spending)
        return FixedSize(self.alpha, self.questions)

    def to_plain(self) -> dict[str, object]:
        """Strings, numbers, lists and None only, ready for JSON."""
        plain = {**asdict(self), "looks": list(self.looks), "clusters": list(self.clusters)}
        if not self.clusters:
            del plain["clusters"]  # as rules were stored before there were any
        return plain

    @classmethod
    def from_plain(cls, plain: Mapping[str, object]) -> "StoppingRule":
        """Read what `to_plain` wrote, trusting nothing.

        Raises:
            StatisticsError: on a missing, unknown or ill-typed field, or a rule that makes no sense.
        """
        unknown = set(plain) - set(_FIELDS)
        missing = {"first", "second", "method", "questions"} - set(plain)
        if unknown or missing:
            names = sorted(map(repr, unknown)), sorted(missing)
            raise StatisticsError(f"a stopping rule has unknown fields {names[0]} and lacks {names[1]}")
        for name, value in plain.items():
            if isinstance(value, bool) or not isinstance(value, _FIELDS[name]):
                raise StatisticsError(f"field {name!r} of a stopping rule contains {value!r}, which is not of its type")
        lists = {name: plain.get(name, []) for name in ("looks", "clusters")}
        for name, found in lists.items():
            if not isinstance(found, list | tuple) or not all(type(each) is int for each in found):
                raise StatisticsError(f"the {name} of a stopping rule must be whole numbers, not {found!r}")
        return cls(**{**plain, **{name: tuple(found) for name, found in lists.items()}})  # type: ignore[arg-type]


_FIELDS: dict[str, type | tuple[type, ...]] = {
    "first": str,
    "second": str,
    "method": str,
    "questions": int,
    "alpha": (int, float),
    "looks": (list, tuple),
    "spending": str,
    "tuned_for": (int, float, type(None)),
    "least": int,
    "clusters": (list, tuple),
}


def parse_claim(text: str) -> tuple[str, str]:
    """Read "A>B" (or "B<A") as the pair (better, worse).

    Raises:
        StatisticsError: if the text is not two names with one `>` or `<` between them.
    """
    for sign in (">", "<"):
        parts = [part.strip() for part in text.split(sign)]
        if len(parts) == 2 and all(parts) and parts[0] != parts[1] and not set("<>") & set("".join(parts)):
            return (parts[0], parts[1]) if sign == ">" else (parts[1], parts[0])
    raise StatisticsError(f"a claim reads 'A>B' with the names of two agents, not {text!r}")


# How large a run must be allowed to grow that may stop early, so that it still finds a gap. Looking after every
# question costs size: at its last question the test demands a larger |z| than an ordinary test (3.2 to 3.8 instead of
# 1.96; the bets more where the differences vary little). A size at which that z is reached with the
# wanted power is enough, because the test may only have stopped before: sizes are rather too large than too small.
# What such a run takes on average is less, and depends on the true gap. Not covered: planned looks, and the average
# size.

_LEAST = 2
_MOST = 10**9  # a gap that needs more questions counts as one that cannot be found
_GRID, _ROUNDS = 65, 5


def early_questions(variance: DesignVariance, gap: float, samples: float, demands: Demands) -> float:
    """Questions after which a run with `--until` has found a true `gap` with the wanted power; NaN if not known.

    Args:
        variance: from a pilot or a prior.
        gap: true difference, fraction of 1, above 0.
        samples: of each agent at each question; 1 means the win-loss test, more the bets.
        demands: level and power.
    """
    if math.isnan(early_gap(variance, _MOST, samples, demands)):
        return math.nan
    low, high = _LEAST - 1, _LEAST
    while early_gap(variance, high, samples, demands) > gap:
        if high >= _MOST:
            return math.nan
        low, high = high, high * 2
    sizes = range(low + 1, high)
    enough = bisect_left(sizes, True, key=lambda questions: early_gap(variance, questions, samples, demands) <= gap)
    return float(low + 1 + enough)


def early_gap(variance: DesignVariance, questions: float, samples: float, demands: Demands) -> float:
    """Smallest true gap that a run with `--until` finds within so many questions; NaN if not known.

    Args:
        variance: from a pilot or a prior.
        questions: the most that the run may take.
        samples: of each agent at each question.
        demands: level and power.
    """
    per_question = variance.per_question((samples, samples))
    if not per_question > 0:
        return math.nan if math.isnan(per_question) else 0.0
    level = demands.alpha_each
    error = math.sqrt(per_question / questions)
    if samples == 1:
        critical = _win_loss_z(questions * per_question, level) * error
    else:
        # The mean at which the bets' capital reaches `2/alpha`, with `log(1 + f D)` to the second order.
        low, high = 0.0, 1.0
        for _ in range(50):
            mean = 0.5 * (low + high)
            enough = log_mean(questions * (BETS * mean - BETS**2 * (per_question + mean**2) / 2)) >= math.log(2 / level)
            low, high = (low, mean) if enough else (mean, high)
        critical = high if high < 1 else math.inf
    normal = replace(demands, method="normal")
    beyond = normal.detectable_effect(math.inf) - replace(normal, power=0.5).detectable_effect(math.inf)
    return critical + beyond * error


def _win_loss_z(decided: float, alpha: float) -> float:
    """|z| that the win-loss test demands when so many questions were decided; for single samples that number is about
    the variance of the difference times the number of questions.
    """
    ends = np.array([0.0, math.sqrt(decided)])
    for _ in range(_ROUNDS):
        z = np.linspace(ends[0], ends[1], _GRID)
        wins = np.minimum((decided + z * math.sqrt(decided)) / 2, decided)
        enough = win_loss_evidence(wins, decided - wins) >= -math.log(alpha)
        if not enough[-1]:
            return math.inf
        first = int(np.argmax(enough))
        ends = z[max(first - 1, 0) : first + 1]
    return float(ends[-1])
