"""`honestly report`: the leaderboard of a study, and what stands beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    Name,
    details_option,
    figures_option,
    headed_option,
    json_option,
    opened_study_argument,
    print_answer,
    say_on_stderr,
    settings_options,
    table_options,
)
from honestly.studies import ReportSettings

if TYPE_CHECKING:
    from honestly.show import Shown
    from honestly.studies import Study


@click.command()
@opened_study_argument(counted=True)
@table_options
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Also write the report as one HTML file.")
@figures_option
@settings_options(
    ReportSettings, kinds={"by": Name("leaderboards._breakdown:GROUPINGS", "leaderboards._breakdown:PARTS")}
)
@headed_option("What", "--effort", is_flag=True, help="Show instead what success cost the user (docs/vague.md).")
@headed_option(
    "What",
    "--kept-in",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="REPOSITORY",
    help="A git checkout: show which lines of the sessions were committed, kept, reworked or reverted.",
)
@headed_option(
    "What",
    "--push-back",
    is_flag=True,
    help="Show which agents object to tasks that should not be done (docs/tasks-impossible.md).",
)
@details_option
@json_option
def report(
    study: Study,
    settings: ReportSettings,
    html: Path | None,
    figures: Path | None,
    effort: bool,
    kept_in: Path | None,
    push_back: bool,
    details: bool,
    as_json: bool,
) -> None:
    """Show the leaderboard of STUDY: honest scores with error bars, and the scores by visible tests."""
    if effort or push_back or kept_in is not None:
        from honestly.people import effort_of_trials, effort_report, push_back_report, push_back_trials, work_kept

        with study.store() as store:
            by = str(settings.given().get("by") or "agent")
            other: Shown
            if kept_in is not None:
                other = work_kept(store, kept_in, by)
            elif effort:
                other = effort_report(effort_of_trials(store, by))
            else:
                other = push_back_report(push_back_trials(store))
        print_answer(other, as_json=as_json, figures=figures, details=details)
        return
    found = study.report(**settings.given())
    if html is not None:
        found.write_html(html)
        say_on_stderr(f"wrote {html}")
    print_answer(found, as_json=as_json, figures=figures, details=details)
