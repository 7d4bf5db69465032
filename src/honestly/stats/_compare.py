"""Is one agent better than another? The paired difference with its error bar and p-value.

Both agents answered the same questions, so the difference is taken question by question; that alone shrinks the error
bar by a factor of about 1.6 on real leaderboards. Overlapping intervals of two scores answer nothing.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._cluster_law import law_p_value, law_quantile
from honestly.stats._inference import MeanAnswer, MeanClaim, MeanQuestion
from honestly.stats._intervals import check_coverage, clipped_interval, t_interval
from honestly.stats._macro import macro_mean
from honestly.stats._matched_passes import matched_interval, takes_mid
from honestly.stats._means import ClusterSummary, cluster_summary
from honestly.stats._neighbours import alike_neighbours
from honestly.stats._noise import NoiseComponents, pair_columns, paired_noise
from honestly.stats._paired_tests import mcnemar_exact, mcnemar_mid, sign_flip
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores
from honestly.stats._score import estimate_mean, fixed_variance
from honestly.stats._scores import Scores, resolved_scores
from honestly.stats._special import t_two_sided

CompareMethod = Literal["auto", "t", "cluster", "cluster-law", "mcnemar-mid", "mcnemar-exact", "sign-flip"]
Floats = NDArray[np.float64]

_NAMES = {
    "t": "paired t test over questions",
    "cluster": "paired CR2 over clusters, Bell-McCaffrey t test",
    "cluster-law": "paired CR2 over clusters, its law under the estimated correlation",
    "mcnemar-mid": "mid-p McNemar test and its interval",
    "mcnemar-exact": "exact McNemar test and its interval",
    "sign-flip": "sign-flip permutation test; t interval",
}
_SEED = 0
# A smaller difference is one of rounding.
_SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """The paired difference of two agents."""

    a: str
    b: str

    n: int
    """Questions that both have."""

    difference: float
    """Mean over questions of `a - b`."""

    se: float
    """Standard error for new questions; NaN, never 0, when it cannot be estimated."""

    se_fixed: float
    """Standard error for exactly these questions; NaN without two samples in every cell."""

    interval: tuple[float, float]
    """Confidence interval of the difference, inside [-1, 1]: the claim's; with a method that you chose, its own, and
    the guaranteed one where that has no standard error. NaN without questions only."""

    level: float
    """Coverage of the interval."""

    p_value: float
    """Two-sided, that goes with the interval; the same for (a, b) and (b, a)."""

    statistic: float
    """`difference / se`."""

    df: float
    """Degrees of freedom that go with `statistic` in a t test."""

    method: str
    """Which test gave `p_value`."""

    wins: int
    """Questions on which a's mean is higher."""

    losses: int
    """Questions on which b's mean is higher."""

    ties: int
    """Questions with equal means."""

    noise: NoiseComponents
    """Prediction and data part of the difference's variance."""

    clusters: ClusterSummary | None
    """Number of clusters when questions are clustered."""

    estimand: Estimand
    """What `difference`, `se`, `interval` and `p_value` are about."""

    reason: str | None
    """Why something is NaN, or None."""

    notes: tuple[str, ...]
    """What a reader must know beside the numbers."""

    question: MeanQuestion | None = field(default=None, compare=False, repr=False)
    """What was asked, for other levels and margins; None without questions."""

    claim: MeanClaim | None = field(default=None, compare=False)
    """What can be said: both answers, which of them is the headline, and how strongly it is shown who is ahead."""


