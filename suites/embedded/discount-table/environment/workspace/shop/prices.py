"""Discounts on orders."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    """What is known of an order when its price is made."""

    cents: int
    items: int
    member_years: int = 0
    coupon: str = ""
    weekday: int = 0  # 0 is Monday


def discount(order: Order) -> int:
    """Percent off."""
    best = 0
    if order.coupon:
        if order.coupon == "WELCOME":
            if order.member_years == 0:
                best = 15
            else:
                best = 5
        elif order.coupon.startswith("BULK"):
            if order.items >= 20:
                best = 12
            elif order.items >= 10:
                best = 8
    if order.member_years > 0:
        if order.member_years >= 5:
            if order.cents > 10_000:
                if best < 10:
                    best = 10
            elif best < 7:
                best = 7
        else:
            if order.weekday == 1:
                if best < 4:
                    best = 4
            elif order.weekday >= 5 and order.items > 1:
                if best < 3:
                    best = 3
    else:
        if order.cents >= 50_000 and not order.coupon:
            best = 6
    if order.items == 0:
        return 0
    return best


def total(order: Order) -> int:
    """What is to be paid, in cents; parts of a cent are the shop's."""
    return order.cents - order.cents * discount(order) // 100
