"""The claims of a loop, as records; `_claims.py` says who reads them of which files."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from honestly.errors import FormatError
from honestly.formats import parse_json, read_bytes

LARGEST = 64 << 20
"""The largest file that is read, bytes."""
SEED = "seed"
"""The name of the start, where it is the best."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One candidate on one set of tasks."""

    score: float
    """Mean over the tasks, a fraction of 1; where `n` is 0 it may be in units of its own."""
    n: int
    """Tasks; 0 where that is not known."""
    tasks: Mapping[str, float] = field(default_factory=dict)
    """Score of each task; empty where only the mean is known."""


@dataclass(frozen=True, slots=True)
class GainClaim:
    """One loop's claim that it made something better."""

    name: str
    best: str
    """The winner's name; `seed` where it is the start."""
    baseline: Scored
    """The start, on the tasks that chose."""
    selected: Scored
    """The winner, on the tasks that chose it."""
    fresh_baseline: Scored | None
    """The start, on the tasks of the final comparison; None where it was not measured there."""
    fresh: Scored | None
    """The winner there; None where it was not measured again."""
    candidates: int
    """Changes that were measured on the tasks that chose, the winner among them; 0 where that is not known."""
    kept: int
    held_out: bool | None
    """Whether the tasks of the final comparison were others than those that chose; None where that is not known."""
    missing: tuple[str, ...]
    """What would have to be known to believe it."""


def gain_claim(
    name: str,
    best: str,
    before: tuple[Scored, Scored],
    counted: tuple[int, int],
    after: tuple[Scored | None, Scored | None] = (None, None),
    held_out: bool | None = None,
    more: tuple[str, ...] = (),
) -> GainClaim:
    """A claim, and what is missing of it.

    Args:
        name: of the run.
        best: the winner's name.
        before: start and winner, on the tasks that chose.
        counted: changes that were tried, and that were kept.
        after: start and winner, measured again.
        held_out: whether they were measured again on other tasks.
        more: what else is missing, by what only the reader of these files knows.
    """
    chosen, missing = before[1], []
    if best != SEED and not chosen.tasks:
        missing.append("the winner's score of each task on the tasks that chose it")
    if after[1] is None:
        missing.append("the winner measured again, after it was chosen")
    if after[0] is None:
        missing.append("the start measured next to it, on the same tasks")
    if held_out is False:
        missing.append("tasks of the final comparison that did not choose the winner")
    missing += [*more, "what best-of-N finds with the same budget and no feedback"]
    return GainClaim(
        name=name, best=best, baseline=before[0], selected=chosen, fresh_baseline=after[0], fresh=after[1],
        candidates=counted[0], kept=counted[1], held_out=held_out, missing=tuple(missing),
    )  # fmt: skip


def json_object(path: Path) -> Mapping[str, object]:
    """The object in a JSON file; an empty one where there is no file.

    Raises:
        FormatError: it holds something else.
    """
    if not path.is_file():
        return {}
    found = parse_json(read_bytes(path, LARGEST))
    if not isinstance(found, dict):
        raise FormatError(f"{path} contains no JSON object")
    return found


def finite_number(value: object, what: str) -> float:
    """A finite number.

    Raises:
        FormatError: it is none.
    """
    try:
        found = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        said = value if isinstance(value, str | float | bool) or value is None else type(value).__name__
        raise FormatError(f"{what}: expected a number that is not too large, found {str(said)[:50]}")
    return found
