"""Rings up baskets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from till.offers import Offer, Prices
from till.ranking import rank


class Unknown(KeyError):
    """Raised for an article that has no price."""


@dataclass(frozen=True)
class Receipt:
    """What is to be paid, and the offers that were applied, as (name, cents saved), in this order."""

    total: int
    savings: tuple[tuple[str, int], ...]


class Till:
    """A till with prices, and offers in the order of the leaflet."""

    def __init__(self, prices: Prices, offers: Sequence[Offer]) -> None:
        self._prices = dict(prices)
        self._offers = list(offers)
        self.takings = 0
        """What was taken so far."""

    def ring(self, basket: Mapping[str, int]) -> Receipt:
        """Rings up a basket: numbers of pieces by article.

        Raises:
            Unknown: an article has no price.
            ValueError: a number of pieces is less than 1.
        """
        for article, count in basket.items():
            if article not in self._prices:
                raise Unknown(article)
            if count < 1:
                raise ValueError(f"{count} pieces of {article}")
        left, savings = Counter(basket), []
        for offer in rank(self._offers, Counter(basket), self._prices):
            used, saved = offer.use(left, self._prices)
            if saved:
                left -= used
                savings.append((offer.name, saved))
        full = sum(self._prices[article] * count for article, count in basket.items())
        total = full - sum(saved for _name, saved in savings)
        self.takings += total
        return Receipt(total, tuple(savings))
