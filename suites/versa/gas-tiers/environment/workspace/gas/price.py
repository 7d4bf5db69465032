"""Prices."""


def price(units: int) -> int:
    """Cents for a number of units: the base price, 12 for each of the first 500, 9 for each of the next 1,000, 7 for each further one.

    Raises:
        ValueError: the number is below 0.
    """
    if units < 0:
        raise ValueError(f"units cannot be below 0: {units}")
    if units <= 500:
        return 850 + units * 12
    if units <= 1500:
        return 850 + 500 * 12 + (units - 500) * 9
    return 850 + 500 * 12 + 1000 * 9 + (units - 1500) * 7


def marginal(units: int) -> int:
    """Cents that one unit more costs.

    Raises:
        ValueError: the number is below 0.
    """
    if units < 0:
        raise ValueError(f"units cannot be below 0: {units}")
    if units < 500:
        return 12
    if units < 1500:
        return 9
    return 7
