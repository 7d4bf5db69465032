"""Is the benchmark any good? What each question tells: how hard it is, and whether it ranks agents the right way.

- Difficulty: questions nobody solves tell nothing about today's agents, questions everybody solves tell nothing at
  all; between 5 and 30% is where an improvement shows most (the sweet spot).
- Inconsistency: of the questions on which two agents disagree, the share that the weaker one wins. Near one half the
  question set separates this pair by luck only.
- Item quality: a question on which better agents do worse (negative item-rest correlation, negative tau) is a suspect
  for a wrong reference or a broken check. Read it before removing it: some are negative by chance, the more the fewer
  agents there are.

Not covered: stability and signal of the benchmark as a whole (`_stability.py`), agreement between suites
(`_suites.py`), and item response models: a few dozen agents do not identify item parameters.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._agreement import pearson_correlation, tau_b
from honestly.stats._intervals import mean_interval, wilson_interval
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores

Floats = NDArray[np.float64]

_EDGE = 1e-9  # rates are means of means: one that is 0, 1 or the end of a band may miss it by rounding
_FEW_AGENTS = 10


class Band(StrEnum):
    """How many of the samples of all agents solve a question."""

    NEVER = "none"
    RARE = "below 5%"
    SWEET = "5 to 30%"
    MIDDLE = "30 to 70%"
    EASY = "above 70%"
    ALWAYS = "all"


@dataclass(frozen=True, slots=True, eq=False)
class Difficulty:
    """Difficulty of every question for these agents. Arrays have the shape (questions,)."""

    questions: tuple[str, ...]

    rate: Floats
    """Mean over agents of their success rates; NaN where no agent has a sample."""

    low: Floats
    """Lower end of Wilson's interval for the rate."""

    high: Floats
    """Upper end. Of a question that nobody solved it says how often it could still be solved."""

    band: tuple[Band | None, ...]
    """Band of the rate; None where there is no rate."""

    level: float
    """Coverage of the intervals; for one question, not for all at once."""

    estimand: Estimand
    """Exactly these questions and agents; the interval holds the luck of the samples."""

    notes: tuple[str, ...]

    @property
    def counts(self) -> dict[Band, int]:
        """Questions in each band."""
        return {band: self.band.count(band) for band in Band}

    def names(self, band: Band) -> tuple[str, ...]:
        """The questions of a band."""
        return tuple(name for name, own in zip(self.questions, self.band, strict=True) if own is band)


def question_difficulty(resolved: ResolvedScores, *, level: float = 0.95) -> Difficulty:
    """Sort the questions by difficulty for these agents.

    The rate is the mean of the agents' rates, so that an agent with more samples does not weigh more. Its interval is
    Wilson's with `M² / sum_a (1/K_a)` samples for M agents (that is `M K` when all have K), which is conservative: the
    samples come from M different success probabilities, whose mean varies less than one binomial.
    """
    present = resolved.n > 0
    agents = present.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.where(present, resolved.mean, 0.0).sum(axis=0) / agents
        size = agents**2 / np.where(present, 1.0 / resolved.n, 0.0).sum(axis=0)
    size = np.where(agents > 0, size, 0.0)
    low, high = wilson_interval(np.where(agents > 0, rate, 0.0) * size, size, level)
    bands = tuple(_difficulty_band(float(value)) for value in rate)
    return Difficulty(resolved.questions, rate, low, high, bands, level, Estimand.THESE_QUESTIONS, resolved.notes)


def _difficulty_band(rate: float) -> Band | None:
    if np.isnan(rate):
        return None
    if rate <= _EDGE:
        return Band.NEVER
    if rate >= 1 - _EDGE:
        return Band.ALWAYS
    if rate < 0.05 - _EDGE:
        return Band.RARE
    if rate < 0.30 - _EDGE:
        return Band.SWEET
    return Band.MIDDLE if rate <= 0.70 + _EDGE else Band.EASY


@dataclass(frozen=True, slots=True, eq=False)
class Inconsistency:
    """Disagreements of every pair. Matrices have the shape (agents, agents); the diagonal is NaN."""

    agents: tuple[str, ...]

    wins: Floats
    """Entry (a, b): expected questions that a solves and b does not, one sample each."""

    weaker_share: Floats
    """`min(b, c) / (b + c)` of the wins and losses b, c; 0 to 1/2, NaN if the pair never disagrees."""

    low: Floats
    """Lower end of its interval for new questions; NaN if the pair never disagrees."""

    high: Floats
    """Upper end, 1/2 where it is open which of the two is the weaker."""

    disagreement: Floats
    """`(b + c) / N`, share of the common questions on which one sample of each would disagree."""

    level: float
    """Coverage of the intervals, pair by pair."""

    notes: tuple[str, ...]

    def share_quantiles(self, levels: tuple[float, ...] = (0.05, 0.5, 0.95)) -> tuple[float, ...]:
        """Quantiles of `weaker_share` over the pairs that disagree at all; NaN if none does."""
        shares = self.weaker_share[np.triu_indices(len(self.agents), 1)]
        shares = shares[~np.isnan(shares)]
        if not shares.size:
            return (float("nan"),) * len(levels)
        return tuple(float(value) for value in np.quantile(shares, levels))

    @property
    def median_disagreement(self) -> float:
        """Median of `disagreement` over the pairs."""
        shares = self.disagreement[np.triu_indices(len(self.agents), 1)]
        return float(np.nanmedian(shares)) if np.isfinite(shares).any() else float("nan")


