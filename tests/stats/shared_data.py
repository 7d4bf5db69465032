"""Reads the evaluation data and reference values that lie beside the repository; tests skip where they are absent."""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

SHARED = Path(__file__).parents[2].parent / "shared"


class Counts(NamedTuple):
    agents: list[str]
    questions: list[str]
    correct: np.ndarray
    count: np.ndarray

    @property
    def means(self) -> np.ndarray:
        return self.correct / self.count

    @property
    def within(self) -> np.ndarray:
        """Unbiased variance of one sample, NaN where there is only one."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.count / (self.count - 1) * self.means * (1 - self.means)


def reference(name: str) -> Any:
    path = SHARED / "refs" / f"{name}.json"
    if not path.exists():
        pytest.skip(f"reference values {path.name} are not beside the repository")
    return json.loads(path.read_text())


@cache
def evaluation(name: str) -> Counts:
    path = SHARED / "data" / "evals" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"evaluation data {path.name} are not beside the repository")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    agents, questions = sorted({row["model"] for row in rows}), sorted({row["example_id"] for row in rows})
    row_of, column_of = ({name: i for i, name in enumerate(names)} for names in (agents, questions))
    correct = np.full((len(agents), len(questions)), np.nan)
    count = correct.copy()
    for row in rows:
        cell = row_of[row["model"]], column_of[row["example_id"]]
        correct[cell], count[cell] = row["correct"], row["count"]
    return Counts(agents, questions, correct, count)


@cache
def trials() -> list[dict[str, Any]]:
    """The trials of Terminal-Bench, as written."""
    path = SHARED / "data" / "terminal-bench" / "trials.jsonl"
    if not path.exists():
        pytest.skip(f"{path.name} of Terminal-Bench is not beside the repository")
    return [json.loads(line) for line in path.read_text().splitlines()]


@cache
def terminal_bench() -> tuple[list[str], list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Submissions, tasks, and trials that passed, failed and were not scored, each of shape (9, 80)."""
    rows = trials()
    agents, tasks = sorted({row["submission"] for row in rows}), sorted({row["task_id"] for row in rows})
    tallies = np.zeros((3, len(agents), len(tasks)), dtype=np.int64)
    kinds = {True: 0, False: 1, None: 2}
    for row in rows:
        tallies[kinds[row["is_resolved"]], agents.index(row["submission"]), tasks.index(row["task_id"])] += 1
    return agents, tasks, tallies[0], tallies[1], tallies[2]
