"""The rank of each agent under each policy for trials without a verdict; where lines cross, ranks depend on it."""

import math
from collections.abc import Sequence

from honestly.show import Figure, percent_text, printable_text_line, text_width
from honestly.show.drawing import (
    LEFT,
    LIGHT,
    ROW,
    SMALL,
    WIDTH,
    Canvas,
    Json,
    Key,
    draw_guides,
    draw_head,
    empty_drawing,
    name_column,
    vega_lite,
)

_TITLE = "Rank of each agent under each policy, with scores in percent"
_CAPTION = (
    "Trials without a verdict can be counted as failed, left out, or counted as passed. Where lines cross (orange), "
    "the order of the agents depends on that choice, not on what the agents did."
)
_HEADER = "void and missing trials are"
_NAMES = LEFT + 26
_MOST_LEFT, _MOST_RIGHT = 265.0, 205.0
_SCORE = 52.0
"""From a name to the nearest policy: the score lies between them, pixels."""


def policy_ranks(names: Sequence[str], policies: Sequence[str], scores: Sequence[Sequence[float]]) -> Figure:
    """Ranks and scores under each policy.

    Args:
        names: agents, in the order of the declared policy; ties keep this order.
        policies: short names of the policies, left to right.
        scores: shares of 0 to 1, shape (policies, agents); NaN where not estimable (ranked last).
    """
    values: list[dict[str, Json]] = []
    places = [_row_places(row) for row in scores]
    moves = [any(_crosses(places, i, j) for j in range(len(names))) for i in range(len(names))]
    for policy, row, place in zip(policies, scores, places, strict=True):
        for i, name in enumerate(names):
            rank = 1 + sum(other > row[i] for other in row) if math.isfinite(row[i]) else None
            known: dict[str, Json] = {
                "agent": printable_text_line(name),
                "policy": policy,
                "score": row[i],
                "rank": rank,
            }
            values.append({**known, "place": place[i] + 1, "moves": moves[i]})
    specification = _vega_spec(values, policies, len(names))
    if len(names) < 2 or len(policies) < 2:
        svg = empty_drawing(_TITLE, "There are no two agents whose order could depend on a policy.")
    else:
        svg = _draw(names, policies, scores, places, moves)
    return Figure("policy-ranks", _TITLE, _CAPTION, svg, specification)


def _row_places(row: Sequence[float]) -> list[int]:
    """Place from 0 of each agent; ties in the given order, what is not estimable last."""
    order = sorted(range(len(row)), key=lambda i: (-row[i] if math.isfinite(row[i]) else math.inf, i))
    places = [0] * len(row)
    for place, i in enumerate(order):
        places[i] = place
    return places


def _vega_spec(values: Sequence[dict[str, Json]], policies: Sequence[str], agents: int) -> dict[str, Json]:
    colours: dict[str, Json] = {"range": [LIGHT["muted"], LIGHT["visible"]], "domain": [False, True]}
    score = "(isValid(datum.score) ? format(100 * datum.score + 1e-9, '.1f') : '–')"
    left, right = f"datum.agent + '  ' + {score}", f"{score} + '  ' + datum.agent"
    ends = [(policies[0], left, "right", -10), (policies[-1], right, "left", 10)] if policies else []
    return vega_lite(
        _TITLE,
        _CAPTION,
        values,
        width=360,
        height=20 * agents,
        view={"stroke": None},
        encoding={
            "x": {
                "field": "policy",
                "type": "nominal",
                "sort": None,
                "title": _HEADER,
                "axis": {"orient": "top", "labelAngle": 0, "labelLimit": 110},
            },
            "y": {
                "field": "place",
                "type": "quantitative",
                "scale": {"domain": [agents + 0.5, 0.5], "nice": False, "zero": False},
                "axis": None,
            },
        },
        layer=[
            {
                "mark": {"type": "line", "point": True},
                "encoding": {
                    "detail": {"field": "agent", "type": "nominal"},
                    "color": {"field": "moves", "type": "nominal", "scale": colours, "legend": None},
                },
            },
            *(
                {
                    "transform": [
                        {"filter": {"field": "policy", "equal": policy}},
                        {"calculate": label, "as": "label"},
                    ],
                    "mark": {"type": "text", "align": align, "dx": away, "limit": 320},
                    "encoding": {"text": {"field": "label", "type": "nominal"}},
                }
                for policy, label, align, away in ends
            ),
        ],
    )


