"""Where the noise of a score comes from: the draw of samples (prediction) or the draw of questions (data).

Per question and one sample, `total = data + prediction`. More samples shrink the prediction part, only more questions
shrink the data part; the division tells which to buy. All three are unbiased in the number of questions and of samples,
which may differ from cell to cell. A negative data variance is an honest estimate of a small one and is kept.

With notation `ȳ_i` question mean, `s_i²` within-question variance (ddof=1), `K_i` samples, `w = mean_i(s_i²/K_i)`,
`S² = Var_i(ȳ_i)` (ddof=1):

- one agent: prediction `mean_i s_i²`, data `S² - w`, total `S² + mean_i s_i²(1 - 1/K_i)`;
- a pair, with `S_D²` of the differences: prediction `V_pA + V_pB`, data `S_D² - w_A - w_B`,
  total `S_D² + mean_i s_Ai²(1 - 1/K_Ai) + mean_i s_Bi²(1 - 1/K_Bi)`.

A single sample adds nothing to the last sum, so the total is known for every mixture of K; prediction and data need two
samples in every cell (`ResolvedScores.repeated` keeps the questions that have them).

Source: the law of total variance; Miller 2024 (arXiv 2411.00640) §3; Wang 2025 (eval-arena), with the corrections for
small N, unequal K and K = 1 that its implementation lacks. Intervals: jackknife over questions (Efron & Stein 1981);
in simulations they cover 93 to 96% from 80 questions on, and down to 90% for the data variance of a pair with 20. The
total of one agent's yes/no results is `μ(1-μ)`, near whose maximum a jackknife covers too little; its interval is the
image of the score's. Not covered: weights, for which components are refused; clusters, which they do not see.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._estimand import Estimand
from honestly.stats._resolved import ResolvedScores
from honestly.stats._score import score
from honestly.stats._special import t_quantile

__all__ = ["NoiseComponents", "VarianceComponent", "noise", "pair_columns", "paired_noise"]

Floats = NDArray[np.float64]
_NAN = (math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class VarianceComponent:
    """One part of the variance of a single sample's score, per question."""

    value: float
    """Unbiased estimate; NaN when not identified, possibly negative for data variance."""

    jackknife_se: float
    """Its standard error by leaving out one question at a time."""

    interval: tuple[float, float]
    """`value ± t · jackknife_se`; for the total of one agent's yes/no results the image of the score's interval."""


@dataclass(frozen=True, slots=True)
class NoiseComponents:
    """Prediction, data and total variance of one agent's score, or of the difference of a pair."""

    agents: tuple[str, ...]
    """One agent, or the pair (a, b)."""

    n: int
    """Questions that entered."""

    prediction: VarianceComponent
    """Variance from sampling the agent again on the same question."""

    data: VarianceComponent
    """Variance from drawing other questions, with the agent's noise averaged out."""

    total: VarianceComponent
    """Variance of the score of one sample of one question."""

    prediction_by_agent: tuple[float, ...]
    """`mean_i s_i²` of each agent; they add up to `prediction`."""

    level: float
    """Coverage of the intervals."""

    estimand: Estimand
    """What the variances are about."""

    reason: str | None
    """Why something is NaN, or None."""

    @property
    def se_prediction(self) -> float:
        """Standard error from prediction noise alone, at one sample per question."""
        return self._root(self.prediction.value)

    @property
    def se_data(self) -> float:
        """Standard error from the draw of questions alone; NaN for a negative estimate."""
        return self._root(self.data.value)

    @property
    def se_total(self) -> float:
        """Standard error at one sample per question."""
        return self._root(self.total.value)

    @property
    def intraclass_correlation(self) -> float:
        """`data / total`: how much of a single result is the question rather than luck."""
        return self.data.value / self.total.value if self.total.value > 0 else math.nan

    def se_if_rerun(self, *samples: float) -> float:
        """Standard error with this many samples per question: `sqrt((V_data + Σ_j V_pj / K'_j) / N)`.

        Args:
            samples: One number per agent, or one for all; `math.inf` gives the floor that no rerun can beat.

        Raises:
            StatisticsError: Their number fits neither, or one is below 1.
        """
        if len(samples) == 1:
            samples = samples * len(self.agents)
        if len(samples) != len(self.agents) or not all(k >= 1 for k in samples):
            raise StatisticsError(
                f"give one number of samples of at least 1 for each of {self.agents}; found {samples}"
            )
        noise = sum(variance / k for variance, k in zip(self.prediction_by_agent, samples, strict=True))
        return self._root(self.data.value + noise)

    def _root(self, variance: float) -> float:
        return math.sqrt(variance / self.n) if variance >= 0 and self.n else math.nan


