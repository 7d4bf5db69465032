"""A table of results: CSV, JSON or Parquet, one row for each trial, or for each cell with a number of samples.

Columns are known by their names (`COLUMNS`), or by those that the user gives; others are left out, and counted. A row
says `passed`, `failed`, `limit` or `void`, or true or false, or a score from 0 to 1; with a column `count` the share of
so many samples that passed, as eval-arena writes it. In a wide table, where the user says `agent=*` or `task=*`, each
other column is an agent or a task, and its cells are the outcomes; an empty one is no trial. What a row says of its
task (`TASK_COLUMNS`) becomes its tags; the first row of a task counts.

Not covered: a task's text.
"""

import csv
import io
import math
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import islice, zip_longest
from pathlib import Path
from sys import intern
from typing import IO

import msgspec
import numpy as np
from numpy.typing import NDArray

from honestly._loose import BLANK
from honestly.errors import FormatError
from honestly.formats._agent_names import names_apart
from honestly.formats._columns import EACH, columns_file, saved_columns
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import ALIKE, storable_text
from honestly.formats._rows import BROKEN, MAX_LINE, ProblemRow, each_row, unpacked_file
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    file_of,
    imported_trial,
    noted_defect,
    recorded_place,
    refused_defect,
    repaired_defect,
    stem_of,
)
from honestly.formats._table_cells import (
    TASKS,
    bare_text,
    cell_number,
    cell_share,
    direction_of,
    finite_number,
    is_decimal_comma,
    part_of_whole,
    words_of,
)
from honestly.formats._table_columns import (
    AND,
    COLUMNS,
    LISTS,
    NAMELESS,
    NONE,
    OURS,
    SOME,
    UnknownColumnError,
    are_in,
    cell_of,
    columns_as,
    columns_of,
    columns_option,
    is_most,
    is_total,
    joined_agent,
    names_in,
    names_said,
    parts_of,
)
from honestly.formats._table_rules import AS_IT_STANDS, OffScaleError, TableRules, Understood, scale_asked
from honestly.formats._table_shape import cells_of, is_nested, layout_of, named_columns, nested_rows
from honestly.formats._table_survey import (
    METRICS,
    MOST_VALUES,
    Coded,
    Codes,
    copied_cell,
    doubtful_columns,
    ids_alike,
    is_beside,
    is_counting,
    is_numbered,
    is_one_each,
    is_part_of,
    is_row_number,
    is_signed,
    is_summary,
    measure_of_each,
    merging_columns,
    odd_columns,
    on_another_scale,
    plain_name,
    pooled_columns,
    run_columns,
    summary_kind,
    summed_up,
)
from honestly.records import Agent, Defect, Outcome, Step, Tags, Task, Trajectory, Usage


class OddLineError(FormatError):
    """A line of a table has too few cells, or too many."""

    def __init__(self, row: ProblemRow, cells: int, expected: int) -> None:
        super().__init__(f"it has {cells} cells; expected {expected}")
        self.row = row


TASK_COLUMNS = ("cluster", "weight", "category", "language", "difficulty", "date", "variant", "minutes")
"""Those that say something of the task."""
KINDS_OF_TASK = ("category", "language", "cluster")
"""Those of which a task has one, so that rows with another are of another task with the same id."""
# Characters of a cell.
_LONGEST_CELL = 1 << 20
# Samples of one cell.
_MOST_SAMPLES = 100_000
NO_OUTCOME = "no outcome"
"""Why a trial is void whose row leaves its outcome open."""
# What a cell holds that says nothing, in small letters.
NOTHING = {"", "nan", "none", "null", "n/a", "na", "#n/a", "-", "\u2013", "\u2014"}
# Rows that are shown, columns of a table, outcomes of a wide row, digits of a sample's number; names in a message.
_MOST_SHOWN, _FEWEST_COLUMNS, _FEWEST_WIDE, _DIGITS, _FEW = 200, 2, 2, 3, 6


def table_rows(path: Path) -> Iterator[tuple[str, ProblemRow]]:
    """Each row of a table with its place; what kind of table it is shows in its first bytes.

    Raises:
        FormatError: the file cannot be read, or holds something else.
    """
    for at, row in _each_row(path):
        if isinstance(row, FormatError):
            raise FormatError(f"{at}: {row}") from row
        yield at, row


