"""Satisfaction against hidden verdicts: do ratings go with work that passed, or with how the agent sounds?

Ratings of sessions whose work was judged are regressed on the verdict and on the style of the agent's replies, with an
arm's own mean; errors are clustered by user. Only rated sessions count, so that it is told of those who rate.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import RenderableType

from honestly.effect._sessions import Session
from honestly.scores import STYLE
from honestly.show import dim_line, number_text, numbers_table
from honestly.stats import LeastSquares, least_squares

Floats = NDArray[np.float64]
Interval = tuple[float, float]
_LEAST = 20
"""Rated sessions with a verdict from which a regression is tried."""


@dataclass(frozen=True, slots=True)
class RatedFor:
    """How ratings depend on a feature, if all others are equal."""

    what: str
    """`passed`, or how the agent sounds."""
    effect: float
    """Points of the rating: of work that passed, or of a standard deviation more."""
    interval: Interval
    p_value: float


@dataclass(frozen=True, slots=True)
class Liking:
    """How ratings depend on the verdict and the style, in rated sessions with verdicts."""

    judged: int
    passed: float | None
    """Mean rating of work that passed; None where there is none."""
    failed: float | None
    rated_for: tuple[RatedFor, ...]
    difference: float
    """Of the first arm and the second, of equal verdict and style, among these."""
    interval: Interval
    plain_difference: float
    """The same without either."""
    by_verdict: RatedFor | None
    """What a pass is worth where nothing is known of style; benchmark scores know no more."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What benchmark scores would have predicted."""

    scores: tuple[float, float]
    """Of the arms, fractions of 1."""
    predicted: float | None
    """Their difference times what a pass is worth in points of the rating; None where that is not known."""
    interval: Interval | None
    same_direction: bool
    """Whether it is that of the ratings."""


def liking_of(sessions: Sequence[Session], arms: tuple[str, str], level: float) -> Liking | None:
    """What ratings of the two arms go with; None with too few sessions that are rated and judged.

    Args:
        sessions: of which those count that have a rating and a feature `passed`.
        arms: names of two.
        level: coverage of intervals.
    """
    used = [each for each in sessions if each.rating is not None and isinstance(each.features.get("passed"), float)]
    first = np.array([each.arm == arms[0] for each in used], dtype=np.float64)
    if len(used) < _LEAST or np.ptp(first) == 0:
        return None
    y = np.array([each.rating for each in used], dtype=np.float64)
    passed = _column(used, "passed")
    style = {name: _column(used, name) for name in STYLE}
    style = {name: column for name, column in style.items() if np.isfinite(column).all() and np.ptp(column) > 0}
    columns = {name: column / column.std() for name, column in style.items()}
    if np.ptp(passed) > 0:
        columns = {"passed": passed, **columns}
    users = [each.user for each in used]
    whole = _fit([first, *columns.values()], y, users, level)
    alone = _fit([first, passed], y, users, level) if "passed" in columns else None
    return Liking(
        judged=len(used),
        passed=_mean_or_none(y[passed > 0.5]),
        failed=_mean_or_none(y[passed <= 0.5]),
        rated_for=tuple(_rated_for(name, whole, at + 2) for at, name in enumerate(columns)),
        difference=float(whole.slopes[1]),
        interval=(float(whole.low[1]), float(whole.high[1])),
        plain_difference=float(y[first > 0].mean() - y[first == 0].mean()),
        by_verdict=None if alone is None else _rated_for("passed", alone, 2),
    )


def benchmark_says(scores: tuple[float, float], difference: float, liking: Liking | None) -> Benchmark:
    """What the scores of the two arms would have predicted of the difference of their ratings."""
    gap, worth = scores[0] - scores[1], None if liking is None else liking.by_verdict
    ends = None if worth is None else sorted((gap * worth.interval[0], gap * worth.interval[1]))
    return Benchmark(
        scores=scores,
        predicted=None if worth is None else gap * worth.effect,
        interval=None if ends is None else (ends[0], ends[1]),
        same_direction=gap * difference > 0,
    )


def liking_lines(liking: Liking, arms: tuple[str, str], room: int) -> Iterator[RenderableType]:
    """What a terminal shows of it."""
    yield numbers_table(
        "ratings go with",
        {"": 8, "points": 8, "interval": 16, "p": 6},
        [
            (
                each.what if each.what == "passed" else f"{each.what} (SD)",
                number_text(each.effect, 2, sign=True),
                _interval_text(each.interval),
                number_text(each.p_value, 3),
            )
            for each in liking.rated_for
        ],
        room,
    )
    means = [
        f"{word} {number_text(mean, 2)}"
        for word, mean in (("passed", liking.passed), ("failed", liking.failed))
        if mean is not None
    ]
    yield dim_line(f"{liking.judged} rated sessions with a verdict; mean rating of work that {', '.join(means)}.")
    yield dim_line(
        f"Of equal verdict and style, {arms[0]} - {arms[1]} is {number_text(liking.difference, 2, sign=True)} "
        f"{_interval_text(liking.interval)} among these, "
        f"{number_text(liking.plain_difference, 2, sign=True)} otherwise."
    )


def benchmark_line(told: Benchmark, arms: tuple[str, str]) -> RenderableType:
    """What a terminal shows of benchmark scores."""
    scores = " and ".join(f"{100 * score:g}%" for score in told.scores)
    text = f"Benchmark scores of {scores} point {'as' if told.same_direction else 'otherwise than'} ratings do"
    if told.predicted is None or told.interval is None:
        return dim_line(f"{text}; by how much cannot be told without verdicts.")
    predicted = number_text(told.predicted, 2, sign=True)
    return dim_line(f"{text}: they predict {arms[0]} - {arms[1]} = {predicted} {_interval_text(told.interval)}.")


def _fit(columns: Sequence[Floats], y: Floats, users: Sequence[str], level: float) -> LeastSquares:
    return least_squares(np.column_stack([np.ones(y.size), *columns]), y, users, level=level)


def _rated_for(name: str, fit: LeastSquares, at: int) -> RatedFor:
    return RatedFor(name, float(fit.slopes[at]), (float(fit.low[at]), float(fit.high[at])), float(fit.p_value[at]))


def _column(sessions: Sequence[Session], name: str) -> Floats:
    values = [_feature_number(each.features, name) for each in sessions]
    return np.array(values, dtype=np.float64)


def _feature_number(features: Mapping[str, float | str], name: str) -> float:
    value = features.get(name)
    return float(value) if isinstance(value, float | int) else math.nan


def _mean_or_none(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None


def _interval_text(interval: Interval) -> str:
    low, high = (number_text(end, 2, sign=True) for end in interval)
    return f"[{low}, {high}]"
