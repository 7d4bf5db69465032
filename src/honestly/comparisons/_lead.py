"""Who of two agents is ahead, by a paired difference, and the words for it: the only place that has them.

Whether a lead is more than chance is said by whoever tested it, after these words.
"""

import math
from typing import NamedTuple, Protocol

from honestly.show import points_text
from honestly.stats import CONDITIONAL

IF_EXCLUDED = CONDITIONAL.removeprefix("shown ")
"""The condition under which a conditional claim holds, to end a sentence with."""

SAME = 1e-12
"""Differences of scores up to this are none."""


class Paired(Protocol):
    """A paired difference `a - b`; None or NaN where it cannot be estimated."""

    @property
    def a(self) -> str: ...

    @property
    def b(self) -> str: ...

    @property
    def difference(self) -> float | None: ...


class Lead(NamedTuple):
    """One agent ahead of another on the tasks that both have: where every sentence takes its direction from.

    The sign is that of a paired difference; never of two scores, which may be of different tasks.
    """

    ahead: str
    behind: str
    gap: float
    """Fraction of 1, above 0."""


def lead_of(pair: Paired) -> Lead | None:
    """Who is ahead in a pair; None where the two score the same, or it cannot be estimated."""
    gap = math.nan if pair.difference is None else pair.difference
    if not abs(gap) > SAME:
        return None
    return Lead(pair.a, pair.b, gap) if gap > 0 else Lead(pair.b, pair.a, -gap)


def leading_words(ahead: str, behind: str, gap: float | None = None) -> str:
    """The start of a sentence that says which agent is ahead: `A is ahead of B by 16.2 points`.

    Args:
        ahead: the agent's name, ready to be printed.
        behind: the other's.
        gap: what it is ahead by, a fraction of 1; None leaves it out.
    """
    by = "" if gap is None else f" by {points_text(gap).lstrip('+')} points"
    return f"{ahead} is ahead of {behind}{by}"
