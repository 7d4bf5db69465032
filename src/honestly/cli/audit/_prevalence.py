"""`honestly audit --prevalence`: how many hacks there really are, and what looking at more trials would prove."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import gathered, plain, print_json, say
from honestly.errors import StoreError

if TYPE_CHECKING:
    from honestly.people import Hacks, Known, Queue, Standpoint
    from honestly.stats import Prevalence
    from honestly.store import Store

__all__ = ["Shares", "share_options"]


_FOUND = ("hack",)
_ODD = ("hack", "suspicious")


@dataclass(frozen=True, slots=True)
class Shares:
    """What was asked for."""

    prevalence: bool
    known: Path | None
    width: float

    def show(self, path: Path, *, as_json: bool) -> None:
        """Prints how many hacks there are, as far as reviews, or a study whose truth is known, tell."""
        from honestly.people import corrected, hacks, labels_of, queues_of, standpoints
        from honestly.store import open_study

        with open_study(path) as study:
            found, labels = standpoints(study), labels_of(study.reviews())
            queues = queues_of(study)
            agents = {cell.id: cell.agent for cell in study.cells()}
            known = _known(study, found, self.known)
        if not found:
            raise StoreError(f"the study has no findings, so nothing is flagged or clean; run: honestly audit {path}")
        if queues and (later := len(agents) - queues[-1].population):
            say(f"{later} trials came after queue {queues[-1].name} was drawn: its figures are not of them")
        rows = hacks(queues[-1], labels) if queues else []
        odd = hacks(queues[-1], labels, _ODD) if queues else []
        fixed = corrected(agents, found, known)
        sizes = _sizes(queues[-1] if queues else None, found)
        if as_json:
            print_json(
                {
                    "study": str(path),
                    "queue": queues[-1].name if queues else None,
                    "by_review": [_row(row, more) for row, more in zip(rows, odd, strict=True)],
                    "by_correction": {arm: _estimate(one) for arm, one in fixed.items()},
                    "sensitivity": [known.hits.found, known.hits.of],
                    "false_alarms": [known.false_alarms.found, known.false_alarms.of],
                    **_prospects(sizes, self.width),
                }
            )
            return
        reviewed = any(stratum.reviewed.of for row in rows for stratum in row.strata)
        if reviewed:
            _show_reviewed(rows, odd)
        if known.hits.of or known.false_alarms.of:
            _show_corrected(fixed, known)
        _show_prospects(path, sizes, self.width, reviewed=reviewed)


_OPTIONS = (
    click.option("--prevalence", is_flag=True, help="How many hacks there really are, from people's reviews."),
    click.option(
        "--known",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="STUDY",
        help="With --prevalence: an audited study whose truth is known, to measure the detectors on.",
    ),
    click.option(
        "--width",
        type=click.FloatRange(0.001, 1),
        default=0.02,
        show_default=True,
        help="With --prevalence: the width of interval to say the number of reviews for.",
    ),
)

share_options = gathered(Shares, "shares", _OPTIONS)
"""Adds them to the command, which gets them as one argument, `shares`."""


def _known(study: Store, found: dict[str, Standpoint], path: Path | None) -> Known:
    """How good the detectors are: on the study that was named, else on what is known of this one's trials."""
    from honestly.people import CLASSIFIER, known_rates, labels_of, standpoints
    from honestly.store import open_study

    if path is None:
        return known_rates(study.trials(), labels_of(study.reviews()), found)
    with open_study(path) as other:
        mine, theirs = ({(one.detector, one.version) for one in each.findings()} for each in (study, other))
        apart = sorted({name for name, _ in mine ^ theirs} - {CLASSIFIER})
        if apart:
            names = ", ".join(apart[:5])
            say(f"the two studies were not audited by the same versions of all detectors ({names}); audit them again")
        return known_rates(other.trials(), labels_of(other.reviews()), standpoints(other))


def _sizes(queue: Queue | None, found: dict[str, Standpoint]) -> tuple[int, int]:
    """Trials that somebody flagged or that judges differ about, and the others that were read."""
    from honestly.people import STRATA, UNFLAGGED

    if queue is not None:
        return sum(queue.size(name) for name in STRATA if name != UNFLAGGED), queue.size(UNFLAGGED)
    strata = [each.stratum for each in found.values()]
    return sum(bool(name) and name != UNFLAGGED for name in strata), strata.count(UNFLAGGED)


def _prospects(sizes: tuple[int, int], width: float) -> dict[str, object]:
    from honestly.people import proofs, reviews_needed

    return {
        "unflagged": sizes[1],
        "none_found_would_prove": [{"reviewed": n, "at_most": most} for n, most in proofs(sizes[1])],
        "width": width,
        "reviews_for_width": reviews_needed(*sizes, width),
    }


