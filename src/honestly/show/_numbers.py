"""The look of tables of numbers: a column of names, which gives way, and columns beside it, which never do."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table
from rich.text import Text

from honestly.show._names import short_names
from honestly.show._text import printable_text_line

_LEAST = 12


class FittingTable(Table):
    """A table that leaves its last columns out where there is no room for them, and says which."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The columns that fit; the first two stay, whatever the room."""
        shown, left_out = copy(self), list[str]()
        shown.columns = list(self.columns)
        gap = self.padding[1] + self.padding[3]
        while (
            len(shown.columns) > 2 and sum(_least_width(each) + gap for each in shown.columns) - gap > options.max_width
        ):
            left_out.insert(0, str(shown.columns.pop().header))
        yield from Table.__rich_console__(shown, console, options)
        if left_out:
            yield dim_line(f"Columns left out: {', '.join(left_out)} (narrow terminal; see --json)")


def _least_width(column: Column) -> int:
    """Cells that a column needs: all of a number, some of a name."""
    lines = [line for text in (column.header, *column.cells) for line in str(text).splitlines()]
    widest = max(map(cell_len, lines), default=0)
    return widest if column.no_wrap else min(widest, _LEAST)


def numbers_table(
    title: str, widths: Mapping[str, int], rows: Iterable[Sequence[str]], room: int, *, left: Collection[str] = ()
) -> Table:
    """A table whose texts may hold names from other people's files.

    Args:
        title: above it.
        widths: the columns: what their values need at least, characters. The first holds names; it has what the others
            leave of the room. Names that are longer are shortened so that no two look alike.
        rows: their texts; a row with a single one is a heading, which is wrapped.
        room: width of what it is shown in, characters.
        left: columns that hold words; the others are set to the right.
    """
    first, *others = widths
    table = FittingTable(
        title=Text(printable_text_line(title)) if title else None,
        box=None,
        title_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    taken = sum(max(widths[name], len(name)) + 1 for name in others)
    left_over = max(_LEAST, room - taken - 1)
    table.add_column(first, overflow="fold", max_width=left_over)
    for name in others:
        table.add_column(name, justify="left" if name in left else "right", no_wrap=True, min_width=widths[name])
    texts = [[printable_text_line(cell) if cell else "" for cell in row] for row in rows]
    names = short_names(dict.fromkeys(row[0] for row in texts if len(row) > 1), left_over)
    for row in texts:
        cells = [Text(names.get(text, text) if n == 0 else text) for n, text in enumerate(row)]
        table.add_row(*cells, style="bold" if len(cells) == 1 and not row[0].startswith(" ") else "")
    return table


def dim_line(text: str) -> Text:
    """A line below a table."""
    return Text(printable_text_line(text), style="dim")


def hundredths_text(share: float, *, signed: bool = False, none: str = "") -> str:
    """A share as percent: `58.8`; `none` where it is not known."""
    return none if math.isnan(share) else f"{100 * share:{'+' if signed else ''}.1f}"


def interval_text(low: float, high: float, *, digits: int = 1, signed: bool = False, none: str = "") -> str:
    """An interval of shares in percent: `[50.1, 60.3]`; `none` where it is not known."""
    form = f"{'+' if signed else ''}.{digits}f"
    return none if math.isnan(low) else f"[{100 * low:{form}}, {100 * high:{form}}]"
