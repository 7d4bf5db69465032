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
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import IO

import msgspec

from honestly._loose import BLANK
from honestly.errors import FormatError
from honestly.formats._columns import EACH, columns_file, saved_columns
from honestly.formats._heads import Head
from honestly.formats._imported import ALIKE, storable_text
from honestly.formats._rows import BROKEN, MAX_LINE, ProblemRow, each_row, unpacked_file
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    imported_trial,
    noted_defect,
    recorded_place,
    refused_defect,
    repaired_defect,
)
from honestly.formats._table_rules import (
    AS_IT_STANDS,
    OffScaleError,
    TableRules,
    Understood,
    finite_number,
    plain_word,
    separator_of,
)
from honestly.records import Agent, Defect, Outcome, Step, Tags, Task, Trajectory, Usage

SOME = "some"
"""Which columns are agents, or tasks, where not each other one is: their names, with commas between."""
COLUMNS = {
    "agent": ("agent", "model"),
    "task": ("task", "question", "example_id", "instance_id", "task_id"),
    "outcome": ("outcome", "passed", "resolved", "pass1", "correct", "score", "reward"),
    "sample": ("sample", "epoch"),
    "count": ("count",),
    "condition": ("condition",),
    "usd": ("usd", "cost"),
    "minutes": ("minutes", "human_minutes", "expert_time_estimate_min"),
    "confidence": ("confidence", "stated_confidence"),
    **{name: (name,) for name in ("cluster", "weight", "category", "language", "difficulty", "date", "variant")},
}
"""The meanings of columns with the names that each can have; the first one present counts."""


def columns_said(text: str) -> dict[str, str]:
    """The meanings of columns, from `agent=llm,task=qid`, or for a wide table `task=qid,agent=gpt,agent=claude`.

    Raises:
        FormatError: a part is of another form, or nothing can be what it names.
    """
    said: dict[str, str] = {}
    for what, _, name in (part.partition("=") for part in text.split(",")):
        # Several columns, each of which is one.
        if what in said and what in {"agent", "task"} and said[what]:
            said[SOME], said[what] = f"{said.get(SOME) or said[what]},{name}", EACH
        else:
            said[what] = name
    if wrong := [what for what, name in said.items() if what not in {*COLUMNS, SOME} or not name]:
        trouble = "names no column" if wrong[0] in COLUMNS else "is nothing that a column can be"
        raise FormatError(f"--columns: {wrong[0]!r} {trouble}; expected WHAT=NAME, WHAT one of: {', '.join(COLUMNS)}")
    return said


class OddLineError(FormatError):
    """A line of a table has too few cells, or too many."""

    def __init__(self, row: ProblemRow, cells: int, expected: int) -> None:
        super().__init__(f"it has {cells} cells; expected {expected}")
        self.row = row


class UnknownColumnError(FormatError):
    """`--columns` names a column that a table does not have."""


NAMELESS = "Unnamed: 0"
"""What the first column is called if it has no name, as pandas calls it."""
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
_NOTHING = {"", "nan", "none", "null", "n/a", "na", "#n/a", "-", "\u2013", "\u2014"}
# What a row is called that is the mean of others.
_SUMMARIES = {"average", "avg", "mean", "macro average", "total", "overall", "sum"}
# Rows that are shown, columns of a table, outcomes of a wide row, digits of a sample's number.
_MOST_SHOWN, _FEWEST_COLUMNS, _FEWEST_WIDE, _DIGITS = 20, 2, 2, 3


def table_rows(path: Path) -> Iterator[tuple[str, ProblemRow]]:
    """Each row of a table with its place; what kind of table it is shows in its first bytes.

    Raises:
        FormatError: the file cannot be read, or holds something else.
    """
    for at, row in _each_row(path):
        if isinstance(row, FormatError):
            raise FormatError(f"{at}: {row}") from row
        yield at, row


