"""`honestly conduct`: how the agents of a study worked, measure by measure, with intervals and denominators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import json_option, plain, print_json, progress_bar, say, study_argument

if TYPE_CHECKING:
    from honestly.audit.conduct import Conduct

__all__ = ["conduct"]


@click.command("conduct")
@study_argument
@click.option("--measures", "catalogue", is_flag=True, help="List the measures, and stop.")
@json_option
def conduct(study: Path, catalogue: bool, as_json: bool) -> None:
    """Show how the agents of STUDY worked: six dimensions, counted from their own steps.

    A measure is a share of the occasions for it, never a mark; a trial without an occasion, and one whose steps could
    not be read, are in no denominator.
    """
    from honestly.audit.conduct import conduct_of, measured
    from honestly.store import open_study

    if catalogue:
        _show_measures()
        return
    with open_study(study, "read") as opened, progress_bar("measuring", quiet=as_json) as line:
        table = conduct_of(measured(opened, line))
    if as_json:
        print_json({"study": str(study), "interval_method": "over tasks, 95%", "conduct": table})
        return
    _show(table)


def _show(table: Sequence[Conduct]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    shown = Table(
        title="Conduct: shares of the occasions for it, means over tasks",
        box=None,
        title_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    console = Console()
    shown.add_column("measure, arm", overflow="ellipsis", no_wrap=True, max_width=max(20, console.width - 46))
    for name, width in (("%", 5), ("95% interval", 14), ("trials", 6), ("tasks", 5), ("unread", 6)):
        shown.add_column(name, justify="right", no_wrap=True, min_width=width)
    dimension = measure = ""
    silent = 0
    for row in table:
        if not row.trials:
            silent += 1
            continue
        if row.dimension != dimension:
            dimension = row.dimension
            shown.add_row(dimension, style="bold")
        if row.measure != measure:
            measure = row.measure
            shown.add_row(f"  {measure} ({row.good} is good)")
        unread = row.unreadable / (row.trials + row.idle + row.unreadable)
        shown.add_row(
            escape(plain(f"    {row.arm}")),
            f"{100 * row.value:.1f}",
            escape(f"[{100 * row.low:.1f}, {100 * row.high:.1f}]") if row.low == row.low else "one task",
            str(row.trials),
            str(row.tasks),
            f"{unread:.0%}",
        )
    console.print(shown)
    if silent:
        say(f"{silent} more rows had no occasion, or nothing that could be read; --json has all of them")


def _show_measures() -> None:
    from honestly.audit.conduct import MEASURES

    for measure in MEASURES:
        click.echo(f"{measure.dimension}: {measure.name} {measure.version} ({measure.good} is good): {measure.summary}")