def _each_row(path: Path, columns: Mapping[str, str] = {}) -> Iterator[tuple[str, ProblemRow | FormatError]]:
    """The same, with a line of JSON that is no object as a FormatError, and those after it.

    Args:
        path: The file.
        columns: What the user says of columns: objects in a row of JSON are columns with a point where one of these has
            one, and lists of objects are rows where one of these lies in them.

    Raises:
        FormatError: the file cannot be read.
    """
    head = Head(path)
    start = head.start
    if start.startswith(b"PAR1"):
        yield from _parquet_rows(path)
    elif start.lstrip()[:1] in {b"{", b"["} or not start:
        for at, row in _json_rows(head, columns):
            if not isinstance(row, FormatError) and "" in row:
                yield at, {name or NAMELESS: value for name, value in row.items()}
            else:
                yield at, row
    else:
        layout = layout_of(head, columns)
        try:
            # A limit of the whole process: a single reader has none.
            csv.field_size_limit(_LONGEST_CELL)
            with unpacked_file(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as file:
                names, rows, above = named_columns(cells_of(_table_lines(path, file), layout))
                for number, cells in enumerate(rows, 1 + above + layout.above):
                    if any(map(str.strip, cells)):
                        found = dict(zip_longest(names, cells[: len(names)]))
                        named: ProblemRow = {name: value for name, value in found.items() if name}
                        is_whole = len(cells) == len(names)
                        yield f"{path}:{number}", named if is_whole else OddLineError(named, len(cells), len(names))
        except csv.Error as error:
            said = "a quote is opened and never closed" if "unexpected end" in str(error) else str(error)
            raise FormatError(f"{path} cannot be read as a table: {said}") from error
        except UnicodeDecodeError as error:
            odd = f"byte {error.object[error.start]:#04x} is no UTF-8; if it is another encoding"
            raise FormatError(f"{path} cannot be read as a table: {odd}: iconv -f LATIN1 -t UTF-8") from error
        except EOFError as error:
            raise FormatError(f"{path} cannot be read to its end: its compressed data break off") from error
        except BROKEN as error:
            raise FormatError(f"{path} cannot be read as a table: {error}") from error


def _json_rows(head: Head, columns: Mapping[str, str]) -> Iterator[tuple[str, ProblemRow | FormatError]]:
    """The rows of JSON: of lines, of an array, or of one object that holds them; nested ones are made flat."""
    whole = _whole_object(head)

    def is_enough(row: ProblemRow) -> bool:
        found = columns_as(tuple(row), columns)
        needed = {"task", "outcome"} if columns else {"agent", "task", "outcome"}
        return are_in(row, columns) and (SOME in found if EACH in found.values() else needed <= found.keys())

    if whole is not None and is_nested(whole) and not is_enough(whole):
        yield from ((f"{head.path}, item {number}", row) for number, row in enumerate(nested_rows(whole, is_enough), 1))
        return
    for where, row in [(f"{head.path}:1", whole)] if whole is not None else each_row(head.path):
        if isinstance(row, FormatError) or not is_nested(row) or is_enough(row):
            yield where, row
        else:
            yield from ((where, each) for each in nested_rows([row], is_enough))


def _whole_object(head: Head) -> ProblemRow | None:
    """The one object that a file is; None for lines of them, an array, and what is too long to be read at once."""
    if head.start.lstrip()[:1] != b"{":
        return None
    first, _, rest = head.start.lstrip().partition(b"\n")
    try:
        if rest.strip() and isinstance(parse_json(first), dict):
            return None
    except FormatError:
        # It goes on in the next line.
        pass
    try:
        found = head.json(MAX_LINE)
    except FormatError:
        return None
    return found if isinstance(found, dict) else None


def _table_lines(path: Path, file: IO[str]) -> Iterator[str]:
    while line := file.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise FormatError(f"{path}: a line is longer than {MAX_LINE >> 20} MiB")
        if "\0" in line:
            raise FormatError(f"{path} cannot be read as a table: it has bytes of value 0, as text never has")
        yield line


def parquet_columns(path: Path) -> list[str]:
    """The columns of a Parquet file; none where it cannot be read, or where polars is not installed."""
    try:
        import polars
    except ImportError:
        return []
    try:
        return polars.scan_parquet(path).collect_schema().names()
    except (polars.exceptions.PolarsError, OSError):
        return []


def _parquet_rows(path: Path) -> Iterator[tuple[str, ProblemRow]]:
    try:
        import polars
    except ImportError as error:
        raise FormatError(f"{path} is Parquet, which needs honestly[tables]: pip install 'honestly[tables]'") from error
    try:
        number = 0
        for batch in polars.scan_parquet(path).collect_batches(chunk_size=10_000):
            for row in batch.iter_rows(named=True):
                number += 1
                yield f"{path}:{number}", row
    except (polars.exceptions.PolarsError, OSError) as error:
        raise FormatError(f"{path} cannot be read as Parquet: {error}") from error


def recognises(head: Head) -> bool:
    """Whether the first row of a file has an agent, a task and an outcome, or columns that the user once named; or a
    task (an agent) and otherwise outcomes alone. A row of names that says so is a table, whatever is wrong below it.
    """
    try:
        _, row = next(table_rows(head.path), ("", {}))
    except FormatError:
        layout = layout_of(head)
        return _says_itself(dict.fromkeys(name.strip('" ') for name in layout.names.split(layout.sign)))
    has_points = any("." in name or name == "key1" for name in row) and head.is_json
    return _says_itself(row) or bool(saved_columns(row) or (not has_points and _wide_columns(row)))


def _wide_columns(row: ProblemRow) -> dict[str, str]:
    """What the columns are of a row that names a task, or an agent, and holds two outcomes or more and nothing else."""
    found = columns_of(tuple(row))
    if not found and (first := row.get(NAMELESS)) not in BLANK and finite_number(str(first)) is None:
        # What names a column, too, is a row of a matrix: of correlations, say.
        found = {} if str(first) in row else {"task": NAMELESS}
    names = [name for name in row if name not in {*found.values(), NAMELESS} and not is_beside(name)]
    each = {"task": "agent", "agent": "task"}.get(" ".join(found.keys() & {"agent", "task", "outcome"}))
    cells = [] if each == "agent" and all(map(str.isdecimal, names)) else [row[name] for name in names]
    if each is None or len(cells) < _FEWEST_WIDE or all(cell in BLANK for cell in cells):
        return {}
    known = not run_columns(names) and all(is_outcome(str(cell)) for cell in cells if cell not in BLANK)
    return found | {each: EACH} if known else {}


def is_outcome(cell: str) -> bool:
    """Whether a cell is an outcome: a word, nothing, a number however it is written, or a mean and its error."""
    text = bare_text(cell)
    if AS_IT_STANDS.outcome(text) is not None or text.lower() in NOTHING or finite_number(text) is not None:
        return True
    if day_of(text):
        return False
    if cell_share(text) is not None:
        return True
    return text[:1] in "+-.0123456789\u2212" and any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _says_itself(row: ProblemRow) -> bool:
    return columns_of(tuple(row)).keys() >= {"agent", "task", "outcome"}


def sample_rows(path: Path) -> list[ProblemRow]:
    """The first rows of a table with unknown columns, or of JSON objects like one; empty for any other file."""
    found: list[ProblemRow] = []
    try:
        for _, row in islice(table_rows(path), _MOST_SHOWN) if path.is_file() else ():
            found.append(row)
    except FormatError:
        return []
    cells = [sum(value is None or isinstance(value, str | int | float) for value in row.values()) for row in found]
    flat = cells == list(map(len, found)) or len(found) > 1
    return found if found and flat and min(cells) >= _FEWEST_COLUMNS and not _says_itself(found[0]) else []


def read(source: Source) -> Iterator[Item]:
    """The trials of each table; one of which there is something to ask is refused beside other formats."""
    asked = {head: _question_of(source, head) for head in source.heads if source.is_beside}
    yield from (refused_defect(recorded_place(head), "unread table", each) for head, each in asked.items() if each)
    yield from _read_tables(replace(source, heads=tuple(head for head in source.heads if not asked.get(head))))


def _read_tables(source: Source) -> Iterator[Item]:
    """The trials of each table; a row that makes no sense is refused.

    Raises:
        FormatError: a score is outside the scale, a column that was named is not there, or too much of a table was lost
            (`Understood.check`).
    """
    tasks: dict[str, Tags] = {}
    samples: dict[str, set[tuple[str, str]]] = defaultdict(set)
    cells: dict[tuple[str, str], str] = {}
    agents, agents_of = _file_agents(source), defaultdict[str, set[str]](set)
    for head in source.heads:
        named, rules, seen = source.rules.columns, source.rules, Understood(recorded_place(head), source.rules)
        used, other, contradicting, first, again = "", "", 0, "", 0
        survey: _Survey | None = None
        try:
            for at, row in _each_row(head.path, rules.columns):
                where = f"{recorded_place(head)}{at.removeprefix(str(head.path))}"
                if isinstance(row, FormatError):
                    # One in a wide table holds as many trials as it has cells.
                    lost = survey.trials_of(row.row) if isinstance(row, OddLineError) and survey else []
                    first_lost = lost[0] if lost else {}
                    said = f"{where}: line refused: {row}"
                    seen.count_refused(said, first_lost.get("agent"), first_lost.get("task"), max(1, len(lost)))
                    yield refused_defect(where, "line refused", str(row))
                    continue
                if survey is None:
                    named, noted = _table_columns(head, row, rules)
                    survey = _Survey(head, named, rules, seen, agents[head.name])
                    named, rules = survey.named, survey.rules
                    survey.check()
                    yield from survey.noted
                    used, other, more = _outcome_columns(row, named)
                    seen.take_column(used)
                    noted += [("column left out", storable_text(name)) for name in more] + _layout_noted(head, named)
                    yield from (noted_defect(recorded_place(head), *each) for each in noted)
                    yield from dates_unread(survey.tags.values(), recorded_place(head))
                if other and do_contradict(row.get(used), row.get(other), rules):
                    contradicting, first = contradicting + 1, first or where
                known = survey.trials_of(row)
                for item in _table_trials(known, where, (tasks, samples), rules, seen):
                    again += _is_repeated(item, known, cells, agents_of, rules)
                    yield item
        except UnknownColumnError as error:
            yield _unclear_defect(error, head, source)
            continue
        except FormatError as error:
            if survey:
                seen.break_off(str(error))
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
        if contradicting:
            yield contradiction_defect(used, other, contradicting, first)
        if again:
            yield unnumbered_defect(again, recorded_place(head))
        seen.check()
    yield from summary_rows(tasks, samples, "tasks")
    yield from alike_ids_noted(agents_of)


def _question_of(source: Source, head: Head) -> str:
    """What there is to ask before a table can be read; empty of one that says all."""
    try:
        deque(_read_tables(replace(source, heads=(head,))), maxlen=0)
    except FormatError as error:
        return str(error)
    return ""


class _Survey:
    """What all rows of a table say together, before the first of them becomes a trial."""

    def __init__(self, head: Head, named: Mapping[str, str], rules: TableRules, seen: Understood, agent: str) -> None:
        self._head, self._place, self._seen = head, recorded_place(head), seen
        self._agent = agent
        self._summaries: set[tuple[str, str]] = set()
        self.named = named
        self.tags: dict[str, dict[str, object]] = {}
        """What the rows of a table say of each task: of each column the first cell that is not empty."""
        self._columns: dict[str, str] = {}
        self._labels: dict[str, Coded] = defaultdict(Coded)
        self._cells: set[str] = set()
        self._count = self._object_rows = 0
        self._objects: dict[str, set[str]] = defaultdict(set)
        self._tops: dict[str, float] = {}
        self._is_graded = False
        self._first = defaultdict[str, list[str]](list)
        self.noted: list[Defect] = []
        try:
            for _, row in islice(_each_row(head.path, rules.columns), _SURVEYED):
                if not isinstance(row, FormatError):
                    self._take_row(row)
                    self._count += 1
        except FormatError:
            # Whoever reads the rows says that they break off.
            pass
        columns, names = self._columns, list(self._labels)
        if joined := joined_agent(columns, names, lambda own, other: _varies(self._labels[own], self._labels[other])):
            self.named = {**self.named, "agent": joined}
            self._columns = {**columns, "agent": joined}
        sign = "," if head.is_json else layout_of(head, named).sign
        self.rules = replace(rules, comma=is_decimal_comma(self._cells, sign))
        """The rules, with what all cells say of the sign of decimals."""
        self._doubt = "" if rules.scale else self._take_most()
        if not rules.scale and (of := self._split_of()):
            seen.take_split(of)

    def _take_row(self, row: ProblemRow) -> None:
        found = columns_as(tuple(row), self.named)
        self._columns = self._columns or found
        tagged = [what for what in TASK_COLUMNS if what in found]
        if tagged and found.get("task", EACH) != EACH:
            tags = self.tags.setdefault(str(cell_of(row, "task", found["task"])), {})
            for what in tagged:
                if row.get(found[what]) not in BLANK:
                    tags.setdefault(what, row.get(found[what]))
        left_out = names_in(self.named, NONE)
        each = [name for name in row if name not in {*found.values(), *left_out} and not is_beside(name)]
        some = [] if EACH not in found.values() else names_in(self.named, SOME) if SOME in self.named else each
        for name in some if self._count < _TOPS_OF else ():
            number = cell_number(str(row.get(name)), None)
            self._first[name].append(str(row.get(name))[:_LONGEST_NUMBER]) if self._count < _FIRST else None
            self._tops[name] = max(self._tops.get(name, 0.0), abs(number or 0.0))
            self._is_graded = self._is_graded or number not in {None, 0.0, 1.0} or "%" in str(row.get(name))
        for name in some or [found.get("outcome", "")]:
            cell = str(row.get(name))
            if "," in cell or "." in cell:
                self._cells.add(cell[:_LONGEST_NUMBER])
        for what in ("agent", "task", "outcome"):
            if isinstance(value := row.get(found.get(what, "")), dict):
                self._objects[what].update(islice(map(storable_text, value), 3))
                self._object_rows += 1
        for name, value in row.items():
            if name not in some and name not in left_out and not isinstance(value, dict | list):
                self._labels[name].add(value, self._count)

    def _take_most(self) -> str:
        """Makes a share of a score and the most that it could have been; says where nobody knows whether it is one."""
        name = self._columns.get("outcome", EACH)
        scores, doubt = self._numbers(name), ""
        said = self.rules.columns or {each: self._columns[each] for each in ("agent", "task") if each in self._columns}
        for most in (each for each in self._labels if scores.size and each not in self._columns.values()):
            is_called, mosts = is_most(most, name), self._numbers(most)
            if (not is_called and not is_total(most)) or not is_part_of(scores, mosts):
                continue
            way = f"{columns_option(said, {'outcome': f'{name}/{most}'})} where it is a part of {most!r}"
            if not is_called:
                self._seen.take_most(way)
            elif np.nanmax(scores) > 1 and is_one_each(self._codes("task"), mosts):
                self.named = {**self.named, "outcome": f"{name}/{most}"}
                self._columns = {**self._columns, "outcome": f"{name}/{most}"}
                self.noted.append(noted_defect(self._place, MOST, f"{name!r} counts as a part of {most!r}"))
                return ""
            else:
                none = columns_option(said, {"outcome": name, NONE: most})
                doubt = f"nothing says what {name!r} is beside {most!r}. Say it: {way}; {none} where it is not"
        return doubt

    def _split_of(self) -> str:
        """The value of a column of which all scores are above 1, where no other one has one; empty where none is."""
        scores = self._numbers(self._columns.get("outcome", EACH))
        is_above = scores > 1
        for name, label in self._labels.items() if is_above.any() else ():
            if name == self._columns["outcome"] or not 1 < len(label.numbers) <= MOST_VALUES:
                continue
            codes = label.codes(self._count)
            above = np.unique(codes[is_above])
            if above.size == 1 and not np.isin(codes[scores <= 1], above).any() and (scores <= 1).any():
                return f"{name} {str([*label.numbers][above[0] - 1])[:40]!r}" if above[0] else ""
        return ""

    def _numbers(self, name: str) -> NDArray[np.float64]:
        """Of each row the number in a column, NaN where it is none; empty where there is no such column."""
        if (label := self._labels.get(name)) is None or label.is_text:
            return np.zeros(0)
        found = (cell_number(str(value), self.rules.comma) for value in label.numbers)
        values = np.array([math.nan, *(math.nan if each is None else each for each in found)])
        return values[label.codes(self._count)]

    def _check_alike(self, *, is_said: bool) -> None:
        """Stops where the columns of a wide table may be other things than all agents, or all tasks, by their scores.

        Raises:
            UnknownColumnError: it names them.
        """
        each, names = next(what for what, name in self._columns.items() if name == EACH), list(self._tops)
        if odd := [name for name in names if is_counting(self._first[name])]:
            why, scale = f"{odd[0]!r} seems to number the rows", ""
        elif odd := pooled_columns(self._first):
            why, scale = f"{odd[0]!r} seems to be of the others together", ""
        elif (odd := [name for name in names if is_signed(self._first[name])]) and len(odd) < len(names):
            why, scale = f"{odd[0]!r} seems to hold differences", ""
        elif odd := odd_columns(self._tops):
            low, high = (end(names, key=self._tops.__getitem__) for end in (min, max))
            why = f"{low!r} reaches {self._tops[low]:g}, and {high!r} {self._tops[high]:g}"
            scale = f" --scale {scale_asked(0.0, self._tops[high])}"
        elif each == "task" and self._is_graded and not is_said and not is_numbered(names):
            odd, why, scale = names, f"columns may be tasks or measures: {shown_names(names)}", ""
        else:
            return
        raise UnknownColumnError(f"{self._place}: {why}. {ways_of_wide(odd, names, self._columns, each, scale)}")

    def _codes(self, what: str) -> Codes:
        """Of each row the number of its agent, or of its task; a sample that has a number is a task of its own."""
        parts = [*parts_of(self._columns.get(what, EACH), self._labels)]
        parts += [self._columns[each] for each in _TELL_APART[what] if each in self._columns]
        found = [self._labels[name].codes(self._count) for name in parts if name in self._labels]
        return (
            np.unique(np.stack(found), axis=1, return_inverse=True)[1].ravel() if found else np.zeros(self._count, int)
        )

    def check(self) -> None:
        """Stops where a column that nobody reads tells rows apart, or has scores on another scale.

        Raises:
            UnknownColumnError: it is named, with what there is to say of it.
        """
        if self._objects and self._object_rows >= self._count:
            what, parts = next(iter(self._objects.items()))
            name = self._columns[what]
            each_part = ", ".join(f"{what}={name}.{part}" for part in sorted(parts)[:3])
            raise UnknownColumnError(
                f"{self._place}: {name!r} holds objects; say which part counts: --columns {each_part}"
            )
        metrics = [each.numbers for name, each in self._labels.items() if plain_name(name) in METRICS]
        single = [str(value) for numbers in metrics if len(numbers) == 1 for value in numbers]
        outcome = self._labels.get(self._columns.get("outcome", ""))
        outcomes = () if outcome is None else outcome.numbers
        self.noted += check_direction(self._place, self._columns, self.rules, single, outcomes)
        for name, label in self._labels.items():
            if _ANSWERS.intersection(words_of(name)) and len(label.numbers) <= MOST_VALUES:
                self._seen.take_key(name, {str(value).strip() for value in label.numbers})
        self._doubt = self._doubt or (
            "" if self.rules.columns else judges_said(self._head, self._columns, self._labels)
        )
        if self._doubt:
            raise UnknownColumnError(f"{self._place}: {self._doubt}")
        if self._tops and not (self.rules.scale and self.rules.columns):
            self._check_alike(is_said=bool(self.rules.columns))
        if self._count and not self.rules.go_on:
            self._check_rows(outcome)

    def _check_rows(self, outcome: Coded | None) -> None:
        """The same of what only counts where a user does not go on."""
        self._summaries = self._called_summaries()
        read = {part for name in self._columns.values() for part in parts_of(name, self._labels)}
        left = {
            name: each.codes(self._count)
            for name, each in self._labels.items()
            if name not in read and not each.is_text and not is_row_number(name, each.numbers)
        }
        agent, task = self._codes("agent"), self._codes("task")
        if merging := merging_columns(agent, task, left):
            numbers = {name: self._labels[name].numbers for name in merging}
            raise UnknownColumnError(several_said(self._place, merging, numbers, self._columns))
        if outcome is not None and not outcome.is_text and not {"sample", "count"} & self._columns.keys():
            is_fraction = np.array([False, *(0 < share_of_outcome(value, self.rules) < 1 for value in outcome.numbers)])
            copied = copied_cell(agent, task, outcome.codes(self._count), is_fraction)
            if copied >= 0:
                raise UnknownColumnError(copies_said(self._place, [*outcome.numbers][outcome.rows[copied] - 1]))
        if outcome is None or not self._seen.has_sizes:
            return
        of_outcome = [-1, *(self._seen.size_of(share_of_outcome(value, self.rules)) for value in outcome.numbers)]
        sizes = np.array(of_outcome)[outcome.codes(self._count)]
        for name, each in self._labels.items():
            if name not in {self._columns.get(what) for what in ("agent", "task", "outcome")} and (
                value := on_another_scale(each.codes(self._count), sizes)
            ):
                of_value = f"all scores of {name} {[*each.numbers][value - 1]!r}"
                raise UnknownColumnError(str(self._seen.scale_error(of_value)))

    def trials_of(self, row: ProblemRow) -> list[ProblemRow]:
        """What a row says of each of its trials, with what other rows say of their tasks; none of a mean of others."""
        known = _known(row, self.named, self._agent)[0]
        if self._summaries:
            known = [
                each
                for each in known
                if not any(storable_text(each.get(what)) == name for what, name in self._summaries)
            ]
        tags = [self.tags.get(str(each.get("task")), {}) for each in known]
        return [
            each | {what: value for what, value in said.items() if each.get(what) in BLANK}
            for each, said in zip(known, tags, strict=True)
        ]

    def _called_summaries(self) -> set[tuple[str, str]]:
        """Rows of a mean of the others, as ("task", its name).

        Raises:
            UnknownColumnError: a row is called so, and its scores are neither theirs nor like those of others.
        """
        labels = {what: self._labels.get(self._columns.get(what, EACH)) for what in ("task", "agent")}
        called = {
            (what, storable_text(name))
            for what, label in labels.items()
            for names in [set(map(str, label.numbers if label else ()))]
            for name in names
            if is_summary(name) or (what == "agent" and summed_up(name, names))
        }
        if not called:
            return called
        scores, parts = defaultdict[tuple[str, str], list[float]](list), dict[tuple[str, str], NDArray[np.float64]]()
        for _, row in _each_row(self._head.path, self.rules.columns):
            for each in [] if isinstance(row, FormatError) else self.trials_of(row):
                said, cell = (
                    str(each.get("outcome")),
                    (storable_text(each.get("task")), storable_text(each.get("agent"))),
                )
                if not math.isnan(score := plain_score(said, self.rules)):
                    scores[cell].append(score)
                if two := part_of_whole(said):
                    parts[cell] = parts.get(cell, 0.0) + np.array(two)
        for what, name in sorted(called):
            means = {cell: float(np.mean(each)) for cell, each in scores.items()}
            kind = summary_kind(means, parts, what, name, called)
            if kind == "doubtful":
                raise UnknownColumnError(
                    f"{self._place}: {what} {name!r} is called as a mean of others is, and is not that of those here. "
                    f"Delete its row, or count it as one {what}: --allow-refused"
                )
            if kind == "a task or agent":
                called.discard((what, name))
            else:
                self.noted.append(
                    noted_defect(self._place, SUMMARY, f"{what} {name!r} is {kind} of the others, and is left out")
                )
        return called


# Rows that say how large the scores of columns are.
_TOPS_OF, _FIRST = 10_000, 50
_TELL_APART = {"agent": ("condition",), "task": ("sample",)}
_GO_ON = "--allow-refused"
_SAID = {"agent", "condition", "task", "outcome", "sample", *LISTS}
# Words in the name of a column of right answers.
_ANSWERS = frozenset(("answer", "target", "gold", "label", "truth", "groundtruth", "expected", "reference", "key"))
# Characters of a number.
_LONGEST_NUMBER = 60
# Rows of a table that are looked at before they are read.
_SURVEYED = 2_000_000


def may_be_parts(outcome: str, others: Collection[str], said: Iterable[str]) -> str:
    """The column that may hold the most that each score could be, by its name; empty where none does."""
    is_large = any((cell_number(text) or 0) > 1 for text in said)
    totals = filter(is_total, others if is_large else ())
    return next((name for name in others if is_most(name, outcome)), next(totals, ""))


def share_of_outcome(value: object, rules: TableRules) -> float:
    """The largest score of an outcome as a share of the scale; 0 where it has none."""
    try:
        return max(
            float(out is Outcome.PASSED) if score is None else score
            for out, score, _ in outcomes_of({"outcome": value}, rules)
        )
    except FormatError:
        return 0.0


def plain_score(said: str, rules: TableRules) -> float:
    """An outcome as a number, on its own scale; NaN where it is none."""
    outcome, number = rules.outcome(said), cell_number(said, rules.comma)
    if outcome is not None:
        return float(outcome is Outcome.PASSED) if outcome is not Outcome.VOID else math.nan
    share = cell_share(said, rules.comma)
    return number if number is not None else math.nan if share is None else share


def _varies(own: Coded, other: Coded) -> bool:
    """Whether a column has several values at one value of another."""
    count = max(len(own.rows), len(other.rows))
    pairs = np.unique(np.stack([own.codes(count), other.codes(count)]), axis=1)
    return bool(np.unique(pairs[0][pairs[1] > 0], return_counts=True)[1].max(initial=0) > 1)


def check_direction(
    place: str, columns: Mapping[str, str], rules: TableRules, metrics: Iterable[str], outcomes: Iterable[object]
) -> list[Defect]:
    """Stops where less is better by the name of what is measured, and nobody says so; notes where no name says it.

    Raises:
        UnknownColumnError: it says how.
    """
    name = columns.get("outcome", EACH)
    if rules.scale or rules.outcomes:
        return []
    names, texts = [name, *metrics], [*map(str, outcomes)]
    numbers = [number for text in texts if (number := cell_number(text)) is not None]
    more = scale_asked(min(numbers, default=0.0), max(numbers, default=1.0))
    less = ":".join(reversed(more.split(":")))
    if low := next((name for name in names if direction_of(name) < 0), ""):
        raise UnknownColumnError(
            f"{place}: of {low!r} less is usually better, and a score counts as better the more it is. Say the worst "
            f"and the best score: --scale {less} where less is better (--scale {more} where more is), or what a word "
            "means: --outcome true=failed"
        )
    is_graded = any("." in text or "," in text for text in texts)
    if any(direction_of(each) > 0 for each in names) or not is_graded or name == EACH:
        return []
    said = f"more of {name!r} counts as better; where less is: --scale {less}"
    return [noted_defect(place, DIRECTION, said)]


def _layout_noted(head: Head, named: Mapping[str, str]) -> list[tuple[str, str]]:
    """What is said of text around a table."""
    if head.is_json or head.start.startswith(b"PAR1"):
        return []
    above, _, _, tables = layout_of(head, named)
    if tables > 1:
        return [(ABOVE, f"one of {tables} tables of the text is read, that of line {above + 1}")]
    return [(ABOVE, f"{above} line{'s' * (above > 1)} above the names left out")] if above else []


def _outcome_columns(row: ProblemRow, named: Mapping[str, str]) -> tuple[str, str, list[str]]:
    """The column of the outcome, one that says the outcome otherwise, and the columns that nobody knows."""
    _, more = _known(row, named)
    columns = columns_as(tuple(row), named)
    return columns.get("outcome", ""), other_outcome(columns, more), more


def _table_columns(head: Head, row: ProblemRow, rules: TableRules) -> tuple[Mapping[str, str], list[tuple[str, str]]]:
    """From the first row of a table: its columns as far as they are not known by their names, and what is noted.

    Raises:
        UnknownColumnError: a column that the user names is not there; or nothing says what the columns are.
    """
    where = recorded_place(head)
    count = 0 if head.is_json else layout_of(head, rules.columns).tables
    _check_columns(
        where,
        _known_names(head, row, rules.columns),
        rules,
        f" of the first of {count} tables, and no other has them all" if count > 1 else "",
    )
    named, noted = (rules.columns, []) if rules.columns or _says_itself(row) else _columns_found(row)
    found = columns_as(tuple(row), named)
    each = next((what for what, name in found.items() if name == EACH), "outcome")
    needed = ("task", each) if rules.columns else ("agent", "task", each)
    if missing := next((what for what in needed if what not in found), ""):
        there = ", ".join(map(storable_text, row))
        raise UnknownColumnError(f"{where}: no column is the {missing}; {_HOW[missing]}. The columns are {there}")
    if not rules.columns and each in {"agent", "task"}:
        others = [name for name in row if name not in found.values() and not is_beside(name)]
        if doubtful := doubtful_columns(others, each):
            why = f"columns are called as measures or means are, and not as {each}s: {shown_names(doubtful)}"
            raise UnknownColumnError(f"{where}: {why}. {ways_of_wide(doubtful, others, found, each)}")
    return named, noted


def _columns_found(row: ProblemRow) -> tuple[Mapping[str, str], list[tuple[str, str]]]:
    """What the columns of a table are that does not say so itself, and what is noted of that, if anything is found."""
    if saved := saved_columns(row):
        words = ", ".join(f"{what}={name}" for what, name in saved.items())
        return saved, [("columns as they were named before", f"{words}, by {columns_file()}")]
    if wide := _wide_columns(row):
        each = next(what for what, name in wide.items() if name == EACH)
        return wide, [("wide table", f"each column that is nothing else is one {each}; --columns says otherwise")]
    return {}, []


ONE_SCORE = (
    "with one score for each agent, a table does not show how much of a lead is chance. Give one with results of "
    "single tasks, or say which columns are tasks: --columns agent=NAME,task=NAME,task=NAME"
)
"""What is said of a table without tasks."""
_HOW = {
    "agent": "say which it is: --columns agent=NAME; or say only the others, where all rows are of one agent, who is "
    "called as the file: --columns task=NAME,outcome=NAME",
    "task": ONE_SCORE,
    "outcome": "say which it is: --columns outcome=NAME; or that each other column is an agent, or a task, whose cells "
    "are outcomes: --columns task=NAME,agent=*",
}


def shown_names(names: Sequence[str]) -> str:
    """The first of some columns."""
    return ", ".join(map(repr, names[:_FEW])) + (", …" if len(names) > _FEW else "")


def ways_of_wide(
    doubtful: Sequence[str], others: Sequence[str], found: Mapping[str, str], each: str, scale: str = ""
) -> str:
    """What is to be said of a wide table of which some columns may be no agents, or no tasks.

    Args:
        doubtful: Those.
        others: All that would be one.
        found: The columns that are known.
        each: What they would be.
        scale: What is said, too, where all are one.
    """
    own = {what: name for what, name in found.items() if what in {"agent", "task"} and name != EACH}
    measures = doubtful_columns(others, each)
    of_measures = each == "task" and 2 * len(measures) >= len(others)
    are = f"all are {each}s on one scale" if scale else "each column is one"
    ways = [] if of_measures else [f"{columns_option(own, {each: EACH})}{scale} if {are}"]
    most = next((name for name in others if is_most(name, "")), "")
    if most:
        ways = [f"{columns_option(own, {each: EACH, 'outcome': f'{EACH}/{most}'})} if scores are parts of {most!r}"]
    elif not of_measures and len(doubtful) < len(others) and len(doubtful) <= _FEW and each != "sample":
        none = {NONE: AND.join([*names_in(found, NONE), *doubtful])}
        ways.insert(0, f"{columns_option(own, {each: EACH}, none)} without these")
    if of_measures or len(doubtful) > _FEW or (each == "task" and len(doubtful) == len(others)):
        ways.append(f"{columns_option(own, {each: f'NAME,{each}=NAME'})} of those that are one")
    if each == "agent" and (columns := measure_of_each(others)):
        ways.insert(0, f"{columns_option(own, {each: EACH, SOME: AND.join(columns)})} if these are agents")
    if each == "agent" and not scale and 2 * len(doubtful) >= len(others):
        at = 0 if len(doubtful) == len(others) else len(ways)
        ways.insert(at, f"{columns_option(own, {'outcome': doubtful[-1]})} if the column is the score of one agent")
    elif of_measures or len(doubtful) == len(others):
        ways = ["if they are measures of all tasks, give a table with results of single tasks", *ways[::-1]]
    return f"Say what counts: {'; '.join(ways)}"


def _known_names(head: Head, row: ProblemRow, named: Mapping[str, str]) -> dict[str, object]:
    """The columns of the first row, and of those below until all that are named are there: JSON may leave some out."""
    names, rows = dict(row), _each_row(head.path, named) if head.is_json else iter(())
    while not are_in(names, named) and (more := next(rows, None)) is not None:
        names |= more[1] if isinstance(more[1], dict) else {}
    return names


def _check_columns(where: str, row: Mapping[str, object], rules: TableRules, tables: str = "") -> None:
    """Refuse columns that the user names and a table does not have; `tables`: that it is the first of several.

    Raises:
        UnknownColumnError: the message says which, and what there is.
    """
    for name in names_said(rules.columns):
        if name != EACH and not all(part in row for part in parts_of(name, row)):
            raise UnknownColumnError(
                f"{where}: --columns names {name!r}, which is not a column{tables}; the columns are "
                f"{', '.join(map(storable_text, row))}"
            )


def _unclear_defect(error: UnknownColumnError, head: Head, source: Source) -> Defect:
    """What is said of a table that is left out beside other files, since the user goes on.

    Raises:
        UnknownColumnError: it is all that there is, or nobody said to go on.
    """
    if source.rules.columns or len(source.names) == 1:
        raise error
    if not source.rules.go_on:
        raise UnknownColumnError(f"{error}{'' if _GO_ON in str(error) else f'; to leave the file out: {_GO_ON}'}")
    return refused_defect(recorded_place(head), "table not clear", str(error))


def _is_repeated(
    item: Item,
    known: list[ProblemRow],
    cells: dict[tuple[str, str], str],
    agents_of: Mapping[str, set[str]],
    rules: TableRules,
) -> bool:
    """Whether a trial is at a cell of `cells`, which it joins with its file, and nothing says which sample it is.

    Its agent joins those of its task.

    Raises:
        UnknownColumnError: the other trial is of another file.
    """
    if not isinstance(item, FoundTrial):
        return False
    agents_of[item.task.id].add(item.agent.name)
    if item.key or known[0].get("count") not in BLANK:
        return False
    file, before = file_of(item.trial.source), len(cells)
    first = cells.setdefault((item.agent.name, item.task.id), file)
    if first != file and not rules.go_on:
        raise UnknownColumnError(
            f"{item.trial.source}: {first} has rows of {item.agent.name!r} on {item.task.id!r}, too, and nothing says "
            "whether these are other samples, copies, or another experiment. Read such files one by one, or say what "
            f"tells rows apart: --columns sample=NAME; to take them for samples: {_GO_ON}"
        )
    return len(cells) == before


def _file_agents(source: Source) -> dict[str, str]:
    """By the name of each file how its agent is called where no column names one."""
    places = {head.name: (*head.name.split("/")[:-1], stem_of(head)) for head in source.heads}
    heads, column = {head.name: head for head in source.heads}, source.rules.columns.get("task", "task")

    def tasks_of(name: str) -> set[str]:
        rows = (row for _, row in _each_row(heads[name].path, source.rules.columns))
        return {str(cell_of(row, "task", column)) for row in rows if not isinstance(row, FormatError)}

    return names_apart(places, tasks_of)[0] if len(places) > 1 else {name: place[-1] for name, place in places.items()}


def _known(row: ProblemRow, named: Mapping[str, str], agent: str = "") -> tuple[list[ProblemRow], list[str]]:
    """The trials of a row, as one or as many, and the columns that nobody knows.

    Args:
        row: The row.
        named: What the columns are as far as their names do not say it.
        agent: Whose they are where no column says it.
    """
    found = columns_as(tuple(row), named)
    known = {what: cell_of(row, what, name) for what, name in found.items() if name != EACH and what not in LISTS}
    known = {"agent": agent, **known} if agent and "agent" not in found else known
    read = {part for name in found.values() for part in parts_of(name, row)} | {*names_in(named, NONE)}
    read |= {"score"} if row.keys() >= OURS else set()
    more = [name for name in row if name not in read]
    # A column without a name numbers the rows, as R and pandas write them.
    others = [name for name in more if name != NAMELESS and not is_beside(name)]
    some = names_in(named, SOME) if SOME in named else others
    each = next((what for what, name in found.items() if name == EACH), None)
    if each is None:
        return [known], more
    of = (
        "".join(f"/{row.get(part)}" for part in parts_of(found["outcome"], row))
        if EACH in found.get("outcome", "")
        else ""
    )
    # What is said of a row is not of one cell of it.
    known = {what: value for what, value in known.items() if what not in {"usd", "confidence"}}
    cells = [
        known | {each: name, "outcome": f"{row[name]}{of}" if of else row[name]}
        for name in some
        if row.get(name) not in BLANK
    ]
    return cells, [name for name in more if name not in some]


def _table_trials(
    known: list[ProblemRow],
    where: str,
    before: tuple[dict[str, Tags], dict[str, set[tuple[str, str]]]],
    rules: TableRules,
    seen: Understood,
) -> Iterator[Item]:
    """The trials of a row; `before`: the tags of tasks and the numbered samples of the rows before, which it joins."""
    tasks, samples = before
    for each in known:
        try:
            agent, task = _cell_text(each, "agent"), _cell_text(each, "task")
            if each.get("condition"):
                agent = f"{agent}|{storable_text(each['condition'])}"
            tags = tags_of(each)
            outcomes = outcomes_of(each, rules)
            usd = _cell_number(each, "usd") if len(outcomes) == 1 and each.get("usd") not in BLANK else None
        except OffScaleError as error:
            seen.off_scale(where, error.value)
            continue
        except FormatError as error:
            seen.count_refused(f"{where}: row refused: {error}", each.get("agent"), each.get("task"))
            yield refused_defect(where, "row refused", str(error))
            continue
        key = "" if each.get("sample") in BLANK or len(outcomes) > 1 else f"sample {storable_text(each['sample'])}"
        # `_sources` refuses it, and says where the two differ.
        if key and (task, key) in samples[agent]:
            seen.count_refused(f"{where}: row refused: a second row of {agent}, {task}, {key}", agent, task)
        else:
            shares = (float(out is Outcome.PASSED) if score is None else score for out, score, _ in outcomes)
            seen.keep(agent, task, largest=max(shares, default=0.0))
            numbered = samples[agent]
            if key:
                numbered.add((intern(task), intern(key)))
        if tags != (before_it := tasks.setdefault(task, tags)) and seen.vary(
            task, [(getattr(before_it, what), getattr(tags, what)) for what in KINDS_OF_TASK]
        ):
            yield noted_defect(f"task {task}", "tags vary", "those of the first row count")
        for outcome, score, why in outcomes:
            if why not in {"", NO_OUTCOME}:
                seen.count_unknown(storable_text(each["outcome"]).strip(), where=where)
                yield repaired_defect(where, "outcome not understood", f"{why}; kept as void")
            made = imported_trial(where, outcome, sample_number(key), score=score, reason=why, usage=Usage(usd=usd))
            told = Task(id=task, instruction="", tags=tasks[task])
            yield FoundTrial(Agent(name=agent), told, made, _stated(each) if len(outcomes) == 1 else None, key=key)


def _stated(row: ProblemRow) -> Trajectory | None:
    """What an agent said of its own work, as its last words, where `honestly calibrate` reads it."""
    if row.get("confidence") in BLANK:
        return None
    words = f"Confidence: {storable_text(row['confidence'])[:40]}"
    return Trajectory(steps=(Step(source="agent", message=words),))


def sample_number(key: str) -> int:
    """The number of a sample that has one of up to three digits; else -1, for the next one."""
    number = key.removeprefix("sample ")
    return int(number) if number.isascii() and number.isdigit() and len(number) <= _DIGITS else -1


def other_outcome(columns: Mapping[str, str], names: Collection[str]) -> str:
    """The column that could be the outcome too, where another one is it; empty where there is none."""
    used = columns.get("outcome")
    plain = {name.strip().casefold(): name for name in names if name not in columns.values()}
    return next((plain[each] for each in COLUMNS["outcome"] if used and each in plain), "")


def do_contradict(used: object, other: object, rules: TableRules) -> bool:
    """Whether one of two outcomes of a row is all that there is to be had, and the other nothing."""
    try:
        (one, score, _), *_ = outcomes_of({"outcome": used}, rules)
        (two, share, _), *_ = outcomes_of({"outcome": other}, rules)
    except (FormatError, OffScaleError):
        return False
    decided = {Outcome.PASSED, Outcome.FAILED}
    return {one, two} == decided and not score and not share


CONTRADICTION = "outcomes contradict"
"""Two columns of a table say how a trial ended, and not the same."""
MOST = "score of a maximum"
"""A column holds the most that a score could be."""
SUMMARY = "row of a summary"
"""A task is called as the mean of all is."""
ABOVE = "lines above the names"
"""A title or a comment stands above a table, and is left out."""
DIRECTION = "direction not known"
"""Nothing says whether more or less of what is measured is better."""
UNNUMBERED = "samples without a number"
"""Rows repeat an agent and a task, and no column says that they are other samples."""
SAME_IDS = "task ids nearly the same"
"""Tasks of several agents may be one that is written in two ways."""
DATES = "dates not read"
"""Dates of tasks could be several days, or none."""
DOUBTS = frozenset({ALIKE, CONTRADICTION, DATES, MOST, SUMMARY, UNNUMBERED, ABOVE, DIRECTION, SAME_IDS})
"""Kinds of defects that changed nothing, but are still reported."""


def several_said(
    place: str, merging: Mapping[str, Codes], names: Mapping[str, Mapping[object, int]], columns: Mapping[str, str]
) -> str:
    """What is said of columns that tell rows apart: which, how they do, and how to say what they are."""
    first = next(iter(merging))
    values = " and ".join(
        repr(value if isinstance(value, int | float) else str(value)[:40]) for value in [*names[first]][:2]
    )
    also = f" (so does {', '.join(map(repr, list(merging)[1:4]))})" if len(merging) > 1 else ""
    said = {what: name for what, name in columns.items() if what in _SAID}
    task, plain, words = said.get("task", EACH), plain_name(first), {*words_of(first)}
    known = next((what for what in ("condition", "agent") if what in columns), "")
    who = {"condition" if known else "agent": "+".join(filter(None, [columns.get("condition"), first]))}
    more = {"task": f"{task}+{first}"}
    its_own = plain in COLUMNS["task"]
    ways = [
        ({"task": first}, "it alone is the task") if its_own else (who, "other agents"),
        *([(more, "other tasks")] if task != EACH else []),
        *([({"sample": first}, "repeated samples")] if "sample" not in said else []),
    ]
    if words & _JUDGES and "sample" not in said:
        ways = [({"sample": first}, "each judgement is a sample"), (who, "the judges are compared")]
    tells = f"{place}: the column {first!r} tells rows of one agent and task apart{also}, with {values}"
    if plain in METRICS:
        return f"{tells}. Measures are no samples: keep the rows of one. To take them for samples: --allow-refused"
    if words & _WHO and not its_own and not words & _JUDGES:
        said_so = f"Say it: {columns_option(said, who)} (other agents)"
    elif known and task != EACH and not its_own and words & _WHAT:
        said_so = f"Say it: {columns_option(said, more)} (other tasks)"
    else:
        each = (f"{what}={name} ({of})" for way, of in ways for what, name in way.items())
        said_so = f"Say it in --columns, next to the rest: {' or '.join(each)}"
    return (
        f"{tells}, and nothing says what it is. {said_so}; or keep the rows of one value. To take the rows for "
        "samples: --allow-refused"
    )


_WHO = frozenset(
    ["model", "llm", "agent", "system", "scaffold", "harness", "framework", "strategy", "method", "adapter", "effort"]
)
_GRADINGS = frozenset(["grading", "gradings", "judge", "judges", "judging", "rater", "raters", "ratings"])
"""Words in names of files that hold what judges said."""
_JUDGES = frozenset(["judge", "grader", "rater", "annotator", "evaluator", "reviewer", "assessor", "scorer"])
_WHAT = frozenset(TASKS.split()) - {"id", "prompt", "key", "class", "category", "skill", "test", "input", "indicator"}
"""Words of columns that name what is compared, and of those that name what it is tried on."""


def judges_said(head: Head, columns: Mapping[str, str], names: Iterable[str]) -> str:
    """What is said of a table of gradings, by its file's name, in which a model may have judged or been judged."""
    words = {word for name in names for word in words_of(name)}
    if (
        columns.get("agent") not in COLUMNS["agent"][1:]
        or not _GRADINGS & {*words_of(stem_of(head))}
        or words & _JUDGES
    ):
        return ""
    said = {what: name for what, name in columns.items() if what in _SAID}
    judge, rest = said["agent"], {what: name for what, name in said.items() if what != "agent"}
    return (
        f"the file is called as gradings are, and {judge!r} may say who judged or who was judged. Say it: "
        f"{columns_option(rest, {'sample': judge})} (who judged) or {columns_option(said)} (who was judged)"
    )


def copies_said(place: str, score: object) -> str:
    """What is said where the rows of each agent's task all have the same score."""
    return (
        f"{place}: rows of one agent and task have the same score each time, such as {str(score)[:40]!r}, as copies of "
        "one result have. Keep one row of each, or say what tells samples apart: --columns sample=NAME; to take the "
        "rows for samples: --allow-refused"
    )


def unnumbered_defect(rows: int, where: str) -> Defect:
    """What is said of a table in which so many rows repeat an agent and a task without a sample's number."""
    repeat = "1 row repeats" if rows == 1 else f"{rows:,} rows repeat"
    said = f"{repeat} an agent and a task without a sample number: more samples, not copies"
    return noted_defect(where, UNNUMBERED, said)


def summary_rows(tasks: Iterable[str], agents: Iterable[str], where: str) -> Iterator[Defect]:
    """What is said of tasks and agents that are called as a mean of others is."""
    for what, names, part in (("a task", tasks, "row"), ("an agent", agents, "column (or its rows)")):
        for name in names:
            if is_summary(name):
                said = f"{what} is called {name!r}: leave its {part} out if it is none"
                yield noted_defect(where, SUMMARY, said)


def alike_ids_noted(agents_of: Mapping[str, Collection[str]]) -> Iterator[Defect]:
    """What is said of tasks that may be one, by the agents that each has."""
    if pairs := ids_alike(agents_of):
        one, other = map(repr, pairs[0])
        count = "1 pair of task ids differs" if len(pairs) == 1 else f"{len(pairs):,} pairs of task ids differ"
        said = f"{count} only in zeros, capitals or blanks, such as {one} and {other}, and no agent has both"
        yield noted_defect("tasks", SAME_IDS, said)


def contradiction_defect(used: str, other: str, rows: int, where: str) -> Defect:
    """What is said of a table where two columns contradict each other."""
    rows_have = "1 row has" if rows == 1 else f"{rows:,} rows have"
    return noted_defect(where, CONTRADICTION, f"{rows_have} a {other} that contradicts {used}, which counts")


def _cell_text(known: ProblemRow, what: str) -> str:
    value = known.get(what)
    if isinstance(value, dict | list):
        raise FormatError(f"{what} is {type(value).__name__}; expected a text or a number")
    if value is None or not str(value).strip():
        if what in known:
            raise FormatError(f"no {what}: its cell is empty; rows without one are left out with --allow-refused")
        raise FormatError(f"no {what}; expected a cell in a column {COLUMNS[what][0]}, or --columns {what}=NAME")
    return storable_text(value)


def _cell_number(known: ProblemRow, what: str) -> float:
    value = cell_number(str(known[what]).strip().removeprefix("$"))
    if value is None:
        raise FormatError(f"{what} {storable_text(known[what])[:100]!r} is not a number such as 1, 0.5 or 1e3")
    return value


def outcomes_of(known: ProblemRow, rules: TableRules = AS_IT_STANDS) -> list[tuple[Outcome, float | None, str]]:
    """The outcome of each sample, its score where that is neither 0 nor 1, and why it is void where the row leaves it
    open or says a word that nobody knows.

    Raises:
        OffScaleError: a score is outside the scale.
        FormatError: it is no text and no number, or no share of a number of samples.
    """
    if "outcome" in known and str(known["outcome"]).strip().lower() in NOTHING:
        return [(Outcome.VOID, None, NO_OUTCOME)]
    said = _cell_text(known, "outcome")
    if (outcome := rules.outcome(said)) is not None:
        return [(outcome, None, "")]
    number = cell_number(said, rules.comma)
    part = cell_share(said, rules.comma) if number is None else None
    if number is None and part is None:
        return [(Outcome.VOID, None, f"outcome {said.strip()[:100]!r} is not understood")]
    share = rules.share(number) if number is not None else 1 - (part or 0.0) if rules.is_less_better else part or 0.0
    count = _cell_number(known, "count") if known.get("count") not in BLANK else 1.0
    passed = round(share * count)
    if not (1 <= count <= _MOST_SAMPLES and count.is_integer()):
        raise FormatError(f"{share:g} of {count:g} samples; expected a share of a whole number")
    if abs(share * count - passed) > 1e-6 * count:
        if count == 1:
            return [(Outcome.FAILED, share, "")]
        raise FormatError(f"{share:g} of {count:g} samples is not a whole number; write one row for each graded sample")
    outcomes = [Outcome.PASSED] * passed + [Outcome.FAILED] * (int(count) - passed)
    return [(outcome, None, "") for outcome in outcomes]


def tags_of(known: ProblemRow) -> Tags:
    said = {name: known[name] for name in TASK_COLUMNS if known.get(name) not in BLANK}
    # Somebody else's variant means something else.
    if said.get("variant") not in ("impossible", "standard"):
        said.pop("variant", None)
    said |= {name: _cell_number(known, name) for name in ("weight", "minutes") if name in said}
    # 0 is rounded, or not known.
    if said.get("minutes") == 0:
        said.pop("minutes")
    # A number is another measure of it than the three words.
    if finite_number(str(said.get("difficulty", ""))) is not None:
        said.pop("difficulty")
    if "date" in said:
        day = day_of(said.pop("date"))
        said |= {"date": day} if day else {}
    said |= {name: storable_text(said[name]).lower() for name in ("difficulty", "language") if name in said}
    said |= {name: storable_text(said[name]) for name in ("cluster", "category") if name in said}
    try:
        return msgspec.convert(said, Tags)
    except msgspec.ValidationError as error:
        name = next((name for name in ("weight", "minutes") if f"$.{name}" in str(error)), "")
        if not name:
            raise FormatError(str(error)) from error
        raise FormatError(f"{name}: found {storable_text(known[name])!r}; expected a number above 0") from error


def day_of(value: object) -> str:
    """A day as 2024-06-01, from that form or one that can be read in one way only; empty for anything else.

    That is `2024/6/1`, `01.06.2024`, `1 Jun 2024`, `June 1, 2024`, and seconds or milliseconds since 1970.
    """
    if isinstance(value, date):
        return value.isoformat()[:10]
    if isinstance(value, int | float) and 0 <= value < 1e14:
        return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC).date().isoformat()
    text = str(value).strip()
    for form in ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"):
        for part in (text, text[:10]):
            try:
                return datetime.strptime(part, form).replace(tzinfo=UTC).date().isoformat()
            except ValueError:
                continue
    return ""


def dates_unread(tags: Iterable[Mapping[str, object]], where: str) -> list[Defect]:
    """What is said of dates that could be several days, or none."""
    odd = [said["date"] for said in tags if said.get("date") not in BLANK and not day_of(said["date"])]
    if not odd:
        return []
    of = "of 1 task" if len(odd) == 1 else f"of {len(odd):,} tasks"
    first = storable_text(odd[0])[:40]
    said = f"the date {of} is not read, such as {first!r}; write a day as 2024-06-01"
    return [noted_defect(where, DATES, said)]


def _has_columns(head: Head, rules: TableRules) -> bool:
    """Whether a file is a table with the columns that the user names."""
    try:
        _, row = next(_each_row(head.path, rules.columns), ("", {}))
        return (
            bool(rules.columns)
            and isinstance(row, dict)
            and are_in(_known_names(head, row, rules.columns), rules.columns)
        )
    except FormatError:
        return False


READER = FileReader("table", recognises, read, takes=_has_columns)
