"""How many hacks there really are, from reviews or by correction, and what looking at more trials would prove."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.errors import StoreError
from honestly.people._classifier import CLASSIFIER
from honestly.people._hacks import (
    Hacks,
    KnownRates,
    clean_review_bounds,
    corrected_prevalence,
    hack_estimates,
    known_rates,
    reviews_needed,
)
from honestly.people._labels import labels_of
from honestly.people._queue import STRATA, UNFLAGGED, Queue, Standpoint, audit_standpoints, queues_of
from honestly.show import (
    Shown,
    as_json,
    dim_line,
    finite_or_none,
    hundredths_text,
    interval_text,
    numbers_table,
    printable_text_line,
)
from honestly.stats import Prevalence
from honestly.store import Store

_ODD = ("hack", "suspicious")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PrevalenceReport(Shown):
    """How many hacks a study contains, from reviews or from a study with known truth."""

    main_table: ClassVar[str] = "by_review"

    study: str
    """Its file."""
    queue: str | None
    """The review queue that it rests on."""
    later: int
    """Trials that came after that queue was drawn: it says nothing of them."""
    reviewed: tuple[Hacks, ...]
    odd: tuple[Hacks, ...]
    """What `reviewed` holds, with suspicious trials counted as hacks."""
    corrected: Mapping[str, Prevalence]
    """By arm: the flagged share, corrected by how good the detectors are."""
    known: KnownRates
    """How good they are."""
    unequal: tuple[str, ...]
    """Detectors at whose versions this study and the one whose truth is known differ."""
    flagged: int
    """Trials that somebody flagged, or that judges differ about."""
    unflagged: int
    """The others that were read."""
    width: float
    """Of the interval that somebody wants."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON; what cannot be known is null."""
        none_found = [{"reviewed": n, "at_most": most} for n, most in clean_review_bounds(self.unflagged)]
        return as_json(
            {
                "study": self.study,
                "queue": self.queue,
                "by_review": [_prevalence_row(row, more) for row, more in zip(self.reviewed, self.odd, strict=True)],
                "by_correction": {arm: _estimate_fields(one) for arm, one in self.corrected.items()},
                "sensitivity": [self.known.hits.found, self.known.hits.of],
                "false_alarms": [self.known.false_alarms.found, self.known.false_alarms.of],
                "unflagged": self.unflagged,
                "none_found_would_prove": none_found,
                "width": self.width,
                "reviews_for_width": reviews_needed(self.flagged, self.unflagged, self.width),
            }
        )

    @property
    def is_reviewed(self) -> bool:
        """Whether anybody has reviewed a trial of the queue."""
        return any(stratum.reviewed.of for row in self.reviewed for stratum in row.strata)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if self.later:
            yield dim_line(f"{self.later} trials came after queue {self.queue} was drawn: its figures are not of them")
        if self.unequal:
            names = ", ".join(self.unequal[:5])
            which = "the two studies were not audited by the same versions of all detectors"
            yield dim_line(f"{which} ({names}); audit them again")
        if self.is_reviewed:
            yield _reviewed_table(self.reviewed, options.max_width)
            yield from map(Text, _reviewed_lines(self.reviewed, self.odd))
        if self.known.hits.of or self.known.false_alarms.of:
            widths = {"arm": 0, "% hacks": 5, "95% interval": 13, "flagged %": 5}
            rows = [(arm, *_percent_cells(one)) for arm, one in self.corrected.items()]
            title = "Hacks behind the flags, by Rogan and Gladen's correction"
            yield numbers_table(title, widths, rows, options.max_width)
            yield from map(Text, _corrected_lines(self))
        yield from map(Text, _prospects(self))


def prevalence_report(study: Store, name: str, known: Store | None = None, width: float = 0.02) -> PrevalenceReport:
    """How many hacks there are, with their uncertainty.

    Args:
        study: a study that was audited.
        name: of it, to be shown.
        known: an audited study whose truth is known, to measure the detectors on; else what is known of this one's.
        width: of the interval to say the number of reviews for.

    Raises:
        StoreError: the study has no findings, or cannot be read.
    """
    found, labels, queues = audit_standpoints(study), labels_of(study.reviews()), queues_of(study)
    if not found:
        raise StoreError(f"the study has no findings, so nothing is flagged or clean; run: honestly audit {name}")
    agents = {cell.id: cell.agent for cell in study.cells()}
    queue = queues[-1] if queues else None
    rates = (
        known_rates(study.trials(), labels, found)
        if known is None
        else known_rates(known.trials(), labels_of(known.reviews()), audit_standpoints(known))
    )
    flagged, unflagged = _sizes(queue, found)
    return PrevalenceReport(
        study=name,
        queue=queue.name if queue else None,
        later=len(agents) - queue.trial_count if queue else 0,
        reviewed=tuple(hack_estimates(queue, labels)) if queue else (),
        odd=tuple(hack_estimates(queue, labels, _ODD)) if queue else (),
        corrected=corrected_prevalence(agents, found, rates),
        known=rates,
        unequal=_unequal(study, known) if known is not None else (),
        flagged=flagged,
        unflagged=unflagged,
        width=width,
    )


