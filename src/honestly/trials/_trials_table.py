"""Trials in a terminal: one line each, as many columns as there is room for; what no trial has is left out."""

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from honestly.records import Outcome
from honestly.show import number_text, plural_text, printable_text_line, short_names
from honestly.trials._row import TrialRow

_GAP, _ID = 2, 8
_LEAST_NAME, _LEAST_REASON = 12, 16
_STYLES = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.LIMIT: "yellow", Outcome.VOID: "magenta"}
_MARKS = {None: "", True: "pass", False: "fail"}


def _tokens(row: TrialRow) -> str:
    known = [part for part in (row.input_tokens, row.output_tokens) if part is not None]
    return f"{sum(known):,}" if known else ""


_CELLS: tuple[tuple[str, str, Callable[[TrialRow], str]], ...] = (
    ("outcome", "left", lambda row: row.ending),
    ("grade", "right", lambda row: "" if row.score is None else f"{row.score:.2f}"),
    ("s", "right", lambda row: str(row.sample)),
    ("visible", "left", lambda row: _MARKS[row.visible]),
    ("hidden", "right", lambda row: row.checks + ("!" if row.tampered else "")),
    ("tries", "right", lambda row: str(row.attempts) if row.attempts > 1 else ""),
    ("seconds", "right", lambda row: number_text(row.seconds, none="")),
    ("tokens", "right", _tokens),
    ("cost", "right", lambda row: "" if row.usd is None else f"${row.usd:,.3f}"),
)
"""The columns of few characters, the most important first: the last ones give way where there is no room."""


def trials_table(rows: Sequence[TrialRow], total: int, width: int) -> Iterator[RenderableType]:
    """The trials, in a terminal of so many columns.

    Args:
        rows: what is shown.
        total: how many there are.
        width: cells.
    """
    more = f", the first {len(rows):,}" if len(rows) < total else ""
    yield Text(f"{plural_text(total, 'trial')}{more}", style="bold")
    if not rows:
        return
    columns = [(title, side, [cell(row) for row in rows]) for title, side, cell in _CELLS]
    columns = [column for column in columns if any(column[2])]
    reasons = [" ".join(row.reason[:400].split()) for row in rows]
    reasons = [printable_text_line(text) if text else "" for text in reasons]
    least = _ID + 2 * (_LEAST_NAME + _GAP)
    left_out: list[str] = []
    if any(reasons) and least + _LEAST_REASON + _GAP + _columns_width(columns[:1]) > width:
        reasons, left_out = [""] * len(rows), ["reason"]
    least += _LEAST_REASON + _GAP if any(reasons) else 0
    while len(columns) > 1 and least + _columns_width(columns) > width:  # the outcome stays; names give way to it
        left_out.insert(0, columns.pop()[0])
    longest = max(map(cell_len, reasons))
    room = width - _ID - _columns_width(columns) - (3 + bool(longest)) * _GAP
    agents, tasks, rest = _shown_names(rows, room, longest)
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for title in ("id", "agent", "task"):
        table.add_column(title, no_wrap=True)
    for title, side, _ in columns:
        table.add_column(title, justify="right" if side == "right" else "left", no_wrap=True)
    if any(reasons):
        table.add_column("reason", no_wrap=True)
    for place, row in enumerate(rows):
        cells = [
            Text(cells[place], style=_STYLES[row.outcome] if title == "outcome" else "") for title, _, cells in columns
        ]
        said = [Text(_headed(reasons[place], rest))] if any(reasons) else []
        table.add_row(Text(row.id[:_ID]), Text(agents[row.agent]), Text(tasks[row.task]), *cells, *said)
    yield table
    if any(row.tampered for row in rows):
        yield Text("! tampered with its judge", style="dim")
    if left_out:
        yield Text(f"Columns left out: {', '.join(left_out)} (narrow terminal; see --json)", style="dim")


def _columns_width(columns: Sequence[tuple[str, str, list[str]]]) -> int:
    return sum(max(map(cell_len, (title, *cells))) + _GAP for title, _, cells in columns)


def _shown_names(rows: Sequence[TrialRow], room: int, said: int) -> tuple[dict[str, str], dict[str, str], int]:
    """The short names of agents and tasks, and the cells left for reasons, of at most `said` cells: a
    third if need be.
    """
    given = {"agent": [row.agent for row in rows], "task": [row.task for row in rows]}
    needed = {
        title: max(cell_len(printable_text_line(text)) for text in [title, *names]) for title, names in given.items()
    }
    both = max(_LEAST_NAME, room - min(said, max(_LEAST_REASON, room // 3)))
    short = min(needed, key=lambda title: needed[title])
    widths = {title: min(need, both // 2 if title == short else both) for title, need in needed.items()}
    widths |= {title: min(need, both - widths[short]) for title, need in needed.items() if title != short}
    agents, tasks = (short_names(names, widths[title]) for title, names in given.items())
    used = sum(max(map(cell_len, (title, *found.values()))) for title, found in (("agent", agents), ("task", tasks)))
    return agents, tasks, max(4, room - used)


def _headed(text: str, room: int) -> str:
    """The beginning of a text that is too long: of a reason it says most."""
    if cell_len(text) <= room:
        return text
    while text and cell_len(text) >= room:
        text = text[:-1]
    return f"{text}…"
