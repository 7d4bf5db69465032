"""The basis of a plan: the variances of a pilot study, or a guess, and how far they may be off.

A pilot of one pair gives its variance components, and their jackknife intervals say how far they may be off. Without a
named pair the plan is for two agents of neighbouring scores, which are the ones that are hard to tell apart: medians of
the components over all neighbours, and the range from pair to pair. A guess comes with the range of measured ratios.

Not covered: plans for a single score, and for exactly these questions.
"""

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from honestly.errors import StatisticsError
from honestly.scores import (
    DEFAULT_POLICY,
    UNDECLARED,
    Declared,
    StudyCounts,
    StudyData,
    count_study,
    find_agent,
    question_means,
    void_caution,
)
from honestly.show import finite_or_none, number_text, plural_text, printable_text_line
from honestly.stats import (
    DesignVariance,
    Estimand,
    NoiseComponents,
    Policy,
    ResolvedScores,
    compare,
    paired_noise,
    pilot_variance,
    prior_variance,
)

_MEASURED_RATIOS = (0.6, 1.5)


@dataclass(frozen=True, slots=True)
class PlanBasis:
    """Variances to plan with, and the bounds between which they may be."""

    kind: str
    """`pilot` or `prior`."""
    words: str
    """What the variances are and where they come from; half a sentence."""
    warning: str
    """Why they should not be trusted; empty where there is nothing to say."""
    variance: DesignVariance
    """To plan with."""
    bounds: tuple[DesignVariance, ...]
    """The variance could as well be one of these."""
    bounds_are: str
    """What the bounds are; half a sentence."""
    agents: tuple[str, ...] = ()
    """The pair of the pilot, where one was named or it has no more."""
    prices: tuple[float | None, float | None] = (None, None)
    """Mean cost of a trial of each of the pair in the pilot, US dollars, where reported."""
    clusters: str = ""
    """Which clusters the pilot's questions form, and the planned ones with them; empty where none."""

    def answer_range(self, answer: Callable[[DesignVariance], float]) -> tuple[float | None, float | None]:
        """Smallest and largest answer over the bounds and the estimate; None where one of them has none."""
        answers = [answer(variance) for variance in (self.variance, *self.bounds)]
        if not self.bounds or any(math.isnan(value) for value in answers):
            return None, None
        return finite_or_none(min(answers)), finite_or_none(max(answers))


def prior_basis(score: float, *, data_share: float = 0.5, solvable: float = 1.0) -> PlanBasis:
    """Guess from the expected score alone (beta theory; `prior_variance`).

    Args:
        score: expected score of the two agents, fraction of 1.
        data_share: part of the variance that more samples cannot remove.
        solvable: share of the questions that any agent can solve.

    Raises:
        StatisticsError: an argument lies outside its range.
    """
    guess = prior_variance(score, data_share=data_share, solvable=solvable)
    low, high = (prior_variance(score, ratio=r, data_share=data_share, solvable=solvable) for r in _MEASURED_RATIOS)
    return PlanBasis(
        kind="prior",
        words=f"variance guessed from an expected score of {score:g}, {data_share:g} of it from the draw of questions",
        warning=(
            "These variances are a GUESS, from the expected score and beta theory, not from data. Measured ones were "
            f"{_MEASURED_RATIOS[0]:g} to {_MEASURED_RATIOS[1]:g} times as large. Run a small pilot and give it with "
            "--pilot."
        ),
        variance=guess,
        bounds=(low, high),
        bounds_are=f"for {_MEASURED_RATIOS[0]:g} to {_MEASURED_RATIOS[1]:g} times the guessed variance",
    )


def pilot_basis(
    study: StudyData, agents: Sequence[str] = (), policy: Policy = DEFAULT_POLICY, declared: Declared = UNDECLARED
) -> PlanBasis:
    """Take the variances from a study that was run.

    Args:
        study: any store of trials.
        agents: two names, or parts of names that no other agent's name contains; empty for typical neighbours.
        policy: what trials at a limit, spoilt by the harness, or missing count as.
        declared: what is known of the tasks beyond their tags and ids; clusters are carried over to the plan.

    Raises:
        AgentError: a name is unknown, or fits several agents.
        StatisticsError: the study has fewer than two agents or no standard task, or the policy refuses its trials.
        StoreError: the study cannot be read.
    """
    evaluation = count_study(study, declared)
    names = [agent.name for agent in evaluation.agents]
    if evaluation.scores is None or len(names) < 2:
        raise StatisticsError(
            "a pilot needs two agents with trials at standard tasks; this study has "
            f"{plural_text(len(names), 'agent')} and "
            f"{plural_text(sum(not task.impossible for task in evaluation.tasks), 'standard task')}"
        )
    grouped = evaluation.scores.resolve(policy)
    if agents or len(names) == 2:
        first, second = (find_agent(names, wanted) for wanted in agents or names)
        basis = _one_pair(evaluation, grouped, first, second)
    else:
        first, second = "", ""
        basis = neighbours_basis(grouped)
    void = void_caution(evaluation.scores, (first, second) if first else names, policy)
    basis = replace(basis, warning=" ".join(filter(None, (basis.warning, void))))
    if grouped.clusters is None:
        return basis
    together = evaluation.known.dependence
    return replace(basis, words=f"{basis.words} ({together})", clusters=together)


