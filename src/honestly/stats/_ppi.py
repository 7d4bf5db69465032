"""Few human labels and many model predictions: prediction-powered inference of a mean, and of the gap of two arms.

Humans label n units, a model predicts all of them and N more. Pooling predictions with labels as if they were labels
gives a tight interval around the wrong value (measured coverage: 0). Here predictions only carry what the labelled
units show them to be worth: with power tuning λ in [0, 1]

    estimate = λ mean_N f + mean_n (y - λ f),      Var = λ² Var(f) / N + Var(y - λ f) / n,

which is unbiased whatever the predictions are, and never worse (to first order) than the human labels alone. Source:
Angelopoulos, Duchi & Zrnic 2023, "PPI++" (arXiv:2311.01453); cross-fitting: Zrnic & Candès 2024 (arXiv:2309.16598).

Predictions must not have seen the labels that correct them. So there is no function that takes a bare list of
predictions: `external_predictions` asks where they come from, `cross_fit` trains on the other folds and tags them.

Which units are labelled must be decided without looking at their quality: at random, or with known probabilities
(`label_probability`), in which case the labelled units are weighted by their inverse. A few very improbable labels then
carry the estimate, and its interval covers too little: 91 to 94% where one label has 5 to 13% of all weight, measured
with qualities that went with the probability. The result says so in a note once a label has more than 2% of the weight
and more than twice its even share; below that, 94 to 96%.

Not covered: quantiles and regressions, and labels that are missing for a reason that nobody wrote down.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.errors import StatisticsError
from honestly.stats._clusters import codes_of
from honestly.stats._intervals import check_coverage
from honestly.stats._special import t_quantile

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Predictor = Callable[[NDArray[np.generic]], ArrayLike]

_HEAVY_SHARE = 0.02
_HEAVY_RATIO = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions of units with and without a human label, made by `external_predictions` or `cross_fit`."""

    labelled: Floats
    """Predictions of the units that have a label, shape (n,)."""

    unlabelled: Floats
    """Predictions of the other units, shape (N,); where there are none, the labels count alone."""

    source: str
    """Where they come from."""

    folds: Integers | None
    """Fold of each labelled unit, whose prediction was trained on the other folds; None for an external predictor."""


def external_predictions(labelled: ArrayLike, unlabelled: ArrayLike, *, source: str) -> Predictions:
    """Declare predictions of a predictor that was fixed without any of the labels.

    Args:
        labelled: for the units with a label, in the order of the labels.
        unlabelled: for the others.
        source: what the predictor is and when it was fixed; printed with the result.

    Raises:
        StatisticsError: on gaps, or an empty source.
    """
    if not source.strip():
        raise StatisticsError("say what predictor this is and that it has not seen the labels; else use cross_fit")
    return Predictions(_flat_array("predictions", labelled), _flat_array("predictions", unlabelled), source, None)


def ridge_fit(features: NDArray[np.generic], y: Floats) -> Callable[[NDArray[np.generic]], Floats]:
    """A predictor by ridge regression, its strength chosen by leave-one-out error; `cross_fit` takes it.

    Args:
        features: of the labelled units, shape (n, features), numbers.
        y: their labels, shape (n,).
    """
    x = np.asarray(features, dtype=np.float64)
    mean = y.mean()
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    turned = u.T @ (y - mean)
    best: tuple[float, Floats] | None = None
    for strength in np.geomspace(0.1, 1e5, 25):
        shrink = s**2 / (s**2 + strength)
        left = (y - mean - u @ (shrink * turned)) / np.maximum(1 - 1 / y.size - (u**2) @ shrink, 1e-6)
        error = float((left**2).mean())
        if best is None or error < best[0]:
            best = error, vt.T @ (s / (s**2 + strength) * turned)
    weights = best[1] if best else np.zeros(x.shape[1])
    return lambda fresh: np.asarray(fresh, dtype=np.float64) @ weights + mean


