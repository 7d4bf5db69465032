"""A long table as a study that has counts and no trials: what a leaderboard and a comparison need, and nothing else."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from honestly.formats import AS_IT_STANDS, TableCounts, TableRules, count_table
from honestly.records import Agent, Defect, Isolation, StudyFacts, Task
from honestly.store import Cell

T = TypeVar("T")


class CountedTable:
    """The study as a report reads it, from the counts of a table."""

    def __init__(self, path: Path, rules: TableRules = AS_IT_STANDS) -> None:
        self.counts: TableCounts = count_table(path, rules)
        self._name = path.name

    def facts(self) -> StudyFacts:
        """Where it is from."""
        return StudyFacts(imported_from=self._name)

    def all_kept(self, _kind: type[T], _prefix: str = "") -> dict[str, T]:
        """Nothing: a table holds trials alone."""
        return {}

    def isolations(self) -> dict[Isolation, int]:
        """Unknown isolations of all trials."""
        return {Isolation(): self.counts.rows}

    def agents(self) -> list[Agent]:
        """Who acted."""
        return [Agent(name=name) for name in self.counts.agents]

    def tasks(self) -> Iterable[Task]:
        """The tasks in order."""
        return self.counts.tasks

    def cells(self) -> list[Cell]:
        """No trial is kept one by one."""
        return []

    def defects(self) -> Iterable[Defect]:
        """Rows that could not be counted, columns that nobody knows."""
        return self.counts.defects
