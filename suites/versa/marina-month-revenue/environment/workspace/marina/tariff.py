"""What a stay costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from marina import money
from marina.spans import Span

LONG_STAYS = ((28, 25), (7, 10))
"""From so many nights on there is so much percent off the whole stay; the first that applies holds."""


@dataclass(frozen=True)
class Season:
    """Days of every year, both ends included, as (month, day), and the price of a metre for a night.

    A season whose last day comes before its first one goes over New Year.
    """

    name: str
    first: tuple[int, int]
    last: tuple[int, int]
    rate: int

    def holds(self, day: date) -> bool:
        """Whether a day belongs to the season."""
        here = (day.month, day.day)
        if self.first <= self.last:
            return self.first <= here <= self.last
        return here >= self.first or here <= self.last


class Tariff:
    """Seasons, of which the first that holds a day decides, and the rate of all other days."""

    def __init__(self, seasons: Sequence[Season], rate: int) -> None:
        self._seasons = tuple(seasons)
        self._rate = rate

    def night(self, day: date, length: int) -> int:
        """Price of the night after a day, without discount. Metres that have begun count as whole ones."""
        metres = -(-length // 100)
        return metres * next((season.rate for season in self._seasons if season.holds(day)), self._rate)

    def nights(self, span: Span, length: int) -> int:
        """Price of all nights of a span, without discount."""
        return sum(self.night(day, length) for day in span.dates())

    def price(self, span: Span, length: int) -> int:
        """What a stay costs, its discount taken off."""
        full = self.nights(span, length)
        off = next((rate for nights, rate in LONG_STAYS if span.nights >= nights), 0)
        return full - money.percent(full, off)
