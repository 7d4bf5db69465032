"""Features of sessions as numbers: which say who rates, which have seen the ratings, and how probable a rating is."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from honestly.effect._sessions import Session
from honestly.errors import StatisticsError

Floats = NDArray[np.float64]
_WORDS, _LEAST_CHANCE = 10, 0.01
"""Most different words of a feature; the least probability of a rating."""
_ONE_SIDED = 0.2
"""A feature is left out whose share of known values in one group is below this part of that in the other."""
_REPEATS = 0.8
"""A column whose correlation with the ratings is surely above this repeats them."""
_FOLLOWS = 0.5
"""From which correlation on a column is named."""
_PREDICTION = re.compile(r"(?:^|[_\W])(?:pred(?:s?$|s?[_\W]|ict)|y_?hat|fitted)", re.IGNORECASE)


def without_one_sided_features(sessions: Sequence[Session]) -> tuple[list[Session], dict[str, tuple[float, float]]]:
    """The sessions without features that are known (nearly) only where there is a rating, or only where there is none.

    A predictor would learn such a feature where sessions are rated, and say a constant of the others. With them the
    features that are left out, each with its share of known values among rated sessions and among the others.
    """
    groups = [[each for each in sessions if (each.rating is not None) is rated] for rated in (True, False)]
    left_out = {}
    for name in dict.fromkeys(name for session in sessions for name in session.features):
        known = [sum(name in each.features for each in group) / max(len(group), 1) for group in groups]
        if min(known) < _ONE_SIDED * max(known):
            left_out[name] = known[0], known[1]
    kept = [
        replace(each, features={name: value for name, value in each.features.items() if name not in left_out})
        for each in sessions
    ]
    return kept, left_out


def feature_matrix(sessions: Sequence[Session]) -> tuple[Floats, list[str]]:
    """Features as standardised columns, shape (n, d), and their names; what is not known is the mean, and marked."""
    columns: dict[str, Floats] = {}
    for name in dict.fromkeys(name for session in sessions for name in session.features):
        values = [session.features.get(name) for session in sessions]
        words = [value for value in values if isinstance(value, str)]
        if words:
            common = (
                sorted(set(words), key=lambda word: (-words.count(word), word))[:_WORDS]
                if len(set(words)) <= 200
                else []
            )
            columns |= {
                f"{name}={word}": np.array([value == word for value in values], dtype=np.float64) for word in common
            }
            continue
        column = np.array([math.nan if value is None else value for value in values], dtype=np.float64)
        gone = np.isnan(column)
        if gone.any():
            columns[f"{name} not known"] = gone.astype(np.float64)
            column[gone] = column[~gone].mean()
        columns[name] = column
    kept = {name: column for name, column in columns.items() if np.ptp(column) > 0}
    if not kept:
        return np.zeros((len(sessions), 1)), ["nothing"]
    x = np.column_stack(list(kept.values()))
    return (x - x.mean(axis=0)) / x.std(axis=0), list(kept)


def rating_chances(x: Floats, rated: NDArray[np.bool_]) -> Floats:
    """The probability that each session is rated, by logistic regression with a ridge, shape (n,)."""
    design = np.column_stack([np.ones(x.shape[0]), x])
    penalty = np.full(design.shape[1], 1.0)
    penalty[0] = 0.0
    weights = np.zeros(design.shape[1])
    weights[0] = math.log(rated.mean() / (1 - rated.mean()))
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (rated - chance) - penalty * weights
        curve = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
    return np.asarray(np.clip(chance, min(_LEAST_CHANCE, rated.mean() / 5), 1.0))


def refuse_fitted_columns(
    columns: tuple[Floats, Sequence[str]], rated: NDArray[np.bool_], y: Floats, external: Collection[str]
) -> list[str]:
    """Refuse columns that have seen the ratings, by their names or because they surely follow them too well.

    Predictions that were fitted on these ratings with some restraint look like any good feature: a note names those
    that follow the ratings.

    Args:
        columns: features, shape (n, d), and their names.
        rated: which sessions are rated, shape (n,).
        y: their ratings.
        external: names of columns that have not seen the ratings.

    Raises:
        StatisticsError: there is one.
    """
    notes = []
    for at, name in enumerate(columns[1]):
        follows = min(abs(correlation(columns[0][rated, at], y)), 1 - 1e-12)
        surely = math.atanh(follows) - 3 / math.sqrt(max(y.size - 3, 1)) > math.atanh(_REPEATS)
        if name in external:
            continue
        if surely or _PREDICTION.search(name):
            why = f"follows the ratings (r = {follows:.2f})" if surely else "is called a prediction"
            raise StatisticsError(
                f"column {name!r} {why}: "
                "fitted on the ratings that correct it, it makes 95% intervals hold in some 72%. Leave it out (effect "
                f"trains its own), or say that it has not seen these ratings: --external {name}"
            )
        if follows > _FOLLOWS:
            notes.append(f"{name} follows the ratings (r = {follows:.2f}): intervals hold unless it was fitted on them")
    return notes


def correlation(a: Floats, b: Floats) -> float:
    """Pearson's; NaN where one of the two does not vary."""
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(a) > 0 and np.ptp(b) > 0 else math.nan
