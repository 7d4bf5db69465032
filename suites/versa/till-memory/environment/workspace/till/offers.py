"""Offers. Each says which pieces of a basket it would use, and what is saved by that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

Prices = Mapping[str, int]
"""Cents by article."""


class Offer(Protocol):
    """An offer with a name."""

    name: str

    def use(self, basket: Counter[str], prices: Prices) -> tuple[Counter[str], int]:
        """The pieces of a basket that the offer uses, and the cents that it saves; as much as possible."""


@dataclass(frozen=True)
class Percent:
    """So much percent off all pieces of some articles, rounded down for each piece."""

    name: str
    articles: tuple[str, ...]
    percent: int

    def use(self, basket: Counter[str], prices: Prices) -> tuple[Counter[str], int]:
        """All pieces of these articles."""
        used = Counter({article: basket[article] for article in self.articles})
        return +used, sum(count * (prices[article] * self.percent // 100) for article, count in used.items())


@dataclass(frozen=True)
class Bundle:
    """One piece of each of some articles, together for a price, as often as they are there."""

    name: str
    articles: tuple[str, ...]
    cents: int

    def use(self, basket: Counter[str], prices: Prices) -> tuple[Counter[str], int]:
        """As many bundles as there are; none, if a bundle would not save anything."""
        saved = sum(prices[article] for article in self.articles) - self.cents
        times = min(basket[article] for article in self.articles) if saved > 0 else 0
        return +Counter({article: times for article in self.articles}), times * saved


@dataclass(frozen=True)
class ThreeForTwo:
    """Of three pieces of one article, one is free."""

    name: str
    articles: tuple[str, ...]

    def use(self, basket: Counter[str], prices: Prices) -> tuple[Counter[str], int]:
        """Threes of each article."""
        threes = {article: basket[article] // 3 for article in self.articles}
        used = Counter({article: 3 * times for article, times in threes.items()})
        return +used, sum(times * prices[article] for article, times in threes.items())
