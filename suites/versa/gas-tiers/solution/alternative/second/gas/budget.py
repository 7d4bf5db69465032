"""What can be had for some money."""

from gas.bands import bands
from gas.price import price


def budget(cents: int) -> int | None:
    """The greatest number of units whose price is not more than so many cents; None if not even the base price can be paid. (If further units cost nothing without end, there is no greatest number: OverflowError.)"""
    if cents < price(0):
        return None
    start, _, each = _last_reached(cents)
    if each:
        return start + (cents - price(start)) // each
    raise OverflowError("units without end cost nothing more")


def _last_reached(cents: int) -> tuple[int, int | None, int]:
    """The last tier whose units before it can all be paid."""
    return [band for band in bands() if price(band[0]) <= cents][-1]
