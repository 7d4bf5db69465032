"""How readings are put into groups."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple


class Grouping(NamedTuple):
    """A way to group times.

    name: the head of its column in CSV
    prefix: what stands before a label in texts
    counts_days: whether its reports say on how many days there were readings
    label: gives the label of a time's group; groups come in the order of their labels
    """

    name: str
    prefix: str
    counts_days: bool
    label: Callable[[datetime], str]


def _week(time: datetime) -> str:
    return "{}-W{:02d}".format(*time.isocalendar())


GROUPINGS = {
    grouping.name: grouping
    for grouping in (
        Grouping("day", "", False, lambda time: time.strftime("%Y-%m-%d")),
        Grouping("week", "week ", True, _week),
    )
}
