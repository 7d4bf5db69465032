"""An answer in at most twelve lines, however narrow the terminal: what matters least gives way, and is counted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

MOST_LINES = 12
_LEAST = 2
"""Lines that a text keeps which is cut short."""


@dataclass(frozen=True, slots=True)
class AtWidth:
    """A part that is made for the available width."""

    made: Callable[[int], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.made(options.max_width)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Parts of an answer, in order, and the line below them."""

    parts: Sequence[tuple[int, RenderableType]]
    """Each with its rank: 0 is always there, the largest goes first, of equal ones the last. Texts of rank 1 are cut
    short before one is left out."""
    last_line: Callable[[int], str]
    """The last line, of how many texts of rank 1 are cut short or left out."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        def height(part: RenderableType) -> int:
            return len(console.render_lines(part, options.update(height=None), pad=False))

        kept, cut = list(self.parts), 0
        while (over := sum(height(part) for _, part in kept) + height(self.last_line(cut)) - MOST_LINES) > 0:
            rank = max(rank for rank, _ in kept)
            at = max(place for place, part in enumerate(kept) if part[0] == rank)
            part = kept[at][1]
            cut += rank == 1 and not (isinstance(part, Text) and part.plain.endswith("…"))
            if rank == 0:
                break
            if rank == 1 and isinstance(part, Text) and (lines := height(part) - over) >= _LEAST:
                kept[at] = (rank, _shortened(part, console, options.max_width, min(lines, height(part) - 1)))
            else:
                del kept[at]
        yield from (part for _, part in kept)
        yield Text(self.last_line(cut), style="dim")


def _shortened(text: Text, console: Console, width: int, lines: int) -> Text:
    """The first lines of a text, the last with an ellipsis."""
    kept = text.wrap(console, width)[:lines]
    for line in kept:
        line.rstrip()
    shown = Text(" ").join(kept)
    return shown[: max(len(shown) - 1, 0)] + Text("…")