def _draw(
    names: Sequence[str],
    policies: Sequence[str],
    scores: Sequence[Sequence[float]],
    places: Sequence[Sequence[int]],
    moves: Sequence[bool],
) -> str:
    top, height = 112.0, ROW * len(names)
    moved = [name for name, moving in zip(names, moves, strict=True) if moving]
    described = f"Depends on the policy: {', '.join(moved)}." if moved else "The order is the same under every policy."
    canvas = Canvas(WIDTH, top + height + 8, _TITLE, described)
    keys = [Key("changes places", "visible", shape="line")] if moved else []
    keys += [Key("keeps its place", "muted", shape="line")] if not all(moves) else []
    draw_head(canvas, _TITLE, keys)
    canvas.name_rows(names)
    draw_guides(canvas, len(names), top)
    room, again = (min(name_column(part, SMALL), most) for part, most in ((names, _MOST_LEFT), (moved, _MOST_RIGHT)))
    header = text_width(_HEADER, SMALL)
    left = _NAMES + max(room + _SCORE, header + 12 + text_width(policies[0], SMALL) / 2)
    right = WIDTH - LEFT - 26 - max(again + _SCORE, text_width(policies[-1], SMALL) / 2)
    columns = [left + (right - left) * k / (len(policies) - 1) for k in range(len(policies))]
    canvas.text((_NAMES, top - 22), _HEADER, size=SMALL, colour="muted")
    _policies(canvas, policies, columns, (top - 22, top - 14, top + height - 10))
    for i in sorted(range(len(names)), key=lambda i: moves[i]):  # what moves is drawn over what does not
        colour = "visible" if moves[i] else "muted"
        track = [(x, top + place[i] * ROW) for x, place in zip(columns, places, strict=True)]
        canvas.add_polyline(track, colour, width=2.2 if moves[i] else 1.4)
        for (x, y), row, policy in zip(track, scores, policies, strict=True):
            canvas.add_circle((x, y), 4, colour, tip=f"{names[i]}, {policy}: {percent_text(row[i])}%")
    for i, name in enumerate(names):
        first, last = (top + place[i] * ROW + 4.2 for place in (places[0], places[-1]))
        colour = "ink" if moves[i] else "muted"
        canvas.text((_NAMES - 6, first), str(places[0][i] + 1), anchor="end", size=SMALL, colour="muted")
        canvas.text((_NAMES, first), name, room=room, size=SMALL, colour=colour)
        canvas.text((left - 10, first), percent_text(scores[0][i]), anchor="end", size=SMALL, colour=colour)
        canvas.text((right + 10, last), percent_text(scores[-1][i]), size=SMALL, colour=colour)
        if moves[i]:
            canvas.text((right + _SCORE, last), name, room=again, size=SMALL)
        canvas.text((WIDTH - LEFT, last), str(places[-1][i] + 1), anchor="end", size=SMALL, colour="muted")
    return canvas.render()


def _policies(canvas: Canvas, policies: Sequence[str], columns: Sequence[float], y: tuple[float, float, float]) -> None:
    """A vertical line for each policy, with its name above; every second one higher where they are too close.

    `y` is the baseline of the names and the ends of the lines.
    """
    tight = any(text_width(policy, SMALL) + 8 > columns[1] - columns[0] for policy in policies)
    for k, (policy, x) in enumerate(zip(policies, columns, strict=True)):
        canvas.add_line((x, y[1]), (x, y[2]), "grid")
        baseline = y[0] - (16 if tight and k % 2 else 0)
        canvas.text((x, baseline), policy, anchor="middle", size=SMALL, colour="muted")


def _crosses(places: Sequence[Sequence[int]], i: int, j: int) -> bool:
    return len({place[i] < place[j] for place in places}) > 1
