"""The plan of a study: every trial of every cell, with an id that says what it is.

Planning is pure: the same suite, agents, number of samples and seed give the same ids in the same order, on every
machine. What is left to do is the plan less what the study holds; that is all there is to resuming. A trial is made
when somebody asks for it: a plan holds four bytes for each trial of a round, and nothing for the other rounds.
"""

import random
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import overload

from honestly.agents import Actor, seed_record
from honestly.errors import AgentError
from honestly.records import Suite, Task, digest, trial_id
from honestly.tasks import LeftOut


@dataclass(frozen=True, slots=True)
class Planned:
    """One planned trial."""

    id: str
    task: Task
    actor: Actor
    sample: int
    seeds: str = ""
    """What its seeds derive from, where it is not its own id: the id of the same trial without arm and overlay."""

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
        if twice := sorted({name for name in names if names.count(name) > 1}):
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
    def trials(self) -> Sequence[Planned]:
        """All trials, in the order in which they are meant to begin.

        Samples come in rounds, each in a random order that the seed fixes, so that a study that stops early has no task
        or agent that is systematically behind; or, question by question, tasks come in `question_order`.
        """
        return Trials(self)

    @cached_property
    def question_order(self) -> tuple[Task, ...]:
        """The tasks in the random order that the seed declares; with clusters, these are in random order."""
        tasks = list(self.suite.tasks)
        self.dice("questions").shuffle(tasks)
        if (clusters := self.clusters) is not None:
            names = sorted(set(clusters.values()))
            self.dice("clusters").shuffle(names)
            tasks.sort(key=lambda task: names.index(clusters[task.id]))
        return tuple(tasks)

    def dice(self, *what: object) -> random.Random:
        """Randomness that the seed fixes, another for each purpose."""
        return random.Random(int(digest(*what, self.seed), 16))  # noqa: S311


class Trials(Sequence[Planned]):
    """The trials of a plan, each made when it is asked for."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._agents = [(actor, actor.record.hash, seed_record(actor.record).hash) for actor in plan.actors]
        both = plan.samples, len(plan.suite.tasks)
        several, self._rounds = both if plan.question_by_question else both[::-1]
        self._size = several * len(self._agents)
        self._number, self._order = -1, array("I")

    def __len__(self) -> int:
        return self._size * self._rounds

    def __iter__(self) -> Iterator[Planned]:
        for number in range(self._rounds):
            order = self._shuffled_cells(number)
            yield from (self._planned_cell(number, place) for place in order)

    @overload
    def __getitem__(self, at: int) -> Planned: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Planned, ...]: ...

    def __getitem__(self, at: int | slice) -> Planned | tuple[Planned, ...]:
        if isinstance(at, slice):
            return tuple(map(self.__getitem__, range(*at.indices(len(self)))))
        number, place = divmod(range(len(self))[at], self._size)
        return self._planned_cell(number, self._shuffled_cells(number)[place])

    def _shuffled_cells(self, number: int) -> "array[int]":
        """In which order the cells of a round come."""
        if number != self._number:
            order = array("I", range(self._size))
            self._plan.dice("order", number).shuffle(order)
            self._number, self._order = number, order
        return self._order

    def _planned_cell(self, number: int, place: int) -> Planned:
        plan = self._plan
        which, agent = divmod(place, len(self._agents))
        by_question = plan.question_by_question
        task, sample = (plan.question_order[number], which) if by_question else (plan.suite.tasks[which], number)
        actor, full, plain = self._agents[agent]
        name = trial_id(task.hash, full, sample, plan.seed)
        seeds = name if plain == full else trial_id(task.hash, plain, sample, plan.seed)
        return Planned(name, task, actor, sample, seeds)
