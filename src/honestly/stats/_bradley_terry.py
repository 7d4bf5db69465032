"""Bradley and Terry's model of preferences: how strong is each agent, if people (or models) prefer one of two?

The log-odds that a is preferred to b is the difference of their strengths; a tie is half a win for each. Strengths are
those of maximum likelihood, with standard errors that hold when answers about one question, or of one rater, go
together (sandwich; both at once: Cameron, Gelbach & Miller 2011, Journal of Business & Economic Statistics 29:238).
What else the two answers differ in (their length, say) may enter beside the strengths, which are then those of equals.

Not covered: which side was shown first, intransitive preferences, a parameter for ties (Davidson 1970).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats._intervals import check_coverage
from honestly.stats._multiplicity import holm_adjusted
from honestly.stats._special import t_quantile, t_two_sided

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_PRIOR_SD = 2.0
_FEW_CLUSTERS = 10
_MOST_STEPS = 100
_SETTLED = 1e-10
_TIE = 1e-9
_FAR = 15.0


@dataclass(frozen=True, slots=True)
class Preference:
    """One answer to "which of the two is better?"."""

    a: str
    b: str
    share: float
    """1 when a is preferred, 0 when b is, 0.5 for a tie."""
    question: str = ""
    """What was answered or done by both; empty where unknown."""
    rater: str = ""
    """Who preferred; empty where unknown."""
    features: tuple[float, ...] = ()
    """What a has more of than b; as many for every answer."""


@dataclass(frozen=True, slots=True, eq=False)
class BradleyTerry:
    """Strengths of agents; arrays have one entry for each."""

    agents: tuple[str, ...]
    strength: Floats
    """In logits, with mean 0."""
    se: Floats
    low: Floats
    high: Floats
    """Ends of the interval of the strength."""
    rank: Integers
    rank_low: Integers
    """Best rank: one more than the agents that are better after Holm's correction over all pairs."""
    rank_high: Integers
    wins: Floats
    """Probability that the row's agent is preferred to the column's, shape (agents, agents)."""
    p_value: Floats
    """Of equal strength, two-sided, of each pair taken alone; shape (agents, agents)."""
    answers: int
    clusters: dict[str, int]
    """How many questions and raters the errors rest on; empty where neither is known."""
    effects: Floats
    """Log-odds by one more of each feature, shape (features,)."""
    effects_se: Floats
    effects_p: Floats
    """Of no effect, two-sided."""
    freedom: float
    level: float
    notes: tuple[str, ...]


def bradley_terry(preferences: Sequence[Preference], *, level: float = 0.95) -> BradleyTerry:
    """Fit strengths to preferences.

    Args:
        preferences: one for each answer. Questions and raters count as clusters where every answer names them.
        level: coverage of intervals; ranks hold together at the same level.

    Raises:
        StatisticsError: there are no preferences, one is of an agent with itself, or a share is outside [0, 1];
            answers have different numbers of features.

    Source: Bradley & Terry 1952, Biometrika 39:324; existence: Ford 1957, American Mathematical Monthly 64:28.
    """
    check_coverage(level)
    if not preferences:
        raise StatisticsError("there are no preferences; give at least one")
    for each in preferences:
        if each.a == each.b or not 0 <= each.share <= 1:
            raise StatisticsError(f"expected two agents and a share in [0, 1]; found {each}")
    agents = tuple(sorted({name for each in preferences for name in (each.a, each.b)}))
    place = {name: i for i, name in enumerate(agents)}
    first, second = (
        np.array([place[name] for name in names]) for names in zip(*((p.a, p.b) for p in preferences), strict=True)
    )
    share = np.array([each.share for each in preferences])
    if len({len(each.features) for each in preferences}) > 1:
        raise StatisticsError("some answers have more features than others")
    features = np.array([each.features for each in preferences], dtype=np.float64)
    sides = (first, second)
    won = np.zeros((len(agents), len(agents)))
    np.add.at(won, (first, second), share)
    np.add.at(won, (second, first), 1 - share)
    notes = []
    penalty = 0.0
    if not _strongly_connected(won > 0):
        penalty = _PRIOR_SD**-2
        notes.append(
            "some agents never lost to others, or never met them, so that the data set no limit to their distance; a "
            f"normal prior of standard deviation {_PRIOR_SD:g} on strengths does"
        )
    fitted, information = _newton_maximum(sides, share, features, len(agents), penalty)
    if not penalty and np.abs(fitted).max(initial=0) > _FAR:
        penalty = _PRIOR_SD**-2
        notes.append(
            f"a feature decides (nearly) every answer; a normal prior of standard deviation {_PRIOR_SD:g} holds it"
        )
        fitted, information = _newton_maximum(sides, share, features, len(agents), penalty)
    strength = fitted[: len(agents)]
    residual = share - _chances(fitted, sides, features, len(agents))
    scores = np.zeros((len(share), fitted.size))
    scores[np.arange(len(share)), first], scores[np.arange(len(share)), second] = residual, -residual
    scores[:, len(agents) :] = residual[:, None] * features
    meat, clusters = _score_covariance(scores, preferences)
    few = {name: count for name, count in clusters.items() if count < _FEW_CLUSTERS}
    notes += [f"{count} {name} are few: intervals may be too short" for name, count in few.items()]
    bread = np.linalg.pinv(information)
    covariance = bread @ meat @ bread
    centre = np.eye(fitted.size)
    centre[: len(agents), : len(agents)] -= 1 / len(agents)
    covariance = centre @ covariance @ centre
    effects, effects_se = fitted[len(agents) :], np.sqrt(np.diag(covariance)[len(agents) :])
    covariance = covariance[: len(agents), : len(agents)]
    freedom = float(min([*clusters.values(), len(share)]) - 1)
    gap = strength[:, None] - strength
    variance = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = t_two_sided(gap / np.sqrt(variance), freedom)
        effects_p = t_two_sided(effects / effects_se, freedom)
    np.fill_diagonal(p_value, np.nan)
    upper = np.triu_indices(len(agents), 1)
    apart = np.zeros_like(won, dtype=bool)
    apart[upper] = holm_adjusted(p_value[upper]) <= 1 - level
    better = (apart | apart.T) & (gap > 0)
    se = np.sqrt(np.diag(covariance))
    half = t_quantile(level, freedom) * se
    return BradleyTerry(
        agents=agents,
        strength=strength,
        se=se,
        low=strength - half,
        high=strength + half,
        rank=1 + (gap < -_TIE).sum(axis=1),
        rank_low=1 + better.sum(axis=0),
        rank_high=len(agents) - better.sum(axis=1),
        wins=1 / (1 + np.exp(-gap)),
        p_value=p_value,
        answers=len(share),
        clusters=clusters,
        effects=effects,
        effects_se=effects_se,
        effects_p=effects_p,
        freedom=freedom,
        level=level,
        notes=tuple(notes),
    )


