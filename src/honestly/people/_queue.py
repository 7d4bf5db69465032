"""Which trials people are asked about, in which order, and with what probability each of them was drawn.

A queue is drawn once and kept in the study as a fact that is never changed; a new draw is a new queue. The trials that
could be read lie in strata: those that somebody flagged, those about which judges differ, and the others. Each
trial has a rank that only the seed and its id decide; the first of each stratum are drawn, so that whatever part of the
queue has been worked through is a random sample of every stratum, and a longer queue of the same seed begins with the
shorter one. The strata are interleaved: a place in the queue says nothing.

A share of the trials is asked of two people. These, and the unflagged ones, are shown blind: without what the detectors
said. So a trial that is shown blind may be a flagged one, and what two people agree on is not the detectors' opinion.

Judges are the detectors together, and each source that reads the whole trial by itself. They differ where one flags a
trial and another found it clean; where the monitor's own views differ; and where a new version of a detector no longer
agrees with the old one. Detectors look for different things, so that one flags and another does not is no difference.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from honestly.audit import GRADER_DEFECT, state_of
from honestly.errors import StoreError
from honestly.people._labels import CODEBOOK_VERSION, TrialLabels
from honestly.records import Finding, Record, digest
from honestly.store import Cell, Store

FLAGGED, DISAGREEMENT, UNFLAGGED = "flagged", "disagreement", "unflagged"
STRATA = (FLAGGED, DISAGREEMENT, UNFLAGGED)
"""The strata of a queue; every readable trial is in exactly one."""

JUDGES = ("monitor", "classifier")
"""Detectors that judge the whole trial, each by itself."""

VIEWS = "monitor-views"
"""The detector that flags trials about which the monitor's own views differ; a question for people, not a suspicion."""


@dataclass(frozen=True, slots=True)
class Standpoint:
    """The audit's findings about one trial."""

    state: str
    """What all findings together say: `flagged`, `clean`, `unreadable`, `error`."""
    differ: str
    """Who differs, in a few words; empty where nobody does."""

    @property
    def stratum(self) -> str:
        """The stratum, empty for a trial that was not read."""
        if self.differ:
            return DISAGREEMENT
        return {"flagged": FLAGGED, "clean": UNFLAGGED}.get(self.state, "")


def audit_standpoints(study: Store) -> dict[str, Standpoint]:
    """Collect what the audit found about each trial that it looked at."""
    now: dict[str, dict[str, Finding]] = defaultdict(dict)
    turned: dict[str, dict[str, str]] = defaultdict(dict)
    for finding in study.findings():
        before = now[finding.trial].get(finding.detector)
        if before is not None and before.version != finding.version:
            turned[finding.trial].pop(finding.detector, None)
            if {before.state, finding.state} == {"flagged", "clean"}:
                turned[finding.trial][finding.detector] = f"{finding.detector} {before.version} and {finding.version}"
        now[finding.trial][finding.detector] = finding
    return {
        trial: Standpoint(_state(found), _differ(found) or ", ".join(turned[trial].values()))
        for trial, found in now.items()
    }


def _rule_findings(found: Mapping[str, Finding]) -> list[Finding]:
    apart = {*JUDGES, VIEWS}
    return [finding for name, finding in found.items() if name not in apart and finding.category != GRADER_DEFECT]


def _state(found: Mapping[str, Finding]) -> str:
    """Flagged by anybody; else what the detectors say, as a judge that broke does not make their reading undone."""
    rules, judges = _rule_findings(found), [found[name] for name in JUDGES if name in found]
    if any(judge.state == "flagged" for judge in judges):
        return "flagged"
    return state_of(rules or judges)


def _differ(found: Mapping[str, Finding]) -> str:
    states: dict[str, str] = {name: found[name].state for name in JUDGES if name in found}
    if rules := _rule_findings(found):
        states["detectors"] = state_of(rules)
    flags = [name for name, state in states.items() if state == "flagged"]
    clears = [name for name, state in states.items() if state == "clean"]
    if flags and clears:
        return f"{', '.join(flags)} against {', '.join(clears)}"
    return "the monitor's views" if VIEWS in found and found[VIEWS].state == "flagged" else ""


_FACT = "review_queue_"


class QueueItem(Record, frozen=True, kw_only=True):
    """One trial that people are asked about."""

    trial: str
    agent: str
    task: str
    stratum: str
    double: bool = False
    """Whether two people are asked."""
    blind: bool = False
    """Whether it is shown without what detectors said, and without the agent's name."""


class Queue(Record, frozen=True, kw_only=True):
    """A queue of drawn trials, as stored in the study."""

    name: str
    """1 for the first queue of a study, and so on."""
    seed: int
    drawn_at: str
    codebook: str
    detectors: dict[str, tuple[str, ...]]
    """The versions whose findings made the strata, by detector."""
    sizes: dict[str, dict[str, int]]
    """Trials of each stratum, by agent: what was drawn from."""
    unread: dict[str, int]
    """Trials of each agent that nobody could read; they are in no stratum."""
    items: tuple[QueueItem, ...]
    """The trials, in the order in which they are asked about."""

    @property
    def trial_count(self) -> int:
        """Number of trials in the study when the queue was drawn."""
        return sum(map(self.size, STRATA)) + sum(self.unread.values())

    def size(self, stratum: str) -> int:
        """Number of trials in a stratum, drawn or not."""
        return sum(self.sizes.get(stratum, {}).values())

    def drawn(self, stratum: str) -> int:
        """Number of trials of a stratum in the queue."""
        return sum(item.stratum == stratum for item in self.items)

    def draw_probability(self, stratum: str) -> float:
        """Probability with which each trial of a stratum was drawn; NaN for an empty one."""
        return self.drawn(stratum) / self.size(stratum) if self.size(stratum) else float("nan")


