"""A list of trials as an address says it: what is chosen, by which order, which columns; and the walk along it.

An address carries the whole list, so that a link to it, a named view and the keys of a trial's page mean the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request

from honestly.records import Record
from honestly.web._columns import BY_NAME, FACETS, SHOWN, Column
from honestly.web._library import OpenStudy
from honestly.web._listing import Condition, Listing, is_one_of, where_condition

_MOST = 100
"""Values that an address chooses among, and conditions that it has."""
_LOOK = ("raw", "hide", "blind")
"""What an address says of how a trial is looked at, which stays for the next one."""


class View(Record, frozen=True, kw_only=True):
    """A list of trials that somebody gave a name; the study keeps it."""

    id: str
    name: str
    query: str
    """The list, as an address carries it."""
    gone: bool = False
    """Whether it was deleted; it can come back."""


@dataclass(frozen=True, slots=True)
class TrialList:
    """The content and order of a list of trials."""

    chosen: tuple[tuple[str, str], ...] = ()
    """Column and value, as often as there are: a trial has one of the values of each column."""
    where: tuple[str, ...] = ()
    """Conditions as `honestly show --where` takes them; all must hold."""
    order: str = ""
    columns: tuple[str, ...] = SHOWN

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, str]]) -> "TrialList":
        """The list of an address."""
        known = list(dict.fromkeys(pairs))[:_MOST]
        order = next((value for name, value in known if name == "sort"), "")
        columns = tuple(value for name, value in known if name == "col" and value in BY_NAME)
        return cls(
            tuple((name, value) for name, value in known if name in BY_NAME),
            tuple(value.strip() for name, value in known if name == "where" and value.strip()),
            order if order.removeprefix("-") in BY_NAME else "",
            columns or SHOWN,
        )

    @classmethod
    def read(cls, text: str) -> "TrialList":
        """The list of `text`."""
        return cls.from_pairs(parse_qsl(text, keep_blank_values=True, max_num_fields=1000))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The address's pairs."""
        columns = self.columns if self.columns != SHOWN else ()
        order = [("sort", self.order)] if self.order else []
        return [*self.chosen, *(("where", each) for each in self.where), *order, *(("col", each) for each in columns)]

    @property
    def query(self) -> dict[str, list[str]]:
        """The same by name."""
        found: dict[str, list[str]] = {}
        for name, value in self.pairs:
            found.setdefault(name, []).append(value)
        return found

    @property
    def text(self) -> str:
        """The same in one text; empty for all trials."""
        return urlencode(self.pairs)

    @property
    def columns_shown(self) -> list[Column]:
        """The columns that are shown."""
        return [BY_NAME[name] for name in self.columns]

    def toggled(self, column: str, value: str) -> "TrialList":
        """The same with a value chosen, or chosen no longer."""
        rest = tuple(each for each in self.chosen if each != (column, value))
        return replace(self, chosen=rest if rest != self.chosen else (*rest, (column, value)))

    def without_condition(self, condition: str) -> "TrialList":
        """The same without a condition."""
        return replace(self, where=tuple(each for each in self.where if each != condition))

    def by(self, column: str) -> "TrialList":
        """The same in the order of a column; turned round where it is that already."""
        return replace(self, order=f"-{column}" if self.order == column else column)

    def conditions(self, but: str = "") -> tuple[Condition, ...]:
        """The conditions on trials; `but`: whatever they have in this column.

        Raises:
            StoreError: a condition cannot be understood.
        """
        columns = dict.fromkeys(column for column, _ in self.chosen if column != but)
        among = (is_one_of(name, [value for column, value in self.chosen if column == name]) for name in columns)
        return (*among, *map(where_condition, self.where))


def column_facets(listing: Listing, asked: TrialList, name: str) -> list[tuple[str, int, bool]]:
    """The values of a column among the trials that all else lets through: count, and whether it is chosen."""
    found = listing.facets(name, asked.conditions(but=name))
    chosen = [value for column, value in asked.chosen if column == name]
    missing = [(value, 0) for value in chosen if value not in dict(found)]
    return [(value, count, value in chosen) for value, count in (*found, *missing)]


def facet_columns(asked: TrialList) -> list[tuple[Column, int]]:
    """The columns to choose by, and how many values of each are chosen."""
    return [(column, sum(name == column.name for name, _ in asked.chosen)) for column in FACETS]


class Walk(NamedTuple):
    """Where a trial stands in the list that it was opened from."""

    asked: TrialList
    whole: bool
    """Whether the list is made yet; what follows says nothing until it is."""
    at: int | None = None
    """From 1; None where the trial is not in the list."""
    total: int = 0
    before: str = ""
    """The trial before it; empty where it is the first."""
    after: str = ""
    query: dict[str, list[str]] = {}
    """What the address says beside, which the next trial is opened with."""


def walk_of(study: OpenStudy, request: Request, trial: str) -> Walk:
    """The walk along the list that the address of a trial's page names; along all trials where it names none."""
    asked = TrialList.read(request.query_params.get("list", ""))
    listing = study.listing_soon()
    query = {name: request.query_params.getlist(name) for name in _LOOK if name in request.query_params}
    if listing is None:
        return Walk(asked, whole=False, query=query)
    conditions = asked.conditions()
    if (found := listing.place_of_trial(trial, conditions, asked.order)) is None:
        return Walk(asked, whole=True, query=query)
    at, before, after = found
    return Walk(asked, True, at + 1, listing.count(conditions), before, after, query)
