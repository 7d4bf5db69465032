"""Is the score about ability? What was never scored, and whether the order of the agents depends on how it is counted.

A trial that was not scored (the harness broke, the result is missing, the answer could not be read) is neither right
nor wrong. With `a_i` scored and `c_i` correct of `n_i` planned samples of question i,

    accuracy = P(scorable) * P(correct | scorable) = mean_i (a_i / n_i) * [mean_i (c_i / n_i) / mean_i (a_i / n_i)],

so that an agent can be behind because it is worse, or because fewer of its trials were scored. The order of the agents
is computed with the unscored counted as failed (strict), left out (lenient), and at whatever would help or hurt each
agent most (bounds). Where these orders differ the benchmark has not decided, and the result says so.

Not covered: whether the scored verdicts themselves are right, and trials that were scored but cheated.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.errors import StatisticsError
from honestly.stats._means import MeanEstimate, clustered_mean, mean_of_questions
from honestly.stats._policy import Estimand
from honestly.stats._scores import Scores

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_TIE = 1e-9  # scores are ratios of means, and rounding makes equal ones differ


@dataclass(frozen=True, slots=True, eq=False)
class Validity:
    """Scores and ranks under every way of counting what was not scored. Arrays have the shape (agents,)."""

    agents: tuple[str, ...]

    strict: Floats
    """Score with everything unscored counted as failed; the lower bound of what the score could have been."""

    lenient: Floats
    """Score with unscored samples left out: mean over the questions that still have a sample."""

    upper: Floats
    """Score with everything unscored counted as passed."""

    scorable: Floats
    """`P(scorable)`, question-weighted."""

    scorable_se: Floats
    """Its standard error for new questions; NaN where it cannot be estimated."""

    correct_if_scorable: Floats
    """`P(correct | scorable) = strict / scorable`; with equal n it pools the scored samples of all questions."""

    correct_if_scorable_se: Floats
    """Its standard error for new questions, by linearisation of the ratio."""

    unreadable: Floats
    """Share of samples whose answer could not be read (parse failures)."""

    broken: Floats
    """Share of samples that the harness or the infrastructure spoilt, or that are missing."""

    out_of_limits: Floats
    """Share of samples in which the agent ran out of time, turns or budget."""

    questions_left: Counts
    """Questions with at least one scored sample."""

    rank_strict: Counts
    """Rank by `strict`, 1 is best; equal scores share the better rank."""

    rank_lenient: Counts
    """Rank by `lenient`."""

    rank_if_scorable: Counts
    """Rank by `correct_if_scorable`."""

    rank_best: Counts
    """Rank if the agent's unscored samples had all passed, and those of the others failed."""

    rank_worst: Counts
    """Rank if they had all failed, and those of the others passed."""

    warnings: tuple[str, ...]
    """What the order depends on; empty if it depends on nothing."""

    estimand: Estimand
    notes: tuple[str, ...]

    @property
    def decided(self) -> bool:
        """Whether no way of counting the unscored samples could change the order of any two agents."""
        return bool((self.rank_best == self.rank_worst).all())


def score_validity(
    scores: Scores, *, unreadable: ArrayLike | None = None, limit: Literal["fail", "unscored"] = "fail"
) -> Validity:
    """Splits the score into "was it scored" and "was it right", and shows what the order depends on.

    Args:
        scores: counts with outcomes.
        unreadable: how many of the *failed* samples failed only because the answer could not be read, shape (agents,
            questions); they count as unscored here.
        limit: whether running out of time, turns or budget is the agent's failure, or was not scored.

    Raises:
        StatisticsError: if `unreadable` has another shape or exceeds the failed samples.
    """
    passed, scored, unread = _scored_sums(scores, unreadable)
    broken = scores.void + scores.missing
    if limit == "fail":
        scored = scored + scores.limit
    planned = scores.planned.astype(np.float64)
    unscored = planned - scored
    with np.errstate(divide="ignore", invalid="ignore"):
        strict, upper, share = passed / planned, (passed + unscored) / planned, scored / planned
        left = np.where(scored > 0, passed / scored, np.nan)
        rates = [np.asarray(part / planned) for part in (unread, broken, scores.limit)]
    mean = {
        name: _mean_estimate(scores, values)
        for name, values in (("strict", strict), ("upper", upper), ("share", share))
    }
    lenient = _mean_estimate(scores, left).mean
    with np.errstate(divide="ignore", invalid="ignore"):
        conditional = mean["strict"].mean / mean["share"].mean
        residual = (strict - conditional[:, None] * share) / mean["share"].mean[:, None]
    low, high = mean["strict"].mean, mean["upper"].mean
    ranks = [_ranks(values) for values in (low, lenient, conditional)]
    best, worst = _rank_bounds(low, high)
    warnings = _validity_warnings(scores.agents, [("strict", low), ("lenient", lenient)], ranks, (best, worst))
    unread_mean, broken_mean, limit_mean = (_mean_estimate(scores, rate).mean for rate in rates)
    return Validity(
        agents=scores.agents,
        strict=low,
        lenient=lenient,
        upper=high,
        scorable=mean["share"].mean,
        scorable_se=mean["share"].se,
        correct_if_scorable=conditional,
        correct_if_scorable_se=_mean_estimate(scores, residual).se,
        unreadable=unread_mean,
        broken=broken_mean,
        out_of_limits=limit_mean,
        questions_left=(scored > 0).sum(axis=1),
        rank_strict=ranks[0],
        rank_lenient=ranks[1],
        rank_if_scorable=ranks[2],
        rank_best=best,
        rank_worst=worst,
        warnings=warnings,
        estimand=Estimand.NEW_QUESTIONS,
        notes=(*scores.notes, f"running out of limits counts as {'failed' if limit == 'fail' else 'unscored'}"),
    )


