"""The difference between two arms' mean ratings, when few sessions are rated and much is known of all of them.

A predictor of the rating is trained on rated sessions and asked about all, never about a session that it has seen
(folds by user); what it says is corrected by the ratings (prediction-powered inference, `stats.ppi_difference`). Errors
are clustered by user. Who rates is no accident: the probability of a rating is estimated from what is known of
sessions, and rated ones are weighted by its inverse. Where raters differ in what nobody knows of a session, no method
repairs it, and the report says what it can see.

Source: Chen et al. 2025, PULSE (arXiv:2510.09801); Angelopoulos, Duchi & Zrnic 2023, PPI++ (arXiv:2311.01453); Zrnic &
Candès 2024, cross-prediction (arXiv:2309.16598).
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.effect._features import (
    correlation,
    feature_matrix,
    rating_chances,
    refuse_fitted_columns,
    without_one_sided_features,
)
from honestly.effect._liking import Benchmark, Liking, benchmark_line, benchmark_says, liking_lines, liking_of
from honestly.effect._sessions import Session
from honestly.errors import StatisticsError
from honestly.show import Shown, dim_line, numbers_table, p_is, printable_text_line
from honestly.stats import (
    Labelled,
    Predictions,
    cross_fit,
    external_predictions,
    ppi_difference,
    ridge_fit,
    t_quantile,
    t_two_sided,
)

Floats = NDArray[np.float64]
Predictor = Literal["ridge", "forest"]
FOLDS, ENOUGH = 5, 150
"""Folds of users; rated sessions in each arm from which the published method was used."""
_GAP = 0.1
"""A standardised gap that is named."""
_APART = 4.0


@dataclass(frozen=True, slots=True)
class FeatureGap:
    """A feature in which rated sessions differ from the others."""

    feature: str
    rated: float
    unrated: float
    gap: float
    """Difference of the means, in standard deviations over all sessions."""


@dataclass(frozen=True, slots=True, repr=False)
class EffectReport(Shown):
    """The mean rating of the first arm minus that of the second."""

    main_table: ClassVar[str] = "raters"

    arms: tuple[str, str]
    difference: float
    se: float
    interval: tuple[float, float]
    p_value: float
    labelled: tuple[int, int]
    """Rated sessions of each arm."""
    unlabelled: tuple[int, int]
    users: int
    correlation: float
    """Of predictions with the ratings, of sessions that the predictor had not seen."""
    width_ratio: float
    """Width of the interval over that of the ratings alone."""
    method: str
    level: float
    ratings_alone: float
    """The difference of the rated sessions, nothing else used."""
    ratings_alone_se: float
    needed: int | None
    """Ratings in all for an interval of plus or minus a tenth of a point, with this predictor."""
    raters: tuple[FeatureGap, ...]
    notes: tuple[str, ...]
    liking: Liking | None = None
    """What ratings go with, where the work was judged."""
    benchmark: Benchmark | None = None
    of: str = "rating"
    """What is compared."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(printable_text_line(self.sentence), style="bold")
        alone = self.ratings_alone_se
        if self.of != "rating":
            yield dim_line(f"{self.labelled[0]} and {self.labelled[1]} sessions.")
            yield from (dim_line(note) for note in self.notes)
            return
        yield numbers_table(
            "difference of the mean ratings",
            {"from": 22, "difference": 10, "error": 6},
            [
                ("ratings and predictions", f"{self.difference:+.3f}", _error_text(self.se)),
                ("ratings alone", f"{self.ratings_alone:+.3f}", _error_text(alone)),
            ],
            options.max_width,
        )
        yield dim_line(
            f"{sum(self.labelled)} of {sum(self.labelled + self.unlabelled)} sessions of {self.users} users are rated; "
            + (
                "how predictions correlate with ratings they have not seen cannot be told; "
                if math.isnan(self.correlation)
                else f"predictions correlate {self.correlation:.2f} with ratings they have not seen; "
            )
            + (
                f"the interval is {self.width_ratio:.2f} times as wide as that of the ratings alone."
                if math.isfinite(self.width_ratio)
                else "how wide the interval is beside that of the ratings alone cannot be told."
            )
        )
        if self.needed is not None:
            yield dim_line(f"For plus or minus 0.1 it takes some {self.needed:,} ratings in all.")
        if self.raters:
            yield numbers_table(
                "sessions that were rated differ in",
                {"what": 16, "rated": 8, "others": 8, "gap in SD": 9},
                [
                    (each.feature, f"{each.rated:.2f}", f"{each.unrated:.2f}", f"{each.gap:+.2f}")
                    for each in self.raters
                ],
                options.max_width,
            )
        if self.liking is not None:
            yield from liking_lines(self.liking, self.arms, options.max_width)
        if self.benchmark is not None:
            yield benchmark_line(self.benchmark, self.arms)
        yield from (dim_line(note) for note in self.notes)

    @property
    def sentence(self) -> str:
        """The answer."""
        a, b = self.arms
        if self.of != "rating":
            what, sure = self.of.replace("_", " "), self.p_value <= 1 - self.level
            span = f"[{self.interval[0]:+.2f}, {self.interval[1]:+.2f}], {p_is(self.p_value)}"
            if math.isnan(self.se):
                return f"Whether {a} and {b} differ in {what} cannot be told ({self.difference:+.2f})."
            more = "more" if self.difference > 0 else "less"
            told = f"{a} has {abs(self.difference):.2f} {more} {what} a session than {b}"
            return f"{told} ({span})." if sure else f"Whether {a} and {b} differ in {what} cannot be told ({span})."
        if math.isnan(self.se):
            return f"Whether {a} is rated better than {b} cannot be told."
        span = f"[{self.interval[0]:+.2f}, {self.interval[1]:+.2f}], {p_is(self.p_value)}"
        if self.p_value <= 1 - self.level:
            better, worse = (a, b) if self.difference > 0 else (b, a)
            return f"{better} is rated {abs(self.difference):.2f} points better than {worse} ({a} - {b}: {span})."
        return f"Whether {a} is rated better than {b} cannot be told ({self.difference:+.2f} {span})."


