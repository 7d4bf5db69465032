"""`honestly plan`: how large a study must be, and the promise that it is judged by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import click
from msgspec.structs import replace
from rich.console import Console

from honestly.cli._options import json_option, print_json, say
from honestly.cli._report import alpha_option, policy_options
from honestly.errors import HonestlyError
from honestly.records import Suite
from honestly.report import (
    DEFAULT_GUARDS,
    Budget,
    PlanBasis,
    PlanQuestion,
    PlanView,
    Registration,
    Stopping,
    StudyPlan,
    pilot_basis,
    plan_figure,
    prior_basis,
    registration_markdown,
    study_plan,
    write_figures,
)
from honestly.runner import rule_for
from honestly.stats import Caps, Demands, Policy, Prices, parse_claim
from honestly.store import open_study
from honestly.tasks import load_suite

__all__ = ["plan"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What the command line said."""

    pilot: Path | None
    agents: tuple[str, str] | None
    score: float | None
    data_share: float | None
    solvable: float | None
    gap: tuple[float, ...]
    samples: tuple[int, ...]
    questions: int | None
    suite: str | None
    stop_early: bool
    power: float
    comparisons: int
    theory: Literal["normal", "t"]
    budget: float | None
    price_run_a: float | None
    price_run_b: float | None
    price_question: float | None
    most_questions: int | None
    most_samples: int | None
    register: Path | None
    claim: str | None
    hypothesis: str
    figures: Path | None
    limit: Literal["fail", "drop"]
    void: Literal["fail", "drop", "pass"]
    missing: Literal["fail", "drop", "pass"]
    alpha: float
    as_json: bool

    @property
    def policy(self) -> Policy:
        return Policy(limit=self.limit, void=self.void, missing=self.missing)

    def check(self) -> None:
        """Refuse what cannot go together.

        Raises:
            click.UsageError: with what to give instead.
        """
        if (self.pilot is None) == (self.score is None):
            raise click.UsageError("give the variances either from --pilot STUDY, or as a guess from --score 0.5")
        if self.pilot is None and self.agents:
            raise click.UsageError("--agents are two of the pilot's; give --pilot STUDY")
        if self.score is None and not (self.data_share is None and self.solvable is None):
            raise click.UsageError("--data-share and --solvable belong to the guess of --score, not to a pilot")
        prices = (self.price_run_a, self.price_run_b, self.price_question, self.most_questions, self.most_samples)
        if self.budget is None and any(price is not None for price in prices):
            raise click.UsageError("prices and limits are for a budget; give --budget")
        if (self.register is None) != (self.claim is None):
            raise click.UsageError('--register FILE.md and --claim "A>B" belong together')
        if self.register is not None and len(self.samples) != 1:
            raise click.UsageError("a registration has one number of samples; give --samples once")
        if self.register is not None and len(self.gap) > 1:
            raise click.UsageError("a registration is planned for one gap; give --gap once")


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
    given = _Given(**options)  # type: ignore[arg-type]
    given.check()
    suite = _suite(given) if given.suite is not None else None
    basis = _basis(given)
    asked = _asked(given, basis, suite)
    answer = study_plan(basis, asked)
    if given.figures is not None:
        written = write_figures([plan_figure(basis, asked, answer)], given.figures)
        say(f"wrote {len(written)} files to {given.figures}")
    if given.register is not None:
        _write(given.register, registration_markdown(_registration(given, answer, suite)))
        say(f"wrote {given.register}; read it, edit it, then: honestly run ... --plan {given.register}")
    if given.as_json:
        print_json(answer.to_plain())
    else:
        Console().print(PlanView(answer))


def _basis(given: _Given) -> PlanBasis:
    if given.pilot is None:
        share, solvable = given.data_share, given.solvable
        return prior_basis(
            given.score or 0.0,
            data_share=0.5 if share is None else share,
            solvable=1.0 if solvable is None else solvable,
        )
    with open_study(given.pilot) as study:
        return pilot_basis(study, given.agents or (), given.policy)


def _suite(given: _Given) -> Suite:
    """The suite as a run takes it: impossible twins have no score, so that a run with a claim leaves them out."""
    loaded = load_suite(given.suite or "")
    if not given.stop_early:
        return loaded
    return replace(loaded, tasks=tuple(task for task in loaded.tasks if task.tags.variant != "impossible"))


def _asked(given: _Given, basis: PlanBasis, suite: Suite | None) -> PlanQuestion:
    questions = given.questions
    if suite is not None:
        standard = sum(task.tags.variant != "impossible" for task in suite.tasks)
        if questions not in {None, standard}:
            raise click.UsageError(f"the suite has {standard} questions; leave --questions out, or --suite")
        questions = standard
    return PlanQuestion(
        gaps=tuple(gap / 100 for gap in given.gap),
        samples=tuple(dict.fromkeys(given.samples)),
        questions=questions,
        demands=Demands(given.alpha, given.power, given.comparisons, given.theory),
        early=given.stop_early,
        budget=_budget(given, basis) if given.budget is not None else None,
    )


def _budget(given: _Given, basis: PlanBasis) -> Budget:
    first = given.price_run_a or basis.prices[0]
    second = given.price_run_b or basis.prices[1] or first
    if first is None or second is None:
        raise click.UsageError("give --price-run-a: a budget needs the price of a trial, and no pilot reports one")
    caps = Caps(given.most_questions, given.most_samples or 1000)
    return Budget(given.budget or 0.0, Prices(given.price_question or 0.0, (first, second)), caps)


def _registration(given: _Given, answer: StudyPlan, suite: Suite | None) -> Registration:
    """The promise that follows from the plan: the questions at hand, or as many as the gap takes."""
    gap: float | None = answer.headline[0].gap
    questions = answer.headline[0].questions
    if answer.at_hand:
        gap, questions = answer.at_hand[0].gap, answer.at_hand[0].questions
    if questions is None:
        raise click.UsageError("no number of questions follows from these variances; give --questions")
    first, second = parse_claim(given.claim or "")
    return Registration(
        claim=f"{first}>{second}",
        questions=questions,
        samples=given.samples[0],
        hypothesis=given.hypothesis,
        suite=suite.name if suite else "",
        suite_hash=suite.hash if suite else "",
        alpha=given.alpha,
        comparisons=given.comparisons,
        gap=round(gap, 6) if gap is not None and 0 < gap < 1 else None,
        power=given.power,
        basis=answer.basis_words,
        policy=given.policy,
        stopping=Stopping(rule_for(first, second, questions, given.samples[0], given.alpha).method)
        if given.stop_early
        else Stopping(),
        guards=DEFAULT_GUARDS,
    )


def _write(path: Path, text: str) -> None:
    """Write a new file, never over another one: a plan that exists may be somebody's promise."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise HonestlyError(f"{path} exists; a plan is not overwritten, so give another name or remove it") from None
    except OSError as error:
        raise HonestlyError(f"cannot write {path}: {error.strerror or error}; choose another place") from error
