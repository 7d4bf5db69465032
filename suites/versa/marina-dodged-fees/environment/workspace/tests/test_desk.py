"""Tests of the front desk."""

import unittest
from datetime import date

from marina import Berth, Boat, Desk, Harbour, NoBerth, Span, Tariff, reports


def june(first, last):
    return Span(date(2026, 6, first), date(2026, 6, last))


class DeskTest(unittest.TestCase):
    def setUp(self):
        harbour = Harbour()
        for code, length in (("A1", 800), ("B1", 1000)):
            harbour.add(Berth(code, length, 200))
        self.desk = Desk(harbour, Tariff([], 100))
        self.today = date(2026, 4, 1)

    def reserve(self, name, span, length=760):
        return self.desk.reserve(self.today, Boat(name, "Ada", length, 120), span)

    def test_the_shortest_berth_first(self):
        self.reserve("Gull", june(1, 4))
        self.reserve("Tern", june(3, 5))
        self.reserve("Crane", june(4, 5))
        self.assertEqual(reports.arrivals(self.desk, date(2026, 6, 1)), ["A1 Gull 3"])
        self.assertEqual(reports.arrivals(self.desk, date(2026, 6, 3)), ["B1 Tern 2"])
        self.assertEqual(reports.arrivals(self.desk, date(2026, 6, 4)), ["A1 Crane 1"])

    def test_no_berth(self):
        self.reserve("Gull", june(1, 4), 900)
        with self.assertRaises(NoBerth):
            self.reserve("Tern", june(2, 3), 900)

    def test_cancelling_late(self):
        number = self.reserve("Gull", june(1, 4))
        self.desk.pay(self.today, number, 2400)
        self.desk.cancel(date(2026, 5, 20), number)
        self.assertEqual(
            self.desk.ledger.statement("Ada"),
            [
                "2026-04-01 1 charge 24.00 24.00",
                "2026-04-01 1 payment -24.00 0.00",
                "2026-05-20 1 credit -24.00 -24.00",
                "2026-05-20 1 fee 7.20 -16.80",
            ],
        )

    def test_the_waiting_list_after_a_cancellation(self):
        number = self.reserve("Gull", june(1, 9), 900)
        self.desk.wait(Boat("Tern", "Ben", 900, 120), june(2, 4))
        self.desk.cancel(self.today, number)
        self.assertEqual(self.desk.waiting.names(), [])
        self.assertEqual(reports.arrivals(self.desk, date(2026, 6, 2)), ["B1 Tern 2"])

    def test_changing_nights(self):
        number = self.reserve("Gull", june(1, 4))
        self.desk.change(self.today, number, june(1, 6))
        self.assertEqual(self.desk.ledger.balance("Ada"), 4000)

    def test_occupancy(self):
        self.reserve("Gull", june(1, 16))
        self.assertEqual(reports.occupancy(self.desk, 2026, 6), {"A1": 50, "B1": 0})


if __name__ == "__main__":
    unittest.main()