def _unequal(study: Store, other: Store) -> tuple[str, ...]:
    mine, theirs = ({(one.detector, one.version) for one in each.findings()} for each in (study, other))
    return tuple(sorted({name for name, _ in mine ^ theirs} - {CLASSIFIER}))


def _sizes(queue: Queue | None, found: Mapping[str, Standpoint]) -> tuple[int, int]:
    """Trials that somebody flagged or that judges differ about, and the others that were read."""
    if queue is not None:
        return sum(queue.size(name) for name in STRATA if name != UNFLAGGED), queue.size(UNFLAGGED)
    strata = [each.stratum for each in found.values()]
    return sum(bool(name) and name != UNFLAGGED for name in strata), strata.count(UNFLAGGED)


def _prevalence_row(row: Hacks, odd: Hacks) -> dict[str, object]:
    return {
        "arm": row.arm,
        "strata": [
            {
                "name": stratum.name,
                "trials": stratum.size,
                "reviewed": stratum.reviewed.of,
                "hacks": stratum.reviewed.found,
                "unresolved": row.unresolved[stratum.name],
            }
            for stratum in row.strata
        ],
        "unread": row.unread,
        **_estimate_fields(row.estimate),
        "highest_if_unresolved_are_hacks": finite_or_none(row.highest),
        "with_suspicious": _estimate_fields(odd.estimate),
        "recall": finite_or_none(row.recall),
        "recall_interval": [finite_or_none(end) for end in row.recall_interval],
        "missed_at_most": row.missed_at_most,
    }


def _estimate_fields(one: Prevalence) -> dict[str, object]:
    return {
        "share": finite_or_none(one.share),
        "interval": [finite_or_none(end) for end in one.interval] if not math.isnan(one.share) else None,
        "flagged_share": finite_or_none(one.apparent),
        "reason": one.reason,
    }


def _reviewed_table(rows: tuple[Hacks, ...], room: int) -> RenderableType:
    widths = {"arm": 0} | dict.fromkeys(("trials", "reviewed", "hacks", "% hacks"), 6)
    widths |= {"95% interval": 13, "flagged %": 5, "unresolved": 4}
    cells = [
        (
            row.arm,
            str(sum(stratum.size for stratum in row.strata)),
            str(sum(stratum.reviewed.of for stratum in row.strata)),
            str(sum(stratum.reviewed.found for stratum in row.strata)),
            *_percent_cells(row.estimate),
            str(sum(row.unresolved.values())),
        )
        for row in rows
    ]
    return numbers_table("Hacks among the trials that could be read, from reviews", widths, cells, room)


def _reviewed_lines(rows: tuple[Hacks, ...], odd: tuple[Hacks, ...]) -> Iterator[str]:
    whole, more = rows[-1], odd[-1]
    for reason in dict.fromkeys(f"{row.arm}: {row.estimate.reason}" for row in rows if row.estimate.reason):
        yield printable_text_line(f"not known for {reason}")
    if whole.estimate.reason:
        return
    if any(whole.unresolved.values()):
        yield f"at most {whole.highest:.1%} if all unresolved ones were hacks"
    if more.estimate.share > whole.estimate.share:
        low, high = more.estimate.interval
        yield f"suspicious ones with them: {more.estimate.share:.1%} [{low:.1%}, {high:.1%}]"
    if not math.isnan(whole.recall):
        low, high = whole.recall_interval
        yield f"of the hacks {whole.recall:.0%} are flagged [{low:.0%}, {high:.0%}]"
    yield (
        f"at most {whole.missed_at_most} hacks are among the {whole.strata[-1].size} unflagged (95% confidence); "
        f"of {whole.unread} unreadable trials nothing is known"
    )


def _corrected_lines(report: PrevalenceReport) -> Iterator[str]:
    hits, alarms = report.known.hits, report.known.false_alarms
    yield (
        f"as measured: flagged are {hits.found} of {hits.of} known hacks and {alarms.found} of {alarms.of} known "
        "honest trials; taken to hold for every agent"
    )
    for reason in dict.fromkeys(one.reason for one in report.corrected.values() if one.reason):
        yield printable_text_line(f"not known: {reason}")


def _prospects(report: PrevalenceReport) -> Iterator[str]:
    flagged, unflagged = report.flagged, report.unflagged
    if not report.is_reviewed:
        yield f"Trials flagged or in dispute: {flagged}; others: {unflagged}. Nobody has reviewed any."
    yield f"Reviewing so many random ones of the {unflagged} unflagged trials, and finding no hack, would prove:"
    for n, most in clean_review_bounds(unflagged):
        yield f"  {n:6}  at most {most} hacks ({most / unflagged:.1%})" if unflagged else "  nothing is unflagged"
    needed = reviews_needed(flagged, unflagged, report.width)
    words = f"{needed} random unflagged ones" if needed is not None else "more unflagged ones than there are"
    wanted = f"For an interval {report.width:.1%} wide"
    yield f"{wanted}: review the {flagged} flagged ones and {words}, if 1% of these are hacks."


def _percent_cells(one: Prevalence) -> tuple[str, str, str]:
    known = not math.isnan(one.share)
    share, interval = (hundredths_text(one.share), interval_text(*one.interval)) if known else ("unknown", "")
    return share, interval, hundredths_text(one.apparent)
