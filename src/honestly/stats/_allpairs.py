"""Every pair of agents at once: differences, standard errors, p-values and noise components as matrices.

The sum over questions of `(y_a - y_b)²` is `Σ y_a² + Σ y_b² - 2 Σ y_a y_b`, so that a few matrix products give what a
loop over pairs would, also when agents lack questions. Where that subtraction would cost digits (two nearly identical
agents) the pair is computed directly. Results equal those of `compare` to rounding.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honestly.stats._any_law import AnyLaw
from honestly.stats._inference import CONDITIONAL, assumptions, is_plain, room, room_p_value, shape_of, sign_p_value
from honestly.stats._matched_passes import matched_interval, matched_p_value
from honestly.stats._means import FEW_CLUSTERS, MeanEstimate, cluster_sums, clustered_mean, mean_of_questions
from honestly.stats._multiplicity import SignificanceCounts, benjamini_hochberg, count_significant, holm_adjusted
from honestly.stats._policy import Estimand
from honestly.stats._resolved import ResolvedScores
from honestly.stats._scores import Scores, resolved_scores
from honestly.stats._special import t_quantile, t_two_sided

Floats = NDArray[np.float64]

_CANCELLED = 1e-6  # a smaller share of the squares has lost ten digits in the subtraction
_SAME = 1e-12
_CHUNK = 4_000_000  # numbers held at once: 32 MB


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Paired differences of all agents. Matrices of shape (agents, agents); the diagonal is NaN.

    Entry (i, j) is about `agents[i] - agents[j]`; an agent is never compared with itself.
    """

    agents: tuple[str, ...]

    n: NDArray[np.int64]
    """Questions that both have."""

    difference: Floats
    """Mean over questions of the difference; antisymmetric."""

    se: Floats
    """Standard error for new questions; NaN, never 0, when it cannot be estimated."""

    df: Floats
    """Degrees of freedom of `difference / se`."""

    p_value: Floats
    """Two-sided p-value; symmetric to the last bit."""

    p_holm: Floats
    """After Holm over all pairs."""

    p_bh: Floats
    """After Benjamini-Hochberg over all pairs."""

    prediction: Floats
    """Prediction variance of the difference; NaN where a cell has a single sample."""

    data: Floats
    """Data variance of the difference; NaN where a cell has a single sample."""

    total: Floats
    """Variance of the difference of one sample each."""

    method: str
    """How the p-values were computed."""

    estimand: Estimand
    """What the differences and their errors are about."""

    notes: tuple[str, ...]
    """What a reader must know beside the numbers."""

    law_free: NDArray[np.bool_]
    """Pairs whose p-value holds for every law: McNemar's, of single passes and failures."""

    resolved: ResolvedScores
    """The scores that were compared."""

    apart: NDArray[np.bool_] | None = None
    """Pairs that cannot be compared, as where two agents had other limits: nothing is said of them."""

    @cached_property
    def headline_p(self) -> Floats:
        """Two-sided p-values of what is said of each pair, by the rule of `_inference.py`.

        Costs a millisecond for each pair whose guaranteed p-value it is.
        """
        with np.errstate(invalid="ignore"):
            roomy = np.fmax(self.p_value, room_p_value(self.difference, 0.0, self._units[0], (-1.0, 1.0)))
        p_value = np.where(self._rule == "with room", roomy, self.p_value)
        for i, j in zip(*np.nonzero(np.triu(self._rule == "guaranteed", 1)), strict=True):
            found = min(1.0, 2 * min(self._any_law(i, j).tail_probabilities(0.0)))
            p_value[i, j] = p_value[j, i] = np.fmax(p_value[i, j], found)
        return np.where(self._unsaid, np.nan, p_value)

    def headline_interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper ends of what is said of each pair, as `compare` has them; not simultaneous.

        Costs some milliseconds for each pair whose guaranteed interval it is.
        """
        low, high = self.interval(level)
        least, most = room(self.difference, self._units[0], level, (-1.0, 1.0))
        roomy = self._rule == "with room"
        low, high = np.where(roomy, np.minimum(low, least), low), np.where(roomy, np.maximum(high, most), high)
        for i, j in zip(*np.nonzero(np.triu(self._rule == "guaranteed", 1)), strict=True):
            bottom, top = self._any_law(i, j).bounds((1 - level) / 2)
            gap = self.difference[i, j]
            low[i, j], high[i, j] = np.fmin(min(bottom, gap), low[i, j]), np.fmax(max(top, gap), high[i, j])
            low[j, i], high[j, i] = -high[i, j], -low[i, j]
        rows, columns = np.nonzero(np.triu(self.law_free, 1))
        if rows.size:
            wins = np.nansum(self.resolved.mean[rows] > self.resolved.mean[columns], axis=1)
            losses = np.nansum(self.resolved.mean[rows] < self.resolved.mean[columns], axis=1)
            low[rows, columns], high[rows, columns] = matched_interval(wins, losses, self.n[rows, columns], level)
            low[columns, rows], high[columns, rows] = -high[rows, columns], -low[rows, columns]
        return np.where(self._unsaid, np.nan, low), np.where(self._unsaid, np.nan, high)

    @property
    def _unsaid(self) -> NDArray[np.bool_]:
        """Pairs of which nothing can be said: they cannot be compared, or samples of one seem to depend on results."""
        each = np.array([agent in self.resolved.result_driven for agent in self.agents])
        return np.asarray(each[:, None] | each | (False if self.apart is None else self.apart))

    @property
    def headline_holm(self) -> Floats:
        """P-values of the headline after Holm's correction over all pairs."""
        return self.symmetric(holm_adjusted(self.upper(self.headline_p)))

    @cached_property
    def is_law_free(self) -> NDArray[np.bool_]:
        """Pairs whose headline takes no law of differences for granted."""
        return np.asarray(self.law_free | (self._rule == "guaranteed"))

    def verdicts(self, alpha: float = 0.05, *, family: bool = False) -> NDArray[np.object_]:
        """How strongly each pair is shown to differ, as `compare` says it; with `family`, after Holm over all pairs."""
        with np.errstate(invalid="ignore"):
            # As `MeanQuestion.claim` has it; without an error all differences are the same.
            alone = np.where(np.isnan(self.se) & (np.abs(self.difference) > _SAME), 0.0, self.p_value)
            by_t = np.where(self.law_free, self.p_value, np.fmax(alone, sign_p_value(self._units[3])))
        by_t = np.where(self._unsaid | (self.n < 2), math.nan, by_t)
        shown, by_t = (
            (self.symmetric(holm_adjusted(self.upper(p))) if family else p) <= alpha for p in (self.headline_p, by_t)
        )
        known = self.n > 1
        found = np.full(self.n.shape, "cannot tell", dtype=object)
        found[known & by_t], found[known & shown] = CONDITIONAL, "shown"
        return found

    def assumed(self, i: int, j: int) -> tuple[str, ...]:
        """What is taken for granted of a pair."""
        return assumptions(is_law_free=bool(self.is_law_free[i, j]))

    @cached_property
    def _rule(self) -> NDArray[np.str_]:
        """Which answer is said of each pair, as `MeanQuestion.claim` decides it; empty without a common question."""
        effective, skewed, spread, _ = self._units
        with np.errstate(invalid="ignore"):
            plain, estimable = is_plain(skewed, spread, effective), self.se > 0
            few = (effective < FEW_CLUSTERS) & (self._codes is not None)
        kind = np.where(estimable & plain & ~few, "with room", "guaranteed")
        both = np.where(np.triu(np.ones(kind.shape, dtype=np.bool_), 1), kind, kind.T)
        return np.where(self.law_free, "approximate", np.where((self.n > 0) & ~np.eye(len(kind), dtype=bool), both, ""))

    @cached_property
    def _units(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Independent units of equal weight that each pair has in common, their differences' shape, and their count."""
        mean, codes = self.resolved.mean, self._codes
        weights = np.ones(mean.shape[1]) if self.resolved.weights is None else self.resolved.weights
        order = np.arange(mean.shape[1]) if codes is None else np.argsort(codes, kind="stable")
        starts = order if codes is None else np.flatnonzero(np.diff(codes[order], prepend=-1))
        if not np.isnan(mean).any():
            share = np.add.reduceat(weights[order], starts)
            units = np.add.reduceat((mean * weights)[:, order], starts, axis=1) / share
            effective = np.full(self.n.shape, share.sum() ** 2 / (share**2).sum())
            return effective, *_pair_shapes(units, share), np.full(self.n.shape, float(share.size))
        effective, skewed, spread, count = (np.full(self.n.shape, np.nan) for _ in range(4))
        for i in range(len(mean) - 1):
            differences = (mean[i] - mean[i + 1 :])[:, order]
            share = ~np.isnan(differences) * weights[order]
            units = np.where(share > 0, differences, 0.0)
            if codes is not None:
                units, share = np.add.reduceat(units * share, starts, axis=1), np.add.reduceat(share, starts, axis=1)
                units = np.divide(units, share, out=np.zeros_like(units), where=share > 0)
            with np.errstate(invalid="ignore", divide="ignore"):
                count[i, i + 1 :] = (share > 0).sum(axis=1)
                effective[i, i + 1 :] = share.sum(axis=1) ** 2 / (share**2).sum(axis=1)
                skewed[i, i + 1 :], spread[i, i + 1 :] = shape_of(units, share)
        effective, count = (np.where(np.isnan(each), each.T, each) for each in (effective, count))
        return effective, skewed, spread, count

    @property
    def _codes(self) -> NDArray[np.int64] | None:
        return self.resolved.cluster_codes if "clusters" in self.method else None

    def _any_law(self, i: int, j: int) -> AnyLaw:
        differences = self.resolved.mean[i] - self.resolved.mean[j]
        held = ~np.isnan(differences)
        weights, codes = (None if part is None else part[held] for part in (self.resolved.weights, self._codes))
        return AnyLaw(differences[held], weights, codes)

    @property
    def statistic(self) -> Floats:
        """`difference / se`."""
        return self.difference / self.se

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs (a, b) in the order of `upper`."""
        rows, columns = np.triu_indices(len(self.agents), 1)
        return [(self.agents[i], self.agents[j]) for i, j in zip(rows.tolist(), columns.tolist(), strict=True)]

    def upper(self, matrix: Floats) -> Floats:
        """The entries of a matrix above its diagonal, one for each pair."""
        return matrix[np.triu_indices(len(self.agents), 1)]

    def symmetric(self, values: Floats) -> Floats:
        """A matrix with these values, one for each pair, above its diagonal and below."""
        return _symmetric_matrix(values, len(self.agents))

    def counts(self, alpha: float = 0.05) -> SignificanceCounts:
        """How many pairs differ significantly: each taken alone, after Holm, after Benjamini-Hochberg."""
        return count_significant(self.upper(self.p_value), alpha)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Lower and upper ends of each pair's own t interval, inside [-1, 1]; not simultaneous.

        NaN without a standard error, where `compare` has an interval from the bounds of a difference alone.
        """
        distinct, place = np.unique(self.df, return_inverse=True)
        quantiles = np.array([t_quantile(level, df) if df > 0 else math.nan for df in distinct.tolist()])
        half = quantiles[place].reshape(self.df.shape) * self.se
        return np.maximum(self.difference - half, -1.0), np.minimum(self.difference + half, 1.0)


def compare_all(scores: Scores | ResolvedScores, *, method: Literal["auto", "t"] = "auto") -> AllPairs:
    """Compare all agents with one another, each pair on the questions that both have.

    Args:
        scores: The scores of A agents on N questions; without `resolve`, those that hold limits, void or missing
            samples are refused. Time is about A² N multiplications.
        method: `"t"`: paired t test over questions. `"auto"`: CR2 with Bell-McCaffrey degrees of freedom when there are
            clusters, else McNemar for pairs whose yes/no samples agree in every cell, else t.
    """
    resolved = resolved_scores(scores)
    table = _Table(resolved)
    clustered = method == "auto" and resolved.clusters is not None
    estimate = table.plain()
    if resolved.weights is not None or clustered:
        estimate = _pairwise_estimate(resolved, clustered=clustered)
    name, p_upper, single = _pair_tests(table, estimate, auto=method == "auto", clustered=clustered)
    prediction, data, total = table.variance_components()
    for group in resolved.shared_samples:
        rows = [resolved.row(agent) for agent in resolved.agents if agent in group]
        for matrix in (prediction, data, total):
            matrix[np.ix_(rows, rows)] = math.nan
    for matrix in (estimate.mean, estimate.se, estimate.df, prediction, data, total):
        np.fill_diagonal(matrix, math.nan)
    agents = len(resolved.agents)
    found = AllPairs(
        agents=resolved.agents,
        n=estimate.n,
        difference=estimate.mean,
        se=estimate.se,
        df=estimate.df,
        p_value=_symmetric_matrix(p_upper, agents),
        p_holm=_symmetric_matrix(holm_adjusted(p_upper), agents),
        p_bh=_symmetric_matrix(benjamini_hochberg(p_upper), agents),
        prediction=prediction,
        data=data,
        total=total,
        method=name,
        estimand=Estimand.NEW_QUESTIONS,
        notes=resolved.notes,
        law_free=single,
        resolved=resolved,
    )
    unknown = np.isnan(found.p_value) & (found.n > 0) & np.isnan(found.se)
    if not np.triu(unknown, 1).any():
        return found
    # Without a variance to estimate, as where one passes all and the other none, the guaranteed answer is all there is.
    p_upper = np.where(np.isnan(p_upper), found.upper(found.headline_p), p_upper)
    return replace(
        found,
        p_value=_symmetric_matrix(p_upper, agents),
        p_holm=_symmetric_matrix(holm_adjusted(p_upper), agents),
        p_bh=_symmetric_matrix(benjamini_hochberg(p_upper), agents),
    )


def _pair_shapes(units: Floats, share: Floats) -> tuple[Floats, Floats]:
    """The shapes of the differences of all pairs of rows, as `shape_of` has them: sums of powers as matrix products."""
    each = share / share.sum()
    centred = units - (units @ each)[:, None]
    one, two, three, four = ((centred**power) for power in (1, 2, 3, 4))
    squares, cubes, fourths = two @ each, three @ each, four @ each
    variance = np.maximum(squares[:, None] + squares - 2 * (one * each) @ one.T, 0.0)
    mixed, cubic, even = (two * each) @ one.T, (three * each) @ one.T, (two * each) @ two.T
    third = cubes[:, None] - cubes - 3 * mixed + 3 * mixed.T
    fourth = fourths[:, None] + fourths - 4 * cubic - 4 * cubic.T + 6 * even
    with np.errstate(invalid="ignore", divide="ignore"):
        skewed = np.abs(third) / variance**1.5
        return np.asarray(skewed), np.asarray(fourth / variance**2 - skewed**2 - 1)


def _pair_tests(
    table: "_Table", estimate: MeanEstimate, *, auto: bool, clustered: bool
) -> tuple[str, Floats, NDArray[np.bool_]]:
    """Name of the test, p-values of the pairs above the diagonal, and which pairs are judged by McNemar's."""
    upper = np.triu_indices(len(estimate.mean), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic, freedom = (estimate.mean / estimate.se)[upper], estimate.df[upper]
    # One number instead of a matrix of equal ones spares the special functions most of their work.
    common = freedom.size > 0 and bool((freedom == freedom[0]).all())
    p_value = t_two_sided(statistic, freedom[0] if common else freedom)
    name = "paired CR2 over clusters, Bell-McCaffrey t test" if clustered else "paired t test over questions"
    if not auto or clustered or not table.resolved.binary or table.resolved.weights is not None:
        return name, p_value, np.zeros(estimate.mean.shape, dtype=np.bool_)
    matched = table.undivided()
    of_pair = matched[upper]
    if not of_pair.any():
        return name, p_value, matched
    wins = table.win_counts()
    counts = (np.where(of_pair, each[upper], 0) for each in (wins, wins.T, estimate.n))
    name = "McNemar test" if of_pair.all() else f"{name}; McNemar test where samples of a question agree"
    return name, np.where(of_pair, matched_p_value(*counts), p_value), matched


def _symmetric_matrix(values: Floats, agents: int, *, sign: float = 1.0) -> Floats:
    """A matrix with these values above its diagonal and, times `sign`, below."""
    matrix = np.full((agents, agents), np.nan)
    rows, columns = np.triu_indices(agents, 1)
    matrix[rows, columns] = values
    matrix[columns, rows] = sign * values
    return matrix


class _Table:
    """Sums over the questions that both agents of a pair have, as matrix products."""

    def __init__(self, resolved: ResolvedScores) -> None:
        self.resolved = resolved
        self.has = resolved.n > 0
        self.complete = bool(self.has.all())
        self.weight = self.has.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.centre = np.where(self.has, resolved.mean, 0.0).sum(axis=1) / self.has.sum(axis=1)
        # Centred values make the subtraction of squares lose fewer digits.
        self.values = np.where(self.has, resolved.mean - self.centre[:, None], 0.0)
        self.n = self.over_common(self.weight)
        self.sums = self.over_common(self.values)
        self.variance = self._variance_of_difference()

    def over_common(self, cells: Floats) -> Floats:
        """Entry (a, b): sum of a's cells over the questions that b has too."""
        if self.complete:
            return np.repeat(cells.sum(axis=1)[:, None], len(cells), axis=1)
        if not cells.any():
            return np.zeros((len(cells), len(cells)))
        return np.asarray(cells @ self.weight.T)

    def plain(self) -> MeanEstimate:
        """Differences for independent questions of equal weight."""
        with np.errstate(invalid="ignore", divide="ignore"):
            difference = (self.sums - self.sums.T) / self.n + (self.centre[:, None] - self.centre[None, :])
            se = np.sqrt(self.variance / self.n)
        estimable = (self.n > 1) & (self.variance > 0)
        n = np.rint(self.n).astype(np.int64)
        return MeanEstimate(n, difference, np.where(estimable, se, np.nan), np.where(n > 1, n - 1.0, np.nan))

    def _variance_of_difference(self) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            squares = self.over_common(self.values**2)
            cross = self.values @ self.values.T
            total = squares + squares.T - 2.0 * cross - (self.sums - self.sums.T) ** 2 / self.n
            variance = total / (self.n - 1.0)
            near = variance < _CANCELLED * (squares + squares.T) / self.n
        upper = np.triu(np.ones_like(near), 1)
        variance = np.where(upper, variance, variance.T)
        rows, columns = np.nonzero(near & upper)
        for part in _row_chunks(rows.size, self.values.shape[1]):
            exact = mean_of_questions(self.resolved.mean[rows[part]] - self.resolved.mean[columns[part]])
            direct = np.nan_to_num(exact.se, nan=0.0) ** 2 * exact.n
            variance[rows[part], columns[part]] = variance[columns[part], rows[part]] = direct
        return variance

    def undivided(self) -> NDArray[np.bool_]:
        """Pairs in which the samples of every common cell agree, as single ones do: all pass or all fail."""
        divided = self.over_common((self.has & (self.resolved.mean > 0) & (self.resolved.mean < 1)).astype(np.float64))
        return np.asarray((divided == 0) & (divided.T == 0) & (self.n > 0), dtype=np.bool_)

    def win_counts(self) -> Floats:
        """For cells that all pass or all fail: questions that row passed and column failed."""
        passed = np.where(self.has, self.resolved.mean, 0.0)
        failed = np.where(self.has, 1.0 - self.resolved.mean, 0.0)
        return np.asarray(np.rint(passed @ failed.T), dtype=np.float64)

    def variance_components(self) -> tuple[Floats, Floats, Floats]:
        """Prediction, data and total variance of every pair; see `honestly.stats._noise` for the formulas."""
        samples = np.maximum(self.resolved.n, 1)
        within = np.where(self.resolved.n > 1, self.resolved.within, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            each = self.over_common(within) / self.n
            of_mean = self.over_common(within / samples) / self.n
            single = self.over_common((self.resolved.n == 1).astype(np.float64)) > 0
        unknown = single | single.T | (self.n < 2)
        if self.resolved.weights is not None:
            unknown[:] = True
        kept = each - of_mean
        absent = (self.n < 2) if self.resolved.weights is None else unknown
        return (
            np.where(unknown, np.nan, each + each.T),
            np.where(unknown, np.nan, self.variance - (of_mean + of_mean.T)),
            np.where(absent, np.nan, self.variance + (kept + kept.T)),
        )


def _row_chunks(count: int, width: int) -> list[slice]:
    step = max(1, _CHUNK // max(1, width))
    return [slice(start, min(count, start + step)) for start in range(0, count, step)]


def _pairwise_estimate(resolved: ResolvedScores, *, clustered: bool) -> MeanEstimate:
    """Clustered or weighted differences; complete data take the short way over cluster sums."""
    codes = resolved.cluster_codes if clustered else None
    codes = np.arange(len(resolved.questions)) if codes is None else codes
    agents = len(resolved.agents)
    rows, columns = np.triu_indices(agents, 1)
    n, mean, se, df = (np.full(rows.size, np.nan) for _ in range(4))
    remaining = np.arange(rows.size)
    if rows.size and bool((resolved.n > 0).all()):
        sums = cluster_sums(resolved.mean, codes, resolved.weights)
        with np.errstate(invalid="ignore"):
            scaled = sums.residual * np.sqrt(sums.correction)
            squares = (scaled**2).sum(axis=1)
            both = squares[rows] + squares[columns]
            variance = both - 2.0 * (scaled @ scaled.T)[rows, columns]
        first = clustered_mean(resolved.mean[0] - resolved.mean[1], codes, resolved.weights)
        n[:], df[:] = float(first.n), float(first.df)
        mean, se = sums.mean[rows] - sums.mean[columns], np.sqrt(np.maximum(variance, 0.0))
        remaining = np.flatnonzero(~(variance >= _CANCELLED * both) | (variance == 0))
    for part in _row_chunks(remaining.size, len(resolved.questions)):
        some = remaining[part]
        differences = resolved.mean[rows[some]] - resolved.mean[columns[some]]
        direct = clustered_mean(differences, codes, resolved.weights)
        n[some], mean[some], se[some], df[some] = direct.n, direct.mean, direct.se, direct.df
    common = _symmetric_matrix(n, agents)
    np.fill_diagonal(common, (resolved.n > 0).sum(axis=1))
    return MeanEstimate(
        common.astype(np.int64),
        _symmetric_matrix(mean, agents, sign=-1.0),
        _symmetric_matrix(se, agents),
        _symmetric_matrix(df, agents),
    )
