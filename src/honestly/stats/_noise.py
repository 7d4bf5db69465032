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
small N, unequal K and K = 1 that its implementation lacks.

Intervals at 95%, with the coverage measured for 17 to 500 questions (tests/stats/test_simulations.py):

- prediction of a pair, and its total: jackknife over questions (Efron & Stein 1981), 94 to 96%;
- prediction of one agent's yes/no results: `bounded_interval`, because variances within questions are skewed and at
  most 1/4 K/(K-1); 94 to 96%, where a jackknife covers 92.6%;
- data: `variance_less_noise`, 93 to 97% for middling scores, where a jackknife covers 88 to 96%. Where the answer
  depends on questions too rare to be in the sample (true scores near 0 or 1 on nearly all questions) that one covers 65
  to 96%; there yes/no results have, with a note, what the intervals of total and prediction leave: 97 to 100%;
- total of one agent's yes/no results, `μ(1-μ)`: the image of the score's interval, because a jackknife covers too
  little near the maximum. Of a pair that seldom differs: from Wilson's interval of how often it does.

Not covered: weights, for which components are refused; clusters, which they do not see.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._intervals import bounded_interval, mean_interval, near_the_edge, wilson_interval
from honestly.stats._means import mean_of_questions
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores
from honestly.stats._score import score
from honestly.stats._special import normal_ppf, t_quantile

Floats = NDArray[np.float64]
_NAN = (math.nan, math.nan)
_SAME = 1e-12  # a variance below this is rounding
_FEW_OTHERS = 5
_LEAST = 3  # questions, for an interval


@dataclass(frozen=True, slots=True)
class VarianceComponent:
    """One part of the variance of a single sample's score, per question."""

    value: float
    """Unbiased estimate; NaN when not identified, possibly negative for data variance."""

    jackknife_se: float
    """Its standard error by leaving out one question at a time; NaN, never 0, when that changes nothing."""

    interval: tuple[float, float]
    """`value ± t · jackknife_se`; for data variance skewed to the right, see `variance_less_noise`. For one agent's
    yes/no results that of the total is the image of the score's interval, and that of prediction keeps to its range."""


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
    """Coverage of intervals."""

    estimand: Estimand
    """What the variances are about."""

    reason: str | None
    """Why something is NaN, or None."""

    notes: tuple[str, ...] = ()
    """What a reader must know beside the numbers."""

    @property
    def se_prediction(self) -> float:
        """Standard error from prediction noise alone, at one sample per question."""
        return self._root_per_question(self.prediction.value)

    @property
    def se_data(self) -> float:
        """Standard error from the draw of questions alone; NaN for a negative estimate."""
        return self._root_per_question(self.data.value)

    @property
    def se_total(self) -> float:
        """Standard error at one sample per question."""
        return self._root_per_question(self.total.value)

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
        return self._root_per_question(self.data.value + noise)

    def _root_per_question(self, variance: float) -> float:
        return math.sqrt(variance / self.n) if variance >= 0 and self.n else math.nan


def noise_components(resolved: ResolvedScores, agent: str, *, level: float = 0.95) -> NoiseComponents:
    """Divide the noise of one agent's score into prediction and data.

    Args:
        resolved: The scores.
        agent: Whose.
        level: Coverage of the intervals.

    Raises:
        StatisticsError: There is no such agent.
    """
    row = resolved.row(agent)
    parts = _divided_noise(resolved, np.array([row]), np.flatnonzero(resolved.n[row] > 0), level)
    means, samples = (values[row, resolved.n[row] > 0] for values in (resolved.mean, resolved.n))
    others = int(min((means > 0.5).sum(), (means < 0.5).sum()))
    against = f"{others} of {parts.n} questions go against the rest (on the other side of one half)"
    if not resolved.binary or math.isnan(parts.total.value):
        rough = not math.isnan(parts.data.value) and others < _FEW_OTHERS
        less = f"{against}: the interval of the data variance can cover less than it says"
        return replace(parts, notes=(less,) if rough else ())
    low, high = score(resolved, agent, level=level).interval
    nearest_half = min(max(0.5, low), high)
    image = [end * (1.0 - end) for end in (low, high, nearest_half)]
    # The unbiased estimate can exceed 1/4 by a factor N/(N-1); the interval still contains it.
    total = replace(parts.total, interval=(min(*image, parts.total.value), max(*image, parts.total.value)))
    parts = replace(parts, prediction=_within_range(parts, (samples,), level), total=total)
    return _by_bounds(parts, against) if others < _FEW_OTHERS else parts


