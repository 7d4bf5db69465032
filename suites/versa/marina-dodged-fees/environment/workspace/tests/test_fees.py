"""Tests for the issue: fees that were dodged."""

import unittest
from datetime import date

from marina import Berth, Boat, Desk, Harbour, Span, Tariff


class FeesTest(unittest.TestCase):
    def test_shortened_first(self):
        harbour = Harbour()
        harbour.add(Berth("A1", 800, 200))
        desk = Desk(harbour, Tariff([], 100))
        gull = desk.reserve(date(2026, 4, 1), Boat("Gull", "Ada", 760, 120), Span(date(2026, 6, 1), date(2026, 6, 7)))
        desk.change(date(2026, 5, 25), gull, Span(date(2026, 6, 1), date(2026, 6, 2)))
        desk.cancel(date(2026, 5, 31), gull)
        self.assertEqual(
            desk.ledger.statement("Ada"),
            [
                "2026-04-01 1 charge 48.00 48.00",
                "2026-05-25 1 credit -40.00 8.00",
                "2026-05-25 1 fee 12.00 20.00",
                "2026-05-31 1 credit -8.00 12.00",
                "2026-05-31 1 fee 8.00 20.00",
            ],
        )


if __name__ == "__main__":
    unittest.main()
