"""`honestly doctor`: which walls a sandbox has on this machine, and what programs that were killed have left behind."""

from __future__ import annotations

import math
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from honestly.command import json_option, print_json
from honestly.show import plural_text

if TYPE_CHECKING:
    from pathlib import Path

    from honestly.sandbox.covert._meter import ChannelLeak
    from honestly.scratch import LeftOver, ReapedPlaces

_TURNS, _MORE_TURNS = 42, 120


@click.command()
@click.option("--channels/--no-channels", default=True, help="Try to pass bits from one sandbox to another (seconds).")
@click.option("--full", is_flag=True, help="Try every channel, by itself, between all kinds of sandboxes (minutes).")
@click.option("--reap", is_flag=True, help="Remove what killed programs left behind.")
@json_option
def doctor(channels: bool, full: bool, reap: bool, as_json: bool) -> int:
    """Show which layers of the sandbox this machine supports, and whether sandboxed programs can talk to others.

    Lists what killed programs left behind (temporary folders and processes). The next sandbox that opens removes it;
    `--reap` removes it first, and says how much it was.
    Exit code 3: no sandbox can be built. 1: a channel carries what it should not, or could not be measured.
    """
    from honestly.sandbox._layers import isolation_layers
    from honestly.sandbox.covert._channels import CHANNELS, CONTENTION
    from honestly.scratch import free_groups, left_behind, reap_dead_owners as clear_away

    reaped = clear_away() if reap else None
    left, groups = left_behind(), free_groups()
    found = isolation_layers()
    leaks = _measure(quiet=as_json, full=full) if channels and found.usable else []
    tried = {leak.channel.name for leak in leaks}
    untried = [channel.name for channel in (*CHANNELS, *CONTENTION) if channel.name not in tried]
    if as_json:
        kept = [{**entry._asdict(), "path": str(entry.path)} for entry in left]
        cleared = {**reaped._asdict(), "stuck": [str(path) for path in reaped.stuck]} if reaped else None
        carried = [_leak_row(leak) for leak in leaks]
        said = {"python": sys.version.split()[0], "platform": sys.platform, **asdict(found), "channels": carried}
        said["not_tried"] = untried
        print_json({**said, "left": kept, "groups": [str(path) for path in groups], "reaped": cleared})
    else:
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for column in ("layer", "", "what was found, and what to do"):
            table.add_column(column, overflow="fold")
        for layer in found.layers:
            mark = "[green]yes[/]" if layer.present else "[yellow]no[/]"
            table.add_row(escape(layer.name), mark, escape(" ".join(filter(None, (layer.detail, layer.advice)))))
        Console(emoji=False).print(found.kernel, markup=False)
        Console(emoji=False).print(table)
        Console(emoji=False).print(
            "A sandbox can be built here." if found.usable else "[red]No sandbox can be built here.[/]"
        )
        _show_channels(leaks, untried)
        _show_left(left, groups, reaped)
    return 3 if not found.usable else int(any(leak.bits != 0 and not leak.is_known for leak in leaks))


def _leak_row(leak: ChannelLeak) -> dict[str, object]:
    """One measurement; what was not measured is null."""
    numbers = {"bits": leak.bits, "bits_per_s": leak.bits_per_s}
    return {
        "channel": leak.channel.name,
        "way": leak.way.name.lower(),
        "when": leak.when.value,
        **{name: None if math.isnan(number) else number for name, number in numbers.items()},
        "wrong": leak.wrong,
        "turns": leak.turns,
        "note": leak.note,
        "known": leak.is_known,
    }


