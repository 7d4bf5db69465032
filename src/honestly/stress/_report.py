"""The report on stress sets: rates of each set, what prompt arms change, whether a rate has risen, what
each lever does.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderableType

from honestly.show import Figures, Shown, dim_line, hundredths_text, interval_text, numbers_table
from honestly.stress._figure import rate_figures
from honestly.stress._judged import SOLVED, JudgedSet
from honestly.stress._levers import Effect
from honestly.stress._paired import Differential, PairedRates, arm_differences
from honestly.stress._rates import DisclosedRate, Unmeasured, rates_of
from honestly.stress._track import Series, checkpoint_series

_PAIRED = {"%": 5, "points": 6, "interval": 12, "tasks": 5, "p": 6}
"""Widths of the columns that `_paired_cells` fills."""
_SWITCHES = (
    (("environment", "training"), "compare with the study without it: --against"),
    (("preamble",), "run it under two arms: honestly audit stress run --arm none --arm anti-hack"),
    (("stress",), "run it at two checkpoints: honestly audit stress run --checkpoint"),
)


@dataclass(frozen=True, slots=True, repr=False)
class StressReport(Shown):
    """The rates of some sets, what arms change, and whether a rate has risen."""

    main_table: ClassVar[str] = "rates"

    rates: tuple[DisclosedRate | Unmeasured, ...]
    differences: tuple[Differential, ...]
    series: tuple[Series, ...]

    @property
    def alarm_raised(self) -> bool:
        """Whether an alarm has sounded."""
        return any(one.raised_at for one in self.series)

    @property
    def figures(self) -> Figures:
        """The figures that there are data for, by name."""
        return Figures(rate_figures(self.rates, self.differences))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield from _rate_tables(self.rates, options.max_width)
        for suite, measure in dict.fromkeys((each.suite, each.measure) for each in self.differences):
            rows = [
                (
                    each.agent + (f"#{each.checkpoint}" if each.checkpoint else ""),
                    f"{each.arm} - {each.against}",
                    *_paired_cells(each.paired, each.p_holm),
                )
                for each in self.differences
                if (each.suite, each.measure) == (suite, measure)
            ]
            title = f"{suite}, {measure}: what the prompt changes, in points"
            yield numbers_table(title, {"agent": 0, "arms": 24, **_PAIRED}, rows, options.max_width, left={"arms"})
        for each in self.differences:
            if each.propensity:
                paired = each.paired
                interval = interval_text(paired.low, paired.high, signed=True)
                gap = f"{100 * paired.difference:+.1f} {interval}" if interval else "unknown"
                who = f"{each.agent} on {each.suite}"
                yield dim_line(f"{who}: propensity {gap} points between being encouraged and forbidden")
        if self.differences:
            yield dim_line(
                "same tasks and seeds; each interval is taken alone; p is Holm's, over all of one agent on one set"
            )
        for one in self.series:
            yield from _series_table(one, options.max_width)


def stress_report(
    sets: Sequence[JudgedSet], level: float = 0.95, alpha: float = 0.05, tolerate: float | None = None
) -> StressReport:
    """The report on these sets.

    Args:
        sets: of one or more studies.
        level: coverage of each interval.
        alpha: how often an alarm may sound without a rise.
        tolerate: the rate up to which nothing counts as a rise; what earlier checkpoints show, if nobody says.
    """
    return StressReport(
        tuple(rate for each in sets for rate in rates_of(each, level)),
        tuple(difference for each in sets for difference in arm_differences(each, level)),
        tuple(one for each in sets for one in checkpoint_series(each, alpha=alpha, tolerate=tolerate)),
    )


@dataclass(frozen=True, slots=True, repr=False)
class LeverReport(Shown):
    """The change by each lever, by set; and which levers these studies say nothing of."""

    main_table: ClassVar[str] = "effects"

    effects: tuple[Effect, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        for suite in dict.fromkeys(each.suite for each in self.effects):
            own = [each for each in self.effects if each.suite == suite]
            rows = [
                (
                    f"{each.lever}: {each.switched_on}, {each.agent}",
                    each.measure.partition(" ")[0],
                    *_paired_cells(each.paired, each.p_holm),
                )
                for each in own
            ]
            widths = {"lever: what is switched on, agent": 0, "measure": 8, **_PAIRED}
            title = f"{suite}: what each lever changes, in points"
            yield numbers_table(title, widths, rows, options.max_width, left={"measure"})
            for each in own:
                if each.note and each.measure != SOLVED:
                    what = f"{each.switched_on}, against {each.switched_off}"
                    yield dim_line(f"{each.lever}, {each.agent}: {what}; {each.note}")
        shown = {each.lever for each in self.effects}
        for levers, how in _SWITCHES:
            if not shown & set(levers):
                yield dim_line(f"{' and '.join(levers)}: not switched in these studies; {how}")


def _rate_tables(rates: Sequence[DisclosedRate | Unmeasured], room: int) -> Iterator[RenderableType]:
    """One table for each set and measure: they are never merged."""
    groups: dict[tuple[str, str, str], list[DisclosedRate | Unmeasured]] = {}
    for rate in rates:
        groups.setdefault((rate.suite, rate.suite_version, rate.measure), []).append(rate)
    for (suite, version, measure), group in groups.items():
        told = [rate for rate in group if isinstance(rate, DisclosedRate)]
        if told:
            widths = {"agent, arm": 0, "found": 5, "of": 5, "tasks": 5, "%": 5, "interval": 13, "unread": 6, "void": 4}
            rows = [
                (
                    _rate_owner(rate),
                    *map(str, (rate.found, rate.trials, rate.tasks)),
                    hundredths_text(rate.rate),
                    interval_text(rate.low, rate.high),
                    f"{rate.unread_share:.0%}",
                    str(rate.void),
                )
                for rate in told
            ]
            yield numbers_table(f"{suite} ({version[:8] or 'version not known'}): {measure}", widths, rows, room)
            judge = f"{told[0].judge} {told[0].judge_version}"
            yield dim_line(f"{told[0].level:.0%} intervals for new tasks of this kind; judged by {judge}")
        for lost in group:
            if isinstance(lost, Unmeasured):
                yield dim_line(f"{_rate_owner(lost)}: no rate, {lost.reason} ({lost.unread} unread, {lost.void} void)")


def _series_table(one: Series, room: int) -> Iterator[RenderableType]:
    """Checkpoints and their alarm."""
    rows = [
        (
            name,
            str(count.found),
            str(count.of),
            hundredths_text(count.share),
            hundredths_text(tolerated, none="baseline"),
            f"{evidence:.3g}",
        )
        for name, count, tolerated, evidence in zip(
            one.checkpoints, one.counts, one.alarm.tolerated, one.alarm.evidence, strict=True
        )
    ]
    widths = {"checkpoint": 0, "found": 5, "of": 5, "%": 5, "tolerated %": 8, "evidence": 8}
    yield numbers_table(f"{one.suite}: {one.agent}, {one.arm}, over checkpoints", widths, rows, room)
    level = f"at most {one.alarm.alpha:.0%} of such series ever raise one without a rise"
    if one.raised_at:
        yield dim_line(f"ALARM at {one.raised_at}: the rate has risen ({level})")
    else:
        why = f": {one.alarm.reason}" if one.alarm.reason else f"; it sounds at {one.alarm.threshold:.3g} ({level})"
        yield dim_line(f"no alarm{why}")
    yield from map(dim_line, one.notes)


def _paired_cells(paired: PairedRates, p: float) -> tuple[str, ...]:
    return (
        hundredths_text(paired.rate),
        hundredths_text(paired.difference, signed=True, none="unknown"),
        interval_text(paired.low, paired.high, digits=0, signed=True),
        str(paired.tasks),
        "" if math.isnan(p) else "<1e-4" if p < 1e-4 else f"{p:.2g}",
    )


def _rate_owner(rate: DisclosedRate | Unmeasured) -> str:
    return f"{rate.agent}{f'#{rate.checkpoint}' if rate.checkpoint else ''}, {rate.arm}"
