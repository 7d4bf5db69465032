"""`honestly conduct`: how the agents of a study worked, measure by measure, with intervals and denominators."""

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import click

from honestly.cli._options import answer, json_option, print_json, stages, study_argument


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
    from honestly import studies
    from honestly.audit.conduct import import_ratings
    from honestly.cli.conduct._judge import make_marker, marked

    if catalogue:
        _show_measures()
        return
    if judge is None and (estimate or budget is not None):
        raise click.UsageError("--budget and --estimate are for --judge MODEL")
    told: dict[str, object] = {}
    opened = studies.open(study)
    if judge or marks:
        with opened.store("write") as store:
            if marks is not None:
                told["imported"] = import_ratings(store, marks, name)
            if judge is not None:
                marker = make_marker(study, judge, budget=budget, answers=answers, prices=prices)
                told["judge"] = marked(store, marker, estimate=estimate, quiet=as_json)
    if estimate:
        if as_json:
            print_json({"study": str(study), **told})
        return
    with stages(quiet=as_json) as tell:
        found = replace(opened.conduct(tell), asked=told)
    answer(found, as_json=as_json)


def _show_measures() -> None:
    from honestly.audit.conduct import MEASURES

    for measure in MEASURES:
        click.echo(f"{measure.dimension}: {measure.name} {measure.version} ({measure.good} is good): {measure.summary}")
