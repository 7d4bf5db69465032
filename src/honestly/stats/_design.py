"""How much one question varies: the variances that a study is planned with.

One question contributes a variance to the estimate (a score, or a paired difference of two scores): a part that more
samples cannot remove (`data`: questions differ) and one part per arm that they can (`prediction`: the same agent on the
same question differs). The parts come from a pilot study or, failing that, from a prior.

Not covered: what follows from them (`_plan.py`, `_budget.py`), and intervals for the components themselves.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.errors import StatisticsError

__all__ = ["DesignVariance", "Estimand", "pilot_variance", "prior_variance"]

Floats = NDArray[np.float64]
Estimand = Literal["new questions", "exactly these questions"]


@dataclass(frozen=True, slots=True)
class DesignVariance:
    """Variance that one question contributes to the estimate, split by what more samples could remove.

    With `K_j` samples of arm j per question the variance of one question is `data + sum_j prediction_j / K_j`, and
    `total` is that variance at one sample each, which is all that a pilot with one sample identifies.
    """

    total: float
    """Variance at one sample per question and arm; NaN if the pilot does not identify it."""
    prediction: tuple[float, ...]
    """Variance of one sample given the question, per arm; NaN where the pilot had one sample per question."""
    estimand: Estimand
    """Whether the questions are a sample of more such questions, or all there is."""
    notes: tuple[str, ...] = ()
    """What a reader must know before trusting the plan."""

    @property
    def data(self) -> float:
        """The part that no number of samples removes; NaN if not identified, negative if sampling error made it so."""
        return self.total - math.fsum(self.prediction)

    def per_question(self, samples: tuple[float, ...]) -> float:
        """Variance of one question's contribution with `samples[j]` samples of arm j (`inf` is allowed).

        A negative data part counts as zero, which is the cautious side.
        """
        if len(samples) != len(self.prediction):
            raise StatisticsError(
                f"{len(samples)} sample counts were given for {len(self.prediction)} arms; give one count for each arm"
            )
        if not all(count > 0 for count in samples):
            raise StatisticsError(f"samples per question must be positive, not {samples}")
        if math.isnan(self.data):
            changed = [v * (1 - 1 / k) for v, k in zip(self.prediction, samples, strict=True) if k != 1]
            return self.total - math.fsum(changed)
        return max(self.data, 0.0) + math.fsum(v / k for v, k in zip(self.prediction, samples, strict=True))


def pilot_variance(
    means: ArrayLike,
    counts: ArrayLike,
    within: ArrayLike,
    *,
    estimand: Estimand = "new questions",
    standard_error: float | None = None,
) -> DesignVariance:
    """Estimate the variance components of a design from a pilot study.

    `V_pred_j = mean_i s²_ji`, `w_j = mean_i s²_ji / K_ji`, `total = S² + sum_j (V_pred_j - w_j)`, where `S²` is the
    variance over questions (ddof 1) of the score, or of the paired difference for two arms. Arms are assumed to be
    sampled independently given the question.

    Args:
        means: mean score per question, shape (questions,) or (arms, questions) with one or two arms.
        counts: samples per question, same shape, at least 1 everywhere.
        within: variance of the samples of a question (ddof 1; NaN where there is one sample), same shape.
        estimand: with "exactly these questions" the data part is zero, because nothing is generalised.
        standard_error: a cluster-robust standard error of the pilot's own estimate. The excess over the plain one is
            booked as data variance: questions bought later come in clusters of the same shape.

    Raises:
        StatisticsError: on shapes that do not match, more than two arms, fewer than two questions, or missing cells.
    """
    mean, count, inner = (np.atleast_2d(np.asarray(value, dtype=np.float64)) for value in (means, counts, within))
    _check_pilot(mean, count, inner)
    arms, questions = mean.shape
    prediction, shift = [], 0.0
    notes = [] if questions >= 20 else [f"the pilot has only {questions} questions; its variances are rough"]
    for arm in range(arms):
        single = count[arm] == 1
        known = math.nan if single.any() else float(inner[arm].mean())
        prediction.append(known)
        if single.any():
            share = "one sample per question" if single.all() else "questions with one sample"
            notes.append(f"arm {arm} has {share}, so its prediction noise is not identified")
        if not single.all():
            shift += known - float((inner[arm] / count[arm]).mean())
    if estimand == "exactly these questions":
        return DesignVariance(math.fsum(prediction), tuple(prediction), estimand, tuple(notes))
    contrast = mean[0] - mean[1] if arms == 2 else mean[0]
    spread = float(contrast.var(ddof=1))
    if standard_error is not None:
        notes.append("the clusters of the pilot are carried over: variance from its cluster-robust standard error")
        spread = questions * standard_error**2
    data = spread + shift - math.fsum(prediction)
    if data < 0:
        notes.append(f"the pilot's data variance is negative ({data:.4g}), so not distinguishable from zero")
    return DesignVariance(spread + shift, tuple(prediction), estimand, tuple(notes))


def _check_pilot(mean: Floats, count: Floats, inner: Floats) -> None:
    if mean.shape != count.shape or mean.shape != inner.shape or mean.ndim != 2:
        raise StatisticsError(
            f"means, counts and within must have one shape, not {mean.shape}, {count.shape} and {inner.shape}"
        )
    if mean.shape[0] > 2:
        raise StatisticsError(f"a plan compares one or two arms, not {mean.shape[0]}; choose the pair first")
    if mean.shape[1] < 2:
        raise StatisticsError(f"a pilot of {mean.shape[1]} question(s) has no variance; at least 2 are needed")
    missing = int((~np.isfinite(mean) | ~(count >= 1)).sum())
    if missing:
        raise StatisticsError(f"{missing} cells of the pilot are missing; drop those questions or impute them first")


def prior_variance(
    accuracy: float, *, ratio: float = 1.0, data_share: float = 0.5, solvable: float = 1.0, paired: bool = True
) -> DesignVariance:
    """Guess the variance components without a pilot, from the expected accuracy alone.

    Beta theory: if question difficulties follow Beta(p, 1-p) and two equally good agents answer independently given the
    difficulty, then `Var(A - B) = p (1 - p)` for one sample each, all of it prediction noise. With a share m of the
    questions solvable at all, `Var = p (1 - p/m)`. Measured totals are 0.6 to 1.5 times that (median 0.99 on
    Terminal-Bench), and about half of the variance is data variance there, which is why `data_share` is not zero.

    Args:
        accuracy: expected score, strictly between 0 and `solvable`.
        ratio: factor on the theoretical total; 1.5 is a cautious choice.
        data_share: part of the total that more samples cannot remove; 0 is the pure theory, 1 the worst case.
        solvable: share of the questions that any agent can solve.
        paired: two arms on the same questions (the difference), else one arm (its score, variance `p (1 - p)`).

    Raises:
        StatisticsError: if an argument lies outside its range.
    """
    if not 0 < accuracy < solvable <= 1:
        raise StatisticsError(f"expected 0 < accuracy < solvable <= 1, not accuracy {accuracy}, solvable {solvable}")
    if not (0 <= data_share <= 1 and ratio > 0):
        raise StatisticsError(f"expected 0 <= data_share <= 1 and ratio > 0, not {data_share} and {ratio}")
    total = ratio * accuracy * (1 - accuracy / solvable if paired else 1 - accuracy)
    arms = 2 if paired else 1
    prediction = (total * (1 - data_share) / arms,) * arms
    note = f"variance from a prior (accuracy {accuracy:g}, data share {data_share:g}), not from data: run a pilot"
    return DesignVariance(total, prediction, "new questions", (note,))
