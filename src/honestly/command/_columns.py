"""Asks once, in a terminal, which column of a table is what, where their names do not say so."""

import sys
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from honestly.command._options import say_on_stderr, without_controls

T = TypeVar("T")

_ASKED = {
    "agent": "who acted (agent, model)",
    "task": "what was asked (question, task)",
    "outcome": "what came of it (passed, score)",
    "sample": "which repetition, if any",
}
_NONE = "-"
# Characters of a column's name in a message.
_SHOWN = 60


def with_columns_asked(source: Path, read: Callable[[Path], T]) -> T:
    """The result of `read` for a source; in a terminal, asks for the columns of an unknown table first.

    Raises:
        FormatError: nothing reads it; without a terminal, of a table, how to say what its columns are.
    """
    from honestly.errors import FormatError
    from honestly.formats import likely_table, proposed_columns

    try:
        return read(source)
    except FormatError as error:
        if "in no format" not in str(error):
            raise
        place, rows = likely_table(source)
        if not rows:
            raise
        if place != source or not sys.stdin.isatty():
            way = proposed_columns(rows) or (
                "if it is a table of results, say which column is what: --columns agent=…,task=…,outcome=… (only "
                "task=…,outcome=… where all rows are of one agent, who then has the file's name), or task=…,agent=* "
                "where every other column is an agent (none=… leaves one out)"
            )
            names = ", ".join(without_controls(name)[:_SHOWN] for name in rows[0])
            found = str(error).partition("; name it with")[0]
            of = f"; {place.relative_to(source)}:" if place != source else ";"
            raise FormatError(f"{found}{of} {way}; the columns are {names}") from error
        _ask_columns(source, rows)
        return read(source)


def _ask_columns(source: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Asks what the columns of a table are, and keeps it.

    Args:
        source: The table.
        rows: Its first rows.
    """
    from honestly.formats import save_columns

    names = list(rows[0])
    say_on_stderr(f"{source} is a table, and its columns could be anything. Which is what? A name or a number;")
    say_on_stderr("* for agent or question: each other column is one; - for none.")
    for number, name in enumerate(names, 1):
        values = list(dict.fromkeys(without_controls(str(row.get(name)))[:24] for row in rows))
        say_on_stderr(f"{number:4}  {without_controls(name)[:40]:<24} {', '.join(values[:4])}")
    said: dict[str, str] = {}
    for what, words in _ASKED.items():
        if what == "outcome" and "*" in said.values():
            continue  # the cells of the others are the outcomes
        answer = click.prompt(
            words, default=_guess(what, names, said), value_proc=partial(_meant_column, what, names, said), err=True
        )
        said |= {what: answer} if answer != _NONE else {}
    say_on_stderr(f"saved in {save_columns(names, said)}: the next table with these columns is read so, too")


def _guess(what: str, names: Sequence[str], said: Mapping[str, str]) -> str | None:
    """The column that is called nearly so, or what stands for none."""
    from honestly.formats import COLUMNS

    left = {name.casefold(): name for name in names if name not in said.values()}
    near = [found for known in COLUMNS[what] for found in get_close_matches(known, left, n=1, cutoff=0.7)]
    return left[near[0]] if near else _NONE if what == "sample" else None


def _meant_column(what: str, names: Sequence[str], said: Mapping[str, str], text: str) -> str:
    """The column that was meant.

    Raises:
        BadParameter: There is none, or it is something else already.
    """
    from honestly.seams import did_you_mean

    text = text.strip()
    if text == _NONE and what == "sample":
        return text
    if text == "*" and what in {"agent", "task"} and "*" not in said.values():
        return text
    if text not in names and text.isascii() and text.isdecimal() and 1 <= int(text) <= len(names):
        text = names[int(text) - 1]
    if text not in names:
        raise click.BadParameter(f"there is no column {without_controls(text)!r}{did_you_mean(text, names)}")
    if taken := [other for other, name in said.items() if name == text]:
        raise click.BadParameter(f"{without_controls(text)!r} is the {taken[0]} already; name another column")
    return text
