"""Examples of rolled days and payments. 1 May 2026 is a Friday."""

import unittest
from datetime import date

from settle.calendar import Calendar
from settle.rules import add_months, add_open_days, payment_days, roll

WEEKDAYS = Calendar()


class RollTest(unittest.TestCase):
    def test_following_and_preceding(self):
        self.assertEqual(roll(date(2026, 5, 9), "following", WEEKDAYS), date(2026, 5, 11))
        self.assertEqual(roll(date(2026, 5, 9), "preceding", WEEKDAYS), date(2026, 5, 8))
        self.assertEqual(roll(date(2026, 5, 8), "following", WEEKDAYS), date(2026, 5, 8))

    def test_modified_following(self):
        self.assertEqual(roll(date(2026, 5, 9), "modified-following", WEEKDAYS), date(2026, 5, 11))
        self.assertEqual(roll(date(2026, 5, 30), "modified-following", WEEKDAYS), date(2026, 6, 1))

    def test_unknown_convention(self):
        with self.assertRaises(ValueError):
            roll(date(2026, 5, 8), "sideways", WEEKDAYS)


class CountingTest(unittest.TestCase):
    def test_open_days(self):
        calendar = Calendar(holidays=[date(2026, 5, 1)])
        self.assertEqual(add_open_days(date(2026, 4, 30), 1, calendar), date(2026, 5, 4))
        self.assertEqual(add_open_days(date(2026, 5, 4), -2, calendar), date(2026, 4, 29))

    def test_months(self):
        self.assertEqual(add_months(date(2026, 1, 31), 1), date(2026, 2, 28))
        self.assertEqual(add_months(date(2026, 2, 28), 1, month_end=True), date(2026, 3, 31))

    def test_payments(self):
        days = payment_days(date(2026, 1, 15), date(2026, 7, 15), 2, WEEKDAYS)
        self.assertEqual(days, [date(2026, 3, 16), date(2026, 5, 15), date(2026, 7, 15)])


if __name__ == "__main__":
    unittest.main()