def compare(
    scores: Scores | ResolvedScores, a: str, b: str, *, level: float = 0.95, method: CompareMethod = "auto"
) -> Comparison:
    """Compare two agents on the questions that both have.

    Args:
        scores: The scores; without `resolve`, those that hold limits, void or missing samples are refused.
        a: The first agent.
        b: The second; the difference is `a - b`.
        level: Coverage of the interval.
        method: `"t"`: paired t test on the question differences, df N-1. `"cluster"`: CR2 with Bell-McCaffrey degrees
            of freedom. `"cluster-law"`: CR2 with a computed law instead of t, for few and very unequal clusters (see
            docs/methods/clusters.md). `"mcnemar-mid"`, `"mcnemar-exact"`: where the yes/no samples of each cell agree,
            as single ones do. `"sign-flip"`: permutation test. `"auto"`: `cluster` when there are clusters, else
            McNemar's where samples agree (mid-p, or exact: `_matched_passes.py`), else `t`; and the headline of
            `_inference.py` over it. Standard errors
            are those of `t` (with a cluster method: of that); so is the interval of sign flips.

    Raises:
        StatisticsError: An agent is unknown or compared with itself, or the method does not fit the data.
    """
    check_coverage(level)
    resolved = resolved_scores(scores)
    rows, columns = pair_columns(resolved, a, b)
    chosen = _choose(resolved, resolved.mean[np.ix_(rows, columns)], method)
    clustered = chosen.startswith("cluster")
    # NaN, and so left out, wherever one of the two has no sample.
    differences = resolved.mean[rows[0]] - resolved.mean[rows[1]]
    estimate = estimate_mean(resolved, differences, clustered=clustered)
    present = differences[columns]
    wins, losses = int((present > _SAME).sum()), int((present < -_SAME).sum())
    if method == "auto" and chosen == "mcnemar-mid" and not takes_mid(wins, losses, present.size):
        chosen = "mcnemar-exact"
    codes = resolved.cluster_codes
    used = np.isin(np.arange(len(resolved.questions)), columns)
    clusters = cluster_summary(codes, used) if clustered and codes is not None else None
    mean, se, df = float(estimate.mean), float(estimate.se), float(estimate.df)
    question = claim = None
    name = _NAMES[chosen]
    interval, p_value, statistic = (math.nan, math.nan), math.nan, mean / se
    if present.size:
        question = MeanQuestion.of_questions(resolved, columns, present, (mean, se, df), clustered=clustered)
        interval = t_interval(mean, se, df, level, -1.0)
        p_value = _p_value(chosen, present, (wins, losses), (statistic, df))
        if chosen == "cluster-law" and codes is not None and not math.isnan(se):
            half = law_quantile(differences, codes, resolved.weights, level) * se
            interval, p_value = (
                clipped_interval(mean, half, -1.0),
                float(law_p_value(differences, codes, resolved.weights)),
            )
        found = MeanAnswer(_NAMES[chosen], interval, p_value)
        if chosen.startswith("mcnemar"):
            low, high = matched_interval(wins, losses, present.size, level, mid=chosen == "mcnemar-mid")
            found = MeanAnswer(_NAMES[chosen], (float(low), float(high)), p_value, is_law_free=True)
        claim = question.claim(level, 0.0, approximate=found)
        if method == "sign-flip" and math.isnan(se):  # which needs no error
            interval, name = claim.answer.interval, "sign-flip permutation test; Gaffke's interval"
        elif method == "auto" or math.isnan(se):
            interval, p_value, name = claim.answer.interval, claim.answer.p_value, claim.answer.method
        elif found.is_law_free:
            interval = found.interval
    reason = _why_no_error(int(columns.size), se, clusters)
    if driven := [name for name in (a, b) if name in resolved.result_driven]:
        interval, p_value, question, claim = (math.nan, math.nan), math.nan, None, None
        reason = f"the number of samples of {' and '.join(driven)} seems to depend on their results"
    return Comparison(
        a=a,
        b=b,
        n=int(columns.size),
        difference=mean,
        se=se,
        se_fixed=_fixed_error(resolved, rows, columns),
        interval=interval,
        level=level,
        p_value=p_value,
        statistic=statistic,
        df=df,
        method=name,
        wins=wins,
        losses=losses,
        ties=int(columns.size) - wins - losses,
        noise=paired_noise(resolved, a, b, level=level),
        clusters=clusters,
        estimand=Estimand.NEW_QUESTIONS,
        reason=reason,
        notes=_comparison_notes(resolved, rows, columns, clusters, chosen, claim),
        question=question,
        claim=claim,
    )


def _choose(resolved: ResolvedScores, means: Floats, method: CompareMethod) -> str:
    undivided = resolved.binary and resolved.weights is None and bool(np.isin(means, (0, 1)).all())
    if method == "auto":
        if resolved.clusters is not None:
            return "cluster"
        return "mcnemar-mid" if undivided else "t"
    if method.startswith("cluster") and resolved.clusters is None:
        raise StatisticsError(f"method {method!r} needs clusters; give them with Scores.with_clusters")
    if method.startswith("mcnemar") and not undivided:
        raise StatisticsError("McNemar's test needs yes/no samples that agree in each cell; use 't' or 'sign-flip'")
    if method == "sign-flip" and resolved.weights is not None:
        raise StatisticsError("sign flips are for equally weighted questions; use 't'")
    if method not in _NAMES:
        raise StatisticsError(f"method {method!r} is unknown; choose 'auto' or one of {', '.join(_NAMES)}")
    return method


def _p_value(chosen: str, present: Floats, outcome: tuple[int, int], t: tuple[float, float]) -> float:
    if chosen == "mcnemar-mid":
        return float(mcnemar_mid(*outcome))
    if chosen == "mcnemar-exact":
        return float(mcnemar_exact(*outcome))
    if chosen == "sign-flip":
        return sign_flip(present, seed=_SEED)
    return float(t_two_sided(*t))


def _why_no_error(n: int, se: float, clusters: ClusterSummary | None) -> str | None:
    if not math.isnan(se):
        return None
    if n < 2:
        return f"the agents have {n} task{'s' * (n != 1)} in common; the standard error needs two"
    if clusters is not None and clusters.clusters < 2:
        return "all common tasks are in one cluster; the standard error needs two"
    return f"the difference is the same on all {n} questions, so that its variance cannot be estimated"


