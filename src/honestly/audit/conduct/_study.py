"""The conduct of each arm of a study: every measure on every trial, as means over tasks with their intervals.

A trial's value is its share. A task's is the mean of its trials' that had an occasion, so that a task on which an agent
was tried often, or gave many commands, does not outweigh the others; an arm's is the mean of its tasks'. Intervals are
for new tasks of this kind, 95% (`stats.bounded_interval`). Nothing is kept in the study: measuring again is a reading.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from honestly.audit._study import Progress, case_of
from honestly.audit.conduct._measures import MEASURES, Measure, Share
from honestly.stats import bounded_interval, mean_of_questions
from honestly.store import Store


class Measured(NamedTuple):
    """One trial."""

    arm: str
    task: str
    shares: Mapping[str, Share | None] | None
    """By measure; None where no step of the agent could be read."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """One measure of one arm."""

    measure: str
    version: str
    dimension: str
    good: str
    arm: str
    value: float
    """Mean over tasks, 0 to 1; NaN where no trial had an occasion."""
    low: float
    """95%; NaN where one task, or no difference between tasks, leaves nothing to go by."""
    high: float
    tasks: int
    trials: int
    """Trials that had an occasion: the denominator."""
    idle: int
    """Trials that could be read, and had none."""
    unreadable: int


def measured(study: Store, progress: Progress | None = None) -> Iterator[Measured]:
    """Every trial of a study, measured.

    Raises:
        StoreError: the study cannot be read.
    """
    cells = study.cells()
    for number, cell in enumerate(cells, 1):
        case = case_of(study, study.trial(cell.id))
        read = case.table is not None and bool(case.table.agent)
        yield Measured(cell.agent, cell.task, {each.name: each.share(case) for each in MEASURES} if read else None)
        if progress is not None:
            progress(number, len(cells), cell.id[:8])


def conduct_of(trials: Iterable[Measured]) -> list[Conduct]:
    """The table of all measures by arm, in the order of the measures."""
    arms: dict[str, list[Measured]] = defaultdict(list)
    for trial in trials:
        arms[trial.arm].append(trial)
    return [_row(measure, arm, arms[arm]) for measure in MEASURES for arm in sorted(arms)]


def _row(measure: Measure, arm: str, trials: list[Measured]) -> Conduct:
    tasks: dict[str, list[float]] = defaultdict(list)
    read = [trial for trial in trials if trial.shares is not None]
    for trial in read:
        share = trial.shares[measure.name] if trial.shares is not None else None
        if share is not None:
            tasks[trial.task].append(share.seen / share.of)
    found = mean_of_questions(np.array([float(np.mean(values)) for values in tasks.values()]))
    low, high = bounded_interval(found.mean, found.se, found.df, 1.0, len(tasks), 0.95)
    occasions = sum(map(len, tasks.values()))
    return Conduct(
        measure=measure.name,
        version=measure.version,
        dimension=measure.dimension,
        good=measure.good,
        arm=arm,
        value=float(found.mean),
        low=float(low),
        high=float(high),
        tasks=len(tasks),
        trials=occasions,
        idle=len(read) - occasions,
        unreadable=len(trials) - len(read),
    )
