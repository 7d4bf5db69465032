"""Agents against questions: one cell for each pair, darker the more samples passed.

Agents stand by score, questions by difficulty (the easiest at the left). A benchmark that measures ability shows a
staircase; columns that break it are the questions to look at. Cells of one shade are one path, so that a study of 40
agents and 500 questions stays a small file. Above `_MOST_COLUMNS` columns or `_MOST_CELLS` cells, neighbouring
questions are averaged in groups.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from honestly.show import Figure, number_text, percent_text, plural_text, printable_text_line, text_width
from honestly.show.drawing import (
    LEFT,
    LIGHT,
    SMALL,
    WIDTH,
    Canvas,
    Json,
    Key,
    draw_head,
    empty_drawing,
    name_column,
    vega_lite,
)

_TITLE = "Agents by questions: share of samples that passed"
_CAPTION = (
    "Agents by score, questions from easy to hard. A suite that measures one ability shows a staircase; columns that "
    "break it deserve a look."
)
_MOST_COLUMNS, _MOST_CELLS = 260, 8000
_LEVELS = 10
_WIDEST = 60.0
_BESIDE = 400.0

Floats = NDArray[np.float64]


def heatmap_figure(names: Sequence[str], questions: Sequence[str], scores: Floats) -> Figure:
    """Question means of all agents.

    Args:
        names: agents, any order.
        questions: ids of the questions, any order.
        scores: question means, 0 to 1, shape (agents, questions); NaN where a cell has no counted sample.
    """
    if not names or not questions:
        return Figure(
            "heatmap", _TITLE, _CAPTION, empty_drawing(_TITLE, "There are no trials."), _vega_spec([], [], scores)
        )
    by_score = np.argsort(-_finite_means(scores, 1), kind="stable")
    by_ease = np.argsort(-_finite_means(scores, 0), kind="stable")
    ordered = scores[np.ix_(by_score, by_ease)]
    sorted_names, sorted_questions = [names[i] for i in by_score], [questions[i] for i in by_ease]
    svg = _draw(sorted_names, sorted_questions, ordered)
    return Figure("heatmap", _TITLE, _CAPTION, svg, _vega_spec(sorted_names, sorted_questions, ordered))


def _finite_means(values: Floats, axis: int) -> Floats:
    """Means over the finite values; -1 where there are none, which sorts them last."""
    known = np.isfinite(values)
    counts = known.sum(axis)
    sums = np.where(known, values, 0.0).sum(axis)
    return np.where(counts > 0, sums / np.maximum(counts, 1), -1.0)


def _vega_spec(names: Sequence[str], questions: Sequence[str], scores: Floats) -> dict[str, Json]:
    values: list[dict[str, Json]] = [
        {"agent": printable_text_line(name), "question": printable_text_line(question), "score": float(scores[i, j])}
        for i, name in enumerate(names)
        for j, question in enumerate(questions)
    ]
    colour: dict[str, Json] = {
        "field": "score",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [LIGHT["track"], LIGHT["honest"]], "interpolate": "rgb"},
        "legend": {"title": None, "format": "%", "orient": "top", "gradientLength": 160},
    }
    return vega_lite(
        _TITLE,
        _CAPTION,
        values,
        width={"step": min(_WIDEST, 640 / max(len(questions), 1))},
        encoding={
            "y": {"field": "agent", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "question",
                "type": "nominal",
                "sort": None,
                "axis": {"labels": False, "ticks": False},
                "title": "questions, the easiest first",
            },
        },
        # Vega-Lite draws no mark whose colour is null, so that cells without a sample show the layer below.
        layer=[{"mark": {"type": "rect", "color": "#efd2b7"}}, {"mark": "rect", "encoding": {"color": colour}}],
    )


def _grouped(scores: Floats) -> tuple[Floats, int]:
    """Neighbouring columns averaged in groups of equal size, and that size."""
    agents, questions = scores.shape
    size = math.ceil(questions / min(_MOST_COLUMNS, max(_MOST_CELLS // agents, 1)))
    if size == 1:
        return scores, 1
    parts = [_finite_means(scores[:, start : start + size], 1) for start in range(0, questions, size)]
    grouped = np.stack(parts, axis=1)
    return np.where(grouped < 0, np.nan, grouped), size


def _draw(names: Sequence[str], questions: Sequence[str], scores: Floats) -> str:
    cells, size = _grouped(scores)
    room = name_column(names)
    left, top = LEFT + room + 10, 82.0
    wide = min((WIDTH - LEFT - 50 - left) / cells.shape[1], _WIDEST)
    right = left + wide * cells.shape[1]
    high = min(max(wide, 17), 24)
    bottom = top + high * len(names)
    lines = _lines_below(questions, size, right - left)
    described = (
        f"{plural_text(len(names), 'agent')} by {plural_text(len(questions), 'question')}; best agent {names[0]}; "
    )
    described += f"easiest question {questions[0]}, hardest {questions[-1]}."
    canvas = Canvas(WIDTH, bottom + 18 * len(lines) + 14, _TITLE, described)
    shades = [Key(f"{level}%", *_cell_shade(level / 100), shape="box") for level in (0, 20, 40, 60, 80, 100)]
    unknown = [] if np.isfinite(cells).all() else [Key("no sample counted", *_cell_shade(math.nan), shape="box")]
    draw_head(canvas, _TITLE, [*shades, *unknown])
    canvas.name_rows(names)
    _draw_cells(canvas, cells, (left, top), (wide, high))
    canvas.text((right + 50, top - 9), "score, %", anchor="end", size=SMALL, colour="muted")
    for i, (name, mean) in enumerate(zip(names, _finite_means(scores, 1), strict=True)):
        y = top + i * high + high / 2 + 4
        canvas.text((LEFT + room, y), name, room=room, anchor="end")
        canvas.text((right + 50, y), percent_text(mean if mean >= 0 else math.nan), anchor="end", size=SMALL)
    for i, line in enumerate(lines):
        room = (right - left if len(line) > 1 else WIDTH - LEFT - left) / len(line) - 8
        for x, anchor, text in zip((left, right), ("start", "end"), line, strict=False):
            canvas.text((x, bottom + 16 + 18 * i), text, room=room, anchor=anchor, size=SMALL, colour="muted")
    return canvas.render()


def _cell_shade(share: float) -> tuple[str, str, float]:
    """Fill, rim and opacity of a cell."""
    if not math.isfinite(share):
        return "visible", "none", 0.35
    level = round(share * _LEVELS) / _LEVELS
    return ("honest", "none", level) if level else ("track", "none", 1.0)


def _draw_cells(canvas: Canvas, cells: Floats, at: tuple[float, float], size: tuple[float, float]) -> None:
    """Every cell, `size` wide and high, the first one at `at`; narrow ones of one shade that touch are one box."""
    gap = 1 if size[0] >= 5 else 0
    buckets: dict[tuple[str, str, float], list[tuple[float, float, float, float]]] = defaultdict(list)
    for i, row in enumerate(cells):
        shades = [_cell_shade(share) for share in row]
        starts = [j for j, shade in enumerate(shades) if gap or j == 0 or shade != shades[j - 1]]
        for j, end in zip(starts, [*starts[1:], len(shades)], strict=True):
            box = (at[0] + j * size[0], at[1] + i * size[1], (end - j) * size[0] - gap, size[1] - 1)
            buckets[shades[j]].append(box)
    for (colour, _, opacity), boxes in sorted(buckets.items()):
        canvas.cells(boxes, colour, opacity=opacity)


def _lines_below(questions: Sequence[str], size: int, wide: float) -> list[list[str]]:
    """The lines under the cells: the ends beside each other where `wide` has room for both."""
    each = "" if size == 1 else f", {number_text(size, 0)} questions per column"
    count = [f"{plural_text(len(questions), 'question')}{each}"]
    if len(questions) == 1:
        return [[printable_text_line(questions[0])], count]
    ends = [f"← easier: {questions[0]}", f"harder: {questions[-1]} →"]
    beside = wide >= _BESIDE or sum(text_width(printable_text_line(end), SMALL) + 8 for end in ends) <= wide
    return [ends, count] if beside else [[end] for end in ends] + [count]
