"""All paired differences at once: a square of cells, row minus column, with marks for what is significant.

Colour says how large a difference is, a mark whether it can be believed: a ring where p < alpha alone, a dot where it
survives Holm's correction over all pairs. Columns carry the row numbers of the agents instead of names, so that nothing
has to be turned or can overlap; up to twelve agents, cells carry their numbers, too.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from honestly.report._figure import Figure, Json, vega
from honestly.report._layout import LEFT, WIDTH, Key, empty, head, name_column
from honestly.report._svg import SMALL, Canvas
from honestly.report._text import p_is, p_value, points, printable

__all__ = ["difference_matrix"]

_TITLE = "Paired differences in percentage points, row minus column"
_CAPTION = (
    "A dot marks pairs that differ after Holm's correction over all pairs, a ring those that only an uncorrected test "
    "would call different; without a mark the data cannot tell the two apart."
)
_STRONGEST = 0.6
_LEVELS = 12
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
            tip = f"{a} minus {b}: {points(d)} points, {p_is(single)}, Holm {p_value(family)}"
            pairs.append(_Pair(i, j, d, mark, tip))
            row: dict[str, Json] = {"a": printable(a), "b": printable(b), "difference": d}
            values.append({**row, "p_value": single, "p_holm": family, "significant": mark})
    svg = _draw(names, pairs) if pairs else empty(_TITLE, "There are no two agents to compare.")
    return Figure("differences", _TITLE, _CAPTION, svg, _specification(names, values))


def _specification(names: Sequence[str], values: Sequence[dict[str, Json]]) -> dict[str, Json]:
    order = [printable(name) for name in names]
    colour: dict[str, Json] = {
        "field": "difference",
        "type": "quantitative",
        "scale": {"scheme": "blueorange", "reverse": True, "domainMid": 0},
    }
    marks: dict[str, Json] = {"field": "significant", "type": "nominal", "scale": {"domain": ["holm", "uncorrected"]}}
    return vega(
        _TITLE,
        values,
        encoding={
            "y": {"field": "a", "type": "nominal", "sort": order, "title": None},
            "x": {"field": "b", "type": "nominal", "sort": order, "title": None},
        },
        layer=[
            {"mark": "rect", "encoding": {"color": colour}},
            {
                "mark": {"type": "point", "color": "black"},
                "transform": [{"filter": "datum.significant != 'no'"}],
                "encoding": {"shape": marks},
            },
        ],
    )


def _draw(names: Sequence[str], pairs: Sequence[_Pair]) -> str:
    room = name_column(names)
    left, top = LEFT + 26 + room + 10, 84.0
    wide = min((WIDTH - LEFT - left) / len(names), 48)
    high = min(max(wide, 18), 27)
    canvas = Canvas(WIDTH, top + high * len(names) + 14, _TITLE, _describe(names, pairs))
    keys = [Key("differs after Holm", "ink"), Key("only uncorrected", "none", "ink")]
    shades = [Key("row is ahead", "honest", shape="box"), Key("column is ahead", "visible", shape="box")]
    head(canvas, _TITLE, [*keys, *shades])
    every = 1 if wide >= 17 else 5
    for i, name in enumerate(names):
        middle = top + i * high + high / 2
        if i == 0 or (i + 1) % every == 0:
            column = left + (i + 0.5) * wide - 0.5
            canvas.text((column, top - 7), str(i + 1), anchor="middle", size=SMALL, colour="muted")
        canvas.text((LEFT + 20, middle + 4), str(i + 1), anchor="end", size=SMALL, colour="muted")
        canvas.text((LEFT + 26, middle + 4.5), name, room=room)
    boxes = [(left + pair.column * wide, top + pair.row * high, wide - 1, high - 1) for pair in pairs]
    _shade(canvas, pairs, boxes)
    if len(names) <= _NUMBERS_UP_TO:
        _numbers(canvas, pairs, boxes)
    else:
        centres = [(x + w / 2, y + h / 2) for x, y, w, h in boxes]
        _marks(canvas, pairs, centres, min(3.0, wide * 0.24))
    return canvas.render()


def _shade(canvas: Canvas, pairs: Sequence[_Pair], boxes: Sequence[Box]) -> None:
    largest = max((abs(pair.difference) for pair in pairs if math.isfinite(pair.difference)), default=0.0) or 1.0
    buckets: dict[tuple[str, int], list[Box]] = defaultdict(list)
    for pair, box in zip(pairs, boxes, strict=True):
        level = math.ceil(abs(pair.difference) / largest * _LEVELS) if math.isfinite(pair.difference) else 0
        buckets["track" if not level else "honest" if pair.difference > 0 else "visible", level].append(box)
    for (colour, level), same in sorted(buckets.items()):
        canvas.cells(same, colour, opacity=level / _LEVELS * _STRONGEST if level else 1)


def _numbers(canvas: Canvas, pairs: Sequence[_Pair], boxes: Sequence[Box]) -> None:
    for pair, (x, y, w, h) in zip(pairs, boxes, strict=True):
        canvas.text((x + w / 2, y + h / 2 + 6), points(pair.difference), anchor="middle", size=SMALL)
    _marks(canvas, pairs, [(x + w - 5, y + 5.5) for x, y, w, _ in boxes], 2.6)
    for pair, box in zip(pairs, boxes, strict=True):
        canvas.rect(box, "surface", opacity=0, tip=pair.tip)


def _marks(canvas: Canvas, pairs: Sequence[_Pair], at: Sequence[tuple[float, float]], radius: float) -> None:
    for pair, centre in zip(pairs, at, strict=True):
        if pair.mark == "holm":
            canvas.circle(centre, radius, "ink")
        elif pair.mark == "uncorrected":
            canvas.circle(centre, radius, "none", "ink")


def _describe(names: Sequence[str], pairs: Sequence[_Pair]) -> str:
    half = [pair for pair in pairs if pair.row < pair.column]
    holm = sum(pair.mark == "holm" for pair in half)
    single = holm + sum(pair.mark == "uncorrected" for pair in half)
    order = ", ".join(f"{i + 1} {name}" for i, name in enumerate(names))
    return f"{single} of {len(half)} pairs differ uncorrected, {holm} after Holm's correction. Order: {order}."
