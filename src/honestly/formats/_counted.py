"""A long table counted instead of imported: for each agent and task how often each outcome stands in it.

Ten million rows are too many to be kept one by one for a leaderboard, which needs the counts alone. So rows are grouped
by polars, and each value of an outcome is read once, by the rules of `_table`. What cannot be counted is refused, with
its number; a table with `count` or wide columns must be imported.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honestly.errors import FormatError
from honestly.formats._columns import EACH, saved_columns
from honestly.formats._heads import Head
from honestly.formats._imported import alike_names, storable_text
from honestly.formats._rows import BROKEN, each_row, unpacked_file
from honestly.formats._sources import noted_defect, refused_defect, repaired_defect
from honestly.formats._table import (
    KINDS_OF_TASK,
    NO_OUTCOME,
    TASK_COLUMNS,
    alike_ids_noted,
    check_direction,
    contradiction_defect,
    copies_said,
    dates_unread,
    do_contradict,
    judges_said,
    may_be_parts,
    other_outcome,
    outcomes_of,
    several_said,
    share_of_outcome,
    summary_rows,
    tags_of,
    unnumbered_defect,
)
from honestly.formats._table_cells import is_decimal_comma
from honestly.formats._table_columns import (
    COLUMNS,
    JOINED,
    NAMELESS,
    NONE,
    OURS,
    columns_as,
    columns_option,
    joined_agent,
    names_in,
    parts_of,
)
from honestly.formats._table_rules import AS_IT_STANDS, SIZES, OffScaleError, TableRules, Understood
from honestly.formats._table_shape import cells_of, layout_of, named_columns
from honestly.formats._table_survey import (
    METRICS,
    MOST_VALUES,
    copied_cell,
    is_nameless,
    is_row_number,
    is_summary,
    merging_columns,
    on_another_scale,
    plain_name,
    summed_up,
)
from honestly.records import Defect, Outcome, Task

if TYPE_CHECKING:
    import polars

Counts = NDArray[np.int64]
Codes = NDArray[np.int32]
_OFF, _LOST = "off the scale", "lost"
_CHUNK, _CHECKED = 8 << 20, 32 << 20
"""How much is read at once, and of how much each line is looked at."""
_CODED = ("agent", "task", "outcome", "sample")
_LOOKED_AT, _MOST_TIMES = 200_000, 1000
"""Rows of which a column that nobody reads is looked at, and of one outcome in one value of it."""
_SPARSE = 16
"""From so many possible samples for each row on, repeated ones are found by sorting."""
_KNOWN = COLUMNS.keys() - {"count"}


class MustImportError(FormatError):
    """The table cannot be counted; import it."""


class LastValues(NamedTuple):
    """The sample of each agent and task that came last, void ones left out."""

    passed: Counts
    """-1 where there is none."""
    value: NDArray[np.float64]
    low: NDArray[np.float64]
    """The least value of the others."""
    high: NDArray[np.float64]

    def taken(self, part: Callable[[NDArray[Any]], NDArray[Any]]) -> LastValues:
        """A part of each array."""
        return LastValues(*map(part, self))


@dataclass(frozen=True, eq=False)
class TableCounts:
    """How often each outcome occurs in a table; arrays have the shape (agents, tasks)."""

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
    last: LastValues | None = None
    """None where each agent has as many at every task."""
    usd: tuple[NDArray[np.float64], Counts] | None = None
    """The cost of each agent's rows, US dollars, and how many say theirs; None where none does."""


