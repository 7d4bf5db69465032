"""What a recipe is, and its run: one result for each (arm, seed), in a journal from which the same command goes on."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from honestly.errors import HonestlyError
from honestly.work import Journal

JOURNAL = "recipe.jsonl"


class ArmResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one arm with one seed."""

    recipe: str
    arm: str
    seed: int
    quick: bool
    """Whether it is of the small configuration; such results are never mixed with others."""
    scores: dict[str, float]
    """The score of each problem, from 0 to 1; the same problems for all arms of a seed."""
    measures: dict[str, float]
    """What else was measured, by name."""

    def value(self, measure: str) -> float:
        """A measure, NaN if it was not taken; of an empty name the mean score."""
        return self.measures.get(measure, math.nan) if measure else sum(self.scores.values()) / len(self.scores)


@dataclass(frozen=True, slots=True)
class RecipeClaim:
    """A claim about the difference of two arms, or of an arm and a number."""

    text: str
    arm: str
    than: str | float
    """Another arm, or a number."""
    measure: str = ""
    """Of what; the mean score, if empty."""
    within: float = 0.0
    """If not 0: that the two differ by less than this."""
    than_measure: str = ""
    """Which measure of the other arm; the same one, if empty."""
    counted: str = ""
    """The measure that says of how many cases a measure is the share, so that it has an error where no seed differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A published result as a program of seconds or minutes."""

    name: str
    title: str
    source: str
    metric: str
    """What the scores are, in words."""
    arms: tuple[str, ...]
    run: Callable[[str, int, bool], tuple[dict[str, float], dict[str, float]]]
    """Plays one arm with one seed, the third argument being `quick`: scores of problems and measures."""
    claims: tuple[RecipeClaim, ...]
    unsaid: tuple[str, ...]
    """What cannot be said at this size."""
    lower_is_better: bool = False
    """Whether a score is of something bad; the study then has 1 minus it."""
    needs: str = ""
    """A package that it needs, beside the core."""
    write_study: Callable[[Path, int, bool], None] | None = None
    """Writes a study of trials to look at, made anew with a seed; the last argument is `quick`."""


def run_recipe(
    recipe: Recipe,
    folder: Path,
    seeds: Sequence[int],
    *,
    quick: bool = False,
    progress: Callable[[int, int, str], None] = lambda done, of, what: None,  # noqa: ARG005 - as progress bars are called
) -> list[ArmResult]:
    """The results of all arms with these seeds; those that the folder's journal has are not made again.

    Args:
        recipe: which.
        folder: where its journal is, or will be.
        seeds: of data, first weights and samples alike.
        quick: the small configuration.
        progress: is told how many results there are, of how many, and of what the next one is.

    Raises:
        HonestlyError: the folder is another recipe's, or holds other files.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / JOURNAL).exists():
        raise HonestlyError(f"{folder} contains other files, and no results of a recipe; name a new folder with -o")
    decode = msgspec.json.Decoder(ArmResult).decode
    with Journal(folder / JOURNAL, kind="recipe") as journal:
        done = {
            (row.arm, row.seed, row.quick): row for row in _own_arms(recipe, journal.rows(decode, "a result"), folder)
        }
        wanted = [(arm, seed, quick) for seed in seeds for arm in recipe.arms]
        for at, key in enumerate(wanted):
            arm, seed, _ = key
            progress(at, len(wanted), f"{arm}, seed {seed}")
            if key not in done:
                scores, measures = recipe.run(arm, seed, quick)
                plain = [{name: float(value) for name, value in each.items()} for each in (scores, measures)]
                done[key] = ArmResult(
                    recipe=recipe.name, arm=arm, seed=seed, quick=quick, scores=plain[0], measures=plain[1]
                )
                journal.append(msgspec.json.encode(done[key]))
    progress(len(wanted), len(wanted), "")
    return [done[key] for key in wanted]


def _own_arms(recipe: Recipe, rows: Iterable[ArmResult], folder: Path) -> Iterable[ArmResult]:
    for row in rows:
        if row.recipe != recipe.name:
            raise HonestlyError(
                f"{folder} contains results of {row.recipe}, not of {recipe.name}; name another with -o"
            )
        yield row
