"""`honestly effect`: what did a change do to users' ratings?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from honestly.command import json_option, level_option, print_answer, say_on_stderr

if TYPE_CHECKING:
    from honestly.effect import EffectReport, Session

EFFORTS = ("user_correction", "corrections", "nudges", "questions", "interruptions", "take_backs", "waiting", "turns")


@click.command()
@click.argument("sessions", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--between", nargs=2, required=True, metavar="A B", help="The two arms or agents to compare; the answer is A - B."
)
@click.option(
    "--predictor", type=click.Choice(["ridge", "forest"]), default="ridge", show_default=True,
    help="The model that predicts ratings. A forest needs honestly[classifier].",
)  # fmt: skip
@click.option(
    "--response", type=click.Choice(["model", "ignore"]), default="model", show_default=True,
    help="Weight rated sessions by their estimated chance of a rating, or treat them as a random sample.",
)  # fmt: skip
@click.option(
    "--of", type=click.Choice(["rating", *EFFORTS]), default="rating", show_default=True,
    help="What to compare: ratings, or what sessions of a study cost their users.",
)  # fmt: skip
@click.option(
    "--by",
    default="agent",
    show_default=True,
    help="With --of: what defines the arms: agent, model, version, month or week.",
)
@click.option(
    "--benchmark", metavar="STUDY|A,B",
    help="Also say what benchmark scores would have predicted: a study of both arms, or two percentages.",
)  # fmt: skip
@click.option(
    "--external",
    multiple=True,
    metavar="COLUMN",
    help="A prediction of the rating that has seen none of these ratings.",
)
@level_option
@click.option("--seed", default=0, show_default=True, help="Seed of the folds.")
@json_option
def effect(
    sessions: Path,
    between: tuple[str, str],
    predictor: Literal["ridge", "forest"],
    response: Literal["model", "ignore"],
    of: str,
    by: str,
    benchmark: str | None,
    external: tuple[str, ...],
    level: float,
    seed: int,
    as_json: bool,
) -> None:
    """Estimate what a change of agent, model or setting did to users' ratings.

    SESSIONS is a table (CSV or JSON lines: arm, user, rating, and further columns), or a study with ratings from 1 to
    5 (docs/review.md). Few sessions are rated. A predictor estimates the missing ratings, and the given ones correct
    it. See docs/effect.md.
    """
    from honestly.effect import effect_report

    if of == "rating" and by != "agent":
        raise click.UsageError("--by is the column of the arms of --of METRIC; give --of, too")
    if of != "rating":
        print_answer(_effort(sessions, between, of, by, level), as_json=as_json)
        return
    found = effect_report(
        _sessions(sessions), between, predictor=predictor, response=response, level=level, seed=seed,
        benchmark=None if benchmark is None else _benchmark(benchmark, between), external=external,
    )  # fmt: skip
    print_answer(found, as_json=as_json)


def _sessions(path: Path) -> list[Session]:
    from honestly.effect import sessions_of_study, sessions_of_table
    from honestly.people import ratings_of
    from honestly.store import open_study

    if path.suffix != ".honestly":
        return sessions_of_table(path)
    with open_study(path) as store:
        ratings = {
            trial: sum(each.rating or 0 for each in given) / len(given)
            for trial, given in ratings_of(store.reviews()).items()
        }
        return list(sessions_of_study(store, ratings))


def _benchmark(said: str, between: tuple[str, str]) -> tuple[float, float]:
    """The scores of two arms, fractions of 1: two percentages, or the shares that passed in a study."""
    from honestly import studies
    from honestly.errors import SettingsError
    from honestly.scores import DEFAULT_POLICY, count_study, find_agent, question_means

    if not Path(said).exists():
        try:
            first, second = (float(part) / 100 for part in said.split(","))
        except ValueError:
            first = second = -1.0
        if 0 < max(first, second) <= 0.01:
            raise SettingsError(
                f"--benchmark is {said!r}, which reads as fractions; expected percentages, as in 72.7,62.3"
            )
        if not (0 <= first <= 1 and 0 <= second <= 1):
            raise SettingsError(f"--benchmark is {said!r}: expected a study, or two percentages, as in 72.7,62.3")
        return first, second
    with studies.open(Path(said), tell=say_on_stderr).kept().store() as store:
        counted = count_study(store)
    if counted.scores is None:
        raise SettingsError(f"no trial of {said} was judged; expected trials with a verdict")
    resolved = counted.scores.resolve(DEFAULT_POLICY)
    means = dict(zip(resolved.agents, question_means(resolved), strict=True))
    found = [means[find_agent(list(means), arm)] for arm in between]
    if found[0] is None or found[1] is None:
        raise SettingsError(f"{said} has no score of {' and '.join(between)}")
    return found[0], found[1]


def _effort(path: Path, between: tuple[str, str], of: str, by: str, level: float) -> EffectReport:
    """The difference in what sessions cost their users, of a study or of files that agents keep."""
    from honestly import studies
    from honestly.effect import effort_effect
    from honestly.people import effort_of_trials

    with studies.open(path, tell=say_on_stderr).kept().store() as store:
        found = [each for each in effort_of_trials(store, by) if each is not None]
    values = [(each.agent, len(each.efforts) if of == "questions" else getattr(each, of)) for each in found]
    return effort_effect([(arm, float(value)) for arm, value in values if value is not None], between, of, level=level)
