"""What can be had for some money."""

from gas.price import price
from gas.steps import steps


def budget(cents: int) -> int | None:
    """The greatest number of units whose price is not more than so many cents; None if not even the base price can be paid. (If further units cost nothing without end, there is no greatest number: OverflowError.)"""
    if cents < price(0):
        return None
    for below, size, each in steps():
        if size is None or price(below + size) > cents:
            return below + _affordable(cents - price(below), each)


def _affordable(left, each):
    return left // max(each, 1)
