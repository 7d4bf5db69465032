"""Prices."""

from gas.steps import parts
from gas.tiers import BASE


def price(units: int) -> int:
    """Cents for a number of units: the base price, and what the units of each tier cost.

    Raises:
        ValueError: the number is below 0.
    """
    return BASE + sum(count * cents for count, cents in parts(units))


def marginal(units: int) -> int:
    """Cents that one unit more costs.

    Raises:
        ValueError: the number is below 0.
    """
    return price(units + 1) - price(units)
