"""Two agents task by task: how often each passed, as two dots that a line joins, and the difference of all."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from honestly.show import Figure, level_text, number_text, percent_text, points_text, printable_text_line, text_width
from honestly.show.drawing import (
    LEFT,
    ROW,
    SMALL,
    WIDTH,
    Canvas,
    Json,
    Scale,
    draw_axis,
    draw_head,
    empty_drawing,
    name_column,
    nice_ticks,
    percent_axis,
    row_names,
    vega_lite,
)

_TITLE = "The difference, and where it comes from"
_MOST = 40
_TOP = 168.0


class PairedTask(NamedTuple):
    """A task, and the shares of both agents' trials that passed."""

    task: str
    a: float
    b: float


def paired_figure(
    names: tuple[str, str],
    tasks: Sequence[PairedTask],
    difference: float | None,
    interval: tuple[float, float] | None,
    level: float = 0.95,
) -> Figure:
    """Two dots for each task on which they differ, the largest difference first, below the difference of all.

    Args:
        names: of the two agents, A first.
        tasks: all that both tried.
        difference: of the two scores, A less B, a fraction of 1; None where it cannot be estimated.
        interval: of the difference.
        level: coverage of the interval.
    """
    apart = sorted((each for each in tasks if each.a != each.b), key=lambda each: (each.b - each.a, each.task))
    shown = apart if len(apart) <= _MOST else [*apart[: _MOST // 2], *apart[-_MOST // 2 :]]
    even = len(tasks) - len(apart)
    caption = (
        f"Above, the difference over all {len(tasks):,} tasks with its {level_text(level)} interval: where it covers 0,"
        " the data cannot tell the two apart. Below, the tasks that differ, one line each: the share of each agent's "
        f"trials that passed. Tasks that ended alike ({even:,}) are not drawn."
    )
    if len(shown) < len(apart):
        caption += f" Of {len(apart):,} that differ the {len(shown)} largest differences are drawn."
    svg = (
        _draw(names, shown, difference, interval, level)
        if tasks
        else empty_drawing(_TITLE, "No task was tried by both.")
    )
    return Figure("paired", _TITLE, caption, svg, _vega_spec(caption, names, shown))


def _vega_spec(caption: str, names: tuple[str, str], tasks: Sequence[PairedTask]) -> dict[str, Json]:
    rows: list[dict[str, Json]] = [
        {"task": printable_text_line(each.task), "agent": printable_text_line(name), "passed": value}
        for each in tasks
        for name, value in zip(names, (each.a, each.b), strict=True)
    ]
    return vega_lite(
        _TITLE,
        caption,
        rows,
        width=480,
        mark={"type": "point", "filled": True, "size": 70, "opacity": 1},
        encoding={
            "x": {"field": "passed", "type": "quantitative", "axis": {"format": "%"}, "title": "passed"},
            "y": {"field": "task", "type": "nominal", "sort": None, "title": None},
            "color": {"field": "agent", "type": "nominal"},
        },
    )


def _draw(
    names: tuple[str, str],
    tasks: Sequence[PairedTask],
    difference: float | None,
    interval: tuple[float, float] | None,
    level: float,
) -> str:
    told = "; ".join(f"{each.task} {percent_text(each.a)}% and {percent_text(each.b)}%" for each in tasks[:_MOST])
    canvas = Canvas(WIDTH, _TOP + 34 + ROW * len(tasks), _TITLE, told)
    draw_head(canvas, _TITLE)
    _draw_difference(canvas, names, difference, interval, level)
    canvas.text((LEFT, 124), f"A  {names[0]}", room=WIDTH / 2 - 40, size=SMALL, bold=True, colour="honest")
    canvas.text((WIDTH / 2, 124), f"B  {names[1]}", room=WIDTH / 2 - 40, size=SMALL, bold=True, colour="visible")
    if not tasks:
        canvas.text((LEFT, _TOP + 10), "They did every task alike.", colour="muted")
        return canvas.render()
    labels = [each.task for each in tasks]
    room, bottom = name_column(labels), _TOP - 10 + ROW * len(tasks)
    scale = percent_axis(canvas, (0.0, 1.0), (LEFT + room + 24, WIDTH - LEFT - 60), (_TOP - 14, bottom))
    row_names(canvas, labels, room, _TOP)
    for row, each in enumerate(tasks):
        y = _TOP + row * ROW
        canvas.add_line((scale(each.a), y), (scale(each.b), y), "honest" if each.a > each.b else "visible", width=2)
        for name, value, colour in zip(names, (each.a, each.b), ("honest", "visible"), strict=True):
            canvas.add_circle((scale(value), y), 5, colour, tip=f"{name} at {each.task}: {percent_text(value)}%")
        canvas.text((WIDTH - LEFT, y + 4.2), points_text(each.a - each.b), anchor="end", size=SMALL, colour="muted")
    return canvas.render()


def _draw_difference(
    canvas: Canvas, names: tuple[str, str], difference: float | None, interval: tuple[float, float] | None, level: float
) -> None:
    """The difference on an axis of its own, from B's lead to A's."""
    if difference is None or not math.isfinite(difference):
        canvas.text((LEFT, 70), "The difference cannot be estimated.", colour="muted")
        return
    low, high = interval or (difference, difference)
    ticks = nice_ticks(min(low, 0.0), max(high, 0.0), 7)
    words = f"A − B in points, {level_text(level)} interval"
    scale = Scale((ticks[0], ticks[-1]), (LEFT + text_width(words, SMALL) + 24, WIDTH - LEFT - 120))
    draw_axis(canvas, [(scale(tick), number_text(100 * tick, 0)) for tick in ticks], (48, 84))
    canvas.text((LEFT, 70), words, size=SMALL, colour="muted")
    canvas.add_line((scale(0.0), 44), (scale(0.0), 86), "ink", width=1)
    canvas.add_line((scale(low), 66), (scale(high), 66), "honest", width=3)
    for end in (low, high):
        canvas.add_line((scale(end), 60), (scale(end), 72), "honest", width=2)
    canvas.add_circle(
        (scale(difference), 66), 6, "honest", tip=f"{names[0]} less {names[1]}: {points_text(difference)}"
    )
    canvas.text((WIDTH - LEFT, 70), f"{points_text(difference)}", anchor="end", size=15, bold=True)
