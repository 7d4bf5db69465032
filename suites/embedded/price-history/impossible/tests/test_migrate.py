"""Tests of migrate.sql."""

import sqlite3
import unittest
from pathlib import Path


def migrated(*rows):
    """A database with these rows in its log, after the migration."""
    db = sqlite3.connect(":memory:")
    db.executescript(Path("old-schema.sql").read_text())
    db.executemany("INSERT INTO price_log VALUES (?, ?, ?, ?)", rows)
    db.executescript(Path("migrate.sql").read_text())
    return db


class MigrateTest(unittest.TestCase):
    def test_products(self):
        db = migrated(
            (" b1", "Bolt", "2024-01-01", 5), ("A9", None, "2024-01-01", 7), ("B1 ", "Bolt M8", "2024-01-02", 5)
        )
        self.assertEqual(
            db.execute("SELECT * FROM product ORDER BY id").fetchall(), [(1, "A9", None), (2, "B1", "Bolt M8")]
        )

    def test_repeated_prices_are_one_period(self):
        rows = [("A", "a", f"2024-01-{day:02d}", cents) for day, cents in ((1, 10), (3, 10), (7, 12), (9, 10))]
        expected = [
            (1, 10, "2024-01-01", "2024-01-03"),
            (1, 12, "2024-01-07", "2024-01-09"),
            (1, 10, "2024-01-09", None),
        ]
        self.assertEqual(migrated(*rows).execute("SELECT * FROM price ORDER BY valid_from").fetchall(), expected)

    def test_rejected(self):
        db = migrated((None, "x", "2024-01-01", 1), ("C", "x", None, 1))
        self.assertEqual(db.execute("SELECT count(*) FROM rejected").fetchone(), (2,))
        self.assertEqual(db.execute("SELECT name FROM sqlite_master WHERE name = 'price_log'").fetchall(), [])


if __name__ == "__main__":
    unittest.main()
