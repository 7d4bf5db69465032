"""Tests of the issue that subscribers are charged earlier and earlier, by the docstrings of billing."""

import unittest
from datetime import date

from billing import PLANS, charges, next_charge
from billing.days import _later


def days(text):
    return [date.fromisoformat(word) for word in text.split()]


class IssueTest(unittest.TestCase):
    def test_the_31st(self):
        # February 28 and May 31, 2025, August 31 and November 30 are on weekends.
        wanted = "2025-01-31 2025-02-28 2025-03-31 2025-04-30 2025-06-02 2025-06-30 2025-07-31 2025-09-01 2025-09-30 2025-10-31 2025-12-01 2025-12-31 2026-02-02"
        self.assertEqual(charges(date(2025, 1, 31), "monthly", 13), days(wanted))

    def test_the_30th_and_29th(self):
        self.assertEqual(charges(date(2024, 12, 30), "monthly", 4), days("2024-12-30 2025-01-30 2025-02-28 2025-03-31"))
        self.assertEqual(charges(date(2025, 12, 30), "monthly", 4), days("2025-12-30 2026-01-30 2026-03-02 2026-03-30"))
        self.assertEqual(charges(date(2024, 1, 30), "monthly", 3), days("2024-01-30 2024-02-29 2024-04-01"))
        self.assertEqual(charges(date(2025, 1, 29), "monthly", 4), days("2025-01-29 2025-02-28 2025-03-31 2025-04-29"))

    def test_last_days_that_are_no_rule(self):
        self.assertEqual(_later(date(2025, 2, 28), 1), date(2025, 3, 28))
        self.assertEqual(charges(date(2025, 4, 30), "monthly", 4), days("2025-04-30 2025-05-30 2025-06-30 2025-07-30"))
        self.assertEqual(charges(date(2024, 2, 29), "monthly", 3), days("2024-02-29 2024-03-29 2024-04-29"))

    def test_other_plans(self):
        self.assertEqual(charges(date(2024, 2, 29), "yearly", 5), days("2024-02-29 2025-02-28 2026-03-02 2027-03-01 2028-02-29"))
        self.assertEqual(charges(date(2024, 8, 30), "quarterly", 4), days("2024-08-30 2024-12-02 2025-02-28 2025-05-30"))
        self.assertEqual(charges(date(2024, 5, 31), "quarterly", 4), days("2024-05-31 2024-09-02 2024-12-02 2025-02-28"))
        self.assertEqual(charges(date(2023, 11, 30), "quarterly", 3), days("2023-11-30 2024-02-29 2024-05-30"))

    def test_weekends(self):
        self.assertEqual(charges(date(2026, 1, 10), "monthly", 4), days("2026-01-12 2026-02-10 2026-03-10 2026-04-10"))
        self.assertEqual(charges(date(2026, 2, 1), "monthly", 3), days("2026-02-02 2026-03-02 2026-04-01"))
        self.assertEqual(charges(date(2026, 1, 31), "monthly", 3), days("2026-02-02 2026-03-02 2026-03-31"))

    def test_next(self):
        start = date(2025, 1, 31)
        for after, wanted in (
            ("2025-03-28", "2025-03-31"), ("2025-03-31", "2025-04-30"), ("2025-05-31", "2025-06-02"), ("2025-06-02", "2025-06-30"),
            ("2025-01-30", "2025-01-31"), ("2024-01-01", "2025-01-31"), ("2031-01-30", "2031-01-31"), ("2031-02-28", "2031-03-31"),
        ):  # fmt: skip
            self.assertEqual(next_charge(start, "monthly", date.fromisoformat(after)), date.fromisoformat(wanted), after)
        self.assertEqual(next_charge(date(2024, 2, 29), "yearly", date(2027, 3, 1)), date(2028, 2, 29))

    def test_pauses(self):
        start = date(2025, 1, 31)
        pause = [(date(2025, 2, 28), date(2025, 2, 28)), (date(2025, 4, 1), date(2025, 6, 1))]
        self.assertEqual(charges(start, "monthly", 4, pause), days("2025-01-31 2025-03-31 2025-06-02 2025-06-30"))
        self.assertEqual(next_charge(start, "monthly", date(2025, 3, 31), pause), date(2025, 6, 2))
        self.assertEqual(charges(start, "monthly", 2, [(start, start)]), days("2025-02-28 2025-03-31"))
        self.assertEqual(charges(start, "monthly", 0), [])

    def test_plans(self):
        for plan in PLANS:
            self.assertEqual(charges(date(2025, 1, 15), plan, 1), [date(2025, 1, 15)])
        with self.assertRaises(KeyError):
            charges(date(2025, 1, 31), "weekly", 1)
        with self.assertRaises(KeyError):
            next_charge(date(2025, 1, 31), "weekly", date(2025, 1, 31))


if __name__ == "__main__":
    unittest.main()
