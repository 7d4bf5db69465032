"""Discounts on orders, as a table of rules of which the best one counts."""

from collections.abc import Callable
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
    """A condition, and the percent off where it holds."""

    name: str
    percent: int
    applies: Callable[[Order], bool]


def _rule(name: str, percent: int, condition: Callable[[Order], bool]) -> Rule:
    """A rule that never applies to an order without items."""
    return Rule(name, percent, lambda order: order.items != 0 and condition(order))


RULES = [
    _rule("welcome", 15, lambda order: order.coupon == "WELCOME" and order.member_years == 0),
    _rule("welcome back", 5, lambda order: order.coupon == "WELCOME"),
    _rule("large bulk", 12, lambda order: order.coupon.startswith("BULK") and order.items >= 20),
    _rule("bulk", 8, lambda order: order.coupon.startswith("BULK") and order.items >= 10),
    _rule("old member, large order", 10, lambda order: order.member_years >= 5 and order.cents > 10_000),
    _rule("old member", 7, lambda order: order.member_years >= 5),
    _rule("member's Tuesday", 4, lambda order: order.member_years > 0 and order.weekday == 1),
    _rule("member's weekend", 3, lambda order: order.member_years > 0 and order.weekday >= 5 and order.items > 1),
    _rule("large order", 6, lambda order: order.member_years <= 0 and order.cents >= 50_000 and not order.coupon),
]


def _best(order: Order) -> Rule | None:
    """The rule with the greatest percentage, the earliest among equals."""
    return max((rule for rule in reversed(RULES) if rule.applies(order)), key=lambda rule: rule.percent, default=None)


def discount(order: Order) -> int:
    """Percent off."""
    best = _best(order)
    return best.percent if best else 0


def reason(order: Order) -> str | None:
    """Name of the rule that counts."""
    best = _best(order)
    return best.name if best else None


def total(order: Order) -> int:
    """What is to be paid, in cents; parts of a cent are the shop's."""
    return order.cents - order.cents * discount(order) // 100
