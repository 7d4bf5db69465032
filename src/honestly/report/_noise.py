"""Where the uncertainty comes from: for each agent, the variance of one sample split into data and prediction.

Data variance is that questions differ, which only more questions can average out; prediction variance is that the same
agent at the same question differs from run to run, which more samples average out, too.
"""

import math
from collections.abc import Sequence

from honestly.report._figure import Figure, Json, vega
from honestly.report._layout import LEFT, ROW, WIDTH, Key, empty, head, name_column, row_names
from honestly.report._svg import SMALL, Canvas, Scale, nice_ticks
from honestly.report._text import number, percent, printable

__all__ = ["noise_stack"]

_TITLE = "Where the noise comes from: variance of one sample"
_CAPTION = (
    "Data: questions differ, so only more questions help. Prediction: the same agent differs from run to run at the "
    "same question, so more samples help, too. With one sample per question the two cannot be told apart."
)
_DATA, _PREDICTION = "data (questions differ)", "prediction (runs differ)"


def noise_stack(
    names: Sequence[str], data: Sequence[float], prediction: Sequence[float], total: Sequence[float]
) -> Figure:
    """Variance components of each agent, in the given order.

    Args:
        names: agents.
        data: data variance of one sample, squared score units; may be slightly negative, which is drawn as 0; NaN where
            not identified.
        prediction: prediction variance of one sample; NaN where not identified (one sample per question).
        total: their sum, known with one sample per question, too.
    """
    rows = list(zip(names, data, prediction, total, strict=True))
    values: list[dict[str, Json]] = []
    for name, d, p, t in rows:
        parts = [("data", d), ("prediction", p)] if math.isfinite(p) else [("not separable", t)]
        values += [{"agent": printable(name), "component": part, "variance": variance} for part, variance in parts]
    specification = vega(
        _TITLE,
        values,
        mark="bar",
        encoding={
            "y": {"field": "agent", "type": "nominal", "sort": None, "title": None},
            "x": {"field": "variance", "type": "quantitative", "title": "variance of one sample"},
            "color": {"field": "component", "type": "nominal"},
        },
    )
    svg = _draw(rows) if rows else empty(_TITLE, "There are no agents.")
    return Figure("noise", _TITLE, _CAPTION, svg, specification)


def _draw(rows: Sequence[tuple[str, float, float, float]]) -> str:
    names = [row[0] for row in rows]
    described = "; ".join(f"{name}: {_share(p, t)}" for name, _, p, t in rows)
    canvas = Canvas(WIDTH, 118 + ROW * len(rows), _TITLE, described)
    keys = [Key(_DATA, "honest", shape="box"), Key(_PREDICTION, "visible", shape="box")]
    head(canvas, _TITLE, [*keys, Key("not separable", "muted", opacity=0.5, shape="box")])
    room, top, edge = name_column(names), 88.0, WIDTH - LEFT
    left, right = LEFT + room + 16, edge - 128
    bottom = top - 8 + ROW * len(rows)
    longest = max((t for *_, t in rows if math.isfinite(t)), default=0.0) or 0.25
    ticks = nice_ticks(0, longest, 5)
    scale = Scale((0, ticks[-1]), (left, right))
    for tick in ticks:
        canvas.line((scale(tick), top - 14), (scale(tick), bottom), "grid")
        label = number(tick, 2 if tick else 0)
        canvas.text((scale(tick), bottom + 16), label, anchor="middle", size=SMALL, colour="muted")
    row_names(canvas, names, room, top)
    canvas.text((edge, top - 22), "prediction share", anchor="end", size=SMALL, colour="muted")
    for i, (name, d, p, t) in enumerate(rows):
        y = top + i * ROW
        if math.isfinite(p) and math.isfinite(d):
            middle = scale(max(d, 0))
            canvas.rect((left, y - 7, middle - left, 14), "honest", tip=f"{name}: data variance {number(d, 4)}")
            tip = f"{name}: prediction variance {number(p, 4)}"
            canvas.rect((middle, y - 7, scale(max(d, 0) + p) - middle, 14), "visible", tip=tip)
        elif math.isfinite(t):
            tip = f"{name}: total variance {number(t, 4)}"
            canvas.rect((left, y - 7, scale(t) - left, 14), "muted", opacity=0.5, tip=tip)
        canvas.text((edge, y + 4.2), _share(p, t), anchor="end", size=SMALL)
    return canvas.render()


def _share(prediction: float, total: float) -> str:
    if not math.isfinite(total):
        return "not estimable"
    if not math.isfinite(prediction):
        return "needs 2+ samples"
    return f"{percent(min(prediction / total, 1.0), 0)}%" if total > 0 else "no variance"
