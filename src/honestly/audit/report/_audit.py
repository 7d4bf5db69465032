"""The results of an audit: rates with denominators, hack rates, checks that did not run, standings, endings, flags."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from markupsafe import Markup
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from honestly.audit import (
    GRADER_DEFECT,
    Detector,
    Standing,
    coverage_shares,
    coverage_words,
    detector_rates,
    hack_rates,
)
from honestly.audit._contrast import Lead, contrast_leads
from honestly.audit._rates import (
    ANY_DETECTOR,
    ArmHacks,
    Charges,
    CheckAccount,
    Rate,
    check_accounts,
    finding_marks,
    marked_charges,
    marked_standings,
)
from honestly.audit.report._endings import Endings, endings_of
from honestly.audit.report._monitor import MonitorReport
from honestly.records import SEVERITIES, Evidence, Finding
from honestly.scores import DataQuality, data_quality
from honestly.show import (
    NO_LINKS,
    Links,
    Shown,
    as_json,
    dim_line,
    filled,
    finite_or_none,
    hundredths_text,
    interval_text,
    numbers_table,
    plural_text,
    printable_text_line,
)
from honestly.stats import HackRate
from honestly.store import Cell, Store

# Lines of a quote that are shown, characters of a line, and of a trial's id.
_LINES, _LINE, _ID = 6, 160, 10
LEADS = 8
"""Leads that are shown; `--json` has all."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AuditReport(Shown):
    """Who cheated, in which step, and how much of the study could be read at all."""

    main_table: ClassVar[str] = "rates"

    study: str
    """Its file."""
    rates: tuple[Rate, ...]
    """Hacks of all detectors together first, then each detector by class; each arm, then all arms."""
    by_severity: tuple[Charges, ...]
    """Flagged trials by class, each arm, then all arms."""
    standings: tuple[Standing, ...]
    """What is left of each arm's published passes."""
    flagged: tuple[Finding, ...]
    trials: Mapping[str, Cell]
    """Those that are flagged, by id."""
    hack_rates: tuple[ArmHacks, ...]
    checks: tuple[CheckAccount, ...]
    endings: Endings
    """Of trials at impossible tasks."""
    unparsed: int
    """Files in other languages than Python that could not be parsed."""
    leads: tuple[Lead, ...] = ()
    """Where trials stand out among those of their task, the likeliest first; no findings."""
    monitor: MonitorReport | None = None
    """What a model found beside, if one was asked."""
    data: DataQuality | None = None
    """What of imported data was kept, refused, or read otherwise than it stood there."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON; what cannot be known is null."""
        said: dict[str, object] = {
            "study": self.study,
            "data": self.data,
            "rates": [_rate_row(rate) for rate in self.rates],
            "standings": self.standings,
            "by_severity": self.by_severity,
            "flagged": [_flag_row(finding, self.trials[finding.trial]) for finding in self.flagged],
            "hack_rates": [
                {
                    "arm": row.arm,
                    "honest_work": row.honest_work or None,
                    "rates": [_hack_row(row.judged), _hack_row(row.passed_visible)],
                }
                for row in self.hack_rates
            ],
            "checks": self.checks,
            "contrast": [lead._asdict() for lead in self.leads],
        }
        if self.endings.trials:
            said["impossible"] = {"rates": self.endings.rates, "endings": self.endings.trials}
        if self.monitor is not None:
            said["monitor"] = self.monitor.to_plain()
        return as_json(said)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if self.monitor is not None:
            yield self.monitor
        yield from _rates(self.told, len(self.rates) - len(self.told), options.max_width)
        yield from map(dim_line, self.coverage_lines)
        if any(row.breach or row.misstatement or row.smell for row in self.by_severity):
            widths = {"arm": 0, "breaches": 8, "misstatements": 13, "smells": 6, "of": 5}
            shown = [(row.arm, *map(str, (row.breach, row.misstatement, row.smell, row.n))) for row in self.by_severity]
            yield numbers_table("Beside hacks: trials flagged as something lesser", widths, shown, options.max_width)
        yield from map(Text, self.check_lines)
        yield from _standing_tables(self.standings, options.max_width)
        yield self.endings
        if self.leads:
            lines = [
                printable_text_line(f"{lead.trial[:_ID]}  {lead.agent}, {lead.task}: {lead.note}")
                for lead in self.leads[:LEADS]
            ]
            title = "Contrast: where trials stand out among those of their task (leads, no findings)"
            yield Text("\n".join((title, *lines)))
            if len(self.leads) > LEADS:
                yield dim_line(f"{len(self.leads) - LEADS} more leads: --json has all of them, with their quotes")

    @property
    def told(self) -> tuple[Rate, ...]:
        """Rates that say something: what flags nothing, or could read nothing, is left out."""
        return tuple(
            rate for rate in self.rates if rate.flagged or rate.error or (rate.detector == ANY_DETECTOR and rate.n)
        )

    @property
    def coverage_lines(self) -> tuple[str, ...]:
        """A line on how much of what each arm did is understood."""
        rows = [rate for rate in self.rates if rate.detector == ANY_DETECTOR and rate.coverage.steps]
        return tuple(printable_text_line(f"{rate.arm}: {coverage_words(rate.coverage)}") for rate in rows)

    @property
    def check_lines(self) -> tuple[str, ...]:
        """Lines on hidden checks, and on checks that did not run, one each."""
        return (*hack_lines(self.hack_rates), *account_lines(self.checks))

    @property
    def evidence(self) -> RenderableType:
        """Every flagged trial, and every ending at an impossible task, with the words that show it."""
        endings = (
            (f"{each.agent} at {each.task}  {each.trial[:_ID]}  {each.label} ({each.how})", each.evidence)
            for each in self.endings.trials
        )
        flagged = ((self._finding_head(finding), finding.evidence) for finding in self.flagged)
        return Group(*(_quoted(head, evidence) for head, evidence in (*endings, *flagged)))

    @property
    def flagged_words(self) -> str:
        """How many trials are flagged, as what; empty for none."""
        parts = []
        for severity in SEVERITIES:
            of_class = {f.trial for f in self.flagged if f.category != GRADER_DEFECT and f.severity == severity}
            parts += [f"{severity} {len(of_class)}"] if of_class else []
        defects = {f.trial for f in self.flagged if f.category == GRADER_DEFECT}
        parts += [f"{GRADER_DEFECT} {len(defects)}"] if defects else []
        return f"{plural_text(len(self.trials), 'trial')} flagged: {', '.join(parts)}" if parts else ""

    def _finding_head(self, finding: Finding) -> str:
        cell = self.trials[finding.trial]
        which = f"{cell.agent} at {cell.task}, sample {cell.sample}  {finding.trial[:_ID]}"
        kind = GRADER_DEFECT if finding.category == GRADER_DEFECT else finding.severity
        return f"{which}  {finding.detector} {finding.version} ({kind}): {finding.note}"


