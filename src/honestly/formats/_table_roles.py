"""What the columns of a table may be whose names do not say it: a proposal that a user checks, and never a reading.

An agent's column has words of one in its name and repeats; a task's tells most rows of an agent apart; an outcome's
cells are outcomes, and its name is a measure's and not that of what was expected.
"""

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from honestly.formats._columns import EACH
from honestly.formats._files import Tally, files_below
from honestly.formats._imported import storable_text
from honestly.formats._rows import ProblemRow
from honestly.formats._table import NOTHING, ONE_SCORE, is_outcome, sample_rows
from honestly.formats._table_cells import MEASURE_WORDS, TASKS, bare_text, cell_number, direction_of, words_of
from honestly.formats._table_columns import AND, COLUMNS, NONE, OTHERS, SOME, columns_of, columns_option, is_most
from honestly.formats._table_survey import (
    METRICS,
    doubtful_columns,
    is_beside,
    is_counting,
    is_numbered,
    is_signed,
    measure_of_each,
    plain_name,
    pooled_columns,
    run_columns,
)

_AGENTS = """agent model models llm system assistant solver bot submission team method approach tool engine player
harness scaffold policy algorithm classifier framework config configuration user participant"""
_NO_AGENTS = "reason reasoning judge grader answer response output prediction hash"
_VERBS = {"get", "post", "put", "delete", "patch"}
_RUNS = "run hash uuid job session trial row avg average mean per"
_OUTCOMES = MEASURE_WORDS | {"result", "status", "verdict", "pass", "points", "ok", "grade", "earned"}
_EXPECTED = """expected reference gold truth target max maximum possible total predicted prediction std stdev stderr var
confidence token tokens"""
_QUANTITY = re.compile(r"[~$\u20ac]? ?\d[\d.,]* ?(?:k|m|b|s|ms|sec|min|h|kb|mb|gb|%)", re.IGNORECASE)
_SAY = "if it is a table of results, say which column is what, such as"
# Shares of cells that are outcomes; names in a message.
_MOST_CELLS, _FEW, _MOST_TASKS = 0.5, 3, 8
# Files that may be tables, how many are looked at, and how many rows of each.
_TABLES, _MOST_FILES, _SOME_ROWS = (".csv", ".tsv", ".json", ".jsonl", ".parquet"), 100, 20


def likely_table(root: Path) -> tuple[Path, list[ProblemRow]]:
    """A table whose columns are not known, and its first rows, if there are any.

    It is the file itself, or of those in a folder for which columns can be proposed the one with most rows.
    """
    if root.is_file():
        return root, sample_rows(root)
    files = islice((root / name for name in files_below(root, Tally()) if name.endswith(_TABLES)), _MOST_FILES)
    tables = ((file, rows, proposed_columns(rows[:_SOME_ROWS])) for file in files if (rows := sample_rows(file)))
    found = [(file, rows) for file, rows, way in tables if way.startswith(_SAY) and "outcome=" in way]
    return max(found, key=lambda each: len(each[1]), default=(root, []))


