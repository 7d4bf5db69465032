"""Tests for the issue: nights that a stay gave up."""

import unittest
from datetime import date

from marina import Berth, Boat, Desk, Harbour, Span, Tariff


class FreedNightsTest(unittest.TestCase):
    def test_a_shortened_stay_frees_nights(self):
        harbour = Harbour()
        harbour.add(Berth("A1", 800, 200))
        desk = Desk(harbour, Tariff([], 100))
        today = date(2026, 4, 1)
        gull = desk.reserve(today, Boat("Gull", "Ada", 760, 120), Span(date(2026, 6, 1), date(2026, 6, 11)))
        desk.change(today, gull, Span(date(2026, 6, 1), date(2026, 6, 5)))
        tern = desk.reserve(today, Boat("Tern", "Ben", 760, 120), Span(date(2026, 6, 6), date(2026, 6, 9)))
        self.assertEqual(tern, 2)
        self.assertEqual(desk.register.get(tern).code, "A1")


if __name__ == "__main__":
    unittest.main()
