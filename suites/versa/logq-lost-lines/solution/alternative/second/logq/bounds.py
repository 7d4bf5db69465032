"""Between which times a filter can be true, so that the rest of a log need not be looked at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from logq import values
from logq.tree import And, Compare, Node, Or

Bounds = tuple[datetime | None, datetime | None]
"""First and last time, both included; None where there is no end."""


def bounds(node: Node) -> Bounds:
    """Bounds of a filter in which `not` stands before single conditions only.

    What has a `not` before it has no bounds: the opposite of a comparison of times may be true at any time.
    """
    match node:
        case Compare("time", op, text):
            kind, time = values.read(text)
            if kind == "time" and isinstance(time, datetime):
                return (time if op in ("=", ">", ">=") else None), (time if op in ("=", "<", "<=") else None)
        case And(nodes):
            parts = [bounds(part) for part in nodes]
            first = max((part[0] for part in parts if part[0] is not None), default=None)
            last = min((part[1] for part in parts if part[1] is not None), default=None)
            return first, last
        case Or(nodes):
            parts = [bounds(part) for part in nodes]
            firsts, lasts = [part[0] for part in parts], [part[1] for part in parts]
            return _end(firsts, min), _end(lasts, max)
    return None, None


def _end(times: list[datetime | None], choose: Callable[[list[datetime]], datetime]) -> datetime | None:
    known = [time for time in times if time is not None]
    return choose(known) if len(known) == len(times) else None
