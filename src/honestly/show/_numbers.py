"""The look of tables of numbers: a column of names, which gives way, and columns beside it, which never do."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from honestly.show._names import short_names
from honestly.show._text import printable_text_line

_LEAST = 12


def numbers_table(
    title: str,
    widths: Mapping[str, int],
    rows: Iterable[Sequence[str]],
    room: int,
    *,
    left: Collection[str] = (),
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
    table = Table(
        title=Text(printable_text_line(title)) if title else None,
        box=None,
        title_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    taken = sum(max(widths[name], len(name)) + 1 for name in others)
    left_over = max(_LEAST, room - taken - 1)
    narrow = room - taken - 1 < _LEAST  # names of a fixed width do not shrink alone, down to nothing
    table.add_column(first, overflow="fold", max_width=left_over, width=_LEAST if narrow else None)
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