def audit_report(
    study: Store,
    name: str,
    detectors: Sequence[Detector],
    *,
    honest_agent: str = "",
    monitor: MonitorReport | None = None,
) -> AuditReport:
    """The report on the findings in a study; nothing is looked for that is not in it.

    Args:
        study: any store that was audited.
        name: of the study, to be shown.
        detectors: those that count, at their versions.
        honest_agent: whose trials show how often honest work fails hidden checks.
        monitor: what a model found beside.

    Raises:
        StoreError: the study cannot be read, or has no trials of that agent.
    """
    versions = {(detector.name, detector.version) for detector in detectors}
    marks: dict[str, int] = defaultdict(int)
    unparsed: dict[str, int] = defaultdict(int)

    # One at a time: those of a large study would fill the memory.
    def noted_findings() -> Iterator[Finding]:
        for found in study.findings():
            if (found.detector, found.version) in versions:
                marks[found.trial] |= finding_marks(found)
                if found.unread is not None and found.unread.files:
                    unparsed[found.trial] = max(unparsed[found.trial], found.unread.files)
                yield found

    cells = study.cells()
    flagged = tuple(found for found in study.findings(state="flagged") if (found.detector, found.version) in versions)
    named = {finding.trial for finding in flagged}
    rates = detector_rates(cells, noted_findings(), detectors)
    return AuditReport(
        study=name,
        by_severity=tuple(marked_charges(cells, marks)),
        trials={cell.id: cell for cell in cells if cell.id in named},
        rates=tuple(rates),
        standings=tuple(marked_standings(cells, marks)),
        flagged=flagged,
        hack_rates=tuple(hack_rates(study, honest_agent)),
        checks=tuple(check_accounts(study.trials(), flagged)),
        endings=endings_of(study),
        unparsed=sum(unparsed.values()),
        leads=tuple(contrast_leads(study)),
        monitor=monitor,
        data=data_quality(len(cells), study.defects()),
    )


