"""All paired differences at once: a square of cells, row minus column, with marks for what is significant.

Colour says how large a difference is, a mark whether it can be believed: a ring where p < alpha alone, a dot where it
survives Holm's correction over all pairs. Columns carry the row numbers of the agents instead of names, so that nothing
has to be turned or can overlap; up to twelve agents, cells carry their numbers, too.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from honestly.show import Figure, p_is, p_value, points_text, printable_text_line, text_width
from honestly.show.drawing import (
    LEFT,
    LIGHT,
    SMALL,
    WIDTH,
    Canvas,
    Json,
    Key,
    draw_head,
    draw_legend,
    empty_drawing,
    name_column,
    vega_lite,
)

_TITLE = "Paired differences in percentage points, row minus column"
_CAPTION = (
    "A dot marks pairs that differ after Holm's correction over all pairs, a ring those that only an uncorrected test "
    "would call different; without a mark the data cannot tell the two apart."
)
_MARKS = {"holm": "differs after Holm", "uncorrected": "only uncorrected"}
_WEAKEST, _STRONGEST = 0.05, 0.5
_LEVELS = 12
_STEPS = 4
_LEAST = 0.0005
_NUMBERS_UP_TO = 12

Matrix = Sequence[Sequence[float]]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Pair:
    row: int
    column: int
    difference: float
    mark: str
    """`holm`, `uncorrected` or `no`."""
    tip: str


def difference_matrix(names: Sequence[str], difference: Matrix, p: Matrix, holm: Matrix, alpha: float = 0.05) -> Figure:
    """Differences of all pairs.

    Args:
        names: agents in the order in which they shall stand, best first.
        difference: row minus column, shares of -1 to 1, shape (agents, agents); NaN where not estimable.
        p: uncorrected p-values, same shape.
        holm: the same after Holm's correction.
        alpha: level of significance.
    """
    pairs: list[_Pair] = []
    values: list[dict[str, Json]] = []
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if i == j:
                continue
            d, single, family = difference[i][j], p[i][j], holm[i][j]
            mark = "holm" if family < alpha else "uncorrected" if single < alpha else "no"
            tip = f"{a} minus {b}: {points_text(d)} points, {p_is(single)}, Holm {p_value(family)}"
            pairs.append(_Pair(i, j, d, mark, tip))
            row: dict[str, Json] = {"a": printable_text_line(a), "b": printable_text_line(b), "difference": d}
            values.append({**row, "p_value": single, "p_holm": family, "significant": mark})
    svg = _draw(names, pairs) if pairs else empty_drawing(_TITLE, "There are no two agents to compare.")
    return Figure("differences", _TITLE, _CAPTION, svg, _vega_spec(names, values))


def _vega_spec(names: Sequence[str], values: Sequence[dict[str, Json]]) -> dict[str, Json]:
    order = [printable_text_line(name) for name in names]
    colour: dict[str, Json] = {
        "field": "difference",
        "type": "quantitative",
        "scale": {"range": [LIGHT["visible"], "#ffffff", LIGHT["honest"]], "domainMid": 0, "interpolate": "rgb"},
        "legend": {"title": "points", "labelExpr": "format(100 * datum.value, '+.0f')"},
    }
    mark: dict[str, Json] = {
        "field": "significant",
        "type": "nominal",
        "scale": {"domain": list(_MARKS), "range": ["black", "transparent"]},
        "legend": {"title": "differs", "labelExpr": f"{_MARKS}[datum.value]".replace("'", '"'), "labelLimit": 200},
    }
    axis: dict[str, Json] = {"type": "nominal", "sort": order, "title": None}
    return vega_lite(
        _TITLE,
        _CAPTION,
        values,
        encoding={"y": {**axis, "field": "a"}, "x": {**axis, "field": "b"}},
        layer=[
            {"mark": "rect", "encoding": {"color": colour}},
            {
                "mark": {"type": "point", "stroke": "black", "opacity": 1},
                "transform": [{"filter": "datum.significant != 'no'"}],
                "encoding": {"fill": mark},
            },
        ],
    )


def _draw(names: Sequence[str], pairs: Sequence[_Pair]) -> str:
    room = name_column(names)
    left, top = LEFT + 26 + room + 10, 84.0
    wide = min((WIDTH - LEFT - left) / len(names), 48)
    high = min(max(wide, 18), 27)
    canvas = Canvas(WIDTH, top + high * len(names) + 14, _TITLE, _describe(names, pairs))
    largest = max((abs(pair.difference) for pair in pairs if math.isfinite(pair.difference)), default=0.0)
    draw_head(canvas, _TITLE)
    marks = [Key(_MARKS["holm"], "ink"), Key(_MARKS["uncorrected"], "none", "ink")]
    _colours(canvas, draw_legend(canvas, marks, 47), 47, largest)
    every = 1 if wide >= 17 else 5
    for i, name in enumerate(names):
        middle = top + i * high + high / 2
        if i == 0 or (i + 1) % every == 0:
            column = left + (i + 0.5) * wide - 0.5
            canvas.text((column, top - 7), str(i + 1), anchor="middle", size=SMALL, colour="muted")
        canvas.text((LEFT + 20, middle + 4), str(i + 1), anchor="end", size=SMALL, colour="muted")
        canvas.text((LEFT + 26, middle + 4.5), name, room=room)
    boxes = [(left + pair.column * wide, top + pair.row * high, wide - 1, high - 1) for pair in pairs]
    buckets: dict[tuple[str, float], list[Box]] = defaultdict(list)
    for pair, box in zip(pairs, boxes, strict=True):
        told = abs(pair.difference) >= _LEAST  # not so of NaN
        buckets[_lead_colour(pair.difference / largest if told else 0.0)].append(box)
    for (colour, opacity), same in sorted(buckets.items()):
        canvas.cells(same, colour, opacity=opacity)
    if len(names) <= _NUMBERS_UP_TO:
        for pair, (x, y, w, h) in zip(pairs, boxes, strict=True):
            canvas.text((x + w / 2, y + h / 2 + 6), points_text(pair.difference), anchor="middle", size=SMALL)
        _draw_marks(canvas, pairs, [(x + w - 5, y + 5.5) for x, y, w, _ in boxes], 2.6)
        for pair, box in zip(pairs, boxes, strict=True):
            canvas.add_rect(box, "surface", opacity=0, tip=pair.tip)
    else:
        centres = [(x + w / 2, y + h / 2) for x, y, w, h in boxes]
        _draw_marks(canvas, pairs, centres, min(3.0, wide * 0.24))
    return canvas.render()


def _colours(canvas: Canvas, x: float, y: float, largest: float) -> None:
    """The rest of the legend: from the largest lead of the column over none to the largest lead of the row."""
    ends = [f"column is ahead, {points_text(-largest)}", f"{points_text(largest)}, row is ahead"]
    x += 20
    canvas.text((x, y), ends[0], size=SMALL, colour="muted")
    x += text_width(ends[0], SMALL) + 4
    for step in range(-_STEPS, _STEPS + 1):
        colour, opacity = _lead_colour(step / _STEPS)
        canvas.add_rect((x, y - 9, 12, 11), colour, opacity=opacity)
        x += 13
    canvas.text((x + 4, y), ends[1], size=SMALL, colour="muted")


def _lead_colour(lead: float) -> tuple[str, float]:
    """Name and opacity for the lead of a row, -1 to 1; what the numbers would show as 0 has none."""
    if not (level := math.ceil(abs(lead) * _LEVELS - 1e-9)):
        return "track", 0.6
    return "honest" if lead > 0 else "visible", _WEAKEST + level / _LEVELS * (_STRONGEST - _WEAKEST)


def _draw_marks(canvas: Canvas, pairs: Sequence[_Pair], at: Sequence[tuple[float, float]], radius: float) -> None:
    for pair, centre in zip(pairs, at, strict=True):
        if pair.mark == "holm":
            canvas.add_circle(centre, radius, "ink")
        elif pair.mark == "uncorrected":
            canvas.add_circle(centre, radius, "none", "ink")


def _describe(names: Sequence[str], pairs: Sequence[_Pair]) -> str:
    half = [pair for pair in pairs if pair.row < pair.column]
    holm = sum(pair.mark == "holm" for pair in half)
    single = holm + sum(pair.mark == "uncorrected" for pair in half)
    order = ", ".join(f"{i + 1} {name}" for i, name in enumerate(names))
    return f"{single} of {len(half)} pairs differ uncorrected, {holm} after Holm's correction. Order: {order}."
