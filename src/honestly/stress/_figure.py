"""Forests of stress rates and of the differences between prompt arms: one figure for each set and measure.

Sets are never drawn on one axis, since they are never to be compared. A line of the difference forest that crosses the
line at zero cannot be told from chance; in the forest of rates, overlapping lines say nothing of the kind.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from honestly.show import Figure, level_text, percent_text, points_text, printable_text_line, text_width
from honestly.show.drawing import (
    LEFT,
    LIGHT,
    ROW,
    SMALL,
    WIDTH,
    Canvas,
    Json,
    Scale,
    draw_axis,
    draw_head,
    name_column,
    nice_ticks,
    padded_range,
    percent_axis,
    row_names,
    vega_lite,
)
from honestly.stress._paired import Differential
from honestly.stress._rates import DisclosedRate, Unmeasured

_RATES = (
    "Dots are means over tasks; lines are {level} intervals for new tasks of this kind, of the trials that could be "
    "read. Whether two rows differ is not seen from overlapping lines, but from the paired differences."
)
_DIFFERENCES = (
    "Dots are mean differences over the tasks that both arms were tried on, with the same seeds; lines are {level} "
    "intervals, each taken alone. A line that crosses zero cannot be told from chance."
)


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    value: float
    low: float
    high: float
    text: str


def rate_figures(rates: Iterable[DisclosedRate | Unmeasured], differences: Iterable[Differential] = ()) -> list[Figure]:
    """The forests of these rates, and of these differences.

    Args:
        rates: of any number of sets and measures; what could not be measured is left out.
        differences: of any number of sets.
    """
    figures: list[Figure] = []
    told = [rate for rate in rates if isinstance(rate, DisclosedRate)]
    for suite, measure in dict.fromkeys((rate.suite, rate.measure) for rate in told):
        group = [rate for rate in told if (rate.suite, rate.measure) == (suite, measure)]
        rows = [_rate_row(rate) for rate in group]
        caption = _RATES.format(level=level_text(group[0].level))
        figures.append(_rates_figure("rates", f"{suite}: {measure}, in percent", caption, rows, signed=False))
    every = list(differences)
    for suite in dict.fromkeys(each.suite for each in every):
        own = [each for each in every if each.suite == suite and math.isfinite(each.paired.difference)]
        if own:
            caption = _DIFFERENCES.format(level=level_text(own[0].paired.level))
            title = f"{suite}: what the prompt changes, in points"
            figures.append(_rates_figure("arms", title, caption, [_difference_row(each) for each in own], signed=True))
    return figures


def _rate_row(rate: DisclosedRate) -> _Row:
    who = f"{rate.agent}{f'#{rate.checkpoint}' if rate.checkpoint else ''}, {rate.arm}"
    text = (
        f"{percent_text(rate.rate)}  [{percent_text(rate.low)}, {percent_text(rate.high)}]  {rate.found} of "
        f"{rate.trials}"
    )
    return _Row(who, rate.rate, rate.low, rate.high, text)


def _difference_row(each: Differential) -> _Row:
    who = f"{each.agent}{f'#{each.checkpoint}' if each.checkpoint else ''}"
    paired = each.paired
    text = f"{points_text(paired.difference)}  [{points_text(paired.low)}, {points_text(paired.high)}]"
    name = f"{who}: {each.measure.partition(' ')[0]}, {each.arm} - {each.against}"
    return _Row(name, paired.difference, paired.low, paired.high, text)


def _rates_figure(kind: str, title: str, caption: str, rows: Sequence[_Row], *, signed: bool) -> Figure:
    name = f"{kind}-{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')[:60]}"
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    canvas = Canvas(WIDTH, 84 + ROW * len(rows), title, described)
    draw_head(canvas, title)
    names = [row.name for row in rows]
    room, top, edge = name_column(names), 58.0, WIDTH - LEFT
    right = edge - max(text_width(row.text, SMALL) for row in rows) - 18
    place, y = (LEFT + room + 16, right), (top - 14, top - 10 + ROW * len(rows))
    if signed:
        # Grid lines in points, zero among them and drawn through.
        finite = [value for row in rows for value in (row.value, row.low, row.high) if math.isfinite(value)]
        ticks = nice_ticks(min(-0.05, *finite), max(0.05, *finite))
        scale = Scale((ticks[0], ticks[-1]), place)
        draw_axis(canvas, [(scale(tick), points_text(tick, 0)) for tick in ticks], y)
        canvas.add_line((scale(0.0), y[0]), (scale(0.0), y[1]), "muted")
    else:
        span = padded_range(value for row in rows for value in (row.value, row.low, row.high))
        scale = percent_axis(canvas, span, place, y)
    row_names(canvas, names, room, top)
    for number, row in enumerate(rows):
        middle = top + number * ROW
        if math.isfinite(row.low) and math.isfinite(row.high):
            canvas.add_line((scale(row.low), middle), (scale(row.high), middle), "honest", width=2)
        canvas.add_circle((scale(row.value), middle), 4.6, "honest", tip=f"{row.name}: {row.text}")
        canvas.text((edge, middle + 4.2), row.text, anchor="end", size=SMALL)
    return Figure(name, title, caption, canvas.render(), _vega_spec(title, caption, rows))


def _vega_spec(title: str, caption: str, rows: Sequence[_Row]) -> dict[str, Json]:
    values: list[dict[str, Json]] = [
        {"row": printable_text_line(row.name), "value": row.value, "low": row.low, "high": row.high} for row in rows
    ]
    x: dict[str, Json] = {"type": "quantitative", "axis": {"format": "%"}, "title": None}
    colour = LIGHT["honest"]
    order: Json = [value["row"] for value in values]
    return vega_lite(
        printable_text_line(title),
        caption,
        values,
        width=480,
        encoding={"y": {"field": "row", "type": "nominal", "scale": {"domain": order}, "title": None}},
        layer=[
            {
                "mark": {"type": "rule", "color": colour, "strokeWidth": 2},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "opacity": 1, "color": colour, "size": 70},
                "encoding": {"x": {**x, "field": "value"}},
            },
        ],
    )
