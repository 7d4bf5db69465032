"""How a price comes about."""

from gas.price import price
from gas.steps import parts


def explain(units: int) -> list[str]:
    """Lines: the base price, the units of each tier that has some, and the total.

    Raises:
        ValueError: the number is below 0.
    """
    lines = [f"{count} x {cents} = {count * cents}" for count, cents in parts(units) if count]
    return [f"base {price(0)}", *lines, f"total {price(units)}"]
