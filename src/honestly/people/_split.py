"""Which labelled trials a classifier learns from, is calibrated with, and is tested on: decided by task, for ever.

All trials of a task are in one part, with those of its impossible twin and of its easier and harder variants, since who
has seen one of them has seen the others. The part follows from a hash of the task's name alone, so that a task is in
the same part in every study; it is kept in the study as a fact, and a task that has a part never moves. Tasks that come
later get theirs.
"""

import re
from typing import Literal

from honestly.records import Record, digest
from honestly.store import Setup

Part = Literal["train", "calibration", "test"]

PARTS: tuple[Part, ...] = ("train", "calibration", "test")

_FACT = "review_split_1"
_SHARES = (0.5, 0.2)
"""Of train and calibration; the rest is for the test."""
_VARIANT = re.compile(r"\.(?:base|easy|medium|hard)$")


class Split(Record, frozen=True, kw_only=True):
    """The part (training, validation or test) that each task belongs to."""

    version: str = "1"
    """Version of the rule that splits; another version is stored as another fact, and changes no part of this one."""
    tasks: dict[str, Part]


def family_of(task: str, twin: str = "") -> str:
    """Name that a task shares with its variants: that of the task it is a twin of, without a grade of difficulty."""
    return _VARIANT.sub("", twin or task)


def split_of(study: Setup) -> Split:
    """The part of each task of a study: as it was kept, and for new tasks as it will be. Nothing is kept yet.

    Raises:
        StoreError: this version did not write the stored split.
    """
    kept = study.kept(_FACT, Split) or Split(tasks={})
    new = {task.id: _part(family_of(task.id, task.tags.twin)) for task in study.tasks() if task.id not in kept.tasks}
    return Split(tasks={**kept.tasks, **new})


def keep_split(study: Setup, split: Split) -> None:
    """Put the parts of tasks into the study that have none there; the others stay as they are."""
    kept = study.kept(_FACT, Split)
    tasks = {**split.tasks, **(kept.tasks if kept else {})}
    if kept is None or kept.tasks != tasks:
        study.keep(_FACT, Split(tasks=tasks))


def _part(family: str) -> Part:
    at = int(digest("split", "1", family)[:12], 16) / 16**12
    return "train" if at < _SHARES[0] else "calibration" if at < sum(_SHARES) else "test"