def pair_inconsistency(resolved: ResolvedScores, *, level: float = 0.95) -> Inconsistency:
    """How often the weaker of two agents wins a question, for every pair, on the questions that both have.

    Wins are expected ones, `b = sum_i ȳ_ai (1 - ȳ_bi)`, so that any number of samples is allowed; assumes that agents
    are sampled independently given the question. Source: Wang's eval-arena (min(b, c) over disagreements).

    Interval: of the share of a named agent, `r = b / (b + c)`, Wilson's with the effective number of disagreements from
    the linearised variance `Σ(b_i - r (b_i + c_i))² / (b + c)²`, then folded at 1/2. Near 1/2 the share itself is too
    low on average, because the data choose who is called the weaker; the interval then ends at 1/2. Questions are taken
    for independent. `share_quantiles` and `median_disagreement` sum up the pairs at hand, whose errors are dependent:
    no interval is offered for them.

    Args:
        resolved: the scores.
        level: coverage of the intervals.
    """
    present = resolved.n > 0
    solved = np.where(present, resolved.mean, 0.0)
    missed = np.where(present, 1.0 - resolved.mean, 0.0)
    wins = solved @ missed.T
    common = present.astype(np.float64) @ present.T.astype(np.float64)
    np.fill_diagonal(wins, np.nan)
    total = wins + wins.T
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(total > _EDGE, wins / total, np.nan)
        disagreement = np.where(common > 0, total / common, np.nan)
        # Per question b_i c_i = ȳ_a (1 - ȳ_a) ȳ_b (1 - ȳ_b); the residual is (1 - r) b_i - r c_i.
        squares, product = solved**2 @ (missed**2).T, (solved * missed) @ (solved * missed).T
        residual = (1 - own) ** 2 * squares + own**2 * squares.T - 2 * own * (1 - own) * product
        se = np.sqrt(np.maximum(residual, 0.0) * common / np.maximum(common - 1, 1)) / total
    # Where one agent wins every disagreement no variance is seen: Wilson's with their expected number.
    df = common - 1
    known = (se > _EDGE) & (df > 0)
    share = np.divide(wins, total, out=np.full_like(wins, 0.5), where=known)
    seen = mean_interval(share, np.where(known, se, 1.0), np.where(known, df, 1.0), level)
    alike = wilson_interval(wins, np.where(total > _EDGE, total, 0.0), level)
    low, high = (np.where(known, one, other) for one, other in zip(seen, alike, strict=True))
    share = np.minimum(own, own.T)
    low, high = np.minimum(low, 1 - high), np.where((low <= 0.5) & (high >= 0.5), 0.5, np.minimum(high, 1 - low))
    return Inconsistency(resolved.agents, wins, share, low, high, disagreement, level, resolved.notes)


@dataclass(frozen=True, slots=True, eq=False)
class ItemQuality:
    """Whether success on a question goes with success on others; arrays have the shape (questions,)."""

    questions: tuple[str, ...]

    item_rest: Floats
    """Pearson correlation over agents of the question's score and the mean of all *other* questions."""

    tau: Floats
    """Kendall's tau-b of the same two."""

    tau_with_itself: Floats
    """tau-b with the mean of all questions, as other programs print it; it flatters the question."""

    notes: tuple[str, ...]

    @property
    def suspect_questions(self) -> tuple[str, ...]:
        """Questions with a negative tau, most negative first."""
        order = np.argsort(self.tau, kind="stable")
        return tuple(self.questions[i] for i in order if self.tau[i] < 0)


def item_quality(resolved: ResolvedScores) -> ItemQuality:
    """Look for questions on which better agents do worse.

    NaN for a question on which all agents have the same score. These are coefficients over the agents at hand, not
    estimates for a population of agents, and with a few dozen of them no interval would narrow the choice: a sound
    question that is unrelated to the others is negative half of the time. So none is given; see the notes.

    Raises:
        StatisticsError: with fewer than three agents, or fewer than two questions.
    """
    agents, questions = resolved.mean.shape
    if agents < 3 or questions < 2:
        raise StatisticsError(f"item quality needs 3 agents and 2 questions at least; found {agents} and {questions}")
    present = resolved.n > 0
    own = np.where(present, resolved.mean, np.nan)
    total = np.where(present, resolved.mean, 0.0).sum(axis=1, keepdims=True)
    number = present.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(present, (total - own) / (number - 1), np.nan)
        whole = total / number
    notes = list(resolved.notes)
    if agents < _FEW_AGENTS:
        notes.append(f"with {agents} agents many sound questions look suspect by chance")
    return ItemQuality(
        resolved.questions, pearson_correlation(own, rest), tau_b(own, rest), tau_b(own, whole), tuple(notes)
    )
