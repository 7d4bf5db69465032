"""A long table counted instead of imported: for each agent and task how often each outcome stands in it.

Ten million rows are too many to be kept one by one for a leaderboard, which needs the counts alone. So rows are grouped
by polars, and each value of an outcome is read once, by the rules of `_table`. What cannot be counted is refused, with
its number; a table with `count` or wide columns must be imported.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honestly.errors import FormatError
from honestly.formats._columns import EACH, saved_columns
from honestly.formats._heads import Head
from honestly.formats._imported import alike_names, storable_text
from honestly.formats._rows import each_row
from honestly.formats._table import (
    COLUMNS,
    NO_OUTCOME,
    TASK_COLUMNS,
    columns_as,
    contradiction_defect,
    do_contradict,
    other_outcome,
    outcomes_of,
    summary_rows,
    tags_of,
    unnumbered_defect,
)
from honestly.formats._table_rules import AS_IT_STANDS, OffScaleError, TableRules, Understood, separator_of
from honestly.records import Defect, Outcome, Task

if TYPE_CHECKING:
    import polars

Counts = NDArray[np.int64]
_OFF = "off the scale"
_CHUNK = 8 << 20
_KNOWN = {what for what in COLUMNS if what not in {"count", "usd"}}


@dataclass(frozen=True, eq=False)
class TableCounts:
    """How often each outcome stands in a table; arrays have the shape (agents, tasks), by name."""

    agents: tuple[str, ...]
    tasks: tuple[Task, ...]
    outcomes: dict[Outcome, Counts]
    """Rows whose outcome is 0, 1 or a word."""
    graded: tuple[Counts, NDArray[np.float64], NDArray[np.float64]]
    """Rows with a score between 0 and 1: how many, the sum of their scores, and of their squares."""
    rows: int
    defects: tuple[Defect, ...]
    numbers: tuple[Counts, Counts] | None = None
    """The least and the largest number of a sample; None where samples have no whole numbers."""


def count_table(path: Path, rules: TableRules = AS_IT_STANDS) -> TableCounts:
    """Counts a table: CSV, lines of JSON, or Parquet.

    Args:
        path: The file.
        rules: What the user says of it: its columns, scale, words.

    Raises:
        FormatError: It cannot be read, needs what is not installed, must be imported, or too much of it would be lost.
    """
    try:
        import polars
    except ImportError as error:
        raise FormatError(f"{path} is counted with polars: pip install 'honestly[tables]'") from error
    try:
        frame = _scanned(path)
        columns = frame.collect_schema().names()
        found = _columns(path, columns, rules.columns or saved_columns(columns))
        rows = frame.select(polars.col(name).cast(polars.String).alias(what) for what, name in found.items())
        if "condition" in found:
            rows = rows.with_columns(polars.concat_str("agent", "condition", separator="|").alias("agent"))
        needed = ("agent", "task", "outcome")
        groups = rows.group_by(needed).agg(polars.len().alias("rows")).collect(engine="streaming")
        told = [polars.col(what) for what in TASK_COLUMNS if what in found]
        tags = rows.group_by("task").agg(each.filter(each.str.strip_chars() != "").first() for each in told)
        known = {row["task"]: row for row in tags.collect(engine="streaming").iter_rows(named=True)}
        samples = _numbered(rows) if "sample" in found else None
        again = 0 if samples is None else int((samples["len"] - samples["distinct"]).sum())
        more = 0 if "sample" in found else int(groups["rows"].sum()) - groups.n_unique(["agent", "task"])
        other = other_outcome(found, columns)
        pairs = _outcome_pair_counts(frame, found["outcome"], other) if other else {}
    except (polars.exceptions.PolarsError, OSError) as error:
        raise FormatError(f"{path} cannot be read as a table: {str(error)[:300]}") from error
    if again:
        raise FormatError(f"{path}: {again:,} rows repeat a sample; honestly study import refuses them one by one")
    if not groups.height:
        raise FormatError(f"{path} holds no row; expected columns agent, task and outcome")
    _refuse_name_twice(path, set(found.values()), int(groups["rows"].sum()))
    left = [name for name in columns if name not in found.values()]
    against = sum(count for said, count in pairs.items() if do_contradict(*said, rules))
    notes = [contradiction_defect(found["outcome"], other, against, path.name)] if against else []
    notes += [unnumbered_defect(more, path.name)] if more else []
    counts = _grouped_counts(path, groups, (known, left), rules)
    notes += summary_rows((task.id for task in counts.tasks), path.name)
    alike = alike_names(counts.agents)
    numbers = None if samples is None else _numbers(samples, counts)
    return replace(counts, numbers=numbers, defects=(*counts.defects, *notes, *([alike] if alike else [])))


def parquet_rows(path: Path) -> int:
    """The number of rows that a Parquet file says it has; 0 where it cannot be read."""
    try:
        import polars
    except ImportError:
        return 0
    try:
        return int(polars.scan_parquet(path).select(polars.len()).collect().item())
    except (polars.exceptions.PolarsError, OSError):
        return 0


def _scanned(path: Path) -> polars.LazyFrame:
    import polars

    start = Head(path).start
    if start.startswith(b"PAR1"):
        return polars.scan_parquet(path)
    if start.lstrip()[:1] in {b"{", b"["}:
        return polars.scan_ndjson(path, infer_schema_length=1000)
    header = start.split(b"\n", 1)[0].decode("utf-8", "replace")
    return polars.scan_csv(path, separator=separator_of(header), infer_schema=False)


def _refuse_name_twice(path: Path, names: Collection[str], rows: int) -> None:
    """Refuse lines of JSON of which one has a name twice; the lines are looked at where there are more names than rows.

    Raises:
        FormatError: there is one; the message names it.
    """
    if Head(path).start.lstrip()[:1] not in {b"{", b"["}:
        return
    needles = [form for name in names for form in {json.dumps(name).encode(), f'"{name}"'.encode()}] + [rb"\u00"]
    counts, rest = Counter[bytes](), b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            # A line break stands in no name.
            end = chunk.rfind(b"\n") + 1
            counts.update({each: (rest + chunk[:end]).count(each) for each in needles})
            rest = chunk[end:] if end else rest + chunk
    counts.update({each: rest.count(each) for each in needles})
    if any(count > (0 if each == rb"\u00" else rows) for each, count in counts.items()):
        for at, row in each_row(path):
            if isinstance(row, FormatError):
                raise FormatError(f"{at}: {row}") from row


def _columns(path: Path, columns: list[str], named: Mapping[str, str]) -> dict[str, str]:
    """The column of each thing that is known of a row."""
    found = columns_as(tuple(columns), named)
    missing = [what for what in ("agent", "task", "outcome") if found.get(what) not in columns]
    if missing or "count" in found or EACH in found.values():
        why = f"no column for its {missing[0]}" if missing else "cells with a number of samples"
        raise FormatError(
            f"{path} cannot be counted ({why}); import it: honestly study import {path} -o STUDY [--columns …]"
        )
    return {what: name for what, name in found.items() if what in _KNOWN}


def _outcome_pair_counts(frame: polars.LazyFrame, used: str, other: str) -> dict[tuple[str, str], int]:
    """How often which two outcomes stand in one row."""
    import polars

    both = frame.select(polars.col(used).cast(polars.String).alias("used"), polars.col(other).cast(polars.String))
    counts = both.group_by("used", other).agg(polars.len().alias("_rows")).collect(engine="streaming")
    return {(row[0], row[1]): row[2] for row in counts.iter_rows()}


def _numbered(rows: polars.LazyFrame) -> polars.DataFrame:
    """Of each agent and task its rows, how many samples they name, and the least and largest number of one."""
    import polars

    sample, number = polars.col("sample"), polars.col("sample").cast(polars.Int64, strict=False)
    cell = rows.group_by("agent", "task").agg(
        polars.len().cast(polars.Int64), sample.n_unique().cast(polars.Int64).alias("distinct"),
        number.min().alias("least"), number.max().alias("most"), number.null_count().alias("unnumbered"),
    )  # fmt: skip
    return cell.collect(engine="streaming")


def _numbers(samples: polars.DataFrame, counts: TableCounts) -> tuple[Counts, Counts] | None:
    import polars

    if samples["unnumbered"].sum():
        return None
    names = {"agent": list(counts.agents), "task": [task.id for task in counts.tasks]}
    kept = samples.filter(polars.col(what).is_in(those) for what, those in names.items())
    rows, columns = (kept[what].cast(polars.Enum(those)).to_physical().to_numpy() for what, those in names.items())
    shape = tuple(map(len, names.values()))
    least, most = np.full(shape, np.iinfo(np.int64).max), np.full(shape, -1)
    least[rows, columns], most[rows, columns] = kept["least"].to_numpy(), kept["most"].to_numpy()
    return least, most


def _grouped_counts(
    path: Path,
    groups: polars.DataFrame,
    more: tuple[Mapping[str, Mapping[str, object]], list[str]],
    rules: TableRules,
) -> TableCounts:
    import polars

    known, left = more
    seen = Understood(path.name, rules)
    rows = dict(groups.group_by("outcome").agg(polars.col("rows").sum()).iter_rows())
    read = {value: _read_graded(value, rules, seen, path.name, rows[value]) for value in groups["outcome"].unique()}
    refused = {value for value, (outcome, *_) in read.items() if outcome is None}
    bad = polars.col("outcome").is_in(refused, nulls_equal=True) | polars.any_horizontal(
        polars.col("agent", "task").is_null() | (polars.col("agent", "task").str.strip_chars() == "")
    )
    lost, kept = groups.filter(bad), groups.filter(~bad)
    for row in lost.iter_rows(named=True):
        if read[row["outcome"]][2] == _OFF:
            continue
        seen.count_refused(f"for example {storable_text(row)}"[:200], row["agent"], row["task"], row["rows"])
    for agent, task, count, value in kept.select("agent", "task", "rows", "outcome").iter_rows():
        outcome, share, _ = read[value]
        seen.keep(agent, task, count, float(outcome is Outcome.PASSED) if share is None else share)
    seen.check()
    agents, tasks = (kept[what].unique(maintain_order=True).sort() for what in ("agent", "task"))
    at = tuple(
        kept[what].cast(polars.Enum(names)).to_physical().to_numpy()
        for what, names in (("agent", agents), ("task", tasks))
    )
    number = kept["rows"].to_numpy().astype(np.float64)
    said = [read[value] for value in kept["outcome"]]
    score = np.array([np.nan if score is None else score for _, score, _ in said])
    is_graded = ~np.isnan(score)
    shape = (len(agents), len(tasks))

    def masked_sums(mask: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.zeros(shape)
        np.add.at(sums, tuple(index[mask] for index in at), weights[mask])
        return sums

    def plain(outcome: Outcome) -> Counts:
        of_it = np.array([each is outcome for each, *_ in said], dtype=bool)
        return masked_sums(of_it & ~is_graded, number).astype(np.int64)

    graded = (
        masked_sums(is_graded, number).astype(np.int64),
        masked_sums(is_graded, number * score),
        masked_sums(is_graded, number * score**2),
    )
    defects = [Defect(kind="column left out", where=path.name, detail=storable_text(name)) for name in left]
    if lost.height:
        detail = f"for example {storable_text(lost.row(0, named=True))}"[:500]
        count = int(lost["rows"].sum())
        defects.append(Defect(kind="row refused", where=path.name, detail=detail, count=count, effect="refused"))
    for value, (_, _, why) in read.items():
        if why not in {"", NO_OUTCOME, _OFF}:
            kind = "outcome not understood"
            defects.append(
                Defect(kind=kind, where=path.name, detail=f"{why}; void", count=rows[value], effect="repaired")
            )
    made = tuple(Task(id=storable_text(name), instruction="", tags=tags_of(dict(known[name]))) for name in tasks)
    return TableCounts(
        agents=tuple(map(storable_text, agents)),
        tasks=made,
        outcomes={outcome: plain(outcome) for outcome in Outcome},
        graded=graded,
        rows=int(number.sum()),
        defects=tuple(defects),
    )


def _read_graded(
    value: str | None, rules: TableRules, seen: Understood, place: str, rows: int
) -> tuple[Outcome | None, float | None, str]:
    try:
        outcome, score, why = outcomes_of({"outcome": value}, rules)[0]
    except OffScaleError as error:
        seen.off_scale(place, error.value, rows)
        return None, None, _OFF
    except FormatError:
        return None, None, ""
    if why not in {"", NO_OUTCOME}:
        seen.count_unknown(storable_text(value).strip(), rows)
    return outcome, score, why