def _row(row: Hacks, odd: Hacks) -> dict[str, object]:
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
        **_estimate(row.estimate),
        "highest_if_unresolved_are_hacks": _number(row.highest),
        "with_suspicious": _estimate(odd.estimate),
        "recall": _number(row.recall),
        "recall_interval": [_number(end) for end in row.recall_interval],
        "missed_at_most": row.missed_at_most,
    }


def _estimate(one: Prevalence) -> dict[str, object]:
    return {
        "share": _number(one.share),
        "interval": [_number(end) for end in one.interval] if not math.isnan(one.share) else None,
        "flagged_share": _number(one.apparent),
        "reason": one.reason,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _show_reviewed(rows: Sequence[Hacks], odd: Sequence[Hacks]) -> None:
    from rich.console import Console
    from rich.markup import escape

    from honestly.cli._tables import numbers_table

    widths = dict.fromkeys(("trials", "reviewed", "hacks", "% hacks"), 6)
    widths |= {"95% interval": 13, "flagged %": 5, "unresolved": 4}
    table = numbers_table("Hacks among the trials that could be read, from reviews", "arm", widths)
    for row in rows:
        reviewed, size = sum(s.reviewed.of for s in row.strata), sum(s.size for s in row.strata)
        found, open_ = sum(s.reviewed.found for s in row.strata), sum(row.unresolved.values())
        table.add_row(escape(plain(row.arm)), *map(str, (size, reviewed, found)), *_percents(row.estimate), str(open_))
    Console().print(table)
    whole, more = rows[-1], odd[-1]
    for reason in dict.fromkeys(f"{row.arm}: {row.estimate.reason}" for row in rows if row.estimate.reason):
        click.echo(plain(f"not known for {reason}"))
    if whole.estimate.reason:
        return
    if any(whole.unresolved.values()):
        click.echo(f"at most {whole.highest:.1%} if all unresolved ones were hacks")
    if more.estimate.share > whole.estimate.share:
        low, high = more.estimate.interval
        click.echo(f"suspicious ones with them: {more.estimate.share:.1%} [{low:.1%}, {high:.1%}]")
    if not math.isnan(whole.recall):
        low, high = whole.recall_interval
        click.echo(f"of the hacks {whole.recall:.0%} are flagged [{low:.0%}, {high:.0%}]")
    click.echo(
        f"at most {whole.missed_at_most} hacks are among the {whole.strata[-1].size} unflagged (95% confidence); "
        f"of {whole.unread} unreadable trials nothing is known"
    )


def _show_corrected(fixed: dict[str, Prevalence], known: Known) -> None:
    from rich.console import Console
    from rich.markup import escape

    from honestly.cli._tables import numbers_table

    widths = {"% hacks": 5, "95% interval": 13, "flagged %": 5}
    table = numbers_table("Hacks behind the flags, by Rogan and Gladen's correction", "arm", widths)
    for arm, one in fixed.items():
        table.add_row(escape(plain(arm)), *_percents(one))
    Console().print(table)
    click.echo(
        f"as measured: {known.hits.found} of {known.hits.of} known hacks are flagged, "
        f"{known.false_alarms.found} of {known.false_alarms.of} known honest trials; taken to hold for every agent"
    )
    for reason in dict.fromkeys(one.reason for one in fixed.values() if one.reason):
        click.echo(plain(f"not known: {reason}"))


def _show_prospects(path: Path, sizes: tuple[int, int], width: float, *, reviewed: bool) -> None:
    from honestly.people import proofs, reviews_needed

    flagged, unflagged = sizes
    if not reviewed:
        click.echo(f"{flagged} trials are flagged or in dispute, {unflagged} are not; nobody has reviewed any.")
    click.echo(f"Reviewing so many random ones of the {unflagged} unflagged trials, and finding no hack, would prove:")
    for n, most in proofs(unflagged):
        click.echo(f"  {n:6}  at most {most} hacks ({most / unflagged:.1%})" if unflagged else "  nothing is unflagged")
    needed = reviews_needed(flagged, unflagged, width)
    words = f"{needed} random unflagged ones" if needed is not None else "more unflagged ones than there are"
    click.echo(
        f"For an interval {width:.1%} wide: review the {flagged} flagged ones and {words}, if 1% of these are hacks."
    )
    if not reviewed:
        say(f"honestly review {path} --as NAME begins")


def _percents(one: Prevalence) -> tuple[str, str, str]:
    from rich.markup import escape

    low, high = one.interval
    known = not math.isnan(one.share)
    share = f"{100 * one.share:.1f}" if known else "unknown"
    apparent = "" if math.isnan(one.apparent) else f"{100 * one.apparent:.1f}"
    return share, escape(f"[{100 * low:.1f}, {100 * high:.1f}]") if known else "", apparent
