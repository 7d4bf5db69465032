"""What a study will do: every trial of every cell, with an id that says what it is.

Planning is pure: the same suite, agents, number of samples and seed give the same ids in the same order, on every
machine. What is left to do is the plan less what the study holds; that is all there is to resuming.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from honestly.agents import Actor
from honestly.errors import AgentError
from honestly.records import Suite, Task, digest, trial_id

__all__ = ["Plan", "Planned"]


@dataclass(frozen=True, slots=True)
class Planned:
    """One trial that is to happen."""

    id: str
    task: Task
    actor: Actor
    sample: int

    @property
    def agent_seed(self) -> int:
        """Seed of the agent's own randomness."""
        return int(digest(self.id, "agent"), 16)

    @property
    def check_seed(self) -> int:
        """Seed of the hidden checks' random inputs; the agent's seed does not reveal it."""
        return int(digest(self.id, "checks"), 16)


@dataclass(frozen=True)
class Plan:
    """Agents, a suite, and how often each cell is tried."""

    suite: Suite
    actors: Sequence[Actor]
    samples: int
    seed: int = 0

    def __post_init__(self) -> None:
        names = [actor.record.name for actor in self.actors]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise AgentError(f"two agents are called {', '.join(twice)}; give them names: AGENT:name=...")
        if self.samples < 1:
            raise AgentError(f"the number of samples per cell must be at least 1, not {self.samples}")

    @cached_property
    def trials(self) -> tuple[Planned, ...]:
        """All trials. Samples come in rounds, each in a random order that the seed fixes, so that a study that stops
        early has no task or agent that is systematically behind.
        """
        planned: list[Planned] = []
        for sample in range(self.samples):
            cells = [
                Planned(trial_id(task.hash, actor.record.hash, sample, self.seed), task, actor, sample)
                for task in self.suite.tasks
                for actor in self.actors
            ]
            random.Random(int(digest("order", self.seed, sample), 16)).shuffle(cells)  # noqa: S311
            planned += cells
        return tuple(planned)