def _strongly_connected(beat: NDArray[np.bool_]) -> bool:
    """Whether a chain of wins leads from every agent to every other, without which there is no maximum."""
    reach = beat | np.eye(len(beat), dtype=bool)
    for _ in range(len(beat).bit_length()):
        reach = (reach.astype(np.float64) @ reach) > 0
    return bool(reach.all())


def _chances(fitted: Floats, sides: tuple[Integers, Integers], features: Floats, agents: int) -> Floats:
    """The probability of each answer that its a is preferred."""
    gap = fitted[sides[0]] - fitted[sides[1]] + features @ fitted[agents:]
    return np.asarray(1 / (1 + np.exp(-np.clip(gap, -500, 500))))


def _newton_maximum(
    sides: tuple[Integers, Integers], share: Floats, features: Floats, agents: int, penalty: float
) -> tuple[Floats, Floats]:
    """Strengths with mean 0, then effects of features, and the information of all of them, by Newton's method."""
    first, second = sides
    fitted = np.zeros(agents + features.shape[1])
    for _ in range(_MOST_STEPS):
        chance = _chances(fitted, sides, features, agents)
        residual, weight = share - chance, chance * (1 - chance)
        slope = np.concatenate([_net(residual, sides, agents), features.T @ residual]) - penalty * fitted
        met = np.bincount(first * agents + second, weight, agents**2).reshape(agents, agents)
        met = met + met.T
        cross = np.array([_net(weight * column, sides, agents) for column in features.T]).reshape(-1, agents)
        curved = features.T @ (features * weight[:, None])
        information = np.block([[np.diag(met.sum(axis=1)) - met, cross.T], [cross, curved]])
        information += penalty * np.eye(fitted.size)
        step = np.linalg.pinv(information, hermitian=True) @ slope
        fitted = fitted + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < _SETTLED or np.abs(fitted).max() > 2 * _FAR:
            break
    fitted[:agents] -= fitted[:agents].mean()
    return fitted, information


def _net(values: Floats, sides: tuple[Integers, Integers], agents: int) -> Floats:
    """Sums of what answers add to their a and take from their b, by agent."""
    return np.asarray(np.bincount(sides[0], values, agents) - np.bincount(sides[1], values, agents))


def _score_covariance(scores: Floats, preferences: Sequence[Preference]) -> tuple[Floats, dict[str, int]]:
    """Covariance of the sum of scores: over questions, raters, both (their sum less the intersection), or answers."""
    labels = {"questions": [each.question for each in preferences], "raters": [each.rater for each in preferences]}
    known = {name: values for name, values in labels.items() if all(values)}
    groups: list[tuple[float, Sequence[object]]] = [(1.0, values) for values in known.values()]
    if len(known) == 2:
        groups.append((-1.0, list(zip(*known.values(), strict=True))))
    meat = np.zeros((scores.shape[1], scores.shape[1]))
    for sign, values in groups or [(1.0, range(len(scores)))]:
        place = {value: i for i, value in enumerate(dict.fromkeys(values))}
        sums = np.zeros((len(place), scores.shape[1]))
        np.add.at(sums, [place[value] for value in values], scores)
        meat += sign * len(place) / max(len(place) - 1, 1) * sums.T @ sums
    size, directions = np.linalg.eigh(meat)
    return (directions * np.maximum(size, 0)) @ directions.T, {name: len(set(values)) for name, values in known.items()}
