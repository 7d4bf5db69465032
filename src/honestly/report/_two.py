"""Two agents of two studies as if they were of one, on the tasks that are the same in both."""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import TypeVar

from msgspec.structs import replace

from honestly.errors import StatisticsError
from honestly.records import Agent, Defect, Isolation, StudyFacts, Task
from honestly.report._evaluation import find_agent
from honestly.report._text import plural, printable
from honestly.store import Cell, Store

T = TypeVar("T")
_MOST_NAMED = 5


class Sides:
    """Two agents, each in its study, under names that tell them apart."""

    def __init__(self, first: Store, second: Store, before: str, after: str) -> None:
        self.stores = (first, second)
        names = [
            find_agent([agent.name for agent in store.agents()], wanted)
            for store, wanted in zip(self.stores, (before, after), strict=True)
        ]
        self.found = ((first, names[0]), (second, names[1]))
        alike = names[0] == names[1] and first is not second
        self.names = tuple(f"{name} ({side})" for name, side in zip(names, ("before", "after"), strict=True))
        self.names = self.names if alike else tuple(names)
        self.changed: tuple[str, ...] = ()
        """Ids of tasks that both studies have, with other content."""
        self.notes: list[str] = []

    def agent(self, side: int) -> Agent:
        """The record of one of them, under its name here."""
        store, name = self.found[side]
        return replace(next(agent for agent in store.agents() if agent.name == name), name=self.names[side])


class Joined:
    """Two studies as one of two agents, on the tasks that are the same in both."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides
        mine, theirs = ({task.id: task for task in store.tasks()} for store in sides.stores)
        self._tasks = [task for name, task in mine.items() if name in theirs and theirs[name].hash == task.hash]
        if not self._tasks:
            raise StatisticsError("the two studies have no task in common: none has the same id and the same content")
        changed = sorted(name for name, task in mine.items() if name in theirs and theirs[name].hash != task.hash)
        sides.changed = tuple(changed)
        if changed:
            named = ", ".join(map(printable, changed[:_MOST_NAMED])) + (" …" if len(changed) > _MOST_NAMED else "")
            sides.notes.append(f"{plural(len(changed), 'task')} changed from study to study and left out: {named}")
        if alone := len(mine) + len(theirs) - 2 * (len(self._tasks) + len(changed)):
            sides.notes.append(f"{plural(alone, 'task')} of one study only, left out")
        if any(store.facts().stopping_rule for store in sides.stores):
            sides.notes.append("a study that could stop early is compared as one of fixed size")

    def facts(self) -> StudyFacts:
        """What holds for both; how many samples were planned only where it is the same number."""
        first, second = (store.facts() for store in self._sides.stores)
        samples = first.samples if first.samples == second.samples else None
        return replace(first, samples=samples, stopping_rule=None, question_order=None)

    def all_kept(self, kind: type[T], prefix: str = "") -> dict[str, T]:  # noqa: ARG002
        """Nothing: what rooms keep is of one study."""
        return {}

    def isolations(self) -> dict[Isolation, int]:
        """What stood around the trials of both studies."""
        return dict(sum((Counter(store.isolations()) for store in self._sides.stores), Counter()))

    def agents(self) -> list[Agent]:
        """The two."""
        return [self._sides.agent(0), self._sides.agent(1)]

    def tasks(self) -> Iterable[Task]:
        """Those that are the same in both."""
        return self._tasks

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
