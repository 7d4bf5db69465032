"""Scores over several studies, oldest first: one panel for each agent, model or harness, with the intervals.

Studies stand at equal distances under their numbers, which the table beside explains: their dates say less than their
order, and names of files have no room. Points of one study in one panel are agents that share the model or harness.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from honestly.show import Figure, percent_text, plural_text, printable_text_line
from honestly.show.drawing import (
    LEFT,
    LIGHT,
    SMALL,
    WIDTH,
    Canvas,
    Json,
    Scale,
    draw_head,
    empty_drawing,
    nice_ticks,
    padded_range,
    vega_lite,
)

_TITLE = "Honest score from study to study, in percent"
_CAPTION = (
    "Dots are honest scores, bars their intervals for new questions of this kind. Studies of other tasks are other "
    "measurements; of two studies of the same tasks, honestly stats diff says whether an agent changed."
)
_MOST_PANELS, _MOST_POINTS = 100, 240
_HIGH, _AROUND, _BETWEEN, _APART = 120.0, 62.0, 22.0, 9.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """One agent in one study."""

    series: str
    """Whose panel it stands in."""
    agent: str
    study: int
    """Place of its study, from 0."""
    score: float
    """Share of 1; NaN where not estimable."""
    low: float
    high: float


def trend_figure(studies: Sequence[str], points: Sequence[TrendPoint]) -> Figure:
    """Scores over studies: up to 100 panels with 240 points, those of the most studies and the highest scores first.

    Args:
        studies: their names, oldest first.
        points: one for each agent of each study.
    """
    panels: dict[str, list[TrendPoint]] = defaultdict(list)
    for point in points:
        panels[point.series].append(point)
    ranked = sorted(panels.items(), key=lambda each: (-len(each[1]), -_highest(each[1])))
    sizes = accumulate(len(held) for _, held in ranked)
    kept = {name for (name, _), size in zip(ranked[:_MOST_PANELS], sizes, strict=False) if size <= _MOST_POINTS}
    kept |= {name for name, _ in ranked[:1]}
    title = _TITLE if len(kept) == len(panels) else f"{_TITLE}: {len(kept)} of {len(panels)}"
    panels = {name: held for name, held in panels.items() if name in kept}
    points = [point for held in panels.values() for point in held]
    values: list[dict[str, Json]] = [
        {
            "series": printable_text_line(point.series),
            "agent": printable_text_line(point.agent),
            "study": f"{point.study + 1} {printable_text_line(studies[point.study])}",
            "score": point.score,
            "low": point.low,
            "high": point.high,
        }
        for point in points
    ]
    y: dict[str, Json] = {"type": "quantitative", "axis": {"format": "%"}, "title": None}
    x: dict[str, Json] = {"field": "study", "type": "ordinal", "title": None}
    colour = LIGHT["honest"]
    specification = vega_lite(
        title,
        _CAPTION,
        values,
        facet={"field": "series", "type": "nominal", "title": None},
        columns=3,
        spec={
            "width": 190,
            "height": 120,
            "layer": [
                {
                    "mark": {"type": "rule", "color": colour},
                    "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
                },
                {
                    "mark": {"type": "point", "filled": True, "color": colour},
                    "encoding": {"x": x, "y": {**y, "field": "score"}},
                },
            ],
        },
    )
    svg = _draw(title, studies, panels) if points else empty_drawing(title, "There are no scores.")
    return Figure("trend", title, _CAPTION, svg, specification)


def _highest(points: Sequence[TrendPoint]) -> float:
    return max((point.score for point in points if math.isfinite(point.score)), default=-1.0)


def _draw(title: str, studies: Sequence[str], panels: Mapping[str, Sequence[TrendPoint]]) -> str:
    columns = min(len(panels), 3)
    rows = math.ceil(len(panels) / columns)
    described = (
        f"{plural_text(len(studies), 'study', 'studies')}, {plural_text(len(panels), 'panel')}: {', '.join(panels)}."
    )
    canvas = Canvas(WIDTH, 46 + rows * (_HIGH + _AROUND), title, described)
    draw_head(canvas, title)
    canvas.name_rows(list(panels))
    drawn = [point for held in panels.values() for point in held]
    ticks = nice_ticks(*padded_range(value for point in drawn for value in (point.score, point.low, point.high)), 4)
    wide = (WIDTH - 2 * LEFT + _BETWEEN) / columns
    for number, (name, held) in enumerate(panels.items()):
        left, top = LEFT + number % columns * wide, 76 + number // columns * (_HIGH + _AROUND)
        canvas.text((left, top - 14), name, room=wide - _BETWEEN, size=SMALL, bold=True)
        across = Scale((-0.6, len(studies) - 0.4), (left + 34, left + wide - _BETWEEN))
        up = Scale((ticks[0], ticks[-1]), (top + _HIGH, top))
        for tick in ticks:
            canvas.add_line((left + 34, up(tick)), (left + wide - _BETWEEN, up(tick)), "grid")
            canvas.text((left + 29, up(tick) + 4), percent_text(tick, 0), anchor="end", size=SMALL, colour="muted")
        every = math.ceil(len(studies) / 12)
        for place in range(0, len(studies), every):
            canvas.text((across(place), top + _HIGH + 16), str(place + 1), anchor="middle", size=SMALL, colour="muted")
        _draw_points(canvas, studies, held, (across, up))
    return canvas.render()


def _draw_points(
    canvas: Canvas, studies: Sequence[str], held: Sequence[TrendPoint], scales: tuple[Scale, Scale]
) -> None:
    across, up = scales
    by_study: dict[int, list[TrendPoint]] = defaultdict(list)
    for point in held:
        by_study[point.study].append(point)
    if all(len(each) == 1 for each in by_study.values()):
        line = [(across(place), up(each[0].score)) for place, each in sorted(by_study.items())]
        canvas.add_polyline(line, "track")
    for place, each in by_study.items():
        for number, point in enumerate(each):
            x = across(place) + (number - (len(each) - 1) / 2) * _APART
            if math.isfinite(point.low) and math.isfinite(point.high):
                canvas.add_line((x, up(point.low)), (x, up(point.high)), "honest", width=2)
            if math.isfinite(point.score):
                ends = f"[{percent_text(point.low)}, {percent_text(point.high)}]"
                tip = f"{point.agent}, {studies[place]}: {percent_text(point.score)} {ends}"
                canvas.add_circle((x, up(point.score)), 4.2, "honest", tip=tip)
