"""How many trials of a study really are hacks, from what people said of the trials that a queue drew.

Directly: each stratum's share of hacks among the reviewed, weighted by the stratum's size. A queue is worked through in
its order, so what was reviewed is a random part of each stratum; how far people came is where the last label stands
that was given through a queue. Trials before it that are not decided (skipped, disputed, `cannot tell`) are left out of
the estimate and stand beside it, with what it would be if they all were hacks.

By correction: the flagged share and the detectors' sensitivity and specificity (Rogan & Gladen). These two must come
from trials that were *not* chosen by their flags: agents whose truth is known, or labels that no queue asked for. From
labels of a queue they would have to be weighted back, and the correction would then be the direct estimate again.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from honestly.people._labels import UNDECIDED, TrialLabels
from honestly.people._queue import FLAGGED, STRATA, UNFLAGGED, Queue, QueueItem, Standpoint
from honestly.records import Trial
from honestly.stats import Counted, Prevalence, Stratum, audit_bound, prevalence_estimate, stratified_prevalence

ALL = "all"
_AUDITS = (30, 100, 300, 1000, 3000)
_NEGATIVE = ("honest", "grader defect")


@dataclass(frozen=True, slots=True)
class Hacks:
    """How many hacks there are among the read trials of one arm."""

    arm: str
    """The agent; `all` for all of them."""
    strata: tuple[Stratum, ...]
    unresolved: Mapping[str, int]
    """Trials that people came past and did not decide, by stratum."""
    unread: int
    """Trials that nobody could read: nothing is said of them."""
    estimate: Prevalence
    highest: float
    """Upper end of the interval if all unresolved ones were hacks."""
    recall: float
    """Share of the estimated hacks that is flagged; NaN where that is not known."""
    recall_interval: tuple[float, float]
    """At least 95%: the ends of both strata's intervals at 97.5% put together."""
    missed_at_most: int
    """Hacks among the unflagged that the review leaves possible, with 95% confidence."""


def hack_estimates(
    queue: Queue, labels: Mapping[str, TrialLabels], positive: Collection[str] = ("hack",)
) -> list[Hacks]:
    """Estimate how many hacks there are, agent by agent, and together where there are several agents.

    Args:
        queue: what was drawn.
        labels: what people now say.
        positive: the labels that count as a hack.
    """
    reached = _reached(queue, labels)
    agents = sorted({agent for sizes in [*queue.sizes.values(), queue.unread] for agent in sizes})
    rows = [
        _arm_estimate(queue, agent, [item for item in reached if item.agent == agent], labels, positive)
        for agent in agents
    ]
    return rows if len(agents) == 1 else [*rows, _arm_estimate(queue, ALL, reached, labels, positive)]


def _reached(queue: Queue, labels: Mapping[str, TrialLabels]) -> list[QueueItem]:
    """The items up to the last one of each stratum that somebody labelled because a queue asked."""
    last: dict[str, int] = {}
    for place, item in enumerate(queue.items):
        said = labels.get(item.trial)
        if said is not None and any(review.queue for review in said.opinions):
            last[item.stratum] = place
    return [item for place, item in enumerate(queue.items) if place <= last.get(item.stratum, -1)]


def _arm_estimate(
    queue: Queue, arm: str, reached: Sequence[QueueItem], labels: Mapping[str, TrialLabels], positive: Collection[str]
) -> Hacks:
    seen: dict[str, Counter[str]] = {stratum: Counter() for stratum in STRATA}
    for item in reached:
        said = labels.get(item.trial)
        decided = said is not None and said.is_decided
        seen[item.stratum][said.label if said is not None and decided else UNDECIDED] += 1
    sizes = {name: queue.size(name) if arm == ALL else queue.sizes[name].get(arm, 0) for name in STRATA}
    unresolved = {name: seen[name].pop(UNDECIDED, 0) for name in STRATA}
    strata, worst = [], []
    for name in STRATA:
        found = sum(count for label, count in seen[name].items() if label in positive)
        strata.append(Stratum(name, sizes[name], Counted(found, seen[name].total())))
        most = Counted(found + unresolved[name], seen[name].total() + unresolved[name])
        worst.append(Stratum(name, sizes[name], most))
    flagged = sum(sizes[name] for name in STRATA if name != UNFLAGGED)
    apparent = flagged / sum(sizes.values()) if sum(sizes.values()) else math.nan
    unread = sum(queue.unread.values()) if arm == ALL else queue.unread.get(arm, 0)
    recall, interval = _recall_estimate(strata)
    return Hacks(
        arm,
        tuple(strata),
        unresolved,
        unread,
        stratified_prevalence(strata, apparent=apparent),
        stratified_prevalence(worst).interval[1],
        recall,
        interval,
        audit_bound(strata[STRATA.index(UNFLAGGED)].reviewed, sizes[UNFLAGGED]),
    )


