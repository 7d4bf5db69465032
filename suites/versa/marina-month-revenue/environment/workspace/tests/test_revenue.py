"""Tests for the issue: revenue by month."""

import unittest
from datetime import date

from marina import Berth, Boat, Desk, Harbour, Span, Tariff, reports


class RevenueTest(unittest.TestCase):
    def setUp(self):
        harbour = Harbour()
        harbour.add(Berth("A1", 800, 200))
        self.desk = Desk(harbour, Tariff([], 100))

    def test_a_long_stay_over_two_months(self):
        self.desk.reserve(
            date(2026, 4, 1), Boat("Gull", "Ada", 760, 120), Span(date(2026, 6, 27), date(2026, 7, 7))
        )
        self.assertEqual(self.desk.ledger.balance("Ada"), 7200)
        self.assertEqual([reports.revenue(self.desk, 2026, month) for month in (5, 6, 7, 8)], [0, 2880, 4320, 0])


if __name__ == "__main__":
    unittest.main()
