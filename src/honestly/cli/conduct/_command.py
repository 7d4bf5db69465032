"""`honestly conduct`: how the agents of a study worked, measure by measure, with intervals and denominators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from honestly.cli._options import json_option, plain, print_json, progress_bar, say, study_argument

if TYPE_CHECKING:
    from honestly.audit.conduct import Conduct

__all__ = ["conduct"]


@click.command("conduct")
@study_argument
@click.option("--judge", metavar="MODEL", help="Let this model mark each dimension, 0 to 10, with quotes.")
@click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="What the judge may cost.")
@click.option("--estimate", is_flag=True, help="Say what the judge would cost, and stop.")
@click.option("--prices", type=click.Path(path_type=Path), metavar="CSV", help="Prices that ours does not have.")
@click.option("--answers", type=click.Path(path_type=Path), metavar="DIR", help="Where answers are kept.")
@click.option("--import", "marks", type=click.File("rb"), metavar="JSONL", help="Add people's marks (docs/conduct.md).")
@click.option("--as", "name", default="", metavar="NAME", help="Whose marks they are, where a line does not say.")
@click.option("--measures", "catalogue", is_flag=True, help="List the measures, and stop.")
@json_option
def conduct(
    study: Path,
    judge: str | None,
    budget: float | None,
    estimate: bool,
    prices: Path | None,
    answers: Path | None,
    marks: BinaryIO | None,
    name: str,
    catalogue: bool,
    as_json: bool,
) -> None:
    """Show how the agents of STUDY worked: six dimensions, counted from their own steps.

    A measure is a share of the occasions for it, never a mark; a trial without an occasion, and one whose steps could
    not be read, are in no denominator. With --judge a model marks every trial too, and its agreement with people, where
    they marked the same trials, stands beside.
    """
    from honestly.audit.conduct import agreements, conduct_of, import_ratings, measured, ratings
    from honestly.cli.conduct._judge import make_marker, marked, show_agreements, show_ratings
    from honestly.store import open_study

    if catalogue:
        _show_measures()
        return
    if judge is None and (estimate or budget is not None):
        raise click.UsageError("--budget and --estimate are for --judge MODEL")
    told: dict[str, object] = {}
    with open_study(study, "write" if judge or marks else "read") as opened:
        if marks is not None:
            told["imported"] = import_ratings(opened, marks, name)
        if judge is not None:
            marker = make_marker(study, judge, budget=budget, answers=answers, prices=prices)
            told["judge"] = marked(opened, marker, estimate=estimate, quiet=as_json)
        if estimate:
            if as_json:
                print_json({"study": str(study), **told})
            return
        with progress_bar("measuring", quiet=as_json) as line:
            table = conduct_of(measured(opened, line))
        cells, reviews = opened.cells(), list(opened.reviews())
    rated, agreed = ratings(cells, reviews), agreements(cells, reviews)
    if as_json:
        print_json({"study": str(study), **told, "conduct": table, "marks": rated, "agreement": agreed})
        return
    _show(table)
    if rated:
        show_ratings(rated)
        show_agreements(agreed)


def _show(table: Sequence[Conduct]) -> None:
    from rich.console import Console
    from rich.markup import escape

    from honestly.cli._tables import numbers_table

    widths = {"%": 5, "95% interval": 14, "trials": 6, "tasks": 5, "unread": 6}
    shown = numbers_table("Conduct: shares of the occasions for it, means over tasks", "measure, arm", widths)
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
    Console().print(shown)
    if silent:
        say(f"{silent} more rows had no occasion, or nothing that could be read; --json has all of them")


def _show_measures() -> None:
    from honestly.audit.conduct import MEASURES

    for measure in MEASURES:
        click.echo(f"{measure.dimension}: {measure.name} {measure.version} ({measure.good} is good): {measure.summary}")
