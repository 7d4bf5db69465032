"""What a table's rows say together, before the first is read: no column that tells rows apart is left out in silence.

A column that nobody reads may say which model, judge, benchmark or metric a row is of: left out, rows of several things
become samples of one. `merging_columns` finds it: its values differ within an agent's task, and it divides the table
as a design does, each value at each task of an agent, or at each agent of a task, equally often; or it has the name of
such a thing. Numbers of samples, seeds and times do not count. `on_another_scale` finds a value of any column whose
scores are all shares of 1 where those of the others are not.

Not covered: a table in which each agent has a value of its own.
"""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]

_FACTORS = """model llm agent system scaffold harness framework judge grader rater annotator evaluator reviewer metric
measure benchmark dataset subset split suite setting condition strategy method adapter effort reasoning prompt_id
question_id task_id problem_id item_id example_id instance_id scenario scenario_id domain lang template arm model_name
model_id agent_name judge_model prompt_template prompt_version config n_shot shots task_name"""
"""Columns that tell things apart, whatever their values."""
_SAMPLES = """seed run run_id runid trial trial_id attempt rep repeat repetition replicate replication iteration iter
epoch sample sample_id sample_idx sample_index fold round try generation rollout k idx index row row_id uuid random_seed
episode"""
_MEASURES = """latency latency_ms latency_s duration time runtime cost_usd tokens n_tokens total_tokens temperature
timestamp n rank mean avg average total overall macro_average"""
_TIMES = ("time", "date", "created", "started", "ended", "finished", "duration", "latency", "seconds")
METRICS = frozenset(("metric", "measure", "metric_name", "metrics"))
"""Columns that say what a score measures."""
# Cells with several rows; the shares of a design that are filled, and of its cells that are as often as most.
_FEWEST_CELLS, _FILLED, _EQUAL = 4, 0.8, 0.75
# Characters of a value that is kept as it is; values of a column.
_LONGEST, _MOST_KEPT = 80, 200_000
# Values of a column whose scores are looked at on their own, scores of one of them, and the chance that they are low.
MOST_VALUES, _FEWEST_SCORES, _CHANCE = 50, 5, 1e-3


def plain_name(name: str) -> str:
    """A column's name in small letters, with lines below for blanks."""
    return "_".join(name.strip().casefold().replace("-", " ").replace("_", " ").split())


def is_beside(name: str) -> bool:
    """Whether a column of a wide table is none of its agents and tasks: a seed, a time, a cost, or a mean of others."""
    return plain_name(name) in {*_SAMPLES.split(), *_MEASURES.split()} - {"k", "trial", "try", "index"}


@dataclass
class Coded:
    """One column as numbers: a value's number is the order in which it came; 0 where the cell is empty."""

    numbers: dict[object, int] = field(default_factory=dict)
    rows: "array[int]" = field(default_factory=lambda: array("i"))
    is_text: bool = False
    """Whether there are too many values, so that no more are kept."""

    def add(self, value: object, row: int) -> None:
        """The cell of a row; those of rows between are empty."""
        while len(self.rows) < row:
            self.rows.append(0)
        if self.is_text or value is None or value == "":
            self.rows.append(0)
            return
        short = hash(value) if isinstance(value, str) and len(value) > _LONGEST else value
        self.rows.append(self.numbers.setdefault(short, len(self.numbers) + 1))
        self.is_text = len(self.numbers) > _MOST_KEPT

    def codes(self, count: int) -> Codes:
        """The numbers of so many rows."""
        found = np.zeros(count, np.int64)
        found[: len(self.rows)] = np.frombuffer(self.rows, np.int32)[:count]
        return found


