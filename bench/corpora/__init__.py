"""Collections of other people's trials, each with what is known of them: who was honest and who was not.

A corpus is read like any import, into agents, tasks and trials; labels stay outside, by the trials' sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from honestly.formats import Imported
from honestly.records import Agent, Defect, Task

Label = Literal["hack", "honest", "suspicious", "other", "unlabelled"]
Items = Iterable[Agent | Task | Imported | Defect]


class Found(NamedTuple):
    """What was read of a corpus."""

    items: Items
    labels: Mapping[str, Label]
    """By the trial's source."""
    rest: Label
    """Of all other trials."""


class Corpus(NamedTuple):
    """Where a corpus lies, and what its labels are worth."""

    name: str
    place: str
    """Below the directory of the corpora."""
    date: str
    """When the trials were made."""
    basis: str
    """Who labelled them, and how."""
    read: Callable[[Path], Found]
    weak: bool = False
    """Whether the labels are a model's opinion."""
