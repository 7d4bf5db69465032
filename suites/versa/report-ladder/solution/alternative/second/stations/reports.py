"""Reports on readings of weather stations.

Readings are tuples (time, station, value): a datetime, a text, a float; in any order. `units` has units by station. A report has groups in the order of their labels (which is that of time), and in each
group a row for each station that has readings in it, in the order of names. Values are written with one decimal. A week is one of ISO 8601, from Monday to Sunday.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial, singledispatch
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from stations.forms import FORMS
from stations.groupings import GROUPINGS

Reading = tuple[datetime, str, float]


class Row(NamedTuple):
    """What a report says of a station in a group; numbers are not rounded."""

    station: str
    unit: str
    count: int
    low: float
    high: float
    mean: float
    days: int


class Report:
    """A report: a grouping and a form, by their names or objects with the same attributes, and what is reported on.

    Raises:
        ValueError: there is no grouping, or no form, of this name.
    """

    def __init__(self, grouping, form, readings: Iterable[Reading], units: dict[str, str] | None = None) -> None:
        self.grouping = _chosen(grouping, GROUPINGS)
        self.form = _chosen(form, FORMS)
        self.readings = list(readings)
        self.units = dict(units or {})

    def render(self) -> str:
        """The report."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from self.form.head(self.grouping)
        for place, (label, readings) in enumerate(self._groups()):
            if place:
                yield from self.form.between()
            yield from self.form.group(label, self.grouping)
            for row in self._rows(readings):
                yield self.form.row(label, row, self.grouping)

    def _groups(self) -> Iterator[tuple[object, list[Reading]]]:
        labelled = [(self.grouping.label(reading[0]), reading) for reading in self.readings]
        for label, group in groupby(sorted(labelled, key=itemgetter(0)), itemgetter(0)):
            yield label, [reading for _label, reading in group]

    def _rows(self, readings: list[Reading]) -> Iterator[Row]:
        for station, own in groupby(sorted(readings, key=itemgetter(1)), itemgetter(1)):
            times, _stations, values = zip(*own)
            mean = sum(values) / len(values)
            days = {time.date() for time in times}
            yield Row(station, self.units.get(station, ""), len(values), min(values), max(values), mean, len(days))


@singledispatch
def _chosen(choice, known: dict):
    return choice


@_chosen.register
def _named(choice: str, known: dict):
    if choice not in known:
        raise ValueError(f"none of {', '.join(known)}: {choice!r}")
    return known[choice]


def report(grouping, form, readings: Iterable[Reading], units: dict[str, str] | None = None) -> str:
    """The text of a report on readings.

    `grouping` is the name of one of GROUPINGS, and `form` of one of FORMS; or, for either, an object of one's own with the same methods and attributes.

    Raises:
        ValueError: there is no grouping, or no form, of this name.
    """
    return Report(grouping, form, readings, units).render()


DailyText, DailyMarkdown, DailyCsv = (partial(Report, GROUPINGS["day"], form) for form in FORMS.values())
WeeklyText, WeeklyMarkdown, WeeklyCsv = (partial(Report, GROUPINGS["week"], form) for form in FORMS.values())
