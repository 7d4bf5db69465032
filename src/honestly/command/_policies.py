"""Options of the commands that answer from scores: what counts as what, what is known of the tasks, and the level."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from honestly.command._help import F, Option

_COUNTING = "What counts as what"
_COUNTED = (
    ("limit", ("fail", "drop"), "fail", "Trials in which the agent ran out of time, turns or budget."),
    ("void", ("fail", "drop", "pass"), "fail", "Trials lost to the harness or the infrastructure."),
    ("missing", ("fail", "drop", "pass"), "drop", "Trials that were planned but never ran."),
)
"""With the defaults of `honestly.scores.DEFAULT_POLICY` in words: help must not load the statistics to name it."""


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--limit`, `--void`, `--missing`: what counts as what; the command gets them as one `policy`."""

    @wraps(command)
    def with_policy(**given: Any) -> Any:  # noqa: ANN401 - whatever the command returns
        from honestly.stats import Policy

        return command(policy=Policy(**{name: given.pop(name) for name, *_ in _COUNTED}), **given)

    decorated: Callable[..., Any] = with_policy
    for name, choices, default, text in reversed(_COUNTED):
        choice = click.Choice(choices)
        decorated = click.option(
            f"--{name}", cls=Option, heading=_COUNTING, type=choice, default=default, show_default=True, help=text
        )(decorated)
    return decorated


def declared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--cluster`, `--weights`: what is known of the tasks; the command gets it as one `declared`."""

    @click.option(
        "--cluster",
        cls=Option,
        heading=_COUNTING,
        default="",
        metavar="WHAT",
        help="Group related tasks by a tag or a FILE of question and cluster; or none.  [default: as tasks declare]",
    )
    @click.option(
        "--weights",
        cls=Option,
        heading=_COUNTING,
        default="",
        metavar="WHAT",
        help="Weights of tasks: a FILE of question and weight, or none.  [default: as tasks declare]",
    )
    @wraps(command)
    def knowing(cluster: str, weights: str, **given: Any) -> Any:  # noqa: ANN401 - whatever the command returns
        from honestly.scores import Declared

        return command(declared=Declared.from_options(cluster, weights), **given)

    return knowing


def level_option(command: F) -> F:
    """`--alpha` of a command that has intervals and no tests, which gets their coverage as `level`."""
    return click.option(
        "--alpha",
        "level",
        type=click.FloatRange(0.0001, 0.5),
        default=0.05,
        show_default=True,
        callback=lambda _ctx, _param, alpha: 1 - alpha,
        help="Intervals have coverage 1 - ALPHA.",
    )(command)


def alpha_option(command: F) -> F:
    """`--alpha`: the level of tests and intervals."""
    return click.option(
        "--alpha",
        cls=Option,
        heading=_COUNTING,
        type=click.FloatRange(0.0001, 0.5),
        default=0.05,
        show_default=True,
        help="Level of the tests. Intervals have coverage 1 - ALPHA.",
    )(command)
