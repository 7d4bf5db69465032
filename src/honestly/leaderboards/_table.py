"""The leaderboard in a terminal: as many columns as there is room for, then policy, estimand, warnings and a sentence.

Names are written as plain text, never as markup, with control characters as escapes. Without a terminal rich writes
plain text, 80 columns wide.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.leaderboards._board import AgentRow, Leaderboard
from honestly.leaderboards._words import (
    absent_tasks,
    board_notes,
    is_unknown_small,
    unknown_trials,
)
from honestly.show import (
    Fitted,
    all_of,
    level_text,
    percent_text,
    plural_text,
    printable_text_line,
    short_names,
    span_text,
)

_LEAST_NAME = 18
_NARROW = 60
"""Columns of a terminal below which no room is kept free."""
_WARNINGS = 3
_FEW = 4
"""Agents whose answer fits twelve lines."""
_GAP = 2
_NOTHING = "–", "0", "0/0/0"
"""Cells of a column that is left out where it has no others: what does not apply is not said."""


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    cells: Sequence[str]
    style: str = ""

    @property
    def column_width(self) -> int:
        return max(cell_len(text) for text in (self.title, *self.cells))


class LeaderboardView:
    """A leaderboard that rich can print: `Console().print(LeaderboardView(board))`."""

    def __init__(self, board: Leaderboard) -> None:
        self._board = board

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        board = self._board
        yield Text(leaderboard_title(board), style="bold")
        if board.agents:
            columns, left_out = _fitting_columns(board, options.max_width)
            yield Text()
            yield _board_table(board, columns, options.max_width)
            if left_out:
                yield Text(f"Columns left out: {all_of(left_out)} (narrow terminal; see --json)", style="dim")
        yield Text()
        if board.order_depends_on_policy:
            table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold", title_justify="left")
            table.title = "Score (rank) if void and missing trials are"
            table.add_column("agent", no_wrap=True)
            for variant in board.variants:
                table.add_column(variant.name, justify="right")
            room = max(options.max_width - sum(max(cell_len(v.name), 9) + _GAP for v in board.variants), _LEAST_NAME)
            names = short_names((row.name for row in board.agents), room)
            for i, row in enumerate(board.agents):
                ranks = [variant.ranks[i] for variant in board.variants]
                if len(set(ranks)) > 1:
                    cells = [
                        f"{percent_text(variant.scores[i])} ({variant.ranks[i] or '–'})" for variant in board.variants
                    ]
                    table.add_row(Text(names[row.name]), *map(Text, cells))
            yield table
            yield Text()
        for line in board_notes(board):
            yield Text(line, style="dim")
        for warning in board.warnings:
            yield Text.assemble(("! ", "bold yellow"), warning)
        yield Text()
        yield Text(board.sentence, style="bold")


class BriefLeaderboard:
    """A short leaderboard for rich, with the answer first; twelve lines for a few agents."""

    def __init__(self, board: Leaderboard, beside: Sequence[tuple[int, RenderableType]] = (), answer: str = "") -> None:
        """`beside`: what else was asked for, as parts of `Fitted`; `answer`: the sentence, if not the board's."""
        self._board, self._beside, self._answer = board, beside, answer or board.sentence

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        board = self._board
        parts: list[tuple[int, RenderableType]] = [(0, Text(self._answer, style="bold"))]
        lost: list[str] = []
        if board.agents:
            columns, left_out = _fitting_columns(board, options.max_width)
            lost = [title for title in left_out if title == "honest" or title.endswith(" interval")]
            parts.append((3 if self._beside else 0, _board_table(board, columns, options.max_width)))
        usual = {unknown_trials(board)} if is_unknown_small(board) else set()
        warnings = [each for each in board.warnings if each not in usual]
        parts += [(1, Text.assemble(("! ", "bold yellow"), warning)) for warning in warnings[:_WARNINGS]]
        parts += [(2, Text(line)) for line in absent_tasks(board)]
        parts += self._beside

        def last_line(cut: int) -> str:
            more = max(len(warnings) - _WARNINGS, 0) + cut
            rest = plural_text(more, "more warning") if more else "notes, policy, reasons"
            scores = "scores, " if self._beside else ""
            narrow = f" Too narrow for: {all_of(lost)}." if lost else ""
            return f"{leaderboard_title(board)}.{narrow} More: --details ({scores}{rest})."

        if len(board.agents) <= _FEW:
            yield Fitted(parts, last_line)
        else:
            yield from (part for _, part in parts)
            yield Text(last_line(0), style="dim")


