"""What can be had for some money."""


def budget(cents: int) -> int | None:
    """The greatest number of units whose price is not more than so many cents; None if not even the base price can be paid. (If further units cost nothing without end, there is no greatest number: OverflowError.)"""
    left = cents - 850
    if left < 0:
        return None
    if left <= 500 * 12:
        return left // 12
    left -= 500 * 12
    if left <= 1000 * 9:
        return 500 + left // 9
    left -= 1000 * 9
    return 1500 + left // 7
