"""Loops: each a plain async function of a `LoopRun`, with its source named and what differs."""

from collections.abc import Awaitable, Callable

from honestly.loops._run import LoopRun
from honestly.loops.recipes._autoresearch import autoresearch
from honestly.loops.recipes._best_of import best_of
from honestly.loops.recipes._evolve import evolve
from honestly.loops.recipes._harden import harden_suite
from honestly.loops.recipes._kernel import kernel
from honestly.loops.recipes._reflect import reflect

__all__ = ["LOOPS", "Loop", "autoresearch", "best_of", "evolve", "harden_suite", "kernel", "reflect"]

Loop = Callable[[LoopRun], Awaitable[str]]
"""Improves something; gives the id of the best candidate."""

LOOPS: dict[str, Loop] = {
    "autoresearch": autoresearch, "best-of": best_of, "evolve": evolve, "harden": harden_suite, "kernel": kernel,
    "reflect": reflect,
}  # fmt: skip
"""What `--loop` may name."""