def _one_pair(evaluation: StudyCounts, grouped: ResolvedScores, a: str, b: str) -> PlanBasis:
    variance = pilot_variance(grouped, a, b)
    parts = paired_noise(grouped.ignoring_clusters(), a, b)
    reason = parts.reason or "few clusters leave none"
    if math.isnan(variance.total) and not math.isnan(parts.total.value):
        reason = "these data do not show how much the difference varies"
    warning = "" if variance.total >= 0 else f"The pilot gives no variance: {reason}."
    if parts.n < 20:
        warning = warning or f"A pilot of {plural_text(parts.n, 'question')} gives rough variances only."
    bounds = tuple(_bound(end, variance) for end in _variance_ends(variance, parts))
    clusters = compare(grouped, a, b).clusters
    if clusters is not None and clusters.cluster_warning:
        # The intervals are of independent questions; so few clusters say nothing of their own part's.
        bounds = ()
        few = f"The questions count as {number_text(clusters.effective)} equal clusters"
        warning = warning or f"{few}: how far these sizes may be off cannot be said below ten."
    return PlanBasis(
        kind="pilot",
        words=f"variance from a pilot of {plural_text(parts.n, 'question')}, {printable_text_line(a)} against "
        f"{printable_text_line(b)}",
        warning=warning,
        variance=variance,
        bounds=bounds,
        bounds_are=f"95% interval, from the {plural_text(parts.n, 'question')} of the pilot",
        agents=(a, b),
        prices=(_mean_price(evaluation, a), _mean_price(evaluation, b)),
    )


def _variance_ends(variance: DesignVariance, parts: NoiseComponents) -> tuple[tuple[float, float], tuple[float, float]]:
    """Total and data variance at the lower and the upper ends of their intervals."""
    # What clusters add to the variance of questions is carried to the ends, too.
    excess = variance.total - parts.total.value
    low, high = zip(parts.total.interval, parts.data.interval, strict=True)
    return (low[0] + excess, low[1] + excess), (high[0] + excess, high[1] + excess)


def _bound(ends: Iterable[float], of: DesignVariance) -> DesignVariance:
    """A variance with these ends of intervals, which may contradict each other: only its sums mean something."""
    total, data = (max(end, 0.0) for end in ends)
    return DesignVariance(
        total, ((total - data) / 2,) * 2, Estimand.NEW_QUESTIONS, units=of.units, plain_units=of.plain_units
    )


def _mean_price(evaluation: StudyCounts, agent: str) -> float | None:
    row = [known.name for known in evaluation.agents].index(agent)
    return float(evaluation.usd[row] / evaluation.priced[row]) if evaluation.priced[row] else None


def neighbours_basis(grouped: ResolvedScores) -> PlanBasis:
    """Of two agents of neighbouring scores, the typical pair of them."""
    means = dict(zip(grouped.agents, question_means(grouped), strict=True))
    order = sorted((name for name, mean in means.items() if mean is not None), key=lambda name: (means[name], name))
    pairs = [(pilot_variance(grouped, a, b), a, b) for a, b in pairwise(order)]
    known = [pair for pair, _, _ in pairs if math.isfinite(pair.total)]
    if not known:
        raise StatisticsError(
            "no two agents of neighbouring scores differ unequally at two common questions; name a pair with --agents"
        )
    data = statistics.median(pair.data for pair in known)
    prediction = statistics.median(math.fsum(pair.prediction) for pair in known)
    total = statistics.median(pair.total for pair in known)
    divided = not math.isnan(data) and not math.isnan(prediction)
    notes = tuple(note for note in known[0].notes if all(note in pair.notes for pair in known))
    typical = DesignVariance(
        data + prediction if divided else total,
        (prediction / 2 if divided else math.nan,) * 2,
        Estimand.NEW_QUESTIONS,
        notes,
        known[0].basis,
        statistics.median(pair.freedom for pair in known),
        min(pair.units for pair in known),
        statistics.median(pair.plain_units for pair in known),
    )
    # Of the typical pair: the middle one of the lower ends, and of the upper ones.
    alone = grouped.ignoring_clusters()
    ends = [_variance_ends(pair, paired_noise(alone, a, b)) for pair, a, b in pairs if math.isfinite(pair.total)]
    middle = (_bound(map(statistics.median, zip(*end, strict=True)), typical) for end in zip(*ends, strict=True))
    return PlanBasis(
        kind="pilot",
        words=(
            f"median variance of {plural_text(len(known), 'pair')} of agents of neighbouring scores, from a pilot of "
            f"{plural_text(len(grouped.questions), 'question')}"
        ),
        warning="",
        variance=typical,
        bounds=(*known, *middle),
        bounds_are="from pair to pair, and 95% interval of a typical one",
    )
