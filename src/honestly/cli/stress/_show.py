"""The tables of the stress commands: rates, differences of arms, series of checkpoints, effects of levers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape

from honestly.cli._options import plain, say
from honestly.cli._tables import numbers_table
from honestly.stress import SOLVED, Differential, DisclosedRate, Effect, PairedRates, Series, Unmeasured

__all__ = ["show_differences", "show_effects", "show_rates", "show_series"]

_PAIRED = {"%": 5, "points": 6, "interval": 12, "tasks": 5, "p": 6}
"""Widths of the columns that `_paired` fills."""


def show_rates(rates: Sequence[DisclosedRate | Unmeasured]) -> None:
    """One table for each set and measure: they are never merged."""
    for (suite, version, measure), group in _grouped(rates):
        told = [rate for rate in group if isinstance(rate, DisclosedRate)]
        widths = {"found": 5, "of": 5, "tasks": 5, "%": 5, "interval": 13, "unread": 6, "void": 4}
        table = numbers_table(f"{suite} ({version[:8]}): {measure}", "agent, arm", widths)
        for rate in told:
            table.add_row(
                _who(rate),
                str(rate.found),
                str(rate.trials),
                str(rate.tasks),
                f"{100 * rate.rate:.1f}",
                escape(f"[{100 * rate.low:.1f}, {100 * rate.high:.1f}]"),
                f"{rate.unread_share:.0%}",
                str(rate.void),
            )
        if told:
            Console().print(table)
            judge = f"{told[0].judge} {told[0].judge_version}"
            say(f"{told[0].level:.0%} intervals for new tasks of this kind; judged by {judge}")
        for lost in group:
            if isinstance(lost, Unmeasured):
                say(f"{_plain_who(lost)}: no rate, {lost.reason} ({lost.unread} unread, {lost.void} void)")


def show_differences(differences: Sequence[Differential]) -> None:
    """What arms change, by set and measure."""
    for suite, measure in dict.fromkeys((each.suite, each.measure) for each in differences):
        title = f"{suite}, {measure}: what the prompt changes, in points"
        table = numbers_table(title, "agent", {"arms": 24, **_PAIRED}, left={"arms"})
        for each in differences:
            if (each.suite, each.measure) == (suite, measure):
                table.add_row(
                    escape(plain(each.agent + (f"#{each.checkpoint}" if each.checkpoint else ""))),
                    escape(plain(f"{each.arm} - {each.against}")),
                    *_paired(each.paired, each.p_holm),
                )
        Console().print(table)
    for each in differences:
        if each.propensity:
            gap = f"{_ends(each.paired)} points between being encouraged and forbidden"
            say(f"{each.agent} on {each.suite}: propensity {gap}")
    if differences:
        say("same tasks and seeds; each interval is taken alone; p is Holm's, over all of one agent on one set")


def show_series(series: Sequence[Series]) -> None:
    """Checkpoints and alarms."""
    for one in series:
        widths = {"found": 5, "of": 5, "%": 5, "tolerated %": 8, "evidence": 8}
        table = numbers_table(f"{one.suite}: {one.agent}, {one.arm}, over checkpoints", "checkpoint", widths)
        for name, count, tolerated, evidence in zip(
            one.checkpoints, one.counts, one.alarm.tolerated, one.alarm.evidence, strict=True
        ):
            table.add_row(
                escape(plain(name)),
                str(count.found),
                str(count.of),
                _points(count.share),
                "baseline" if math.isnan(tolerated) else f"{100 * tolerated:.1f}",
                f"{evidence:.3g}",
            )
        Console().print(table)
        level = f"at most {one.alarm.alpha:.0%} of such series ever raise one without a rise"
        if one.raised_at:
            say(f"ALARM at {one.raised_at}: the rate has risen ({level})")
        else:
            why = f": {one.alarm.reason}" if one.alarm.reason else f"; it sounds at {one.alarm.threshold:.3g} ({level})"
            say(f"no alarm{why}")
        for note in one.notes:
            say(note)


def show_effects(effects: Sequence[Effect]) -> None:
    """What each lever changes, by set; and which levers these studies say nothing of."""
    for suite in dict.fromkeys(each.suite for each in effects):
        title = f"{suite}: what each lever changes, in points"
        table = numbers_table(title, "lever: what is switched on, agent", {"measure": 8, **_PAIRED}, left={"measure"})
        own = [each for each in effects if each.suite == suite]
        for each in own:
            table.add_row(
                escape(plain(f"{each.lever}: {each.switched_on}, {each.agent}")),
                escape(plain(each.measure.partition(" ")[0])),
                *_paired(each.paired, each.p_holm),
            )
        Console().print(table)
        for each in own:
            if each.note and each.measure != SOLVED:
                say(f"{each.lever}, {each.agent}: {each.switched_on}, against {each.switched_off}; {each.note}")
    shown = {each.lever for each in effects}
    for levers, how in (
        (("environment", "training"), "compare with the study without it: --against"),
        (("preamble",), "run it under two arms: honestly stress run --arm none --arm anti-hack"),
        (("stress",), "run it at two checkpoints: honestly stress run --checkpoint"),
    ):
        if not shown & set(levers):
            say(f"{' and '.join(levers)}: not switched in these studies; {how}")


def _paired(paired: PairedRates, p: float) -> tuple[str, ...]:
    interval = "" if math.isnan(paired.low) else f"[{100 * paired.low:+.0f}, {100 * paired.high:+.0f}]"
    return (
        _points(paired.rate),
        "unknown" if math.isnan(paired.difference) else f"{100 * paired.difference:+.1f}",
        escape(interval),
        str(paired.tasks),
        "" if math.isnan(p) else "<1e-4" if p < 1e-4 else f"{p:.2g}",
    )


def _ends(paired: PairedRates) -> str:
    if math.isnan(paired.low):
        return "unknown"
    return f"{100 * paired.difference:+.1f} [{100 * paired.low:+.1f}, {100 * paired.high:+.1f}]"


def _points(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f}"


def _who(rate: DisclosedRate | Unmeasured) -> str:
    return escape(plain(_plain_who(rate)))


def _plain_who(rate: DisclosedRate | Unmeasured) -> str:
    return f"{rate.agent}{f'#{rate.checkpoint}' if rate.checkpoint else ''}, {rate.arm}"


def _grouped(
    rates: Iterable[DisclosedRate | Unmeasured],
) -> list[tuple[tuple[str, str, str], list[DisclosedRate | Unmeasured]]]:
    groups: dict[tuple[str, str, str], list[DisclosedRate | Unmeasured]] = {}
    for rate in rates:
        groups.setdefault((rate.suite, rate.suite_version, rate.measure), []).append(rate)
    return list(groups.items())