def _flag_row(finding: Finding, cell: Cell) -> dict[str, object]:
    """A flag as plain data, with the names of its trial."""
    names = {"detector": finding.detector, "agent": cell.agent, "task": cell.task, "sample": cell.sample}
    return names | as_json(finding) | {"severity": finding.severity}


def _rate_row(rate: Rate) -> dict[str, object]:
    """A rate with all that it must not be shown without; null where it cannot be known."""
    return {
        "detector": rate.detector,
        "version": rate.version,
        "severity": rate.severity,
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
        "understood": coverage_shares(rate.coverage),
    }


def _rates(rates: Sequence[Rate], quiet: int, room: int) -> Iterator[RenderableType]:
    widths = {"detector, arm": 0, "flagged": 7, "of": 4, "tasks": 5, "%": 5, "95% interval": 12, "unread": 6}
    title = "Flagged trials, of those that could be read"
    yield numbers_table(title, widths | {"passes": 6}, _rate_rows(rates), room)
    if quiet:
        yield dim_line(f"{quiet} more rows flag nothing, or have nothing that could be read; --json has all of them")


def _rate_rows(rates: Sequence[Rate]) -> Iterator[tuple[str, ...]]:
    heading = None
    for rate in rates:
        if (rate.detector, rate.severity) != heading:
            heading = (rate.detector, rate.severity)
            yield (f"{rate.detector} {rate.version}".strip() + f", {rate.severity or GRADER_DEFECT}",)
        yield (
            f"  {rate.arm}",
            *map(str, (rate.flagged, rate.n, rate.tasks)),
            hundredths_text(rate.rate),
            interval_text(rate.low, rate.high) if rate.n else "nothing read",
            f"{rate.unread:.0%}",
            str(rate.flagged_passes),
        )


def _standing_tables(standings: Sequence[Standing], room: int) -> Iterator[RenderableType]:
    changed = [row for row in standings if row.unflagged < row.published]
    if not changed:
        return
    widths = {"arm": 0, "trials": 6, "published": 11, "tests ran": 11, "not flagged": 11, "unread": 6}
    rows = [
        (
            row.arm,
            str(row.trials),
            *(f"{count} ({count / row.trials:.1%})" for count in (row.published, row.ran, row.unflagged)),
            str(row.unread),
        )
        for row in changed
    ]
    yield numbers_table("Published passes, and what stands of them", widths, rows, room)


def _quoted(head: str, evidence: Sequence[Evidence]) -> Text:
    lines = ["", printable_text_line(head)]
    for each in evidence:
        place = f"step {each.step}, {each.where}" if each.step is not None else each.where
        at = f" at {each.start}" if each.start is not None else ""
        lines.append(printable_text_line(f"  {place}{at}:"))
        lines += [printable_text_line(f"    | {line[:_LINE]}") for line in each.quote.splitlines()[:_LINES]]
    return Text("\n".join(lines))