@dataclass(frozen=True, slots=True)
class Draw:
    """How a queue is drawn: trials per stratum, share for two people, seed."""

    seed: int = 0
    most: Mapping[str, int | None] | None = None
    """Trials of each stratum, at most; None: all of them. Without it: all but the unflagged, of which 300 are drawn."""
    double: float = 0.2
    """Share of the trials that two people are asked about."""
    blind: bool = False
    """Whether all are shown blind."""


_USUAL: Mapping[str, int | None] = {FLAGGED: None, DISAGREEMENT: None, UNFLAGGED: 300}


def draw_queue(study: Store, draw: Draw, found: Mapping[str, Standpoint] | None = None) -> Queue:
    """Draw a new queue from a study; nothing is stored yet.

    Args:
        study: with the findings of an audit.
        draw: what to draw.
        found: what the audit thinks, where that is known already.

    Raises:
        StoreError: the study was never audited, or no trial of it could be read.
    """
    found = audit_standpoints(study) if found is None else found
    if not found:
        raise StoreError("the study has no findings to choose trials by; run `honestly audit` on it first")
    cells = study.cells()
    by_stratum: dict[str, list[Cell]] = defaultdict(list)
    for cell in sorted(cells, key=lambda cell: digest("review", draw.seed, cell.id)):
        by_stratum[found[cell.id].stratum if cell.id in found else ""].append(cell)
    if set(by_stratum) <= {""}:
        raise StoreError(
            "no detector could read any trial of the study, so there is nothing to review; run honestly audit first"
        )
    most = {**_USUAL, **(draw.most or {})}
    places: list[tuple[float, int, QueueItem]] = []
    for order, stratum in enumerate(STRATA):
        chosen = by_stratum[stratum][: most[stratum]]
        for place, cell in enumerate(chosen):
            places.append(((place + 0.5) / len(chosen), order, _item(cell, stratum, draw)))
    return Queue(
        name=str(len(queues_of(study)) + 1),
        seed=draw.seed,
        drawn_at=datetime.now(UTC).isoformat(timespec="seconds"),
        codebook=CODEBOOK_VERSION,
        detectors=_detector_versions(study),
        sizes={stratum: dict(Counter(cell.agent for cell in by_stratum[stratum])) for stratum in STRATA},
        unread=dict(Counter(cell.agent for cell in by_stratum[""])),
        items=tuple(item for _, _, item in sorted(places, key=lambda entry: entry[:2])),
    )


def keep_queue(study: Store, queue: Queue) -> None:
    """Put a queue into the study.

    Raises:
        StoreError: there is one of its name already.
    """
    if any(other.name == queue.name for other in queues_of(study)):
        raise StoreError(f"the study has a queue {queue.name} already; draw a new one")
    study.keep(f"{_FACT}{queue.name}", queue)


def queues_of(study: Store) -> list[Queue]:
    """All queues of a study, the oldest first.

    Raises:
        StoreError: a newer honestly made one of them.
    """
    found = study.all_kept(Queue, _FACT).values()
    return sorted(found, key=lambda queue: int(queue.name) if queue.name.isdigit() else 0)


def changed_since(queue: Queue, study: Store) -> list[str]:
    """Names of the detectors whose findings now have other versions than when the queue was drawn."""
    return sorted(name for name, versions in _detector_versions(study).items() if queue.detectors.get(name) != versions)


def to_label(queue: Queue, labels: Mapping[str, TrialLabels], reviewer: str) -> list[QueueItem]:
    """The trials that a person should label, in order: too few people labelled them, and not this one."""
    waiting = []
    for item in queue.items:
        said = labels.get(item.trial)
        people = {review.reviewer for review in said.opinions} if said else set()
        settled = said is not None and said.ruling is not None
        if reviewer not in people and not settled and len(people) < (2 if item.double else 1):
            waiting.append(item)
    return waiting


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """The progress of a stratum of a queue, in trials."""

    stratum: str
    size: int
    drawn: int
    labelled: int
    """By anybody."""
    left: int
    """For one person."""


def queue_progress(queue: Queue, labels: Mapping[str, TrialLabels], reviewer: str) -> list[QueueProgress]:
    """The progress of each stratum of a queue, and what is left for a person."""
    waiting = Counter(item.stratum for item in to_label(queue, labels, reviewer))
    done = Counter(item.stratum for item in queue.items if item.trial in labels)
    return [QueueProgress(name, queue.size(name), queue.drawn(name), done[name], waiting[name]) for name in STRATA]


def to_settle(labels: Iterable[TrialLabels], reviewer: str) -> list[TrialLabels]:
    """List the trials that people disagree about and that this person, who has not labelled them, can settle."""
    found = [each for each in labels if each.is_disputed]
    return [each for each in found if all(review.reviewer != reviewer for review in each.opinions)]


def _item(cell: Cell, stratum: str, draw: Draw) -> QueueItem:
    double = int(digest("double", draw.seed, cell.id)[:12], 16) / 16**12 < draw.double
    blind = draw.blind or double or stratum == UNFLAGGED
    return QueueItem(trial=cell.id, agent=cell.agent, task=cell.task, stratum=stratum, double=double, blind=blind)


def _detector_versions(study: Store) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = defaultdict(set)
    for finding in study.findings():
        found[finding.detector].add(finding.version)
    return {name: tuple(sorted(versions)) for name, versions in sorted(found.items())}