def _each_row(path: Path) -> Iterator[tuple[str, ProblemRow | FormatError]]:
    """The same, with a line of JSON that is no object as a FormatError, and those after it.

    Raises:
        FormatError: the file cannot be read.
    """
    start = Head(path).start
    if start.startswith(b"PAR1"):
        yield from _parquet_rows(path)
    elif start.lstrip()[:1] in {b"{", b"["} or not start:
        yield from each_row(path)
    else:
        delimiter = separator_of(_first_line(start))
        try:
            # A limit of the whole process: a single reader has none.
            csv.field_size_limit(_LONGEST_CELL)
            with unpacked_file(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as file:
                reader = csv.DictReader(_table_lines(path, file), delimiter=delimiter, strict=True)
                names = reader.fieldnames or ()
                if names and not names[0].strip():
                    reader.fieldnames = names = [NAMELESS, *names[1:]]
                if twice := [name for name, count in Counter(names).items() if count > 1 and name]:
                    raise FormatError(f"{path}: two columns are called {twice[0]!r}; rename one")
                for number, row in enumerate(reader, 2):
                    cells = len(names) + len(row.pop(None, ())) - sum(cell is None for cell in row.values())
                    named = {name: value for name, value in row.items() if name}
                    whole = cells == len(names)
                    yield f"{path}:{number}", named if whole else OddLineError(named, cells, len(names))
        except csv.Error as error:
            said = "a quote is opened and never closed" if "unexpected end" in str(error) else str(error)
            raise FormatError(f"{path} cannot be read as a table: {said}") from error
        except UnicodeDecodeError as error:
            found = f"byte {error.object[error.start]:#04x} is no UTF-8; if it is another encoding"
            raise FormatError(f"{path} cannot be read as a table: {found}: iconv -f LATIN1 -t UTF-8") from error
        except EOFError as error:
            raise FormatError(f"{path} cannot be read to its end: its compressed data break off") from error
        except BROKEN as error:
            raise FormatError(f"{path} cannot be read as a table: {error}") from error


def _first_line(start: bytes) -> str:
    return start.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace").strip()


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
        header = _first_line(head.start)
        return _says_itself(dict.fromkeys(name.strip('" ') for name in header.split(separator_of(header))))
    return _says_itself(row) or bool(saved_columns(row) or _wide_columns(row))


def _wide_columns(row: ProblemRow) -> dict[str, str]:
    """What the columns are of a row that names a task, or an agent, and holds two outcomes or more and nothing else."""
    found = columns_of(tuple(row))
    if not found and (first := row.get(NAMELESS)) not in BLANK and finite_number(str(first)) is None:
        # What names a column, too, is a row of a matrix: of correlations, say.
        found = {} if str(first) in row else {"task": NAMELESS}
    cells = [row[name] for name in row if name not in {*found.values(), NAMELESS}]
    each = {"task": "agent", "agent": "task"}.get(" ".join(found.keys() & {"agent", "task", "outcome"}))
    if each is None or len(cells) < _FEWEST_WIDE or all(cell in BLANK for cell in cells):
        return {}
    plain = (str(cell).strip().removesuffix("%") for cell in cells if cell not in BLANK)
    known = all(AS_IT_STANDS.outcome(cell) is not None or finite_number(cell) is not None for cell in plain)
    return found | {each: EACH} if known else {}


def _says_itself(row: ProblemRow) -> bool:
    return columns_of(tuple(row)).keys() >= {"agent", "task", "outcome"}


@lru_cache(64)
def columns_of(names: tuple[str, ...]) -> dict[str, str]:
    """Which of these columns is what, by its name; capitals and blanks around it do not count."""
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(name.strip().casefold(), name)
    plain |= {name: name for name in names}
    known = {what: next((plain[each] for each in those if each in plain), "") for what, those in COLUMNS.items()}
    return {what: name for what, name in known.items() if name}


def columns_as(names: tuple[str, ...], named: Mapping[str, str]) -> dict[str, str]:
    """The same, where some have been named; what is named to be one thing is no other by its name."""
    taken = set(named.values())
    return {what: name for what, name in columns_of(names).items() if name not in taken} | dict(named)


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
    """The trials of each table; a row that makes no sense is refused.

    Raises:
        FormatError: a score is outside the scale, a column that was named is not there, or too much of a table was lost
            (`Understood.check`).
    """
    tasks: dict[str, Tags] = {}
    samples: set[tuple[str, str, str]] = set()
    cells: set[tuple[str, str]] = set()
    rules = source.rules
    for head in source.heads:
        named, seen = rules.columns, Understood(recorded_place(head), rules)
        used, other, contradicting, first, again, begun = "", "", 0, "", 0, False
        filled: dict[str, dict[str, object]] = {}
        try:
            for at, row in _each_row(head.path):
                where = f"{recorded_place(head)}{at.removeprefix(str(head.path))}"
                if isinstance(row, FormatError):
                    # One in a wide table holds as many trials as it has cells.
                    lost = _known(row.row, named)[0] if isinstance(row, OddLineError) and begun else []
                    first_lost = lost[0] if lost else {}
                    said = f"{where}: line refused: {row}"
                    seen.count_refused(said, first_lost.get("agent"), first_lost.get("task"), max(1, len(lost)))
                    yield refused_defect(where, "line refused", str(row))
                    continue
                if not begun:
                    begun = True
                    named, used, other, noted = _table_columns(where, row, rules)
                    yield from (noted_defect(recorded_place(head), *each) for each in noted)
                    filled = _said_tags(head.path, named)
                if other and do_contradict(row.get(used), row.get(other), rules):
                    contradicting, first = contradicting + 1, first or where
                known, _ = _known(row, named)
                known = [_with_tags(each, filled) for each in known] if filled else known
                for item in _table_trials(known, where, (tasks, samples), rules, seen):
                    again += _is_repeated(item, known, cells)
                    yield item
        except UnknownColumnError:
            raise
        except FormatError as error:
            if begun:
                seen.break_off(str(error))
            yield refused_defect(recorded_place(head), "unreadable file", str(error))
        if contradicting:
            yield contradiction_defect(used, other, contradicting, first)
        if again:
            yield unnumbered_defect(again, recorded_place(head))
        seen.check()
    yield from summary_rows(tasks, {agent for agent, *_ in samples}, "tasks")


def _said_tags(path: Path, named: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """What the rows of a table say of each task: of each column the first cell that is not empty."""
    said: dict[str, dict[str, object]] = {}
    for _, row in _each_row(path):
        if isinstance(row, FormatError):
            continue
        found = columns_as(tuple(row), named)
        columns = [what for what in TASK_COLUMNS if what in found]
        if not columns or found.get("task", EACH) == EACH:
            return {}
        tags = said.setdefault(str(row.get(found["task"])), {})
        for what in columns:
            if row.get(found[what]) not in BLANK:
                tags.setdefault(what, row.get(found[what]))
    return said


def _with_tags(row: ProblemRow, said: Mapping[str, Mapping[str, object]]) -> ProblemRow:
    """A row whose empty cells say what others say of its task."""
    tags = said.get(str(row.get("task")), {})
    return {**row, **{what: value for what, value in tags.items() if row.get(what) in BLANK}}


def _table_columns(
    where: str, row: ProblemRow, rules: TableRules
) -> tuple[Mapping[str, str], str, str, list[tuple[str, str]]]:
    """From the first row of a table: its columns as far as they are not known by their names, that of the outcome, one
    that says the outcome otherwise, and what is noted.

    Raises:
        UnknownColumnError: a column that the user names is not there.
    """
    named: Mapping[str, str] = rules.columns
    noted: list[tuple[str, str]] = []
    if not named and not _says_itself(row):
        named, noted = _columns_found(row)
    _, more = _known(row, named)
    columns = columns_as(tuple(row), named)
    _check_columns(where, row, rules)
    noted += [("column left out", storable_text(name)) for name in more]
    return named, columns.get("outcome", ""), other_outcome(columns, more), noted


def _columns_found(row: ProblemRow) -> tuple[Mapping[str, str], list[tuple[str, str]]]:
    """What the columns of a table are that does not say so itself, and what is noted of that, if anything is found."""
    if saved := saved_columns(row):
        words = ", ".join(f"{what}={name}" for what, name in saved.items())
        return saved, [("columns as they were named before", f"{words}, by {columns_file()}")]
    if wide := _wide_columns(row):
        each = next(what for what, name in wide.items() if name == EACH)
        return wide, [("wide table", f"each column that is nothing else is one {each}; --columns says otherwise")]
    return {}, []


def _check_columns(where: str, row: ProblemRow, rules: TableRules) -> None:
    """Refuse columns that the user names and a table does not have.

    Raises:
        UnknownColumnError: the message says which, and what there is.
    """
    for name in (
        each for what, said in rules.columns.items() for each in (said.split(",") if what == SOME else [said])
    ):
        if name != EACH and name not in row:
            raise UnknownColumnError(
                f"{where}: --columns names {name!r}, which is not a column; the columns are "
                f"{', '.join(map(storable_text, row))}"
            )


def _is_repeated(item: Item, known: list[ProblemRow], cells: set[tuple[str, str]]) -> bool:
    """Whether a trial is at a cell of `cells`, which it joins, and nothing says which sample it is."""
    if not isinstance(item, FoundTrial) or item.key or known[0].get("count") not in BLANK:
        return False
    cell, before = (item.agent.name, item.task.id), len(cells)
    cells.add(cell)
    return len(cells) == before


def _known(row: ProblemRow, named: Mapping[str, str]) -> tuple[list[ProblemRow], list[str]]:
    """The trials of a row, as one or as many, and the columns that nobody knows."""
    found = columns_as(tuple(row), named)
    known = {what: row.get(name) for what, name in found.items() if name != EACH}
    more = [name for name in row if name not in found.values()]
    # A column without a name numbers the rows, as R and pandas write them.
    some = named[SOME].split(",") if SOME in named else [name for name in more if name != NAMELESS]
    each = next((what for what, name in found.items() if name == EACH), None)
    if each is None:
        return [known], more
    cells = [known | {each: name, "outcome": row[name]} for name in some if row.get(name) not in BLANK]
    return cells, [name for name in more if name not in some]


def _table_trials(
    known: list[ProblemRow],
    where: str,
    before: tuple[dict[str, Tags], set[tuple[str, str, str]]],
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
        if key and (agent, task, key) in samples:
            seen.count_refused(f"{where}: row refused: a second row of {agent}, {task}, {key}", agent, task)
        else:
            shares = (float(out is Outcome.PASSED) if score is None else score for out, score, _ in outcomes)
            seen.keep(agent, task, largest=max(shares, default=0.0))
            samples.add((agent, task, key))
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
SUMMARY = "row of a summary"
"""A task is called as the mean of all is."""
UNNUMBERED = "samples without a number"
"""Rows repeat an agent and a task, and no column says that they are other samples."""
DOUBTS = frozenset({ALIKE, CONTRADICTION, SUMMARY, UNNUMBERED})
"""Kinds of defects that changed nothing, but are still reported."""


def unnumbered_defect(rows: int, where: str) -> Defect:
    """What is said of a table in which so many rows repeat an agent and a task without a sample's number."""
    repeat = "1 row repeats" if rows == 1 else f"{rows:,} rows repeat"
    said = f"{repeat} an agent and a task without a sample number: more samples, not copies"
    return noted_defect(where, UNNUMBERED, said)


def summary_rows(tasks: Iterable[str], agents: Iterable[str], where: str) -> Iterator[Defect]:
    """What is said of tasks and agents that are called as a mean of others is."""
    for what, names, part in (("a task", tasks, "row"), ("an agent", agents, "column (or its rows)")):
        for name in names:
            if plain_word(name) in _SUMMARIES:
                said = f"{what} is called {name!r}: leave its {part} out if it is none"
                yield noted_defect(where, SUMMARY, said)


def contradiction_defect(used: str, other: str, rows: int, where: str) -> Defect:
    """What is said of a table where two columns contradict each other."""
    rows_have = "1 row has" if rows == 1 else f"{rows:,} rows have"
    return noted_defect(where, CONTRADICTION, f"{rows_have} a {other} that contradicts {used}, which counts")


def _cell_text(known: ProblemRow, what: str) -> str:
    value = known.get(what)
    if isinstance(value, dict | list):
        raise FormatError(f"{what} is {type(value).__name__}; expected a text or a number")
    if value is None or not str(value).strip():
        raise FormatError(f"no {what}; expected a column {' or '.join(COLUMNS[what])}, or --columns {what}=NAME")
    return storable_text(value)


def _cell_number(known: ProblemRow, what: str) -> float:
    value = finite_number(str(known[what]))
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
    if "outcome" in known and str(known["outcome"]).strip().lower() in _NOTHING:
        return [(Outcome.VOID, None, NO_OUTCOME)]
    said = _cell_text(known, "outcome")
    if (outcome := rules.outcome(said)) is not None:
        return [(outcome, None, "")]
    number, percent = finite_number(said), finite_number(said.strip().removesuffix("%"))
    if number is None and (percent is None or not 0 <= percent <= 100):
        return [(Outcome.VOID, None, f"outcome {said.strip()[:100]!r} is not understood")]
    share = (percent or 0.0) / 100 if number is None else rules.share(number)
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
        # A day from ISO's form, or from seconds or milliseconds since 1970.
        value = said["date"]
        if isinstance(value, date):
            said["date"] = value.isoformat()[:10]
        elif isinstance(value, int | float) and 0 <= value < 1e14:
            said["date"] = datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC).date().isoformat()
        else:
            said["date"] = str(value)[:10]
    said |= {name: storable_text(said[name]).lower() for name in ("difficulty", "language") if name in said}
    said |= {name: storable_text(said[name]) for name in ("cluster", "category") if name in said}
    try:
        return msgspec.convert(said, Tags)
    except msgspec.ValidationError as error:
        name = next((name for name in ("date", "weight", "minutes") if f"$.{name}" in str(error)), "")
        wanted = {"date": "a day as 2024-06-01", "weight": "a number above 0", "minutes": "a number above 0"}
        if not name:
            raise FormatError(str(error)) from error
        raise FormatError(f"{name}: found {storable_text(known[name])!r}; expected {wanted[name]}") from error


READER = FileReader("table", recognises, read, takes_any=True)