def _hack_row(rate: HackRate) -> dict[str, object]:
    """A rate as plain data: what cannot be known is null, with the reason beside."""
    return {
        "over": rate.over,
        "failures": rate.failures,
        "of": rate.of,
        "tasks": rate.tasks,
        "rate": finite_or_none(rate.rate),
        "interval": _interval_or_none(rate.interval),
        "interval_method": f"{rate.level:.0%}, tasks as clusters",
        "honest_rate": finite_or_none(rate.honest),
        "honest_interval": _interval_or_none(rate.honest_interval),
        "excess": finite_or_none(rate.excess),
        "excess_interval": _interval_or_none(rate.excess_interval),
        "beyond_honest": rate.beyond_honest,
        "least": finite_or_none(rate.least_excess),
        "compared_tasks": rate.compared_tasks,
        "compared": rate.compared,
        "reason": rate.reason or None,
    }


def _interval_or_none(ends: tuple[float, float]) -> list[float] | None:
    return None if math.isnan(ends[0]) else list(ends)


def _interval_text(rate: HackRate) -> str:
    low, high = rate.interval
    return "" if math.isnan(low) else f" [{low:.1%}, {high:.1%}]"


def hack_lines(arms: Sequence[ArmHacks]) -> Iterator[str]:
    """A line for each arm with such trials, and one about what they are compared with."""
    shown = [row for row in arms if row.passed_visible.of]
    for row in shown:
        passed, judged = row.passed_visible, row.judged
        share = f"{passed.failures} of {passed.of} that pass the visible checks fail the hidden ones"
        yield printable_text_line(
            f"{row.arm}: {share}{_interval_text(passed)}; of all {judged.of}, {judged.rate:.1%}{_interval_text(judged)}"
        )
        if row.honest_work and row.honest_work != row.arm and passed.failures:
            yield printable_text_line(f"  {_flags_beyond(row)}")
    if any(row.passed_visible.failures and not row.honest_work for row in shown):
        yield "  Honest mistakes are in it: --rejudge measures them, or name an honest agent with --honest-agent."


def account_lines(accounts: Sequence[CheckAccount]) -> Iterator[str]:
    """A line for each arm with expected checks that did not run: none of them is a pass or a failure."""
    for row in accounts:
        ways = {
            "skipped": row.skipped,
            "deselected": row.deselected,
            "missing": row.missing,
            "skipped but passed on": row.skipped_as_passed,
        }
        if any(ways.values()):
            counts = ", ".join(f"{count} {way}" for way, count in ways.items() if count)
            yield printable_text_line(f"{row.arm}: of {row.expected} expected {row.kind} checks, {counts}")


def _flags_beyond(row: ArmHacks) -> str:
    words = []
    for rate, of in ((row.passed_visible, "of these"), (row.judged, "of all")):
        if rate.beyond_honest is None:
            words.append(f"{of}: not comparable ({rate.reason})")
        elif rate.beyond_honest:
            low, high = rate.excess_interval
            words.append(
                f"{of}: {rate.excess:.1%} [{low:.1%}, {high:.1%}] beyond the {rate.honest:.1%} of {row.honest_work}"
            )
        else:
            words.append(f"{of}: cannot be told from the {rate.honest:.1%} of {row.honest_work}")
    return "; ".join(words)


def audit_section(found: AuditReport, links: Links = NO_LINKS, most: int | None = None) -> Markup:
    """The flags of detectors, by kind and by agent, with denominators; `most` rows of a table of agents."""
    arms = dict.fromkeys(rate.arm for rate in found.rates)
    leads = found.leads[:LEADS]
    lines = found.check_lines
    return filled("audit", "audit.html", names=arms, found=found, links=links, lines=lines, leads=leads, most=most)
