"""A year in a line."""

from collections.abc import Sequence

from gas.bands import bands
from gas.price import price


def summary(units: Sequence[int]) -> str:
    """A line on several bills: how many, the units, the euros, and how many of the bills have units in each tier, as `3 bills, 2100 units, 211.50 EUR, tiers 3/1/0`.

    Raises:
        ValueError: a number is below 0.
    """
    euros, cents = divmod(sum(map(price, units)), 100)
    tiers = "/".join(str(sum(one > start for one in units)) for start, _, _ in bands())
    return f"{len(units)} bills, {sum(units)} units, {euros}.{cents:02d} EUR, tiers {tiers}"
