"""Success against what it cost the user, by agent; who no other beats in both is on the line."""

from collections.abc import Sequence

from honestly.show import Figure, percent_text, printable_text_line
from honestly.show.drawing import (
    LEFT,
    SMALL,
    WIDTH,
    Canvas,
    Json,
    Scale,
    draw_head,
    empty_drawing,
    nice_ticks,
    vega_lite,
)

_TITLE = "Success against the user's effort"
_CAPTION = (
    "Up is more success, left is less effort (corrections + 0.2 nudges of a trial). Agents on the line are beaten in "
    "both by nobody."
)
_HIGH = 300.0


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Which points (success, effort) no other one beats: as good in both, and better in one."""
    return [
        i
        for i, (success, effort) in enumerate(points)
        if not any(s >= success and e <= effort and (s, e) != (success, effort) for s, e in points)
    ]


def effort_figure(rows: Sequence[tuple[str, float, float]]) -> Figure:
    """The picture of agents' (name, success, effort)."""
    points = [(success, effort) for _, success, effort in rows]
    front = pareto_front(points)
    values: list[dict[str, Json]] = [
        {"agent": printable_text_line(name), "success": success, "effort": effort, "front": i in front}
        for i, (name, success, effort) in enumerate(rows)
    ]
    spec = vega_lite(
        _TITLE,
        _CAPTION,
        values,
        mark="point",
        encoding={
            "x": {"field": "effort", "type": "quantitative"},
            "y": {"field": "success", "type": "quantitative", "scale": {"domain": [0, 1]}},
            "shape": {"field": "front", "type": "nominal"},
            "color": {"field": "agent", "type": "nominal"},
        },
    )
    if not rows:
        return Figure("effort", _TITLE, _CAPTION, empty_drawing(_TITLE, "No trial with a user was judged."), spec)
    canvas = Canvas(WIDTH, _HIGH + 120, _TITLE, "; ".join(f"{n}: {percent_text(s, 0)}%, {e:.2f}" for n, s, e in rows))
    draw_head(canvas, _TITLE)
    left, right, top = LEFT + 44, WIDTH - LEFT - 120, 60.0
    ticks = nice_ticks(0.0, max(1.0, *(effort for _, effort in points)))
    across, up = Scale((0.0, ticks[-1]), (left, right)), Scale((0.0, 1.0), (top + _HIGH, top))
    for tick in ticks:
        canvas.add_line((across(tick), top), (across(tick), top + _HIGH), "grid")
        canvas.text((across(tick), top + _HIGH + 16), f"{tick:g}", anchor="middle", size=SMALL, colour="muted")
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        canvas.add_line((left, up(share)), (right, up(share)), "grid")
        canvas.text((left - 6, up(share) + 4), percent_text(share, 0), anchor="end", size=SMALL, colour="muted")
    canvas.text(((left + right) / 2, top + _HIGH + 36), "user's effort", anchor="middle", size=SMALL, colour="muted")
    line = sorted({(across(points[i][1]), up(points[i][0])) for i in front})
    if len(line) > 1:
        canvas.add_polyline(line, "honest")
    for i, (name, success, effort) in enumerate(rows):
        x, y = across(effort), up(success)
        tip = f"{name}: {percent_text(success, 0)}% passed, effort {effort:.2f}"
        canvas.add_circle((x, y), 4, "honest" if i in front else "muted", "surface", tip=tip)
        canvas.text((x + 8, y + 4), printable_text_line(name), size=SMALL, room=WIDTH - x - 16)
    return Figure("effort", _TITLE, _CAPTION, canvas.render(), spec)
