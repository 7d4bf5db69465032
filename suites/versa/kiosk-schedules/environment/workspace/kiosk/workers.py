"""What the workers do: each is a generator of operations, and returns a word."""

from collections.abc import Generator

from kiosk.operations import Lock, Read, Unlock, Write

Worker = Generator[object, object, str]
PRICE = 5


def sale() -> Worker:
    """Sells one piece."""
    stock = yield Read("stock")
    if stock < 1:
        return "sold out"
    yield Lock("till")
    cash = yield Read("cash")
    yield Write("cash", cash + PRICE)
    yield Unlock("till")
    yield Write("stock", stock - 1)
    return "sold"


def restock() -> Worker:
    """Ten more pieces come."""
    stock = yield Read("stock")
    yield Write("stock", stock + 10)
    return "stocked"


def refund() -> Worker:
    """Takes a piece back, if there is money."""
    yield Lock("till")
    cash = yield Read("cash")
    if cash < PRICE:
        yield Unlock("till")
        return "no money"
    yield Lock("store")
    stock = yield Read("stock")
    yield Write("stock", stock + 1)
    yield Unlock("store")
    yield Write("cash", cash - PRICE)
    yield Unlock("till")
    return "refunded"


def inventory() -> Worker:
    """Writes down what there is."""
    yield Lock("store")
    stock = yield Read("stock")
    yield Lock("till")
    cash = yield Read("cash")
    yield Write("report", (stock, cash))
    yield Unlock("till")
    yield Unlock("store")
    return "counted"
