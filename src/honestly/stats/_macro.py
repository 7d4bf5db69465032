"""The macro mean: the plain mean of the means of groups of questions, and its standard error.

The groups (categories, say) are fixed, and the questions of each are a sample of more such questions: the estimand is
the mean over these groups of what would be scored on all questions of each. So the variances of the groups' means add
up (stratified sampling; Cochran 1977, Sampling Techniques, section 5.3), and what lies between groups is no noise:

    mean = Σ_k m_k / K        se² = Σ_k se_k² / K²        df = (Σ_k se_k²)² / Σ_k (se_k⁴ / df_k)

with Satterthwaite's degrees of freedom (1946, Biometrics Bulletin 2:110). A group all of whose questions score the same
adds nothing to the error, which is right on average over groups, but not where that holds of most of them: simulated
coverage is in `tests/stats/test_macro.py`. A group of one question (or cluster) leaves the error unknown.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._means import MeanEstimate, clustered_mean, mean_of_questions

Floats = NDArray[np.float64]


def macro_mean(
    values: Floats,
    groups: Sequence[str],
    clusters: Sequence[str] | None = None,
    weights: Floats | None = None,
) -> MeanEstimate:
    """The mean over groups of the mean over each group's questions, one estimate a row.

    Args:
        values: of the questions, shape (..., N), NaN where a question is left out.
        groups: the group of each question, shape (N,).
        clusters: questions of one cluster succeed and fail together, shape (N,); None for independent ones.
        weights: of each question within its group, shape (N,).

    Returns:
        The estimates, shape (...); the mean is NaN where a group has no question left, the error where a group has
        fewer than two questions or clusters, or all groups score the same in all of theirs.

    Raises:
        StatisticsError: on shapes that do not agree.
    """
    n = values.shape[-1]
    if len(groups) != n or (clusters is not None and len(clusters) != n):
        raise StatisticsError(f"{n} questions, but {len(groups)} groups of them: expected one for each question")
    names, of = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    parts = [_part(values, of == at, clusters, weights) for at in range(len(names))]
    mean = np.mean([each.mean for each in parts], axis=0)
    squares = np.array([_squared_error(each) for each in parts])
    total = squares.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = total**2 / (squares**2 / np.array([each.df for each in parts])).sum(axis=0)
    known = total > 0
    return MeanEstimate(
        n=np.sum([each.n for each in parts], axis=0),
        mean=mean,
        se=np.where(known, np.sqrt(np.where(known, total, 1.0)) / len(names), np.nan),
        df=np.where(known, df, np.nan),
    )


def _part(
    values: Floats, here: NDArray[np.bool_], clusters: Sequence[str] | None, weights: Floats | None
) -> MeanEstimate:
    kept = None if weights is None else weights[here]
    if clusters is None:
        return mean_of_questions(values[..., here], kept)
    codes = np.unique(np.asarray(clusters, dtype=str)[here], return_inverse=True)[1]
    return clustered_mean(values[..., here], codes, kept)


def _squared_error(part: MeanEstimate) -> Floats:
    """The squared error of a group's mean: 0 where its questions, or its clusters' sums, are all the same."""
    return np.where(np.isnan(part.se) & np.isfinite(part.df), 0.0, part.se**2)
