"""Splits amounts so that nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence


def split(cents: int, weights: Sequence[int]) -> list[int]:
    """Shares of an amount by weight, in whole cents, which make up the amount.

    Everybody gets his share rounded down; the cents that are left go, one each, to the largest remainders, among equal
    ones to those who come first. Without any weight all have the same.
    """
    if not any(weights):
        weights = [1] * len(weights)
    total = sum(weights)
    shares = [cents * weight // total for weight in weights]
    remainders = [cents * weight % total for weight in weights]
    order = sorted(range(len(weights)), key=lambda place: -remainders[place])
    for place in order[: cents - sum(shares)]:
        shares[place] += 1
    return shares
