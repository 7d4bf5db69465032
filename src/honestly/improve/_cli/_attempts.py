"""`honestly improve attempts`: what a loop has tried, as a table and as a curve."""

from pathlib import Path

import click

from honestly.command import figures_option, json_option, print_answer


@click.command()
@click.argument("project", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--run",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the run.  [default: PROJECT/.improve]",
)
@figures_option
@json_option
def attempts(project: Path, run: Path | None, figures: Path | None, as_json: bool) -> None:
    """List the attempts of the loop of PROJECT: scores, gains, why each was kept or dropped; and their curve.

    The same rows are in results.tsv in the run's folder, which is written whenever the loop stops.
    """
    from honestly.improve import RUN_FOLDER, read_run
    from honestly.improve._attempts import attempt_table

    print_answer(attempt_table(*read_run(run or project / RUN_FOLDER)), as_json=as_json, figures=figures)
