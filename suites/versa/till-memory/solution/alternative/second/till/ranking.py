"""Which offer comes first."""

from __future__ import annotations

from collections import Counter

from till.offers import Offer, Prices


def rank(offers: list[Offer], basket: Counter[str], prices: Prices) -> list[Offer]:
    """Offers by what each would save on a basket, the most first; equal ones in the order in which they are given."""
    gains = [offer.use(basket, prices)[1] for offer in offers]
    return [offers[place] for place in sorted(range(len(gains)), key=lambda place: (-gains[place], place))]