def count_table(path: Path, rules: TableRules = AS_IT_STANDS) -> TableCounts:
    """Counts a table: CSV, lines of JSON, or Parquet.

    Args:
        path: The file.
        rules: What the user says of it: its columns, scale, words.

    Raises:
        MustImportError: It needs what is not installed, or counts do not say what it holds.
        FormatError: It cannot be read, or too much of it would be lost.
    """
    try:
        import polars
    except ImportError as error:
        raise MustImportError(f"{path} is counted with polars: pip install 'honestly[tables]'") from error
    if path.stat().st_size <= _CHECKED:
        _check_lines(path)
    try:
        frame = _scanned(path)
        columns = frame.collect_schema().names()
        found = _columns(path, columns, rules.columns or saved_columns(columns))
        if not Head(path).start.startswith(b"PAR1"):
            said = [polars.col(part).is_not_null() for name in found.values() for part in parts_of(name, columns)]
            frame = frame.filter(polars.any_horizontal(said))  # a blank line is no row
        found = _with_joined_agent(frame, found, columns)
        rows = frame.select(_joined_cells(what, name, columns).alias(what) for what, name in found.items())
        if "condition" in found:
            rows = rows.with_columns(polars.concat_str("agent", "condition", separator="|").alias("agent"))
        tagged = {
            what: (text := polars.col(what)).filter(text.str.strip_chars() != "")
            for what in TASK_COLUMNS
            if what in found
        }
        every = (
            tagged[what].unique(maintain_order=True).head(2).alias(f"each {what}")
            for what in KINDS_OF_TASK
            if what in tagged
        )
        tags = rows.group_by("task").agg(*(each.first() for each in tagged.values()), *every)
        known = {row["task"]: row for row in tags.collect(engine="streaming").iter_rows(named=True)} if tagged else {}
        coded = _coded_columns(rows, [what for what in _CODED if what in (*found, "agent")])
        usd = _costs(path, rows) if "usd" in found else {}
        other = other_outcome(found, columns)
        pairs = _outcome_pair_counts(frame, found["outcome"], other) if other else {}
    except (polars.exceptions.PolarsError, OSError) as error:
        raise MustImportError(f"{path} cannot be read as a table: {str(error)[:300]}") from error
    cells = _Cells(coded)
    again, more = cells.again, 0 if "sample" in found else cells.more
    if not rules.go_on and (
        any(map(is_summary, [*cells.agents, *cells.tasks]))
        or any(summed_up(name, cells.agents) for name in cells.agents)
    ):
        raise MustImportError(
            f"{path}: a task or an agent is called as the mean of all is; honestly study import tells"
        )
    if again:
        raise MustImportError(f"{path}: {again:,} rows repeat a sample; honestly study import refuses them one by one")
    if not cells.rows:
        raise FormatError(f"{path} contains no row; expected columns agent, task and outcome")
    parts = {part for name in found.values() for part in parts_of(name, columns)}
    _refuse_name_twice(path, parts, cells.rows)
    left = [name for name in columns if name not in {*parts, *names_in(rules.columns, NONE)}]
    if not rules.scale and (most := may_be_parts(found["outcome"], left, cells.outcomes)):
        way = columns_option(rules.columns or found, {"outcome": f"{found['outcome']}/{most}"})
        raise MustImportError(f"{path}: {most!r} may be the most that each score could be. Say it: {way}, or --scale")
    head = Head(path)
    sign = "," if head.is_json or head.start.startswith(b"PAR1") else layout_of(head).sign
    rules = replace(rules, comma=is_decimal_comma(cells.outcomes, sign))
    notes = check_direction(path.name, found, rules, _single_metrics(frame, left), cells.outcomes)
    if not rules.go_on:
        _check_rows(path, frame, (found, left), (cells, more), rules)
    against = sum(count for said, count in pairs.items() if do_contradict(*said, rules))
    notes += [contradiction_defect(found["outcome"], other, against, path.name)] if against else []
    notes += [unnumbered_defect(more, path.name)] if more else []
    notes += dates_unread(known.values(), path.name)
    counts = _table_counts(path, cells, (known, left, found["outcome"]), rules)
    taken = sum(counts.outcomes.values()) + counts.graded[0] > 0
    notes += alike_ids_noted(
        {task.id: set(np.flatnonzero(has)) for task, has in zip(counts.tasks, taken.T, strict=True)}
    )
    notes += summary_rows((task.id for task in counts.tasks), counts.agents, path.name)
    alike = alike_names(counts.agents)
    if usd:
        each = [usd[name] for name in counts.agents]
        counts = replace(counts, usd=(np.array([cost for cost, _ in each]), np.array([number for _, number in each])))
    return replace(counts, defects=(*counts.defects, *notes, *([alike] if alike else [])))


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
    layout = layout_of(Head(path))
    frame = polars.scan_csv(path, separator=layout.sign, infer_schema=False, skip_lines=layout.above)
    return frame.rename({"": NAMELESS}) if frame.collect_schema().names()[0] == "" else frame


