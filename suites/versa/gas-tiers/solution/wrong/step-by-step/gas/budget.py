"""What can be had for some money."""

from itertools import count

from gas.price import price


def budget(cents: int) -> int | None:
    """The greatest number of units whose price is not more than so many cents; None if not even the base price can be paid. (If further units cost nothing without end, there is no greatest number: OverflowError.)"""
    if cents < price(0):
        return None
    return next(units for units in count() if price(units + 1) > cents)
