"""The cost of sales and the worth of the stock, first in, first out.

The pieces of an item are a deque of lots, those that are sold first in front. What a sale took is kept as a stack of lots, so that
returns take from its end.
"""

from __future__ import annotations

import sqlite3
from collections import deque

Lot = tuple[int, int]
"""Pieces, and cents for each."""


class BadMovement(ValueError):
    """Raised for a movement that cannot have happened; `id` is its number."""

    def __init__(self, id: int, reason: str) -> None:
        super().__init__(f"movement {id}: {reason}")
        self.id = id


def value(db: sqlite3.Connection) -> tuple[dict[int, int], dict[str, int]]:
    """Cost of each sale by its id, and worth of what is left by item."""
    stock: dict[str, deque[Lot]] = {}
    sold: dict[int, tuple[str, list[Lot]]] = {}
    for number, item, kind, pieces, cents, of in db.execute(
        "SELECT id, item, kind, pieces, cents, of FROM movement ORDER BY id"
    ):
        lots = stock.setdefault(item, deque())
        try:
            if kind == "buy":
                if cents is None or cents < 0:
                    raise ValueError("a price is needed")
                lots.append((pieces, cents))
            elif kind == "sell":
                sold[number] = item, _take(lots, pieces, front=True)
            elif kind == "return":
                if of not in sold:
                    raise ValueError("it returns no sale of this item")
                lots.extendleft(_take(sold[of][1], pieces, front=False))
            elif kind == "scrap":
                _take(lots, pieces, front=False)
            else:
                raise ValueError(f"unknown kind {kind!r}")
        except ValueError as error:
            raise BadMovement(number, str(error)) from None
    return {number: _worth(lots) for number, (_item, lots) in sold.items()}, {
        item: _worth(lots) for item, lots in stock.items()
    }


def _take(lots: deque[Lot] | list[Lot], pieces: int, *, front: bool) -> list[Lot]:
    """Removes pieces from one end, lot by lot.

    Raises:
        ValueError: there are fewer.
    """
    taken: list[Lot] = []
    while pieces:
        if not lots:
            raise ValueError(f"{pieces} pieces are missing")
        have, cents = lots[0 if front else -1]
        used = min(have, pieces)
        pieces -= used
        taken.append((used, cents))
        if used < have:
            lots[0 if front else -1] = have - used, cents
        elif front:
            lots.popleft()  # type: ignore[union-attr]
        else:
            lots.pop()
    return taken


def _worth(lots: deque[Lot] | list[Lot]) -> int:
    return sum(pieces * cents for pieces, cents in lots)
