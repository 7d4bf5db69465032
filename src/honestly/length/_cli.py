"""`honestly stats length`: how does success fall with the length of the work?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    figures_option,
    json_option,
    level_option,
    opened_study_argument,
    print_answer,
    table_options,
)

if TYPE_CHECKING:
    from honestly.length._length import Unit
    from honestly.studies import Study


@click.command()
@opened_study_argument()
@click.option(
    "--unit", type=click.Choice(["steps", "tokens", "minutes"]), default="steps", show_default=True,
    help="The unit of length. Minutes are a person's, as tasks declare them.",
)  # fmt: skip
@level_option
@figures_option
@json_option
@table_options
def length(study: Study, unit: Unit, level: float, figures: Path | None, as_json: bool) -> None:
    """Show the success of each agent of STUDY by length of the work, and what compounding errors predict.

    The half-length is the length at which success drops to half. You get its estimate, and whether each unit of
    length fails with the same probability. The length of a task is the median of trials that passed it. Impossible
    tasks and void trials are left out. See docs/report.md.
    """
    from honestly.length import length_report, measured_lengths

    with study.store() as store:
        found = length_report(measured_lengths(store, unit), unit, level=level)
    print_answer(found, as_json=as_json, figures=figures)
