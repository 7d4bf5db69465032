"""Reading scores from other people's tables: eval-arena's JSONL, and pandas or polars frames through narwhals."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honestly.errors import StatisticsError
from honestly.stats._cells import Cells, count_rows

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_INTEGER = 1e-6
_MAX_SAMPLES = 1_000_000


def count_eval_arena(path: str | Path) -> Cells:
    """Count the lines `{model, example_id, pass1, count[, correct, condition, cluster]}` of one benchmark.

    An agent is `model`, or `model|condition`. A negative `pass1` or `count` marks a cell that was never run: missing.
    """
    cells = Cells()
    benchmarks: set[str] = set()
    for number, row in _lines(Path(path)):
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
        _put(cells, where, (agent, question), (rate, count, correct))
        if row.get("cluster") is not None:
            cells.put_in_cluster(question, str(row["cluster"]))
    if len(benchmarks) > 1:
        raise StatisticsError(f"{path} mixes the benchmarks {sorted(benchmarks)}; split it into one file each")
    return cells


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
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


def _put(cells: Cells, where: str, key: tuple[str, str], found: tuple[float, float, float | None]) -> None:
    rate, count, correct = found
    cell = cells.cell(*key)
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