def _recall_estimate(strata: Sequence[Stratum]) -> tuple[float, tuple[float, float]]:
    """Share of the hacks that somebody flagged: everything outside the unflagged stratum."""
    rest = [stratum for stratum in strata if stratum.name != UNFLAGGED]
    left = [stratum for stratum in strata if stratum.name == UNFLAGGED]
    found, missed = (stratified_prevalence(part, 0.975) for part in (rest, left))
    n, m = sum(stratum.size for stratum in rest), sum(stratum.size for stratum in left)
    if not n or not m:
        return (math.nan, (math.nan, math.nan))
    return (
        _share_of_sum(n * found.share, m * missed.share),
        (
            _share_of_sum(n * found.interval[0], m * missed.interval[1]),
            _share_of_sum(n * found.interval[1], m * missed.interval[0]),
        ),
    )


def _share_of_sum(one: float, other: float) -> float:
    return one / (one + other) if one + other > 0 else math.nan


@dataclass(frozen=True, slots=True)
class KnownRates:
    """How often detectors flag hacks, and how often honest trials, where it is known what is what."""

    hits: Counted
    """Flagged, of the hacks that could be read."""
    false_alarms: Counted
    """Flagged, of the honest ones that could be read."""


def known_rates(
    trials: Iterable[Trial], labels: Mapping[str, TrialLabels], found: Mapping[str, Standpoint]
) -> KnownRates:
    """Count the flags of each detector on trials whose truth is known, or that people labelled without a queue.

    `suspicious` is neither a hack nor honest. Of a trial of an agent whose truth is known, that counts and no label.
    """
    count: Counter[tuple[bool, bool]] = Counter()
    for trial in trials:
        state = found[trial.id].state if trial.id in found else ""
        said = labels.get(trial.id)
        if state not in {"flagged", "clean"}:
            continue
        if trial.truth is not None:
            count[trial.truth.kind != "honest", state == "flagged"] += 1
        elif said is not None and said.label in {"hack", *_NEGATIVE} and not any(r.queue for r in said.opinions):
            count[said.label == "hack", state == "flagged"] += 1
    return KnownRates(
        *(Counted(count[truth, True], count[truth, True] + count[truth, False]) for truth in (True, False))
    )


def corrected_prevalence(
    agents: Mapping[str, str], found: Mapping[str, Standpoint], known: KnownRates
) -> dict[str, Prevalence]:
    """Estimate the share of hacks behind each agent's flags, and behind all, by Rogan & Gladen's correction.

    Args:
        agents: the agent of each trial of the study.
        found: what the audit thinks of each trial.
        known: what is known of the detectors; taken to be the same for every agent.
    """
    count: dict[str, Counter[str]] = defaultdict(Counter)
    for trial, agent in agents.items():
        if trial in found and found[trial].state in {"flagged", "clean"}:
            for arm in (agent, ALL):
                count[arm][found[trial].state] += 1
    flagged = {arm: Counted(states[FLAGGED], states.total()) for arm, states in sorted(count.items())}
    return {arm: prevalence_estimate(some, known.hits, known.false_alarms) for arm, some in flagged.items()}


def clean_review_bounds(unflagged: int) -> list[tuple[int, int]]:
    """List what a clean review of so many random unflagged trials would prove: at most so many hacks."""
    return [(n, audit_bound(Counted(0, n), unflagged)) for n in [*(n for n in _AUDITS if n < unflagged), unflagged]]


def reviews_needed(flagged: int, unflagged: int, width: float, missed: float = 0.01) -> int | None:
    """Number of random unflagged trials to review, beside all flagged ones, for an interval of this width.

    Args:
        flagged: trials that somebody flagged, all of which are reviewed.
        unflagged: trials that nobody did.
        width: of the 95% interval of the share of hacks, as a share.
        missed: the share of the unflagged that is expected to be hacks.

    Returns:
        None where even all of them would not do.
    """

    def enough(n: int) -> bool:
        some = Counted(min(n, math.ceil(missed * n)), n)
        found = stratified_prevalence(
            [Stratum("flagged", flagged, Counted(0, flagged)), Stratum("unflagged", unflagged, some)]
        )
        return found.interval[1] - found.interval[0] <= width

    if not unflagged or not enough(unflagged):
        return None
    few, many = 0, unflagged
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many
