"""Tests of recurring."""

import unittest
from datetime import date

import recurring


def dates(*texts):
    return [date.fromisoformat(text) for text in texts]


class RecurringTest(unittest.TestCase):
    def test_the_example(self):
        rule = recurring.parse("every 2 weeks on thu, mon from 2024-01-03")
        self.assertEqual(rule.first(3), dates("2024-01-04", "2024-01-15", "2024-01-18"))
        self.assertEqual(rule.text(), "every 2 weeks on mon, thu from 2024-01-03")

    def test_months(self):
        rule = recurring.parse("every month on 31, last fri from 2024-03-01 until 2024-05-31 except 2024-03-29")
        self.assertEqual(rule.first(9), dates("2024-03-31", "2024-04-26", "2024-05-31"))
        self.assertEqual(rule.after(date(2024, 3, 31)), date(2024, 4, 26))

    def test_years(self):
        rule = recurring.parse("Every year from 2024-02-29 2 times")
        self.assertEqual(rule.between(date(2020, 1, 1), date(2040, 1, 1)), dates("2024-02-29", "2028-02-29"))
        self.assertIsNone(rule.after(date(2028, 2, 29)))

    def test_errors(self):
        for text in ("every day", "every day on mon from 2024-01-01", "every week from 2024-02-30"):
            with self.assertRaises(ValueError):
                recurring.parse(text)


if __name__ == "__main__":
    unittest.main()
