"""`honestly report` and `honestly compare`: what a study says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from honestly.cli._options import json_option, print_json, say, show, study_argument

F = TypeVar("F", bound=Callable[..., Any])
Limit = Literal["fail", "drop"]
Choice = Literal["fail", "drop", "pass"]
DEFAULTS: dict[str, str] = {"limit": "fail", "void": "fail", "missing": "drop"}
"""`honestly.report.DEFAULT_POLICY` in words: help must not load the statistics to name it."""


def policy_options(command: F) -> F:
    """`--limit`, `--void`, `--missing`: what counts as what."""
    for name, choices, text in reversed(
        (
            ("limit", ["fail", "drop"], "Trials in which the agent ran out of time, turns or budget."),
            ("void", ["fail", "drop", "pass"], "Trials that the harness or the infrastructure spoilt."),
            ("missing", ["fail", "drop", "pass"], "Trials that were planned but are not there."),
        )
    ):
        choice = click.Choice(choices)
        command = click.option(f"--{name}", type=choice, default=DEFAULTS[name], show_default=True, help=text)(command)
    return command


def alpha_option(command: F) -> F:
    """`--alpha`: the level of tests and intervals."""
    return click.option(
        "--alpha",
        type=click.FloatRange(0.0001, 0.5),
        default=0.05,
        show_default=True,
        help="Level of the tests; intervals hold 1 - ALPHA.",
    )(command)


@click.command()
@study_argument
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Also write the report as one HTML file.")
@click.option("--figures", type=click.Path(path_type=Path, file_okay=False), help="Also write every figure here.")
@policy_options
@alpha_option
@json_option
def report(
    study: Path,
    html: Path | None,
    figures: Path | None,
    limit: Limit,
    void: Choice,
    missing: Choice,
    alpha: float,
    as_json: bool,
) -> None:
    """Show the leaderboard of STUDY: honest scores with error bars, and what the visible tests would have said."""
    from honestly import studies
    from honestly.report import write_figures
    from honestly.stats import Policy

    found = studies.open(study).report(Policy(limit=limit, void=void, missing=missing), alpha)
    if html is not None:
        found.write_html(html)
        say(f"wrote {html}")
    if figures is not None:
        say(f"wrote {len(write_figures(found.figures.values(), figures))} files to {figures}")
    if as_json:
        print_json(found.to_plain())
    else:
        show(found)


@click.command()
@study_argument
@click.argument("a")
@click.argument("b")
@policy_options
@alpha_option
@json_option
def compare(
    study: Path,
    a: str,
    b: str,
    limit: Limit,
    void: Choice,
    missing: Choice,
    alpha: float,
    as_json: bool,
) -> None:
    """Say whether STUDY can tell agents A and B apart, question by question."""
    from honestly import studies
    from honestly.stats import Policy

    pair = studies.open(study).compare(a, b, Policy(limit=limit, void=void, missing=missing), alpha)
    if as_json:
        print_json(pair.to_plain())
    else:
        show(pair)
