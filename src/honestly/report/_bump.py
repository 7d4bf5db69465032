"""The rank of each agent under each policy for trials without a verdict; lines that cross are ranks that hang on it."""

import math
from collections.abc import Sequence

from honestly.report._figure import Figure, Json, vega
from honestly.report._layout import LEFT, ROW, WIDTH, empty, head, name_column
from honestly.report._svg import BOLD, SMALL, Canvas
from honestly.report._text import percent, printable, text_width

__all__ = ["policy_ranks"]

_TITLE = "Rank of each agent under each policy"
_CAPTION = (
    "Trials without a verdict can be counted as failed, left out, or counted as passed. Where lines cross (orange), "
    "the order of the agents depends on that choice, not on what the agents did."
)


def policy_ranks(names: Sequence[str], policies: Sequence[str], scores: Sequence[Sequence[float]]) -> Figure:
    """Ranks and scores under each policy.

    Args:
        names: agents, in the order of the declared policy; ties keep this order.
        policies: short names of the policies, left to right.
        scores: shares of 0 to 1, shape (policies, agents); NaN where not estimable (ranked last).
    """
    values: list[dict[str, Json]] = []
    places = [_places(row) for row in scores]
    for policy, row, place in zip(policies, scores, places, strict=True):
        for i, name in enumerate(names):
            rank = 1 + sum(other > row[i] for other in row) if math.isfinite(row[i]) else None
            values.append(
                {"agent": printable(name), "policy": policy, "score": row[i], "rank": rank, "place": place[i] + 1}
            )
    specification = vega(
        _TITLE,
        values,
        width=360,
        mark={"type": "line", "point": True},
        encoding={
            "x": {"field": "policy", "type": "nominal", "sort": None},
            "y": {"field": "place", "type": "quantitative", "scale": {"reverse": True}, "title": "rank"},
            "detail": {"field": "agent", "type": "nominal"},
            "tooltip": [{"field": "agent", "type": "nominal"}, {"field": "score", "type": "quantitative"}],
        },
    )
    if len(names) < 2 or len(policies) < 2:
        svg = empty(_TITLE, "There are no two agents whose order could depend on a policy.")
    else:
        svg = _draw(names, policies, scores, places)
    return Figure("policy-ranks", _TITLE, _CAPTION, svg, specification)


def _places(row: Sequence[float]) -> list[int]:
    """Place from 0 of each agent; ties in the given order, what is not estimable last."""
    order = sorted(range(len(row)), key=lambda i: (-row[i] if math.isfinite(row[i]) else math.inf, i))
    places = [0] * len(row)
    for place, i in enumerate(order):
        places[i] = place
    return places


def _draw(
    names: Sequence[str],
    policies: Sequence[str],
    scores: Sequence[Sequence[float]],
    places: Sequence[Sequence[int]],
) -> str:
    room, again, top = min(name_column(names) * BOLD, 250), 170.0, 92.0
    others = range(len(names))
    crossing = [any(_crosses(places, i, j) for j in others) for i in others]
    moved = [name for name, crosses in zip(names, crossing, strict=True) if crosses]
    described = f"Depends on the policy: {', '.join(moved)}." if moved else "The order is the same under every policy."
    canvas = Canvas(WIDTH, top + ROW * len(names) + 8, _TITLE, described)
    head(canvas, _TITLE)
    left, right = LEFT + 26 + room + 58, WIDTH - LEFT - 26 - 44 - (again if moved else 30)
    columns = [left + (right - left) * k / (len(policies) - 1) for k in range(len(policies))]
    canvas.text((LEFT + 26, top - 22), "void and missing trials are", room=left - LEFT - 60, size=SMALL, colour="muted")
    tight = any(text_width(policy, SMALL) + 8 > (right - left) / (len(policies) - 1) for policy in policies)
    for k, (policy, x) in enumerate(zip(policies, columns, strict=True)):
        canvas.line((x, top - 14), (x, top + ROW * len(names) - 10), "grid")
        y = top - 38 if tight and k % 2 else top - 22
        canvas.text((x, y), policy, anchor="middle", size=SMALL, colour="muted")
    for i in sorted(others, key=lambda i: crossing[i]):  # what moves is drawn over what does not
        colour = "visible" if crossing[i] else "muted"
        track = [(x, top + place[i] * ROW) for x, place in zip(columns, places, strict=True)]
        canvas.polyline(track, colour, width=2.2 if crossing[i] else 1.4)
        for (x, y), row, policy in zip(track, scores, policies, strict=True):
            canvas.circle((x, y), 4, colour, tip=f"{names[i]}, {policy}: {percent(row[i])}%")
    for i, name in enumerate(names):
        first, last = top + places[0][i] * ROW + 4.2, top + places[-1][i] * ROW + 4.2
        canvas.text((LEFT + 20, first), str(places[0][i] + 1), anchor="end", size=SMALL, colour="muted")
        canvas.text((LEFT + 26, first), name, room=room, bold=crossing[i])
        canvas.text((left - 12, first), percent(scores[0][i]), anchor="end", size=SMALL)
        canvas.text((right + 12, last), percent(scores[-1][i]), size=SMALL)
        if crossing[i]:
            canvas.text((right + 50, last), name, room=again - 22, bold=True)
        canvas.text((WIDTH - LEFT, last), str(places[-1][i] + 1), anchor="end", size=SMALL, colour="muted")
    return canvas.render()


def _crosses(places: Sequence[Sequence[int]], i: int, j: int) -> bool:
    return len({place[i] < place[j] for place in places}) > 1
