"""One agent's score with its error bar.

The score is the mean over questions of the question's mean (never the pooled trials, which would weigh a question by
its number of samples). The error bar speaks of new questions; the one for exactly these questions stands beside it.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._cluster_law import law_quantile
from honestly.stats._inference import WILSON, MeanAnswer, MeanClaim, MeanQuestion, claim_of_passes
from honestly.stats._intervals import check_coverage, clipped_interval
from honestly.stats._means import ClusterSummary, MeanEstimate, cluster_summary, clustered_mean, mean_of_questions
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores
from honestly.stats._scores import Scores, resolved_scores

ScoreMethod = Literal["auto", "t", "cluster", "cluster-law", "wilson"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreEstimate:
    """An agent's score and how far it may be off."""

    agent: str
    """Name of the agent."""

    n: int
    """Questions that entered."""

    trials: int
    """Samples behind them."""

    mean: float
    """Mean over questions; NaN when there is none."""

    se: float
    """Standard error for new questions of this kind; NaN, never 0, when it cannot be estimated."""

    se_fixed: float
    """Standard error for exactly these questions: `sqrt(Σ v_i² s_i²/K_i)` with weights `v_i` (equal: 1/N)."""

    interval: tuple[float, float]
    """Confidence interval for new questions, inside [0, 1]: the claim's; with a method that you chose, its own."""

    level: float
    """Coverage of the interval."""

    method: str
    """How interval and standard error were computed."""

    df: float
    """Degrees of freedom of the t interval; NaN for Wilson's."""

    estimand: Estimand
    """What `mean`, `se` and `interval` are about."""

    clusters: ClusterSummary | None
    """Number of clusters when questions are clustered."""

    reason: str | None
    """Why something is NaN, or None."""

    notes: tuple[str, ...]
    """What a reader must know beside the numbers."""

    claim: MeanClaim | None = field(default=None, compare=False)
    """Both answers, and which of them `interval` is; None where no question counts."""


def score(
    scores: Scores | ResolvedScores, agent: str, *, level: float = 0.95, method: ScoreMethod = "auto"
) -> ScoreEstimate:
    """Estimate one agent's score.

    Args:
        scores: The scores; without `resolve`, those that hold limits, void or missing samples are refused.
        agent: Whose.
        level: Coverage of the interval.
        method: `"t"`: `mean ± t_{N-1} sqrt(S²/N)` over question means, for independent questions and any number of
            samples. `"cluster"`: CR2 with Bell-McCaffrey degrees of freedom. `"cluster-law"`: CR2 with a computed law
            instead of t (see docs/methods/clusters.md). `"wilson"`: Wilson's interval, where the
            yes/no samples of each question agree, as single ones do. `"auto"`: `cluster` when there are clusters, else
            `wilson` where samples agree, else `t`; and its guaranteed answer instead where the rule of `_inference.py`
            says so: for Wilson's, where it covers less than `level - 0.015` at some score that it holds, that of
            Clopper and Pearson. Without a variance to estimate the guaranteed answer is all there is.

    Raises:
        StatisticsError: The agent is unknown, or the method does not fit the data.
    """
    resolved = resolved_scores(scores)
    row = resolved.row(agent)
    check_coverage(level)
    used = resolved.n[row] > 0
    chosen = _choose(resolved, resolved.mean[row, used], method)
    codes = resolved.cluster_codes
    clustered = chosen.startswith("cluster")
    clusters = cluster_summary(codes, used) if clustered and codes is not None else None
    estimate = estimate_mean(resolved, resolved.mean[row], clustered=clustered)
    n, mean, se, df = int(estimate.n), float(estimate.mean), float(estimate.se), float(estimate.df)
    claim = None
    if n and (clusters is None or clusters.clusters > 1):
        columns = np.flatnonzero(used)
        values = resolved.mean[row, columns]
        question = MeanQuestion.of_questions(
            resolved, columns, values, (mean, se, df), clustered=clustered, limits=(0.0, 1.0)
        )
        if chosen == "wilson":
            claim = claim_of_passes(round(mean * n), n, level)
        elif chosen == "cluster-law" and codes is not None and not math.isnan(se):
            half = law_quantile(resolved.mean[row], codes, resolved.weights, level) * se
            claim = question.claim(level, approximate=MeanAnswer(_NAMES[chosen], clipped_interval(mean, half, 0.0)))
        else:
            claim = question.claim(level, name=_NAMES[chosen])
    answer = None if claim is None else claim.answer if method == "auto" or math.isnan(se) else claim.approximate
    se_fixed, fixed_reason = _fixed_error(resolved, row, used)
    warning = clusters.cluster_warning if clusters else None
    return ScoreEstimate(
        agent=agent,
        n=n,
        trials=int(resolved.n[row].sum()),
        mean=mean,
        se=se,
        se_fixed=se_fixed,
        interval=(math.nan, math.nan) if answer is None else answer.interval,
        level=level,
        method=_NAMES[chosen] if answer is None else answer.method,
        df=math.nan if chosen == "wilson" or math.isnan(se) else df,
        estimand=Estimand.NEW_QUESTIONS,
        clusters=clusters,
        reason=_why_no_error(n, se, clusters),
        notes=tuple(note for note in (*resolved.notes, warning, fixed_reason) if note),
        claim=claim,
    )