def _check_lines(path: Path) -> None:
    """Leave text to be imported in which a line has too few cells, or too many: polars fills and cuts them.

    Raises:
        MustImportError: there is one, or the file is no CSV of lines.
    """
    start = Head(path).start
    if start.startswith(b"PAR1") or start.lstrip()[:1] in {b"{", b"["}:
        return
    try:
        layout = layout_of(Head(path))
        if layout.tables or layout.sign == " ":
            raise MustImportError(f"{path} cannot be counted: no sign stands between its cells alone")
        with unpacked_file(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as file:
            given = next(each := cells_of(file, layout), [])
            names, rows, above = named_columns(chain([given], each))
            sizes = {len(names), *(len(row) for row in rows if row)}
        if above > 1 or len(given) != len(names) or any(map(is_nameless, names[1:])) or "" in names:
            raise MustImportError(f"{path} cannot be counted: its columns are named in another way than by one row")
        with unpacked_file(path) as raw:
            zero = any(b"\0" in piece for piece in iter(partial(raw.read, _CHUNK), b""))
    except (csv.Error, UnicodeDecodeError, *BROKEN) as error:
        raise MustImportError(f"{path} cannot be counted: {error}") from error
    if zero:
        raise MustImportError(f"{path} cannot be counted: it has bytes of value 0")
    if len(sizes) > 1:
        raise MustImportError(f"{path} cannot be counted: its lines have {min(sizes)} to {max(sizes)} cells")


def _joined_cells(what: str, name: str, columns: Collection[str]) -> polars.Expr:
    """The cells of a column, or of several that are one thing."""
    import polars

    parts = [polars.col(part).cast(polars.String) for part in parts_of(name, columns)]
    if name == "outcome" == what and {*columns} >= OURS:
        score = polars.col("score").cast(polars.String).replace("", None)
        return polars.when(parts[0] == "failed").then(polars.coalesce(score, parts[0])).otherwise(parts[0])
    if len(parts) == 1:
        return parts[0]
    return polars.concat_str([part.replace("", None) for part in parts], separator=JOINED.get(what, " "))


def _with_joined_agent(frame: polars.LazyFrame, found: dict[str, str], columns: Collection[str]) -> dict[str, str]:
    import polars

    def is_varying(own: str, other: str) -> bool:
        each = frame.filter(polars.col(other).is_not_null()).group_by(own).agg(polars.col(other).n_unique())
        return bool((each.collect(engine="streaming")[other] > 1).any())

    joined = joined_agent(found, columns, is_varying)
    return found | {"agent": joined} if joined else found


def _single_metrics(frame: polars.LazyFrame, left: Collection[str]) -> list[str]:
    """What is measured where a column says so, and says the same in all rows."""
    import polars

    firsts = [polars.col(name).unique().head(2) for name in left if plain_name(name) in METRICS]
    each = [frame.select(first).collect(engine="streaming").to_series().to_list() for first in firsts]
    return [str(values[0]) for values in each if len(values) == 1]


def _check_merging(path: Path, frame: polars.LazyFrame, found: Mapping[str, str], left: Collection[str]) -> None:
    """Stops where a column that nobody reads tells rows apart, by the rows of the first tasks.

    Raises:
        FormatError: it is named.
    """
    import polars

    columns = list(frame.collect_schema())
    task = _joined_cells("task", found["task"], columns).alias("_task")
    sizes = frame.group_by(task).agg(polars.len().alias("rows")).sort("_task").collect(engine="streaming")
    few = sizes.filter(sizes["rows"].cum_sum() <= max(_LOOKED_AT, sizes["rows"][0]))["_task"].to_list()
    own = [
        polars.concat_str(
            [_joined_cells(each, found[each], columns).fill_null("") for each in said if each in found], separator="\n"
        ).alias(f"_{said[0]}")
        for said in (("agent", "condition"), ("task", "sample"))
    ]
    labels = [polars.col(name).cast(polars.String) for name in left]
    part = frame.filter(task.is_in(few)).select(*own, *labels).collect(engine="streaming")
    coded, numbers = {}, {}
    for name in part.columns:
        # Ranks are in the order of texts.
        numbers[name] = {value: at for at, value in enumerate(sorted(set(part[name].drop_nulls()) - {""}), 1)}
        coded[name] = part[name].replace("", None).rank("dense").fill_null(0).to_numpy().astype(np.int64)
    agent, tasks = coded.pop("_agent"), coded.pop("_task")
    coded = {name: each for name, each in coded.items() if not is_row_number(name, numbers[name])}
    if merging := merging_columns(agent, tasks, coded):
        raise FormatError(several_said(path.name, merging, numbers, found))


def _check_rows(
    path: Path,
    frame: polars.LazyFrame,
    columns: tuple[Mapping[str, str], Collection[str]],
    rows: tuple[_Cells, int],
    rules: TableRules,
) -> None:
    """Stops where rows are of other things than columns say: of more agents or tasks, of another scale, or copies.

    Raises:
        FormatError: they are.
    """
    (found, left), (cells, more), schema = columns, rows, frame.collect_schema()
    flat = [name for name in left if not schema[name].is_nested()]
    if flat and more:
        _check_merging(path, frame, found, flat)
    _check_scales(path, frame, found, [*flat, *(found[what] for what in TASK_COLUMNS if what in found)], rules)
    if not more:
        return
    is_fraction = np.array([0 < share_of_outcome(value, rules) < 1 for value in cells.outcomes])
    agent, task, outcome = (each.astype(np.int64) for each in (cells.agent, cells.task, cells.outcome))
    if (copied := copied_cell(agent, task, outcome, is_fraction)) >= 0:
        raise FormatError(copies_said(path.name, cells.outcomes[cells.outcome[copied]]))


def _check_scales(
    path: Path, frame: polars.LazyFrame, found: Mapping[str, str], labels: Collection[str], rules: TableRules
) -> None:
    """Stops where the scores of one value of a column are on another scale.

    Raises:
        FormatError: it is named.
    """
    import polars

    seen = Understood(path.name, rules)
    outcome = _joined_cells("outcome", found["outcome"], list(frame.collect_schema())).alias("outcome")
    for name in labels if seen.has_sizes else ():
        both = frame.select(polars.col(name).cast(polars.String).alias("label"), outcome)
        if both.select(polars.col("label").n_unique()).collect(engine="streaming").item() > MOST_VALUES + 1:
            continue
        counts = both.drop_nulls().group_by("label", "outcome").agg(polars.len()).collect(engine="streaming")
        values = sorted(set(counts["label"]))
        codes = np.array([values.index(each) + 1 for each in counts["label"]], np.int64)
        sizes = np.array([seen.size_of(share_of_outcome(each, rules)) for each in counts["outcome"]], np.int64)
        times = np.minimum(counts["len"].to_numpy(), _MOST_TIMES)
        if value := on_another_scale(np.repeat(codes, times), np.repeat(sizes, times)):
            raise seen.scale_error(f"all scores of {name} {values[value - 1]!r}")


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
    if not named and (said := judges_said(Head(path), found, columns)):
        raise MustImportError(f"{path}: {said}")
    missing = [
        what
        for what in ("agent", "task", "outcome")
        if not all(part in columns for part in parts_of(found.get(what, ""), columns))
    ]
    if missing or "count" in found or EACH in found.values():
        why = f"no column for its {missing[0]}" if missing else "cells with a number of samples"
        raise MustImportError(
            f"{path} cannot be counted ({why}); import it: honestly study import {path} -o STUDY [--columns …]"
        )
    return {what: name for what, name in found.items() if what in _KNOWN}


def _outcome_pair_counts(frame: polars.LazyFrame, used: str, other: str) -> dict[tuple[str, str], int]:
    """How often which two outcomes stand in one row."""
    import polars

    both = frame.select(polars.col(used).cast(polars.String).alias("used"), polars.col(other).cast(polars.String))
    counts = both.group_by("used", other).agg(polars.len().alias("_rows")).collect(engine="streaming")
    return {(row[0], row[1]): row[2] for row in counts.iter_rows()}


def _costs(path: Path, rows: polars.LazyFrame) -> dict[str, tuple[float, int]]:
    """The cost of each agent's rows, and how many say theirs."""
    import polars

    said = polars.col("usd").str.strip_chars().replace("", None)
    number = said.cast(polars.Float64, strict=False)
    odd = (said.is_not_null() & ~number.is_finite().fill_null(value=False)).sum().alias("odd")
    found = rows.group_by("agent").agg(number.sum(), number.count().alias("priced"), odd).collect(engine="streaming")
    if found["odd"].sum():
        raise MustImportError(f"{path}: {found['odd'].sum():,} rows have a cost that is no number")
    return {storable_text(row[0]): (row[1], row[2]) for row in found.iter_rows()}


def _coded_columns(rows: polars.LazyFrame, needed: list[str]) -> dict[str, tuple[list[str], Codes]]:
    """Of each column its texts in order, and which of them each row has; what is missing is the empty text."""
    import polars

    texts = (polars.col(what).fill_null("").cast(polars.Categorical) for what in needed)
    frame = rows.select(texts).collect(engine="streaming")
    coded = {}
    for what in needed:
        each = frame[what].unique()
        names, numbers = each.cast(polars.String).to_list(), each.to_physical().to_numpy()
        order = sorted(range(len(names)), key=names.__getitem__)
        place = np.zeros(int(numbers.max(initial=0)) + 1, np.int32)
        place[numbers[order]] = np.arange(len(names))
        coded[what] = [names[at] for at in order], place[frame[what].to_physical().to_numpy()]
    return coded


class _Cells:
    """The rows of a table by agent, task and outcome, as numbers in the order of their texts."""

    def __init__(self, coded: Mapping[str, tuple[list[str], Codes]]) -> None:
        (self.agents, self.agent), (self.tasks, self.task), (self.outcomes, self.outcome) = (
            coded[what] for what in _CODED[:3]
        )
        self.rows = self.agent.size
        self.shape = len(self.agents), len(self.tasks)
        self.cell: Counts = self.agent.astype(np.int64) * len(self.tasks) + self.task
        self.numbers: tuple[Counts, Counts] | None = None
        self.again = 0
        """Rows that repeat a sample."""
        self._order: Codes | None = None
        """Of each row the place of its sample's number; None where rows are in order."""
        if "sample" in coded:
            self._take_samples(*coded["sample"])

    def _take_samples(self, names: list[str], sample: Codes) -> None:
        import polars

        is_named = np.array([bool(name.strip()) for name in names])[sample]
        key, most = (self.cell * len(names) + sample)[is_named], math.prod(self.shape) * len(names)
        if most > _SPARSE * self.rows + 1000:
            distinct = np.unique(key).size
        else:
            seen = np.zeros(most, dtype=bool)
            seen[key] = True
            distinct = int(seen.sum())
        self.again = key.size - distinct
        number = polars.Series(names, dtype=polars.String).cast(polars.Int64, strict=False)
        if not number.null_count():
            least, most_seen = (np.full(math.prod(self.shape), start) for start in (np.iinfo(np.int64).max, -1))
            of_row = number.to_numpy()[sample]
            np.minimum.at(least, self.cell, of_row)
            np.maximum.at(most_seen, self.cell, of_row)
            self.numbers = least.reshape(self.shape), most_seen.reshape(self.shape)
            place = np.unique(number.to_numpy(), return_inverse=True)[1]
            self._order = place.astype(np.min_scalar_type(place.max(initial=0)))[sample]  # small ones are sorted fast

    @property
    def more(self) -> int:
        """Rows beyond the first of their agent and task."""
        return self.rows - int(np.count_nonzero(np.bincount(self.cell, minlength=1)))

    def counted(self, kinds: int, kind: Codes) -> Counts:
        """How many rows each agent and task has whose outcome is of each kind: (kinds, agents, tasks)."""
        size = math.prod(self.shape)
        found = np.bincount(self.cell + size * kind[self.outcome].astype(np.int64), minlength=kinds * size)
        return found.reshape(kinds, *self.shape)

    def summed(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of weights of outcomes in each cell."""
        if not weights.any():
            return np.zeros(self.shape)
        size = math.prod(self.shape)
        found = np.bincount(self.cell, weights[self.outcome], minlength=size)
        return found.astype(np.float64).reshape(self.shape)

    def last_values(self, is_kept: NDArray[np.bool_], passed: Codes, value: NDArray[np.float64]) -> LastValues:
        """Of rows with such outcomes, which pass and have a value."""
        rows = np.flatnonzero(is_kept[self.outcome])
        if self._order is not None:
            rows = rows[np.argsort(self._order[rows], kind="stable")]
        last = np.full(math.prod(self.shape), -1)
        last[self.cell[rows]] = rows
        others = rows[last[self.cell[rows]] != rows]
        low, high = (np.full(last.size, end) for end in (np.inf, -np.inf))
        np.minimum.at(low, self.cell[others], value[self.outcome[others]])
        np.maximum.at(high, self.cell[others], value[self.outcome[others]])
        ended = self.outcome[last]
        ends = np.where(last < 0, -1, passed[ended]), np.where(last < 0, 0.0, value[ended])
        return LastValues(*ends, low, high).taken(lambda each: each.reshape(self.shape))

    def groups(self, mask: NDArray[np.bool_]) -> Iterator[tuple[str, str, str, int]]:
        """The agents, tasks and outcomes of such rows, and how many rows have them."""
        columns = np.stack([self.agent[mask], self.task[mask], self.outcome[mask]])
        for (agent, task, outcome), count in zip(*np.unique(columns.T, axis=0, return_counts=True), strict=True):
            yield self.agents[agent], self.tasks[task], self.outcomes[outcome], int(count)


def _table_counts(
    path: Path, cells: _Cells, more: tuple[Mapping[str, Mapping[str, object]], list[str], str], rules: TableRules
) -> TableCounts:
    known, left, column = more
    seen = Understood(path.name, rules)
    seen.take_column(column)
    rows_of = np.bincount(cells.outcome, minlength=1).tolist()
    read = [
        _read_graded(value, rules, seen, path.name, rows) for value, rows in zip(cells.outcomes, rows_of, strict=True)
    ]
    kinds = [*Outcome, "graded", _LOST]
    named = (_LOST if out is None else out if score is None else "graded" for out, score, _ in read)
    kind = np.array([kinds.index(each) for each in named], dtype=np.int32)
    no_agent, no_task = (np.array([not name.strip() for name in names]) for names in (cells.agents, cells.tasks))
    is_lost = (kind == kinds.index(_LOST))[cells.outcome] | no_agent[cells.agent] | no_task[cells.task]
    lost, found = list(cells.groups(is_lost)), cells.counted(len(kinds), kind)
    said_of = dict(zip(cells.outcomes, read, strict=True))
    examples = [
        f"for example {storable_text({'agent': agent, 'task': task, 'outcome': out, 'rows': count})}"
        for agent, task, out, count in lost
    ]
    for example, (agent, task, out, count) in zip(examples, lost, strict=True):
        if said_of[out][2] != _OFF:
            seen.count_refused(example[:200], agent, task, count)
    found[-1], found[:, no_agent], found[..., no_task] = 0, 0, 0
    score = np.array([0.0 if score is None else score for _, score, _ in read])
    total = found.sum(axis=0)
    kept = [np.flatnonzero(total.any(axis=axis)) for axis in (1, 0)]
    agents, tasks = (
        [names[at] for at in those] for names, those in zip((cells.agents, cells.tasks), kept, strict=True)
    )
    shares = np.where([outcome is Outcome.PASSED for outcome, *_ in read], 1.0, score)
    size = np.array([seen.size_of(share) for share in shares.tolist()], dtype=np.int8)
    of_task, sizes = np.zeros(len(cells.tasks), dtype=np.int8), np.zeros((len(cells.agents), SIZES), dtype=np.int64)
    if size.any():
        of_row = size[cells.outcome]
        np.maximum.at(of_task, cells.task[~is_lost], of_row[~is_lost])
        np.add.at(sizes, (cells.agent[~is_lost], of_row[~is_lost]), 1)
    large = dict(zip(tasks, of_task[kept[1]].tolist(), strict=True))
    for name in tasks:
        several = (known.get(name, {}).get(f"each {what}") for what in KINDS_OF_TASK)
        seen.vary(name, [(each[0], each[1]) for each in several if isinstance(each, list) and len(each) > 1])
    seen.keep_all(dict(zip(agents, sizes[kept[0]].tolist(), strict=True)), large, int(total.sum()))
    seen.check()
    box = np.ix_(*kept)
    defects = [noted_defect(path.name, "column left out", name) for name in left]
    if lost:
        count = sum(count for *_, count in lost)
        defects.append(refused_defect(path.name, "row refused", examples[0], count))
    odd = ((why, count) for (_, _, why), count in zip(read, rows_of, strict=True) if why not in {"", NO_OUTCOME, _OFF})
    defects += [repaired_defect(path.name, "outcome not understood", f"{why}; void", count) for why, count in odd]
    made = (Task(id=storable_text(name), instruction="", tags=tags_of(dict(known.get(name, {})))) for name in tasks)
    numbers, taken = cells.numbers, total - found[kinds.index(Outcome.VOID)]
    is_even = all(np.unique(each[each > 0]).size <= 1 for each in taken)
    is_kept = ~np.isin(kind, [kinds.index(Outcome.VOID), kinds.index(_LOST)])
    last = (
        None if is_even else cells.last_values(is_kept, (kind == kinds.index(Outcome.PASSED)).astype(np.int32), shares)
    )
    return TableCounts(
        agents=tuple(map(storable_text, agents)),
        tasks=tuple(made),
        outcomes={outcome: found[kinds.index(outcome)][box] for outcome in Outcome},
        graded=(found[-2][box], cells.summed(score)[box], cells.summed(score**2)[box]),
        rows=int(total.sum()),
        defects=tuple(defects),
        numbers=numbers and (numbers[0][box], numbers[1][box]),
        last=last and last.taken(lambda each: each[box]),
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
