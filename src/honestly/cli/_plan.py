"""`honestly plan`: how large a study must be, and the promise that it is judged by."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from honestly.cli._options import json_option
from honestly.cli._report import alpha_option, policy_options

F = TypeVar("F", bound=Callable[..., Any])


def _pilot_options(command: F) -> F:
    for option in reversed(
        (
            click.option("--pilot", type=click.Path(path_type=Path), help="Study to take the variances from."),
            click.option("--agents", nargs=2, help="Two agents of the pilot.  [default: typical neighbours]"),
            click.option(
                "--score",
                type=click.FloatRange(0, 1, min_open=True, max_open=True),
                help="Without a pilot: the expected score, from which variances are guessed.",
            ),
            click.option(
                "--data-share",
                type=click.FloatRange(0, 1),
                help="Of the guess: share of the variance that more samples cannot remove.  [default: 0.5]",
            ),
            click.option(
                "--solvable",
                type=click.FloatRange(0, 1, min_open=True),
                help="Of the guess: share of the questions that any agent can solve.  [default: 1]",
            ),
        )
    ):
        command = option(command)
    return command


def _size_options(command: F) -> F:
    points = click.FloatRange(0, 100, min_open=True, max_open=True)
    for option in reversed(
        (
            click.option("--gap", multiple=True, type=points, help="Gap to see, in points; repeat for more."),
            click.option(
                "--samples", "-k", multiple=True, type=click.IntRange(1, 10_000), help="Trials per cell; repeat."
            ),
            click.option("--questions", "-n", type=click.IntRange(2, 10**9), help="Questions that you have."),
            click.option("--suite", help="Suite that you have, which also gives the number of questions."),
            click.option("--stop-early", is_flag=True, help="Plan for a run with --until, which may stop early."),
            click.option(
                "--power",
                type=click.FloatRange(0.5, 0.999),
                default=0.8,
                show_default=True,
                help="Probability of seeing the gap.",
            ),
            click.option(
                "--comparisons",
                "-m",
                type=click.IntRange(1, 10**6),
                default=1,
                show_default=True,
                help="Comparisons that share the level (Holm).",
            ),
            click.option(
                "--theory",
                type=click.Choice(["normal", "t"]),
                default="normal",
                show_default=True,
                help="Closed form, or the t-test's own.",
            ),
        )
    ):
        command = option(command)
    return command


def _budget_options(command: F) -> F:
    price = click.FloatRange(0, min_open=True)
    for option in reversed(
        (
            click.option("--budget", type=price, help="What may be spent, in any currency."),
            click.option("--price-run-a", type=price, help="Of a trial of the first agent.  [default: the pilot's]"),
            click.option("--price-run-b", type=price, help="Of the second.  [default: the pilot's, or the first's]"),
            click.option("--price-question", type=click.FloatRange(0), help="Of one more question.  [default: 0]"),
            click.option("--most-questions", type=click.IntRange(1), help="There are no more questions than these."),
            click.option("--most-samples", type=click.IntRange(1), help="No more samples per cell.  [default: 1000]"),
        )
    ):
        command = option(command)
    return command


@click.command()
@_pilot_options
@_size_options
@_budget_options
@click.option("--register", type=click.Path(path_type=Path, dir_okay=False), help="Write a pre-registration here.")
@click.option("--claim", metavar='"A>B"', help="Its claim: which of two agents is better.")
@click.option("--hypothesis", default="", help="Its claim in words, and why.")
@click.option("--figures", type=click.Path(path_type=Path, file_okay=False), help="Also write the curve here.")
@policy_options
@alpha_option
@json_option
def plan(**options: object) -> None:
    """Say how many questions and samples it takes to see a gap between two agents.

    Variances come from a pilot study, or, as a guess, from the expected score. Write down what you are going to claim
    with --register, and give the file to honestly run --plan.
    """
    from honestly.cli._planning import Given, answer

    answer(Given(**options))  # type: ignore[arg-type]
