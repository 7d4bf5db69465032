"""`honestly audit`: who cheated, in which step, and how much of the study could be read at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import json_option, plain, print_json, progress_bar, say, study_argument
from honestly.cli.audit._gold import audit_gold
from honestly.cli.audit._hacks import hack_rows, show_accounts, show_hacks
from honestly.cli.audit._monitor import Wanted, monitor_options, run_monitor, show_estimate
from honestly.cli.audit._prevalence import Shares, share_options
from honestly.cli.audit._rejudge import Looks, chosen, found_again, look_options

if TYPE_CHECKING:
    from honestly.audit import Detector, Rate, Standing
    from honestly.records import Finding

__all__ = ["audit"]


@click.command("audit")
@study_argument
@click.option("--detector", "-d", "names", multiple=True, metavar="NAME", help="Only this one, or MODULE:OBJECT.")
@click.option("--list", "listing", is_flag=True, help="Show the flagged trials with their evidence, not only rates.")
@click.option("--detectors", "catalogue", is_flag=True, help="List the detectors, and stop.")
@json_option
@share_options
@look_options
@monitor_options
def audit(
    study: Path,
    names: tuple[str, ...],
    listing: bool,
    catalogue: bool,
    as_json: bool,
    shares: Shares,
    looks: Looks,
    wanted: Wanted,
) -> None:
    """Look for cheating in the trials of STUDY, and for claims that its own logs contradict.

    Findings are kept in the study; what was audited by the same version of a detector is not done again. A trial that
    could not be read is never counted as clean: its share is shown beside every rate.
    """
    from honestly.audit import (
        DETECTORS,
        audit_study,
        check_accounts,
        hack_rates,
        rates,
        standings,
        unparsed_files,
    )
    from honestly.cli.tasks._impossible_twins import impossible_of, show_impossible
    from honestly.people import classify
    from honestly.store import open_study

    detectors, again = chosen(names)
    if catalogue:
        _show_detectors([*DETECTORS, *again])
        return
    if shares.prevalence:
        shares.show(study, as_json=as_json)
        return
    if looks.gold:
        audit_gold(study, as_json=as_json)
        return
    monitor = wanted.monitor(study)
    if monitor is not None and wanted.estimate:
        with open_study(study) as opened:
            expected = show_estimate(opened, monitor)
        if as_json:
            print_json({"study": str(study), "estimate": expected})
        return
    watched: dict[str, object] | None = None
    with open_study(study, "write") as opened:
        with progress_bar("auditing", quiet=as_json) as line:
            audit_study(opened, detectors, line, unsafe=looks.unsafe)
        looks.run(opened, again, quiet=as_json)
        detectors = (*detectors, *found_again(again, opened.findings()))
        if monitor is not None:
            watched = run_monitor(opened, monitor, quiet=as_json)
            detectors = (*detectors, *monitor.detectors)
        classify(opened)
        versions = {(detector.name, detector.version) for detector in detectors}
        findings = [found for found in opened.findings() if (found.detector, found.version) in versions]
        table = rates(opened.cells(), findings, detectors)
        left = standings(opened.cells(), findings)
        hacks = hack_rates(opened, looks.honest_agent)
        accounts = check_accounts(opened.trials(), findings)
        endings, impossible = impossible_of(opened)
    flagged = [finding for finding in findings if finding.state == "flagged"]
    if as_json:
        said: dict[str, object] = {
            "study": str(study),
            "rates": [_row(rate) for rate in table],
            "standings": left,
            "flagged": flagged,
        }
        said |= {"hack_rates": hack_rows(hacks), "checks": accounts}
        said |= {"impossible": {"rates": impossible, "endings": endings}} if endings else {}
        print_json(said if watched is None else {**said, "monitor": watched})
    else:
        _show_rates(table)
        show_hacks(hacks)
        show_accounts(accounts)
        _show_standings(left)
        show_impossible(endings, impossible, listing=listing)
        if listing:
            _show_flagged(flagged)
        elif flagged:
            trials = len({finding.trial for finding in flagged})
            say(f"{trials} trials are flagged; honestly audit {study} --list shows why")
        if unparsed := unparsed_files(findings):
            say(f"{unparsed} files in other languages than Python were not parsed; docs/audit.md says what that takes")
    if watched is not None and watched["left"]:
        click.get_current_context().exit(1)


def _row(rate: Rate) -> dict[str, object]:
    """A rate with all that it must not be shown without; null where it cannot be known."""
    return {
        "detector": rate.detector,
        "version": rate.version,
        "arm": rate.arm,
        "rate": rate.rate if rate.n else None,
        "flagged": rate.flagged,
        "n": rate.n,
        "tasks": rate.tasks,
        "interval": [rate.low, rate.high] if rate.n else None,
        "interval_method": "Wilson 95%, trials as independent",
        "unreadable": rate.unreadable,
        "error": rate.error,
        "unread_share": rate.unread if rate.n + rate.unreadable + rate.error else None,
        "flagged_passes": rate.flagged_passes,
    }


def _show_rates(table: Sequence[Rate]) -> None:
    from rich.console import Console
    from rich.markup import escape

    from honestly.audit import ANY
    from honestly.cli._tables import numbers_table

    widths = {"flagged": 7, "of": 5, "tasks": 5, "%": 5, "95% interval": 12, "unread": 6, "passes": 6}
    shown = numbers_table("Flagged trials, of those that could be read", "detector, arm", widths)
    quiet, detector = 0, ""
    for rate in table:
        if not rate.flagged and not rate.error and (rate.detector != ANY or not rate.n):
            quiet += 1
            continue
        if rate.detector != detector:
            detector = rate.detector
            shown.add_row(escape(plain(f"{detector} {rate.version}".strip())), style="bold")
        shown.add_row(
            escape(plain(f"  {rate.arm}")),
            str(rate.flagged),
            str(rate.n),
            str(rate.tasks),
            f"{100 * rate.rate:.1f}" if rate.n else "",
            escape(f"[{100 * rate.low:.1f}, {100 * rate.high:.1f}]") if rate.n else "nothing read",
            f"{rate.unread:.0%}",
            str(rate.flagged_passes),
        )
    Console().print(shown)
    if quiet:
        say(f"{quiet} more rows flag nothing, or have nothing that could be read; --json has all of them")


def _show_standings(table: Sequence[Standing]) -> None:
    from rich.console import Console
    from rich.markup import escape

    from honestly.cli._tables import numbers_table

    changed = [row for row in table if row.unflagged < row.published]
    if not changed:
        return
    widths = {"trials": 6, "published": 11, "tests ran": 11, "not flagged": 11, "unread": 6}
    shown = numbers_table("Published passes, and what stands of them", "arm", widths)
    for row in changed:
        published = f"{row.published} ({row.published / row.trials:.1%})"
        ran = f"{row.ran} ({row.ran / row.trials:.1%})"
        unflagged = f"{row.unflagged} ({row.unflagged / row.trials:.1%})"
        shown.add_row(escape(plain(row.arm)), str(row.trials), published, ran, unflagged, str(row.unread))
    Console().print(shown)


def _show_flagged(findings: Sequence[Finding]) -> None:
    for finding in findings:
        click.echo(plain(f"\n{finding.trial}  {finding.detector} {finding.version}: {finding.note}"))
        for evidence in finding.evidence:
            place = f"step {evidence.step}, {evidence.where}" if evidence.step is not None else evidence.where
            click.echo(plain(f"  {place} at {evidence.start}:"))
            for line in evidence.quote.splitlines()[:6]:
                click.echo(plain(f"    | {line[:160]}"))


def _show_detectors(detectors: Sequence[Detector]) -> None:
    for detector in detectors:
        click.echo(f"{detector.name} {detector.version}  [{detector.category}]  {detector.summary}")
