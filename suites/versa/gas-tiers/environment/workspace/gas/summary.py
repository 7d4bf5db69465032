"""A year in a line."""

from collections.abc import Sequence


def summary(units: Sequence[int]) -> str:
    """A line on several bills: how many, the units, the euros, and how many of the bills have units in each tier, as `3 bills, 2100 units, 211.50 EUR, tiers 3/1/0`.

    Raises:
        ValueError: a number is below 0.
    """
    cents = 0
    tiers = [0, 0, 0]
    for one in units:
        if one < 0:
            raise ValueError(f"units cannot be below 0: {one}")
        cents += 850 + min(one, 500) * 12 + min(max(one - 500, 0), 1000) * 9 + max(one - 1500, 0) * 7
        if one > 0:
            tiers[0] += 1
        if one > 500:
            tiers[1] += 1
        if one > 1500:
            tiers[2] += 1
    return f"{len(units)} bills, {sum(units)} units, {cents // 100}.{cents % 100:02d} EUR, tiers {tiers[0]}/{tiers[1]}/{tiers[2]}"
