"""Tests for the issue: closures of berths that are booked."""

import unittest
from datetime import date

from marina import Berth, Boat, Desk, Harbour, Span, Tariff, reports


class ClosuresTest(unittest.TestCase):
    def setUp(self):
        harbour = Harbour()
        for code, length in (("A1", 800), ("B1", 1000)):
            harbour.add(Berth(code, length, 200))
        self.desk = Desk(harbour, Tariff([], 100))
        self.today = date(2026, 4, 1)
        self.desk.reserve(self.today, Boat("Gull", "Ada", 760, 120), Span(date(2026, 6, 1), date(2026, 6, 11)))

    def test_a_boat_gets_another_berth(self):
        self.desk.close(self.today, "A1", Span(date(2026, 6, 10), date(2026, 6, 20)))
        self.assertEqual(reports.arrivals(self.desk, date(2026, 6, 1)), ["B1 Gull 10"])
        self.assertEqual(self.desk.ledger.balance("Ada"), 7200)

    def test_occupancy(self):
        self.desk.harbour.close("A1", Span(date(2026, 6, 6), date(2026, 6, 21)))
        self.desk.harbour.close("A1", Span(date(2026, 6, 16), date(2026, 6, 26)))
        self.assertEqual(reports.occupancy(self.desk, 2026, 6), {"A1": 50, "B1": 0})


if __name__ == "__main__":
    unittest.main()