def _by_bounds(parts: NoiseComponents, why: str) -> NoiseComponents:
    """The data variance with the interval that those of total and prediction leave to it, whatever was not drawn."""
    if math.isnan(parts.prediction.value) or parts.n < _LEAST:
        return parts
    (low, high), (least, most) = parts.total.interval, parts.prediction.interval
    note = f"{why}: the interval of the data variance is what those of total and prediction leave, and wide"
    data = replace(parts.data, interval=(low - most, max(0.0, high - least)))
    still = [name for name in ("prediction", "data", "total") if math.isnan(getattr(parts, name).jackknife_se)]
    reason = f"no question left out changes anything: no standard error of {', '.join(still)}" if still else None
    return replace(parts, data=data, notes=(note,), reason=reason)


def _within_range(parts: NoiseComponents, samples: tuple[NDArray[np.int64], ...], level: float) -> VarianceComponent:
    """The prediction variance of yes/no results with an interval that knows how large it can be."""
    found, n = parts.prediction, parts.n
    if math.isnan(found.value):
        return found
    largest = sum(float(largest_within(each).mean()) for each in samples)
    low, high = bounded_interval(found.value, found.jackknife_se, n - 1.0, largest, n, level)
    return replace(found, interval=(float(low), float(high)))


def largest_within(samples: NDArray[np.int64]) -> Floats:
    """The largest variance (ddof 1) that so many yes/no samples of a question can show: half of them pass."""
    return np.asarray((samples // 2) * (samples - samples // 2) / (samples * (samples - 1.0)))


def paired_noise(resolved: ResolvedScores, a: str, b: str, *, level: float = 0.95) -> NoiseComponents:
    """Divide the noise of the difference `a - b` on the questions that both have.

    Assumes that the two were sampled independently given the question; refused for declared shared samples.

    Raises:
        StatisticsError: An agent is unknown, or both are the same.
    """
    rows, columns = pair_columns(resolved, a, b)
    parts = _divided_noise(resolved, rows, columns, level)
    if not resolved.binary or math.isnan(parts.total.value) or parts.n < _LEAST:
        return parts
    # For yes/no results the total is how often two samples differ, less the squared difference of the scores.
    (one, other), samples = resolved.mean[np.ix_(rows, columns)], resolved.n[np.ix_(rows, columns)]
    apart = mean_of_questions(one * (1.0 - other) + other * (1.0 - one))
    share, error = float(apart.mean), float(apart.se)
    few = parts.n * min(share, 1.0 - share) < _FEW_OTHERS
    if not (few or math.isnan(error) or near_the_edge(share, error)):
        return parts
    low, high = mean_interval(share, error, apart.df, level, questions=parts.n)
    if math.isnan(error):
        low, high = wilson_interval(share * parts.n, parts.n, level)
    ends = max(0.0, parts.total.value - share + float(low)), parts.total.value - share + float(high)
    total = replace(parts.total, interval=ends)
    parts = replace(parts, total=total, prediction=_within_range(parts, (samples[0], samples[1]), level))
    return _by_bounds(parts, "few results tell the two apart, or few are the same")


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


def _divided_noise(
    resolved: ResolvedScores, rows: NDArray[np.int64], columns: NDArray[np.int64], level: float
) -> NoiseComponents:
    names, n = tuple(resolved.agents[row] for row in rows), int(columns.size)
    block = np.ix_(rows, columns)
    means, samples = resolved.mean[block], resolved.n[block]
    within = np.where(samples > 1, resolved.within[block], 0.0)
    single = samples < 2
    # Why not even the total can be had, or None.
    if n < 2:
        refused = f"{n} question{'s' * (n != 1)}; at least two are needed"
    elif resolved.weights is not None:
        refused = "the questions have unequal weights, for which noise components are not defined"
    elif len(names) == 2 and any(set(names) <= group for group in resolved.shared_samples):
        refused = "the two agents share samples, so that their prediction noise cannot be told from the questions'"
    else:
        refused = None
    reason = refused or _unidentified(int(np.any(single, axis=0).sum()), n)
    absent = VarianceComponent(math.nan, math.nan, _NAN)
    prediction = data = total = absent
    by_agent = (math.nan,) * len(rows)
    if refused is None:
        value = means[0] if len(rows) == 1 else means[0] - means[1]
        total = _variance_component(value, (within * (1.0 - 1.0 / samples)).sum(axis=0), level)
        by_agent = tuple(math.nan if single[j].any() else float(within[j].mean()) for j in range(len(rows)))
        if reason is None:
            prediction = _variance_component(None, within.sum(axis=0), level)
            data = _variance_component(value, -(within / samples).sum(axis=0), level)
            low, high = variance_less_noise(value, (within / samples).sum(axis=0), level)
            data = replace(data, interval=(float(low), float(high)))
        reason = reason or _without_interval((prediction, data, total), n)
    return NoiseComponents(names, n, prediction, data, total, by_agent, level, Estimand.NEW_QUESTIONS, reason)


def _unidentified(single: int, n: int) -> str | None:
    """Why prediction and data cannot be told apart, or None when they can."""
    if not single:
        return None
    return (
        f"{single} of {n} questions have a single sample, which shows only the total: prediction and data noise "
        "cannot be told apart"
    )


def _without_interval(parts: tuple[VarianceComponent, ...], n: int) -> str | None:
    """Why an estimate has no interval, or None when each has one."""
    if not any(math.isnan(part.interval[0]) for part in parts):
        return None
    if n < _LEAST:
        return f"{n} questions; intervals need at least three"
    return f"all {n} questions gave the same, so that no interval can be had"


def _variance_component(value: Floats | None, addend: Floats, level: float) -> VarianceComponent:
    estimate, jackknife = jackknifed_variance(value, addend)
    se = float(jackknife) if jackknife > _SAME else math.nan
    half = t_quantile(level, addend.size - 1.0) * se
    return VarianceComponent(float(estimate), se, (float(estimate) - half, float(estimate) + half))


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


def variance_less_noise(value: Floats, noise: Floats, level: float) -> tuple[Floats, Floats]:
    """Interval for `Var_i(value_i) - mean_i(noise_i)`, a variance estimate less the noise that it contains.

    The estimate of a small variance is skewed to the right, and its jackknife error is small when it is itself small,
    so that `± t · SE` ends too low. Here each part gets its own interval: the mean noise `w ± t · SE_w`, the variance
    S² on log scale, with `r = SE(S²)/S²`, z the normal quantile and `c = N / max(1, N - z)`,

        from `S² exp(-t r)` to `c S² exp(z c r)`,

    and the two are joined with the covariance of S² and w ("MOVER"): each end lies `sqrt(a² + b² - 2 ρ a b)` from the
    estimate, a and b being how far that end of S² and the opposite end of w lie from theirs. All standard errors and ρ
    are those of the jackknife. Negative estimates and lower ends are kept.

    Args:
        value: Question values, shape (..., N), none missing.
        noise: Variance of the error of each value, shape (..., N).
        level: Coverage.

    Returns:
        Both ends, shape (...); NaN where N < 3 or all values are the same.

    Source: Zou & Donner 2008, Statistics in Medicine 27:1693 (MOVER); Bonett 2006, Computational Statistics & Data
    Analysis 50:775 (upper end; its lower end has c, too, which for bounded scores comes out too high: 90% in
    simulations), with the jackknife for his pooled kurtosis.
    """
    n = value.shape[-1]
    t, z = t_quantile(level, n - 1.0), float(normal_ppf(0.5 + level / 2))
    estimate, se = jackknifed_variance(value, -noise)
    spread, se_spread = jackknifed_variance(value, np.zeros_like(noise))
    _, se_noise = jackknifed_variance(None, noise)
    known = spread > _SAME
    ratio = np.divide(se_spread, spread, out=np.full_like(spread, np.nan), where=known)
    shift = n / max(1.0, n - z)
    covariance = 0.5 * (se_spread**2 + se_noise**2 - se**2)
    ends = []
    for sign, factor in ((-1.0, np.exp(-t * ratio)), (1.0, shift * np.exp(z * shift * ratio))):
        reach = np.abs(factor - 1.0) * spread
        slope = np.divide(reach, se_spread, out=np.zeros_like(reach), where=se_spread > _SAME)
        square = reach**2 + (t * se_noise) ** 2 - 2.0 * slope * t * covariance
        ends.append(estimate + sign * np.sqrt(np.maximum(square, 0.0)))
    return ends[0], ends[1]