def proposed_columns(rows: Sequence[ProblemRow]) -> str:
    """How a user may say what the columns of a table are, by its first rows; empty where nothing can be proposed."""
    names = [name for name in rows[0] if not isinstance(rows[0][name], dict | list)]
    names = [name for name in names if 2 * sum(name in row for row in rows) >= len(rows)]
    cells = {name: [storable_text(row.get(name)) for row in rows] for name in names}
    texts = {name: [text for text in each if text.strip().lower() not in NOTHING] for name, each in cells.items()}
    known = columns_of(tuple(names))
    outcomes = [
        name for name in names if texts[name] and sum(map(is_outcome, texts[name])) >= _MOST_CELLS * len(texts[name])
    ]
    measures = [name for name in outcomes if name == known.get("outcome") or _is_measure(name, texts[name])]
    agents = [name for name in names if _has(name, _AGENTS) and not _has(name, _NO_AGENTS) and name not in outcomes]
    agents = [name for name in agents if {*map(str.lower, texts[name])} - _VERBS and len({*texts[name]}) < len(rows)]
    agent = known.get("agent") or next(iter(agents), "")
    tasks = [name for name in names if _has(name, TASKS) and not _has(name, f"{_AGENTS} {_RUNS}") and name != agent]
    tasks = [name for name in tasks if name not in measures and not OTHERS.intersection(words_of(name))]
    tasks = [name for name in tasks if not all(_QUANTITY.fullmatch(bare_text(text)) for text in texts[name])]
    times = {name: len({*zip(cells.get(agent, cells[name]), cells[name], strict=True)}) for name in tasks}
    task = known.get("task") or max((name for name in tasks if len({*texts[name]}) > 1), key=times.get, default="")  # type: ignore[arg-type]
    if not task and not agent and not measures and len({*texts[names[0]]}) == len(rows):
        # What names the rows stands first; of agents, each has one score.
        first = names[0] if names[0] not in outcomes else ""
        agent, task = (
            (first, "") if _has(first, _AGENTS) and {*map(str.lower, texts[names[0]])} - _VERBS else ("", first)
        )
    said = {what: name for what, name in (("agent", agent), ("task", task)) if name}
    others = [
        name for name in names if name not in said.values() and not is_beside(name) and name not in known.values()
    ]
    runs = run_columns(others)
    if agent and not task and outcomes and len({*texts[agent]}) == len(rows):
        odd = {*doubtful_columns(outcomes, "agent"), *runs}
        each = [name for name in outcomes if name not in odd and not is_beside(name)]
        way = columns_option(said | {"task": EACH, SOME: AND.join(each)})
        is_shown = not measures and 1 < len(each) <= _MOST_TASKS
        return f"if its rows are agents: {ONE_SCORE}" + (f", such as {way}" if is_shown else "")
    if not task or plain_name(task) in METRICS or (runs and "outcome" not in known and not {*runs} <= {*outcomes}):
        return ""
    if runs and "outcome" not in known:
        none = {NONE: AND.join(name for name in others if name not in runs)} if {*others} - {*runs} else {}
        return f"{_SAY} {columns_option(said, {'sample': EACH}, none)}"
    if not measures:
        marks = [name for name in others if 2 * sum(map(is_outcome, texts[name])) >= len(texts[name])]
        said_too = {name: {*texts[name]} & {text for each in marks for text in texts[each]} for name in others}
        odd = {name for name in others if name not in marks and not said_too[name]}
        odd |= {*doubtful_columns(others, "agent")} | {
            name for name in others if is_counting(texts[name]) or is_signed(texts[name])
        }
        odd |= {*pooled_columns({name: cells[name] for name in others if name not in odd})}
        none = {NONE: AND.join(name for name in others if name in odd)} if odd else {}
        is_wide = not agent and bool({*marks} - odd) and len({*others} - odd) > 1
        what = "sample" if all(map(str.isdecimal, {*others} - odd)) else "agent"
        return f"{_SAY} {columns_option(said, {what: EACH}, none)}" if is_wide else ""
    if len(measures) > 1 and is_numbered(measures) and "@" not in measures[0]:
        return ""  # agents, samples or measures
    usual = {name for name in measures if plain_name(name) in COLUMNS["outcome"]}
    same = {name for name in measures if len({*texts[name]}) == 1} - usual
    measures.sort(key=direction_of, reverse=True)
    measures.sort(key=lambda name: (direction_of(name) < 0, name in same, _sort_of(texts[name]), name not in usual))
    if columns := [] if agent else measure_of_each(names, measures):
        return f"{_SAY} {columns_option(said, {'agent': EACH, SOME: AND.join(columns)})}"
    also = "".join(f", or outcome={name}" for name in islice(measures, 1, _FEW))
    of = "" if agent else " where all rows are of one agent, who then has the file's name"
    return f"{_SAY} {columns_option(said, {'outcome': measures[0]})}{also}{of}"


def _has(name: str, words: str) -> bool:
    return bool({*words.split()}.intersection(words_of(name)))


def _is_measure(name: str, texts: Sequence[str]) -> bool:
    """Whether a column is called as a measure is, and holds no code that a program ended with."""
    if (
        (_has(name, _EXPECTED) and plain_name(name) != "total_score")
        or is_beside(name)
        or is_most(name, "")
        or OTHERS.intersection(words_of(name))
    ):
        return False
    is_code = _has(name, "status exit") and (len({*texts}) == 1 or all(map(str.isdecimal, texts)))
    return bool(_OUTCOMES.intersection(words_of(name))) and not is_code


def _sort_of(texts: Sequence[str]) -> int:
    """0 for passes and failures, 1 for shares, 2 for other numbers."""
    numbers = [cell_number(text) for text in texts]
    if all(number in {None, 0.0, 1.0} for number in numbers):
        return 0
    return 1 if all(number is None or 0 <= number <= 1 for number in numbers) else 2