def _measure(*, quiet: bool, full: bool) -> list[ChannelLeak]:
    """What the meter finds: in its quick form a few channels between samples, and between the sandboxes of trials."""
    from functools import partial

    import anyio

    from honestly.command import progress_bar
    from honestly.sandbox.covert._channels import CHANNELS, CONTENTION, TELLING
    from honestly.sandbox.covert._meter import Way, When, measure_channels

    if full:
        plan = [(way, when, CHANNELS) for way in Way if way not in (Way.FORKS, Way.BARE) for when in When]
        plan.append((Way.MACHINE, When.AT_ONCE, CONTENTION))
    else:
        plan = [(way, When.AT_ONCE, TELLING) for way in (Way.SAMPLES, Way.MACHINE, Way.IMAGES)]
        # each that has to be tried apart would take as long as all the others
        plan.append((Way.SAMPLES, When.LATER, tuple(channel for channel in TELLING if not channel.apart)))
    leaks: list[ChannelLeak] = []
    with progress_bar("channels", quiet=quiet) as line:
        for at, (way, when, tried) in enumerate(plan):
            line(at, len(plan), f"{way.name.lower()}, {when.value}")
            turns = _MORE_TURNS if full and when is When.AT_ONCE else _TURNS

            alone = full and when is When.AT_ONCE
            leaks += anyio.run(partial(measure_channels, way, tried, turns, when=when, together=not alone))
    return leaks


def _show_channels(leaks: list[ChannelLeak], untried: list[str]) -> None:
    from rich.console import Console
    from rich.markup import escape

    def line(text: str) -> None:
        Console(emoji=False).print(text, highlight=False, soft_wrap=True)

    for way, when in dict.fromkeys((leak.way, leak.when) for leak in leaks):
        rows = [leak for leak in leaks if (leak.way, leak.when) == (way, when) and not leak.is_contention]
        unmeasured = [leak for leak in rows if math.isnan(leak.bits) and not leak.is_known]
        carrying = [leak for leak in rows if leak.bits > 0]
        line(
            f"{when.value.capitalize()}, {way.value}: {len(carrying)} of {len(rows)} channels carry anything"
            + (f", {len(unmeasured)} could not be measured" if unmeasured else "")
        )
        for leak in carrying:
            colour = "yellow" if leak.is_known else "red"
            rate = "" if math.isnan(leak.bits_per_s) else f", {leak.bits_per_s:.0f} bits a second"
            line(f"  [{colour}]{leak.channel.name}[/]: {leak.bits:.2f} bits a value{rate}{' (known)' * leak.is_known}")
        for leak in rows:
            if leak in unmeasured:
                line(f"  [red]{leak.channel.name}[/]: {escape(leak.note)}")
            elif leak.bits == 0 and leak.is_known and not leak.channel.timing:
                line(f"  [yellow]{leak.channel.name}[/]: nothing now (known to be open)")
    for leak in leaks:
        if leak.is_contention:
            found = "not measured" if math.isnan(leak.bits) else f"{leak.bits_per_s:.1f} bits a second"
            if leak.bits == 0:
                found = f"none seen in {leak.turns} values, at load {os.getloadavg()[0]:.0f}"
            line(f"Contention, which no wall hides: {leak.channel.name}: {found}")
    if untried:
        line(
            f"Not tried: {plural_text(len(untried), 'more channel')}, and other kinds of sandboxes; "
            "--full tries them (minutes)."
        )


def _show_left(left: list[LeftOver], groups: list[Path], reaped: ReapedPlaces | None) -> None:
    from rich.console import Console

    def line(text: str) -> None:
        Console(emoji=False).print(text, markup=False, highlight=False, soft_wrap=True)

    if reaped:
        line(
            f"Cleared away of programs that have ended: folders of {reaped.places}, {reaped.processes} processes, "
            f"{reaped.groups} control groups."
        )
        for path in reaped.stuck:
            line(f"It cannot be removed, at least not by this user: {path}")
    for entry in left:
        inside = (
            f"{plural_text(len(entry.folders), 'folder')}, {plural_text(len(entry.processes), 'process', 'processes')}"
        )
        if entry.state == "dead" and not reaped:
            line(f"Left by process {entry.owner}, which has ended: {inside} ({entry.path}); --reap clears it away")
        elif entry.state != "dead":
            where = "runs" if entry.state == "alive" else "is of another machine, or was"
            line(f"In use by process {entry.owner}, which {where}: {inside}")
    if groups:
        line(
            f"{plural_text(len(groups), 'control group')} of programs that have ended"
            f"{'' if reaped else '; --reap removes them'}"
        )
    if not left and not groups and not reaped:
        line("Nothing lies about of programs that have ended.")
