"""Loops: each a plain async function of a `LoopRun`, with its source named and what differs."""

from collections.abc import Awaitable, Callable

from honestly.errors import TaskError
from honestly.improve._run import LoopRun
from honestly.improve.recipes._autoresearch import autoresearch
from honestly.improve.recipes._best_of import best_of
from honestly.improve.recipes._evolve import evolve
from honestly.improve.recipes._harden import harden_suite
from honestly.improve.recipes._kernel import kernel
from honestly.improve.recipes._reflect import reflect
from honestly.seams import KnownName, Seam

__all__ = ["LOOPS", "Loop", "autoresearch", "best_of", "evolve", "harden_suite", "kernel", "reflect"]

Loop = Callable[[LoopRun], Awaitable[str]]
"""A loop; returns the id of the best candidate."""

_RECIPES = "honestly.improve.recipes"

LOOPS = Seam(
    kind="loop",
    group="honestly.loops",
    protocol="honestly.improve.Loop",
    error=TaskError,
    known=(
        KnownName("autoresearch", f"{_RECIPES}:autoresearch", "one change after the other, from the best so far"),
        KnownName("best-of", f"{_RECIPES}:best_of", "independent attempts, none told of the others"),
        KnownName("evolve", f"{_RECIPES}:evolve", "islands of candidates, each a grid of the best of every kind"),
        KnownName("harden", f"{_RECIPES}:harden_suite", "makes a suite of tasks safe from attacks"),
        KnownName("kernel", f"{_RECIPES}:kernel", "profile, diagnose, rewrite, check and time"),
        KnownName("reflect", f"{_RECIPES}:reflect", "GEPA's own, over whole projects (extra `gepa`)"),
    ),
)
"""What `--loop` may name."""
