"""The reference files as flat tables, and what it means to agree with a value in them.

A file is a tree of objects and lists; its values are its leaves, each with a path. `Claim` says what we compute for one
leaf and how close that must be. `unclaimed` finds leaves that nobody computes and nobody excuses.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

Path = tuple[str, ...]

CLOSED_FORM = 1e-9


@dataclass(frozen=True)
class Claim:
    """One value of a reference file and what we compute for it."""

    path: Path
    ours: Any
    absolute: float = CLOSED_FORM
    relative: float = 0.0

    def holds(self, theirs: Any) -> bool:
        """Whether the two agree; their null is our NaN, and text and lists of text must be the same."""
        if theirs is None:
            return self.ours is None or bool(np.isnan(self.ours))
        if isinstance(theirs, str):
            return bool(self.ours == theirs)
        return bool(abs(float(self.ours) - theirs) <= self.absolute + self.relative * abs(theirs))


def p_value(path: Path, ours: float) -> Claim:
    """p-values span ninety orders of magnitude, so they are compared by their ratio."""
    return Claim(path, ours, absolute=0.0, relative=CLOSED_FORM)


def share(path: Path, ours: float, theirs: float, runs: float, errors: float = 4.0) -> Claim:
    """A share of simulated runs: within so many standard errors of both simulations; `runs` is their harmonic sum."""
    middle = min(max(theirs, 1.0 / runs), 1 - 1.0 / runs)
    return Claim(path, ours, absolute=errors * float(np.sqrt(middle * (1 - middle) / runs)))


def together(ours: int, theirs: int) -> float:
    """How many runs one simulation would need to be as exact as the difference of two."""
    return ours * theirs / (ours + theirs)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All values of a file with their paths; places in lists count from 0. Lists of pairs and of agents are keyed."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, (*path, _key(inner, place)))
    else:
        yield path, value


def _key(entry: Any, place: int) -> str:
    if isinstance(entry, dict) and "model" in entry:
        return str(entry["model"])
    if isinstance(entry, dict) and "a" in entry:
        return f"{entry['a']} - {entry['b']}"
    return str(place)


def matches(path: Path, pattern: str) -> bool:
    """Whether a path fits a pattern of parts joined by " > ", in which `*` stands for anything."""
    return fnmatchcase(" > ".join(path), pattern)


def unclaimed(found: Iterable[Path], claimed: set[Path], excuses: Iterable[str]) -> list[Path]:
    """Leaves that are neither computed nor excused."""
    return [path for path in found if path not in claimed and not any(matches(path, pattern) for pattern in excuses)]
