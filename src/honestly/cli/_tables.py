"""The look of tables in a terminal: a column of names, which gives way, and columns beside it, which never do."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from honestly.cli._options import plain

__all__ = ["numbers_table"]

_LEAST = 12


def numbers_table(title: str, first: str, widths: Mapping[str, int], *, left: Collection[str] = ()) -> Table:
    """A table without rows.

    Args:
        title: may hold names from other people's files.
        first: heading of the column of names, which has what the others leave of the terminal, and loses its ends.
        widths: the other columns: what their values need at least, characters.
        left: those of them that hold words; the rest is set to the right.
    """
    table = Table(title=escape(plain(title)), box=None, title_justify="left", pad_edge=False, padding=(0, 1, 0, 0))
    taken = sum(max(width, len(name)) + 1 for name, width in widths.items())
    table.add_column(first, overflow="ellipsis", no_wrap=True, max_width=max(_LEAST, Console().width - taken - 1))
    for name, width in widths.items():
        table.add_column(name, justify="left" if name in left else "right", no_wrap=True, min_width=width)
    return table
