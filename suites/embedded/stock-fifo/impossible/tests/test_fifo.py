"""Tests of stock.fifo."""

import sqlite3
import unittest
from pathlib import Path

from stock.fifo import BadMovement, value


def worth(*movements):
    """Value of these movements (item, kind, pieces, cents, of), numbered from 1."""
    db = sqlite3.connect(":memory:")
    db.executescript(Path("stock/schema.sql").read_text())
    db.executemany("INSERT INTO movement VALUES (?, ?, ?, ?, ?, ?)", [(n, *m) for n, m in enumerate(movements, 1)])
    return value(db)


class FifoTest(unittest.TestCase):
    def test_oldest_first(self):
        given = worth(("nut", "buy", 10, 5, None), ("nut", "buy", 10, 7, None), ("nut", "sell", 12, None, None))
        self.assertEqual(given, ({3: 64}, {"nut": 56}))

    def test_a_return_goes_to_the_front(self):
        movements = [("nut", "buy", 2, 5, None), ("nut", "buy", 4, 7, None), ("nut", "sell", 3, None, None)]
        movements += [("nut", "return", 2, None, 3), ("nut", "sell", 1, None, None)]
        self.assertEqual(worth(*movements), ({3: 5, 5: 7}, {"nut": 26}))

    def test_too_many(self):
        with self.assertRaises(BadMovement) as caught:
            worth(("nut", "buy", 2, 5, None), ("nut", "sell", 3, None, None))
        self.assertEqual(caught.exception.id, 2)


if __name__ == "__main__":
    unittest.main()
