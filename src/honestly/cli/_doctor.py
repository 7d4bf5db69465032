"""`honestly doctor`: which walls a sandbox has on this machine, and what programs that were killed have left behind."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from honestly.cli._options import json_option, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from honestly.sandbox import Layers
    from honestly.sandbox.covert import ChannelLeak
    from honestly.scratch import Left, Reaped

_TURNS = 24


@click.command()
@click.option("--channels/--no-channels", default=True, help="Try to pass bits from one sample to the next (seconds).")
@click.option("--reap", is_flag=True, help="Clear away what programs that were killed have left behind.")
@json_option
def doctor(channels: bool, reap: bool, as_json: bool) -> int:
    """Say which layers of the sandbox this machine gives, and whether one sample can leave word for the next.

    What killed programs have left behind, temporary folders and processes, is listed; the next run clears it away, or
    `--reap` does. Exit code 3 says that no sandbox can be built, 1 that a sample can leave word.
    """
    from honestly.sandbox import layers
    from honestly.scratch import free_groups, left_behind
    from honestly.scratch import reap as clear_away

    reaped = clear_away() if reap else None
    left, groups = left_behind(), free_groups()
    found = layers()
    leaks = _measure(quiet=as_json) if channels and found.usable else []
    if as_json:
        carried = [
            {"channel": leak.channel.name, "way": leak.way.name.lower(), "bits": leak.bits, "wrong": leak.wrong}
            | {"turns": leak.turns}
            for leak in leaks
        ]
        kept = [{**entry._asdict(), "path": str(entry.path)} for entry in left]
        cleared = {**reaped._asdict(), "stuck": [str(path) for path in reaped.stuck]} if reaped else None
        said = {"python": sys.version.split()[0], "platform": sys.platform, **asdict(found), "channels": carried}
        print_json({**said, "left": kept, "groups": [str(path) for path in groups], "reaped": cleared})
    else:
        _show(found)
        _show_channels(leaks)
        _show_left(left, groups, reaped)
    return 3 if not found.usable else int(any(leak.bits for leak in leaks))


def _measure(*, quiet: bool) -> list[ChannelLeak]:
    """The quick part of the meter: between samples, without channels that are made of time alone."""
    import anyio

    from honestly.cli._options import progress_bar
    from honestly.sandbox.covert import CHANNELS, Way, measure_channels

    tried = [channel for channel in CHANNELS if not channel.timing]
    with progress_bar("channels", quiet=quiet) as line:
        return anyio.run(
            measure_channels,
            Way.SAMPLES,
            tried,
            _TURNS,
            lambda channel: line(tried.index(channel), len(tried), channel.name),
        )


def _show(found: Layers) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("layer", "", "what was found, and what to do"):
        table.add_column(column, overflow="fold")
    for layer in found.layers:
        mark = "[green]yes[/]" if layer.present else "[yellow]no[/]"
        table.add_row(escape(layer.name), mark, escape(" ".join(filter(None, (layer.detail, layer.advice)))))
    Console().print(found.kernel, markup=False)
    Console().print(table)
    Console().print("A sandbox can be built here." if found.usable else "[red]No sandbox can be built here.[/]")


def _show_channels(leaks: list[ChannelLeak]) -> None:
    from rich.console import Console

    open_ones = [leak for leak in leaks if leak.bits]
    for leak in open_ones:
        Console().print(
            f"[red]A sample can leave word for the next:[/] {leak.channel.name}, {leak.bits:.2f} bits a sample "
            f"({leak.wrong} of {leak.turns} guesses wrong)"
        )
    if leaks and not open_ones:
        Console().print(f"From one sample to the next: 0 bits, over {len(leaks)} channels that were tried.")


def _show_left(left: list[Left], groups: list[Path], reaped: Reaped | None) -> None:
    from rich.console import Console

    def line(text: str) -> None:
        Console().print(text, markup=False, highlight=False, soft_wrap=True)

    if reaped:
        line(
            f"Cleared away of programs that have ended: folders of {reaped.places}, {reaped.processes} processes, "
            f"{reaped.groups} control groups."
        )
        for path in reaped.stuck:
            line(f"It cannot be removed, at least not by this user: {path}")
    for entry in left:
        inside = f"{len(entry.folders)} folders, {len(entry.processes)} processes"
        if entry.state == "dead" and not reaped:
            line(f"Left by process {entry.owner}, which has ended: {inside} ({entry.path}); --reap clears it away")
        elif entry.state != "dead":
            where = "runs" if entry.state == "alive" else "is of another machine, or was"
            line(f"In use by process {entry.owner}, which {where}: {inside}")
    if groups:
        line(f"{len(groups)} control groups of programs that have ended{'' if reaped else '; --reap removes them'}")
    if not left and not groups and not reaped:
        line("Nothing lies about of programs that have ended.")
