"""`honestly report` and `honestly compare`: what a study says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from honestly.cli._options import json_option, print_json, say, study_argument

if TYPE_CHECKING:
    from honestly.report import CorrectedScores
    from honestly.stats import Policy
    from honestly.store import Store

__all__ = ["compare", "report"]

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
    from rich.console import Console

    from honestly.cli.tasks._impossible_twins import impossible_of, show_impossible
    from honestly.report import (
        LeaderboardView,
        RegistrationView,
        board_figures,
        html_report,
        leaderboard,
        registration_report,
        write_figures,
    )
    from honestly.stats import Policy
    from honestly.store import open_study

    policy = Policy(limit=limit, void=void, missing=missing)
    with open_study(study) as opened:
        board = leaderboard(opened, policy, alpha)
        registered = registration_report(opened, policy, alpha)
        endings, impossible = impossible_of(opened)
        corrected = _corrected(opened, policy, alpha)
    if html is not None:
        html_report(board, html, registered, corrected)
        say(f"wrote {html}")
    if figures is not None:
        written = write_figures(board_figures(board), figures)
        say(f"wrote {len(written)} files to {figures}")
    if as_json:
        beside = {
            "registration": registered.to_plain() if registered else None,
            "corrected": corrected.to_plain() if corrected else None,
        }
        print_json(board.to_plain() | beside | ({"impossible": impossible} if endings else {}))
    else:
        Console().print(LeaderboardView(board))
        if corrected is not None:
            from honestly.report import CorrectedView

            Console().print("", CorrectedView(corrected))
        show_impossible(endings, impossible)
        if registered is not None:
            Console().print("", RegistrationView(registered))


def _corrected(study: Store, policy: Policy, alpha: float) -> CorrectedScores | None:
    """What stands of the scores; of a study that was never audited, nothing of the audit is even loaded."""
    if next(iter(study.findings()), None) is None:
        return None
    from honestly.report import corrected_scores

    return corrected_scores(study, policy, alpha)


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
    from rich.console import Console

    from honestly.report import PairView, comparison
    from honestly.stats import Policy
    from honestly.store import open_study

    with open_study(study) as opened:
        pair = comparison(opened, a, b, Policy(limit=limit, void=void, missing=missing), alpha)
    if as_json:
        print_json(pair.to_plain())
    else:
        Console().print(PairView(pair))
