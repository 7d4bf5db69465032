"""The attempts of a loop, one row each, and their curve: what was tried, what it scored, where the search went on from.

Scores are those that decided, so that those of kept attempts are too good; the proof measures the last one again.
"""

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.improve._declare import Target
from honestly.improve._journal import State
from honestly.show import Figure, Figures, FittingTable, Shown, number_text, printable_text_line
from honestly.show.drawing import (
    LEFT,
    LIGHT,
    SMALL,
    WIDTH,
    Canvas,
    Key,
    Scale,
    draw_head,
    empty_drawing,
    nice_ticks,
    vega_lite,
)

_CAPTION = "Dots are attempts by the scores that decided; the line is what the search went on from, as it was selected."
_HIGH, _WIDE = 220.0, 48


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt; 0 is the unchanged project. None is what was not measured."""

    attempt: int
    id: str
    parent: str
    agent: str
    status: str
    kept: bool
    score: float | None
    best: float | None
    """The score of what the search went on from after it."""
    gain: float | None
    """Over what was the best, positive where it is better."""
    pairs: int
    seconds: float
    """Of the agent."""
    usd: float | None
    why: str


@dataclass(frozen=True, slots=True, repr=False)
class AttemptTable(Shown):
    """The attempts of a loop, in order."""

    main_table: ClassVar[str] = "attempts"

    metric: str
    direction: str
    attempts: tuple[AttemptRow, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        table = FittingTable(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        for name in ("attempt", printable_text_line(self.metric), "gain"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
        table.add_column("why")
        for row in self.attempts:
            gain = "" if row.gain is None else number_text(row.gain, 4, sign=True)
            word = "kept" if row.kept and row.attempt else row.status if row.status != "ok" else ""
            table.add_row(f"{row.attempt}", _score_text(row.score), gain, word, printable_text_line(row.why))
        yield table
        for line in curve_lines([row.best for row in self.attempts]):
            yield Text(line)

    @property
    def figures(self) -> Figures:
        """The curve."""
        return Figures([attempt_curve(self)])

    def as_tsv(self) -> str:
        """The rows as tab-separated values, with a head."""
        text = io.StringIO()
        rows = csv.writer(text, "excel-tab", lineterminator="\n")
        rows.writerow([field.name for field in fields(AttemptRow)])
        rows.writerows(astuple(row) for row in self.attempts)
        return text.getvalue()


def attempt_table(target: Target, state: State) -> AttemptTable:
    """The attempts of a run so far."""
    rows, best = list[AttemptRow](), None
    for (arm, n), decided in sorted(state.decided.items()):
        if arm != "loop":
            continue
        best = decided.score if decided.kept else best
        made = state.proposed.get((arm, n))
        rows.append(
            AttemptRow(
                n, decided.id, made.parent if made else "", made.agent if made else "", decided.status, decided.kept,
                decided.score, best, decided.gain, decided.pairs, made.seconds if made else 0.0,
                made.usage.usd if made else None, " ".join(decided.why.split()),
            )
        )  # fmt: skip
    said = target.declaration
    return AttemptTable(said.metric, said.direction, tuple(rows))


def curve_lines(best: list[float | None]) -> Iterator[str]:
    """A curve of plain characters, one column for some attempts; nothing where there is nothing to see."""
    known = [value for value in best if value is not None]
    if len(known) < 2 or min(known) == max(known):
        return
    step = math.ceil(len(known) / _WIDE)
    columns, low, high, rows = known[step - 1 :: step], min(known), max(known), 5
    yield ""
    for row in range(rows, -1, -1):
        label = _score_text(high) if row == rows else _score_text(low) if row == 0 else ""
        marks = "".join("*" if round((value - low) / (high - low) * rows) == row else " " for value in columns)
        yield f"{label:>10} |{marks}".rstrip()
    yield f"{'':>10} +{'-' * len(columns)}  what the search went on from, {step} attempts a column"


def attempt_curve(found: AttemptTable) -> Figure:
    """Scores by attempt, with what was kept as a line."""
    title = f"{printable_text_line(found.metric)} of each attempt ({found.direction} is better)"
    rows = [row for row in found.attempts if row.score is not None and row.best is not None]
    values = [{"attempt": row.attempt, "score": row.score, "best": row.best, "kept": row.kept} for row in rows]
    specification = vega_lite(
        title,
        _CAPTION,
        values,
        encoding={"x": {"field": "attempt", "type": "quantitative"}},
        layer=[
            {"mark": "point", "encoding": {"y": {"field": "score", "type": "quantitative", "scale": {"zero": False}}}},
            {
                "mark": {"type": "line", "interpolate": "step-after", "color": LIGHT["honest"]},
                "encoding": {"y": {"field": "best", "type": "quantitative"}},
            },
        ],
    )
    return Figure("attempts", title, _CAPTION, _drawing(title, rows), specification)


def _drawing(title: str, rows: list[AttemptRow]) -> str:
    if len(rows) < 2:
        return empty_drawing(title, "A curve needs an attempt with a score.")
    scores, bests = [float(row.score or 0) for row in rows], [float(row.best or 0) for row in rows]
    canvas = Canvas(WIDTH, _HIGH + 110, title, _CAPTION)
    draw_head(canvas, title, [Key("attempt", "grid", "dot"), Key("what the search went on from", "honest", "line")])
    ticks = nice_ticks(min(scores), max(scores))
    y, x = Scale((ticks[0], ticks[-1]), (_HIGH + 65, 65)), Scale((0, rows[-1].attempt), (LEFT + 60, WIDTH - LEFT))
    for tick in ticks:
        canvas.add_line((LEFT + 60, y(tick)), (WIDTH - LEFT, y(tick)), "grid")
        canvas.text((LEFT + 52, y(tick) + 4), number_text(tick, 3), anchor="end", size=SMALL, colour="muted")
    for tick in (each for each in nice_ticks(0, rows[-1].attempt) if each <= rows[-1].attempt and each == int(each)):
        canvas.text((x(tick), _HIGH + 84), f"{tick:.0f}", anchor="middle", size=SMALL, colour="muted")
    for row, score in zip(rows, scores, strict=True):
        canvas.add_circle((x(row.attempt), y(score)), 3.0, "honest" if row.kept else "muted")
    steps = [(x(rows[0].attempt), y(bests[0]))]
    for row, best in zip(rows[1:], bests[1:], strict=True):
        steps += [(x(row.attempt), steps[-1][1]), (x(row.attempt), y(best))]
    canvas.add_polyline(steps, "honest")
    return canvas.render()


def _score_text(score: float | None) -> str:
    return "-" if score is None else f"{score:.5g}"