def _error_text(se: float) -> str:
    return f"{se:.3f}" if math.isfinite(se) else "–"


def effect_report(
    sessions: Sequence[Session],
    arms: tuple[str, str],
    *,
    predictor: Predictor = "ridge",
    response: Literal["model", "ignore"] = "model",
    level: float = 0.95,
    seed: int = 0,
    benchmark: tuple[float, float] | None = None,
    external: Collection[str] = (),
) -> EffectReport:
    """Estimate the mean rating of the first arm minus that of the second, over all sessions of both.

    Args:
        sessions: of these and of other arms.
        arms: names of two.
        predictor: `ridge` regression, or a random `forest` (scikit-learn).
        response: `model` weights rated sessions by the inverse of their estimated probability to be rated; `ignore`
            takes them for a random part.
        level: coverage of the interval.
        seed: of the folds and of the forest.
        benchmark: scores of the two arms, fractions of 1, to say what they would have predicted.
        external: features that are predictions of the rating, made without any of these ratings.

    Raises:
        StatisticsError: an arm has no sessions, or too few ratings; there is no scikit-learn for a forest.
    """
    _check_arms(sessions, arms)
    _check_columns(sessions, external)
    own = sorted((session for session in sessions if session.arm in arms), key=_canonical)
    liking = liking_of(own, arms, level)
    own, one_sided = without_one_sided_features(own)
    x, names = feature_matrix(own)
    rated = np.array([session.rating is not None for session in own])
    first = np.array([session.arm == arms[0] for session in own])
    users = [session.user for session in own]
    y = np.array([session.rating for session in own if session.rating is not None], dtype=np.float64)
    counts = tuple((int((rated & side).sum()), int((~rated & side).sum())) for side in (first, ~first))
    for arm, (ratings, _) in zip(arms, counts, strict=True):
        if ratings < 2:
            raise StatisticsError(f"arm {arm!r} has {ratings} rated sessions; at least two are needed")
    raters = [user for user, one in zip(users, rated, strict=True) if one]
    alone = min(others for _, others in counts) < 2
    if not alone and len(set(raters)) < FOLDS:
        raise StatisticsError(f"{len(set(raters))} users rated; at least {FOLDS} are needed")
    follow: list[str] = []
    if alone:
        rest = np.zeros(rated.size, dtype=bool)
        found = external_predictions(0 * y, [], source="none")
    else:
        follow = refuse_fitted_columns((x, names), rated, y, external)
        rest = ~rated
        found = cross_fit(_fitter(predictor, seed), (x[rated], x[~rated]), y, folds=FOLDS, persons=raters, seed=seed)
    chance = rating_chances(x, rated) if response == "model" and not alone else None

    def arm_of(side: NDArray[np.bool_]) -> Labelled:
        """The labels, predictions and persons of one arm."""
        inside, outside = side[rated], side[rest]
        return Labelled(
            y[inside],
            Predictions(found.labelled[inside], found.unlabelled[outside], found.source, found.folds),
            (_chosen(users, rated & side), _chosen(users, rest & side)),
            None if chance is None else chance[rated & side],
        )

    answer = ppi_difference(arm_of(first), arm_of(~first), level=level)
    ratio = answer.se / answer.human_only_se
    smallest = min(ratings for ratings, _ in counts)
    notes = [f"fewer than {ENOUGH} ratings in an arm: the interval leans on {smallest}"] if smallest < ENOUGH else []
    notes += [
        f"{name} left out: known for {share:.0%} of the rated sessions and {other:.0%} of the others, it says who rates"
        for name, (share, other) in one_sided.items()
    ]
    notes += follow
    notes += _left_out(sessions, arms)
    apart = abs(answer.mean - float(y[first[rated]].mean() - y[~first[rated]].mean()))
    if apart > _APART * math.hypot(answer.se, answer.human_only_se):
        notes.insert(0, "predictions move the answer by more than errors explain: look at how rated sessions differ")
    notes += [note for note in dict.fromkeys(answer.notes) if not note.startswith("predictions:")]
    persons = [len(set(_chosen(users, rated & side))) for side in (first, ~first)]
    notes += _no_error(answer.reason, min(persons))
    if alone:
        notes.append("nearly all sessions of an arm are rated, so these are ratings alone, without predictions")
    elif response == "ignore":
        notes.append("rated sessions are taken for a random part of all; --response model weights them")
    notes.append("raters who differ in what no feature shows move this number, and nothing here can repair or see that")
    y_parts = [y[side[rated]].mean() for side in (first, ~first)]
    return EffectReport(
        arms=arms,
        difference=answer.mean,
        se=answer.se,
        interval=answer.interval,
        p_value=math.nan if math.isnan(answer.se) else float(t_two_sided(answer.mean / answer.se, answer.df)),
        labelled=(counts[0][0], counts[1][0]),
        unlabelled=(counts[0][1], counts[1][1]),
        users=len(set(users)),
        correlation=correlation(found.labelled, y),
        width_ratio=ratio,
        method="difference of the mean ratings, errors by user"
        if alone
        else f"PPI++, {predictor} cross-fitted over {FOLDS} folds of users"
        + (", weighted by the estimated chance of a rating" if chance is not None else ""),
        level=level,
        ratings_alone=float(y_parts[0] - y_parts[1]),
        ratings_alone_se=answer.human_only_se,
        needed=None if math.isnan(answer.se) else math.ceil(y.size * (1.96 * answer.se / 0.1) ** 2),
        raters=() if alone else _rater_gaps(x, names, rated),
        notes=tuple(notes),
        liking=liking,
        benchmark=None if benchmark is None else benchmark_says(benchmark, answer.mean, liking),
    )