def _scored_sums(scores: Scores, unreadable: ArrayLike | None) -> tuple[Floats, Counts, Counts]:
    """Sum of the values, number of scored samples, and number of unreadable ones, per cell."""
    passed, scored = scores.passed.astype(np.float64), scores.passed + scores.failed
    if scores.graded is not None:
        passed, scored = passed + scores.graded.total, scored + scores.graded.count
    if unreadable is None:
        return passed, scored, np.zeros_like(scored)
    unread = np.asarray(unreadable)
    if unread.shape != scored.shape or unread.dtype.kind not in "iu":
        raise StatisticsError(
            f"unreadable must contain counts of shape {scored.shape}; found {unread.dtype} {unread.shape}"
        )
    if (unread < 0).any() or (unread > scores.failed).any():
        raise StatisticsError("more samples are unreadable than failed; count only failed samples as unreadable")
    return passed, scored - unread, unread.astype(np.int64)


def _mean_estimate(scores: Scores, values: Floats) -> MeanEstimate:
    if scores.clusters is None:
        return mean_of_questions(values, scores.weights)
    codes = np.unique(np.array(scores.clusters), return_inverse=True)[1].astype(np.int64)
    return clustered_mean(values, codes, scores.weights)


def _ranks(values: Floats) -> Counts:
    """1 for the highest; an agent without a score comes last."""
    filled = np.where(np.isnan(values), -np.inf, values)
    return np.asarray((filled[None, :] > filled[:, None] + _TIE).sum(axis=1) + 1, dtype=np.int64)


def _rank_bounds(low: Floats, high: Floats) -> tuple[Counts, Counts]:
    """Best and worst rank of each agent over all outcomes of the unscored samples; ties count for and against."""
    others = ~np.eye(low.size, dtype=bool)
    surely_ahead = (low[None, :] > high[:, None] + _TIE) & others
    perhaps_ahead = (high[None, :] > low[:, None] + _TIE) & others
    return surely_ahead.sum(axis=1) + 1, perhaps_ahead.sum(axis=1) + 1


def _validity_warnings(
    agents: tuple[str, ...], orders: list[tuple[str, Floats]], ranks: list[Counts], bounds: tuple[Counts, Counts]
) -> tuple[str, ...]:
    found = []
    (_, strict), (_, lenient) = orders
    first_strict, first_lenient = (set(np.flatnonzero(rank == 1)) for rank in ranks[:2])
    if first_strict != first_lenient:
        names = [" and ".join(agents[i] for i in sorted(leaders)) for leaders in (first_strict, first_lenient)]
        found.append(f"{names[0]} leads if unscored trials count as failed, {names[1]} if they are left out")
    rows, columns = np.triu_indices(len(agents), 1)
    gap_strict, gap_lenient = strict[rows] - strict[columns], lenient[rows] - lenient[columns]
    if swapped := int((gap_strict * gap_lenient < -(_TIE**2)).sum()):
        found.append(f"{swapped} of {rows.size} pairs change their order when unscored trials are left out")
    if open_ranks := int((bounds[0] != bounds[1]).sum()):
        widest = int(np.argmax(bounds[1] - bounds[0]))
        found.append(
            f"the unscored trials leave the rank of {open_ranks} of {len(agents)} agents open; {agents[widest]} could "
            f"be anywhere from {bounds[0][widest]} to {bounds[1][widest]}"
        )
    return tuple(found)
