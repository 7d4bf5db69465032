"""How much one question varies: the variances that a study is planned with.

One question contributes a variance to the estimate (a score, or a paired difference of two scores): a part that more
samples cannot remove (`data`: questions differ) and one part per arm that they can (`prediction`: the same agent on the
same question differs). The parts come from a pilot study or, failing that, from a prior.

Not covered: what follows from them (`_plan.py`, `_budget.py`), and intervals for the components themselves.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._any_law import independent_units
from honestly.stats._inference import least_plain_units, shape_of
from honestly.stats._means import FEW_CLUSTERS
from honestly.stats._noise import noise_components, paired_noise
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores

Floats = NDArray[np.float64]

_FEW_QUESTIONS = 20
_UNSEEN = 2.0
"""How many standard errors more than a pilot's the skewness may be, of normal values."""
_NO_VARIANCE = 1e-12  # rounding; of differences that are all alike


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
    basis: str = ""
    """The one of the notes that says where the variance comes from, for whoever says it elsewhere."""
    freedom: float = math.inf
    """Degrees of freedom with which a pilot estimated it: a plan that takes few for certain has too little power."""
    units: float = 1.0
    """Independent units that a question counts for: less than 1 where questions form clusters."""
    plain_units: float = 0.0
    """Independent units below which the headline is the guaranteed one: many for skewed differences, endless for those
    of two kinds."""

    @property
    def data(self) -> float:
        """The part that no number of samples removes; NaN if not identified, negative if sampling error made it so."""
        return self.total - math.fsum(self.prediction)

    def per_question(self, samples: tuple[float, ...]) -> float:
        """Variance of one question's contribution with `samples[j]` samples of arm j (`inf` is allowed).

        A negative data part counts as zero, which is the cautious side; a negative whole is NaN.
        """
        if len(samples) != len(self.prediction):
            raise StatisticsError(
                f"{len(samples)} sample counts were given for {len(self.prediction)} arms; give one count for each arm"
            )
        if not all(count > 0 for count in samples):
            raise StatisticsError(f"samples per question must be positive, not {samples}")
        if math.isnan(self.data):
            changed = [v * (1 - 1 / k) for v, k in zip(self.prediction, samples, strict=True) if k != 1]
            left = self.total - math.fsum(changed)
            return math.nan if left < 0 else left  # few clusters can make it so: no size follows from that
        return max(self.data, 0.0) + math.fsum(v / k for v, k in zip(self.prediction, samples, strict=True))


def pilot_variance(
    resolved: ResolvedScores, a: str, b: str | None = None, *, estimand: Estimand = Estimand.NEW_QUESTIONS
) -> DesignVariance:
    """Take the variance components of a design from a pilot study.

    They are those of `noise_components` (one arm) or `paired_noise` (two arms, on the questions that both have).
    Clusters are carried over: what they add to the variance of a mean is booked as data variance, so that the plan
    holds for questions that come in clusters of the same shape. It is estimated from moments (`cluster_excess`) and not
    from the cluster-robust standard error, whose square is 27% too small with clusters as unequal as SWE-bench's
    repositories; there a low number of degrees of freedom makes up for it, of which a plan by the normal distribution
    knows nothing.

    Args:
        resolved: scores of the pilot.
        a: the agent, or the first of the pair.
        b: the second of the pair, or None to plan a single score.
        estimand: with `THESE_QUESTIONS` the data part is zero, because nothing is generalised.

    Raises:
        StatisticsError: on an unknown agent, or on one compared with itself.
    """
    plain = resolved.ignoring_clusters()
    parts = noise_components(plain, a) if b is None else paired_noise(plain, a, b)
    prediction, total = parts.prediction_by_agent, parts.total.value
    notes = [f"variance from a pilot of {parts.n} questions"]
    if parts.n < _FEW_QUESTIONS:
        notes.append("a pilot of so few questions gives rough variances")
    if parts.reason:
        notes.append(parts.reason)
    if estimand is Estimand.THESE_QUESTIONS:
        return DesignVariance(math.fsum(prediction), prediction, estimand, tuple(notes), notes[0])
    codes, units = resolved.cluster_codes, 1.0
    values = resolved.mean[resolved.row(a)]
    values = values if b is None else values - resolved.mean[resolved.row(b)]
    plain_units = 0.0 if b is None else _plain_units(values, codes)
    if codes is not None:
        total += cluster_excess(values, codes)
        size = np.bincount(codes[~np.isnan(values)])
        units = float(size.sum() / (size.astype(np.float64) ** 2).sum())
        notes.append("the clusters of the pilot are carried over to the plan")
    if abs(total) <= _NO_VARIANCE:
        notes.append("the results are alike on all questions, which does not show how much they vary")
        total = math.nan
    elif math.isnan(total):
        notes.append("the pilot does not identify the variance, so that nothing can be planned from it")
    if total < math.fsum(prediction):
        notes.append("the pilot's data variance is negative, so it cannot be told from zero")
    freedom = max(1.0, units * parts.n * _freedom_share(values, codes) - 1)
    return DesignVariance(total, prediction, estimand, tuple(notes), notes[0], freedom, units, plain_units)


