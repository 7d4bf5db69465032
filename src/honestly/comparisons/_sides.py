"""Two agents put together, of one study or of two: what compare, diff and gate all answer from."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace as dataclass_replace
from itertools import chain
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from honestly.errors import StatisticsError
from honestly.records import Agent, Defect, Isolation, StudyFacts, Task
from honestly.scores import (
    Declared,
    Pairing,
    Side,
    StudyCounts,
    StudyData,
    Unfair,
    count_study,
    differences_between,
    duplicated_ids,
    find_agent,
    refuse_unfair,
    some_names,
)
from honestly.show import plural_text
from honestly.stats import Policy, Scores
from honestly.store import Cell, Store

T = TypeVar("T")


class Sides:
    """Two agents, each in its study, under names that tell them apart."""

    def __init__(
        self, first: Store, second: Store, before: str, after: str, sides: tuple[str, str] = ("before", "after")
    ) -> None:
        self.stores = (first, second)
        first.strict = second.strict = first.facts().strict or second.facts().strict  # both as one policy counts
        names = [
            find_agent([agent.name for agent in store.agents()], wanted)
            for store, wanted in zip(self.stores, (before, after), strict=True)
        ]
        self.found = ((first, names[0]), (second, names[1]))
        alike = names[0] == names[1] and first is not second
        one, other = (f"{name} ({side})" if alike else name for name, side in zip(names, sides, strict=True))
        self.names = (one, other)
        self.notes: list[str] = []

    def unfair(self) -> list[Unfair]:
        """The differences between the two beside the agents and the tasks."""
        one, other = (Side(store, self.agent(at)) for at, store in enumerate(self.stores))
        studies = self.stores if self.stores[0] is not self.stores[1] else self.stores[:1]
        return [*differences_between(one, other), *duplicated_ids(*studies)]

    def agent(self, side: int) -> Agent:
        """The record of one of them, under its name here."""
        store, name = self.found[side]
        return replace(next(agent for agent in store.agents() if agent.name == name), name=self.names[side])


class JoinedSides:
    """Two studies as one of two agents, on the tasks that both have."""

    def __init__(self, sides: Sides, *, changed: bool = False) -> None:
        """Puts them together.

        Args:
            sides: the agents.
            changed: whether tasks whose content differs are taken as the same.

        Raises:
            StatisticsError: no task is in both.
        """
        self._sides = sides
        self.pairing = Pairing(*(store.tasks() for store in sides.stores))
        left = set() if changed else set(self.pairing.changed)
        self._tasks = [task for task in self.pairing.tasks if task.id not in left]
        if not self._tasks:
            had = " and the second ".join(some_names(alone) for alone in self.pairing.alone if alone)
            had = f"; the first has {had}" if all(self.pairing.alone) else ""
            raise StatisticsError(
                f"the two studies have no task in common: none has the same id and the same content{had}; "
                "compare runs of one suite"
            )
        if left:
            names = some_names(sorted(left))
            sides.notes.append(f"{plural_text(len(left), 'task')} changed from study to study and left out: {names}")
        for alone, where in zip(self.pairing.alone, ("before", "after"), strict=True):
            if alone:
                sides.notes.append(
                    f"{plural_text(len(alone), 'task')} only in the study {where}, left out: {some_names(alone)}"
                )
        if any(store.facts().stopping_rule for store in sides.stores):
            sides.notes.append("a study that could stop early is compared as one of fixed size")

    def facts(self) -> StudyFacts:
        """The facts that hold for both; how many samples were planned only where it is the same number."""
        first, second = (store.facts() for store in self._sides.stores)
        samples = first.samples if first.samples == second.samples else None
        return replace(first, samples=samples, stopping_rule=None, question_order=None)

    def all_kept(self, kind: type[T], prefix: str = "") -> dict[str, T]:  # noqa: ARG002
        """Nothing: what rooms keep is of one study."""
        return {}

    def isolations(self) -> dict[Isolation, int]:
        """The isolations of the trials of both studies."""
        return dict(sum((Counter(store.isolations()) for store in self._sides.stores), Counter()))

    def agents(self) -> list[Agent]:
        """The two."""
        return [self._sides.agent(0), self._sides.agent(1)]

    def tasks(self) -> Iterable[Task]:
        """Those that are the same in both."""
        return self._tasks

    def unfair(self) -> list[Unfair]:
        """The differences between the two beside the agents."""
        return [*self.pairing.unfair(), *self._sides.unfair(), *self._shared_attempts()]

    def _shared_attempts(self) -> Iterable[Unfair]:
        """Attempts that are on both sides: their difference is none, whatever the agents are like.

        The id of an imported trial is its place in a file, which another file of that name has too: there only times
        tell the same attempt from one that ended alike.
        """
        one, other = self._sides.stores
        first, second = ({cell.id for cell in store.cells() if cell.agent == name} for store, name in self._sides.found)
        alike = [mine for each in first & second if (mine := one.trial(each)) == other.trial(each)]
        timed = (mine.started_at is not None or mine.seconds is not None for mine in alike)
        every = len(alike) == len(first) == len(second)
        same = [mine for mine in alike if not mine.source or mine.started_at is not None]
        if not same and every and any(timed):
            same = alike
        if same or every:
            names = sorted({mine.task for mine in same or alike})
            text = (
                f"attempts at {plural_text(len(names), 'task')} are in both studies, the very same ones: "
                f"{some_names(names)}"
            )
            unclear = "every attempt of the one study is in the other, with the same outcome, and may be a copy"
            yield Unfair("duplicates", text if same else unclear, bool(same), tuple(names))

    def cells(self) -> list[Cell]:
        """Trials of the two at these tasks."""
        names = {task.id for task in self._tasks}
        return [
            cell._replace(agent=named)
            for (store, name), named in zip(self._sides.found, self._sides.names, strict=True)
            for cell in store.cells()
            if cell.agent == name and cell.task in names
        ]

    def defects(self) -> Iterable[Defect]:
        """Defects of both studies."""
        return chain.from_iterable(store.defects() for store in self._sides.stores)


class Pair(NamedTuple):
    """Two agents, counted on the same tasks."""

    study: StudyData
    names: tuple[str, str]
    """The first is `a`: differences are `a - b`."""
    evaluation: StudyCounts
    scores: Scores
    """By outcome; of all agents of the study."""
    unfair: tuple[Unfair, ...]
    """What differs between the two beside themselves."""


def void_policies(scores: Scores, pair: tuple[str, str], policy: Policy) -> tuple[Policy, ...]:
    """What trials of the two that the harness spoilt may count as; empty where there are none."""
    some = scores.void[[scores.agents.index(name) for name in pair]].any()
    return tuple(dataclass_replace(policy, void=each) for each in ("fail", "drop", "pass")) if some else ()


def pair_of(study: StudyData, names: tuple[str, str], declared: Declared) -> Pair:
    """Two agents of a study, or of two that are put together (`JoinedSides`).

    Raises:
        UnfairComparisonError: the two differ in more than the agents, which `declared` does not allow.
        StatisticsError: there is no standard task, or what is declared does not fit the tasks.
    """
    evaluation = count_study(study, declared)
    if evaluation.scores is None:
        raise StatisticsError("the study has no standard task, so no two agents can be compared")
    if isinstance(study, JoinedSides):
        unfair = tuple(study.unfair())
    else:
        agents = {agent.name: agent for agent in evaluation.agents}
        unfair = (*differences_between(*(Side(study, agents[name]) for name in names)), *duplicated_ids(study))
    refuse_unfair(unfair, declared.despite)
    return Pair(study, names, evaluation, evaluation.scores, unfair)
