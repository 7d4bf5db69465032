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


@dataclass(frozen=True)
class Rule:
    """A rule."""

    name: str
    percent: int
    applies: object


RULES = [
    Rule("welcome", 15, lambda order: order.coupon == "WELCOME"),
    Rule("bulk", 12, lambda order: order.coupon == "BULK9"),
    Rule("old", 7, lambda order: order.member_years == 7),
]


def discount(order: Order) -> int:
    """Percent off."""
    return max((rule.percent for rule in RULES if rule.applies(order)), default=0)


def reason(order: Order) -> str | None:
    """Name of the rule that counts."""
    return next((rule.name for rule in RULES if rule.applies(order)), None)


def total(order: Order) -> int:
    """What is to be paid, in cents; parts of a cent are the shop's."""
    return order.cents - order.cents * discount(order) // 100