def noise(resolved: ResolvedScores, agent: str, *, level: float = 0.95) -> NoiseComponents:
    """Divide the noise of one agent's score into prediction and data.

    Args:
        resolved: The scores.
        agent: Whose.
        level: Coverage of the jackknife intervals.

    Raises:
        StatisticsError: There is no such agent.
    """
    row = resolved.row(agent)
    parts = _divide(resolved, np.array([row]), np.flatnonzero(resolved.n[row] > 0), level)
    if not resolved.binary or math.isnan(parts.total.value):
        return parts
    low, high = score(resolved, agent, level=level).interval
    nearest_half = min(max(0.5, low), high)
    image = [end * (1.0 - end) for end in (low, high, nearest_half)]
    # The unbiased estimate can exceed 1/4 by a factor N/(N-1); the interval still contains it.
    interval = (min(*image, parts.total.value), max(*image, parts.total.value))
    return replace(parts, total=replace(parts.total, interval=interval))


def paired_noise(resolved: ResolvedScores, a: str, b: str, *, level: float = 0.95) -> NoiseComponents:
    """Divide the noise of the difference `a - b` on the questions that both have.

    Assumes that the two were sampled independently given the question; refused for declared shared samples.

    Raises:
        StatisticsError: An agent is unknown, or both are the same.
    """
    rows, columns = pair_columns(resolved, a, b)
    return _divide(resolved, rows, columns, level)


def pair_columns(resolved: ResolvedScores, a: str, b: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of a pair and columns of the questions that both have.

    Raises:
        StatisticsError: An agent is unknown, or compared with itself.
    """
    rows = np.array([resolved.row(a), resolved.row(b)])
    if rows[0] == rows[1]:
        raise StatisticsError(
            f"{a!r} cannot be compared with itself: the same samples on both sides cancel, and every error bar with "
            "them. To compare two runs of one agent, import them under two names"
        )
    return rows, np.flatnonzero(np.all(resolved.n[rows] > 0, axis=0))


def _divide(
    resolved: ResolvedScores, rows: NDArray[np.int64], columns: NDArray[np.int64], level: float
) -> NoiseComponents:
    names, n = tuple(resolved.agents[row] for row in rows), int(columns.size)
    block = np.ix_(rows, columns)
    means, samples = resolved.mean[block], resolved.n[block]
    within = np.where(samples > 1, resolved.within[block], 0.0)
    single = samples < 2
    refused = _refusal(resolved, names, n)
    reason = refused or _unidentified(int(np.any(single, axis=0).sum()), n)
    absent = VarianceComponent(math.nan, math.nan, _NAN)
    prediction = data = total = absent
    by_agent = (math.nan,) * len(rows)
    if refused is None:
        value = means[0] if len(rows) == 1 else means[0] - means[1]
        total = _component(value, (within * (1.0 - 1.0 / samples)).sum(axis=0), level)
        by_agent = tuple(math.nan if single[j].any() else float(within[j].mean()) for j in range(len(rows)))
        if reason is None:
            prediction = _component(None, within.sum(axis=0), level)
            data = _component(value, -(within / samples).sum(axis=0), level)
    return NoiseComponents(names, n, prediction, data, total, by_agent, level, Estimand.NEW_QUESTIONS, reason)


def _refusal(resolved: ResolvedScores, names: tuple[str, ...], n: int) -> str | None:
    """Why not even the total can be had, or None."""
    if n < 2:
        return f"{n} questions; at least two are needed"
    if resolved.weights is not None:
        return "the questions have unequal weights, for which noise components are not defined"
    if len(names) == 2 and any(set(names) <= group for group in resolved.shared_samples):
        return "the two agents share samples, so that their prediction noise cannot be told from the questions'"
    return None


def _unidentified(single: int, n: int) -> str | None:
    """Why prediction and data cannot be told apart, or None when they can."""
    if not single:
        return None
    return (
        f"{single} of {n} questions have a single sample, which shows only the total: prediction and data noise "
        "cannot be told apart"
    )


def _component(value: Floats | None, addend: Floats, level: float) -> VarianceComponent:
    estimate, se = jackknifed_variance(value, addend)
    half = t_quantile(level, addend.size - 1.0) * float(se)
    return VarianceComponent(float(estimate), float(se), (float(estimate) - half, float(estimate) + half))


def jackknifed_variance(value: Floats | None, addend: Floats) -> tuple[Floats, Floats]:
    """`Var_i(value_i) + mean_i(addend_i)` and its jackknife standard error over questions, in closed form.

    Args:
        value: Question values, shape (..., N), none missing; None leaves the variance out.
        addend: Per-question corrections, shape (..., N).

    Returns:
        Estimates and standard errors, shape (...); the standard error is NaN for fewer than three questions.
    """
    n = addend.shape[-1]
    total = addend.sum(axis=-1, keepdims=True)
    estimate, left_out = addend.mean(axis=-1), (total - addend) / (n - 1)
    if value is not None:
        deviation = value - value.mean(axis=-1, keepdims=True)
        squares = (deviation**2).sum(axis=-1, keepdims=True)
        estimate = estimate + squares[..., 0] / (n - 1)
        if n > 2:
            # Leaving out question i takes deviation_i² n/(n-1) off the sum of squares.
            left_out = left_out + (squares - deviation**2 * n / (n - 1)) / (n - 2)
    if n < 3:
        return estimate, np.full_like(estimate, np.nan)
    spread = ((left_out - left_out.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    return estimate, np.sqrt((n - 1) / n * spread)