def _fixed_error(resolved: ResolvedScores, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> float:
    if columns.size == 0 or bool((resolved.n[np.ix_(rows, columns)] < 2).any()):
        return math.nan
    return math.sqrt(fixed_variance(resolved, rows, columns)) or math.nan


def _comparison_notes(
    resolved: ResolvedScores,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    clusters: ClusterSummary | None,
    chosen: str,
    claim: MeanClaim | None,
) -> tuple[str, ...]:
    notes = list(resolved.notes)
    has = (resolved.n[rows] > 0).sum(axis=1)
    if columns.size < has.max():
        notes.append(f"{columns.size} task{'s' * (columns.size != 1)} in common; the agents have {has[0]} and {has[1]}")
    if clusters is not None and clusters.cluster_warning:
        notes.append(clusters.cluster_warning)
    if claim is not None and claim.verdict != "cannot tell" and resolved.clusters is None and resolved.weights is None:
        alike = alike_neighbours(resolved.mean[rows[0], columns] - resolved.mean[rows[1], columns])
        # What would show as much with clusters is no doubt.
        notes += [alike[0]] if alike is not None and not alike[1] <= 1 - claim.level else []
    if resolved.clusters is not None and not chosen.startswith("cluster"):
        notes.append("the questions are clustered and this test takes them for independent")
    names = {resolved.agents[row] for row in rows}
    if any(names <= group for group in resolved.shared_samples):
        notes.append("the agents share samples: the difference is valid, its division into noise components is not")
    block = np.ix_(rows, columns)
    counts, means = resolved.n[block], resolved.mean[block]
    interior = (means[0] > 0) & (means[0] < 1)
    if interior.any() and np.array_equal(counts[0], counts[1]) and np.array_equal(means[0], means[1]):
        notes.append("both agents have the same result in every cell; they may be two names for the same samples")
    return tuple(notes)


@dataclass(frozen=True, slots=True)
class UnpairedComparison:
    """The difference of two agents without pairing, as for agents that answered different questions."""

    a: str
    b: str
    n: tuple[int, int]
    """Questions of each."""

    difference: float
    """Mean of a minus mean of b."""

    se: float
    """`sqrt(S²_A/N_A + S²_B/N_B)`; NaN when not estimable."""

    interval: tuple[float, float]
    """The guaranteed one, with what was not drawn of either: as that of a macro mean over the two."""
    level: float
    p_value: float
    """Two-sided, that goes with the interval."""
    df: float
    """Welch-Satterthwaite degrees of freedom."""

    method: str
    estimand: Estimand
    reason: str | None
    notes: tuple[str, ...]


def compare_unpaired(resolved: ResolvedScores, a: str, b: str, *, level: float = 0.95) -> UnpairedComparison:
    """The difference of two scores. Only for agents without common questions: pairing is what gives power.

    Half of it is the macro mean over the two of `score - 1/2` and `1/2 - score`, which holds where a score's questions
    all agree, or rare ones were not drawn; Welch's test calls 8 to 12% of equal scores different there.

    Raises:
        StatisticsError: An agent is unknown or compared with itself.

    Source: Welch 1947, Biometrika 34:28.
    """
    rows, columns = pair_columns(resolved, a, b)
    estimate = estimate_mean(resolved, resolved.mean[rows])
    variances = estimate.se**2
    difference = float(estimate.mean[0] - estimate.mean[1])
    se = math.sqrt(float(variances.sum())) if np.isfinite(variances).all() else math.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        df = float(variances.sum() ** 2 / (variances**2 / estimate.df).sum())
    kind = "CR2 over clusters" if resolved.clusters else "Welch's t over questions"
    ends, p_value = (math.nan, math.nan), math.nan
    if estimate.n.min() > 0:
        sides, asked = np.nonzero(resolved.n[rows] > 0)
        both = macro_mean(
            np.where(sides == 0, 1, -1) * (resolved.mean[rows[sides], asked] - 0.5),
            [str(side) for side in sides.tolist()],
            None if resolved.clusters is None else [resolved.clusters[at] for at in asked.tolist()],
            None if resolved.weights is None else resolved.weights[asked],
            (-0.5, 0.5),
        )
        low, high = both.interval(level)
        ends, p_value = (2 * float(low), 2 * float(high)), float(both.p_value)
    notes = list(resolved.notes)
    if columns.size:
        notes.append(f"the agents share {columns.size} questions; a paired comparison has a smaller error bar")
    return UnpairedComparison(
        a=a,
        b=b,
        n=(int(estimate.n[0]), int(estimate.n[1])),
        difference=difference,
        se=se,
        interval=ends,
        level=level,
        p_value=p_value,
        df=df,
        method=f"unpaired, {kind}, and Gaffke's bounds of each",
        estimand=Estimand.NEW_QUESTIONS,
        reason=None if math.isfinite(ends[0]) else "at least one score is of a single question, or cluster",
        notes=tuple(notes),
    )