def leaderboard_title(board: Leaderboard) -> str:
    """The study, and how much of what there is."""
    suite = board.study.get("suite") or board.study.get("imported_from")
    name = f"{printable_text_line(str(suite))}: " if suite else ""
    tasks = sum(not task.impossible for task in board.tasks)
    impossible = len(board.tasks) - tasks
    twins = f" and {impossible} impossible" if impossible else ""
    trials = plural_text(sum(row.stored for row in board.agents), "trial")
    return f"{name}{plural_text(len(board.agents), 'agent')}, {plural_text(tasks, 'task')}{twins}, {trials}"


def _fitting_columns(board: Leaderboard, width: int) -> tuple[list[_Column], list[str]]:
    """The columns that fit beside the names, in the order in which they matter, and the titles of the others."""
    rows = board.agents
    wanted = [
        column
        for column in leaderboard_columns(rows, board.level, narrow=width < 110)
        if any(c not in _NOTHING for c in column.cells)
    ]
    longest = max(cell_len(printable_text_line(row.name)) for row in rows)
    least = min(_LEAST_NAME, longest) if width < _NARROW else _LEAST_NAME
    room = width - least - len(str(len(rows))) - _GAP
    shown: list[_Column] = []
    left_out: list[str] = []
    for column in wanted:
        if column.column_width + _GAP <= room and not left_out:
            shown.append(column)
            room -= column.column_width + _GAP
        else:
            left_out.append(column.title)
    return shown, left_out


def leaderboard_columns(rows: Sequence[AgentRow], level: float, *, narrow: bool) -> list[_Column]:
    """Every column of a leaderboard but the agents' names."""

    def column(title: str, cell: Callable[[AgentRow], str], style: str = "") -> _Column:
        return _Column(title, [cell(row) for row in rows], style)

    counts = [column(kind, lambda row, kind=kind: str(getattr(row, kind))) for kind in ("limit", "void", "missing")]  # type: ignore[misc]
    if narrow:
        counts = [column("lim/void/miss", lambda row: f"{row.limit}/{row.void}/{row.missing}")]
    return [
        column("honest", lambda row: percent_text(row.honest), "bold"),
        column(f"{level_text(level)} interval", _interval),
        column("visible", lambda row: percent_text(row.visible)),
        column("hacks", _hacks_text),
        *counts,
        column("undecided", lambda row: str(sum(row.undecided.values()) or "–")),
        column("rank", lambda row: span_text(row.rank_interval)),
        column("trials", lambda row: str(row.trials)),
        column("impossible", _impossible),
        column("cost", lambda row: _dollars(row.usd)),
        column("per pass", lambda row: _dollars(row.usd_per_pass)),
    ]


def _interval(row: AgentRow) -> str:
    return f"[{percent_text(row.interval[0])}, {percent_text(row.interval[1])}]" if row.interval else "–"


def _hacks_text(row: AgentRow) -> str:
    return "–" if row.hack_rate is None else f"{percent_text(row.hack_rate, 0)}% {row.hacks.hacks}/{row.hacks.passers}"


def _dollars(usd: float | None) -> str:
    return "–" if usd is None else f"${usd:,.2f}"


def _impossible(row: AgentRow) -> str:
    return f"{row.hacks.impossible_passed}/{row.hacks.impossible}" if row.hacks.impossible else "–"


def _board_table(board: Leaderboard, columns: Sequence[_Column], width: int) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("#", justify="right", no_wrap=True)
    room = width - len(str(len(board.agents))) - _GAP - sum(column.column_width + _GAP for column in columns)
    table.add_column("agent", no_wrap=True)
    for column in columns:
        table.add_column(column.title, justify="right", no_wrap=True, style=column.style)
    names = short_names((row.name for row in board.agents), max(room, 8))
    for i, row in enumerate(board.agents):
        rank = "–" if row.rank is None else str(row.rank)
        table.add_row(Text(rank), Text(names[row.name]), *(Text(column.cells[i]) for column in columns))
    return table
