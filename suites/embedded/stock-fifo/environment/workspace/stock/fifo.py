"""The cost of sales and the worth of the stock."""

from __future__ import annotations

import sqlite3


class BadMovement(ValueError):
    """Raised for a movement that cannot have happened; `id` is its number."""

    def __init__(self, id: int, reason: str) -> None:
        super().__init__(f"movement {id}: {reason}")
        self.id = id


def value(db: sqlite3.Connection) -> tuple[dict[int, int], dict[str, int]]:
    """Cost of each sale by its id, and worth of what is left by item."""
    average = dict(
        db.execute("SELECT item, sum(pieces * cents) / sum(pieces) FROM movement WHERE kind = 'buy' GROUP BY item")
    )
    sales = {
        n: pieces * average[item]
        for n, item, pieces in db.execute("SELECT id, item, pieces FROM movement WHERE kind = 'sell'")
    }
    left = db.execute(
        "SELECT item, sum(CASE WHEN kind IN ('buy', 'return') THEN pieces ELSE -pieces END) FROM movement GROUP BY item"
    )
    return sales, {item: pieces * average[item] for item, pieces in left}
