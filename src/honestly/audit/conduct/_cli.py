"""`honestly audit conduct`: how the agents of a study worked, measure by measure, with intervals and denominators."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from honestly.command import (
    json_option,
    print_answer,
    print_json,
    progress_bar,
    say_on_stderr,
    stage_bars,
    study_argument,
)

if TYPE_CHECKING:
    from honestly.audit.conduct._judge import Marker
    from honestly.store import Store


@click.command("conduct")
@study_argument
@click.option("--judge", metavar="MODEL", help="Let this model score each dimension from 0 to 10, with quotes.")
@click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="The most that the judge may cost.")
@click.option("--estimate", is_flag=True, help="Say what the judge would cost, and exit.")
@click.option(
    "--prices",
    type=click.Path(path_type=Path),
    metavar="CSV",
    help="Your own prices, for models that honestly does not know.",
)
@click.option("--answers", type=click.Path(path_type=Path), metavar="DIR", help="Keep answers here, to resume.")
@click.option("--import", "marks", type=click.File("rb"), metavar="JSONL", help="Add people's marks (docs/conduct.md).")
@click.option("--as", "name", default="", metavar="NAME", help="The reviewer of --import, for lines that name none.")
@click.option("--measures", "catalogue", is_flag=True, help="List the measures and exit.")
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

    A measure is the share of occasions on which an agent did something, not a mark. Trials without an occasion, and
    trials that could not be read, are left out. With --judge, a model marks every trial, too. If people marked the
    same trials, you see how far the two agree.
    """
    from honestly import studies
    from honestly.audit.conduct._measures import MEASURES
    from honestly.audit.conduct._ratings import import_ratings

    if catalogue:
        for each in MEASURES:
            click.echo(f"{each.dimension}: {each.name} {each.version} ({each.good} is good): {each.summary}")
        return
    if judge is None and (estimate or budget is not None):
        raise click.UsageError("--budget and --estimate need --judge MODEL")
    told: dict[str, object] = {}
    opened = studies.open(study)
    if judge or marks:
        with opened.store("write") as store:
            if marks is not None:
                told["imported"] = import_ratings(store, marks, name)
            if judge is not None:
                marker = make_marker(study, judge, budget=budget, answers=answers, prices=prices)
                told["judge"] = ask_marks(store, marker, estimate=estimate, quiet=as_json)
    if estimate:
        if as_json:
            print_json({"study": str(study), **told})
        return
    with stage_bars(quiet=as_json) as tell:
        found = replace(opened.conduct(tell), asked=told)
    print_answer(found, as_json=as_json)
    if not any(row.trials for row in found.conduct):
        say_on_stderr("no trial could be read: steps are missing, or not understood")
        click.get_current_context().exit(1)


def make_marker(study: Path, spec: str, *, budget: float | None, answers: Path | None, prices: Path | None) -> Marker:
    """The judge that was asked for.

    Raises:
        ModelError: it cannot be made.
        click.UsageError: its price is not known, and there is a budget.
    """
    from honestly.audit.conduct._judge import Marker
    from honestly.models import make_model
    from honestly.studies import answers_of, check_prices, prices_of

    table = prices_of(prices)
    if budget is not None:
        check_prices([spec], table)
    return Marker(
        model=make_model(spec, prices=table), folder=answers or answers_of(study), budget=budget, prices=table
    )


def ask_marks(study: Store, marker: Marker, *, estimate: bool, quiet: bool) -> dict[str, object]:
    """Says what the missing marks would cost, asks for them unless only that is wanted, and says what came of it."""
    import anyio

    from honestly.audit.conduct._judge import estimate_marks, mark_study
    from honestly.audit.report import marks_lines, marks_plain

    expected = estimate_marks(study, marker)
    usd = expected.usd(marker.prices)
    about = f"about ${usd:.2f}" if usd is not None else "price unknown; --prices CSV gives prices"
    if not quiet or estimate:
        say_on_stderr(
            f"{expected.calls} marks to ask {marker.model.name} for: {expected.input_tokens} tokens to read, {about}"
        )
    if estimate:
        return marks_plain(marker, expected, None)
    try:
        with progress_bar("marking", quiet=quiet) as line:
            marks = anyio.run(mark_study, study, marker, line)
    except KeyboardInterrupt:
        say_on_stderr(
            "stopped: what was marked is kept; run the same command again to continue; no answer is paid for twice"
        )
        raise
    if not quiet:
        say_on_stderr("\n".join(marks_lines(marks)))
    return marks_plain(marker, expected, marks)