def cross_fit(
    fit: Callable[[NDArray[np.generic], Floats], Predictor],
    features: tuple[NDArray[np.generic], NDArray[np.generic]],
    labels: ArrayLike,
    *,
    folds: int = 5,
    persons: Sequence[Hashable] | None = None,
    seed: int,
) -> Predictions:
    """Train a predictor on the labels themselves, without ever predicting a unit that it was trained on.

    A labelled unit is predicted by the model of the other folds, an unlabelled one by the mean of all models.

    Args:
        fit: takes features and labels, returns a function from features to predictions.
        features: of the labelled and of the unlabelled units, first axis n and N.
        labels: shape (n,).
        folds: at least 2.
        persons: of the labelled units; one person's units stay in one fold.
        seed: of the division into folds.

    Raises:
        StatisticsError: if shapes disagree, or there are fewer units (persons) than folds.
    """
    y = _flat_array("labels", labels)
    known, fresh = features
    if known.shape[0] != y.size or (persons is not None and len(persons) != y.size):
        raise StatisticsError(f"{y.size} labels need {y.size} rows of features and as many persons, if any are given")
    codes = codes_of(persons or range(y.size))
    groups = int(codes.max()) + 1
    if not 2 <= folds <= groups:
        raise StatisticsError(
            f"{folds} folds of {groups} units; choose from 2 to as many as there are units or persons"
        )
    fold = (np.random.default_rng(seed).permutation(groups) % folds)[codes]
    inside, outside = np.empty(y.size), np.zeros(fresh.shape[0])
    for held_out in range(folds):
        predict = fit(known[fold != held_out], y[fold != held_out])
        inside[fold == held_out] = _flat_array("predictions", predict(known[fold == held_out]))
        outside += _flat_array("predictions", predict(fresh)) / folds
    return Predictions(
        inside, outside, f"trained on the labels, cross-fitted over {folds} folds", fold.astype(np.int64)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """One arm: human labels with predictions, and whose they are."""

    labels: ArrayLike
    """Human labels, shape (n,)."""

    predictions: Predictions
    """Predictions of the same units and of unlabelled ones."""

    persons: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None
    """Person behind each labelled and each unlabelled unit; errors are clustered by person."""

    label_probability: ArrayLike | None = None
    """Probability with which each labelled unit was chosen for labelling out of all units; None for equal ones."""


@dataclass(frozen=True, slots=True)
class PpiEstimate:
    """A mean label, or the difference of two."""

    mean: float
    se: float
    """Standard error; NaN, never 0, when it cannot be estimated."""

    interval: tuple[float, float]
    """t interval."""

    level: float
    df: float
    """Effective number of labelled units, or labelled persons, minus 1."""

    tuning: tuple[float, ...]
    """λ of each arm: 0 ignores the predictions, 1 trusts them as far as the labelled units correct them."""

    human_only: float
    """Estimate from the labels alone."""

    human_only_se: float
    labels: int
    """Human labels used."""

    effective_labels: float
    """Human labels that would give the same standard error without predictions."""

    estimand: str
    reason: str | None
    """Why something is NaN, or None."""

    notes: tuple[str, ...]


def ppi_mean(arm: Labelled, *, tuning: float | None = None, level: float = 0.95) -> PpiEstimate:
    """Estimate the mean human label of the population that the units come from.

    With known label probabilities the estimator is the self-normalised doubly robust one, where "all units" takes the
    place of the unlabelled ones. With persons, the squared sums of each person's contributions replace those of units,
    also when a person appears among labelled and unlabelled units. Small samples are corrected as in CR2.

    Args:
        arm: labels, predictions, and so on.
        tuning: λ; by default the one that minimises the estimated variance, within [0, 1].
        level: coverage of the interval.

    Raises:
        StatisticsError: on predictions without a declared origin, or numbers that do not fit together.
    """
    parts = _arm_contributions(arm)
    weight = _tuned_weight(parts, tuning)
    return _ppi_estimate([(parts, weight, 1.0)], level, "mean human label over the population of the units")


def ppi_difference(a: Labelled, b: Labelled, *, level: float = 0.95) -> PpiEstimate:
    """Estimate the difference of two arms' mean labels, `a - b`.

    Units of different arms are independent, unless persons are given: then a person's contributions to both arms are
    summed before squaring, so that raters who see both arms make the difference more certain, not less.

    Args:
        a: the first arm.
        b: the second; persons must be given for both arms or for none.
        level: coverage of the interval.

    Raises:
        StatisticsError: as for `ppi_mean`, or if only one arm has persons.
    """
    if (a.persons is None) != (b.persons is None):
        raise StatisticsError("persons are given for one arm only; give them for both, or for none")
    arms = [(_arm_contributions(a), 1.0), (_arm_contributions(b), -1.0)]
    tuned = [(parts, _tuned_weight(parts, None), sign) for parts, sign in arms]
    return _ppi_estimate(tuned, level, "difference of the mean human labels over the populations of the units")


@dataclass(frozen=True, slots=True, eq=False)
class _Contributions:
    """The addition of each unit to the error of the estimate, `from_label - λ from_prediction`."""

    mean: float
    correction: float
    """Weighted mean prediction of the labelled units minus the mean prediction of the population."""

    from_label: Floats
    from_prediction: Floats
    persons: tuple[Hashable, ...] | None
    """Person of each unit, labelled ones first."""

    effective: float
    """Labelled persons (without persons: units) of equal weight that would be worth as much, `1 / sum_g W_g²`."""

    labels: int
    notes: tuple[str, ...]


_Arms = list[tuple[_Contributions, float, float]]


def _arm_contributions(arm: Labelled) -> _Contributions:
    y, f, fresh = _checked_arm(arm)
    n, more = y.size, fresh.size
    probability = None if arm.label_probability is None else _probabilities(arm.label_probability, n)
    share = np.full(n, 1.0 / n) if probability is None else (1 / probability) / (1 / probability).sum()
    mean, own = float(share @ y), float(share @ f)
    labelled_ids, unlabelled_ids = arm.persons or (range(n), range(more))
    inside, effective = _small_sample(share, labelled_ids)
    outside = _small_sample(np.full(more, 1.0 / more), unlabelled_ids)[0] if more else fresh
    from_label = np.concatenate([share * (y - mean) * inside, np.zeros(more)])
    from_prediction = np.concatenate([share * (f - own) * inside, np.zeros(more)])
    if not more:
        population = own
        from_prediction[:] = 0.0
    elif probability is None:
        population = float(fresh.mean())
        from_prediction[n:] = -(fresh - population) / more * outside
    else:
        everyone = np.concatenate([f, fresh])
        population = float(everyone.mean())
        from_prediction -= (everyone - population) / everyone.size
    persons = None if arm.persons is None else (*arm.persons[0], *arm.persons[1])
    notes = [f"predictions: {arm.predictions.source}"]
    if more and np.ptp(f) == 0 and np.ptp(fresh) == 0:
        notes.append("the predictions are constant and carry nothing")
    heaviest = float(share.max())
    if heaviest > _HEAVY_SHARE and heaviest * n > _HEAVY_RATIO:
        notes.append(
            f"one label carries {heaviest:.0%} of all weight, {heaviest * n:.1f} times its even share, because its "
            "probability was so small; the interval then covers less than it says"
        )
    if n > 1 and np.array_equal(f, y):
        notes.append("the predictions repeat every label: make sure that they have not seen them")
    return _Contributions(mean, own - population, from_label, from_prediction, persons, effective, n, tuple(notes))


def _small_sample(share: Floats, units: Sequence[Hashable]) -> tuple[Floats, float]:
    """Factor for each residual that makes the squared sums unbiased, as in CR2: `1 / sqrt(1 - 2 W_g + sum_g W_g²)`.

    `W_g` is the share of the unit's person (of the unit, if there are no persons); equal shares give `sqrt(G/(G-1))`.
    Also returns the effective number of persons.
    """
    codes = codes_of(units)
    weight = np.bincount(codes, weights=share)
    concentration = float(weight @ weight)
    left = 1.0 - 2.0 * weight + concentration
    factor = np.where(left > 1e-12, 1.0 / np.sqrt(np.maximum(left, 1e-12)), np.nan)
    return np.asarray(factor[codes]), 1.0 / concentration


def _tuned_weight(parts: _Contributions, fixed: float | None) -> float:
    if fixed is not None:
        if not 0 <= fixed <= 1:
            raise StatisticsError(f"the tuning must lie between 0 and 1, not {fixed}")
        return fixed
    label, prediction = (_by_person(values, parts.persons) for values in (parts.from_label, parts.from_prediction))
    square = float(prediction @ prediction)
    return min(max(float(label @ prediction) / square, 0.0), 1.0) if square > 0 else 0.0


def _by_person(values: Floats, persons: Sequence[Hashable] | None) -> Floats:
    if persons is None:
        return values
    return np.bincount(codes_of(persons), weights=values).astype(np.float64)


def _root_error(arms: _Arms) -> float:
    """Root of the summed squares over units, or over persons, who may have contributed to several arms."""
    values = np.concatenate([sign * (part.from_label - weight * part.from_prediction) for part, weight, sign in arms])
    owners = [part.persons for part, _, _ in arms]
    everyone = None if owners[0] is None else [person for persons in owners for person in persons or ()]
    squares = _by_person(values, everyone) ** 2
    return math.sqrt(float(squares.sum()))


def _ppi_estimate(arms: _Arms, level: float, estimand: str) -> PpiEstimate:
    check_coverage(level)
    mean = math.fsum(sign * (part.mean - weight * part.correction) for part, weight, sign in arms)
    alone = _root_error([(part, 0.0, sign) for part, _, sign in arms])
    se, df = _root_error(arms), _freedom(arms)
    reason = None
    if not df > 1 - 1e-9:
        reason = "the standard error needs two labelled units (persons) in every arm"
    elif math.isnan(se):
        reason = "all unlabelled units of an arm are of one person"
    elif not se > 0:
        reason = "all labels agree with the predictions or with each other, so that no error can be estimated"
    if reason:
        se, alone = math.nan, math.nan
    half = t_quantile(level, df) * se if reason is None else math.nan
    labels = sum(part.labels for part, _, _ in arms)
    return PpiEstimate(
        mean=mean,
        se=se,
        interval=(mean - half, mean + half),
        level=level,
        df=df,
        tuning=tuple(weight for _, weight, _ in arms),
        human_only=math.fsum(sign * part.mean for part, _, sign in arms),
        human_only_se=alone,
        labels=labels,
        effective_labels=labels * (alone / se) ** 2 if reason is None else math.nan,
        estimand=estimand,
        reason=reason,
        notes=tuple(note for part, _, _ in arms for note in part.notes),
    )


def _freedom(arms: _Arms) -> float:
    """Effective labelled persons minus 1, of the smaller arm; for independent arms Welch's combination of both."""
    each = [part.effective - 1.0 for part, _, _ in arms]
    variances = [_root_error([arm]) ** 2 for arm in arms]
    if len(arms) == 1 or arms[0][0].persons is not None or min(each) < 1 or not sum(variances) > 0:
        return min(each)
    return sum(variances) ** 2 / math.fsum(v**2 / df for v, df in zip(variances, each, strict=True))


def _checked_arm(arm: Labelled) -> tuple[Floats, Floats, Floats]:
    if not isinstance(arm.predictions, Predictions):
        raise StatisticsError(
            "bare predictions are refused, because predictions of a model that was trained on these labels would make "
            "any interval wrong; declare them with external_predictions, or make them with cross_fit"
        )
    y = _flat_array("labels", arm.labels)
    f, fresh = arm.predictions.labelled, arm.predictions.unlabelled
    if y.size < 1 or f.size != y.size or fresh.size == 1:
        raise StatisticsError(
            f"{y.size} labels with {f.size} predictions of them and {fresh.size} of unlabelled units; expected as many "
            f"predictions as labels, and no unlabelled unit or at least two"
        )
    if arm.persons is not None and (len(arm.persons[0]), len(arm.persons[1])) != (y.size, fresh.size):
        raise StatisticsError(f"give one person for each of {y.size} labelled and {fresh.size} unlabelled units")
    return y, f, fresh


def _flat_array(name: str, values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise StatisticsError(f"{name} must be a flat list of numbers without gaps; found shape {array.shape}")
    return array


def _probabilities(values: ArrayLike, n: int) -> Floats:
    array = _flat_array("label_probability", values)
    if array.size != n or not ((array > 0) & (array <= 1)).all():
        raise StatisticsError(f"label_probability must contain {n} probabilities above 0 and at most 1")
    return array
