"""`honestly calibrate`: does an agent know when it succeeded?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    details_option,
    figures_option,
    json_option,
    level_option,
    opened_study_argument,
    print_answer,
    table_options,
)

if TYPE_CHECKING:
    from honestly.studies import Study


@click.command()
@opened_study_argument()
@level_option
@details_option
@figures_option
@json_option
@table_options
def calibrate(study: Study, level: float, details: bool, figures: Path | None, as_json: bool) -> None:
    """Compare what agents of STUDY said about their work with the hidden verdicts.

    Compares claims of success and stated confidence (`Confidence: 80%` at the end of the final message) with what
    passed. You get Brier score, calibration curve, AUROC, and the confidence from which you can believe an answer. To
    have agents state it, run `honestly run SUITE -a AGENT --arm confidence`; the agent never learns its verdict.
    Impossible tasks and void trials are left out. See docs/calibrate.md.
    """
    from honestly.calibrate import calibration_report, stated_results

    with study.store() as store:
        found = calibration_report(list(stated_results(store)), level=level)
    print_answer(found, as_json=as_json, figures=figures, details=details)
