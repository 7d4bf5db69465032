"""Which column of a table is what: by its name, by what the user says, and of several columns that are one thing.

`agent=agent+model` makes one agent of two columns; so does a table itself in which both name the agent and one of them
varies within the other. `outcome=score/max_score` makes a share of a score and the most that there was to be had; so
does a table itself in which that is the same in all rows of a task.
"""

import re
import shlex
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache

from honestly._loose import BLANK
from honestly.errors import FormatError
from honestly.formats._columns import EACH
from honestly.formats._imported import storable_text
from honestly.formats._rows import ProblemRow
from honestly.formats._table_cells import words_of
from honestly.formats._table_survey import plain_name

SOME, NONE = "some", "none"
"""Which columns are agents, or tasks, where not each other one is, and which are nothing: names with `AND` between."""
AND = "\x1f"
"""What stands between them, as in no name."""
LISTS = frozenset((SOME, NONE))
COLUMNS = {
    "agent": ("agent", "model", "agent_name", "model_name", "model_id", "llm"),
    "task": (
        *("task", "question", "example_id", "instance_id", "task_id", "task_name"),
        *("question_id", "problem_id", "prompt_id", "scenario_id", "item_id", "problem", "qid"),
    ),
    "outcome": (
        *("outcome", "passed", "resolved", "pass1", "correct", "score", "reward"),
        *("is_correct", "success", "solved", "accuracy", "acc", "exact_match"),
    ),
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
    for what, _, name in (part.partition("=") for part in re.split(r",(?=\w*=)", text)):
        if what == NONE and name:
            said[NONE] = f"{said.get(NONE, '')}{AND}{name}".removeprefix(AND)
        # Several columns, each of which is one.
        elif what in said and what in {"agent", "task"} and said[what]:
            said[SOME], said[what] = f"{said.get(SOME) or said[what]}{AND}{name}", EACH
        else:
            said[what] = name
    if wrong := [what for what, name in said.items() if what not in {*COLUMNS, *LISTS} or not name]:
        trouble = "names no column" if wrong[0] in COLUMNS else "is nothing that a column can be"
        raise FormatError(f"--columns: {wrong[0]!r} {trouble}; expected WHAT=NAME, WHAT one of: {', '.join(COLUMNS)}")
    return said


class UnknownColumnError(FormatError):
    """`--columns` names a column that a table does not have, or nothing says what a column is."""


NAMELESS = "Unnamed: 0"
"""What the first column is called if it has no name, as pandas calls it."""


@lru_cache(64)
def columns_of(names: tuple[str, ...]) -> dict[str, str]:
    """Which of these columns is what, by its name; capitals and blanks around it do not count."""
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(plain_name(name), name)
    plain |= {name: name for name in names}
    known = {what: next((plain[each] for each in those if each in plain), "") for what, those in COLUMNS.items()}
    return {what: name for what, name in known.items() if name}


def columns_as(names: tuple[str, ...], named: Mapping[str, str]) -> dict[str, str]:
    """The same, where some have been named; what is named to be one thing is no other by its name."""
    taken = {part for name in names_said(named) for part in parts_of(name, names)}
    return {what: name for what, name in columns_of(names).items() if name not in taken} | dict(named)


def names_in(named: Mapping[str, str], what: str) -> list[str]:
    """The columns of one of the `LISTS`."""
    return named[what].split(AND) if what in named else []


def names_said(named: Mapping[str, str]) -> list[str]:
    """All columns that are named, some of them in one with others."""
    return [name for what, said in named.items() for name in (names_in(named, what) if what in LISTS else [said])]


def parts_of(name: str, names: Collection[str]) -> list[str]:
    """The columns behind the name of one, or of several with `+` between them, or of a part and a whole with `/`."""
    return [name] if name in names else _split(name, "+", names) or _split(name, "/", names) or [name]


def _split(name: str, sign: str, names: Collection[str]) -> list[str]:
    """The columns that stand in a name with a sign between them, which may be in their own names; else none."""
    if name in names:
        return [name]
    for found in re.finditer(re.escape(sign), name):
        first, rest = name[: found.start()], _split(name[found.end() :], sign, names)
        if rest and (first in names or first == EACH):
            return [first, *rest] if first != EACH else rest
    return []


def columns_option(*said: Mapping[str, str]) -> str:
    """What a user types to say so."""
    named: dict[str, str] = {}
    for each in said:
        named |= each
    parts = [(what, named[what]) for what in named if what not in LISTS and (named[what] != EACH or SOME not in named)]
    parts += [(what, name) for what, each in named.items() if each == EACH for name in names_in(named, SOME)]
    parts += [(NONE, name) for name in names_in(named, NONE)]
    return f"--columns {shlex.quote(','.join(f'{what}={name}' for what, name in parts))}"


def are_in(names: Collection[str], named: Mapping[str, str]) -> bool:
    """Whether all columns that are named are among these."""
    return all(part in names for name in names_said(named) if name != EACH for part in parts_of(name, names))


JOINED = {"agent": "|", "task": "/", "outcome": "/"}
"""What stands between the cells of several columns that are one thing; a blank elsewhere."""


OURS = frozenset(("id", "agent", "task", "sample", "outcome", "tampered", "score"))
"""Columns of the trials of a study, as we write them; a failure with a grade has it in `score`."""


def cell_of(row: ProblemRow, what: str, name: str) -> object:
    """The cell of a column, or those of several that are one thing; nothing where one of these is empty."""
    if name == "outcome" == what and row.keys() >= OURS and row[name] == "failed" and row["score"] not in BLANK:
        return row["score"]
    if name in row or len(parts := parts_of(name, row)) == 1:
        return row.get(name)
    cells = [row.get(part) for part in parts]
    return None if any(cell in BLANK for cell in cells) else JOINED.get(what, " ").join(map(storable_text, cells))


_MOST = frozenset(
    f"{word}_{points}" for word in ("max", "maximum", "possible", "total", "full", "max_possible")
    for points in ("score", "points", "marks", "reward", "grade")
) - {"total_score", "total_reward"}  # fmt: skip
_MOST_TOO = ("out_of", "possible", "total_possible", "points_possible", "score_max", "points_max", "full_marks")


def is_most(name: str, outcome: str) -> bool:
    """Whether a column is called as the most is that a score could have been."""
    plain, score = plain_name(name), plain_name(outcome)
    return plain in _MOST or plain in _MOST_TOO or plain in {f"max_{score}", f"{score}_max"}


def is_total(name: str) -> bool:
    """Whether a column may hold how many there are of what a score counts."""
    words = {*words_of(name)}
    return bool(words & {"max", "maximum", "total", "tests", "questions", "possible", "cases"}) and not words & OTHERS


OTHERS = frozenset(["tokens", "tok", "cost", "usd", "time", "ms", "seconds", "duration", "latency", "steps", "turns"])
"""Words of columns that say what a trial took."""


def joined_agent(columns: Mapping[str, str], names: Collection[str], is_varying: Callable[[str, str], bool]) -> str:
    """The column of the agent with others that name it too and vary within it (`agent+model`); empty where none does.

    Args:
        columns: Those that are known.
        names: Of all columns.
        is_varying: Whether a column has several values at one value of another.
    """
    own = columns.get("agent", EACH)
    if own == EACH or "+" in own or "condition" in columns:
        return ""
    others = [name for name in names if plain_name(name) in COLUMNS["agent"] and name not in columns.values()]
    more = [name for name in others if is_varying(own, name)]
    return "+".join([own, *more[:1]]) if more else ""
