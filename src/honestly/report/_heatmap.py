"""Agents against questions: one cell for each pair, darker the more samples passed.

Agents stand by score, questions by difficulty (the easiest at the left). A benchmark that measures ability shows a
staircase; columns that break it are the questions to look at. Cells of one shade are one path, so that a study of 40
agents and 500 questions stays a small file; more than `_MOST_COLUMNS` questions are averaged in groups of neighbours.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from honestly.report._figure import Figure, Json, vega
from honestly.report._layout import LEFT, WIDTH, Key, empty, head, name_column
from honestly.report._svg import SMALL, Canvas
from honestly.report._text import number, percent, plural, printable

__all__ = ["heatmap"]

_TITLE = "Agents by questions: share of samples that passed"
_CAPTION = (
    "Agents by score, questions from easy to hard. A suite that measures one ability shows a staircase; columns that "
    "break it deserve a look."
)
_MOST_COLUMNS = 260
_LEVELS = 10

Floats = NDArray[np.float64]


def heatmap(names: Sequence[str], questions: Sequence[str], scores: Floats) -> Figure:
    """Question means of all agents.

    Args:
        names: agents, any order.
        questions: ids of the questions, any order.
        scores: question means, 0 to 1, shape (agents, questions); NaN where a cell has no counted sample.
    """
    if not names or not questions:
        return Figure(
            "heatmap", _TITLE, _CAPTION, empty(_TITLE, "There are no trials."), _specification([], [], scores)
        )
    by_score = np.argsort(-_means(scores, 1), kind="stable")
    by_ease = np.argsort(-_means(scores, 0), kind="stable")
    ordered = scores[np.ix_(by_score, by_ease)]
    sorted_names, sorted_questions = [names[i] for i in by_score], [questions[i] for i in by_ease]
    svg = _draw(sorted_names, sorted_questions, ordered)
    return Figure("heatmap", _TITLE, _CAPTION, svg, _specification(sorted_names, sorted_questions, ordered))


def _means(values: Floats, axis: int) -> Floats:
    """Means over the finite values; -1 where there are none, which sorts them last."""
    known = np.isfinite(values)
    counts = known.sum(axis)
    sums = np.where(known, values, 0.0).sum(axis)
    return np.where(counts > 0, sums / np.maximum(counts, 1), -1.0)


def _specification(names: Sequence[str], questions: Sequence[str], scores: Floats) -> dict[str, Json]:
    values: list[dict[str, Json]] = [
        {"agent": printable(name), "question": printable(question), "score": float(scores[i, j])}
        for i, name in enumerate(names)
        for j, question in enumerate(questions)
    ]
    return vega(
        _TITLE,
        values,
        mark="rect",
        encoding={
            "y": {"field": "agent", "type": "nominal", "sort": None, "title": None},
            "x": {"field": "question", "type": "nominal", "sort": None, "axis": {"labels": False, "ticks": False}},
            "color": {"field": "score", "type": "quantitative", "scale": {"domain": [0, 1]}},
        },
    )


def _grouped(scores: Floats) -> tuple[Floats, int]:
    """Neighbouring columns averaged in groups of equal size, and that size."""
    size = math.ceil(scores.shape[1] / _MOST_COLUMNS)
    if size == 1:
        return scores, 1
    parts = [_means(scores[:, start : start + size], 1) for start in range(0, scores.shape[1], size)]
    grouped = np.stack(parts, axis=1)
    return np.where(grouped < 0, np.nan, grouped), size


def _draw(names: Sequence[str], questions: Sequence[str], scores: Floats) -> str:
    cells, size = _grouped(scores)
    room = name_column(names)
    left, top, edge = LEFT + room + 10, 80.0, WIDTH - LEFT - 42
    wide = min((edge - left) / cells.shape[1], 40)
    high = min(max(wide, 17), 24)
    gap = 1 if wide >= 5 else 0
    bottom = top + high * len(names)
    described = f"{plural(len(names), 'agent')} by {plural(len(questions), 'question')}; best agent {names[0]}; "
    described += f"easiest question {questions[0]}, hardest {questions[-1]}."
    canvas = Canvas(WIDTH, bottom + 52, _TITLE, described)
    shades = [
        Key(f"{level}%", "honest", opacity=max(level / 100, 0.06), shape="box") for level in (0, 20, 40, 60, 80, 100)
    ]
    head(canvas, _TITLE, [*shades, Key("no sample counted", "visible", opacity=0.35, shape="box")])
    buckets: dict[tuple[str, float], list[tuple[float, float, float, float]]] = defaultdict(list)
    for (i, j), share in np.ndenumerate(cells):
        shade = ("honest", max(round(share * _LEVELS) / _LEVELS, 0.06)) if math.isfinite(share) else ("visible", 0.35)
        buckets[shade].append((left + j * wide, top + i * high, wide - gap, high - 1))
    for (colour, opacity), boxes in sorted(buckets.items()):
        canvas.cells(boxes, colour, opacity=opacity)
    for i, (name, mean) in enumerate(zip(names, _means(scores, 1), strict=True)):
        y = top + i * high + high / 2 + 4
        canvas.text((LEFT + room, y), name, room=room, anchor="end")
        canvas.text((WIDTH - LEFT, y), percent(mean if mean >= 0 else math.nan), anchor="end", size=SMALL)
    right = left + wide * cells.shape[1]
    each = "" if size == 1 else f", {number(size, 0)} questions per column"
    below = (right - left) / 2 - 8
    canvas.text((left, bottom + 16), f"← easier: {questions[0]}", room=below, size=SMALL, colour="muted")
    canvas.text(
        (right, bottom + 16), f"harder: {questions[-1]} →", room=below, anchor="end", size=SMALL, colour="muted"
    )
    canvas.text((left, bottom + 34), f"{plural(len(questions), 'question')}{each}", size=SMALL, colour="muted")
    return canvas.render()
