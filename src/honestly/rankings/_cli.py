"""`honestly stats fit` and `honestly stats prefer`: several suites in one model, and strengths from preferences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    StudyPath,
    alpha_option,
    declared_options,
    figures_option,
    json_option,
    policy_options,
    print_answer,
    progress_bar,
)

if TYPE_CHECKING:
    from honestly.scores import Declared
    from honestly.stats import Policy


@click.command()
@click.argument("studies", nargs=-1, required=True, type=StudyPath())
@click.option(
    "--two-parameter",
    is_flag=True,
    help="Let questions differ in discrimination (2PL) rather than only in difficulty (Rasch).",
)
@click.option(
    "--covariate",
    "covariates",
    multiple=True,
    metavar="NAME",
    help="What difficulty may depend on: category, language, difficulty, date, cost, or agent:NAME. Repeatable.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the Markov chains.")
@click.option(
    "--draws",
    default=1000,
    show_default=True,
    type=click.IntRange(100, 100_000),
    help="How many draws to keep from each of 4 chains.",
)
@figures_option
@policy_options
@declared_options
@alpha_option
@json_option
def model(
    studies: tuple[Path, ...],
    two_parameter: bool,
    covariates: tuple[str, ...],
    seed: int,
    draws: int,
    figures: Path | None,
    policy: Policy,
    declared: Declared,
    alpha: float,
    as_json: bool,
) -> None:
    """Fit agents, questions and suites in one model; STUDIES are suites, and agents may run different questions.

    Gives pooled scores, one aggregate with joint ranks, difficulties, effects of covariates, and the accuracy-cost
    frontier. If the data are complete, honestly report needs fewer assumptions.
    """
    from contextlib import ExitStack

    from honestly.rankings._model import model_report
    from honestly.store import open_study

    with ExitStack() as stack:
        stores = [stack.enter_context(open_study(path)) for path in studies]
        line = stack.enter_context(progress_bar("fitting", quiet=as_json))
        found = model_report(
            list(zip(_suite_names(studies), stores, strict=True)),
            policy,
            seed=seed,
            draws=draws,
            two_parameter=two_parameter,
            covariates=covariates,
            alpha=alpha,
            declared=declared,
            tell=lambda done, total: line(done, total, ""),
        )
    print_answer(found, as_json=as_json, figures=figures)


def _suite_names(paths: Sequence[Path]) -> list[str]:
    """A name for each suite: its file's, or its path where two files have the same."""
    stems = [path.stem for path in paths]
    return [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@alpha_option
@json_option
def prefer(file: Path, alpha: float, as_json: bool) -> None:
    """Rank agents by the preferences in FILE, CSV or JSONL (Bradley-Terry).

    Each row has `winner` and `loser`, or `a`, `b` and `outcome` (a, b or tie); `question` and `rater`, if every row has
    them, are clusters. With the texts (`text_a`, `text_b`, or `text_winner`, `text_loser`), and with `correct_a` and
    `correct_b`, it also says what else people prefer, and the strengths at equal style.
    """
    from honestly.rankings._preferences import preference_report

    print_answer(preference_report(file, alpha), as_json=as_json)
