"""`honestly stats plan`: how large a study must be, and the promise that it is judged by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    RESULTS_OPTIONS,
    OpenedStudy,
    details_option,
    figures_option,
    headed_option,
    json_option,
    print_answer,
    refuse_idle,
    say_on_stderr,
    settings_options,
    table_options,
)
from honestly.studies import PlanSettings

if TYPE_CHECKING:
    from honestly.plans import RatersPlan


_FOR_RATERS = {
    *("raters", "rating_gap", "domains", "agents", "samples", "alpha", "power", "comparisons", "details"),
    "as_json",
}


@click.command()
@click.option("--agents", nargs=2, help="Two agents of the pilot to plan for.  [default: typical neighbours]")
@headed_option(
    "Raters", "--raters", metavar="FILE|SDS",
    help="Plan people's ratings instead, from pilot ratings (rater, agent, rating, domain) or 'taste=0.8,noise=0.9'.",
)  # fmt: skip
@headed_option(
    "Raters", "--rating-gap", type=click.FloatRange(0, min_open=True), default=0.3, show_default=True,
    help="With --raters: the difference of mean ratings to detect.",
)  # fmt: skip
@headed_option(
    "Raters",
    "--domains",
    type=click.IntRange(1),
    help="With --raters: how many domains to rate.  [default: the pilot's, or 1]",
)
@settings_options(PlanSettings, kinds={"pilot": OpenedStudy()})
@table_options
@figures_option
@details_option
@json_option
def plan(
    settings: PlanSettings,
    raters: str | None,
    rating_gap: float,
    domains: int | None,
    figures: Path | None,
    details: bool,
    as_json: bool,
) -> None:
    """Compute how many questions and samples you need to detect a gap between two agents.

    Variances come from a pilot study, or, as a guess, from the expected score. Write down your claim with --register,
    and give the file to honestly run --plan.

    With --raters: how many people must rate the agents, and in how many domains.
    """
    if raters is not None:
        every = {str(param.name) for param in click.get_current_context().command.params}
        refuse_idle(every - _FOR_RATERS, "with --raters, people's ratings are planned")
        print_answer(_raters_plan(raters, settings, rating_gap, domains), as_json=as_json)
        return
    from honestly import studies

    if settings.pilot is None:
        refuse_idle(RESULTS_OPTIONS, "it needs --pilot")
    found = studies.plan(**replace(settings, say=say_on_stderr).given())
    print_answer(found, as_json=as_json, figures=figures, details=details)


def _raters_plan(raters: str, settings: PlanSettings, gap: float, domains: int | None) -> RatersPlan:
    from honestly.errors import SettingsError
    from honestly.plans import declared_plan, declared_spread, pilot_plan, read_rated
    from honestly.stats import Demands

    assert isinstance(settings.samples, tuple)
    each = settings.samples[0] if settings.samples else None
    demands = Demands(settings.alpha, settings.power, settings.comparisons)
    if not Path(raters).exists():
        return declared_plan(declared_spread(raters), gap=gap, each=each or 1, domains=domains or 1, demands=demands)
    rated = read_rated(Path(raters))
    names = tuple(settings.agents or dict.fromkeys(one.agent for one in rated))
    if len(names) != 2:
        raise SettingsError(f"{raters} rates {', '.join(names) or 'nobody'}; name two with --agents A B")
    return pilot_plan(rated, (names[0], names[1]), gap=gap, each=each, domains=domains, demands=demands)