def merging_columns(agent: Codes, task: Codes, labels: Mapping[str, Codes]) -> dict[str, Codes]:
    """The columns that tell rows of one agent and task apart as another agent, task or measure does, the surest first.

    Args:
        agent: Of each row, a number.
        task: The same; of a sample of a task where samples have numbers.
        labels: The same of each column that nobody reads.

    Returns:
        Of each, which rows stand where there are several.
    """
    factors, numbers = set(_FACTORS.split()), set(_SAMPLES.split())
    cell = agent * (task.max(initial=0) + 1) + task
    _, place, sizes = np.unique(cell, return_inverse=True, return_counts=True)
    found: dict[str, tuple[int, Codes]] = {}
    several = sizes[place] > 1
    for name, label in labels.items() if several.any() else ():
        plain = plain_name(name)
        if plain in numbers or any(word in plain for word in _TIMES):
            continue
        keyed = np.stack([agent, task, label])[:, label > 0]
        distinct, counts = np.unique(keyed, axis=1, return_counts=True)
        in_cell = distinct[0] * (task.max(initial=0) + 1) + distinct[1]
        cells, values = np.unique(in_cell, return_counts=True)
        if distinct.shape[1] == cells.size:
            continue
        is_design = (values > 1).sum() >= _FEWEST_CELLS and _is_design(distinct, counts)
        if plain in factors or is_design:
            found[name] = distinct.shape[1] + (len(label) if plain in factors else 0), label
    return {name: label for name, (_, label) in sorted(found.items(), key=lambda each: -each[1][0])}


def _is_design(distinct: Codes, counts: Codes) -> bool:
    """Whether values are at each task of an agent, or at each agent of a task, and equally often."""
    usual = np.bincount(counts).max() / counts.size
    filled = 0.0
    for own, other in ((0, 1), (1, 0)):
        values = np.unique(np.unique(distinct[[own, 2]], axis=1)[0], return_counts=True)[1]
        others = np.unique(np.unique(distinct[[own, other]], axis=1)[0], return_counts=True)[1]
        if np.unique(distinct[other]).size > 1:
            filled = max(filled, distinct.shape[1] / float((values * others).sum()))
    return bool(usual >= _EQUAL and filled >= _FILLED)


def on_another_scale(label: Codes, sizes: Codes) -> int:
    """A value of a column whose scores are all shares of 1 where others are not; 0 where there is none.

    Args:
        label: Of each row the value, 0 where it is empty.
        sizes: Of each row the size of its score (`Understood.size_of`), -1 where it has none.
    """
    values = np.unique(label[label > 0])
    if not 1 < values.size <= MOST_VALUES:
        return 0
    for value in values:
        own, rest = (sizes[(label == value) & (sizes > 0)], sizes[(label != value) & (sizes > 0)])
        if own.size < _FEWEST_SCORES or own.max() > 2 or not (rest > 2).any():
            continue
        low = float((rest <= 2).mean())
        if low**own.size < _CHANCE / values.size:
            return int(value)
    return 0


def several_said(
    place: str, merging: Mapping[str, Codes], names: Mapping[str, Mapping[object, int]], columns: Mapping[str, str]
) -> str:
    """What is said of columns that tell rows apart: which, how they do, and how to say what they are."""
    first = next(iter(merging))
    values = " and ".join(
        repr(value if isinstance(value, int | float) else str(value)[:40]) for value in [*names[first]][:2]
    )
    also = f" (so does {', '.join(map(repr, list(merging)[1:4]))})" if len(merging) > 1 else ""
    said = {what: columns[what] for what in ("agent", "task", "outcome") if what in columns}
    task = said.get("task", "*")
    ways = [
        ({"condition": first}, "other agents"),
        *([({"task": f"{task}+{first}"}, "other tasks")] if task != "*" else []),
        ({"sample": first}, "repeated samples"),
    ]
    each = "; ".join(f"{','.join(f'{what}={name}' for what, name in (said | way).items())} ({of})" for way, of in ways)
    return (
        f"{place}: the column {first!r} tells rows of one agent and task apart{also}, with {values}, and nothing says "
        f"what it is. Say it with --columns: {each}; or keep the rows of one value. To take the rows for samples: "
        "--allow-refused"
    )
