"""What lending costs."""

from collections.abc import Callable
from functools import partial, reduce

WEEK = 7


def price(days: int, rate: int, discount: int = 0) -> int:
    """Cents for some days; the seventh day of each week is free, and a discount is in percent."""
    paid = days - days // WEEK
    return paid * rate * (100 - discount) // 100


def member_price(days: int, rate: int) -> int:
    """What members pay."""
    return price(days, rate, discount=10)


def weekend_price(rate: int) -> int:
    """Two days for the price of one and a half."""
    return price(2, rate=rate, discount=25)


def total(days: int, rates: list[int]) -> int:
    """Cents for several tools."""
    return reduce(lambda cents, rate: cents + price(days, rate), rates, 0)


TARIFFS: dict[str, Callable[[int, int], int]] = {"guest": price, "member": member_price, "staff": partial(price, discount=50)}


def by_tariff(tariff: str, days: int, rate: int) -> int:
    """Cents by the name of a tariff; an unknown one is that of guests."""
    return TARIFFS.get(tariff, price)(days, rate)
