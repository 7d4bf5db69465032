"""Tests of prices and spans."""

import unittest
from datetime import date

from marina import Season, Span, Tariff, money

SUMMER = Season("summer", (6, 15), (8, 31), 200)
WINTER = Season("winter", (11, 1), (2, 15), 50)


class PricesTest(unittest.TestCase):
    def setUp(self):
        self.tariff = Tariff([SUMMER, WINTER], 100)

    def test_a_season_holds_both_ends(self):
        days = [date(2026, 6, 14), date(2026, 6, 15), date(2026, 8, 31), date(2026, 9, 1)]
        self.assertEqual([self.tariff.night(day, 700) for day in days], [700, 1400, 1400, 700])

    def test_winter_goes_over_new_year(self):
        self.assertEqual(self.tariff.nights(Span(date(2026, 12, 30), date(2027, 1, 3)), 1000), 2000)

    def test_metres_that_have_begun(self):
        self.assertEqual(self.tariff.night(date(2026, 5, 1), 701), 800)

    def test_long_stays(self):
        self.assertEqual(self.tariff.price(Span(date(2026, 5, 1), date(2026, 5, 8)), 1000), 6300)

    def test_amounts(self):
        self.assertEqual([money.text(cents) for cents in (0, 5, 1234, -150)], ["0.00", "0.05", "12.34", "-1.50"])


if __name__ == "__main__":
    unittest.main()
