"""The judge's part of `honestly conduct`: marks by a model, what they cost, and how far reviewers agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import plain, progress_bar, say
from honestly.cli.audit._monitor import answers_of, check_prices, prices_of

if TYPE_CHECKING:
    from honestly.audit.conduct import Agreement, Marker, Marks, Rating
    from honestly.store import Store

__all__ = ["make_marker", "marked", "show_agreements", "show_ratings"]


def make_marker(study: Path, spec: str, *, budget: float | None, answers: Path | None, prices: Path | None) -> Marker:
    """The judge that was asked for.

    Raises:
        ModelError: it cannot be made.
        click.UsageError: its price is not known, and there is a budget.
    """
    from honestly.audit.conduct import Marker
    from honestly.models import make_model

    table = prices_of(prices)
    if budget is not None:
        check_prices([spec], table)
    return Marker(
        model=make_model(spec, prices=table), folder=answers or answers_of(study), budget=budget, prices=table
    )


def marked(study: Store, marker: Marker, *, estimate: bool, quiet: bool) -> dict[str, object]:
    """Says what the missing marks would cost, asks for them unless only that is wanted, and says what came of it."""
    import anyio

    from honestly.audit.conduct import estimate_marks, mark_study

    expected = estimate_marks(study, marker)
    usd = expected.usd(marker.prices)
    about = f"about ${usd:.2f}" if usd is not None else "price unknown; --prices CSV gives prices"
    if not quiet or estimate:
        say(f"{expected.calls} marks to ask {marker.model.name} for: {expected.input_tokens} tokens to read, {about}")
    told: dict[str, object] = {"reviewer": marker.reviewer, "expected_calls": expected.calls, "expected_usd": usd}
    if estimate:
        return told
    try:
        with progress_bar("marking", quiet=quiet) as line:
            marks = anyio.run(mark_study, study, marker, line)
    except KeyboardInterrupt:
        say("stopped: what was marked is kept; the same command goes on, and pays for no answer twice")
        raise
    if not quiet:
        _say_what_came(marks)
    purse = marks.purse
    return told | {
        "given": marks.given,
        "no_occasion": marks.no_occasion,
        "unreadable": marks.unreadable,
        "without_answer": marks.without_answer,
        "left": marks.left,
        "stopped": marks.stopped,
        "calls": purse.calls,
        "usd": None if purse.unpriced else purse.usd,
    }


def _say_what_came(marks: Marks) -> None:
    purse = marks.purse
    cost = f"${purse.usd:.4f}" if not purse.unpriced else "cost unknown"
    say(f"{marks.given} marks given in {purse.calls} calls, {cost}")
    for count, what in (
        (marks.no_occasion, "had no occasion"),
        (marks.unreadable, "could not be read, or too little of them"),
        (marks.without_answer, "got no answer that could be used"),
        (marks.left, f"are left{': ' + marks.stopped if marks.stopped else ''}; the same command goes on"),
    ):
        if count:
            say(f"  {count} {what}")


def show_ratings(table: Sequence[Rating]) -> None:
    """Marks by dimension, arm and reviewer."""
    from rich.console import Console
    from rich.markup import escape

    from honestly.cli._tables import numbers_table

    if not table:
        return
    widths = {"mark": 5, "95% interval": 12, "trials": 6, "of": 5, "tasks": 5}
    shown = numbers_table("Marks, 0 to 10, means over tasks", "dimension, arm, by whom", widths)
    dimension = ""
    for row in table:
        if row.dimension != dimension:
            dimension = row.dimension
            shown.add_row(dimension, style="bold")
        known = row.low == row.low
        shown.add_row(
            escape(plain(f"  {row.arm}, {row.reviewer}")),
            f"{row.value:.1f}",
            escape(f"[{row.low:.1f}, {row.high:.1f}]") if known else "one task",
            str(row.trials),
            str(row.of),
            str(row.tasks),
        )
    Console().print(shown)


def show_agreements(table: Sequence[Agreement]) -> None:
    """How far reviewers agree; where nobody marked the same trials, that nothing is known of the marks."""
    for row in table:
        kappa = row.kappa
        low, high = kappa.interval
        value = (
            f"kappa {kappa.kappa:.2f} [{low:.2f}, {high:.2f}]" if not kappa.reason else f"kappa unknown: {kappa.reason}"
        )
        click.echo(
            plain(
                f"{row.dimension}: {row.first} and {row.second}: {value}, same band {kappa.raw:.0%} of {kappa.units}, "
                f"{row.apart:.1f} points apart"
            )
        )
    if not table:
        say("No trial was marked by two: what these marks mean is not known. People's marks: --import FILE --as NAME")
