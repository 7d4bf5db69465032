"""How a price comes about."""

from gas.bands import spread
from gas.price import price


def explain(units: int) -> list[str]:
    """Lines: the base price, the units of each tier that has some, and the total.

    Raises:
        ValueError: the number is below 0.
    """
    tiers = [f"{count} x {cents} = {count * cents}" for count, cents in spread(units) if count]
    return [f"base {price(0)}", *tiers, f"total {price(units)}"]