def _check_columns(sessions: Sequence[Session], external: Collection[str]) -> None:
    known = {name for session in sessions for name in session.features}
    if absent := [name for name in external if name not in known]:
        raise StatisticsError(f"no column {', '.join(absent)} is read; there are {', '.join(sorted(known)) or 'none'}")


def _left_out(sessions: Sequence[Session], arms: tuple[str, str]) -> list[str]:
    """That there are sessions of other arms, which a slip in a name makes, too."""
    others = Counter(session.arm for session in sessions if session.arm not in arms)
    named = ", ".join(repr(arm) for arm, _ in others.most_common(3)) + (", ..." if len(others) > 3 else "")
    return [f"{others.total()} sessions of other arms are left out: {named}"] if others else []


def _no_error(reason: str | None, persons: int) -> list[str]:
    """Why there is no error; with many users it is not that there are too few."""
    if reason and persons > 1 and "two labelled units" in reason:
        return ["a few users have so many of the sessions that errors by user cannot be estimated"]
    return [reason] if reason else []


def _canonical(session: Session) -> tuple[str, ...]:
    """In this order folds are drawn, so that the order of rows changes nothing."""
    user = "" if session.user.startswith("row ") else session.user
    return (user, session.arm, str(session.rating), str(sorted(session.features.items())))