def _plain_units(values: NDArray[np.float64], codes: NDArray[np.int64] | None) -> float:
    """Units from which on differences of this shape, NaN where left out, have t's answer as the headline.

    0 where it is another one's: single passes have McNemar's.
    """
    held = ~np.isnan(values)
    if held.sum() < 2 or (codes is None and np.isin(values[held], (-1, 0, 1)).all()):
        return 0.0
    skewed, spread, count = _shape(values, codes)
    unseen = _UNSEEN * math.sqrt(6 / count)
    return max(least_plain_units(skewed + unseen, spread), 0.0 if codes is None else FEW_CLUSTERS)


def _freedom_share(values: NDArray[np.float64], codes: NDArray[np.int64] | None) -> float:
    """Degrees of freedom of a variance over its units: `2 / (kurtosis - 1)`, at most normal values' 1."""
    skewed, spread, _ = _shape(values, codes)
    return 2 / max(2.0, float(spread + skewed**2))


def _shape(values: NDArray[np.float64], codes: NDArray[np.int64] | None) -> tuple[Floats, Floats, int]:
    """What `shape_of` says of the independent units of values, NaN where left out, and how many units there are."""
    held = ~np.isnan(values)
    means, share = independent_units(values[held], None, None if codes is None else codes[held])
    return *shape_of(means, share), means.size


def cluster_excess(values: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """The addition of clusters to `N · Var(mean)`, over the variance that the values show: unbiased, possibly negative.

    With a covariance C of any two questions of one cluster and `P = Σ n_g (n_g - 1)` pairs of them, the variance of all
    values (ddof 1) estimates `σ² - C P / (N(N-1))` and that within clusters `σ² - C`; their difference gives C, and the
    excess is `C (P/N + P / (N(N-1)))`. The expectations of one-way analysis of variance (Searle, Casella & McCulloch
    1992, *Variance Components*, §3.6).

    Args:
        values: question values, shape (N,), NaN where left out.
        codes: cluster of each question, shape (N,).

    Returns:
        NaN if all questions are in one cluster, 0 if no two are.
    """
    used = ~np.isnan(values)
    y, own = values[used], np.unique(codes[used], return_inverse=True)[1]
    n, size = y.size, np.bincount(own).astype(np.float64)
    if size.size < 2:
        return math.nan
    if size.size == n:
        return 0.0
    pairs = float((size * (size - 1.0)).sum()) / n
    within = float(((y - (np.bincount(own, weights=y) / size)[own]) ** 2).sum()) / (n - size.size)
    covariance = (float(y.var(ddof=1)) - within) / (1.0 - pairs / (n - 1))
    return covariance * (pairs + pairs / (n - 1))


def prior_variance(
    accuracy: float, *, ratio: float = 1.0, data_share: float = 0.5, solvable: float = 1.0
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

    Raises:
        StatisticsError: if an argument lies outside its range.
    """
    if not 0 < accuracy < solvable <= 1:
        raise StatisticsError(f"expected 0 < accuracy < solvable <= 1, not accuracy {accuracy}, solvable {solvable}")
    if not (0 <= data_share <= 1 and ratio > 0):
        raise StatisticsError(f"expected 0 <= data_share <= 1 and ratio > 0, not {data_share} and {ratio}")
    total = ratio * accuracy * (1 - accuracy / solvable)
    prediction = (total * (1 - data_share) / 2,) * 2
    note = f"variance from a prior (accuracy {accuracy:g}, data share {data_share:g}), not from data: run a pilot"
    return DesignVariance(total, prediction, Estimand.NEW_QUESTIONS, (note,), note)
