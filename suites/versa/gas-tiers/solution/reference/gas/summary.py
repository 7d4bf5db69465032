"""A year in a line."""

from collections.abc import Sequence

from gas.price import price
from gas.steps import parts


def summary(units: Sequence[int]) -> str:
    """A line on several bills: how many, the units, the euros, and how many of the bills have units in each tier, as `3 bills, 2100 units, 211.50 EUR, tiers 3/1/0`.

    Raises:
        ValueError: a number is below 0.
    """
    euros, cents = divmod(sum(map(price, units)), 100)
    bills = [[count > 0 for count, _cents in parts(one)] for one in (0, *units)]
    tiers = "/".join(str(sum(column)) for column in zip(*bills, strict=True))
    return f"{len(units)} bills, {sum(units)} units, {euros}.{cents:02d} EUR, tiers {tiers}"