def _check_arms(sessions: Sequence[Session], arms: tuple[str, str]) -> None:
    named = {session.arm for session in sessions}
    if arms[0] == arms[1]:
        raise StatisticsError(f"{arms[0]!r} is given twice; expected two arms")
    for arm in arms:
        if arm not in named:
            raise StatisticsError(f"no session belongs to arm {arm!r}; there are {', '.join(sorted(named)) or 'none'}")


def effort_effect(
    values: Sequence[tuple[str, float]], arms: tuple[str, str], of: str, *, level: float = 0.95
) -> EffectReport:
    """The difference of two arms' means of a number that every session has (Welch).

    Args:
        values: arm and value of each session.
        arms: names of two.
        of: what the values are.
        level: coverage of the interval.

    Raises:
        StatisticsError: an arm has less than two sessions.
    """
    parts = [np.array([value for arm, value in values if arm == name], dtype=np.float64) for name in arms]
    for name, part in zip(arms, parts, strict=True):
        if part.size < 2:
            raise StatisticsError(
                f"arm {name!r} has {part.size} sessions, and it takes two; there are "
                f"{', '.join(sorted({arm for arm, _ in values})) or 'none'}"
            )
    shares = [float(part.var(ddof=1)) / part.size for part in parts]
    se, difference = math.sqrt(sum(shares)), float(parts[0].mean() - parts[1].mean())
    df = se**4 / sum(share**2 / (part.size - 1) for share, part in zip(shares, parts, strict=True)) if se else 1.0
    half = t_quantile(level, df) * se if se else math.nan
    notes = ["messages are told apart by rules that miss many corrections (docs/effect.md)"]
    notes += [] if se else ["no session differs from the others of its arm, so that no error can be estimated"]
    return EffectReport(
        arms=arms,
        difference=difference,
        se=se or math.nan,
        interval=(difference - half, difference + half),
        p_value=float(t_two_sided(difference / se, df)) if se else math.nan,
        labelled=(parts[0].size, parts[1].size),
        unlabelled=(0, 0),
        users=sum(part.size for part in parts),
        correlation=math.nan,
        width_ratio=1.0,
        method="difference of means, Welch; each session counts as independent",
        level=level,
        ratings_alone=difference,
        ratings_alone_se=se,
        needed=None,
        raters=(),
        notes=tuple(notes),
        of=of,
    )


def _fitter(predictor: Predictor, seed: int) -> Callable[[NDArray[np.generic], Floats], Callable[..., Floats]]:
    if predictor == "ridge":
        return ridge_fit
    try:
        from sklearn.ensemble import RandomForestRegressor  # type: ignore[import-untyped]
    except ImportError as error:
        raise StatisticsError("a forest needs scikit-learn: pip install 'honestly[classifier]'") from error
    return lambda x, y: _forest_of(RandomForestRegressor(300, min_samples_leaf=5, random_state=seed), x, y)


def _forest_of(forest: Any, x: NDArray[np.generic], y: Floats) -> Callable[..., Floats]:  # noqa: ANN401 - scikit-learn's
    forest.fit(x, y)
    return lambda fresh: np.asarray(forest.predict(fresh), dtype=np.float64)


def _rater_gaps(x: Floats, names: Sequence[str], rated: NDArray[np.bool_]) -> tuple[FeatureGap, ...]:
    """The features, at most five, in which rated sessions differ most from the others."""
    gaps = [
        FeatureGap(
            name,
            float(x[rated, at].mean()),
            float(x[~rated, at].mean()),
            float(x[rated, at].mean() - x[~rated, at].mean()),
        )
        for at, name in enumerate(names)
    ]
    return tuple(sorted((gap for gap in gaps if abs(gap.gap) > _GAP), key=lambda gap: -abs(gap.gap))[:5])


def _chosen(users: Sequence[str], which: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(user for user, one in zip(users, which, strict=True) if one)
