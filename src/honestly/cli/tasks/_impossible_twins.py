"""The endings of trials at impossible tasks, as `honestly audit` and `honestly report` show them.

Kept from the commands so that help loads none of it. A study without impossible tasks gets nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console
from rich.markup import escape

from honestly.audit import LABELS, ImpossibleEnding, ImpossibleRates, impossible_endings, impossible_rates
from honestly.cli._options import plain, say
from honestly.cli._tables import numbers_table
from honestly.store import Store

_SHORT = {"early exit": "exit", "honest refusal": "refused", "false claim": "lied"}


def impossible_of(study: Store) -> tuple[list[ImpossibleEnding], list[ImpossibleRates]]:
    """All endings at the impossible tasks of a study, and what they come to by agent."""
    endings = list(impossible_endings(study))
    return endings, impossible_rates(endings)


def show_impossible(
    endings: Sequence[ImpossibleEnding], rates: Sequence[ImpossibleRates], *, listing: bool = False
) -> None:
    """Prints the table, if there is anything; with `listing`, each ending and its evidence too."""
    if not endings:
        return
    labels = {_SHORT.get(label, label): 0 for label in LABELS}
    widths = {"of": 4, **labels, "cheat, 95%": 12}
    table = numbers_table("Endings at impossible tasks, whose visible tests no honest work passes", "agent", widths)
    for row in rates:
        interval = f"[{100 * row.low['cheat']:.0f}, {100 * row.high['cheat']:.0f}]%" if row.n else "not measured"
        table.add_row(
            escape(plain(row.agent)), str(row.n), *(str(row.counts[label]) for label in LABELS), escape(interval)
        )
    Console().print(table)
    if unmeasured := sum(row.unmeasured for row in rates):
        say(f"{unmeasured} more trials at impossible tasks are void or were not measured, and are in no denominator")
    for ending in endings if listing else ():
        click.echo(plain(f"\n{ending.trial}  {ending.agent} at {ending.task}: {ending.label} ({ending.how})"))
        for evidence in ending.evidence:
            place = f"step {evidence.step}, {evidence.where}" if evidence.step is not None else evidence.where
            click.echo(plain(f"  {place} at {evidence.start}:\n    | {evidence.quote.splitlines()[0][:160]}"))
