"""Reports on readings of weather stations.

Readings are tuples (time, station, value): a datetime, a text, a float; in any order. `units` has units by station. A report has groups in the order of time, and in each group a row
for each station that has readings in it, in the order of names. Values are written with one decimal. A week is one of ISO 8601, from Monday to Sunday.
"""

from functools import partial
from typing import NamedTuple

from stations.forms import FORMS
from stations.groupings import GROUPINGS


class Row(NamedTuple):
    """What a group says of a station."""

    station: str
    unit: str
    count: int
    low: float
    high: float
    mean: float
    days: int


class _Report:
    """A report that can be rendered."""

    def __init__(self, grouping, form, readings, units=None):
        self._parts = grouping, form, list(readings), dict(units or {})

    def render(self):
        """The report."""
        return report(*self._parts)


def report(grouping, form, readings, units=None):
    """The text of a report; a grouping and a form are names, or objects.

    Raises:
        ValueError: there is no such grouping or form.
    """
    grouping, form = _named(GROUPINGS, grouping), _named(FORMS, form)
    lines = form.head(grouping)
    for number, (label, stations) in enumerate(sorted(_groups(grouping, readings).items())):
        lines = [*lines, *(form.between() if number else []), *form.group(label, grouping)]
        for station in sorted(stations):
            lines.append(form.row(label, _row(station, (units or {}).get(station, ""), stations[station]), grouping))
    return "".join(line + "\n" for line in lines)


def _named(table, part):
    """A part by its name, or itself."""
    if part in list(table):
        return table[part]
    if str(part) == part:
        raise ValueError(f"there is no {part!r}, only {', '.join(table)}")
    return part


def _groups(grouping, readings):
    """Times and values by label and station."""
    groups = {}
    for time, station, value in readings:
        groups.setdefault(grouping.label(time), {}).setdefault(station, []).append((time, value))
    return groups


def _row(station, unit, entries):
    values = [value for _time, value in entries]
    days = len({time.date() for time, _value in entries})
    return Row(station, unit, len(values), min(values), max(values), sum(values) / len(values), days)


DailyText = partial(_Report, "day", "text")
WeeklyText = partial(_Report, "week", "text")
DailyMarkdown = partial(_Report, "day", "markdown")
WeeklyMarkdown = partial(_Report, "week", "markdown")
DailyCsv = partial(_Report, "day", "csv")
WeeklyCsv = partial(_Report, "week", "csv")
