"""Counting single trials into cells: the mutable workbench behind the constructors of `Scores`.

A cell is an (agent, question) pair. Labels come out sorted, so that the order of the input never shows in a result.
"""

import json
import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

OUTCOMES = ("passed", "failed", "limit", "void")
_SHOWN = 5


@dataclass(slots=True)
class _Order:
    """What came last in a cell, and the range of the rest."""

    number: int
    value: float
    low: float = math.inf
    high: float = -math.inf

    def add(self, number: int, value: float) -> None:
        if number > self.number:
            self.number, self.value, value = number, value, self.value
        self.low, self.high = min(self.low, value), max(self.high, value)


@dataclass(slots=True)
class _Cell:
    counts: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    graded: list[float] = field(default_factory=list)
    planned: int | None = None
    order: _Order | None = None
    """None where samples are not numbered."""


class Cells:
    """Collects cells and the cluster of each question, then hands them over as arrays."""

    def __init__(self) -> None:
        self._cells: dict[tuple[str, str], _Cell] = {}
        self._clusters: dict[str, str] = {}

    def cell_at(self, agent: str, question: str) -> _Cell:
        """The cell of this agent and question, created when it is new."""
        key = (agent, question)
        found = self._cells.get(key)
        if found is None:
            found = self._cells[key] = _Cell()
        return found

    def __contains__(self, key: tuple[str, str]) -> bool:
        return key in self._cells

    def add(self, agent: str, question: str, outcome: object, sample: object = None) -> None:
        """Count one sample: an outcome word, a bool, or a value in [0, 1]; a whole number says which came last."""
        cell = self.cell_at(agent, question)
        if isinstance(sample, int | np.integer) and outcome != "void":
            value = float(outcome == "passed") if isinstance(outcome, str) else _value(agent, question, outcome)
            if cell.order is None:
                cell.order = _Order(int(sample), value)
            else:
                cell.order.add(int(sample), value)
        if isinstance(outcome, str):
            if outcome not in OUTCOMES:
                raise StatisticsError(
                    f"outcome {outcome!r} of agent {agent!r} on question {question!r} is unknown; expected one of "
                    f"{', '.join(OUTCOMES)}, a bool, or a value in [0, 1]"
                )
            cell.counts[OUTCOMES.index(outcome)] += 1
            return
        value = _value(agent, question, outcome)
        if value in (0.0, 1.0):
            cell.counts[0 if value else 1] += 1
        else:
            cell.graded.append(value)

    def put_in_cluster(self, question: str, cluster: str) -> None:
        """Say which cluster a question belongs to; a question cannot be in two."""
        known = self._clusters.setdefault(question, cluster)
        if known != cluster:
            raise StatisticsError(
                f"question {question!r} is in cluster {known!r} in one row and in {cluster!r} in another"
            )

    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Agents and questions met, each sorted."""
        return tuple(sorted({a for a, _ in self._cells})), tuple(sorted({q for _, q in self._cells}))

    def clusters(self, questions: tuple[str, ...]) -> tuple[str, ...] | None:
        """Cluster of each question in order, or None when none was given."""
        if not self._clusters:
            return None
        missing = [question for question in questions if question not in self._clusters]
        if missing:
            raise StatisticsError(
                f"{len(missing)} questions have no cluster (first: {missing[:_SHOWN]}) while others have one; "
                "give every question a cluster, or none"
            )
        return tuple(self._clusters[question] for question in questions)

    def ends(
        self, agents: tuple[str, ...], questions: tuple[str, ...]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """`last_passed` and `last_extreme` of `Scores`; None where no sample has a number."""
        row, column = ({name: i for i, name in enumerate(names)} for names in (agents, questions))
        found = np.full((2, len(agents), len(questions)), -1)
        for (agent, question), cell in self._cells.items():
            if cell.order is not None:
                last = cell.order
                found[:, row[agent], column[question]] = last.value == 1, extreme_value(last.value, last.low, last.high)
        return (found[0], found[1]) if (found >= 0).any() else None

    def cell_arrays(self, agents: tuple[str, ...], questions: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
        """Counts, graded sums and plans as float arrays of shape (agents, questions); plan NaN where unknown."""
        names = (*OUTCOMES, "graded", "graded_sum", "graded_squares", "planned")
        table = np.zeros((len(names), len(agents), len(questions)))
        table[-1] = math.nan
        row = {agent: i for i, agent in enumerate(agents)}
        column = {question: i for i, question in enumerate(questions)}
        for (agent, question), cell in self._cells.items():
            # fsum rounds once, which makes the sum independent of the order of the rows to the last bit.
            total, squares = math.fsum(cell.graded), math.fsum(value * value for value in cell.graded)
            planned = math.nan if cell.planned is None else cell.planned
            table[:, row[agent], column[question]] = (*cell.counts, len(cell.graded), total, squares, planned)
        return dict(zip(names, table, strict=True))


def extreme_value(value: float, low: float, high: float) -> int:
    """1 above all others, of which the range is given, 0 below, -1 neither."""
    return 1 if value > high else 0 if value < low else -1


def _value(agent: str, question: str, outcome: object) -> float:
    if isinstance(outcome, bool | int | float | np.bool_ | np.integer | np.floating):
        value = float(outcome)
        if 0.0 <= value <= 1.0:
            return value
    advice = "; say 'void' or 'limit' for a trial without a verdict" if outcome is None else ""
    raise StatisticsError(
        f"value {outcome!r} of agent {agent!r} on question {question!r}: expected one of {', '.join(OUTCOMES)}, "
        f"a bool, or a number in [0, 1]{advice}"
    )


def count_rows(rows: Iterable[object]) -> Cells:
    """Count rows `(agent, question, sample, outcome[, cluster])` into cells.

    Raises:
        StatisticsError: A row is not such a tuple (a flat list of 0/1, say), or a sample occurs twice.
    """
    cells = Cells()
    seen: set[tuple[str, str, Hashable]] = set()
    repeated: list[tuple[str, str, Hashable]] = []
    for row in rows:
        if not isinstance(row, list | tuple) or len(row) not in (4, 5):
            raise StatisticsError(
                f"found row {row!r}; expected (agent, question, sample, outcome) or (..., cluster). A bare list of "
                "results cannot say which of them answer the same question, and an error bar needs to know"
            )
        agent, question, sample, outcome = row[:4]
        key = (str(agent), str(question), sample)
        if key in seen:
            repeated.append(key)
            continue
        seen.add(key)
        cells.add(key[0], key[1], outcome, sample)
        if len(row) == 5:
            cells.put_in_cluster(key[1], str(row[4]))
    if repeated:
        shown = ", ".join(f"({a!r}, {q!r}, sample {s!r})" for a, q, s in repeated[:_SHOWN])
        raise StatisticsError(
            f"{len(repeated)} trials occur twice: {shown}{', …' if len(repeated) > _SHOWN else ''}; each "
            "(agent, question, sample) must be one trial, so number the samples or remove the copies"
        )
    return cells


_INTEGER = 1e-6
_MAX_SAMPLES = 1_000_000


def count_eval_arena(path: str | Path) -> Cells:
    """Count the lines `{model, example_id, pass1, count[, correct, condition, cluster]}` of one benchmark.

    An agent is `model`, or `model|condition`. A negative `pass1` or `count` marks a cell that was never run: missing.
    """
    cells = Cells()
    benchmarks: set[str] = set()
    for number, row in _json_lines(Path(path)):
        where = f"{path}, line {number}"
        try:
            benchmarks.add(str(row.get("benchmark_id")))
            agent, question = str(row["model"]), str(row["example_id"])
            rate, count = float(row["pass1"]), float(row.get("count", 1))
            correct = row.get("correct")
            correct = None if correct is None else float(correct)
        except (KeyError, TypeError, ValueError) as error:
            raise StatisticsError(f"{where}: expected model, example_id, pass1 and count, found {row!r}") from error
        if row.get("condition") is not None:
            agent = f"{agent}|{row['condition']}"
        if (agent, question) in cells:
            raise StatisticsError(
                f"{where}: a second line for model {agent!r} on {question!r}; if these are several tests of one "
                "question, give each its own example_id and name the question in 'cluster'"
            )
        _add_count(cells, where, (agent, question), (rate, count, correct))
        if row.get("cluster") is not None:
            cells.put_in_cluster(question, str(row["cluster"]))
    if len(benchmarks) > 1:
        raise StatisticsError(f"{path} mixes the benchmarks {sorted(benchmarks)}; split it into one file each")
    return cells


def _json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise StatisticsError(f"{path}, line {number}: not JSON ({error})") from error
            if not isinstance(row, dict):
                raise StatisticsError(f"{path}, line {number}: expected one JSON object, found {type(row).__name__}")
            yield number, row


def _add_count(cells: Cells, where: str, key: tuple[str, str], found: tuple[float, float, float | None]) -> None:
    rate, count, correct = found
    cell = cells.cell_at(*key)
    if rate < 0 or count < 0:
        cell.planned = max(1, int(count)) if math.isfinite(count) else 1
        return
    if not (rate <= 1 and 1 <= count <= _MAX_SAMPLES and count == int(count)):
        raise StatisticsError(f"{where}: pass1={rate} with count={count}; expected a rate in [0, 1] of 1 or more runs")
    samples = int(count)
    if samples == 1 and correct is None and rate not in (0.0, 1.0):
        cell.graded.append(rate)
        return
    passed = round(rate * samples)
    if abs(rate * samples - passed) > _INTEGER or (correct is not None and correct != passed):
        fits = next((k for k in range(1, 101) if abs(rate * k - round(rate * k)) < 1e-9), None)
        hint = f"; {fits} runs would fit" if fits else ""
        raise StatisticsError(
            f"{where}: pass1={rate} is not a number of passes out of count={samples}"
            f"{'' if correct is None else f' equal to correct={correct:g}'}{hint}"
        )
    cell.counts[0] += passed
    cell.counts[1] += samples - passed


def count_frame(frame: "IntoDataFrame", names: tuple[str, str, str, str, str | None]) -> Cells:
    """Count a frame with one trial per row; `names` are the columns agent, question, sample, outcome, cluster.

    A null outcome is an error, as for rows: the frame must say `void` or `limit`.
    """
    try:
        import narwhals as nw
    except ModuleNotFoundError as error:
        raise StatisticsError("reading a frame needs narwhals; install honestly[frames]") from error
    wanted = [name for name in names if name is not None]
    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise StatisticsError(f"expected a pandas or polars frame, found {type(frame).__name__}") from error
    absent = [name for name in wanted if name not in table.columns]
    if absent:
        raise StatisticsError(f"the frame has no column {absent}; it has {table.columns}")
    return count_rows(tuple(row) for row in table.select(wanted).iter_rows())
