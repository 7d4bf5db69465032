"""What the columns of a table may be whose names do not say it: a proposal that a user checks, and never a reading.

An agent's column has words of one in its name and repeats; a task's tells most rows of an agent apart; an outcome's
cells are outcomes, and its name is a measure's and not that of what was expected.
"""

from collections.abc import Sequence
from itertools import islice

from honestly._loose import BLANK
from honestly.formats._columns import EACH
from honestly.formats._imported import storable_text
from honestly.formats._rows import ProblemRow
from honestly.formats._table import ONE_SCORE, is_outcome
from honestly.formats._table_cells import MEASURE_WORDS, direction_of, words_of
from honestly.formats._table_columns import columns_of, columns_option, is_most
from honestly.formats._table_survey import is_beside

_AGENTS = """agent model llm system assistant solver bot submission team method approach tool engine player harness
scaffold policy algorithm"""
_TASKS = """task question problem instance case item example scenario exercise query issue challenge id prompt test
puzzle key input repo"""
_OUTCOMES = MEASURE_WORDS | {"result", "status", "verdict", "pass", "points", "ok", "grade", "earned"}
_EXPECTED = "expected reference gold truth target max maximum possible total predicted prediction"
_SAY = "if it is a table of results, say which column is what, such as"
# Shares of cells that are outcomes; names in a message.
_MOST_CELLS, _FEW = 0.9, 3


def proposed_columns(rows: Sequence[ProblemRow]) -> str:
    """How a user may say what the columns of a table are, by its first rows; empty where nothing can be proposed."""
    names = [name for name in rows[0] if not isinstance(rows[0][name], dict | list)]
    texts = {name: [storable_text(row.get(name)) for row in rows if row.get(name) not in BLANK] for name in names}
    known = columns_of(tuple(names))
    outcomes = [
        name
        for name in ([known["outcome"]] if "outcome" in known else names)
        if texts[name] and sum(map(is_outcome, texts[name])) >= _MOST_CELLS * len(texts[name])
    ]
    measures = [name for name in outcomes if _is_measure(name)]
    agents = [name for name in names if _AGENTS_IN.intersection(words_of(name)) and name not in outcomes]
    agent = known.get("agent") or next((name for name in agents if len(set(texts[name])) < len(rows)), "")
    tasks = [name for name in names if _TASKS_IN.intersection(words_of(name)) and name not in {agent, *measures}]
    task = known.get("task") or max(
        tasks, key=lambda name: len({*zip(*_cells(rows, agent, name), strict=True)}), default=""
    )
    said = {what: name for what, name in (("agent", agent), ("task", task)) if name}
    if agents and not task and measures:
        return f"if its rows are agents: {ONE_SCORE}"
    if not task:
        return ""
    if not measures:
        others = [name for name in names if name != task and not is_beside(name)]
        marks = [name for name in others if any(map(is_outcome, texts[name]))]
        return f"{_SAY} {columns_option(said, {'agent': EACH})}" if not agent and len(marks) > 1 else ""
    measures.sort(key=lambda name: (direction_of(name) <= 0, len({*texts[name]}) > 2))
    also = "".join(f", or outcome={name}" for name in islice(measures, 1, _FEW))
    of = "" if agent else " where all rows are of one agent, who then has the file's name"
    return f"{_SAY} {columns_option(said, {'outcome': measures[0]})}{also}{of}"


_AGENTS_IN, _TASKS_IN = frozenset(_AGENTS.split()), frozenset(_TASKS.split())


def _is_measure(name: str) -> bool:
    words = set(words_of(name))
    return bool(words & _OUTCOMES) and not (words & {*_EXPECTED.split()} or is_beside(name) or is_most(name, ""))


def _cells(rows: Sequence[ProblemRow], *names: str) -> list[list[str]]:
    return [[storable_text(row.get(name)) for row in rows] for name in names if name]
