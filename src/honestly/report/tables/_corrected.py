"""What stands of the scores, in a terminal: the sentence, the agents whose score changes, and what was read."""

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.report._corrected import CorrectedRow, CorrectedScore, CorrectedScores
from honestly.report._text import percent, plural, printable, shorten

_COLUMNS = ("published", "tests ran", "not flagged", "unread")
_WIDTH = 13
_LEAST_NAME = 16


class CorrectedView:
    """Corrected scores that rich can print: `Console().print(CorrectedView(corrected))`."""

    def __init__(self, corrected: CorrectedScores) -> None:
        self._corrected = corrected

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        found = self._corrected
        yield Text("What stands of these scores", style="bold")
        yield Text(found.sentence)
        changed = [row for row in found.agents if row.changed]
        if changed:
            yield _table(changed, options.max_width)
        rest = len(found.agents) - len(changed)
        if rest:
            yield Text(f"Nothing is taken off the {'other ' if changed else ''}{plural(rest, 'agent')}.", style="dim")
        yield Text(_unread(found), style="dim")
        for note in found.notes:
            yield Text.assemble(("! ", "bold yellow"), note)


def _unread(found: CorrectedScores) -> str:
    share = "Every trial could be read."
    if found.unread_share:
        share = f"{percent(found.unread_share)}% of the trials could not be read, and stand as they are."
    return f"By {plural(len(found.detectors), 'detector')}. {share} A flag is a reason to look, not a verdict."


def _table(rows: list[CorrectedRow], width: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("agent", no_wrap=True)
    for title in _COLUMNS:
        table.add_column(title, justify="right", no_wrap=True)
    room = max(_LEAST_NAME, width - (_WIDTH + 2) * (len(_COLUMNS) - 1) - 8)
    for row in rows:
        name = shorten(printable(row.name), room, cell_len)
        scores = [_score(each) for each in (row.published, row.ran, row.unflagged)]
        unread = percent(row.unread / row.trials, 0) + "%" if row.trials else "–"
        table.add_row(Text(name), *map(Text, [*scores, unread]))
    return table


def _score(score: CorrectedScore) -> str:
    return f"{percent(score.score)} ({score.passes})"
