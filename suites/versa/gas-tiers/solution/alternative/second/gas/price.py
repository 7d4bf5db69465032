"""Prices."""

from gas.bands import spread
from gas.tiers import BASE


def price(units: int) -> int:
    """Cents for a number of units: the base price, and what the units cost in the tiers in which they lie.

    Raises:
        ValueError: the number is below 0.
    """
    return BASE + sum(count * cents for count, cents in spread(units))


def marginal(units: int) -> int:
    """Cents that one unit more costs.

    Raises:
        ValueError: the number is below 0.
    """
    without = price(units)
    return price(units + 1) - without
