"""From which score on may the claims of an answer be kept, so that what is kept is true?

Conformal factuality: an answer is cut into claims, each with a score. Kept are those whose score is above a threshold
that is calibrated on answers whose claims people have judged, so that with probability at least `1 - alpha` at least a
share of what is kept of a new answer is true. Ties between scores are broken beforehand, by a small noise, say.

Source: Mohri & Hashimoto 2024, arXiv:2402.10978.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from honestly.errors import StatisticsError
from honestly.stats import Threshold, conformal_threshold

_ALL_KEPT = -1e300


@dataclass(frozen=True, slots=True)
class RatedClaim:
    """A claim of an answer."""

    score: float
    """Larger means surer."""
    true: bool


def factual_score(claims: Sequence[RatedClaim], share: float = 1.0) -> float:
    """The largest score at which keeping an answer's claims from there on keeps too many false ones; -1e300 if none is.

    Args:
        claims: of one answer.
        share: how much of what is kept has to be true.

    Raises:
        StatisticsError: there is no claim, or a score is not finite.
    """
    if not claims or not all(math.isfinite(each.score) for each in claims):
        raise StatisticsError("expected at least one claim, and finite scores")
    for score in sorted({each.score for each in claims}, reverse=True):
        kept = [each.true for each in claims if each.score >= score]
        if sum(kept) / len(kept) < share:
            return score
    return _ALL_KEPT


def claims_threshold(answers: Sequence[Sequence[RatedClaim]], *, alpha: float = 0.1, share: float = 1.0) -> Threshold:
    """The threshold above which claims of a new answer may be kept.

    Args:
        answers: the claims of each answer that people have judged.
        alpha: allowed share of answers of which too little that is kept is true.
        share: how much of what is kept has to be true.

    Raises:
        StatisticsError: an answer has no claim, or a score is not finite.
    """
    return conformal_threshold([factual_score(claims, share) for claims in answers], alpha)
