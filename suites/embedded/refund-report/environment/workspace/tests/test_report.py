"""Tests of report.sql."""

import sqlite3
import unittest
from pathlib import Path


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.db = sqlite3.connect(":memory:")
        self.db.executescript(Path("schema.sql").read_text())
        self.db.executescript(
            """
            INSERT INTO region VALUES (1, 'north'), (2, 'south'), (3, 'west');
            INSERT INTO customer VALUES (1, 1), (2, 2);
            INSERT INTO purchase VALUES (1, 1, '2024-05-01', 0), (2, 2, '2024-05-02', 0), (3, 2, '2024-06-01', 0);
            INSERT INTO item VALUES (1, 2, 500), (1, 1, 300), (2, 1, 900), (3, 1, 100);
            INSERT INTO refund VALUES (1, '2024-06-02', 100, 1), (1, '2024-06-03', 50, 1), (2, '2024-05-03', 70, 0);
            """
        )

    def report(self, month):
        return self.db.execute(Path("report.sql").read_text(), {"month": month}).fetchall()

    def test_may(self):
        expected = [("north", 1, 1300, 150, 1150), ("south", 1, 900, 0, 900), ("west", 0, 0, 0, 0)]
        self.assertEqual(self.report("2024-05"), expected)

    def test_a_month_without_orders(self):
        self.assertEqual(self.report("2023-01"), [(name, 0, 0, 0, 0) for name in ("north", "south", "west")])


if __name__ == "__main__":
    unittest.main()