def score_all(scores: Scores | ResolvedScores, *, level: float = 0.95) -> tuple[ScoreEstimate, ...]:
    """Estimate every agent's score, in the order of `scores.agents`; as `score` does it."""
    resolved = resolved_scores(scores)
    return tuple(score(resolved, agent, level=level) for agent in resolved.agents)


_NAMES = {
    "t": "t interval over questions",
    "cluster": "CR2 over clusters, Bell-McCaffrey t interval",
    "cluster-law": "CR2 over clusters, its law under the estimated correlation",
    "wilson": WILSON,
}


def estimate_mean(resolved: ResolvedScores, values: Floats, *, clustered: bool = True) -> MeanEstimate:
    """Mean over questions of values of shape (..., N), with the weights and the clusters (if any) of the scores."""
    if clustered and resolved.cluster_codes is not None:
        return clustered_mean(values, resolved.cluster_codes, resolved.weights)
    return mean_of_questions(values, resolved.weights)


def cluster_notes(resolved: ResolvedScores, used: NDArray[np.bool_]) -> tuple[str, ...]:
    """The warning about few clusters, if it applies to these questions; a mask of shape (N,)."""
    codes = resolved.cluster_codes
    warning = None if codes is None else cluster_summary(codes, used).cluster_warning
    return () if warning is None else (warning,)


def _choose(
    resolved: ResolvedScores, means: Floats, method: ScoreMethod
) -> Literal["t", "cluster", "cluster-law", "wilson"]:
    undivided = resolved.binary and resolved.weights is None and bool(np.isin(means, (0, 1)).all())
    if method == "auto":
        if resolved.clusters is not None:
            return "cluster"
        return "wilson" if undivided else "t"
    if method.startswith("cluster") and resolved.clusters is None:
        raise StatisticsError(f"method {method!r} needs clusters; give them with Scores.with_clusters")
    if method == "wilson" and not undivided:
        raise StatisticsError(
            "Wilson's interval needs yes/no samples that agree at each question, and equal weights; use 't'"
        )
    return method


def _why_no_error(n: int, se: float, clusters: ClusterSummary | None) -> str | None:
    if not math.isnan(se):
        return None
    if n == 0:
        return "no question has a sample that counts"
    if n == 1:
        return "one question; the standard error needs two"
    if clusters is not None and clusters.clusters < 2:
        return "all questions are in one cluster; the standard error needs two"
    return f"all {n} questions have the same value, so that their variance cannot be estimated"


def _fixed_error(resolved: ResolvedScores, row: int, used: NDArray[np.bool_]) -> tuple[float, str | None]:
    samples = resolved.n[row, used]
    single = int((samples < 2).sum())
    if single or not used.any():
        return math.nan, (
            f"{single} of {samples.size} questions have a single sample: no error bar for exactly these questions"
        )
    variance = fixed_variance(resolved, np.array([row]), np.flatnonzero(used))
    if variance == 0.0:
        return math.nan, "no two samples of a question disagree: no error bar for exactly these questions"
    return math.sqrt(variance), None


def fixed_variance(resolved: ResolvedScores, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> float:
    """Variance of one agent's mean, or of a pair's difference, when exactly these questions are asked again."""
    weights = np.ones(columns.size) if resolved.weights is None else resolved.weights[columns]
    block = np.ix_(rows, columns)
    return float(((weights / weights.sum()) ** 2 * resolved.within[block] / resolved.n[block]).sum())
