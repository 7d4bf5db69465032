"""What a study will do: every trial of every cell, with an id that says what it is.

Planning is pure: the same suite, agents, number of samples and seed give the same ids in the same order, on every
machine. What is left to do is the plan less what the study holds; that is all there is to resuming.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from honestly.agents import Actor, plain_record
from honestly.errors import AgentError
from honestly.records import Suite, Task, digest, trial_id
from honestly.tasks import LeftOut


@dataclass(frozen=True, slots=True)
class Planned:
    """One trial that is to happen."""

    id: str
    task: Task
    actor: Actor
    sample: int
    seeds: str = ""
    """What its seeds derive from, where it is not its own id: the id of the same trial without a prompt arm."""

    @property
    def agent_seed(self) -> int:
        """Seed of the agent's own randomness; the same under every arm."""
        return int(digest(self.seeds or self.id, "agent"), 16)

    @property
    def check_seed(self) -> int:
        """Seed of the hidden checks' random inputs; the agent's seed does not reveal it."""
        return int(digest(self.seeds or self.id, "checks"), 16)


@dataclass(frozen=True)
class Plan:
    """Agents, a suite, and how often each cell is tried."""

    suite: Suite
    actors: Sequence[Actor]
    samples: int
    seed: int = 0
    question_by_question: bool = False
    """Whether every trial of a task comes before those of the next one, as a rule that may stop early needs it."""

    clusters: Mapping[str, str] | None = None
    """The cluster of each task, whose tasks then come one after the other in `question_order`."""

    left_out: Sequence[LeftOut] = ()
    """Tasks of the suite as it was asked for that cannot be run here, and are not in `suite`."""

    validity: Mapping[str, str] = field(default_factory=dict)
    """What the validity records of its tasks say, of those that have one."""

    first: Sequence[tuple[str, str]] = ()
    """What begins before everything else, in this order: `agent` or `task`, and its name. Within it, and after it, the
    order is the random one."""

    def __post_init__(self) -> None:
        names = self.names
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise AgentError(f"two agents are called {', '.join(twice)}; give them names: AGENT:name=...")
        if self.samples < 1:
            raise AgentError(f"the number of samples per cell must be at least 1, not {self.samples}")

    def turn(self, planned: Planned) -> int:
        """Which of the wishes of `first` a trial is of; one more than there are, if of none."""
        mine = {("agent", planned.actor.record.name), ("task", planned.task.id)}
        return next((n for n, wish in enumerate(self.first) if wish in mine), len(self.first))

    @property
    def names(self) -> list[str]:
        """The agents' names, in their order."""
        return [actor.record.name for actor in self.actors]

    @cached_property
    def trials(self) -> tuple[Planned, ...]:
        """All trials, in the order in which they are meant to begin.

        Samples come in rounds, each in a random order that the seed fixes, so that a study that stops early has no task
        or agent that is systematically behind; or, question by question, tasks come in `question_order`.
        """
        if self.question_by_question:
            rounds = [self._cells([task], range(self.samples)) for task in self.question_order]
        else:
            rounds = [self._cells(self.suite.tasks, [sample]) for sample in range(self.samples)]
        for number, cells in enumerate(rounds):
            self._dice("order", number).shuffle(cells)
        return tuple(planned for cells in rounds for planned in cells)

    @cached_property
    def question_order(self) -> tuple[Task, ...]:
        """The tasks in the random order that the seed declares; with clusters, these are in random order."""
        tasks = list(self.suite.tasks)
        self._dice("questions").shuffle(tasks)
        if (clusters := self.clusters) is not None:
            names = sorted(set(clusters.values()))
            self._dice("clusters").shuffle(names)
            tasks.sort(key=lambda task: names.index(clusters[task.id]))
        return tuple(tasks)

    def _cells(self, tasks: Iterable[Task], samples: Sequence[int]) -> list[Planned]:
        records = [(actor, actor.record) for actor in self.actors]
        return [
            Planned(
                trial_id(task.hash, record.hash, sample, self.seed),
                task,
                actor,
                sample,
                trial_id(task.hash, plain_record(record).hash, sample, self.seed),
            )
            for sample in samples
            for task in tasks
            for actor, record in records
        ]

    def _dice(self, *what: object) -> random.Random:
        return random.Random(int(digest(*what, self.seed), 16))  # noqa: S311
